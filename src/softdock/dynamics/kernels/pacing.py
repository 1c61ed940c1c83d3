"""How far the next step goes, and which method takes it."""

import math

import numpy as np

from softdock.dynamics.kernels.stepping import BOGACKI_SHAMPINE, DORMAND_PRINCE, ROSENBROCK, fastest_mode
from softdock.native.decorators import inline, kernel

SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 5.0  # usual bounds of step control
PI_ERROR, PI_BEFORE = 0.7, 0.4  # PI control after Gustafsson (1991), over the order of the method

# The contest of methods: how another one is tried, Eq. (M35).
# Work of a step in evaluations, by method; the linear equations of an implicit one count as two.
WORK = np.array([6.0, 4.0, 3.0, 6.0])
GAIN = 1.1  # a step of another method should be so much longer than its work is worth
STABLE = 2.8  # rate times step: beyond 3.3 Dormand-Prince is not stable
SEEN = 0.68  # implicit steps have stages up to 0.73 of a step apart, the others half of one: Eq. (M37)
SOON, LATEST = 6, 48  # steps until the next trial; twice as many after each that failed


@kernel
def next_break(breaks, t, t_end):
    """First instant after t where something switches by the clock, at most t_end."""
    for i in range(breaks.shape[0]):
        if breaks[i] > t:
            return min(breaks[i], t_end)
    return t_end


@kernel
def first_step(slope, tolerance, max_step):
    """A cautious first step from the slope alone; control does the rest."""
    rate = 1e-300
    for i in range(tolerance.shape[0]):
        rate = max(rate, abs(slope[i]) / tolerance[i])
    return min(max_step, 1e3 / rate)  # a thousand tolerances of motion: within reach of a method of order 5


@inline
def step_to(t, h, t_stop, fixed):
    """Step size that ends at t_stop where that is near, and whether it does."""
    if t + h >= t_stop:
        return t_stop - t, True
    if t + 2.0 * h > t_stop and not fixed:
        return 0.5 * (t_stop - t), False  # two halves instead of a sliver
    return h, False


@inline
def order_of(method):
    """Order of a method with error control."""
    return 5.0 if method == DORMAND_PRINCE else 3.0


@inline
def rival_after(o, method):
    """Method that is tried after another one."""
    for _ in range(3):
        if method == DORMAND_PRINCE:
            method = BOGACKI_SHAMPINE
        elif method == BOGACKI_SHAMPINE and o.implicit == 1 and o.pushing > 0:
            method = ROSENBROCK
        else:
            method = DORMAND_PRINCE
        if method != o.way:
            break
    return method


@inline
def smaller_step(h, error, order):
    """Step size to try after a step of too large an error."""
    return h * max(SLOWEST, SAFETY * error ** (-1.0 / order)) if math.isfinite(error) else 0.1 * h


@inline
def next_step(h, error, before, rejected, order):
    """Step size after an accepted step, from its error and that of the one before; Eq. (M32)."""
    grow = SAFETY * max(error, 1e-10) ** (-PI_ERROR / order) * before ** (PI_BEFORE / order)
    return h * min(1.0 if rejected else FASTEST, max(SLOWEST, grow))


@inline
def pace_on(o, h, error, lands, order):
    """Choose the step size after an accepted step, which may have been cut short."""
    if not lands and h >= o.h:
        o.h = min(next_step(h, error, o.error_before, o.after_rejection == 1, order), o.max_step)
        o.error_before = max(error, 1e-4)
    else:  # a step cut short for other reasons says little about the next, but what it could have been
        proposed = h * SAFETY * max(error, 1e-10) ** (-1.0 / order)
        if proposed < o.h or lands:
            o.h = min(max(min(proposed, FASTEST * h), min(proposed, o.h)), o.max_step)
    o.after_rejection = 0


@inline
def allowed_step(o, method):
    """Step that near lists and the way that pins have before them allow."""
    longest = SEEN * o.longest if method == ROSENBROCK else o.longest
    return max(min(longest, o.headway), o.min_step)


@kernel
def next_try(o, t_stop):
    """Choose the method and the size of the next step, and tell whether it ends at t_stop; Eq. (M35)."""
    if o.fixed_step > 0.0:
        h, lands = step_to(o.t, o.fixed_step, t_stop, True)
        return o.way, h, lands
    if o.contest == 1 and o.pushing == 0 and (o.way == ROSENBROCK or o.rival == ROSENBROCK):
        if o.way == ROSENBROCK:
            o.way, o.h, o.until_trial, o.trial_period = BOGACKI_SHAMPINE, 0.5 * o.h, SOON, SOON
        o.rival = rival_after(o, o.way)
    if o.contest == 1 and o.until_trial <= 0:
        h = GAIN * WORK[o.rival] / WORK[o.way] * o.h
        if h < o.h:
            h, lands = step_to(o.t, min(h, allowed_step(o, o.rival)), t_stop, False)
            return o.rival, h, lands
        if h <= min(allowed_step(o, o.rival), o.max_step) and o.t + 2.0 * h <= t_stop:
            return o.rival, h, False
        o.until_trial = o.trial_period  # where other things limit the step, the cheaper one stays
        o.rival = rival_after(o, o.rival)
    h, lands = step_to(o.t, min(o.h, allowed_step(o, o.way)), t_stop, False)
    return o.way, h, lands


@kernel
def judge_trial(o, method, h, error, k, y_stage, y_new, tolerance):
    """Accept or reject a step of the other method, and change over to it where that is worth it; Eq. (M35)."""
    accepted = error <= 1.0
    if accepted and (method != DORMAND_PRINCE or fastest_mode(h, k, y_stage, y_new, tolerance) < STABLE):
        o.rival, o.way, o.trial_period = o.way, method, SOON
        o.h = min(next_step(h, error, 1.0, False, order_of(method)), o.max_step)
        o.error_before, o.after_rejection = 1.0, 0
    else:
        o.trial_period = min(2 * o.trial_period, LATEST)
    o.rival, o.until_trial = rival_after(o, o.rival), o.trial_period
    return accepted
