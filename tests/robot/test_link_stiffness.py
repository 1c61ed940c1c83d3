"""Static stiffness between frames: single elements, chains, parallel paths, free directions."""

import numpy as np
import pytest

from softdock import simulate
from softdock.elements.spring.model import Spring
from softdock.elements.strut.model import Strut
from softdock.elements.weld.model import Weld
from softdock.model.stiffness import LinkStiffness
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.tree.frames import Anchor
from softdock.tree.joints import Prismatic, Revolute

SOLID = {"mass": 10.0, "inertia": (1.0, 1.0, 1.0)}


def stiffness(bodies, a="tool", b="client", at_b=(0.0, 0.0, 0.0), **elements):
    scenario = MultibodyScenario(
        duration=0.01,
        bodies=bodies,
        stiffness={"link": LinkStiffness(a=Anchor(body=a), b=Anchor(body=b, at=at_b))},
        **elements,
    )
    metrics = simulate(scenario).metrics
    return [metrics[f"stiffness_link_{one}"] for one in ("x", "y", "z", "rx", "ry", "rz")]


def weld(a, b, k=3e5, k_turn=200.0):
    return Weld(a=Anchor(body=a), b=Anchor(body=b), stiffness=k, angular_stiffness=k_turn, active=True)


def test_weld_between_floating_bodies_has_its_own_stiffness():
    found = stiffness({"tool": Body(**SOLID), "client": Body(**SOLID)}, welds={"w": weld("tool", "client")})
    np.testing.assert_allclose(found, [3e5] * 3 + [200.0] * 3, rtol=1e-9)


def test_lever_adds_its_rotation():
    """A force at a distance r from the weld also turns it: 1/k + r^2/k_turn."""
    arm = 0.1
    found = stiffness(
        {"tool": Body(**SOLID), "client": Body(**SOLID)},
        at_b=(0, 0, arm),
        welds={"w": weld("tool", "client")},
    )
    lateral = 1.0 / (1 / 3e5 + arm**2 / 200.0)
    np.testing.assert_allclose(found[:3], [lateral, lateral, 3e5], rtol=1e-9)


def test_elements_in_series_and_in_parallel():
    bodies = {
        "tool": Body(**SOLID),
        "probe": Body(**SOLID, parent="tool", joint=Prismatic(axis="z")),
        "client": Body(**SOLID),
    }
    springs = {"s": Spring(joint="probe", stiffness=1e5)}
    series = stiffness(bodies, springs=springs, welds={"w": weld("probe", "client")})
    assert series[2] == pytest.approx(1.0 / (1 / 1e5 + 1 / 3e5), rel=1e-9)
    assert series[0] == pytest.approx(3e5, rel=1e-9)
    both = stiffness(
        bodies, springs=springs, welds={"w": weld("probe", "client"), "x": weld("tool", "client", k=5e4)}
    )
    assert both[2] == pytest.approx(1.0 / (1 / 1e5 + 1 / 3e5) + 5e4, rel=1e-9)


def test_stiffness_is_zero_where_nothing_resists():
    strut = Strut(a=Anchor(body="tool"), b=Anchor(body="client", at=(0, 0, 1.0)), stiffness=1e4, length=1.0)
    found = stiffness({"tool": Body(**SOLID), "client": Body(**SOLID)}, struts={"s": strut})
    assert found[2] == pytest.approx(1e4, rel=1e-9)
    assert found[0] == found[1] == found[5] == 0.0


def test_hinge_on_the_ground_is_free_about_its_axis():
    bodies = {"tool": Body(**SOLID, joint=Revolute(axis="z"))}
    springs = {"s": Spring(joint="tool", stiffness=50.0)}
    held = stiffness(bodies, a="world", b="tool", springs=springs)
    assert held[5] == pytest.approx(50.0, rel=1e-9)
    assert held[:5] == [None] * 5  # the joint itself is rigid
