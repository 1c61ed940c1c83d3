"""Both engines of the docking benchmark simulate the same problem."""

import itertools
import math

import numpy as np
import pytest

pytest.importorskip("mujoco")

from softdock.bench import docking
from softdock.bench.contact_kinds import ball, plate, state
from softdock.bench.docking_mujoco import (
    Peer,
    Resolution,
    capsule,
    cavity_wedges,
    hulls,
    linear_contact,
    polyline,
)
from softdock.contact import ContactPair, CutCells, ElasticLayer

FLIGHT = 0.3
"""[s] Well before the first contact: the run-up is 20 mm."""
ROW = {"name", "value", "unit", "peer", "peer_value", "ratio", "aim"}


@pytest.fixture(scope="module")
def case():
    return docking.comparison()


def profile_of(case, name):
    return case.surfaces[name].read(case.directory)[0]


def test_case_has_only_features_of_both_engines(case):
    assert case.contacts
    assert not any((case.stops, case.drives, case.events, case.welds))
    assert all(spring.exponential is None for spring in case.springs.values())


def test_engines_agree_before_contact(case):
    flight = case.model_copy(update={"duration": FLIGHT})
    theirs = Peer(flight, Resolution(step=1e-3, wedges=8, chord=1e-3)).run(
        docking.RATE, docking.TIP, docking.PORT
    )
    ours = docking.path(flight)
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 100 * case.integrator.accuracy.length


def test_wedges_stand_back_from_the_cavity_by_no_more_than_their_corners(case):
    profile, count, chord = profile_of(case, "cavity"), 24, 1e-4
    line = np.array(polyline(profile, chord))
    widest = line[:, 1].max() * (1.0 / math.cos(math.pi / count) - 1.0)
    for corners in cavity_wedges(profile, count, chord):
        radius, z = np.hypot(corners[:, 0], corners[:, 1]), corners[:, 2]
        away = np.hypot(z[:, None] - line[:, 0], radius[:, None] - line[:, 1]).min(axis=1)
        assert np.sort(away)[len(away) // 2 - 1] <= widest


def test_hulls_fill_the_length_of_the_probe(case):
    profile = profile_of(case, "pantograph-outline")
    parts = list(hulls(profile, 16, 1e-4))
    ends = [(part[:, 2].min(), part[:, 2].max()) for part in parts]
    assert ends[0][0] == profile.segments[0].start[0]
    assert ends[-1][1] == pytest.approx(
        profile.segments[-1].end[0], abs=1e-6 * profile.size
    )  # its own tolerance
    assert all(one[1] == two[0] for one, two in itertools.pairwise(ends))


def test_front_of_the_bumper_is_a_ball(case):
    radius, _, centre = capsule(profile_of(case, "bumper-nose"))
    assert radius + centre == pytest.approx(profile_of(case, "bumper-nose").segments[-1].end[0])
    assert capsule(profile_of(case, "pantograph-outline")) is None


@pytest.mark.parametrize("force", [0.5, 20.0])
def test_linear_contact_is_that_of_the_layer_at_its_force(force):
    layer = ElasticLayer(areal_stiffness=2e9, damping=1e6, damping_depth=1e-4)
    radius, speed = 9e-3, 1e-6
    stiffness, damping = linear_contact(layer, radius, force)
    pair = ContactPair(surface_A=plate(), surface_B=ball(radius), layer=layer, quadrature=CutCells())
    place = (0.0, 0.0, radius - force / stiffness)
    pressed = pair.forces(state(), state(r=place))[1].F[2]
    faster = pair.forces(state(), state(r=place, v=(0.0, 0.0, -speed)))[1].F[2]
    assert pressed == pytest.approx(force, rel=0.01)  # a ball is no paraboloid: depth / radius
    assert (faster - pressed) / speed == pytest.approx(damping, rel=0.01)


@pytest.mark.slow
def test_benchmark_gives_rows(monkeypatch):
    monkeypatch.setattr(docking, "DURATION", 1.0)
    monkeypatch.setattr(docking, "TIME_LIMIT", 0.0)
    monkeypatch.setattr(docking, "STEPS", (2e-3,))
    rows = docking.run(lambda what, fraction: None)
    assert all({"name", "value", "unit"} <= set(row) <= ROW for row in rows)
    assert all(math.isfinite(row["value"]) for row in rows)
    assert sum("ratio" in row for row in rows) == 4
