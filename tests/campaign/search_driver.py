"""Drive the searches of campaigns with functions of known probability or boundary instead of runs."""

from collections.abc import Callable, Generator
from typing import Protocol

import numpy as np

from softdock.campaign.boundary import BoundaryRefinement
from softdock.campaign.model import Boundary, Subset
from softdock.campaign.subset import SubsetSimulation
from softdock.result import Array

MarginFunction = Callable[[Array], Array]


class _Search(Protocol):
    def batches(self) -> Generator[Array, Array, None]: ...


def drive(search: _Search, margin: MarginFunction) -> None:
    """Feed a search with the margins of a function until it ends."""
    batches = search.batches()
    points = next(batches)
    while True:
        try:
            points = batches.send(margin(points))
        except StopIteration:
            return


def simulate_subset(
    margin: MarginFunction, dims: int, seed: int, runs: int = 10**9, **settings: float
) -> SubsetSimulation:
    """Return a finished subset simulation of a function of standard normal variables."""
    rng = np.random.default_rng(seed)
    search = SubsetSimulation(
        Subset.model_validate(settings),
        runs,
        dims,
        lambda start, stop: rng.standard_normal((stop - start, dims)),
    )
    drive(search, margin)
    return search


def refine_boundary(
    margin: MarginFunction,
    dims: int,
    seed: int = 0,
    runs: int = 200,
    continuous: bool = True,
    **settings: float,
) -> BoundaryRefinement:
    """Return a finished refinement of the zero of a function over the unit cube."""
    rng = np.random.default_rng(seed)
    search = BoundaryRefinement(
        Boundary.model_validate(settings), runs, seed, continuous,
        lambda start, stop: rng.random((stop - start, dims)), dims,
    )  # fmt: skip
    drive(search, margin)
    return search
