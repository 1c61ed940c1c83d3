"""Real-time runs: frames of fixed length, synchronised with the clock."""

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from softdock.errors import InputError

if TYPE_CHECKING:
    from softdock.dynamics.session import Session
    from softdock.dynamics.settings import Settings

FRAME = 0.01
"""[s] Frame length of the paper."""
MAX_FRAMES = 10_000_000
MAX_SUBSTEPS = 100_000


@dataclass(frozen=True, kw_only=True)
class RealTime:
    """Settings of a real-time run."""

    frame: float = FRAME
    """Length of a frame [s]."""
    substeps: int | None = None
    """Number of equal steps of order 4 per frame, for constant work; None for error control."""
    paced: bool = True
    """Whether to wait at the end of each frame until its time has passed."""

    def __post_init__(self) -> None:
        if not (self.frame > 0.0 and math.isfinite(self.frame)):
            raise InputError("Must be more than 0 s.", field="frame", given=f"{self.frame:g} s")
        if self.substeps is not None and not 1 <= self.substeps <= MAX_SUBSTEPS:
            raise InputError(f"Must be from 1 to {MAX_SUBSTEPS}.", field="substeps", given=f"{self.substeps}")

    def settings(self, settings: "Settings") -> "Settings":
        """Return settings of a run with the steps of the frames."""
        from softdock.dynamics.settings import Method

        if self.substeps is None:
            return settings
        return replace(settings, method=Method.RUNGE_KUTTA_4, step=self.frame / self.substeps)


@dataclass(frozen=True, kw_only=True)
class Frames:
    """Computing times of the frames of a run."""

    wall: list[float]
    """Wall-clock time of each frame [s]."""
    processor: list[float]
    """Processor time of each frame [s]: independent of other load on the machine."""
    frame: float
    """Available time per frame [s]."""

    @property
    def missed(self) -> int:
        """Number of frames that took longer than the available time."""
        return sum(spent > self.frame for spent in self.wall)

    @property
    def worst(self) -> float:
        """Longest wall-clock time of a frame [s]."""
        return max(self.wall, default=0.0)


def run_in_frames(session: "Session", duration: float, how: RealTime) -> Frames:
    """Advance a run frame by frame to its end."""
    if duration / how.frame > MAX_FRAMES:
        raise InputError(
            f"would make more than {MAX_FRAMES} frames of {duration:g} s",
            field="frame",
            given=f"{how.frame:g} s",
        )
    spent: list[float] = []
    worked: list[float] = []
    start = time.perf_counter()
    for k in range(1, math.ceil(duration / how.frame * (1 - 1e-12)) + 1):
        begin, work = time.perf_counter(), time.thread_time()
        ended = session.advance(min(k * how.frame, duration))
        now = time.perf_counter()
        spent.append(now - begin)
        worked.append(time.thread_time() - work)
        if ended is not None:
            break
        if how.paced:
            time.sleep(max(start + k * how.frame - now, 0.0))
    return Frames(wall=spent, processor=worked, frame=how.frame)


class Pacing:
    """Frames of a run whose caller advances it: computing times, and waiting for the clock."""

    def __init__(self, how: RealTime) -> None:
        self._how, self._wall, self._worked = how, list[float](), list[float]()
        self._start = self._begin = time.perf_counter()
        self._work = time.thread_time()

    def end_frame(self) -> None:
        """Note the computing time of the frame that has ended, and wait until its time has passed."""
        now = time.perf_counter()
        self._wall.append(now - self._begin)
        self._worked.append(time.thread_time() - self._work)
        if self._how.paced:
            time.sleep(max(self._start + len(self._wall) * self._how.frame - now, 0.0))
        self._begin, self._work = time.perf_counter(), time.thread_time()

    @property
    def frames(self) -> Frames:
        """The frames so far."""
        return Frames(wall=self._wall, processor=self._worked, frame=self._how.frame)
