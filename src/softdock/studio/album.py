"""Thumbnails that were drawn before, kept where caches are kept; known by the digest of the scenario's text."""

import functools
import hashlib
import os
from contextlib import suppress
from pathlib import Path

from softdock.caches import cache_bases

WIDTH, HEIGHT = 320, 150
CHASER, TARGET = "#3b7dd8", "#e08a2e"
DRAWN_BY = ("album.py", "thumbnails.py", "sketches.py")
"""Files that decide how a thumbnail looks: with other sources it is drawn anew."""


def digest(text: str) -> str:
    """Return the key under which the picture of a scenario's text is kept."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def keep(key: str, picture: str) -> None:
    """Keep a picture, where that is possible."""
    with suppress(OSError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        hidden = folder / f".{key}.{os.getpid()}"
        hidden.write_text(picture, encoding="utf-8")
        hidden.replace(folder / f"{key}.svg")


def recalled(key: str) -> str | None:
    """Return the picture that was drawn for a text with this digest, if it was."""
    try:
        return (_folder() / f"{key}.svg").read_text(encoding="utf-8")
    except OSError:
        return None


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
def _folder() -> Path:
    sources = b"".join(Path(__file__).with_name(name).read_bytes() for name in DRAWN_BY)
    return cache_bases()[0] / f"thumbnails-{hashlib.sha256(sources).hexdigest()[:12]}"
