"""Inverse kinematics and motions with limited jerk."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robot.robots import BENT, LWR, arm
from softdock.robot.bodies import joint_limits
from softdock.robot.inverse_kinematics import solve_pose
from softdock.robot.trajectory import Bounds, fastest_profile, tightest_bounds
from softdock.robot.urdf import read_urdf
from softdock.spatial.poses import Pose

ROBOT = read_urdf(LWR)
FLANGE = ("flange", Pose.identity())


def test_a_pose_that_the_arm_can_reach_is_reached():
    model, limits = arm(ROBOT), joint_limits(ROBOT)
    rng = np.random.default_rng(1)
    for _ in range(30):
        q = rng.uniform(0.8 * limits.q_min, 0.8 * limits.q_max)
        start = np.clip(q + rng.uniform(-0.4, 0.4, 7), limits.q_min, limits.q_max)
        wanted = model.pose(q, *FLANGE)
        found = solve_pose(model, FLANGE, wanted, start, limits)
        assert found.converged
        assert (found.q >= limits.q_min).all()
        assert (found.q <= limits.q_max).all()
        got = model.pose(found.q, *FLANGE)
        np.testing.assert_allclose(got.p, wanted.p, atol=2e-8)
        np.testing.assert_allclose(got.R, wanted.R, atol=1e-7)


@pytest.mark.plain_python
def test_the_arm_stretches_towards_an_unreachable_pose():
    """The shoulder is at 0.3105 m and the arm 0.868 m long: that is where it stops."""
    model, limits = arm(ROBOT), joint_limits(ROBOT)
    shoulder, direction = np.array([0.0, 0.0, 0.3105]), np.array([0.6, 0.0, 0.8])
    wanted = Pose(R=np.eye(3), p=shoulder + 2.0 * direction)
    found = solve_pose(model, FLANGE, wanted, BENT, limits, with_attitude=False)
    assert not found.converged
    assert found.distance == pytest.approx(2.0 - 0.868, abs=1e-3)


positive = st.floats(min_value=1e-3, max_value=1e3)


@settings(max_examples=100, deadline=None)
@given(positive, positive, positive)
def test_motions_keep_their_bounds_and_arrive(speed, acceleration, jerk):
    """Differences of samples bound the derivatives from below, so they may not exceed the bounds."""
    profile = fastest_profile(Bounds(speed=speed, acceleration=acceleration, jerk=jerk))
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
        profile.jerk * profile.jerk_time * (profile.jerk_time + profile.acceleration_time) / speed,
        profile.jerk * profile.jerk_time / acceleration,
        profile.jerk / jerk,
    )
    assert used == pytest.approx(1.0)  # at least one bound is met: it could not be faster


def test_a_slower_motion_has_the_same_path():
    profile = fastest_profile(
        tightest_bounds(
            Bounds(speed=1.0, acceleration=9.0, jerk=5.0), Bounds(speed=2.0, acceleration=1.0, jerk=9.0)
        )
    )
    slow = profile.stretched_to(7.0)
    assert slow.duration == pytest.approx(7.0)
    t = np.linspace(0.0, 1.0, 50)
    np.testing.assert_allclose(slow.at(7.0 * t), profile.at(profile.duration * t), atol=1e-12)
