"""Friction that changes its direction within a small speed: runs end, and what cannot be resolved is refused."""

import math
from typing import Any

import pytest

from softdock import CouplingSeal, Drive, Friction, InputError, PinFriction, Spring, simulate
from softdock.dynamics.settings import StepTolerances
from softdock.quantities.fields import SLOWEST_SLIP
from softdock.scenario.robot import FrictionModel

SPEED, MASS = 0.1, 1.0


def slider(kind: str, friction: float, friction_speed: float) -> dict[str, Any]:
    """Return a scenario of a slider on a floating base, braked by the friction of a spring or of a drive."""
    element: dict[str, Any] = {"joint": "slider", "friction": friction, "friction_speed": friction_speed}
    element["friction_law"] = "smooth"
    if kind == "drives":
        element |= {"target": 0.0, "follows": "speed", "damping": 1e-6, "max_force": 1e-6}
    return {
        "kind": "multibody",
        "duration": 1.0,
        "bodies": {
            "base": {"mass": 10.0, "inertia": [1, 1, 1]},
            "slider": {
                "parent": "base", "mass": MASS, "inertia": [0.1, 0.1, 0.1],
                "joint": {"type": "prismatic", "axis": [1, 0, 0], "speed": SPEED},
            },
        },
        kind: {"brake": element},
        "metrics": {"path": "final slider.joint"},
        "integrator": {"max_steps": 5000},
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["springs", "drives"])
@pytest.mark.parametrize("friction", [1.0, 1e3, 1e9])
@pytest.mark.parametrize("speed", [1e-2, 1e-4, SLOWEST_SLIP])
def test_a_run_with_steep_friction_ends(kind: str, friction: float, speed: float) -> None:
    """Explicit steps alone would take more than the 5 million that a run may make.

    Friction F v / sqrt(v^2 + s^2) stops the reduced mass m after x = m / (2 F) (V sqrt(V^2 + s^2) + s^2 asinh(V / s)).
    """
    result = simulate(slider(kind, friction, speed))
    assert result.completed, result.message
    assert result.valid == "yes", result.warnings
    reduced = 10.0 * MASS / (10.0 + MASS)
    path = SPEED * math.hypot(SPEED, speed) + speed**2 * math.asinh(SPEED / speed)
    stop = 0.5 * reduced / friction * path
    steps = result.timing.steps
    assert result.metrics["path"] == pytest.approx(stop, abs=steps * StepTolerances().length)


@pytest.mark.parametrize("kind", ["springs", "drives"])
@pytest.mark.parametrize("friction", [30.0, 1e6, 1e12])
def test_a_run_with_the_steepest_friction_ends_or_says_why_it_cannot_go_on(
    kind: str, friction: float
) -> None:
    result = simulate(slider(kind, friction, SLOWEST_SLIP))
    assert result.timing.steps < 2000
    assert result.completed or "The steps became too small to go on" in result.message


@pytest.mark.parametrize(
    "make",
    [
        lambda speed: Spring(joint="j", friction=1e9, friction_speed=speed),
        lambda speed: Drive(joint="j", target=0.0, stiffness=1.0, max_force=1.0, friction=1.0, friction_speed=speed),
        lambda speed: Friction(coefficient=1e9, speed=speed),
        lambda speed: PinFriction(coefficient=0.1, speed=speed),
        lambda speed: PinFriction(coefficient=0.1, at_rest=0.2, stribeck_speed=speed),
        lambda speed: CouplingSeal(friction=20.0, speed=speed),
        lambda speed: FrictionModel(coulomb=1.0, speed=speed),
    ],
    ids=["spring", "drive", "contact", "pin", "pin at rest", "seal", "arm"],
)  # fmt: skip
def test_a_friction_speed_that_cannot_be_resolved_is_refused(make: Any) -> None:
    make(SLOWEST_SLIP)
    for speed in (1e-90, 0.0, 0.99 * SLOWEST_SLIP, math.nextafter(SLOWEST_SLIP, 0.0)):
        with pytest.raises(InputError, match=r"speed: Must be at least 1e-06 m/s"):
            make(speed)


def test_the_least_friction_speed_is_that_of_a_turning_joint_as_well() -> None:
    with pytest.raises(InputError, match=r"friction_speed: Must be at least 1e-06 rad/s"):
        Spring(joint="j", friction=1.0, friction_speed="1e-9 rad/s")
