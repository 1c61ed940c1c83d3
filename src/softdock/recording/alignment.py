"""Alignment of two histories in time: the offset at which they differ least."""

from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from scipy.optimize import minimize_scalar

from softdock.result import History

Array = NDArray[np.float64]
MAX_SAMPLES = 20_000
"""Largest number of samples of the longer history in the search; the best offset is then refined between samples."""
MIN_OVERLAP = 0.5
"""Fraction of the shorter history that must overlap."""
MAX_CHANNELS = 24
"""Largest number of channels used to find the offset: positions first, then speeds, then others."""
PREFERRED_UNITS = ("rad", "m", "rad/s", "m/s")
MAX_MISFIT_RATIO = 0.99
"""Largest ratio of the misfits at the best offset and at zero at which the offset is applied; otherwise it is zero."""


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """Time offset of B relative to A."""

    offset: float
    """Added to the times of B [s]."""
    estimated: bool
    """Whether the offset was estimated by correlation; otherwise it was given."""
    misfit: float
    """Root mean square of the differences, each channel over its own standard deviation, at the offset."""
    misfit_unshifted: float
    """The same without an offset; NaN if the histories then do not overlap enough."""


def align(a: History, b: History, channels: list[str]) -> Alignment:
    """Return the offset of B with the smallest mean square difference of the channels.

    All offsets with enough overlap are compared by correlation on a uniform grid, Eq. (N2); the best is
    refined by interpolation between samples.
    """
    pairs = _pairs(a, b, channels)
    if not pairs:
        return Alignment(offset=0.0, estimated=True, misfit=np.nan, misfit_unshifted=np.nan)
    span_a, span_b = (float(h.time[-1] - h.time[0]) for h in (a, b))
    step = max(max(span_a, span_b) / MAX_SAMPLES, 0.5 * min(_sampling(a), _sampling(b)))
    grid_a, grid_b = _grid(a.time, step), _grid(b.time, step)
    squares, overlap = _mean_squares(pairs, grid_a, grid_b)
    enough = overlap >= MIN_OVERLAP * len(pairs) * min(len(grid_a), len(grid_b))
    best = int(np.argmin(np.where(enough, squares, np.inf)))
    coarse = grid_a[0] - grid_b[0] + (best - (len(grid_b) - 1)) * step
    minimum = minimize_scalar(
        lambda shift: _mean_square(pairs, shift), bounds=(coarse - step, coarse + step), method="bounded",
        options={"xatol": 1e-6 * step},
    )  # fmt: skip
    unshifted = _mean_square(pairs, 0.0)
    if unshifted * MAX_MISFIT_RATIO**2 <= minimum.fun:
        return Alignment(
            offset=0.0, estimated=True, misfit=np.sqrt(unshifted), misfit_unshifted=np.sqrt(unshifted)
        )
    return Alignment(
        offset=float(minimum.x),
        estimated=True,
        misfit=np.sqrt(minimum.fun),
        misfit_unshifted=np.sqrt(unshifted),
    )


def misfit(a: History, b: History, channels: list[str], offset: float) -> float:
    """Return the root mean square of the differences at an offset of B [s], in standard deviations."""
    pairs = _pairs(a, b, channels)
    return float(np.sqrt(_mean_square(pairs, offset)))


_Pair = tuple[Array, Array, Array, Array]
"""Times and values of a channel in A and in B, finite, in units of its standard deviation."""


def _pairs(a: History, b: History, channels: list[str]) -> list[_Pair]:
    """Return the channels used to find the offset."""
    units = {name: a.channels[name].unit for name in channels}
    ordered = sorted(
        channels, key=lambda name: PREFERRED_UNITS.index(units[name]) if units[name] in PREFERRED_UNITS else 9
    )
    varying = (pair for name in ordered if (pair := _pair(a, b, name)) is not None)
    return list(islice(varying, MAX_CHANNELS))


def _pair(a: History, b: History, name: str) -> _Pair | None:
    """Return a channel of both histories, normalised; None if it does not vary."""
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
    """Return the mean square difference for every integer shift of B's grid against A's, and the overlap."""
    length = len(grid_a) + len(grid_b) - 1
    size = fft.next_fast_len(length, real=True)
    total, count = np.zeros(length), np.zeros(length)

    def correlate(first: Array, second: Array) -> Array:
        product = fft.rfft(first, size) * fft.rfft(second[::-1], size)
        return np.asarray(fft.irfft(product, size)[:length])

    for t_a, y_a, t_b, y_b in pairs:
        x, mask_x = _resample(grid_a, t_a, y_a)
        y, mask_y = _resample(grid_b, t_b, y_b)
        total += correlate(x * x, mask_y) + correlate(mask_x, y * y) - 2.0 * correlate(x, y)
        count += correlate(mask_x, mask_y)
    return np.maximum(total, 0.0) / np.maximum(count, 0.5), count


def _resample(grid: Array, t: Array, y: Array) -> tuple[Array, Array]:
    mask = ((grid >= t[0]) & (grid <= t[-1])).astype(float)
    return np.interp(grid, t, y) * mask, mask


def _mean_square(pairs: list[_Pair], shift: float) -> float:
    """Return the mean square difference over time with B shifted [s]."""
    total, covered = 0.0, 0.0
    for t_a, y_a, t_b, y_b in pairs:
        t = common_times(t_a, t_b + shift)
        if len(t) < 2 or t[-1] - t[0] < MIN_OVERLAP * min(np.ptp(t_a), np.ptp(t_b)):
            return np.nan
        square = (np.interp(t, t_a, y_a) - np.interp(t, t_b + shift, y_b)) ** 2
        total += float(np.trapezoid(square, t))
        covered += float(t[-1] - t[0])
    return total / covered if covered else np.nan


def common_times(t_a: Array, t_b: Array) -> Array:
    """Return the union of both sets of times within their common interval [s]."""
    t = np.union1d(t_a, t_b)
    return np.asarray(t[(t >= max(t_a[0], t_b[0])) & (t <= min(t_a[-1], t_b[-1]))])
