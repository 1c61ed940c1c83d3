"""Springs and dampers that only push: stops, flanks of a backlash. When they begin and cease to act.

With error control such an element is engaged or free during a whole step, and steps end where this changes; see
`dynamics.kernels.run.engagement`. What it remembers for that is in its ELEMENT_DATA.
"""

import math

import numpy as np

from softdock.native.decorators import inline

ONE_SIDED_FIELDS = [
    # Depth [m or rad] and speed [m/s or rad/s] up to which its joint rests at its limit, Eq. (M117), and response time
    # sqrt(m / k) [s]; set at the start of a run.
    ("resting_depth", np.float64),
    ("resting_speed", np.float64),
    ("response_time", np.float64),
    # 1 if it is engaged at its upper limit or its only one, -1 at the lower one, 0 if it is free. If `keeps_state` is
    # 1, this changes only between steps; otherwise every evaluation decides whether it acts.
    ("engaged", np.int64),
    ("keeps_state", np.int64),
    # Of an engaged one: depth from which its spring is compressed, Eq. (M116) [m or rad], and impulse of its tension
    # less that of its pushes, Eq. (M120) [N s or N m s].
    ("engaged_depth", np.float64),
    ("tension_impulse", np.float64),
    # Of an element between bodies: depth and its rate at the last evaluation, and at the start of the step.
    ("depth", np.float64),
    ("depth_rate", np.float64),
    ("depth_at_start", np.float64),
    ("depth_rate_at_start", np.float64),
]
# Of the resting depth: by how much an engaged spring is stretched before it is freed. Without this the interpolation of
# implicit steps, whose slope is not exact at their start, would free and engage it at the same instant.
RELEASE_SHARE = 0.25
# Of the resting speed: by how much the pull of an engaged spring changes the speed of its joint before it is freed.
# Without this a pull below that of RELEASE_SHARE would hold a joint.
IMPULSE_SHARE = 0.05
# Largest step in which it is freed, in relaxation times. The interpolation of a longer step does not contain the decay
# of the force and would show the instant too late.
RELEASE_STEP = 0.5


@inline
def set_resting_limits(data, stiffness, mobility, speed, length):
    """Set depth and speed up to which a joint rests at its limit, and the response time; Eq. (M117).

    `speed` and `length` are the tolerances of speed and position, `mobility` is the acceleration per force.
    """
    data.response_time = 1.0 / math.sqrt(stiffness * mobility)
    data.resting_depth = min(speed * data.response_time, length)
    data.resting_speed = speed


@inline
def one_sided_force(data, k, c, depth, rate):
    """Return the force [N or N m] of an element that acts, at a depth [m or rad] and its rate; negative: a pull."""
    return k * (depth - data.engaged_depth) + c * rate


@inline
def stays_engaged(data, k, c, depth, rate):
    """Return whether an engaged element is neither stretched nor pulls, at a depth and its rate; Eq. (M116)."""
    stretch = RELEASE_SHARE * data.resting_depth
    pulls = one_sided_force(data, k, c, depth, rate) < -k * stretch
    return depth >= data.engaged_depth - stretch and not pulls


@inline
def stays_free(data, k, c, depth, rate):
    """Return whether a free element would not push, at a depth and its rate, or its joint is at rest at its limit.

    Eqs. (M116), (M117).
    """
    force, rest = one_sided_force(data, k, c, depth, rate), data.resting_depth
    arrives = force > 0.0 and rate > data.resting_speed
    is_pressed = depth > rest and force > k * rest
    return depth <= 0.0 or not (arrives or is_pressed)


@inline
def has_changed(data, k, c, depth, rate):
    """Return whether an element leaves the state of the start of the step, at a depth [m or rad] and its rate."""
    if data.engaged != 0:
        return not stays_engaged(data, k, c, depth, rate)
    return not stays_free(data, k, c, depth, rate)


@inline
def largest_tension_impulse(data, k):
    """Return the impulse [N s or N m s] of its pull after which an engaged element is freed; Eq. (M120)."""
    return IMPULSE_SHARE * k * data.response_time * data.response_time * data.resting_speed


@inline
def speed_error_of_release(data, rate):
    """Return what the pull of an engaged spring before it is freed changes of the speed, at that rate of its depth.

    A joint that hardly moves is freed where its spring is stretched by a share of the resting depth; one with the speed
    v passes this in a short time. [m/s or rad/s]; Eq. (M147).
    """
    stretched = RELEASE_SHARE * data.resting_speed
    speed = abs(rate)
    return stretched * min(1.0, 0.5 * stretched / speed) if speed > 0.0 else stretched


@inline
def longest_step_to_change(data, k, c):
    """Return the size of the longest step whose interpolation shows a change [s]; infinite for a free element."""
    return RELEASE_STEP * (data.response_time + c / k) if data.engaged != 0 else math.inf


@inline
def may_reach_limit(data, h):
    """Return whether the depth of an element between bodies may rise above zero in a step of size h [s].

    The part of the cubic through depths and rates at both ends that is beyond these depths is at most 4 h / 27 times
    the sum of the sizes of the rates; the interpolation of the bodies is not that cubic, so that twice as much counts.
    """
    beyond = 8.0 / 27.0 * h * (abs(data.depth_rate_at_start) + abs(data.depth_rate))
    return max(data.depth_at_start, data.depth) + beyond > 0.0


@inline
def free(data):
    """Free an element."""
    data.engaged, data.engaged_depth, data.tension_impulse = 0, 0.0, 0.0
