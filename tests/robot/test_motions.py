"""Inverse kinematics and motions with limited jerk."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.robots import BENT, LWR, arm
from softdock.robot.bodies import limits_of, quaternion_of
from softdock.robot.inverse import solve_pose
from softdock.robot.trajectory import Bounds, fastest, tightest
from softdock.robot.urdf import read_urdf
from softdock.spatial.poses import Pose

ROBOT = read_urdf(LWR)
FLANGE = ("flange", Pose(R=np.eye(3), p=np.zeros(3)))


def test_a_pose_that_the_arm_can_reach_is_reached():
    model, limits = arm(ROBOT), limits_of(ROBOT)
    rng = np.random.default_rng(1)
    for _ in range(30):
        q = rng.uniform(0.8 * limits.q_min, 0.8 * limits.q_max)
        start = np.clip(q + rng.uniform(-0.4, 0.4, 7), limits.q_min, limits.q_max)
        wanted = model.pose(q, *FLANGE)
        found = solve_pose(model, FLANGE, wanted, start, limits)
        assert found.met
        assert (found.q >= limits.q_min).all()
        assert (found.q <= limits.q_max).all()
        got = model.pose(found.q, *FLANGE)
        np.testing.assert_allclose(got.p, wanted.p, atol=2e-8)
        np.testing.assert_allclose(got.R, wanted.R, atol=1e-7)


def test_a_pose_out_of_reach_ends_stretched_towards_it():
    """The shoulder is at 0.3105 m and the arm 0.868 m long: that is where it stops."""
    model, limits = arm(ROBOT), limits_of(ROBOT)
    shoulder, direction = np.array([0.0, 0.0, 0.3105]), np.array([0.6, 0.0, 0.8])
    wanted = Pose(R=np.eye(3), p=shoulder + 2.0 * direction)
    found = solve_pose(model, FLANGE, wanted, BENT, limits, with_attitude=False)
    assert not found.met
    assert found.distance == pytest.approx(2.0 - 0.868, abs=1e-3)


def test_quaternions_of_matrices():
    from softdock.spatial.poses import matrix

    rng = np.random.default_rng(2)
    for q in [*rng.normal(size=(20, 4)), [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.6, 0.8]]:
        unit = np.asarray(q, float) / np.linalg.norm(q)
        np.testing.assert_allclose(matrix(quaternion_of(matrix(unit))), matrix(unit), atol=1e-12)


positive = st.floats(min_value=1e-3, max_value=1e3)


@settings(max_examples=100, deadline=None)
@given(positive, positive, positive)
def test_motions_keep_their_bounds_and_arrive(speed, acceleration, jerk):
    """Differences of samples bound the derivatives from below, so they may not exceed the bounds."""
    profile = fastest(Bounds(speed=speed, acceleration=acceleration, jerk=jerk))
    t = np.linspace(0.0, profile.duration, 2001)
    s = profile.at(t)
    h = t[1]
    assert s[0] == 0.0
    assert s[-1] == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(s) >= -1e-12).all()
    for order, bound in ((1, speed), (2, acceleration), (3, jerk)):
        noise = 2.0**order * 4e-16 / h**order
        assert np.abs(np.diff(s, order)).max() / h**order <= bound * (1 + 1e-9) + 4 * noise
    used = max(
        profile.jerk * profile.ramp * (profile.ramp + profile.push) / speed,
        profile.jerk * profile.ramp / acceleration,
        profile.jerk / jerk,
    )
    assert used == pytest.approx(1.0)  # at least one bound is met: it could not be faster


def test_a_slower_motion_takes_the_same_way():
    profile = fastest(
        tightest(Bounds(speed=1.0, acceleration=9.0, jerk=5.0), Bounds(speed=2.0, acceleration=1.0, jerk=9.0))
    )
    slow = profile.slowed_to(7.0)
    assert slow.duration == pytest.approx(7.0)
    t = np.linspace(0.0, 1.0, 50)
    np.testing.assert_allclose(slow.at(7.0 * t), profile.at(profile.duration * t), atol=1e-12)
