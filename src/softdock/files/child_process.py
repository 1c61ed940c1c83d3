"""Reading of files by third-party libraries in a child process with limits.

A damaged file can crash such a library, keep it busy, fill the memory or make it print. In a child process all of this
becomes an `InputError` about the file. The child is a fresh interpreter, because a process with threads must not be
forked. It gets the content of the file on its standard input and answers with bytes, which are data and never pickled
objects.
"""

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from softdock.errors import InputError, reason_of

CHUNK = 1 << 16
DONE, REFUSED, OUT_OF_MEMORY = b"D", b"R", b"M"
"""First byte of an answer; the content or the reason follows."""
LONGEST_REASON = 300
"""Characters of a library's message that are repeated."""
REMEDY = "The file is probably damaged; export it again."


@dataclass(frozen=True, kw_only=True)
class ProcessLimits:
    """Limits of a child process."""

    seconds: float = 120.0
    """Wall time, and processor time where the platform can limit it."""
    memory: int = 4 << 30
    """Address space [bytes] where the platform can limit it (Linux)."""
    answer: int = 1 << 30
    """Size of the answer [bytes]."""
    messages: int = 10_000_000
    """What the library may print [bytes]."""


LIMITS = ProcessLimits()


def read_in_child(
    reader: str,
    data: bytes,
    *,
    path: Path,
    arguments: Sequence[str] = (),
    file_format: str = "",
    limits: ProcessLimits = LIMITS,
) -> bytes:
    """Return what the function `reader` ("package.module:function") makes of the content of a file.

    The function gets the content and `arguments`, and returns bytes. Raises InputError with the name of the file where
    the function raises an exception, crashes or exceeds a limit. Output of the library is discarded. `file_format` is
    the name of the format in messages, such as PLY.
    """
    command = [sys.executable, "-P", "-m", __name__, reader, str(limits.memory), str(limits.seconds)]
    process = _start_child([*command, *arguments], path)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    timed_out = False
    with process, ThreadPoolExecutor(3) as threads:
        threads.submit(_send, process.stdin, data)
        collected = threads.submit(_collect, process, process.stdout, limits.answer)
        printed = threads.submit(_collect, process, process.stderr, limits.messages)
        try:
            process.wait(limits.seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            process.kill()
    answer, messages = collected.result(), printed.result()
    if timed_out:
        raise _error(path, f"The file could not be read within {limits.seconds:g} s.", REMEDY)
    if messages is None:
        size = f"{limits.messages / 1e6:g} MB"
        raise _error(path, f"The library that reads the file printed more than {size} of messages.", REMEDY)
    if answer is None:
        raise _error(path, f"The content of the file takes more than {limits.answer / 2**20:g} MiB.")
    return content_of(path, process.returncode, answer, file_format, limits)


def _start_child(command: Sequence[str], path: Path) -> subprocess.Popen[bytes]:
    """Return a started child process; raises InputError with the name of the file that it would read."""
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise _error(
            path, f"The process that reads the file cannot be started: {reason_of(error)}."
        ) from error


def _environment() -> dict[str, str]:
    """Return the environment of the child: the same packages as here, one thread for linear algebra."""
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **one_thread, "PYTHONPATH": paths}


def _send(stream: IO[bytes], data: bytes) -> None:
    with suppress(OSError), stream:  # a child that crashes closes the pipe
        stream.write(data)


def _collect(process: subprocess.Popen[bytes], stream: IO[bytes], largest: int) -> bytes | None:
    """Return all that a stream holds; stop the process and return None where it is more than `largest` bytes."""
    parts: list[bytes] = []
    size = 0
    while part := stream.read(CHUNK):
        size += len(part)
        if size > largest:
            process.kill()
            return None
        parts.append(part)
    return b"".join(parts)


def content_of(path: Path, code: int, answer: bytes, file_format: str, limits: ProcessLimits) -> bytes:
    """Return the content of an answer, or raise the InputError that it stands for."""
    kind, content = answer[:1], answer[1:]
    if code == 0 and kind == DONE:
        return content
    if code == 0 and kind == REFUSED:
        reason = content.decode(errors="replace").strip().rstrip(".")
        raise _error(path, f"The {file_format} file cannot be read: {reason}.".replace("  ", " "))
    if code == 0 and kind == OUT_OF_MEMORY:
        raise _error(path, f"The file needs more than {limits.memory / 2**30:.3g} GiB of memory.", REMEDY)
    raise _error(path, f"The library that reads the file crashed ({_name_of_end(code)}).", REMEDY)


def _name_of_end(code: int) -> str:
    if code < 0:
        with suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit code {code}"


def _error(path: Path, message: str, hint: str = "") -> InputError:
    return InputError(message, file=str(path), hint=hint)


def limit_resources(memory: int, seconds: float) -> None:
    """Limit this process where the platform can do so, and write no core file after a crash."""
    try:
        import resource
    except ImportError:  # Windows
        return
    processor = int(seconds) + 1
    for kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, processor),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # a lower limit is in force, or the platform has none
            resource.setrlimit(kind, (limit, limit))


def answer_of(reader: str, data: bytes, arguments: Sequence[str]) -> bytes:
    """Return the answer of a child: what the function `reader` makes of the content, or why it refuses it."""
    try:
        module, _, function = reader.partition(":")
        read = getattr(importlib.import_module(module), function)
        return DONE + bytes(read(data, *arguments))
    except MemoryError:
        return OUT_OF_MEMORY
    except Exception as error:
        text = " ".join(str(error).split()) or type(error).__name__
        return REFUSED + text[:LONGEST_REASON].encode(errors="replace")


def _main() -> None:
    reader, memory, seconds, *arguments = sys.argv[1:]
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no part of the answer
    limit_resources(int(memory), float(seconds))
    answer = answer_of(reader, sys.stdin.buffer.read(), arguments)
    with os.fdopen(answers, "wb") as stream:
        stream.write(answer)
    os._exit(0)  # without the destructors of a library that has read a damaged file


if __name__ == "__main__":
    _main()
