"""Inputs of one format, read in worker processes that the caller polls, so that several formats run at once."""

import os
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz import formats
from tests.fuzz.formats import Format
from tests.fuzz.shared import Defect, Found, Shared
from tests.fuzz.worker import Worker, input_of, scratch_folder

BATCH = 20_000
"""Inputs of one worker process; what it has allocated and written is released with it."""
MOST_DEFECTS = 50
"""Defects of one format after which its run ends."""
FUZZER_ERROR = 70
"""Exit code of a worker whose own code failed."""
WAITING = 10.0
"""Factor of the time limit for an input that waits without using a processor."""
GRACE = 5.0
"""Time after the deadline in which a worker completes its input [s]."""


@dataclass
class Tally:
    """Counts of one format."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    defects: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


class Process:
    """A worker process and the inputs that it reads."""

    def __init__(self, run: "Run", first: int, last: int, *, isolated: bool = False) -> None:
        self.isolated = isolated
        self.shared = Shared()
        self.shared.isolated = isolated
        self.shared.begin(first)
        self._seconds = run.form.seconds
        self._worker = Worker(run.name, run.form, run.seed, self.shared, run.cache)
        sys.stdout.flush()
        self._id = os.fork()
        if not self._id:
            _work(run, self._worker, first, last)

    def poll(self, deadline: float) -> tuple[int, str] | None:
        """Return exit code and reason of the end of the worker; None while it works."""
        ended, status = os.waitpid(self._id, os.WNOHANG)
        if ended:
            self._worker.remove_files()
            return os.waitstatus_to_exitcode(status), ""
        late = time.monotonic() - deadline
        self.shared.stopped = late > 0.0
        reason = "hang" if self._hangs() else "deadline" if late > GRACE else ""
        if not reason:
            return None
        os.kill(self._id, signal.SIGKILL)
        os.waitpid(self._id, 0)
        self._worker.remove_files()
        return -9, reason

    def _hangs(self) -> bool:
        """Return whether the input exceeds its limit of processor time, or waits for many times as long.

        The processor time does not depend on the load of the machine. It is read from the clock of the process on
        Linux; elsewhere the time that has passed counts.
        """
        if self.shared.elapsed < self._seconds:
            return False
        if self.shared.elapsed > WAITING * self._seconds or not sys.platform.startswith("linux"):
            return True
        try:
            used = time.clock_gettime(
                (~self._id << 3) | 2
            )  # clock of another process: clock_getcpuclockid(3)
        except OSError:
            return False  # it has just ended
        return used - self.shared.processor_time_at_begin > self._seconds


def _work(run: "Run", worker: Worker, first: int, last: int) -> None:
    code = FUZZER_ERROR
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        worker.prepare()
        for index, found in worker.run(first, last):
            run.write(index, found)
        code = 0
    except BaseException:
        run.out.mkdir(parents=True, exist_ok=True)
        (run.out / "fuzzer-error.txt").write_text(traceback.format_exc())
    finally:
        os._exit(code)


class Run:
    """Inputs of one format from a seed, in the order of their numbers."""

    def __init__(self, name: str, seed: int, out: Path, first: int = 0) -> None:
        self.name, self.seed, self.out = name, seed, out
        self.form: Format = formats.load(name)
        self.tally = Tally()
        self.cache = scratch_folder("cache-")
        """Cache of the product, kept between the worker processes."""
        self._next, self._last, self._deadline = first, first, 0.0
        self._begun = 0.0
        self._process: Process | None = None

    def start(self, count: int, deadline: float) -> None:
        """Begin to read inputs until their number or the deadline [s, monotonic] is reached."""
        self._last, self._deadline, self._begun = self._next + count, deadline, time.monotonic()

    def poll(self) -> bool:
        """Advance; return whether the run goes on."""
        if self._process is not None:
            ended = self._process.poll(self._deadline)
            if ended is None:
                return True
            self._finish(self._process, *ended)
        if self._process is None and self._may_go_on():
            self._process = Process(self, self._next, min(self._next + BATCH, self._last))
        if self._process is None:
            self.tally.seconds += time.monotonic() - self._begun
        return self._process is not None

    def go(self, count: int, deadline: float) -> Tally:
        """Read inputs until their number or the deadline is reached."""
        self.start(count, deadline)
        while self.poll():
            time.sleep(0.01)
        return self.tally

    def close(self) -> None:
        """Delete the cache."""
        shutil.rmtree(self.cache, ignore_errors=True)

    def _may_go_on(self) -> bool:
        few = self.tally.defects.total() < MOST_DEFECTS
        return self._next < self._last and time.monotonic() < self._deadline and few

    def _finish(self, process: Process, status: int, reason: str) -> None:
        """Count the inputs of a worker that has ended."""
        shared, self._process = process.shared, None
        self.tally.accepted += shared.accepted
        self.tally.refused += shared.refused
        self.tally.defects += shared.defects
        self.tally.inputs += shared.index - self._next
        self._next = shared.index
        if status == FUZZER_ERROR:
            sys.exit(f"The fuzzer itself failed at input {shared.index}: {self.out / 'fuzzer-error.txt'}")
        if status == 0 or reason == "deadline":
            return
        if shared.in_library and not process.isolated:
            self._process = Process(self, shared.index, shared.index + 1, isolated=True)
            return
        found = Found(
            Defect.HANG if reason == "hang" else Defect.CRASH,
            f"no answer within {self.form.seconds:g} s of processor time"
            if reason == "hang"
            else f"the process ended with {status}",
        )
        self.write(shared.index, found)
        self.tally.defects[found.defect] += 1
        self.tally.inputs += 1
        self._next += 1

    def write(self, index: int, found: Found) -> None:
        """Write the input of a defect to a folder, with the command that repeats it."""
        folder = self.out / f"{self.name}-{self.seed}-{index}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in input_of(self.name, self.form, self.seed, index).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        command = f"python -m tests.fuzz --formats {self.name} --seed {self.seed} --first {index} --count 1"
        (folder / "defect.txt").write_text(f"{found.defect}\n{command}\n\n{found.text}\n", errors="replace")
