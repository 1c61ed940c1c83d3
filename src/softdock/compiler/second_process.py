"""A second process that compiles meanwhile, where there is a core to spare.

It ends when its work is done, and when whoever started it ends, by whatever means: it then reads the end of its
input. Nothing depends on it: what it did not finish is compiled by the first process.
"""

import contextlib
import gc
import importlib
import os
import pickle
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PACKAGE_ROOT = Path(__file__).parents[1]
_COMMAND = "from softdock.compiler.second_process import serve; serve()"
_LENGTH = struct.Struct("<Q")
_serving = False
_running: list["SecondProcess"] = []


class SecondProcess:
    """A process at work."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        _running.append(self)

    def wait(self) -> None:
        """Wait until it is done, or until it has failed."""
        try:
            self._process.wait()
        finally:
            self.stop()

    def has_ended(self) -> bool:
        """Tell whether it is done."""
        return self._process.poll() is not None

    def stop(self) -> None:
        """End it if it still runs."""
        if self in _running:
            _running.remove(self)
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()


def stop_all() -> None:
    """End all that still run."""
    for process in list(_running):
        process.stop()


def is_at_work() -> bool:
    """Tell whether a second process is at work."""
    for process in list(_running):
        if process.has_ended():
            process.stop()
    return bool(_running)


def start(module: str, function: str, *args: Any) -> SecondProcess | None:
    """Let a function of ours be called in another process; None where there is no core for it, or no way."""
    if _serving or not sys.executable or _cores() < 2:
        return None
    request = pickle.dumps((module, function, args))
    path = os.pathsep.join(filter(None, (str(PACKAGE_ROOT.parent), os.environ.get("PYTHONPATH"))))
    started = None
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _COMMAND],  # -P: no modules from the folder of the user
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": path},
        )
        started = SecondProcess(process)
        assert process.stdin is not None
        process.stdin.write(_LENGTH.pack(len(request)) + request)
        process.stdin.flush()
    except OSError:
        if started is not None:
            started.stop()
        return None
    return started


def serve() -> None:
    """Do what another process asks for; this is what the second process runs."""
    global _serving
    _serving = True
    gc.disable()  # it ends soon
    (length,) = _LENGTH.unpack(sys.stdin.buffer.read(_LENGTH.size))
    module, function, args = pickle.loads(sys.stdin.buffer.read(length))
    threading.Thread(target=_end_with_the_first, daemon=True).start()
    status = 1
    try:
        getattr(importlib.import_module(module), function)(*args)
        status = 0
    finally:
        os._exit(status)  # at once: the thread holds on to the input, for which Python would abort


def _end_with_the_first() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
