"""Paths as arguments in Python: every impossible one is an `InputError`, also where files are written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import softdock as sd
from softdock import InputError
from softdock.files.regular_file import path_argument


class OtherPath:
    """A path-like object that returns something else than a text."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def __fspath__(self) -> Any:
        return self.answer


IMPOSSIBLE = {
    "null character": "a\0b",
    "surrogate": "a\ud800b",
    "name too long": "x" * 5000,
    "path too long": "a/" * 3000,
    "bytes": b"folder",
    "number": 3,
    "path-like bytes": OtherPath(b"folder"),
    "path-like number": OtherPath(3),
}
READERS: dict[str, Callable[[Any], object]] = {
    "Result.load": sd.Result.load,
    "Campaign.open": sd.Campaign.open,
    "Scenario": sd.Scenario,
    "Campaign": sd.Campaign,
}


@pytest.mark.parametrize("path", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_impossible_paths_are_refused(path: Any) -> None:
    with pytest.raises(InputError, match="folder: "):
        path_argument("folder", path)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_readers_refuse_impossible_paths(
    read: Callable[[Any], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("x")
    (tmp_path / "circle").symlink_to("circle")
    for path in (
        *IMPOSSIBLE.values(),
        "",
        "folder",
        "file",
        "file/inside",
        "circle",
        "missing",
        Path("folder"),
    ):
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 1000


def test_writers_refuse_impossible_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = sd.simulate("impact-a")
    scenario = sd.Scenario("impact-a")
    for path in IMPOSSIBLE.values():
        for write in (result.save, scenario.save, result.report, result.replay, result.plot):
            with pytest.raises(InputError):
                write(path)
    for path in ("", "."):
        with pytest.raises(InputError, match="it is a folder"):
            scenario.save(path)
    assert list(tmp_path.iterdir()) == []
