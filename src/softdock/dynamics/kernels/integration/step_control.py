"""Step size control, and the choice between methods."""

import math

import numpy as np

from softdock.dynamics.kernels.integration.stepping import StepMethod, fastest_mode
from softdock.native.decorators import inline, kernel

SAFETY, LEAST_FACTOR, LARGEST_FACTOR = 0.9, 0.2, 5.0  # usual bounds of step control
PI_ERROR, PI_PREVIOUS = 0.7, 0.4  # PI control after Gustafsson (1991), over the order of the method

# Order of the solution, by method; Runge-Kutta 4 has no error control.
ORDER = np.array([5.0, 4.0, 3.0, 4.0])

# Trials of another method; Eq. (M35).
# Work of a step in evaluations, by method; the linear equations of an implicit one count as two.
WORK = np.array([6.0, 4.0, 3.0, 8.0])
REQUIRED_GAIN = 1.1  # a step of another method must be longer by this than its work is worth
STABILITY_LIMIT = 2.8  # rate times step: beyond 3.3 Dormand-Prince is not stable
# Unstable steps in succession after which implicit ones are tried without contact: fast modes that a contact or a
# switch excited have decayed by then.
UNSTABLE_STEPS = 4
# Explicit steps of half the size before an implicit one is tried. At the limit of stability the step control keeps the
# fast modes at the size of the tolerance, which an implicit step would take for its own error.
SETTLING_STEPS = 2
FIRST_TRIAL, LONGEST_PERIOD = 6, 48  # steps until the next trial; doubled after each rejected trial


@kernel
def next_break(breaks, t, t_end):
    """Return the first time after t at which a load changes abruptly, at most t_end [s]."""
    for i in range(breaks.shape[0]):
        if breaks[i] > t:
            return min(breaks[i], t_end)
    return t_end


@kernel
def first_step(slope, tolerance, max_step):
    """Return the size [s] of a short first step from the slope alone; step control lengthens it."""
    rate = 1e-300
    for i in range(tolerance.shape[0]):
        rate = max(rate, abs(slope[i]) / tolerance[i])
    return min(max_step, 1e3 / rate)  # a thousand tolerances of motion: within reach of a method of order 5


@inline
def step_to(t, h, t_limit, fixed):
    """Return the step size [s], which ends the step at t_limit where that is near, and whether it does."""
    if t + h >= t_limit:
        return t_limit - t, True
    if t + 2.0 * h > t_limit and not fixed:
        return 0.5 * (t_limit - t), False  # two equal steps instead of a very short last one
    return h, False


@inline
def is_stiff(settings, s):
    """Return whether implicit steps may be faster: in contact, with stiff elements or with persistent fast modes."""
    return s.closed_contacts > 0 or settings.stiff_elements == 1 or has_fast_modes(s)


@inline
def has_fast_modes(s):
    """Return whether modes that are too fast for explicit steps persist while no contact is closed."""
    return s.unstable_steps >= UNSTABLE_STEPS


@inline
def next_trial_method(settings, s, method):
    """Return the method that is tried after another one."""
    for _ in range(3):
        if method == StepMethod.DORMAND_PRINCE:
            method = StepMethod.BOGACKI_SHAMPINE.value
        elif method == StepMethod.BOGACKI_SHAMPINE and settings.allow_implicit == 1 and is_stiff(settings, s):
            method = StepMethod.ROSENBROCK.value
        else:
            method = StepMethod.DORMAND_PRINCE.value
        # After implicit steps, a small error of Bogacki-Shampine does not show that its next steps are stable.
        unproven = s.method == StepMethod.ROSENBROCK and method == StepMethod.BOGACKI_SHAMPINE
        if method != s.method and not unproven:
            break
    return method


@inline
def observe_stability(s, accepted, h, k, y_stage, y_new, tolerance):
    """Return whether a Dormand-Prince step met no mode too fast for it, and count those that did; Eq. (M36).

    Only an accepted step shows that fast modes are gone.
    """
    stable = fastest_mode(h, k, y_stage, y_new, tolerance) < STABILITY_LIMIT
    if not stable:
        s.unstable_steps += 1
    elif accepted:
        s.unstable_steps = 0
    return stable


@inline
def smaller_step(h, error, order):
    """Return the step size [s] after a rejected step."""
    return h * max(LEAST_FACTOR, SAFETY * error ** (-1.0 / order)) if math.isfinite(error) else 0.1 * h


@inline
def larger_step(h, error, before, rejected, order):
    """Return the step size [s] after an accepted step, from its error and that of the one before; Eq. (M32)."""
    grow = SAFETY * max(error, 1e-10) ** (-PI_ERROR / order) * before ** (PI_PREVIOUS / order)
    return h * min(1.0 if rejected else LARGEST_FACTOR, max(LEAST_FACTOR, grow))


@inline
def accept_step(settings, s, h, error, reaches_limit, order):
    """Propose the step size after an accepted step, which may have been cut short."""
    if not reaches_limit and h >= s.step:
        s.step = min(
            larger_step(h, error, s.previous_error, s.after_rejection == 1, order), settings.max_step
        )
        s.previous_error = max(error, 1e-4)
    else:  # a step shortened for other reasons gives only a lower bound for the next
        proposed = h * SAFETY * max(error, 1e-10) ** (-1.0 / order)
        if proposed < s.step or reaches_limit:
            s.step = min(max(min(proposed, LARGEST_FACTOR * h), min(proposed, s.step)), settings.max_step)
    s.after_rejection = 0


@inline
def allowed_step(settings, s):
    """Return the longest step that near lists and pins allow [s]."""
    return max(min(s.list_step, s.pin_step), settings.min_step)


@kernel
def choose_step(settings, s, t_limit):
    """Return method and size [s] of the next step, and whether it ends at t_limit, its latest end; Eq. (M35)."""
    if settings.fixed_step > 0.0:
        h, reaches_limit = step_to(s.t, settings.fixed_step, t_limit, True)
        return s.method, h, reaches_limit
    if (
        settings.automatic == 1
        and not is_stiff(settings, s)
        and (s.method == StepMethod.ROSENBROCK or s.trial_method == StepMethod.ROSENBROCK)
    ):
        if s.method == StepMethod.ROSENBROCK:
            s.method, s.step, s.steps_until_trial, s.trial_period = (
                StepMethod.BOGACKI_SHAMPINE.value,
                0.5 * s.step,
                FIRST_TRIAL,
                FIRST_TRIAL,
            )
        s.trial_method = next_trial_method(settings, s, s.method)
    if settings.automatic == 1 and s.steps_until_trial <= 0:
        h = REQUIRED_GAIN * WORK[s.trial_method] / WORK[s.method] * s.step
        if h < s.step:
            h, reaches_limit = step_to(s.t, min(h, allowed_step(settings, s)), t_limit, False)
            return s.trial_method, h, reaches_limit
        if h <= min(allowed_step(settings, s), settings.max_step) and s.t + 2.0 * h <= t_limit:
            return s.trial_method, h, False
        s.steps_until_trial = s.trial_period  # where other limits apply, keep the cheaper method
        s.trial_method = next_trial_method(settings, s, s.trial_method)
    h = min(s.step, allowed_step(settings, s))
    if (
        has_fast_modes(s)
        and s.trial_method == StepMethod.ROSENBROCK
        and s.steps_until_trial <= SETTLING_STEPS
    ):
        h *= 0.5
    h, reaches_limit = step_to(s.t, h, t_limit, False)
    return s.method, h, reaches_limit


@kernel
def judge_trial(settings, s, method, h, error, k, y_stage, y_new, tolerance):
    """Accept or reject a trial step of another method; use that method from now on if it is faster; Eq. (M35)."""
    accepted = error <= 1.0
    stable = method != StepMethod.DORMAND_PRINCE or observe_stability(
        s, accepted, h, k, y_stage, y_new, tolerance
    )
    if accepted and stable:
        s.trial_method, s.method, s.trial_period = s.method, method, FIRST_TRIAL
        s.step = min(larger_step(h, error, 1.0, False, ORDER[method]), settings.max_step)
        s.previous_error, s.after_rejection = 1.0, 0
    else:
        s.trial_period = min(2 * s.trial_period, LONGEST_PERIOD)
    s.trial_method, s.steps_until_trial = next_trial_method(settings, s, s.trial_method), s.trial_period
    return accepted
