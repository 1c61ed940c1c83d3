"""The impact paper's announced experiment on an air-bearing table: momentum, energy and its theory."""

import numpy as np
import pytest

from softdock.scenario.loading import load
from softdock.simulation import simulate
from softdock.spatial.rotations import matrix_from_quaternion
from softdock.theory import rmi

MASSES = {"chaser": 17.0, "probe": 2.0, "target": 15.0, "drogue": 1.5}
IDEAL = {
    "gravity": [0, 0, -9.80665],
    "contacts.impact.friction.coefficient": 0.0,
    **{
        f"springs.{body}-bearing-{axis}.friction": 0.0
        for body in ("chaser", "target")
        for axis in ("x", "y", "turn")
    },
}


def in_plane_momentum(result, row):
    """Return linear momentum along x and y [N s] and angular momentum about the vertical at the origin [N m s]."""
    bodies, system = result.prepared.scenario.bodies, np.zeros(3)
    for name, m in MASSES.items():
        value = {field: result.history[f"{name}.{field}"][row] for field in FIELDS}
        R = matrix_from_quaternion(np.array([value[f"q{axis}"] for axis in "wxyz"]))
        arm = R @ bodies[name].centre_of_mass
        w = np.array([0.0, 0.0, value["wz"]])
        place = np.array([value[axis] for axis in "xyz"]) + arm
        velocity = np.array([value[f"v{axis}"] for axis in "xyz"]) + np.cross(w, arm)
        inertia = R @ np.diag(bodies[name].inertia) @ R.T
        system += [m * velocity[0], m * velocity[1], m * np.cross(place, velocity)[2] + (inertia @ w)[2]]
    return system


FINE = {"length": 1e-8, "angle": 1e-8, "speed": 1e-8, "rate": 1e-8}
FIELDS = [*"xyz", *(f"q{axis}" for axis in "wxyz"), "vx", "vy", "vz", "wz"]
RECORD = {"record": {"rate": 1000, "also": [f"{body}.{field}" for body in MASSES for field in FIELDS]}}


def test_a_central_impact_on_the_table_is_that_of_the_chain():
    result = simulate("air-bearing-central")
    theory = rmi.predict_impact(17.0, 2.0, 1.5, 15.0, speed=0.05)
    assert result.outcome == "separated"
    assert result.prediction["effective_mass_ratio"] == pytest.approx(theory.effective_mass_ratio, rel=1e-9)
    after = result.metrics["relative_velocity_after"]
    assert after == pytest.approx(theory.relative_velocity_after, rel=2e-4)  # the springs push for 6.7 ms
    errors = []
    for stiffness in (3e10, 3e12):
        changes = {"contacts.impact.layer.stiffness": stiffness, "integrator.accuracy": FINE}
        found = simulate(load("air-bearing-central", changes)).metrics["relative_velocity_after"]
        errors.append(theory.relative_velocity_after - found)
    assert errors[0] > 10.0 * errors[1] > 0.0  # the theory is the limit of a stiff contact


@pytest.mark.parametrize("offset", [0.08, -0.13])
def test_a_level_table_without_friction_keeps_momentum_in_its_plane(offset):
    joint = {
        "type": "planar",
        "position": [-0.604, offset],
        "angle": 0.05,
        "velocity": [0.05, 0.004],
        "rate": 0.01,
    }
    result = simulate(load("air-bearing-offset", IDEAL | RECORD | {"bodies.chaser.joint": joint}))
    assert result.outcome == "separated"
    start = in_plane_momentum(result, 0)
    for row in range(len(result.history.time)):
        np.testing.assert_allclose(in_plane_momentum(result, row), start, rtol=0.0, atol=1e-6)
    assert abs(result.metrics["target_turn_rate"]) > 1e-3


def test_the_weight_is_carried_by_the_table_and_friction_slows_the_robots():
    floating, real = (simulate(load("air-bearing-offset", changes)) for changes in (IDEAL | RECORD, RECORD))
    lost = in_plane_momentum(floating, -1) - in_plane_momentum(real, -1)
    time = real.history.time[-1]
    # Friction of the moving chaser, and of the target after the impact, and the push of the tilt along x.
    friction, tilt = 5.6e-3 * time + 4.9e-3 * (time - 0.0904), 0.000342 * 35.5 * time
    assert lost[0] == pytest.approx(friction - tilt, abs=0.35 * friction)
    for result in (floating, real):
        assert np.ptp(result.history["chaser.z"]) == 0.0
        weight = {load.name: load.peak_force for load in result.loads}["chaser"]
        assert weight >= 19.0 * 9.80665 * (1.0 - 1e-9)
