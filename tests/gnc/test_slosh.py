"""Propellant slosh: frequencies of spring and pendulum in a free spacecraft against closed forms."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from ruamel.yaml import YAML
from scipy.optimize import brentq
from scipy.special import jvp
from tests.gnc.chasers import MASS, box_of_thrusters, chaser, controller

from softdock.errors import InputError
from softdock.gnc.slosh import FIRST_ROOT, slosh_pendulum, slosh_spring
from softdock.simulation import simulate

FINE = {"accuracy": {"length": 1e-10, "angle": 1e-10, "speed": 1e-9, "rate": 1e-9}}


def period(t: np.ndarray, x: np.ndarray) -> float:
    """Return the mean time between upward crossings of zero, by linear interpolation."""
    k = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    crossings = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    return float(np.diff(crossings).mean())


def test_spring_mass_in_a_free_spacecraft_has_its_frequency() -> None:
    m = 60.0
    spring = slosh_spring(m, 0.3, 0.0)
    fuel = {"mass": m, "parent": "chaser", "joint": {"type": "prismatic", "axis": "z", "position": 0.05}}
    result = simulate(
        chaser(
            controller(mode="drift"), duration=40.0, bodies={"fuel": fuel}, integrator=FINE, record={"rate": 50.0},
            springs={"slosh": {"joint": "fuel", "stiffness": spring.stiffness, "damping": spring.damping}},
        )
    )  # fmt: skip
    exact = 2.0 * math.pi / math.sqrt(spring.stiffness / m * (1.0 + m / MASS))  # Eq. (K38)
    assert period(result.history.time, result.history["fuel.joint"]) == pytest.approx(exact, rel=1e-6)
    assert result.audit.linear_momentum_drift is None  # thrusters could act
    assert result.audit.energy_residual < 1e-6


def test_pendulum_swings_under_thrust_with_its_frequency() -> None:
    """Four thrusters of 22 N are always on; the pivot is at the centre of mass: the spacecraft does not turn."""
    m, length, thrust = 80.0, 0.5, 88.0
    fuel = {
        "mass": m, "inertia": (1e-9, 1e-9, 1e-9), "parent": "chaser", "centre_of_mass": (0.0, 0.0, -length),
        "joint": {"type": "universal", "angles": (0.01, 0.0)},
    }  # fmt: skip
    gnc = controller(
        mode="thrust", thrust=thrust, thrusters=box_of_thrusters(), assumed={"centre_of_mass": (0, 0, 0)}
    )
    result = simulate(
        chaser(gnc, duration=120.0, bodies={"fuel": fuel}, integrator=FINE, record={"rate": 20.0})
    )
    exact = 2.0 * math.pi * math.sqrt(MASS * length / thrust)
    assert period(result.history.time, result.history["fuel.joint"]) == pytest.approx(exact, rel=1e-4)
    assert np.abs(result.history["chaser.wx"]).max() < 1e-9


def test_pendulum_of_a_cylindrical_tank_equals_its_limits() -> None:
    """The root of J1', and limits: length R / xi of a deep tank, and the speed of shallow waves."""
    assert pytest.approx(brentq(lambda x: jvp(1, x), 1.5, 2.0), rel=1e-12) == FIRST_ROOT
    deep = slosh_pendulum(0.5, 5.0, 100.0)
    assert deep.length == pytest.approx(0.5 / FIRST_ROOT, rel=1e-6)
    shallow, g = slosh_pendulum(0.5, 0.005, 10.0), 9.81
    assert math.sqrt(g / shallow.length) == pytest.approx(FIRST_ROOT / 0.5 * math.sqrt(g * 0.005), rel=1e-3)
    assert shallow.mass / 10.0 == pytest.approx(2.0 / (FIRST_ROOT**2 - 1.0), rel=1e-3)
    with pytest.raises(InputError, match="radius"):
        slosh_pendulum(0.0, 1.0, 1.0)


def test_the_example_of_the_manual_is_valid() -> None:
    text = (Path(__file__).parents[2] / "docs/scenario-files.md").read_text(encoding="utf-8")
    example = re.search(r"    bodies:\n      fuel-z:.*?(?=\n\n)", text, re.DOTALL)
    assert example
    given = YAML(typ="safe").load(example.group())
    scenario = chaser(
        controller(mode="thrust", thrust=20.0), duration=5.0, bodies=given["bodies"], springs=given["springs"]
    )
    result = simulate(scenario)
    assert np.abs(result.history["fuel-z.joint"]).max() > 1e-3
