"""Largest depth and pressure at sharp edges of surface B, against a dense search over B."""

import itertools
import math

import numpy as np
import pytest

from softdock.bench.contact_kinds import STIFFNESS, bowl, plate, rotation, state
from softdock.contact import ContactPair, ElasticLayer
from softdock.geometry.profile import Line, Profile
from softdock.geometry.profile_arrays import sharp_edges
from softdock.geometry.vertices import rounded_profile
from softdock.model.surfaces import Contact, Layer, Surface
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.tree.joints import Fixed, Free

BOWL = 0.03


def lines(*places):
    return Profile(segments=tuple(Line(start=a, end=b) for a, b in itertools.pairwise(places)))


SOLIDS = {
    "cylinder": lines((-0.02, 0.0), (-0.02, 0.008), (0.02, 0.008), (0.02, 0.0)),
    "cone": lines((-0.012, 0.0), (0.012, 0.01), (0.012, 0.0)),
    "disc": lines((-0.001, 0.0), (-0.001, 0.02), (0.001, 0.02), (0.001, 0.0)),
    "foot without a side": lines((0.0, 0.0), (0.0, 0.01)),
}
DEPTHS = {
    "plate": (plate(), lambda x: -x[2]),
    "bowl": (bowl(BOWL), lambda x: np.linalg.norm(x, axis=0) - BOWL),
}


def points_of(profile):
    """Return points of the surface, shape (3, n), 0.05 deg apart on all edges."""
    phi = np.arange(7200) * math.tau / 7200
    ends = {s.start for s in profile.segments} | {s.end for s in profile.segments}
    return np.concatenate([[r * np.cos(phi), r * np.sin(phi), np.full_like(phi, z)] for z, r in ends], axis=1)


def touching_pose(surface, solid, rng):
    """Return attitude, position and largest depth of a solid in a random pose in contact with a surface."""
    _, depth = DEPTHS[surface]
    R = rotation((*rng.normal(size=2), 0.3 * rng.normal()), rng.uniform(0.02, math.pi))
    points = R @ points_of(SOLIDS[solid])
    wanted = math.exp(rng.uniform(math.log(30e-6), math.log(1e-3)))
    p = np.array([*rng.uniform(-2e-3, 2e-3, 2), 0.1 if surface == "plate" else 0.0])
    for _ in range(60):
        found = float(depth(points + p[:, None]).max())
        if abs(found - wanted) < 1e-12:
            break
        p[2] += found - wanted
    return R, p, found


@pytest.mark.parametrize("surface", DEPTHS)
@pytest.mark.parametrize("solid", SOLIDS)
def test_peaks_at_an_edge_are_those_of_its_deepest_point(surface, solid):
    rng, forces = np.random.default_rng(5), []
    pair = ContactPair(
        surface_A=DEPTHS[surface][0], surface_B=SOLIDS[solid], layer=ElasticLayer(areal_stiffness=STIFFNESS)
    )
    for _ in range(15):
        R, p, exact = touching_pose(surface, solid, rng)
        if not 0.0 < exact < 1.1e-3:
            continue  # too large for the bowl in this direction
        contact = pair.contact(state(), state(r=p, A=R))
        forces.append(float(np.linalg.norm(contact.wrench_B.F)))
        assert contact.depth == pytest.approx(exact, rel=1e-3)
        assert contact.pressure == pytest.approx(STIFFNESS * exact, rel=1e-3)
    assert len(forces) > 8
    assert max(forces) > 1.0


@pytest.mark.plain_python
def test_pressure_at_an_edge_has_its_damping():
    """c s + d(s) v, with the full damping beyond the damping depth and the speed of the edge itself."""
    layer = ElasticLayer(areal_stiffness=STIFFNESS, damping=1e7, damping_depth=50e-6)
    pair = ContactPair(surface_A=plate(), surface_B=SOLIDS["cylinder"], layer=layer)
    R, depth, speed, rate = rotation((0.0, 1.0, 0.0), 0.4), 200e-6, -0.01, 0.3
    lowest = min(
        R @ np.array([x, 0.0, z]) @ np.array([0, 0, 1.0]) for x in (-0.008, 0.008) for z in (-0.02, 0.02)
    )
    contact = pair.contact(
        state(), state(r=(0.0, 0.0, -lowest - depth), A=R, v=(0.0, 0.0, speed), omega=(0.0, rate, 0.0))
    )
    corner = min(
        (R @ np.array([x, 0.0, z]) for x in (-0.008, 0.008) for z in (-0.02, 0.02)), key=lambda q: q[2]
    )
    closing = -(speed + np.cross((0.0, rate, 0.0), corner)[2])
    assert contact.pressure == pytest.approx(STIFFNESS * depth + 1e7 * closing, rel=1e-6)


@pytest.mark.plain_python
@pytest.mark.parametrize("depth", [2e-6, 20e-6, 200e-6])
def test_a_run_sees_the_deepest_point_of_an_edge(depth):
    """This includes shallow contacts in which no point of a cell is inside the material."""
    tilt = 0.3
    low = 0.02 * math.cos(tilt) + 0.008 * math.sin(tilt)  # of the lower edge below the middle
    cylinder = ((-0.02, 0.0), (-0.02, 0.008), (0.02, 0.008), (0.02, 0.0))
    scenario = MultibodyScenario(
        kind="multibody",
        duration=1e-6,
        bodies={
            "plate": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Fixed()),
            "pin": Body(
                mass=1.0,
                inertia=(1e-3, 1e-3, 1e-3),
                joint=Free(
                    position=(0.0, 0.0, low - depth),
                    attitude=(math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0),
                ),
            ),
        },
        surfaces={
            "plate": Surface(body="plate", profile=((0.0, 0.05), (0.0, 0.0))),
            "pin": Surface(body="pin", profile=cylinder),
        },
        contacts={"hit": Contact(a="plate", b="pin", layer=Layer(stiffness=STIFFNESS))},
        metrics={"depth": "start hit.depth", "pressure": "start hit.pressure", "any": "start contact.depth"},
    )
    metrics = simulate(scenario, with_prediction=False).metrics
    assert metrics["depth"] == pytest.approx(depth, rel=1e-4)
    assert metrics["any"] == metrics["depth"]
    assert metrics["pressure"] == pytest.approx(STIFFNESS * depth, rel=1e-4)


@pytest.mark.plain_python
def test_sharp_edges_are_convex_corners_and_open_ends():
    assert [(e.z, e.radius, e.is_end) for e in sharp_edges(SOLIDS["cone"])] == [
        (0.012, 0.01, False),
        (-0.012, 0.0, False),
    ]
    assert [e.is_end for e in sharp_edges(SOLIDS["foot without a side"])] == [True]
    groove = lines((0.0, 0.02), (0.01, 0.02), (0.01, 0.01), (0.02, 0.01), (0.02, 0.02), (0.03, 0.02))
    corners = [(e.z, e.radius) for e in sharp_edges(groove) if not e.is_end]
    assert corners == [(0.01, 0.02), (0.02, 0.02)]
    rounded = rounded_profile([(0.0, 0.0), (0.0, 0.01), (0.02, 0.01), (0.02, 0.0)], [1e-3, 1e-3])
    assert sharp_edges(rounded) == ()
