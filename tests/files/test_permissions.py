"""Files and folders without permission: messages that name them, old content kept, no incomplete files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.campaign.conftest import CHEAP
from tests.privileges import without_privileges

from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.workers import Backend
from softdock.errors import InputError
from softdock.flexible import read_modes, read_nastran
from softdock.geometry.cad import read_surface
from softdock.recording import load as load_recording
from softdock.result import Result
from softdock.robot.urdf import read_urdf
from softdock.scenario.loading import load
from softdock.simulation import simulate

READERS: dict[str, Callable[[Path], object]] = {
    "case.yaml": load,
    "many.yaml": read_campaign,
    "part.step": read_surface,
    "part.stl": read_surface,
    "arm.urdf": read_urdf,
    "modes.npz": lambda path: read_modes(path, base="a"),
    "model.bdf": lambda path: read_nastran(path, path, base=1),
    "map.yaml": load_recording,
    "result.json": lambda path: Result.load(path.parent),
}


@contextmanager
def mode(path: Path, bits: int) -> Iterator[None]:
    before = path.stat().st_mode
    path.chmod(bits)
    try:
        yield
    finally:
        path.chmod(before)


@pytest.mark.parametrize("name", READERS)
def test_an_unreadable_file_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("softdock: 1\n")

    @without_privileges
    def check() -> None:
        with mode(path, 0o000), pytest.raises(InputError, match=rf"{name}.*permission") as caught:
            READERS[name](path)
        assert len(caught.value.problems) == 1

    check()


@without_privileges
def test_a_result_in_a_read_only_folder_is_kept(tmp_path: Path) -> None:
    result = simulate("impact-a")
    result.save(tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with mode(tmp_path / "out", 0o555), pytest.raises(InputError, match="permission is denied"):
        simulate("impact-b").save(tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    with mode(tmp_path, 0o555), pytest.raises(InputError, match="permission is denied"):
        result.save(tmp_path / "new")


@without_privileges
def test_a_campaign_in_a_read_only_folder_does_not_start(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text(CHEAP)
    plan = read_campaign(tmp_path / "many.yaml", runs=3)
    (tmp_path / "closed").mkdir()
    with mode(tmp_path / "closed", 0o555):
        for folder in ("closed", "closed/out"):
            with pytest.raises(InputError, match="permission is denied"):
                runner.run(plan, tmp_path / folder, ExecutionOptions(Backend.THREADS, 1))
        assert list((tmp_path / "closed").iterdir()) == []
