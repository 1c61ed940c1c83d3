"""Random pairs of primitives against sums over points."""

from pathlib import Path

import numpy as np
import pytest
from tests.contact import brute_force
from tests.contact.solid_pairs import STIFFNESS, pair_of, press

from softdock.geometry.solids.solid import Solid
from softdock.model.surfaces import Surface


def solid_of(primitive: brute_force.Primitive) -> Solid:
    """Return a primitive as the package reads it."""
    surface = Surface.model_validate({"body": "a", "solid": primitive.model, "shape": "general"})
    return surface.read_solid(Path())[0]


def errors(count: int, seed: int) -> list[float]:
    """Return the differences of forces over the force, at least 1 N, of random pairs pressed by 20 to 300 um."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(count):
        A, B = brute_force.random_primitive(rng), brute_force.random_primitive(rng)
        pair, R = pair_of(solid_of(A), solid_of(B)), brute_force.random_attitude(rng)
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        aside = np.cross(direction, rng.normal(size=3)) * 0.3 * A.size
        low, high = 0.0, A.size + B.size + 0.01  # touching and apart
        while high - low > 1e-7:
            middle = 0.5 * (low + high)
            touches = press(pair, aside + middle * direction, R).energy > 0.0
            low, high = (middle, high) if touches else (low, middle)
        if high < 1e-3:
            continue  # it passes by
        place = aside + (high - rng.uniform(2e-5, 3e-4)) * direction
        own, exact = press(pair, place, R).wrench_B.F, brute_force.force(A, B, place, R, STIFFNESS)
        found.append(float(np.linalg.norm(own - exact) / max(np.linalg.norm(exact), 1.0)))
    return found


def test_random_pairs_agree_with_sums_over_points() -> None:
    """The sums over points 10 to 30 um apart err by up to about half a per cent at small forces."""
    found = errors(24, seed=3)
    assert len(found) > 15
    assert np.median(found) < 2e-3
    assert max(found) < 1e-2


@pytest.mark.long
def test_two_hundred_random_pairs() -> None:
    """The same for many pairs."""
    found = errors(200, seed=7)
    assert np.median(found) < 2e-3
    assert max(found) < 2e-2
