"""Files of a run on a full disk: a message with the name, and no incomplete files."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.campaign.test_trouble import fill, small_disk  # noqa: F401

from softdock.cli.export import export
from softdock.cli.new import new
from softdock.errors import InputError
from softdock.result import Result
from softdock.scenario.loading import load
from softdock.simulation import simulate


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate("impact-a")


def upload(disk: Path) -> None:
    """Add a file to the folder of a studio, as its page does."""
    pytest.importorskip("nicegui")
    from softdock.studio.folder import Folder
    from softdock.studio.pages.gallery import save_upload

    save_upload(SimpleNamespace(folder=Folder(disk)), "part.stl", bytes(300_000))  # type: ignore[arg-type]


WRITERS: dict[str, Callable[[Result, Path], object]] = {
    "result": lambda result, disk: result.save(disk / "result"),
    "report": lambda result, disk: result.report(disk / "report.html"),
    "page": lambda result, disk: result.replay(disk / "replay.html"),
    "animation": lambda result, disk: result.replay(disk / "replay.glb"),
    "picture": lambda result, disk: result.plot(disk / "picture.png"),
    "scenario": lambda result, disk: load("impact-a").save(disk / "scenario.yaml"),
    "model of MuJoCo": lambda result, disk: export("mjcf", "pins-1", out=disk / "model.xml"),
    "new file": lambda result, disk: new(str(disk / "mine")),
    "upload": lambda result, disk: upload(disk),
}
SMALL = ("scenario", "model of MuJoCo", "new file")


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("leave", [0, 8192])
def test_no_incomplete_file_is_written(result: Result, small_disk: Path, kind: str, leave: int) -> None:  # noqa: F811
    fill(small_disk, leave)
    if kind in SMALL and leave:
        WRITERS[kind](result, small_disk)
        return
    with pytest.raises(InputError, match="the disk is full"):
        WRITERS[kind](result, small_disk)
    assert not [path for path in small_disk.rglob("*") if path.is_file() and path.name != "filler"]
