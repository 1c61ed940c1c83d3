"""Campaigns whose runs depend on the results of earlier runs: subset simulation and refinement of a boundary.

The runs of a batch depend only on the campaign and on the margins of the runs before it. A resumed campaign repeats the
search with the stored margins, without simulating them, and continues where the table ends.
"""

import json
import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from softdock.campaign import boundary, subset
from softdock.campaign.distributions import Uniform, Vector, open_interval
from softdock.campaign.execution import Task
from softdock.campaign.margin import ResolvedMargin, resolve_margin
from softdock.campaign.plan import Inputs, Plan
from softdock.campaign.store import Store, column_unit
from softdock.campaign.surrogate import check_installed
from softdock.errors import RunError
from softdock.result import Array, plain_data


@dataclass(frozen=True)
class BoundaryAxis:
    """One coordinate of the inputs of a boundary."""

    name: str
    """Path of the field; `PATH.norm`, `PATH.direction` and `PATH.cosine` for a vector."""
    unit: str
    at: Callable[[Array], Array]
    """Returns the values [SI] at fractions of the range (n,)."""
    logarithmic: bool = False


def boundary_axes(plan: Plan) -> list[BoundaryAxis]:
    """Return the axes of a boundary in the order of its coordinates."""
    units, axes = plan.units(), []
    for path, distribution in plan.distributions.items():
        unit = column_unit(units, f"input.{path}")
        if isinstance(distribution, Vector):
            assert isinstance(distribution.magnitude, Uniform)
            axes.append(_scalar_axis(f"{path}.norm", unit, distribution.magnitude))
            axes.append(BoundaryAxis(f"{path}.direction", "rad", _direction))
            if distribution.size == 3:
                axes.append(BoundaryAxis(f"{path}.cosine", "", _cosine))
        else:
            assert isinstance(distribution, Uniform)
            axes.append(_scalar_axis(path, unit, distribution))
    return axes


def _scalar_axis(name: str, unit: str, distribution: Uniform) -> BoundaryAxis:
    return BoundaryAxis(
        name, unit, lambda x: distribution.at(np.asarray(x)[:, None]), distribution.logarithmic
    )


def _direction(x: Array) -> Array:
    """Return the angle from the first axis towards the second [rad]."""
    return 2.0 * math.pi * np.asarray(x)


def _cosine(x: Array) -> Array:
    """Return the cosine of the angle to the third axis."""
    return 1.0 - 2.0 * np.asarray(x)


class AdaptiveSearch(Protocol):
    """A method that chooses runs by the margins of earlier runs."""

    def batches(self) -> Generator[Array, Array, None]:
        """Yield the coordinates of the next runs (n, dims) and receive their margins."""

    def to_json(self) -> dict[str, Any]:
        """Return what was found so far as plain data."""


class AdaptiveCampaign:
    """The search of a campaign, and the conversion of its coordinates to inputs."""

    def __init__(self, plan: Plan) -> None:
        """Check the margin with one run; raises InputError."""
        if plan.campaign.method == "boundary":
            check_installed()
        self.plan, self.margin = plan, resolve_margin(plan)
        self.search = _search(plan, self.margin)

    def execute(self, store: Store, run_tasks: Callable[[list[Task]], bool]) -> bool:
        """Run the batches that the table does not contain; return whether the search has ended.

        `run_tasks` executes runs, stores their rows and returns whether all of them are done.
        """
        batches, number, known = self.search.batches(), 0, -1
        try:
            points = next(batches)
            while True:
                stop = number + len(points)
                margins = self._run_batch(store, number, self.inputs(points), run_tasks)
                if margins is None:
                    return False
                number = stop
                try:
                    points = batches.send(margins)
                except StopIteration:
                    break
                finally:
                    known = self._save(store, known)
        except subset.SearchError as error:
            field = "margin" if self.plan.campaign.margin else "success"
            raise self.plan.problem((field,), f"{error} {number} runs are kept in {store.folder}.") from None
        if isinstance(self.search, boundary.BoundaryRefinement):
            shape = self._shape(self.search)
            store.save_entry("boundary_shape", shape)
            self._save(store, -1, grid_runs=shape["grid_runs"])
        store.stop_at(number)
        return True

    def inputs(self, points: Array) -> list[Inputs]:
        """Return the inputs of runs at points of the search: standard normal for `subset`, fractions of ranges."""
        return self.plan.inputs_at(
            np.asarray(ndtr(points)) if self.plan.campaign.method == "subset" else points
        )

    def _run_batch(
        self, store: Store, start: int, inputs: Sequence[Inputs], run_tasks: Callable[[list[Task]], bool]
    ) -> Array | None:
        """Return the margins of a batch, after its missing runs are done; None after an interrupt."""
        rows = store.read_rows(start, start + len(inputs))
        missing = [(number, values) for number, values in enumerate(inputs, start) if number not in rows]
        if missing:
            if not run_tasks(missing):
                return None
            rows = store.read_rows(start, start + len(inputs))
        for number, values in enumerate(inputs, start):
            if json.loads(rows[number].inputs) != plain_data(values):
                raise RunError(
                    f"Run {number} of the table has other inputs than this machine computes, so the campaign cannot "
                    "be continued here. Continue it on the machine where it was started, or start a new campaign."
                )
        return np.array([self.margin.of(rows[number]) for number in range(start, start + len(inputs))])

    def _save(self, store: Store, known: int, **more: Any) -> int:
        """Store what was found where a level was added to the known ones; return the number of levels."""
        search_data = self.search.to_json()
        levels = len(search_data.get("levels", search_data.get("refinements", ())))
        if levels != known:
            store.save_entry("search", {"margin": self.margin.to_json(), **plain_data(search_data), **more})
        return levels

    def _shape(self, search: boundary.BoundaryRefinement) -> dict[str, Any]:
        """Return axes, grid, points and runs of a boundary in SI, as plain data."""
        axes, shape = boundary_axes(self.plan), search.shape()
        margins = np.where(np.isfinite(search.margin), search.margin, np.nan)
        data = {
            "axes": [
                {
                    "name": axis.name,
                    "unit": axis.unit,
                    "logarithmic": axis.logarithmic,
                    "values": axis.at(shape.axis),
                }
                for axis in axes
            ],
            "margin": _rounded(shape.level),
            "score": _rounded(shape.score),
            "probability": _rounded(ndtr(shape.score)),
            "points": np.column_stack([axis.at(shape.points[:, k]) for k, axis in enumerate(axes)]),
            "runs": np.column_stack([axis.at(search.x[:, k]) for k, axis in enumerate(axes)]),
            "margins": margins,
            "success": search.margin > 0.0,
            "grid_runs": shape.grid_runs,
        }
        return {name: plain_data(value) for name, value in data.items()}


def _rounded(values: Array) -> Array:
    """Return values with six significant digits, enough for drawing."""
    return np.array([float(f"{value:.6g}") for value in values.ravel()]).reshape(values.shape)


def _search(plan: Plan, margin: ResolvedMargin) -> subset.SubsetSimulation | boundary.BoundaryRefinement:
    campaign, sampler = plan.campaign, plan.sampler
    if campaign.method == "subset":
        return subset.SubsetSimulation(
            campaign.subset,
            campaign.runs,
            sampler.dims,
            lambda start, stop: np.asarray(ndtri(open_interval(sampler.points(start, stop)))),
        )
    return boundary.BoundaryRefinement(
        campaign.boundary, campaign.runs, campaign.seed, bool(margin.metric), sampler.points, sampler.dims
    )
