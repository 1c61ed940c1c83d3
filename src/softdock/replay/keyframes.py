"""Keyframes: the recorded rows that a replay needs for a given tolerance."""

import numpy as np

from softdock.replay.entry_points import keep_rows
from softdock.replay.scene import Floats, Indices, Track


def increasing_rows(time: Floats) -> Indices:
    """Return the rows with strictly increasing times in float32; the last of equal times is kept."""
    as_stored = time.astype(np.float32)
    later = np.append(as_stored[1:] > as_stored[:-1], True)
    rows = np.flatnonzero(later)
    rising = np.maximum.accumulate(as_stored[rows])
    return np.asarray(rows[np.append(True, rising[1:] > rising[:-1])])


def simplified_rows(time: Floats, values: Floats, tolerance: float) -> Indices:
    """Return rows whose connecting lines approximate all rows within the tolerance.

    Ramer-Douglas-Peucker simplification over time.
    """
    n = len(time)
    if n <= 2:
        return np.arange(n)
    kept, stack = np.zeros(n, np.bool_), np.empty((n, 2), np.int64)
    rows = np.ascontiguousarray(values.reshape(n, -1), dtype=float)
    keep_rows(np.ascontiguousarray(time, dtype=float), rows, float(tolerance), stack, kept)
    return np.flatnonzero(kept)


def track(time: Floats, values: Floats, tolerance: float) -> Track:
    """Return the keyframes of positions or scales."""
    rows = simplified_rows(time, values, tolerance)
    return Track(time=time[rows], values=values[rows])


def rotation_track(time: Floats, q_wxyz: Floats, tolerance: float) -> Track:
    """Return the keyframes of attitudes; `tolerance` is an angle [rad]."""
    q = remove_sign_jumps(q_wxyz)
    rows = simplified_rows(time, q, 0.5 * tolerance)
    return Track(time=time[rows], values=q[rows])


def remove_sign_jumps(q_wxyz: Floats) -> Floats:
    """Return unit quaternions with continuous signs."""
    q = q_wxyz / np.linalg.norm(q_wxyz, axis=1)[:, None]
    flips = np.einsum("ij,ij->i", q[1:], q[:-1]) < 0.0
    sign = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)])
    return np.asarray(q * sign[:, None])
