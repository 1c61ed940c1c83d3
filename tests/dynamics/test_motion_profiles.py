"""Profiles of drives against closed forms: times, limits, continuity and new targets while moving."""

import math

import numpy as np
import pytest

from softdock.elements.drive.kernels import LAW, STATE
from softdock.elements.kernels.motion_profiles import JERK, TIME, ProfileKind, command_at, plan_motion
from softdock.robot.trajectory import Bounds, fastest_profile
from softdock.tree.kernels import tree

EPS = np.finfo(float).eps
LAWS = {"ramp": ProfileKind.RAMP, "trapezoidal": ProfileKind.TRAPEZOIDAL, "s-curve": ProfileKind.S_CURVE}
smooth_law = pytest.mark.parametrize("law", ["trapezoidal", "s-curve"])


def drive(law, target, rate, acceleration=1.0, jerk=1.0):
    """Return the law and the state of a drive."""
    record, state = tree.records(1, LAW)[0], tree.records(1, STATE)[0]
    record.profile, record.rate, state.target = LAWS[law], rate, target
    record.acceleration, record.jerk = acceleration, jerk
    return record, state


def plan_drive(law, target, limits, t=0.0, start=(0.0, 0.0, 0.0)):
    """Return a drive whose profile begins at a state (position, speed, acceleration) of its command."""
    record, state = drive(law, target, *limits)
    plan_motion(record, state, t, *start)
    return state


def duration(record, t=0.0):
    return record.knots[record.knot_count - 1, TIME] - t


def samples(record, count=200, t=0.0):
    """Return times, positions, speeds and accelerations of a command from start to end."""
    times = np.linspace(t, t + duration(record, t), count)
    return times, *np.array([command_at(record, time, 0.0) for time in times]).T


def random_cases(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        limits = tuple(float(x) for x in 10.0 ** rng.uniform(-2.0, 1.0, 3))
        distance = 10.0 ** rng.uniform(-4.0, 1.0)
        yield (
            limits,
            float(rng.uniform(-1.0, 1.0)),
            float(distance * rng.choice((-1.0, 1.0))),
            float(rng.uniform(-1.0, 1.0) * limits[0]),
        )


def fastest_time(distance, start, rate, acceleration):
    """Return the shortest time of a motion with limited speed and acceleration: bang-bang control with cruise."""
    stop = start * abs(start) / (2.0 * acceleration)
    sign = 1.0 if distance >= stop else -1.0
    distance, start = sign * distance, sign * start
    peak = min(rate, math.sqrt(acceleration * distance + 0.5 * start * start))
    cruise = distance - (2.0 * peak * peak - start * start) / (2.0 * acceleration)
    return (2.0 * peak - start) / acceleration + max(0.0, cruise) / peak


@pytest.mark.plain_python
@pytest.mark.parametrize("target", [0.3, -0.3])
def test_a_ramp_takes_distance_over_rate(target):
    record = plan_drive("ramp", target, (0.2, 1.0, 1.0), t=2.0)
    assert duration(record, 2.0) == pytest.approx(1.5, rel=4 * EPS)
    assert command_at(record, 2.5, 0.0)[:2] == pytest.approx((target / 3.0, math.copysign(0.2, target)))
    assert command_at(record, 9.0, 0.0) == (target, 0.0, 0.0)


@pytest.mark.plain_python
def test_a_trapezoid_takes_the_time_of_bang_bang_control():
    for limits, x, distance, v in random_cases(100, 1):
        record = plan_drive("trapezoidal", x + distance, limits, start=(x, v, 0.0))
        assert duration(record) == pytest.approx(fastest_time(distance, v, *limits[:2]), rel=1e-9)


@pytest.mark.plain_python
def test_peak_speed_of_a_triangle_is_the_root_of_acceleration_times_distance():
    record = plan_drive("trapezoidal", 0.5, (10.0, 2.0, 1.0))
    assert duration(record) == pytest.approx(2.0 * math.sqrt(0.5 / 2.0), rel=4 * EPS)
    assert samples(record)[2].max() == pytest.approx(math.sqrt(2.0 * 0.5), rel=1e-2)


@pytest.mark.plain_python
def test_s_curve_from_rest_equals_the_profile_of_the_robot_planner():
    for limits, x, distance, _ in random_cases(60, 2):
        record = plan_drive("s-curve", x + distance, limits, start=(x, 0.0, 0.0))
        bounds = Bounds(speed=limits[0], acceleration=limits[1], jerk=limits[2]).normalised(abs(distance))
        profile = fastest_profile(bounds)
        assert duration(record) == pytest.approx(profile.duration, rel=1e-9)
        times, positions, _, _ = samples(record, 40)
        assert positions == pytest.approx(x + distance * profile.at(times), abs=1e-9 * (1.0 + abs(distance)))


@pytest.mark.plain_python
def test_an_s_curve_with_unlimited_jerk_is_a_trapezoid():
    for limits, x, distance, v in random_cases(60, 3):
        smooth = plan_drive("s-curve", x + distance, (*limits[:2], 1e9), start=(x, v, 0.0))
        sharp = plan_drive("trapezoidal", x + distance, limits, start=(x, v, 0.0))
        assert duration(smooth) == pytest.approx(duration(sharp), rel=1e-3, abs=1e-6)


@pytest.mark.plain_python
@smooth_law
def test_profiles_start_at_their_state_end_at_rest_and_stay_within_their_limits(law):
    for limits, x, distance, v in random_cases(40, 4):
        record = plan_drive(law, x + distance, limits, start=(x, v, 0.0))
        _, positions, speeds, accelerations = samples(record)
        size = abs(x) + np.abs(positions).max()
        assert (positions[0], speeds[0]) == (x, v)
        assert (positions[-1], speeds[-1]) == (x + distance, 0.0)
        assert np.abs(speeds).max() <= limits[0] * (1.0 + 1e-9)
        assert np.abs(accelerations).max() <= limits[1] * (1.0 + 1e-9)
        assert np.abs(record.knots[: record.knot_count, JERK]).max() <= limits[2] * (1.0 + 1e-9)
        end = duration(record)
        before = command_at(record, math.nextafter(end, 0.0), 0.0)
        assert before[0] == pytest.approx(x + distance, abs=1e-10 * size)
        assert before[1] == pytest.approx(0.0, abs=1e-7 * limits[0])


@pytest.mark.plain_python
@smooth_law
def test_a_command_is_the_integral_of_its_speed(law):
    for limits, x, distance, v in random_cases(8, 5):
        times, positions, speeds, accelerations = samples(
            plan_drive(law, x + distance, limits, start=(x, v, 0.0)), 2001
        )
        step = times[1] - times[0]
        largest = np.abs(accelerations).max() * step
        middle = 0.5 * (speeds[1:] + speeds[:-1])
        assert np.diff(positions) == pytest.approx(step * middle, abs=step * largest)
        assert np.abs(np.diff(speeds)).max() <= limits[1] * step * (1.0 + 1e-6)
        if law == "s-curve":
            assert np.abs(np.diff(accelerations)).max() <= limits[2] * step * (1.0 + 1e-6)


@pytest.mark.plain_python
@smooth_law
def test_a_new_target_while_moving_continues_the_command(law):
    """Position and speed have no jump, the acceleration of a jerk-limited command has none either; limits hold."""
    rng = np.random.default_rng(6)
    for limits, x, distance, v in random_cases(30, 6):
        record = plan_drive(law, x + distance, limits, start=(x, v, 0.0))
        parameters, _ = drive(law, x + distance, *limits)
        t, last = 0.0, None
        for _ in range(4):
            t += rng.uniform(0.0, 1.0) * duration(record, t)
            before = command_at(record, t, 0.0)
            record.target = float(x + rng.uniform(-2.0, 2.0) * distance)
            plan_motion(parameters, record, t, *before)
            after = command_at(record, t, 0.0)
            assert after[:2] == before[:2]
            if law == "s-curve":
                assert after[2] == pytest.approx(before[2], abs=1e-12 * limits[1])
            _, positions, speeds, accelerations = samples(record, 100, t)
            assert np.abs(speeds).max() <= limits[0] * (1.0 + 1e-9)
            assert np.abs(accelerations).max() <= limits[1] * (1.0 + 1e-9)
            last = positions[-1]
        assert last == record.target


@pytest.mark.plain_python
@smooth_law
def test_command_that_overshoots_its_target_returns(law):
    """The target is nearer than the braking distance: the command passes it, stops and returns."""
    record = plan_drive(law, 0.01, (1.0, 1.0, 4.0), start=(0.0, 1.0, 0.0))
    _, positions, speeds, _ = samples(record)
    stopping = 0.5 if law == "trapezoidal" else 0.5 * (1.0 + 0.25)
    assert 0.99 * stopping < positions.max() <= stopping  # it need not come to rest before it returns
    assert speeds.min() < 0.0
    assert positions[-1] == 0.01
