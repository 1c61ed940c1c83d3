"""Thumbnails that were drawn before, kept where caches are kept; known by the digest of the scenario's text."""

import functools
from pathlib import Path

from softdock.files.cache import Cache, content_key

CACHE = Cache("thumbnails", ".svg")
WIDTH, HEIGHT = 320, 150
CHASER, TARGET = "#3b7dd8", "#e08a2e"
DRAWN_BY = ("thumbnail_cache.py", "thumbnails.py", "schematics.py")
"""Files that decide how a thumbnail looks: with other sources it is drawn anew."""


def digest(text: str) -> str:
    """Return the key under which the picture of a scenario's text is kept."""
    return content_key(text)


def keep(key: str, picture: str) -> None:
    """Keep a picture, where that is possible."""
    CACHE.write(content_key(key, _source_digest()), picture)


def recalled(key: str) -> str | None:
    """Return the picture that was drawn for a text with this digest, if it was."""
    return CACHE.read(content_key(key, _source_digest()), bytes.decode)


def framed(body: str) -> str:
    """Return a whole SVG of what is drawn in it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" fill="none" '
        f'stroke-linejoin="round" stroke-linecap="round">{body}</svg>'
    )


def blank() -> str:
    """Return what stands for a scenario that cannot be drawn."""
    x, y = WIDTH / 2, HEIGHT / 2
    return (
        f'<path d="M{x - 60} {y - 18}h44l12 18l-12 18h-44z" fill="{CHASER}" fill-opacity=".35" stroke="{CHASER}"/>'
        f'<path d="M{x + 60} {y - 30}h-30l-26 30l26 30h30" fill="none" stroke="{TARGET}" stroke-width="2"/>'
    )


@functools.cache
def _source_digest() -> str:
    return content_key(*(Path(__file__).with_name(name) for name in DRAWN_BY))
