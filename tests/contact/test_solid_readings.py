"""Surfaces of revolution, read as such and as solids of any shape, have the same contacts."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from softdock.bench.contact_kinds import KINDS, press, state
from softdock.contact import ContactPair, CutCells
from softdock.contact.pair import as_solid
from softdock.scenario.loading import load

BUNDLED = {
    "assist-soft-docking": ("bumper-drogue", "pantograph-drogue"),
    "assist-hard-docking": ("bumper-drogue",),
}
AGREEMENT = 2e-3
"""Cells of 0.1 N give forces above 1 N within about 0.1 % in either way."""


def as_solids(pair: ContactPair) -> ContactPair:
    """Return the pair with both surfaces as solids."""
    return replace(pair, surface_A=as_solid(pair.surface_A), surface_B=as_solid(pair.surface_B))


@pytest.mark.parametrize("name", KINDS)
def test_kinds_of_contact(name: str) -> None:
    """Points, rings, lines, conformal contacts and throats, at 1.5 N."""
    kind, rng = KINDS[name], np.random.default_rng(5)
    own, general = kind.pair(), as_solids(kind.pair())
    for _ in range(2):
        approach = kind.approach(rng)
        there = state(r=approach[1] + press(kind, approach, 1.5) * approach[2], A=approach[0])
        expected = own.forces(state(), there)[1]
        found = general.forces(state(), there)[1]
        assert np.linalg.norm(found.F - expected.F) < AGREEMENT * np.linalg.norm(expected.F)
        arm = 0.03 * np.linalg.norm(expected.F)
        assert np.linalg.norm(found.T - expected.T) < AGREEMENT * (np.linalg.norm(expected.T) + arm)


def pose_errors(scenario: str, contact: str, count: int) -> list[float]:
    """Return the differences of the forces over the force, above 1 N, for random poses along random approaches."""
    system, rng, found = load(scenario), np.random.default_rng(9), []
    given = system.contacts[contact]
    profiles = [system.surfaces[side].read(system.directory)[0] for side in (given.a, given.b)]
    own = given.to_pair(profiles[0], profiles[1], contact)
    own = replace(own, layer=replace(own.layer, damping=0.0), quadrature=CutCells(resolved_force=0.1))
    general = as_solids(own)
    size = max(profile.size for profile in profiles)
    for _ in range(20 * count):
        if len(found) == count:
            break
        R = Rotation.from_rotvec(rng.normal(size=3) * 0.15).as_matrix()
        start = np.array([*(0.2 * size * rng.normal(size=2)), 0.0])
        along = np.array([*(0.3 * rng.normal(size=2)), 1.0])
        place = None
        for at in np.linspace(size, -size, 400):
            result = own.contact(state(), state(r=start + at * along, A=R))
            force = np.linalg.norm(result.wrench_B.F)
            if force > 1.0:
                place = start + at * along
                break
        if place is None or result.depth > 2e-3:
            continue
        other = general.contact(state(), state(r=place, A=R))
        found.append(float(np.linalg.norm(other.wrench_B.F - result.wrench_B.F) / force))
    return found


@pytest.mark.parametrize(("scenario", "contact"), [(s, c) for s, names in BUNDLED.items() for c in names])
def test_bundled_pairs(scenario: str, contact: str) -> None:
    """Random poses of the bundled mechanisms."""
    assert max(pose_errors(scenario, contact, 5), default=0.0) < AGREEMENT
