"""One process makes a file, the others wait for it."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from softdock.claims import claimed, is_claimed

pytest.importorskip("fcntl", reason="Claims are made on Unix.")

HOLD = """
    import sys, time
    from pathlib import Path
    from softdock.claims import claimed
    path = Path(sys.argv[1])
    with claimed(path):
        print("claimed", flush=True)
        sys.stdin.readline()
        path.write_text("made")
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """A process that holds the claim until it is told to make the file."""
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLD), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "claimed\n"
    return process


def test_who_comes_second_finds_the_file(tmp_path: Path) -> None:
    path = tmp_path / "answer.code"
    first = holder(path)
    assert is_claimed(path)
    second = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLD).replace("sys.stdin", "path.open()"), str(path)],
        stdout=subprocess.PIPE,
        text=True,
    )  # which fails unless the file is there as soon as it has the claim
    first.communicate("go\n")
    assert second.communicate()[0] == "claimed\n"
    assert second.returncode == 0
    assert [p.name for p in tmp_path.iterdir()] == ["answer.code"]
    assert not is_claimed(path)


def test_a_claim_ends_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "answer.code"
    first = holder(path)
    first.kill()
    first.communicate()
    assert not is_claimed(path)
    with claimed(path):
        assert is_claimed(path)  # also within one process: by another hand on the same file


def test_without_a_folder_there_is_nothing_to_wait_for(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "answer.code"
    with claimed(path):
        assert not is_claimed(path)
