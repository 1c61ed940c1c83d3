"""Working folder of a studio: all files that pages can read or write lie below it."""

import contextlib
import functools
import os
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from softdock.errors import InputError, file_errors
from softdock.files.locks import LockHeldError, acquire_lock
from softdock.files.regular_file import read_regular_file

if TYPE_CHECKING:
    from softdock.scenario.source import Source

RUNS, CAMPAIGNS, LOCK = "runs", "campaigns", ".softdock-studio.lock"
CAMPAIGN_TABLE = "campaign.sqlite"
"""Same name as in `softdock.campaign.store`, which is slow to import; a test compares them."""
LARGEST_SCENARIO = 1_000_000
"""Bytes of a scenario file; as in `softdock.scenario.source`, which is slow to import."""
SUFFIXES = (".yaml", ".yml")
MOST_FILES = 500  # listed
MOST_LEVELS = 3  # folders below the chosen one
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
PACKAGE = Path(__file__).resolve().parents[1]
BUNDLED = PACKAGE / "scenario" / "bundled"
TEXT_KEYS = ("title", "description", "message", "base")
"""Keys whose texts are not paths; `base` is checked separately."""


class Folder:
    """A folder whose methods refuse every path that leads out of it."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()

    def inside(self, relative: str) -> Path:
        """Return the path of a name below the folder, with links resolved; raises InputError where it is outside."""
        try:
            path = (self.root / relative).resolve()
        except (OSError, ValueError, RuntimeError):
            path = self.root.parent
        if not relative or not path.is_relative_to(self.root) or path == self.root:
            raise InputError("Only files below the studio's folder are used.", given=relative)
        return path

    def run(self, identifier: str) -> Path:
        """Return the folder of a run."""
        return self._named(RUNS, identifier)

    def campaign(self, identifier: str) -> Path:
        """Return the folder of a campaign."""
        return self._named(CAMPAIGNS, identifier)

    def new_run(self, name: str) -> str:
        """Return a unique identifier for a run of a scenario."""
        plain = re.sub(r"[^A-Za-z0-9-]+", "-", name).strip("-")[:60] or "scenario"
        return f"{plain}-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"

    def runs(self) -> list[str]:
        """Return the stored runs, newest first."""
        return self._newest(RUNS, "result.json")

    def campaigns(self) -> list[str]:
        """Return the campaigns, newest first."""
        return self._newest(CAMPAIGNS, CAMPAIGN_TABLE)

    def files(self, kind: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield relative path and header of every scenario file, or with kind `campaign` of every campaign file."""
        for path in self._candidates():
            head = _read_header(path)
            if "softdock" in head and (head.get("kind") == "campaign") == (kind == "campaign"):
                yield path.relative_to(self.root).as_posix(), head

    def _candidates(self) -> Iterator[Path]:
        count = 0
        for here, folders, files in os.walk(self.root):
            directory = Path(here)
            deep = len(directory.relative_to(self.root).parts)
            hidden = (RUNS, CAMPAIGNS) if deep == 0 else ()
            keep = [f for f in sorted(folders) if not f.startswith(".") and f not in hidden]
            folders[:] = keep if deep < MOST_LEVELS else []
            for name in sorted(files):
                path = directory / name
                if path.suffix in SUFFIXES and self._contains(path):
                    count += 1
                    if count > MOST_FILES:
                        return
                    yield path

    def _contains(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError):  # a loop of links
            return False

    def _named(self, kind: str, identifier: str) -> Path:
        if not IDENTIFIER.fullmatch(identifier):
            raise InputError("There is no run or campaign of this name.", given=identifier[:100])
        return self.without_links_out(self.inside(f"{kind}/{identifier}"))

    def without_links_out(self, directory: Path) -> Path:
        """Return a folder below this one; raises InputError where it is or contains a link that leads out."""
        directory = self.inside(str(directory))
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(directory) as entries:
            for entry in entries:
                if entry.is_symlink():
                    self.inside(entry.path)
        return directory

    def _newest(self, kind: str, file: str) -> list[str]:
        names = []
        with contextlib.suppress(OSError):
            for path in (self.root / kind).iterdir():
                with contextlib.suppress(OSError):
                    if IDENTIFIER.fullmatch(path.name) and self._contains(path):
                        names.append(((path / file).stat().st_mtime, path.name))
        return [name for _, name in sorted(names, reverse=True)]

    def check_source(self, source: "Source", above: tuple[str, ...] = ()) -> None:
        """Raise InputError where a scenario or one of its bases names files outside the folder."""
        for key, text in _texts(source.data):
            if not _is_plain(text) or os.path.lexists(source.directory / text):
                self._check_text(source, key, text)
        base = source.data.get("base") if isinstance(source.data, dict) else None
        if isinstance(base, str) and base not in above and not is_bundled(base):
            from softdock.scenario.loading import MOST_BASES
            from softdock.scenario.source import read_file

            if len(above) > MOST_BASES:
                return  # refused by the loader

            path = self._check_text(source, ("base",), base)
            self.check_source(read_file(path), (*above, base))

    def check_definition(self, definition: Mapping[str, Any], directory: str) -> None:
        """Raise InputError where the scenario of a stored run names an existing file outside the folder."""
        base = Path(directory) if directory else self.root
        for key, text in _texts(definition):
            with contextlib.suppress(OSError, ValueError, RuntimeError):
                path = (base / text).resolve()
                if not text.strip("./") or not path.exists():
                    continue
                if not path.is_relative_to(self.root) and not path.is_relative_to(PACKAGE):
                    field, message = ".".join(map(str, key)), "The studio uses only files below its folder."
                    raise InputError(message, field=field, given=str(text)[:100])

    def _check_text(self, source: "Source", key: tuple[str | int, ...], text: str) -> Path:
        try:
            path = (source.directory / text).resolve()
        except (OSError, ValueError, RuntimeError):
            path = Path("/")
        if path.is_relative_to(self.root) or path.is_relative_to(PACKAGE):
            return path
        where = source.where(key)
        message = "The studio uses only files below its folder."
        raise InputError(
            message, field=".".join(map(str, key)), file=where.file, line=where.line, given=text[:100]
        )

    def lock(self, address: str) -> IO[bytes]:
        """Lock the folder for this studio until the returned file is closed; raises InputError where it is locked."""
        if not self.root.is_dir():
            hint = "Create it first, or choose another folder with --folder."
            raise InputError("There is no such folder.", file=str(self.root), hint=hint)
        try:
            with file_errors(self.root, "use"):
                return acquire_lock(self.root / LOCK, note=address)
        except LockHeldError as held:
            hint = f"Open {held.note} in the browser" if held.note else "Use that one"
            raise InputError(
                "Another studio uses this folder.",
                file=str(self.root),
                hint=f"{hint}, or choose another folder with --folder.",
            ) from None


def is_bundled(name: str) -> bool:
    """Return whether there is a bundled scenario of this name."""
    return bool(IDENTIFIER.fullmatch(name)) and (BUNDLED / f"{name}.yaml").is_file()


@functools.cache
def bundled_headers() -> dict[str, dict[str, Any]]:
    """Return title and kind of every bundled scenario by name, without parsing the complete files."""
    heads = {path.stem: _read_header(path) for path in sorted(BUNDLED.glob("*.yaml"))}
    for head in heads.values():
        above = head
        while "kind" not in head and above.get("base") in heads:
            above = heads[above["base"]]
            if "kind" in above:
                head["kind"] = above["kind"]
    return heads


def _is_plain(text: str) -> bool:
    """Return whether a text is a word or quantity, which leads out of a folder only through a link of that name."""
    return re.fullmatch(r"[A-Za-z0-9 ._+-]{1,80}", text) is not None and ".." not in text


def _read_header(path: Path) -> dict[str, Any]:
    """Return version, kind, title and base of a YAML file without parsing it; empty if it has none."""
    header: dict[str, Any] = {}
    with contextlib.suppress(InputError, UnicodeDecodeError):
        lines = read_regular_file(path, largest=LARGEST_SCENARIO).decode().splitlines()
        for number, line in enumerate(lines[:200]):
            match = re.match(r"(softdock|kind|title|base):\s*(.*\S)", line)
            if match:
                header[match[1]] = match[2].strip("'\"")
            elif number == 0 and line.strip() and not line.startswith("#"):
                break
    return header


def _texts(data: Any, key: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield path and value of every text that could name a file."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name not in TEXT_KEYS or not isinstance(value, str):
                yield from _texts(value, (*key, name))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            yield from _texts(value, (*key, i))
    elif isinstance(data, str):
        yield key, data
