"""Readers in a child process: answers, crashes, limits and captured output."""

import sys
import time
from pathlib import Path

import pytest

from softdock.errors import InputError
from softdock.files.child_process import ProcessLimits, read_in_child

READERS = "tests.files.unsafe_readers"
FILE = Path("part.step")


def read(reader, data=b"", **options):
    return read_in_child(f"{READERS}:{reader}", data, path=FILE, **options)


def test_the_answer_is_returned_and_output_of_the_library_is_discarded(capfd):
    data = bytes(range(256)) * 4096  # more than the buffer of a pipe
    assert read("reverse", data) == data[::-1]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("reader", "limits", "sentence"),
    [
        ("crash", ProcessLimits(), "SIGSEGV" if sys.platform != "win32" else "crashed"),
        ("stop", ProcessLimits(), "exit code 3"),
        ("sleep", ProcessLimits(seconds=1.0), "within 1 s"),
        ("flood", ProcessLimits(messages=1_000_000), "printed more than 1 MB"),
        ("answer_much", ProcessLimits(answer=1 << 20), "more than 1 MiB"),
        ("nothing", ProcessLimits(), "no attribute 'nothing'"),
        pytest.param(
            "allocate",
            ProcessLimits(memory=1 << 30),
            "more than 1 GiB of memory",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="no limit of memory"),
        ),
    ],
)
def test_failures_become_errors_that_name_the_file(reader, limits, sentence, capfd):
    start = time.monotonic()
    with pytest.raises(InputError, match=sentence) as caught:
        read(reader, b"x" * 1_000_000, limits=limits)  # a child that does not read closes the pipe
    assert caught.value.problems[0].file == "part.step"
    assert time.monotonic() - start < 30.0
    assert capfd.readouterr() == ("", "")


def test_the_reason_of_the_library_is_repeated_up_to_a_limit():
    with pytest.raises(InputError, match=r"^part\.step: The PLY file cannot be read: no header\.$"):
        read("refuse", arguments=["no\nheader."], file_format="PLY")
    with pytest.raises(InputError) as caught:
        read("refuse", arguments=["x" * 10_000])
    assert len(str(caught.value)) < 400
