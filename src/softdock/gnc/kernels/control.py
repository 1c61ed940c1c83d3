"""Feedback laws: state feedback with dead bands and shortest pulses, and wheels with limits."""

import math

from softdock.native.decorators import inline

CLOCK_TICKS = 1048576.0  # per period of a controller: resolution of on-times, 0.1 us at 10 Hz
ROUND_UP = 0.75
"""Part of a shortest pulse that is rounded up to it. Above one half, so that the rest of a pulse that was rounded up
is half a pulse away from a pulse of the opposite thruster."""
DRIFT = 1.5
"""Largest rate that counts as drift, relative to the change by a shortest pulse: the pulse that turns such a drift is
at most twice as long as the shortest."""
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
def feedback_with_dead_band(gains, bands, x, y, z, vx, vy, vz):
    """Return the acceleration of the feedback beyond that of errors as large as the dead bands; Eqs. (K6), (K7)."""
    ax, ay, az = feedback(gains, x, y, z, vx, vy, vz)
    return (
        outside_band(ax, gains[0, 0] * bands[0]),
        outside_band(ay, gains[1, 1] * bands[1]),
        outside_band(az, gains[2, 2] * bands[2]),
    )


@inline
def band_side(gain, rate_gain, band, step, x, v):
    """Return the side on which an error `x` with a rate `v` is beyond the borders of Eq. (K47): -1 or 1, or 0.

    `step` is the change of the rate by a shortest pulse. A body that drifts outwards is left alone until it reaches the
    dead band: an earlier pulse would not lower its rate.
    """
    out = v if v < 0.0 else max(v - DRIFT * step, 0.0)
    if gain * (x - band) + rate_gain * out > 0.0:
        return 1.0
    out = -v if v > 0.0 else max(-v - DRIFT * step, 0.0)
    return -1.0 if gain * (-x - band) + rate_gain * out > 0.0 else 0.0


@inline
def pulse_demand(demand, step, drifts, outwards):
    """Return the change of a rate towards the dead band that a sample demands of thrusters; Eqs. (K48), (K49).

    `demand` is that of the feedback, together with what it demanded before and pulses did not produce; `outwards` is
    the rate away from the dead band. A body that drifts is turned to half a step inwards.
    """
    if drifts:
        return max(demand, outwards + 0.5 * step, step)
    return max(demand, step) if demand >= ROUND_UP * step else 0.0


@inline
def axis_in_pulses(gains, i, demand, band, step, pulse, period, backlog, x, v):
    """Return the acceleration of an axis whose shortest pulse changes its rate by a step; the demand if that is zero.

    `demand` is the acceleration of the linear feedback, `pulse` the time from a sample to the middle of the pulse of
    the next decision [s] and the longest pulse over the shortest one, `backlog` (3,) the change of rate that was
    demanded and not produced, by axis; negative where a pulse produced more.
    """
    if step == 0.0:
        return demand
    lead, most = pulse
    side = band_side(gains[i, i], gains[i, 3 + i], band, step, x + lead * v, v)
    if side == 0.0:
        backlog[i] = 0.0
        return 0.0
    before, outwards = -side * backlog[i], side * v
    due = before - side * demand * period
    drifts = before >= 0.0 and 0.0 < outwards <= DRIFT * step
    wanted = pulse_demand(due, step, drifts, outwards)
    change = min(wanted, max(due, most * step))
    # What a pulse adds to the demand counts as produced before it is demanded, unless it did not fit into the period.
    backlog[i] = -side * (wanted - change if wanted > change else due - change)
    return -side * change / period


@inline
def feedback_in_pulses(gains, bands, steps, pulse, period, backlog, x, y, z, vx, vy, vz):
    """Return the acceleration of the feedback that thrusters with shortest pulses can produce; Eqs. (K6), (K7), (K47).

    Errors, `bands`, `steps` and `backlog` (3,) are in the axes of the gains.
    """
    ax, ay, az = feedback_with_dead_band(gains, bands, x, y, z, vx, vy, vz)
    return (
        axis_in_pulses(gains, 0, ax, bands[0], steps[0], pulse, period, backlog, x, vx),
        axis_in_pulses(gains, 1, ay, bands[1], steps[1], pulse, period, backlog, y, vy),
        axis_in_pulses(gains, 2, az, bands[2], steps[2], pulse, period, backlog, z, vz),
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
    if on_time < ROUND_UP * shortest:
        return 0.0
    ticks = math.floor(CLOCK_TICKS * on_time / period + 0.5)  # equal commands end at the same time
    return min(max(ticks / CLOCK_TICKS * period, shortest), period)
