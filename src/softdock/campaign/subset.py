"""Subset simulation: a small failure probability as a product of larger conditional probabilities.

S.-K. Au, J. L. Beck, "Estimation of small failure probabilities in high dimensions by subset simulation", 2001. Chains
use conditional sampling with an adaptive spread (I. Papaioannou, W. Betz, K. Zwirglmaier, D. Straub, "MCMC algorithms
for subset simulation", 2015): every candidate is a sample of the normal distribution that is correlated with the
current sample, and only the margin decides whether it is accepted.
"""

import math
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from softdock.campaign.model import Subset
from softdock.campaign.statistics import wilson
from softdock.result import Array

ACCEPTANCE = (
    0.44  # optimal rate of acceptance of one-dimensional random walks (Papaioannou et al., section 5)
)
GROUPS = 5  # of chains per level; the spread changes between groups, so that a group runs in parallel
FIRST_SPREAD = 0.6  # start of the adaptation (Papaioannou et al., section 5)


class SearchError(ValueError):
    """The margin does not permit the method; the message says why."""


@dataclass(frozen=True)
class Level:
    """One level of a subset simulation."""

    level: int
    threshold: float
    """Largest margin of the samples that start the next level; 0 for the last level."""
    probability: float
    """Conditional probability of a margin of at most the threshold."""
    runs: int
    """New runs of this level."""
    acceptance: float | None
    """Share of accepted candidates; None for the first level, which has no chains."""
    correlation: float
    """Factor gamma of Eq. (U6) by which the correlation of the chains increases the variance."""
    coefficient_of_variation: float | None
    """Of the conditional probability, Eq. (U6); None without a sample below the threshold."""


@dataclass(frozen=True)
class _LevelSamples:
    """Samples of a level, chain by chain."""

    z: Array
    """(n, dims), standard normal."""
    margin: Array
    root: NDArray[np.int64]
    """Number of the sample of the first level from which each sample descends."""
    steps: int
    """Samples of a chain; 1 in the first level."""


class SubsetSimulation:
    """State of a subset simulation; `batches` drives it, the other members describe what was found so far."""

    def __init__(self, settings: Subset, runs: int, dims: int, noise: Callable[[int, int], Array]) -> None:
        """Store the settings; `noise` returns standard normal numbers (n, dims) of runs start to stop.

        `runs` is the largest number of runs.
        """
        self.settings, self.most_runs, self.dims, self.noise = settings, runs, dims, noise
        self.levels: list[Level] = []
        self.runs = 0
        self.reached = False
        """Whether the last level contains enough failures."""
        self.failures = 0
        self._spread = FIRST_SPREAD
        self._scatter: Array = np.zeros(0)

    def batches(self) -> Generator[Array, Array, None]:
        """Yield the coordinates of the next runs (n, dims) and receive their margins; raises SearchError."""
        samples = yield from self._first_level()
        acceptance: float | None = None
        while self._add_level(samples, acceptance):
            samples, acceptance = yield from self._next_level(samples, self.levels[-1].threshold)

    def _first_level(self) -> Generator[Array, Array, _LevelSamples]:
        count = self.settings.level_runs
        z = self._draw(count)
        margin = yield z
        self._scatter = np.zeros(count)
        return _LevelSamples(z, margin, np.arange(count, dtype=np.int64), 1)

    def _next_level(
        self, samples: _LevelSamples, threshold: float
    ) -> Generator[Array, Array, tuple[_LevelSamples, float]]:
        """Run one chain from each of the samples with the smallest margins, all below the threshold."""
        steps = round(1.0 / self.settings.level_probability)
        seeds = np.sort(np.argsort(samples.margin, kind="stable")[: len(samples.margin) // steps])
        z, margin = np.empty((len(seeds), steps, self.dims)), np.empty((len(seeds), steps))
        z[:, 0], margin[:, 0] = samples.z[seeds], samples.margin[seeds]
        deviation, rates = samples.z[seeds].std(axis=0, ddof=1), []
        for group in np.array_split(np.arange(len(seeds)), GROUPS):
            spread = np.minimum(1.0, self._spread * deviation)
            kept, accepted = np.sqrt(1.0 - spread**2), 0.0
            for step in range(1, steps):
                candidate = kept * z[group, step - 1] + spread * self._draw(len(group))  # Eq. (U3)
                margins = yield candidate
                inside = margins <= threshold
                z[group, step] = np.where(inside[:, None], candidate, z[group, step - 1])
                margin[group, step] = np.where(inside, margins, margin[group, step - 1])
                accepted += float(inside.mean()) / (steps - 1)
            self._spread *= math.exp(accepted - ACCEPTANCE)  # Eq. (U4)
            rates.append(accepted)
        root = np.repeat(samples.root[seeds], steps)
        return _LevelSamples(z.reshape(-1, self.dims), margin.ravel(), root, steps), float(np.mean(rates))

    def _draw(self, count: int) -> Array:
        noise = self.noise(self.runs, self.runs + count)
        self.runs += count
        return noise

    def _add_level(self, samples: _LevelSamples, acceptance: float | None) -> bool:
        """Evaluate the samples of a level; return whether another level follows."""
        margin, count = samples.margin, len(samples.margin)
        seeds = round(count * self.settings.level_probability)
        threshold = float(np.partition(margin, seeds - 1)[seeds - 1])
        self.failures = int((margin <= 0.0).sum())
        self.reached = threshold <= 0.0
        last = self.reached or not self._has_room(count - seeds)
        if not last:
            self._check_progress(margin, threshold)
        inside = margin <= (0.0 if last else threshold)
        share = float(inside.mean())
        gamma = _chain_correlation(inside, samples.steps)
        variation = math.sqrt((1.0 - share) / (share * count) * (1.0 + gamma)) if share else None
        if share:
            np.add.at(self._scatter, samples.root, (inside - share) / (share * count))  # Eq. (U7)
        new = count if samples.steps == 1 else count - count // samples.steps
        self.levels.append(
            Level(
                level=len(self.levels), threshold=0.0 if last else threshold, probability=share, runs=new,
                acceptance=acceptance, correlation=gamma, coefficient_of_variation=variation,
            )
        )  # fmt: skip
        return not last

    def _has_room(self, runs: int) -> bool:
        return len(self.levels) + 1 < self.settings.levels and self.runs + runs <= self.most_runs

    def _check_progress(self, margin: Array, threshold: float) -> None:
        if float(margin.min()) == float(margin.max()):
            raise SearchError(
                f"The margin is {threshold:g} in all samples of level {len(self.levels)}; subset simulation needs a "
                "margin that varies with the dispersed fields."
            )
        before = self.levels[-1].threshold if self.levels else math.inf
        same = int((margin == threshold).sum())
        if threshold >= before or same > 0.5 * len(margin):
            raise SearchError(
                f"{same} of {len(margin)} samples of level {len(self.levels)} have the same margin of {threshold:g}; "
                "subset simulation needs a margin that varies continuously, also among the good runs."
            )

    @property
    def probability(self) -> float:
        """The failure probability, Eq. (U2)."""
        return math.prod(level.probability for level in self.levels)

    @property
    def coefficient_of_variation(self) -> float | None:
        """Coefficient of variation of the probability, Eq. (U7); None without a failure."""
        if not self.levels or self.probability == 0.0:
            return None
        return float(np.sqrt((self._scatter**2).sum()))

    def interval(self) -> tuple[float, float]:
        """Return the confidence interval of the probability, Eq. (U8); that of Wilson for a single level."""
        confidence = self.settings.confidence
        if not self.levels:
            return 0.0, 1.0
        count = self.settings.level_runs
        if len(self.levels) == 1:
            return wilson(self.failures, count, confidence)
        variation = self.coefficient_of_variation
        if variation is None:  # no failure: what the last level leaves possible
            before = math.prod(level.probability for level in self.levels[:-1])
            return 0.0, before * wilson(0, count, confidence)[1]
        width = float(ndtri(0.5 + confidence / 2.0)) * math.sqrt(math.log1p(variation**2))
        return self.probability * math.exp(-width), min(1.0, self.probability * math.exp(width))

    def to_json(self) -> dict[str, Any]:
        """Return what was found as plain data."""
        low, high = self.interval()
        variation = self.coefficient_of_variation
        probability = self.probability if self.levels else None
        return {
            "probability": probability,
            "low": low,
            "high": high,
            "confidence": self.settings.confidence,
            "coefficient_of_variation": variation,
            "reached": self.reached,
            "runs": self.runs,
            "monte_carlo_runs": (1.0 - probability) / (probability * variation**2)
            if probability and variation
            else None,
            "levels": [asdict(level) for level in self.levels],
        }


def level_of_runs(settings: Subset, runs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the level of runs by their numbers."""
    chains = settings.level_runs - round(settings.level_runs * settings.level_probability)
    return np.maximum(0, (runs - settings.level_runs) // chains + 1)


def _chain_correlation(inside: NDArray[np.bool_], steps: int) -> float:
    """Return the factor gamma of Eq. (U6) from the indicator of a level, chain by chain; 0 for independent samples."""
    chains = inside.reshape(-1, steps).astype(float)
    share = float(chains.mean())
    if steps == 1 or share in (0.0, 1.0):
        return 0.0
    gamma = 0.0
    for lag in range(1, steps):
        covariance = float((chains[:, : steps - lag] * chains[:, lag:]).mean()) - share**2
        gamma += 2.0 * (1.0 - lag / steps) * covariance / (share * (1.0 - share))
    return max(gamma, 0.0)
