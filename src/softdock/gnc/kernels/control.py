"""Feedback laws: state feedback with dead bands, and wheels with limits."""

import math

from softdock.native.decorators import inline

CLOCK_TICKS = 1048576.0  # per period of a controller: resolution of on-times, 0.1 us at 10 Hz
NEGLIGIBLE_PART = (
    1e-3  # of the impulse of a shortest pulse: a demand below it is not carried to the next sample
)


@inline
def outside_band(x, width):
    """Return the part of a value beyond a dead band of plus and minus a width; Eq. (K7)."""
    if x > width:
        return x - width
    return x + width if x < -width else 0.0


@inline
def feedback(gains, x, y, z, vx, vy, vz):
    """Return the acceleration -K (error, error rate); gains (3, 6), errors in the axes of the gains; Eq. (K6)."""
    return (
        -gain_times_error(gains[0], x, y, z, vx, vy, vz),
        -gain_times_error(gains[1], x, y, z, vx, vy, vz),
        -gain_times_error(gains[2], x, y, z, vx, vy, vz),
    )


@inline
def gain_times_error(row, x, y, z, vx, vy, vz):
    """Return the product of one row of gains with the errors and their rates."""
    return row[0] * x + row[1] * y + row[2] * z + row[3] * vx + row[4] * vy + row[5] * vz


@inline
def feedback_with_dead_band(gains, band, x, y, z, vx, vy, vz):
    """Return the acceleration of the feedback beyond that of an error as large as the dead band; Eqs. (K6), (K7)."""
    ax, ay, az = feedback(gains, x, y, z, vx, vy, vz)
    return (
        outside_band(ax, gains[0, 0] * band),
        outside_band(ay, gains[1, 1] * band),
        outside_band(az, gains[2, 2] * band),
    )


@inline
def wheel_torque(wanted, momentum, max_torque, max_momentum, dt):
    """Return the torque on a wheel within its limits of torque [N m] and momentum [N m s], held for dt [s]; Eq. (K10).

    A wheel beyond its limit of momentum only gets torque that slows it down.
    """
    most = min(max((max_momentum - momentum) / dt, -max_torque), max_torque)
    least = max(min((-max_momentum - momentum) / dt, max_torque), -max_torque)
    return min(max(wanted, least), most)


@inline
def demand_with_carry(demand, carry, least):
    """Return a demand plus what earlier pulses left of theirs, unless (almost) nothing is demanded; Eq. (K36)."""
    return demand if abs(demand) < NEGLIGIBLE_PART * least else demand + carry


@inline
def carried_impulse(missing, least):
    """Return what is carried to the next sample: at most a shortest pulse, so that saturation does not accumulate."""
    return min(max(missing, -least), least)


@inline
def rounded_on_time(on_time, shortest, period):
    """Return an on-time [s] that a valve can produce: zero, or at least its shortest, in clock ticks; Eq. (K9)."""
    if on_time < 0.5 * shortest:
        return 0.0
    ticks = math.floor(CLOCK_TICKS * on_time / period + 0.5)  # equal commands end at the same time
    return min(max(ticks / CLOCK_TICKS * period, shortest), period)
