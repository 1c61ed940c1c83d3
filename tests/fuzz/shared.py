"""State of a worker in memory that its parent reads, also after the worker has crashed."""

import mmap
import time
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

import numpy as np


class Defect(StrEnum):
    """Kinds of defects."""

    TRACEBACK = "traceback"
    HANG = "hang"
    CRASH = "crash"
    WARNING = "warning of a library"
    OUTPUT = "output of a library"
    FILE = "half-written file"
    MESSAGE = "unreadable message"


@dataclass(frozen=True)
class Found:
    """A defect of one input."""

    defect: Defect
    text: str


DEFECTS = tuple(Defect)
INDEX, BEGUN, BEGUN_PROCESSOR, ACCEPTED, REFUSED, IN_LIBRARY, ISOLATED, STOPPED, FIRST_DEFECT = range(9)


class Shared:
    """Progress of one worker."""

    def __init__(self) -> None:
        self._values = np.frombuffer(mmap.mmap(-1, 8 * (FIRST_DEFECT + len(DEFECTS))), np.float64)

    def begin(self, index: int) -> None:
        """Note that an input begins."""
        self._values[INDEX], self._values[BEGUN] = index, time.monotonic()
        self._values[BEGUN_PROCESSOR] = time.process_time()

    def count(self, *, accepted: bool) -> None:
        """Count an input without a defect."""
        self._values[ACCEPTED if accepted else REFUSED] += 1

    def count_defect(self, defect: Defect) -> None:
        """Count an input with a defect."""
        self._values[FIRST_DEFECT + DEFECTS.index(defect)] += 1

    @property
    def defects(self) -> Counter[str]:
        """Inputs with defects, by kind."""
        counts = self._values[FIRST_DEFECT:]
        return Counter({str(kind): int(count) for kind, count in zip(DEFECTS, counts) if count})

    @property
    def index(self) -> int:
        """Number of the present input."""
        return int(self._values[INDEX])

    @property
    def elapsed(self) -> float:
        """Time since the present input began [s]."""
        return time.monotonic() - float(self._values[BEGUN])

    @property
    def processor_time_at_begin(self) -> float:
        """Processor time of the worker when the present input began [s]."""
        return float(self._values[BEGUN_PROCESSOR])

    @property
    def stopped(self) -> bool:
        """Whether the worker is to end after the present input."""
        return bool(self._values[STOPPED])

    @stopped.setter
    def stopped(self, value: bool) -> None:
        self._values[STOPPED] = value

    @property
    def accepted(self) -> int:
        """Inputs that were used."""
        return int(self._values[ACCEPTED])

    @property
    def refused(self) -> int:
        """Inputs that were refused with a message."""
        return int(self._values[REFUSED])

    @property
    def in_library(self) -> bool:
        """Whether a library that the product calls in a child process reads in the worker."""
        return bool(self._values[IN_LIBRARY])

    @in_library.setter
    def in_library(self, value: bool) -> None:
        self._values[IN_LIBRARY] = value

    @property
    def isolated(self) -> bool:
        """Whether all files are read in the child process of the product."""
        return bool(self._values[ISOLATED])

    @isolated.setter
    def isolated(self, value: bool) -> None:
        self._values[ISOLATED] = value
