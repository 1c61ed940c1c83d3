"""Worker process of the fuzzer: makes inputs, lets Softdock read them and classifies what happens."""

import logging
import os
import re
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.fuzz.formats import Files, Format
from tests.fuzz.isolation import replace_readers
from tests.fuzz.shared import Defect, Found, Shared

from softdock.errors import InputError, InputWarning

MEMORY = 8 << 30
"""Address space of a worker [bytes]."""
LONGEST_LINE = 1500
"""Characters of one problem in a message; longer ones repeat an input in full."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\ud800-\udfff]")
"""Characters that a terminal interprets or cannot write."""


def input_of(name: str, form: Format, seed: int, index: int) -> Files:
    """Return an input by its number."""
    return form.make(Random(f"{name}/{seed}/{index}"))


def scratch_folder(prefix: str = "") -> Path:
    """Return a new folder, in memory where the system has such folders."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix=f"softdock-fuzz-{prefix}", dir=memory if memory.is_dir() else None))


class Worker:
    """One process that reads inputs of one format."""

    def __init__(self, name: str, form: Format, seed: int, shared: Shared, cache: Path) -> None:
        self.name, self.form, self.seed, self.shared, self.cache = name, form, seed, shared, cache
        self.scratch = scratch_folder()
        self.warned: list[str] = []
        self.printed = os.open(self.scratch / "printed", os.O_RDWR | os.O_CREAT | os.O_APPEND)

    def prepare(self) -> None:
        """Redirect output and caches of this process, and record warnings."""
        os.environ["SOFTDOCK_CACHE_DIR"] = str(self.cache)
        temporary = self.scratch / "temporary"
        temporary.mkdir()
        tempfile.tempdir = str(temporary)
        os.dup2(self.printed, 1)
        os.dup2(self.printed, 2)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        logging.basicConfig(
            level=logging.WARNING
        )  # as by the last-resort handler, but also after a library's set-up
        warnings.simplefilter("always")
        warnings.showwarning = self._record  # type: ignore[assignment]
        replace_readers(self.shared, self._discard_output)
        try:
            import resource

            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        except (ImportError, ValueError, OSError):
            pass

    def run(self, first: int, last: int) -> Iterator[tuple[int, Found]]:
        """Yield number and defect of every input that has one; count the others."""
        parent = os.getppid()
        for index in range(first, last):
            self.shared.begin(index)
            if self.shared.stopped or os.getppid() != parent:
                return
            files = input_of(self.name, self.form, self.seed, index)
            accepted, found = self.attempt(files)
            if found is None:
                self.shared.count(accepted=accepted)
            else:
                self.shared.count_defect(found.defect)
                yield index, found
        self.shared.begin(last)

    def attempt(self, files: Files) -> tuple[bool, Found | None]:
        """Let Softdock read an input; return whether it was accepted, and its defect."""
        folder = self.scratch / "input"
        self.warned.clear()
        if self.form.stored:
            _store(folder, files)
        accepted, found = False, None
        try:
            self.form.read(files, folder)
            accepted = True
        except self.form.refusals as error:
            if isinstance(error, InputError):
                found = _check_message(error)
        except Exception:
            found = Found(Defect.TRACEBACK, traceback.format_exc())
        return accepted, found or self._check_rest(folder, files)

    def _check_rest(self, folder: Path, files: Files) -> Found | None:
        if self.warned:
            return Found(Defect.WARNING, "\n".join(self.warned))
        if os.fstat(self.printed).st_size:
            text = os.pread(self.printed, 10_000, 0).decode(errors="replace")
            self._discard_output()
            return Found(Defect.OUTPUT, text)
        if self.form.stored:
            left = sorted(
                {path.name for path in folder.iterdir()} - {name.partition("/")[0] for name in files}
            )
            if left:
                return Found(Defect.FILE, f"left in the folder: {', '.join(left)}")
        return None

    def _discard_output(self) -> None:
        os.ftruncate(self.printed, 0)

    def _record(self, message: Warning | str, category: type[Warning], *where: object, **_: object) -> None:
        if not issubclass(category, InputWarning):
            self.warned.append(f"{category.__name__}: {message} ({where[0]}:{where[1]})")

    def remove_files(self) -> None:
        """Delete the files of the worker."""
        shutil.rmtree(self.scratch, ignore_errors=True)


def _store(folder: Path, files: Files) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    for name, content in files.items():
        path = folder / name
        if "/" in name:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _check_message(error: InputError) -> Found | None:
    for problem in error.problems:
        text = str(problem)
        if len(text) > LONGEST_LINE:
            return Found(Defect.MESSAGE, f"a problem of {len(text)} characters: {text[:300]}...")
        if CONTROL.search(text):
            return Found(Defect.MESSAGE, f"control characters: {text!r}")
    return None
