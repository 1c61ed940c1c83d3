"""The two experiments of the peg-in-hole paper."""

import numpy as np
import pytest

import softdock
from robot.robots import LWR
from softdock.report.figures.peg import figures, intervals
from softdock.report.picture import save_picture
from softdock.result import Result

JOINTS = [f"joint_{k}" for k in range(1, 8)]
HEMISPHERE = 0.0175  # m; from the middle of the pin's cap to where it touches


def joint_values(result: Result, what: str, row: int) -> np.ndarray:
    return np.array([result.history[f"{name}.{what}"][row] for name in JOINTS])


def test_pin_slides_on_the_table_without_penetration(flat):
    assert flat.outcome == "slid"
    assert flat.metrics["refused_commands"] == 0
    assert flat.metrics["lowest_tip"] > -0.002  # the command goes to -50 mm
    assert flat.metrics["furthest_aside"] > 0.31
    assert len(intervals(flat, "table")) == 3
    assert flat.audit.energy_residual < 1e-5


def test_three_pushes_repeat(flat):
    """The state repeats after 11 s."""
    q = np.array([flat.history[f"{name}.position"] for name in JOINTS])
    t = flat.history.time
    times = np.linspace(5.0, 15.0, 101)
    first, third = (np.array([np.interp(times + shift, t, row) for row in q]) for shift in (11.0, 22.0))
    np.testing.assert_allclose(first, third, atol=2e-4)


def test_contact_force_and_joint_torques_agree_where_the_arm_rests(flat):
    """tau = g(q) + J^T f to 1 %, with Jacobian and gravity of another engine and a least-squares fit of the force."""
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromUrdf(str(LWR))
    base = model.jointPlacements[1]
    wall = pinocchio.SE3(pinocchio.utils.rotate("y", np.pi / 2), np.array([0.0, 0.0, 0.5]))
    model.jointPlacements[1] = wall * base
    pin = pinocchio.Inertia(0.3, np.array([0.0, 0.0, 0.06]), np.diag([3.8e-4, 3.8e-4, 4.6e-5]))
    flange = model.frames[model.getFrameId("flange")]
    model.appendBodyToJoint(flange.parentJoint, pin, flange.placement)
    at_tip = pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, 0.12 - HEMISPHERE]))
    tip = model.addFrame(
        pinocchio.Frame("tip", flange.parentJoint, flange.placement * at_tip, pinocchio.FrameType.OP_FRAME)
    )
    data = model.createData()
    row = int(np.searchsorted(flat.history.time, 9.99))  # the end of the first rest at the bottom
    q, tau = joint_values(flat, "position", row), joint_values(flat, "torque", row)
    weight = pinocchio.computeGeneralizedGravity(model, data, q)
    pinocchio.framesForwardKinematics(model, data, q)
    J = pinocchio.computeFrameJacobian(model, data, q, tip, pinocchio.LOCAL_WORLD_ALIGNED)[:3]
    # The point of contact is vertically below the centre of the cap for any tilt.
    lever = np.array([0.0, 0.0, -HEMISPHERE])
    turning = pinocchio.computeFrameJacobian(model, data, q, tip, pinocchio.LOCAL_WORLD_ALIGNED)[3:]
    J = J + np.cross(turning.T, lever).T
    f, *_ = np.linalg.lstsq(J.T, tau - weight, rcond=None)
    pushed = flat.history["table.force"][row]
    assert np.linalg.norm(J.T @ f + weight - tau) <= 0.01 * np.linalg.norm(tau - weight)
    assert np.linalg.norm(f) == pytest.approx(pushed, rel=0.01)
    assert f[2] < 0.0  # the arm pushes down
    assert flat.metrics["static_residual"] < 0.01


def test_pin_touches_both_sides_of_the_rim_at_the_published_times(rim):
    """23 to 26 s and 36 to 39 s, read from the paper's text to whole seconds; joint 6 shows most of it."""
    assert rim.outcome == "both_sides"
    (a, b), (c, d) = intervals(rim, "hole")
    np.testing.assert_allclose([a, b, c, d], [23.0, 26.0, 36.0, 39.0], atol=0.5)
    errors = [rim.metrics[f"tracking_error_max_{name}"] for name in JOINTS]
    assert int(np.argmax(errors)) == 5
    assert max(errors) < 0.05  # the paper: below 0.05 rad for all joints
    difference, t = rim.history["joint_6.difference"], rim.history.time
    first, second = (difference[(t > low) & (t < high)] for low, high in ((a, b), (c, d)))
    assert first[np.argmax(np.abs(first))] * second[np.argmax(np.abs(second))] < 0.0  # opposite sides
    assert rim.audit.energy_residual < 1e-5


def test_figures_are_drawn(flat, rim, tmp_path):
    drawn = figures(flat, rim)
    assert list(drawn) == ["peg-figure-9", "peg-figure-10", "peg-figure-11", "peg-figure-12"]
    for name, figure in drawn.items():
        save_picture(figure, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    position = drawn["peg-figure-10"].axes[0].lines
    np.testing.assert_array_equal(position[1].get_ydata(), flat.history["joint_1.position"])


def test_force_is_proportional_to_the_stiffness_of_the_arm():
    """Half of the stiffness gives about half of the force, because the contact is far stiffer than the arm."""
    moves = [{"to": [0.55, 0.3, 0.005], "attitude": {"axis": "y", "angle": "180 deg"}, "duration": "2 s"},
             {"to": [0.55, 0.3, -0.02], "duration": "2 s", "wait": "0.5 s"}]  # fmt: skip
    soft, stiff = (
        softdock.simulate(
            softdock.load(
                "peg-flat", {"moves": moves, "control.stiffness": [k, k, k, k, 0.4 * k, 0.4 * k, 0.1 * k]}
            )
        )
        for k in (250, 500)
    )
    assert soft.metrics["peak_push"] == pytest.approx(0.5 * stiff.metrics["peak_push"], rel=0.05)
