"""The cache returns stored entries, and none that another user may have written."""

import json
import os
from importlib import import_module
from pathlib import Path

import pytest

from softdock.files import cache
from softdock.files.cache import Cache, content_key

ENTRIES = Cache("entries", ".json")
KEY = content_key("key")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cache, "cache_folders", lambda: [tmp_path / "first", tmp_path / "second"])
    return tmp_path


def entry(folder: Path, base: str = "first") -> Path:
    return folder / base / "entries" / f"{KEY}.json"


def test_an_entry_is_read_as_it_was_written(folder: Path) -> None:
    assert ENTRIES.read(KEY, json.loads) is None
    ENTRIES.write(KEY, '{"a": 1}')
    assert ENTRIES.read(KEY, json.loads) == {"a": 1}
    assert ENTRIES.read(content_key("other"), json.loads) is None


def test_folders_and_files_are_private(folder: Path) -> None:
    before = os.umask(0)
    try:
        ENTRIES.write(KEY, "{}")
    finally:
        os.umask(before)
    assert (folder / "first").stat().st_mode & 0o777 == 0o700
    assert (folder / "first" / "entries").stat().st_mode & 0o777 == 0o700
    assert entry(folder).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_may_write_is_ignored_and_replaced(folder: Path, mode: int) -> None:
    ENTRIES.write(KEY, '"planted"')
    entry(folder).chmod(mode)
    assert ENTRIES.read(KEY, json.loads) is None
    ENTRIES.write(KEY, '"own"')
    assert ENTRIES.read(KEY, json.loads) == "own"


def test_an_entry_of_another_user_is_ignored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ENTRIES.write(KEY, '"planted"')
    user = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: user)
    assert ENTRIES.read(KEY, json.loads) is None


@pytest.mark.parametrize("replaced", ["entry", "entries", "base"])
def test_links_are_not_followed(folder: Path, replaced: str) -> None:
    ENTRIES.write(KEY, '"planted"')
    path = {"entry": entry(folder), "entries": entry(folder).parent, "base": folder / "first"}[replaced]
    path.rename(folder / "elsewhere")
    path.symlink_to(folder / "elsewhere")
    assert ENTRIES.read(KEY, json.loads) is None
    ENTRIES.write(KEY, '"own"')
    assert ENTRIES.read(KEY, json.loads) == "own"
    assert (
        "planted"
        in next(
            p for p in (folder / "elsewhere", *(folder / "elsewhere").rglob("*")) if p.is_file()
        ).read_text()
    )


@pytest.mark.parametrize("name", ["first", "first/entries"])
def test_a_folder_that_others_may_write_is_not_used(folder: Path, name: str) -> None:
    ENTRIES.write(KEY, '"planted"')
    (folder / name).chmod(0o777)
    assert ENTRIES.read(KEY, json.loads) is None
    ENTRIES.write(KEY, '"own"')
    assert entry(folder, "second").is_file()
    assert ENTRIES.read(KEY, json.loads) == "own"


def test_a_pipe_is_not_waited_for(folder: Path) -> None:
    ENTRIES.write(KEY, "1")
    entry(folder).unlink()
    os.mkfifo(entry(folder), 0o600)
    assert ENTRIES.read(KEY, json.loads) is None


@pytest.mark.parametrize("name", ["geometry.profile_cache", "replay.cad", "studio.thumbnail_cache"])
def test_meridians_replay_geometry_and_thumbnails_use_this_cache(folder: Path, name: str) -> None:
    used = import_module(f"softdock.{name}").CACHE
    used.write(KEY, "planted")
    assert used.read(KEY, bytes.decode) == "planted"
    (path,) = (folder / "first").rglob(f"{KEY}*")
    path.chmod(0o606)
    assert used.read(KEY, bytes.decode) is None


def test_a_damaged_entry_is_ignored(folder: Path) -> None:
    ENTRIES.write(KEY, '{"a":')
    assert ENTRIES.read(KEY, json.loads) is None


def test_the_next_folder_is_used_where_the_first_cannot_be_written(folder: Path) -> None:
    (folder / "first").write_text("a file, not a folder")
    ENTRIES.write(KEY, "1")
    assert entry(folder, "second").is_file()
    assert ENTRIES.read(KEY, json.loads) == 1


def test_keys_depend_on_every_part_and_on_where_parts_end(tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_text("ab")
    assert content_key(path, "c") == content_key("ab", b"c")
    assert len({content_key("ab", "c"), content_key("a", "bc"), content_key("abc"), content_key("abd")}) == 4


def test_the_chosen_folder_goes_before_the_default_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("SOFTDOCK_CACHE_DIR", str(tmp_path))
    assert cache.cache_folders()[0] == tmp_path
