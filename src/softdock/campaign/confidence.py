"""Confidence bounds of a probability, tolerance bounds of a percentile, and the numbers of runs that they need."""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, betaincinv, ndtri

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
