"""Files that are changed in place, and folders below a received one, do not lead elsewhere."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from softdock.campaign.runner import history_folder
from softdock.campaign.store import HISTORIES, LOCK_FILE, TABLE_FILE, Store, is_locked, open_readonly
from softdock.errors import InputError
from softdock.files.in_place import make_folder_within, open_to_append
from softdock.studio.campaign_process import LOG, STOP
from softdock.studio.campaigns import Campaigns
from softdock.studio.folder import LOCK, Folder

MANIFEST = {"campaign": {}, "runs": 1}
CONTENT = b"a file of the user"


@pytest.fixture
def received(tmp_path: Path) -> Path:
    """A received folder with a campaign `a`."""
    folder = tmp_path / "received"
    (folder / "campaigns" / "a").mkdir(parents=True)
    return folder


def start_studio(folder: Path) -> None:
    Folder(folder).lock("http://127.0.0.1:8420/").close()


def start_campaign(folder: Path) -> None:
    with Store.create(folder, MANIFEST):
        pass


def read_campaign(folder: Path) -> None:
    with open_readonly(folder):
        pass


def launch_campaign(folder: Path) -> None:
    Campaigns(Folder(folder.parents[1]))._launch("run", folder.name)


OPENED: dict[str, tuple[str, Callable[[Path], object]]] = {
    "lock of the studio": (LOCK, start_studio),
    "lock of a campaign": (f"campaigns/a/{LOCK_FILE}", start_campaign),
    "new table": (f"campaigns/a/{TABLE_FILE}", start_campaign),
    "log of SQLite": (f"campaigns/a/{TABLE_FILE}-wal", start_campaign),
    "index of SQLite": (f"campaigns/a/{TABLE_FILE}-shm", start_campaign),
    "journal of SQLite": (f"campaigns/a/{TABLE_FILE}-journal", start_campaign),
    "log of the studio": (f"campaigns/a/{LOG}", launch_campaign),
}


@pytest.mark.parametrize("kind", OPENED)
@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_is_not_followed(received: Path, tmp_path: Path, kind: str, exists: bool) -> None:
    name, use = OPENED[kind]
    outside = tmp_path / "outside"
    if exists:
        outside.write_bytes(CONTENT)
    (received / name).symlink_to(outside)
    with pytest.raises(InputError, match=r"symbolic link|below the studio's folder"):
        use(received if name == LOCK else received / "campaigns" / "a")
    assert outside.exists() == exists
    assert not exists or outside.read_bytes() == CONTENT
    assert {path.name for path in tmp_path.iterdir()} <= {"received", "outside"}


@pytest.mark.parametrize("kind", OPENED)
def test_a_second_name_of_a_file_is_not_changed(received: Path, tmp_path: Path, kind: str) -> None:
    name, use = OPENED[kind]
    outside = tmp_path / "outside"
    outside.write_bytes(CONTENT)
    (received / name).hardlink_to(outside)
    with pytest.raises(InputError, match=r"second name|a campaign here already"):
        use(received if name == LOCK else received / "campaigns" / "a")
    assert outside.read_bytes() == CONTENT


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes need POSIX")
@pytest.mark.parametrize("kind", OPENED)
def test_a_named_pipe_is_not_waited_for(received: Path, kind: str) -> None:
    name, use = OPENED[kind]
    os.mkfifo(received / name)
    with pytest.raises(InputError, match="named pipe"):
        use(received if name == LOCK else received / "campaigns" / "a")
    assert not is_locked(received / "campaigns" / "a")


def test_a_table_that_is_a_link_is_not_read(received: Path, tmp_path: Path) -> None:
    """SQLite creates files beside the table that it reads."""
    start_campaign(tmp_path / "other")
    before = sorted(path.name for path in (tmp_path / "other").iterdir())
    folder = received / "campaigns" / "a"
    (folder / TABLE_FILE).symlink_to(tmp_path / "other" / TABLE_FILE)
    with pytest.raises(InputError, match="symbolic link"):
        read_campaign(folder)
    assert sorted(path.name for path in (tmp_path / "other").iterdir()) == before


@pytest.mark.parametrize("linked", [HISTORIES, f"{HISTORIES}/00000003"])
def test_histories_are_not_stored_through_a_link(tmp_path: Path, linked: str) -> None:
    folder, outside = tmp_path / "campaign", tmp_path / "outside"
    (outside / "00000003").mkdir(parents=True)
    (folder / linked).parent.mkdir(parents=True)
    (folder / linked).symlink_to(outside)
    with pytest.raises(InputError, match="symbolic link"):
        make_folder_within(folder, history_folder(folder, 3))
    if linked == HISTORIES:  # also before the first run
        with pytest.raises(InputError, match="symbolic link"):
            start_campaign(folder)
    assert [path.name for path in outside.rglob("*")] == ["00000003"]


def test_a_request_to_stop_creates_no_file_elsewhere(received: Path, tmp_path: Path) -> None:
    (received / "campaigns" / "a" / STOP).symlink_to(received / "created")
    Campaigns(Folder(received)).stop("a")
    assert not (received / "created").exists()


def test_a_folder_that_the_user_names_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "data")
    start_campaign(tmp_path / "out")
    start_studio(tmp_path / "out")
    make_folder_within(tmp_path / "out", history_folder(tmp_path / "out", 0))
    assert {path.name for path in (tmp_path / "data").iterdir()} == {TABLE_FILE, LOCK_FILE, LOCK, HISTORIES}


def test_a_file_grows_at_its_end(tmp_path: Path) -> None:
    for text in (b"one ", b"two"):
        with open_to_append(tmp_path / "log") as file:
            file.write(text)
    assert (tmp_path / "log").read_bytes() == b"one two"
