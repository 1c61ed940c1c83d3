"""The gallery: bundled scenarios and files of the folder, each with a thumbnail and a title.

The page is static HTML: it is complete with the first response of the server and readable without scripts.
"""

import functools
import html
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import nicegui

from softdock.errors import InputError, reason_of
from softdock.files.atomic import write_new
from softdock.studio.folder import SUFFIXES, bundled_headers
from softdock.studio.pages import frame

if TYPE_CHECKING:
    from softdock.studio.server import Studio

UPLOAD_SUFFIXES = (*SUFFIXES, ".step", ".stp", ".stl", ".obj", ".ply", ".glb", ".urdf")
LARGEST_TEXT, LARGEST_CAD = 1_000_000, 15_000_000  # bytes
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}")
PREFETCHED = (
    "vue.esm-browser.prod.js", "quasar.umd.prod.js", "nicegui.js", "socket.io.min.js", "dompurify.mjs",
    "quasar.unimportant.prod.css", "quasar.important.prod.css", "nicegui.css", "lang/en-US.umd.prod.js",
)  # fmt: skip
"""Files of NiceGUI that all other pages need."""


def page(studio: "Studio", theme: str, units: str) -> str:
    """Return the page as HTML."""
    own = [
        _tile(path, header.get("title") or _describe(header), header.get("kind", ""))
        for path, header in studio.folder.files()
    ]
    body = (
        _read("gallery.html")
        .replace("{bundled}", _bundled())
        .replace("{accepted}", ",".join(UPLOAD_SUFFIXES))
        .replace("{own}", _own_files(own, str(studio.folder.root)))
    )
    fonts = f'<link rel="stylesheet" href="{_static()}/fonts.css">'
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Scenarios - Softdock</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:image/svg+xml,{quote(frame.ICON)}"><style>{frame.STYLE}</style></head>'
        f'<body class="plain {f"body--{theme}" if theme else ""}"><script>{frame.SCRIPT}</script>'
        f"<header>{frame.header(studio, '/', units)}</header>{body}"
        f'<script type="application/json" id="prefetched">{_prefetched()}</script>'
        f"<script>{_read('gallery.js')}</script>{fonts}</body></html>"
    )


@functools.cache
def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


@functools.cache
def _bundled() -> str:
    return "".join(
        _tile(name, head.get("title", ""), head.get("kind", "")) for name, head in bundled_headers().items()
    )


def _own_files(tiles: list[str], root: str) -> str:
    if tiles:
        return f'<h2>Your files</h2><div class="gallery">{"".join(tiles)}</div>'
    empty = f"No scenario files in {html.escape(root)}: open a bundled scenario, change it and save it."
    return f'<p class="soft">{empty}</p>'


def _describe(header: dict[str, str]) -> str:
    return f"{header['base']} with changes" if "base" in header else "A scenario without a title"


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
def _prefetched() -> str:
    folder = Path(nicegui.__file__).parent / "static"
    return json.dumps([f"{_static()}/{name}" for name in PREFETCHED if (folder / name).is_file()])


def save_upload(studio: "Studio", name: str, content: bytes) -> None:
    """Save an uploaded file; name and size are checked here, independent of the browser."""
    suffix = f".{name.rpartition('.')[2].lower()}"
    if not SAFE_NAME.fullmatch(name) or suffix not in UPLOAD_SUFFIXES:
        raise InputError(f"'{name[:80]}' is not a valid name of a scenario or CAD file.")
    most = LARGEST_TEXT if suffix in SUFFIXES else LARGEST_CAD
    if len(content) > most:
        raise InputError(f"'{name}' is larger than {most / 1e6:g} MB.")
    path = studio.folder.inside(name)
    try:
        write_new(path, content)
    except FileExistsError:
        raise InputError(f"A file '{name}' exists already; rename yours.") from None
    except OSError as error:
        raise InputError(f"'{name}' cannot be saved: {reason_of(error)}.") from None
