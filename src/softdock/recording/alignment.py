"""Lay two histories over each other in time: the shift at which they differ least."""

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.optimize import minimize_scalar

from softdock.result import History

Array = NDArray[np.float64]
MOST_SAMPLES = 20_000
"""Of the longer history in the search; the best shift is then refined between samples."""
LEAST_OVERLAP = 0.5
"""Share of the shorter history that must stay covered."""
MOST_CHANNELS = 24
"""That decide about the shift: positions before speeds before all others."""
SMOOTH = ("rad", "m", "rad/s", "m/s")
WORTH_SHIFTING = 0.99
"""Histories that differ at shift zero by hardly more than at their best shift are left where they are."""


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """How B was laid over A."""

    offset: float
    """Added to the times of B [s]."""
    estimated: bool
    """Whether the offset was found by correlation; otherwise it was given."""
    misfit: float
    """Root mean square of the differences, each channel over its own standard deviation, at the offset."""
    misfit_unshifted: float
    """The same without any offset; NaN where the histories then do not overlap enough."""


def align(a: History, b: History, channels: list[str]) -> Alignment:
    """Return the shift of B at which the channels of both differ least in the mean square.

    All shifts that leave enough overlap are compared at once by correlation on an even grid, Eq. (N2); the best is
    refined with the histories interpolated in between.
    """
    pairs = _pairs(a, b, channels)
    if not pairs:
        return Alignment(offset=0.0, estimated=True, misfit=np.nan, misfit_unshifted=np.nan)
    span_a, span_b = (float(h.time[-1] - h.time[0]) for h in (a, b))
    step = max(max(span_a, span_b) / MOST_SAMPLES, 0.5 * min(_sampling(a), _sampling(b)))
    grid_a, grid_b = _grid(a.time, step), _grid(b.time, step)
    squares, overlap = _mean_squares(pairs, grid_a, grid_b)
    enough = overlap >= LEAST_OVERLAP * len(pairs) * min(len(grid_a), len(grid_b))
    best = int(np.argmin(np.where(enough, squares, np.inf)))
    coarse = grid_a[0] - grid_b[0] + (best - (len(grid_b) - 1)) * step
    found = minimize_scalar(
        lambda shift: _mean_square(pairs, shift), bounds=(coarse - step, coarse + step), method="bounded",
        options={"xatol": 1e-6 * step},
    )  # fmt: skip
    unshifted = _mean_square(pairs, 0.0)
    if unshifted * WORTH_SHIFTING**2 <= found.fun:
        return Alignment(
            offset=0.0, estimated=True, misfit=np.sqrt(unshifted), misfit_unshifted=np.sqrt(unshifted)
        )
    return Alignment(
        offset=float(found.x), estimated=True, misfit=np.sqrt(found.fun), misfit_unshifted=np.sqrt(unshifted)
    )


def misfit(a: History, b: History, channels: list[str], offset: float) -> float:
    """Return the root mean square of the differences at an offset of B [s], in standard deviations."""
    pairs = _pairs(a, b, channels)
    return float(np.sqrt(_mean_square(pairs, offset)))


_Pair = tuple[Array, Array, Array, Array]
"""Times and values of a channel in A and in B, finite, in units of its standard deviation."""


def _pairs(a: History, b: History, channels: list[str]) -> list[_Pair]:
    """Return the channels that decide about the shift."""
    units = {name: a.channels[name].unit for name in channels}
    ordered = sorted(channels, key=lambda name: SMOOTH.index(units[name]) if units[name] in SMOOTH else 9)
    varying = (pair for name in ordered if (pair := _pair(a, b, name)) is not None)
    return list(islice(varying, MOST_CHANNELS))


def _pair(a: History, b: History, name: str) -> _Pair | None:
    """Return a channel of both for comparing; None where it does not vary."""
    sides = []
    for history in (a, b):
        values = history[name]
        kept = np.isfinite(values)
        if kept.sum() < 2:
            return None
        sides.append((history.time[kept], np.asarray(values[kept], dtype=float)))
    (t_a, y_a), (t_b, y_b) = sides
    spread = max(float(np.std(y_a)), float(np.std(y_b)))
    if spread <= 1e-12 * max(np.abs(y_a).max(), np.abs(y_b).max()) or spread == 0.0:
        return None
    middle = float(np.mean(y_a))
    return t_a, (y_a - middle) / spread, t_b, (y_b - middle) / spread


def _sampling(history: History) -> float:
    steps = np.diff(history.time)
    steps = steps[steps > 0.0]
    return float(np.median(steps)) if steps.size else np.inf


def _grid(time: Array, step: float) -> Array:
    return np.asarray(time[0] + step * np.arange(int((time[-1] - time[0]) / step) + 1))


def _mean_squares(pairs: list[_Pair], grid_a: Array, grid_b: Array) -> tuple[Array, Array]:
    """Return the mean square difference for every whole shift of B's grid along A's, and the overlap."""
    length = len(grid_a) + len(grid_b) - 1
    size = fft.next_fast_len(length, real=True)
    total, count = np.zeros(length), np.zeros(length)

    def correlate(one: Array, two: Array) -> Array:
        product = fft.rfft(one, size) * fft.rfft(two[::-1], size)
        return np.asarray(fft.irfft(product, size)[:length])

    for t_a, y_a, t_b, y_b in pairs:
        x, there_x = _on(grid_a, t_a, y_a)
        y, there_y = _on(grid_b, t_b, y_b)
        total += correlate(x * x, there_y) + correlate(there_x, y * y) - 2.0 * correlate(x, y)
        count += correlate(there_x, there_y)
    return np.maximum(total, 0.0) / np.maximum(count, 0.5), count


def _on(grid: Array, t: Array, y: Array) -> tuple[Array, Array]:
    there = ((grid >= t[0]) & (grid <= t[-1])).astype(float)
    return np.interp(grid, t, y) * there, there


def _mean_square(pairs: list[_Pair], shift: float) -> float:
    """Return the mean square difference over time with B shifted [s]."""
    total, covered = 0.0, 0.0
    for t_a, y_a, t_b, y_b in pairs:
        t = common_times(t_a, t_b + shift)
        if len(t) < 2 or t[-1] - t[0] < LEAST_OVERLAP * min(np.ptp(t_a), np.ptp(t_b)):
            return np.nan
        square = (np.interp(t, t_a, y_a) - np.interp(t, t_b + shift, y_b)) ** 2
        total += float(np.trapezoid(square, t))
        covered += float(t[-1] - t[0])
    return total / covered if covered else np.nan


def common_times(t_a: Array, t_b: Array) -> Array:
    """Return all instants of both within the time that both cover."""
    t = np.union1d(t_a, t_b)
    return np.asarray(t[(t >= max(t_a[0], t_b[0])) & (t <= min(t_a[-1], t_b[-1]))])
