"""Torques of every torque period, and commands that are interpolated over a cycle, of an arm with one joint."""

from pathlib import Path

import numpy as np
import pytest

import softdock
from softdock.errors import InputError
from softdock.result import Result
from softdock.robot.torque_log import TorqueLog
from softdock.robot.trajectory import planned_speed
from softdock.scenario.loading import from_data

MASS, ARM, TURNING = 4.0, 0.5, 0.2  # kg; m to the centre of mass; kg m2 about it
INERTIA = TURNING + MASS * ARM**2
FRICTION = 2.0  # N m s/rad
SPEED, ACCELERATION, JERK = 0.02, 0.5, 1.0
URDF = f"""<robot name="one"><link name="base"><inertial><mass value="5"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="beam"><inertial><origin xyz="{ARM} 0 0"/><mass value="{MASS}"/>
<inertia ixx="0.1" iyy="0.2" izz="{TURNING}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="beam"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="200" velocity="3"/><dynamics damping="{FRICTION}" friction="0"/></joint></robot>"""
PERIODS = [0.005, 0.02, 0.05]


def turn(folder: Path, period: float, interpolation: str | None = None, **changes: object) -> Result:
    (folder / "one.urdf").write_text(URDF)
    control = {"period": period, "torque_period": 1e-3, "stiffness": 4000, "damping_ratio": 0.7}
    if interpolation is not None:
        control["interpolation"] = interpolation
    data = {
        "kind": "robot",
        "arm": {"file": str(folder / "one.urdf")},
        "control": control,
        "pace": {"joint_speed": SPEED / 3.0, "joint_acceleration": ACCELERATION, "joint_jerk": JERK},
        "moves": [{"joints": [0.1], "wait": 0.3}],
        **changes,
    }
    return softdock.simulate(from_data(data, "own"))


def cruise(result: Result) -> np.ndarray:
    """Return the rows of the middle second, in which the joint turns at constant speed, over whole cycles."""
    t = result.history.time
    return np.asarray((t > 2.0 + 1e-9) & (t < 3.0 + 1e-9))


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("interpolation", ["hold", "linear", "cubic"])
def test_the_mean_torque_of_a_slow_turn_is_what_acts(tmp_path, period, interpolation):
    """At constant speed nothing accelerates the beam: behind the friction of the motor the mean torque is zero.

    The ripple of a staircase repeats with the cycle, so that it has no mean over whole cycles.
    """
    result = turn(tmp_path, period, interpolation)
    torque = result.history["hinge.torque"][cruise(result)]
    speed = result.history["beam.joint_rate"][cruise(result)]
    assert torque.mean() == pytest.approx(0.0, abs=0.01)
    if interpolation != "hold":
        assert speed == pytest.approx(SPEED, rel=1e-3)
        assert np.abs(torque).max() < 0.01


@pytest.mark.parametrize("interpolation", ["hold", "cubic"])
def test_peak_torques_are_the_largest_of_all_torque_periods(tmp_path, interpolation):
    """Rows at the torque period show each of them; a tenth of the rows gives the same metrics and the same peak."""
    fine, coarse = (turn(tmp_path, 0.02, interpolation, record={"rate": rate}) for rate in (1000, 20))
    assert len(coarse.history.time) < 0.03 * len(fine.history.time)
    largest = np.abs(fine.history["hinge.torque"]).max()
    for result in (fine, coarse):
        peak = result.metrics["peak_torque_hinge"]
        # Friction changes within a period by its coefficient times the change of speed.
        assert peak == pytest.approx(largest, abs=FRICTION * peak / INERTIA * 1e-3)
        assert np.abs(result.history["hinge.torque_peak"]).max() == peak
        assert result.metrics["torque_used"] == peak / 200.0
    assert coarse.metrics == fine.metrics


def test_a_staircase_of_commands_kicks_the_joint_and_a_cubic_does_not(tmp_path):
    """A step of the command by v T costs stiffness times step; the plan asks for inertia times sqrt(v j)."""
    peaks = {
        (how, period): turn(tmp_path, period, how).metrics["peak_torque_hinge"]
        for how in ("hold", "cubic")
        for period in PERIODS
    }
    for period in (0.02, 0.05):
        assert peaks["hold", period] > 0.4 * 4000 * SPEED * period
        assert peaks["cubic", period] == pytest.approx(peaks["cubic", 0.005], rel=0.03)
    assert peaks["cubic", 0.02] < 2.0 * INERTIA * np.sqrt(SPEED * JERK)


def test_planned_moves_are_interpolated_unless_a_staircase_is_asked_for(tmp_path):
    plain, cubic, hold = (turn(tmp_path, 0.05, how) for how in (None, "cubic", "hold"))
    assert plain.metrics == cubic.metrics
    assert plain.metrics["peak_torque_hinge"] < 0.2 * hold.metrics["peak_torque_hinge"]
    assert len(np.unique(np.round(hold.history["hinge.command"], 9))) < 0.3 * len(
        np.unique(np.round(plain.history["hinge.command"], 9))
    )


def test_a_static_hold_against_gravity_bears_the_weight_whatever_the_interpolation(tmp_path):
    for how in ("hold", "cubic"):
        result = turn(tmp_path, 0.05, how, gravity=[0, -9.81, 0], moves=[{"wait": 0.6}], record={"rate": 50})
        weight = MASS * 9.81 * ARM
        late = result.history.time > 0.3
        torque = result.history["hinge.torque"][late]
        assert torque == pytest.approx(weight * np.cos(result.history["beam.joint"][late]), rel=1e-3)
        assert result.metrics["peak_torque_hinge"] == pytest.approx(weight, rel=0.02)


def test_unknown_interpolation_is_refused(tmp_path):
    with pytest.raises(InputError, match="interpolation"):
        turn(tmp_path, 0.02, "spline")


def test_speeds_of_a_plan_are_central_differences_and_zero_at_rest():
    before, now, after = np.array([0.0, 1.0, 0.0]), np.array([0.1, 1.0, 0.2]), np.array([0.3, 1.1, 0.2])
    assert planned_speed(before, now, after, 0.1) == pytest.approx([1.5, 0.0, 0.0])


def test_torques_between_rows_are_means_and_largest_values_of_all_periods():
    """Periods of 1 s with torques 1, -5, 2 and 2: rows inside, across and at the ends of periods."""
    torque = np.array([[1.0], [-5.0], [2.0], [2.0]])
    log = TorqueLog(
        start=0.0, t=np.arange(1.0, 5.0), command_before=np.zeros(1), command=np.zeros((4, 1)),
        interpolated=False, qdot=np.zeros((4, 1)), torque_begin=torque, torque_end=torque, external=torque,
    )  # fmt: skip
    mean, largest = log.torques_between(np.array([0.0, 0.5, 1.0, 2.5, 4.0]))
    assert mean.ravel() == pytest.approx([1.0, 1.0, 1.0, (-5.0 + 0.5 * 2.0) / 1.5, 2.0])
    assert largest.ravel().tolist() == [1.0, 1.0, 1.0, -5.0, 2.0]
    assert log.peaks == [5.0]
