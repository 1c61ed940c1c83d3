"""Readers in a child process, replaced by faster ones for most inputs of the fuzzer.

The product starts an interpreter per file, which takes some 0.2 s. Here a STEP file is read in a forked child, with
the limits, answers and errors of the product. Other libraries are called in the worker itself; an input that ends or
stops the worker inside a library is tried again with the reader of the product. One input in `EVERY` uses the reader of
the product in any case.
"""

import os
import select
import signal
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.fuzz.shared import Shared

from softdock.files import child_process
from softdock.files.child_process import LIMITS, ProcessLimits
from softdock.files.parquet import read_in_child as read_with_product
from softdock.geometry import library_readers

EVERY = 500
FORKED_SECONDS = 15.0
"""Limit of the processor time of a forked reader [s], below that of the product so that a run of the fuzzer ends."""
WAITING = 10.0
"""Factor of this limit for the time that may pass, so that a loaded machine does not change the verdict."""
MODULES = ("softdock.files.parquet", "softdock.geometry.facets", "softdock.flexible.imported_modes")
"""Modules that call `read_in_child`."""


def replace_readers(shared: Shared, discard_output: Callable[[], None]) -> None:
    """Replace `read_in_child` in this process, where the format decides which library is called."""

    def read(
        reader: str,
        data: bytes,
        *,
        path: Path,
        arguments: Sequence[str] = (),
        file_format: str = "",
        limits: ProcessLimits = LIMITS,
    ) -> bytes:
        if shared.isolated or shared.index % EVERY == 0:
            return read_with_product(
                reader, data, path=path, arguments=arguments, file_format=file_format, limits=limits
            )
        if reader == library_readers.STEP:
            code, answer = _read_forked(reader, data, arguments)
            return child_process.content_of(path, code, answer, file_format, limits)
        shared.in_library = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the product discards what a child prints
            answer = child_process.answer_of(reader, data, arguments)
        discard_output()
        shared.in_library = False
        return child_process.content_of(path, 0, answer, file_format, limits)

    library_readers._omit = lambda package: None  # this process needs the optional packages elsewhere
    for name in MODULES:
        module = __import__(name, fromlist=["read_in_child"])
        assert module.read_in_child is read_with_product
        module.read_in_child = read


def _read_forked(reader: str, data: bytes, arguments: Sequence[str]) -> tuple[int, bytes]:
    """Return exit code (negative for a signal) and answer of a forked child."""
    incoming, outgoing = os.pipe()
    child = os.fork()
    if not child:
        _answer_and_exit(outgoing, reader, data, arguments)
    os.close(outgoing)
    parts, deadline = [], time.monotonic() + WAITING * FORKED_SECONDS
    while select.select([incoming], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(incoming, child_process.CHUNK)
        if not part:
            break
        parts.append(part)
    else:
        os.kill(child, signal.SIGKILL)
    os.close(incoming)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), b"".join(parts)


def _answer_and_exit(outgoing: int, reader: str, data: bytes, arguments: Sequence[str]) -> None:
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        child_process.limit_resources(LIMITS.memory, FORKED_SECONDS)
        signal.alarm(int(WAITING * FORKED_SECONDS) + 5)  # also where the worker was killed and nobody waits
        answer = memoryview(child_process.answer_of(reader, data, arguments))
        while answer:
            answer = answer[os.write(outgoing, answer) :]
    finally:
        os._exit(0)
