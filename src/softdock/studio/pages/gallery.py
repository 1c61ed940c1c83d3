"""The gallery: bundled scenarios and the person's own files, each with a picture and a sentence.

A plain page: it is whole with the first answer of the server, and needs no script to be read and used.
"""

import functools
import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import nicegui

from softdock.errors import InputError
from softdock.studio.folder import SUFFIXES, bundled_headers
from softdock.studio.pages import frame

if TYPE_CHECKING:
    from softdock.studio.server import Studio

UPLOADED = (*SUFFIXES, ".step", ".stp", ".stl", ".obj", ".ply", ".glb", ".urdf")
LARGEST_TEXT, LARGEST_CAD = 1_000_000, 15_000_000  # bytes
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}")
AHEAD = (
    "vue.esm-browser.prod.js", "quasar.umd.prod.js", "nicegui.js", "socket.io.min.js", "dompurify.mjs",
    "quasar.unimportant.prod.css", "quasar.important.prod.css", "nicegui.css", "lang/en-US.umd.prod.js",
)  # fmt: skip
"""Files of NiceGUI that every other page begins with."""


def page(studio: "Studio", theme: str) -> str:
    """Return the page as HTML."""
    own = [
        _tile(path, head.get("title") or _about(head), head.get("kind", ""))
        for path, head in studio.folder.files()
    ]
    body = (
        _file("gallery.html")
        .replace("{bundled}", _bundled())
        .replace("{accepted}", ",".join(UPLOADED))
        .replace("{own}", _own(own, str(studio.folder.root)))
    )
    fonts = f'<link rel="stylesheet" href="{_static()}/fonts.css">'
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Scenarios - Softdock</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:image/svg+xml,{quote(frame.ICON)}"><style>{frame.STYLE}</style></head>'
        f'<body class="plain {f"body--{theme}" if theme else ""}"><script>{frame.SCRIPT}</script>'
        f"<header>{frame.head(studio, '/')}</header>{body}"
        f'<script type="application/json" id="ahead">{_ahead()}</script>'
        f"<script>{_file('gallery.js')}</script>{fonts}</body></html>"
    )


@functools.cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@functools.cache
def _bundled() -> str:
    return "".join(
        _tile(name, head.get("title", ""), head.get("kind", "")) for name, head in bundled_headers().items()
    )


def _own(tiles: list[str], root: str) -> str:
    if tiles:
        return f'<h2>Your files</h2><div class="gallery">{"".join(tiles)}</div>'
    empty = f"No scenario files in {html.escape(root)} yet: open a bundled scenario, change it and save it."
    return f'<p class="soft">{empty}</p>'


def _about(head: dict[str, str]) -> str:
    return f"{head['base']} with changes" if "base" in head else "A scenario without a title"


def _tile(name: str, sentence: str, kind: str) -> str:
    title, about = html.escape(name), html.escape(sentence)
    words = html.escape(f"{name} {sentence}".lower(), quote=True)
    tag = f'<span class="tag">{html.escape(kind)}</span>' if kind else ""
    return (
        f'<a class="tile" href="/scenario?name={quote(name)}" data-words="{words}">'
        f'<img alt="" loading="lazy" src="/thumbnail?name={quote(name)}">'
        f'<span class="line"><b>{title}</b>{tag}</span><span class="soft about">{about}</span></a>'
    )


def _static() -> str:
    return f"/_nicegui/{nicegui.__version__}/static"


@functools.cache
def _ahead() -> str:
    folder = Path(nicegui.__file__).parent / "static"
    return json.dumps([f"{_static()}/{name}" for name in AHEAD if (folder / name).is_file()])


def keep(studio: "Studio", name: str, content: bytes) -> None:
    """Keep a file that was sent, judged here: what the browser has checked counts for nothing."""
    suffix = f".{name.rpartition('.')[2].lower()}"
    if not SAFE_NAME.fullmatch(name) or suffix not in UPLOADED:
        raise InputError(f"'{name[:80]}' is no name of a scenario or CAD file.")
    most = LARGEST_TEXT if suffix in SUFFIXES else LARGEST_CAD
    if len(content) > most:
        raise InputError(f"'{name}' is larger than {most / 1e6:g} MB.")
    path = studio.folder.inside(name)
    try:
        with path.open("xb") as out:
            out.write(content)
    except FileExistsError:
        raise InputError(f"There is a file '{name}' already; rename yours first.") from None
    except OSError as error:
        raise InputError(f"'{name}' cannot be kept: {error.strerror}.") from None
