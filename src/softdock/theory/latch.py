"""Wedge-shaped probe tip against a spring-loaded latch: minimum speed, latch time, insertion history.

Insertion is measured from first contact, positive inwards [m]. Angles in radians. Functions broadcast their arguments
and return a float for scalar input.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.theory.inputs import Array, DescribedCode, Number, as_number, check_range

RIGHT_ANGLE = np.pi / 2
LARGEST_ANGLE = RIGHT_ANGLE - 1e-9  # beyond this tan is inaccurate


class WedgeBehaviour(DescribedCode):
    """Behaviour of a wedge with friction."""

    SLIDES = 0, "The wedge slides in, and the latch spring pushes it back if it stops short of the latch."
    HOLDS = 1, "The wedge slides in, but friction holds it where it stops: the spring cannot push it back."
    JAMS = 2, "The wedge jams: friction is too large for any push along the axis to lift the latch."


class WedgeStiffness(NamedTuple):
    """Force along the axis per insertion [N/m]."""

    inward: Number
    """While sliding in; infinite if the wedge jams."""
    outward: Number
    """While sliding out; zero or negative if the wedge is self-locking."""
    elastic: Number
    """Without friction: the elastic part."""


def wedge_behaviour(angle: ArrayLike, friction_angle: ArrayLike = 0.0) -> WedgeBehaviour | NDArray[np.int8]:
    """Return the behaviour of a wedge: a `WedgeBehaviour` for scalars, its value for arrays."""
    theta, phi = _angles(angle, friction_angle)
    conditions = [theta + phi >= RIGHT_ANGLE, phi >= theta]
    choices = [WedgeBehaviour.JAMS, WedgeBehaviour.HOLDS]
    codes = np.select(conditions, choices, default=WedgeBehaviour.SLIDES).astype(np.int8)
    return WedgeBehaviour(int(codes)) if codes.ndim == 0 else codes


def wedge_stiffness(
    stiffness: ArrayLike, angle: ArrayLike, friction_angle: ArrayLike = 0.0
) -> WedgeStiffness:
    """Return the stiffness along the axis from the stiffness of the latch spring [N/m] and the angles [rad]."""
    k = check_range("stiffness", stiffness, above=0.0)
    theta, phi = _angles(angle, friction_angle)
    lift = np.tan(theta)  # travel of the latch per insertion: kinematics, without friction
    jams = theta + phi >= RIGHT_ANGLE
    push = np.where(jams, np.inf, np.tan(np.where(jams, 0.0, theta + phi)))
    inward, outward = k * lift * push, k * lift * np.tan(theta - phi)  # Eq. (L4), Eq. (L5)
    return WedgeStiffness(as_number(inward), as_number(outward), as_number(k * lift**2))  # Eq. (L3)


def latch_frequency(wedge_stiffness: ArrayLike, effective_mass: ArrayLike) -> Number:
    """Return the angular frequency [rad/s] of two bodies from stiffness of the wedge [N/m] and effective mass [kg]."""
    K = np.asarray(wedge_stiffness, dtype=np.float64)
    return as_number(np.sqrt(K / check_range("effective_mass", effective_mass, above=0.0)))  # Eq. (L7)


def minimum_speed(
    stiffness: ArrayLike,
    angle: ArrayLike,
    tip_length: ArrayLike,
    effective_mass: ArrayLike,
    friction_angle: ArrayLike = 0.0,
) -> Number:
    """Return the smallest closing speed at first contact that latches [m/s]; infinite if the wedge jams.

    `stiffness` of the latch spring [N/m], `tip_length` [m], `effective_mass` [kg], angles [rad].
    """
    K = wedge_stiffness(stiffness, angle, friction_angle).inward
    length = check_range("tip_length", tip_length, above=0.0)
    return as_number(latch_frequency(K, effective_mass) * length)  # Eq. (L10)


def minimum_speed_behind_impact(minimum_speed: ArrayLike, effective_mass_ratio_star: ArrayLike) -> Number:
    """Return the smallest closing speed before an impulsive first impact that latches after it [m/s].

    `minimum_speed`: minimum speed without that impact [m/s]. `effective_mass_ratio_star`: (1 + e*) e_I [1], Eq. (R8).
    Infinite if the systems separate after the impact.
    """
    v = np.asarray(minimum_speed, dtype=np.float64)
    kept = 1.0 - check_range("effective_mass_ratio_star", effective_mass_ratio_star, at_least=0.0)
    closing = kept > 0.0
    return as_number(np.where(closing, v / np.where(closing, kept, 1.0), np.inf))  # Eq. (L16)


def speed_to_reach(
    tip_length: ArrayLike, time: ArrayLike, frequency: ArrayLike, insertion: ArrayLike = 0.0
) -> Number:
    """Return the speed at time 0 and `insertion` [m] that reaches the tip length [m] at `time` [s]."""
    length, t = check_range("tip_length", tip_length), check_range("time", time, above=0.0)
    w, x0 = check_range("frequency", frequency, above=0.0), check_range("insertion", insertion)
    return as_number(w * (length - x0 * np.cos(w * t)) / np.sin(w * t))  # Eq. (L11)


def latch_time(speed: ArrayLike, frequency: ArrayLike, tip_length: ArrayLike) -> Number:
    """Return the time from first contact to latching [s]; NaN if the speed is too low.

    `frequency`: while sliding in [rad/s]. At the minimum speed the time is a quarter period.
    """
    v, w = check_range("speed", speed, above=0.0), check_range("frequency", frequency, above=0.0)
    with np.errstate(over="ignore"):  # an infinite sine is above 1 as well
        sine = w * check_range("tip_length", tip_length, above=0.0) / v
    return as_number(np.where(sine <= 1.0, np.arcsin(np.minimum(sine, 1.0)) / w, np.nan))  # Eq. (L12)


def largest_insertion(speed: ArrayLike, frequency: ArrayLike, tip_length: ArrayLike) -> Number:
    """Return the largest insertion [m], at most the tip length."""
    v, w = check_range("speed", speed, at_least=0.0), check_range("frequency", frequency, above=0.0)
    return as_number(np.minimum(v / w, check_range("tip_length", tip_length, above=0.0)))  # Eq. (L9)


def insertion(
    time: ArrayLike,
    speed: ArrayLike,
    frequency_in: ArrayLike,
    frequency_out: ArrayLike,
    tip_length: ArrayLike,
) -> Number:
    """Return the insertion at times after first contact [m]; negative after separation.

    A latched probe stays at the tip length. A `frequency_out` of 0 means that friction holds the probe (self-locking).
    """
    return as_number(_history(time, speed, frequency_in, frequency_out, tip_length)[0])


def insertion_velocity(
    time: ArrayLike,
    speed: ArrayLike,
    frequency_in: ArrayLike,
    frequency_out: ArrayLike,
    tip_length: ArrayLike,
) -> Number:
    """Return the rate of insertion at times after first contact [m/s]; zero after latching or if held."""
    return as_number(_history(time, speed, frequency_in, frequency_out, tip_length)[1])


def _history(
    time: ArrayLike,
    speed: ArrayLike,
    frequency_in: ArrayLike,
    frequency_out: ArrayLike,
    tip_length: ArrayLike,
) -> tuple[Array, Array]:
    t, v = check_range("time", time), check_range("speed", speed, above=0.0)
    w_in = check_range("frequency_in", frequency_in, above=0.0)
    w_out = check_range("frequency_out", frequency_out, at_least=0.0)
    length = check_range("tip_length", tip_length, above=0.0)
    latches = v >= w_in * length
    returns = w_out > 0.0
    w_back = np.where(returns, w_out, 1.0)
    t_turn = np.where(latches, np.asarray(latch_time(v, w_in, length)), RIGHT_ANGLE / w_in)
    t_back = t - t_turn
    deepest = v / w_in  # Eq. (L9)
    t_leave = t_turn + RIGHT_ANGLE / w_back
    v_leave = -deepest * w_back  # Eq. (L13)
    stage = [t < 0.0, t < t_turn, latches, ~returns, t < t_leave]
    x = [v * t, deepest * np.sin(w_in * t), length, deepest, deepest * np.cos(w_back * t_back)]  # Eq. (L8)
    zero = np.zeros(())
    rate = [v, v * np.cos(w_in * t), zero, zero, v_leave * np.sin(w_back * t_back)]  # Eq. (L8)
    shape = np.broadcast_shapes(t.shape, v.shape, w_in.shape, w_out.shape, length.shape)
    spread = [np.broadcast_to(s, shape) for s in stage]
    return (
        np.select(spread, [np.broadcast_to(a, shape) for a in x], v_leave * (t - t_leave)),
        np.select(spread, [np.broadcast_to(a, shape) for a in rate], v_leave),
    )


def _angles(angle: ArrayLike, friction_angle: ArrayLike) -> tuple[Array, Array]:
    theta = check_range("angle", angle, above=0.0, at_most=LARGEST_ANGLE)
    return theta, check_range("friction_angle", friction_angle, at_least=0.0, at_most=RIGHT_ANGLE)
