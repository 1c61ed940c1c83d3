"""Times of the rows of a history: distinct, so that every row can be found by its time."""

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.recording.evaluation import AFTER_JUMP, ROW_SPACING

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


def space_rows(time: Floats, needed: Floats) -> tuple[Rows, Floats]:
    """Return the rows to keep, in order of time, and their times, at least `ROW_SPACING` apart [s].

    `needed` are the times of events and peaks: their rows are kept, later where two are closer. Another row is left out
    if it is closer to the one before it or to one that is needed. Of rows at the same time the last one is kept. First
    and last time are needed.
    """
    order = np.argsort(time, kind="stable")
    time = time[order]
    if (np.diff(time) >= ROW_SPACING).all():
        return order, time
    is_needed = np.isin(time, np.concatenate([needed, time[[0, -1]]]))
    rows, times = [0], [float(time[0])]
    for i in range(1, len(time)):
        t = float(time[i])
        if t - times[-1] >= ROW_SPACING:
            rows.append(i)
            times.append(t)
        elif t == time[rows[-1]]:
            rows[-1] = i
        elif is_needed[i] and is_needed[rows[-1]]:
            rows.append(i)
            times.append(times[-1] + AFTER_JUMP)
        elif is_needed[i]:
            rows[-1], times[-1] = i, t
    return order[rows], np.array(times)


def after_jumps(time: Floats) -> Floats:
    """Return times of rows [s] in which those after a jump, at the same time as the row before it, are later."""
    same = np.concatenate([[False], time[1:] == time[:-1]])
    return np.where(same, time + AFTER_JUMP, time)
