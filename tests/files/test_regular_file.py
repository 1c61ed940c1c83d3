"""Input files: type and size are checked before the content is read."""

import os
import socket
import tempfile
from pathlib import Path

import pytest

from softdock.errors import InputError
from softdock.files.regular_file import read_regular_file


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_regular_file(path, largest=1000)
    assert caught.value.problems[0].file
    return caught.value.problems[0].message


def test_a_regular_file_and_a_link_to_it_are_read(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 1000)
    assert read_regular_file(tmp_path / "a", largest=1000) == b"x" * 1000
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert read_regular_file(tmp_path / "b", largest=1000) == b"x" * 1000


def test_missing_and_large_files_and_invalid_paths_are_refused(tmp_path):
    assert "does not exist" in refusal(tmp_path / "none")
    (tmp_path / "a").write_bytes(b"x" * 1001)
    assert "larger than 0.001 MB" in refusal(tmp_path / "a")
    assert "null character" in refusal(tmp_path / "a\0b")
    assert "too long" in refusal(tmp_path / ("a" * 5000))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX only")
def test_folders_pipes_devices_and_sockets_are_not_read(tmp_path):
    assert "a folder" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "a named pipe" in refusal(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert "a device" in refusal(tmp_path / "zero")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/s")  # such names have at most 108 characters
        assert "a socket" in refusal(Path(folder) / "s")
