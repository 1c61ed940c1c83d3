"""Statistics: confidence and tolerance bounds, quantiles, rank correlations, Sobol' indices, capture envelope."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, betaincinv, ndtri

from softdock.result import Array

MOST_RUNS = 100_000_000
"""Largest number of runs that is looked for."""


def lower_bound(successes: float, runs: float, confidence: float) -> float:
    """Return the exact lower confidence bound of a probability (Clopper and Pearson, one-sided); Eq. (Q9)."""
    if successes <= 0 or runs <= 0:
        return 0.0
    if successes >= runs:
        return float((1.0 - confidence) ** (1.0 / runs))
    return float(betaincinv(successes, runs - successes + 1.0, 1.0 - confidence))


def upper_bound(successes: float, runs: float, confidence: float) -> float:
    """Return the exact upper confidence bound of a probability (Clopper and Pearson, one-sided); Eq. (Q9)."""
    return 1.0 - lower_bound(runs - successes, runs, confidence) if runs > 0 else 1.0


def clopper_pearson(successes: int, runs: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact two-sided confidence interval of a probability; (0, 1) without runs.

    C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
    Biometrika 26, 1934.
    """
    one_sided = 0.5 + 0.5 * confidence
    return lower_bound(successes, runs, one_sided), upper_bound(successes, runs, one_sided)


@functools.lru_cache(maxsize=256)
def tolerance_rank(runs: int, share: float, confidence: float) -> int:
    """Return the rank, from 1, of the smallest value that is an upper tolerance bound; `runs` + 1 if there is none.

    With this confidence at least the given share of all possible values lies below it, for any distribution: S. S.
    Wilks, "Determination of sample sizes for setting tolerance limits", 1941; Eq. (Q10).
    """
    below = bdtr(
        np.arange(runs), runs, share
    )  # probability that at most 0, 1, ... values lie below the percentile
    return int(np.searchsorted(below, confidence)) + 1


def tolerance_bound(values: ArrayLike, share: float, confidence: float = 0.95) -> float | None:
    """Return the upper tolerance bound of the finite values; None where there are too few."""
    array = np.asarray(values, float)
    ordered = np.sort(array[np.isfinite(array)])
    rank = tolerance_rank(ordered.size, share, confidence)
    return float(ordered[rank - 1]) if rank <= ordered.size else None


def fewest_runs(share: float, confidence: float) -> int:
    """Return how many runs a tolerance bound needs at least: the largest of so many values is one; Eq. (Q11)."""
    return math.ceil(math.log(1.0 - confidence) / math.log(share) * (1.0 - 1e-12))


def runs_to_decide(successes: int, runs: int, probability: float, confidence: float) -> int | None:
    """Return how many runs decide whether a probability is reached if they comply at the observed rate; Eq. (Q12).

    None where no run has been made or more than `MOST_RUNS` are needed.
    """
    if runs == 0:
        return None
    share = successes / runs

    def is_decided(count: int) -> bool:
        if share >= probability:
            return lower_bound(share * count, count, confidence) >= probability
        return upper_bound(share * count, count, confidence) < probability

    return _smallest_count(is_decided, runs)


def runs_for_half_width(share: float, half_width: float, confidence: float) -> int | None:
    """Return how many runs give a Wilson interval of a half-width at a success rate; None above `MOST_RUNS`."""
    z = float(ndtri(0.5 + confidence / 2.0))

    def is_narrow(count: int) -> bool:
        spread = math.sqrt(share * (1.0 - share) / count + z * z / (4.0 * count * count))
        return z / (1.0 + z * z / count) * spread <= half_width

    return _smallest_count(is_narrow, 1)


def _smallest_count(holds: Callable[[int], bool], start: int) -> int | None:
    """Return the smallest count from `start` on for which a condition holds that stays true; None above `MOST_RUNS`."""
    low, high = start - 1, start
    while not holds(high):
        if high >= MOST_RUNS:
            return None
        low, high = high, min(2 * high, MOST_RUNS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


RESAMPLES = 200  # of the bootstrap; sufficient for an interval of 95 %
FEWEST = 8  # values needed for a correlation or Sobol' index


def wilson(successes: int, runs: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the Wilson interval of a success rate; (0, 1) without runs.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    """
    if runs == 0:
        return 0.0, 1.0
    z = float(ndtri(0.5 + confidence / 2.0))
    p, shrink = successes / runs, 1.0 + z * z / runs
    centre = (p + z * z / (2.0 * runs)) / shrink
    half = z / shrink * math.sqrt(p * (1.0 - p) / runs + z * z / (4.0 * runs * runs))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == runs else min(1.0, centre + half)
    return low, high


def quantiles(
    values: ArrayLike, shares: tuple[float, ...] = (0.0, 0.05, 0.5, 0.95, 0.99, 1.0)
) -> list[float]:
    """Return quantiles of the finite values (linear interpolation); an empty list without values."""
    finite = _finite(values)
    return [float(q) for q in np.quantile(finite, shares)] if finite.size else []


def quantile_interval(
    values: ArrayLike, share: float, confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """Return a distribution-free confidence interval of a quantile of the population.

    Its ends are order statistics; None where the sample is too small. The number of values below the quantile is
    binomial (H. A. David, H. N. Nagaraja, Order Statistics, 2003, section 7.1).
    """
    ordered = np.sort(_finite(values))
    low, high = _ranks(ordered.size, share, confidence)
    return (
        float(ordered[low - 1]) if low > 0 else None,
        float(ordered[high - 1]) if high <= ordered.size else None,
    )


@functools.lru_cache(maxsize=256)
def _ranks(count: int, share: float, confidence: float) -> tuple[int, int]:
    """Return the ranks, counted from 1, of the ends of the interval; 0 and `count` + 1 where there is none."""
    # Probability that at most 0, 1, ... values are below the quantile.
    below = bdtr(np.arange(count + 1), count, share)
    outside = 0.5 * (1.0 - confidence)
    # Fewer values are below with a probability of less than `outside`.
    low = int(np.searchsorted(below, outside))
    return low, int(np.searchsorted(below, 1.0 - outside)) + 1


@dataclass(frozen=True)
class RankCorrelation:
    """Spearman's rank correlation of an input and a metric, over the runs where both are finite."""

    input: str
    metric: str
    coefficient: float
    p_value: float
    runs: int


def rank_correlation(name: str, x: ArrayLike, metric: str, y: ArrayLike) -> RankCorrelation | None:
    """Return Spearman's rank correlation; None where there are too few values or no variation."""
    a, b = np.asarray(x, float), np.asarray(y, float)
    both = np.isfinite(a) & np.isfinite(b)
    a, b = a[both], b[both]
    if a.size < FEWEST or np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return None
    from scipy import stats  # slow to import

    correlation = stats.spearmanr(a, b)
    return RankCorrelation(name, metric, float(correlation.statistic), float(correlation.pvalue), int(a.size))


@dataclass(frozen=True)
class SobolIndices:
    """Sobol' indices of a metric per dispersion: first order and total."""

    names: tuple[str, ...]
    first: Array
    total: Array
    first_interval: Array
    """(d, 2), bootstrap."""
    total_interval: Array
    complete: int
    """Base points of which all runs have a value."""
    left_out: int


def sobol_indices(names: tuple[str, ...], values: ArrayLike, confidence: float = 0.95) -> SobolIndices | None:
    """Return first-order and total indices from the values of a Saltelli design in the order of its runs.

    Base points with a missing value are omitted; None if too few remain or the metric is constant.
    """
    design = len(names) + 2
    y = np.asarray(values, float)
    y = y[: y.size - y.size % design].reshape(-1, design)
    known = np.isfinite(y).all(axis=1)
    y = y[known]
    if len(y) < FEWEST or np.ptp(y[:, :2]) == 0.0:
        return None
    y = y - y[:, :2].mean()  # reduces the variance of the estimators
    first, total = _indices(y)
    rng = np.random.default_rng(0)
    again = np.array([_indices(y[rng.integers(0, len(y), len(y))]) for _ in range(RESAMPLES)])
    ends = np.quantile(again, (0.5 - confidence / 2.0, 0.5 + confidence / 2.0), axis=0)
    return SobolIndices(
        names=names,
        first=first,
        total=total,
        first_interval=ends[:, 0].T,
        total_interval=ends[:, 1].T,
        complete=len(y),
        left_out=int((~known).sum()),
    )


def _indices(y: Array) -> tuple[Array, Array]:
    """Return first-order (Saltelli 2010) and total (Jansen 1999) indices of the columns A, B, AB_1 ... AB_d.

    A. Saltelli et al., "Variance based sensitivity analysis of model output", 2010, Table 2 (b) and (f).
    """
    A, B, mixed = y[:, :1], y[:, 1:2], y[:, 2:]
    variance = float(np.var(y[:, :2]))
    if variance == 0.0:
        return np.zeros(mixed.shape[1]), np.zeros(mixed.shape[1])
    first = (B * (mixed - A)).mean(axis=0) / variance
    total = 0.5 * ((A - mixed) ** 2).mean(axis=0) / variance
    return first, total


@dataclass(frozen=True)
class Envelope:
    """Success rate over two inputs on a grid of cells, with Wilson intervals; without interpolation."""

    x_edges: Array
    y_edges: Array
    runs: Array
    """(nx, ny)."""
    successes: Array
    low: Array
    high: Array

    @property
    def share(self) -> Array:
        """Success rate (nx, ny); NaN in cells without runs."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.successes / np.where(self.runs > 0, self.runs, np.nan))


def capture_envelope(
    x: ArrayLike, y: ArrayLike, success: ArrayLike, cells: int = 8, confidence: float = 0.95
) -> Envelope:
    """Return the success rate over two inputs on `cells` by `cells` equal cells between their extremes."""
    a, b, s = np.asarray(x, float), np.asarray(y, float), np.asarray(success, bool)
    known = np.isfinite(a) & np.isfinite(b)
    a, b, s = a[known], b[known], s[known]
    x_edges, y_edges = _edges(a, cells), _edges(b, cells)
    runs, _, _ = np.histogram2d(a, b, bins=(x_edges, y_edges))
    successes, _, _ = np.histogram2d(a[s], b[s], bins=(x_edges, y_edges))
    ends = [wilson(int(k), int(n), confidence) for k, n in zip(successes.ravel(), runs.ravel())]
    low, high = (np.array(side).reshape(runs.shape) for side in zip(*ends))
    return Envelope(x_edges, y_edges, runs, successes, low, high)


def _edges(values: Array, cells: int) -> Array:
    if values.size == 0:
        return np.linspace(0.0, 1.0, cells + 1)
    low, high = float(values.min()), float(values.max())
    return np.linspace(low, high if high > low else low + max(abs(low), 1.0), cells + 1)


def _finite(values: ArrayLike) -> Array:
    array = np.asarray(values, float)
    return np.asarray(array[np.isfinite(array)])


def stop_rule_state(rule: dict[str, Any], successes: int, done: int, reached: bool) -> dict[str, Any]:
    """Return demanded and present half-width of the interval, whether the rule ended the campaign, and runs it needs.

    The number of runs is an estimate for the present success rate; None where it cannot be given.
    """
    low, high = wilson(successes, done, rule["confidence"])
    needed = done if reached else None
    if done and not reached:
        narrow = runs_for_half_width(successes / done, rule["half_width"], rule["confidence"])
        if narrow is not None:  # the rule is evaluated only after every so many runs
            needed = -(-max(narrow, rule["minimum"], done + 1) // rule["every"]) * rule["every"]
    return {
        "reached": reached,
        "half_width": rule["half_width"],
        "present_half_width": (high - low) / 2.0,
        "confidence": rule["confidence"],
        "runs_needed": needed,
    }
