"""Real time: a run in frames of fixed length, each with as many steps as it needs, kept in time with the clock."""

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from softdock.errors import InputError, Problem

if TYPE_CHECKING:
    from softdock.dynamics.session import Session
    from softdock.dynamics.settings import Settings

FRAME = 0.01
"""[s] The paper's frame."""
MOST_FRAMES = 10_000_000
MOST_SUBSTEPS = 100_000


@dataclass(frozen=True, kw_only=True)
class RealTime:
    """How to keep time."""

    frame: float = FRAME
    """[s]"""
    substeps: int | None = None
    """Equal steps of a frame, of order 4: each frame is the same work. None: as many as the accuracy asks for."""
    paced: bool = True
    """Wait at the end of each frame until the clock has caught up; without, frames follow each other at once."""

    def __post_init__(self) -> None:
        if not (self.frame > 0.0 and math.isfinite(self.frame)):
            raise InputError(
                Problem(field="frame", message="Must be more than 0 s.", given=f"{self.frame:g} s")
            )
        if self.substeps is not None and not 1 <= self.substeps <= MOST_SUBSTEPS:
            raise InputError(
                Problem(
                    field="substeps", message=f"Must be from 1 to {MOST_SUBSTEPS}.", given=f"{self.substeps}"
                )
            )

    def settings(self, settings: "Settings") -> "Settings":
        """Return settings of a run with the steps of the frames."""
        from softdock.dynamics.settings import Method

        if self.substeps is None:
            return settings
        return replace(settings, method=Method.RUNGE_KUTTA_4, step=self.frame / self.substeps)


@dataclass(frozen=True, kw_only=True)
class Frames:
    """What keeping time took."""

    wall: list[float]
    """Time that each frame took [s]."""
    processor: list[float]
    """Processor time that each frame took [s]: what is left on a machine that does nothing else."""
    frame: float
    """Time that each had [s]."""

    @property
    def missed(self) -> int:
        """Frames that took longer than they had."""
        return sum(spent > self.frame for spent in self.wall)

    @property
    def worst(self) -> float:
        """The longest time that a frame took [s]."""
        return max(self.wall, default=0.0)


def run_in_frames(session: "Session", duration: float, how: RealTime) -> Frames:
    """Advance a run frame by frame to its end."""
    if duration / how.frame > MOST_FRAMES:
        raise InputError(
            Problem(
                field="frame",
                message=f"would make more than {MOST_FRAMES} frames of {duration:g} s",
                given=f"{how.frame:g} s",
            )
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
