"""Refinement of the boundary between success and failure over a few inputs, with a surrogate.

Runs are added where the surrogate is most likely to be wrong about the side. Coordinates are fractions of the ranges of
the inputs.
"""

import itertools
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from softdock.campaign.model import Boundary
from softdock.campaign.sampling import sobol_points
from softdock.campaign.statistics import wilson
from softdock.campaign.subset import SearchError
from softdock.campaign.surrogate import Surrogate, fit_surrogate
from softdock.result import Array

INITIAL_PER_INPUT = 10
CERTAIN = 0.975  # probability above which a side is certain
POOL = 4096  # points of the unit cube for volumes and candidates
SETTLED = 2  # refinements in succession that must satisfy the tolerance
GRID = {2: 101, 3: 31, 4: 13}
"""Points along each input of the stored grid, by the number of inputs."""
HOLDOUT_LEVEL = -1
"""Level of the runs that only test the surrogate."""


@dataclass(frozen=True)
class SurrogateRefinement:
    """What the surrogate states after some runs; volumes are fractions of that of the ranges."""

    level: int
    runs: int
    """Runs that the surrogate uses."""
    uncertain_volume: float
    """Fraction whose side has a probability below `CERTAIN`."""
    expected_error: float
    """Fraction that is expected to be on the wrong side."""
    success_volume: float
    holdout_error: float
    """Share of the hold-out runs that the surrogate puts on the wrong side."""


class BoundaryRefinement:
    """State of a refinement; `batches` drives it, the other members describe what was found so far."""

    def __init__(
        self, settings: Boundary, runs: int, seed: int, continuous: bool, points: "Points", dims: int
    ) -> None:
        """Store the settings; `points` returns random points (n, dims) of the unit cube for runs start to stop."""
        self.settings, self.most_runs, self.seed = settings, runs, seed
        self.continuous, self.points, self.dims = continuous, points, dims
        self.refinements: list[SurrogateRefinement] = []
        self.runs = 0
        self.reached = False
        """Whether the uncertain volume is within the tolerance."""
        self.x, self.margin = np.empty((0, dims)), np.empty(0)
        self.x_test, self.margin_test = np.empty((0, dims)), np.empty(0)
        self.surrogate: Surrogate | None = None

    def batches(self) -> Generator[Array, Array, None]:
        """Yield the coordinates of the next runs (n, dims) and receive their margins; raises SearchError."""
        initial = initial_runs(self.settings, self.dims)
        yield from self._add(sobol_points(self.seed, self.dims, 0, initial))
        self.x_test = self.points(initial, initial + self.settings.holdout)
        self.runs += len(self.x_test)
        self.margin_test = yield self.x_test
        pool = sobol_points(self.seed + 1, self.dims, 0, POOL)
        while True:
            self.surrogate = fit_surrogate(self.x, self.margin, self.continuous)
            chance = self._evaluate(pool)
            count = min(self.settings.batch, self.most_runs - self.runs)
            if self.reached or count <= 0:
                break
            yield from self._add(_choose(pool, chance, self.x, count))
        self._check_sides()

    def _add(self, x: Array) -> Generator[Array, Array, None]:
        self.runs += len(x)
        margin = yield x
        self.x, self.margin = np.vstack((self.x, x)), np.concatenate((self.margin, margin))

    def _evaluate(self, pool: Array) -> Array:
        """Record what the surrogate states; return the probability of success at the pool."""
        if self.surrogate is None:
            return np.full(len(pool), 0.5)
        chance = np.asarray(ndtr(self.surrogate.score(pool)))
        wrong = np.minimum(chance, 1.0 - chance)
        tested = self.surrogate.score(self.x_test) > 0.0
        self.refinements.append(
            SurrogateRefinement(
                level=-(-(len(self.x) - initial_runs(self.settings, self.dims)) // self.settings.batch),
                runs=len(self.x),
                uncertain_volume=float((wrong > 1.0 - CERTAIN).mean()),
                expected_error=float(wrong.mean()),
                success_volume=float(chance.mean()),
                holdout_error=float((tested != (self.margin_test > 0.0)).mean()),
            )
        )
        last = self.refinements[-SETTLED:]
        self.reached = len(last) == SETTLED and all(
            refinement.uncertain_volume <= self.settings.tolerance for refinement in last
        )
        return chance

    def _check_sides(self) -> None:
        good = np.concatenate((self.margin, self.margin_test)) > 0.0
        if good.all() or not good.any():
            raise SearchError(
                f"All {len(good)} runs {'succeed' if good.all() else 'fail'}; the ranges contain no boundary that "
                "these runs can find. Widen the ranges, or change the limit."
            )
        if self.surrogate is None:
            raise SearchError(
                f"{self.runs} runs are too few for a boundary: only hold-out runs are on its other side. Increase "
                "'runs', or narrow the ranges."
            )

    def to_json(self) -> dict[str, Any]:
        """Return what was found as plain data, without the boundary itself."""
        if not self.refinements:
            return {"runs": self.runs, "reached": False, "refinements": []}
        last, count = self.refinements[-1], len(self.margin_test)
        wrong = round(last.holdout_error * count)
        low, high = wilson(wrong, count)
        return {
            "runs": self.runs,
            "reached": self.reached,
            "tolerance": self.settings.tolerance,
            "surrogate": self.surrogate.kind if self.surrogate else None,
            "uncertain_volume": last.uncertain_volume,
            "expected_error": last.expected_error,
            "success_volume": last.success_volume,
            "holdout": {"runs": count, "wrong": wrong, "error": last.holdout_error, "low": low, "high": high},
            "refinements": [asdict(refinement) for refinement in self.refinements],
        }

    def shape(self) -> "BoundaryShape":
        """Return the boundary on a grid and as points."""
        assert self.surrogate is not None
        axis = np.linspace(0.0, 1.0, GRID[self.dims])
        nodes = np.stack(np.meshgrid(*[axis] * self.dims, indexing="ij"), axis=-1)
        shape = nodes.shape[:-1]
        flat = nodes.reshape(-1, self.dims)
        level = self.surrogate.level(flat).reshape(shape)
        return BoundaryShape(
            axis=axis,
            level=level,
            score=self.surrogate.score(flat).reshape(shape),
            points=_crossings(axis, level),
            grid_runs=_grid_runs(level, max(self.refinements[-1].uncertain_volume, self.settings.tolerance)),
        )


@dataclass(frozen=True)
class BoundaryShape:
    """The boundary in fractions of the ranges."""

    axis: Array
    """Coordinates of the grid along every input."""
    level: Array
    """Predicted margin at the nodes of the grid, or the score where only sides are known."""
    score: Array
    """Normal score of the probability of success at the nodes."""
    points: Array
    """(n, dims) points on the boundary, where it crosses edges of the grid."""
    grid_runs: float
    """Runs of a grid whose cells on the boundary have the uncertain volume, or the tolerance where it is larger."""


Points = Callable[[int, int], Array]


def initial_runs(settings: Boundary, dims: int) -> int:
    """Return the number of runs before the refinement."""
    return settings.initial or INITIAL_PER_INPUT * dims


def level_of_runs(settings: Boundary, dims: int, runs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the level of runs by their numbers: 0 initial, -1 hold-out, then one level per refinement."""
    initial = initial_runs(settings, dims)
    after = runs - initial - settings.holdout
    level = np.where(after >= 0, after // settings.batch + 1, HOLDOUT_LEVEL)
    return np.where(runs < initial, 0, level)


def _choose(pool: Array, chance: Array, x: Array, count: int) -> Array:
    """Return the next points: likely to be wrong and far from other points; the last one only far, to explore."""
    wrong = np.minimum(chance, 1.0 - chance)
    uncertain = wrong > 1.0 - CERTAIN
    if uncertain.any():
        wrong = np.where(uncertain, wrong, 0.0)
    distance = np.full(len(pool), np.inf)
    for point in x:
        distance = np.minimum(distance, np.linalg.norm(pool - point, axis=1))
    chosen = []
    for k in range(count):
        explore = (k == count - 1 and count > 1) or not (wrong * distance).any()
        place = int(np.argmax(distance if explore else wrong * distance))
        chosen.append(pool[place])
        distance = np.minimum(distance, np.linalg.norm(pool - pool[place], axis=1))
    return np.array(chosen)


def _crossings(axis: Array, level: Array) -> Array:
    """Return the points where the zero of `level` crosses the edges of a grid, by linear interpolation."""
    crossings = []
    for k in range(level.ndim):
        first = np.moveaxis(level, k, 0)[:-1]
        second = np.moveaxis(level, k, 0)[1:]
        places = np.argwhere((first > 0.0) != (second > 0.0))
        if len(places):
            a, b = first[tuple(places.T)], second[tuple(places.T)]
            points = axis[np.concatenate((places[:, 1 : k + 1], places[:, :1], places[:, k + 1 :]), axis=1)]
            points[:, k] += a / (a - b) * (axis[1] - axis[0])
            crossings.append(points)
    return np.vstack(crossings) if crossings else np.empty((0, level.ndim))


def _grid_runs(level: Array, uncertain: float) -> float:
    """Return the runs of a full grid whose cells on the boundary have the volume `uncertain`, Eq. (U11)."""
    corners = np.stack(
        [
            level[tuple(slice(k, level.shape[0] - 1 + k) for k in corner)] > 0.0
            for corner in itertools.product((0, 1), repeat=level.ndim)
        ]
    )
    cut = float((corners.any(axis=0) & ~corners.all(axis=0)).mean())
    cells = cut * (level.shape[0] - 1) / uncertain
    return float((max(cells, 1.0) + 1.0) ** level.ndim)
