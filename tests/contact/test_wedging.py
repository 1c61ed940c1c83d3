"""Conical seats: axial force against normal force and friction, preload, self-locking below the friction angle."""

import math

import pytest
from tests.contact.conical_seats import STIFFNESS, seat_area, seat_contact, seat_surfaces

from softdock import simulate
from softdock.elements.drive.model import Drive
from softdock.elements.load.model import Load
from softdock.model.surfaces import Contact, Layer
from softdock.model.system import Body
from softdock.scenario.multibody import Event, MultibodyScenario
from softdock.scenario.run_settings import Integrator
from softdock.theory import joining
from softdock.tree.joints import Prismatic

CREEP = 1e-5  # speed below which friction is reduced [m/s]


def seat(angle: float, friction: float, **changes) -> MultibodyScenario:
    """Return a cone of 2 kg on a slide along z, which seats in a fixed conical cavity at z = 0."""
    fields = {
        "duration": 0.2,
        "bodies": {"cone": Body(mass=2.0, joint=Prismatic(axis="z", position=-1e-5))},
        "surfaces": seat_surfaces(angle),
        "contacts": {"seat": seat_contact(friction, CREEP)},
        "metrics": {
            "force": "final seat.force",
            "position": "final cone.joint",
            "area": "final seat.area",
            "pressure": "final seat.pressure",
            "deepest": "max cone.joint",
        },
        "integrator": Integrator(accuracy={"length": 1e-9, "speed": 1e-8, "angle": 1e-8, "rate": 1e-8}),
    }
    return MultibodyScenario(**{**fields, **changes})


PUSH = {"push": Drive(joint="cone", target=5e-5, rate=5e-4, stiffness=1e9, damping=1e4)}


@pytest.mark.parametrize("angle_deg", [5.0, 15.0, 30.0])
@pytest.mark.parametrize("friction", [0.0, 0.1, 0.3])
def test_drive_force_gives_the_preload_of_the_closed_form(angle_deg, friction):
    """While the cone moves in, its normal force is that of the drive over sin a + mu cos a."""
    angle = math.radians(angle_deg)
    result = simulate(seat(angle, friction, duration=0.1, drives=PUSH))
    depth = result.metrics["position"]
    assert 3e-5 < depth < 5e-5
    assert result.metrics["area"] == pytest.approx(seat_area(angle), rel=5e-3)
    normal = STIFFNESS * seat_area(angle) * depth * math.sin(angle)
    assert joining.seat_normal_force(result.metrics["force"], angle, friction) == pytest.approx(
        normal, rel=5e-3
    )


@pytest.mark.parametrize(
    ("angle_deg", "friction", "locks"),
    [(5.0, 0.1, True), (5.0, 0.08, False), (16.0, 0.3, True), (17.5, 0.3, False)],
)
def test_seat_is_self_locking_below_the_friction_angle(angle_deg, friction, locks):
    """The push ends: a cone below the friction angle stays (it creeps slowly), a steeper one leaves."""
    angle = math.radians(angle_deg)
    assert joining.is_self_locking(angle, friction) is locks
    assert (joining.seat_release_force(100.0, angle, friction) > 0) is locks
    result = simulate(
        seat(
            angle,
            friction,
            duration=0.6,
            drives=PUSH,
            events={"end": Event(when="time > 0.1 s", then=({"disable": "push"},))},
        )
    )
    deepest, final = result.metrics["deepest"], result.metrics["position"]
    if locks:
        part = math.tan(angle) / friction  # relative to the largest friction that holds the cone
        creep = 0.5 * CREEP * part / math.sqrt(1.0 - part * part)
        assert deepest - final == pytest.approx(creep, rel=0.1)
        assert (
            result.metrics["force"] < 5.0
        )  # friction balances the normal force: nothing is left along the axis
        assert result.metrics["pressure"] == pytest.approx(STIFFNESS * final * math.sin(angle), rel=0.01)
    else:
        assert final < 0.0


def test_locked_seat_needs_the_release_force_of_the_closed_form():
    """A slow pull frees the cone at the force of the closed form."""
    angle, friction = math.radians(5.0), 0.2
    result = simulate(
        seat(
            angle,
            friction,
            duration=0.115,
            drives=PUSH,
            events={"back": Event(when="time > 0.1 s", then=({"drive": "push", "target": -1e-5},))},
            metrics={"in": "min seat.fz", "out": "max seat.fz"},
        )
    )
    pull = joining.seat_release_force(-result.metrics["in"], angle, friction)
    assert result.metrics["out"] == pytest.approx(pull, rel=0.02)


def test_frictionless_seat_has_the_depth_of_the_closed_form():
    """A constant load is carried by the layer alone: depth = F / (c A sin^2 a)."""
    angle = math.radians(30.0)
    force = 200.0
    load = Load(body="cone", force=(0, 0, force))
    damped = {
        "seat": Contact(
            a="cavity", b="plug", layer=Layer(stiffness=STIFFNESS, damping=3e7, damping_depth=1e-6)
        )
    }
    result = simulate(seat(angle, 0.0, duration=1.0, loads={"push": load}, contacts=damped))
    depth = force / (STIFFNESS * seat_area(angle) * math.sin(angle) ** 2)
    assert result.metrics["position"] == pytest.approx(depth, rel=5e-3)
