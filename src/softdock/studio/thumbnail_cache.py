"""Cache of scenario thumbnails, keyed by the text of the scenario and the sources that draw it."""

import functools
from pathlib import Path

from softdock.files.cache import Cache, content_key

CACHE = Cache("thumbnails", ".svg")
WIDTH, HEIGHT = 320, 150
CHASER, TARGET = "#3b7dd8", "#e08a2e"
SOURCES = ("thumbnail_cache.py", "thumbnails.py", "schematics.py")
"""Sources that decide how a thumbnail looks; a change of any of them invalidates the cache."""


def thumbnail_key(text: str) -> str:
    """Return the cache key of the thumbnail of a scenario's text."""
    return content_key(text, _source_digest())


def store_thumbnail(key: str, svg: str) -> None:
    """Store a thumbnail; does nothing where no cache folder can be written."""
    CACHE.write(key, svg)


def cached_thumbnail(key: str) -> str | None:
    """Return the cached thumbnail, or None."""
    return CACHE.read(key, bytes.decode)


def svg_document(body: str) -> str:
    """Return a complete SVG document with these elements."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" fill="none" '
        f'stroke-linejoin="round" stroke-linecap="round">{body}</svg>'
    )


def placeholder() -> str:
    """Return the SVG elements shown for a scenario that cannot be drawn."""
    x, y = WIDTH / 2, HEIGHT / 2
    return (
        f'<path d="M{x - 60} {y - 18}h44l12 18l-12 18h-44z" fill="{CHASER}" fill-opacity=".35" stroke="{CHASER}"/>'
        f'<path d="M{x + 60} {y - 30}h-30l-26 30l26 30h30" fill="none" stroke="{TARGET}" stroke-width="2"/>'
    )


@functools.cache
def _source_digest() -> str:
    return content_key(*(Path(__file__).with_name(name) for name in SOURCES))
