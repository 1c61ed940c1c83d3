"""Single steps of the integrators, their error and their dense output."""

import math

import numpy as np

from softdock.jit import inlined, kernel
from softdock.multibody.kernels.channels import read_channels
from softdock.multibody.kernels.derivative import derivative
from softdock.multibody.kernels.tree import BALL, FREE

DORMAND_PRINCE = 0
RUNGE_KUTTA_4 = 1

# Stages: row s holds what the slopes of earlier stages contribute; the last row is the step itself and its slope
# the first of the next step. Dormand and Prince (1980), 5(4).
STAGES_DORMAND_PRINCE = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
INSTANTS_DORMAND_PRINCE = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
STAGES_RUNGE_KUTTA_4 = np.array(
    [[0, 0, 0, 0], [1 / 2, 0, 0, 0], [0, 1 / 2, 0, 0], [0, 0, 1, 0], [1 / 6, 1 / 3, 1 / 3, 1 / 6]]
)
INSTANTS_RUNGE_KUTTA_4 = np.array([0, 1 / 2, 1 / 2, 1, 1])
E1, E3, E4, E5, E6, E7 = 71 / 57600, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40
# Dense output of order 4: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.6.
D1, D3, D4 = -12715105075 / 11282082432, 87487479700 / 32700410799, -10690763975 / 1880347072
D5, D6, D7 = 701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423


EARLY, LATE = 2, 3  # stages of Dormand-Prince at 0.3 and 0.8 of the step


@kernel
def take_step(system, channels, watched, method, t, t_max, h, y, k, y_new, y_stage, early, late):
    """One step from y over h; expects the slope at the start in k[0], leaves that at the end in k[6]; Eq. (M31).

    No stage is evaluated later than `t_max`, so that a step can end where a load switches and still see it before.
    `early` and `late` get the watched channels at two stages of Dormand-Prince.
    """
    stages = STAGES_DORMAND_PRINCE if method == DORMAND_PRINCE else STAGES_RUNGE_KUTTA_4
    instants = INSTANTS_DORMAND_PRINCE if method == DORMAND_PRINCE else INSTANTS_RUNGE_KUTTA_4
    last = stages.shape[0] - 1
    for s in range(1, last + 1):
        target = y_new if s == last else y_stage
        for i in range(y.shape[0]):
            slope = 0.0
            for earlier in range(s):
                slope += stages[s, earlier] * k[earlier, i]
            target[i] = y[i] + h * slope
        t_stage = min(t + instants[s] * h, t_max)
        derivative(system, t_stage, target, k[6 if s == last else s])
        if method == DORMAND_PRINCE and (s == EARLY or s == LATE):
            read_channels(channels, watched, system, t_stage, target, early if s == EARLY else late)


SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 5.0  # usual bounds of step control
PI_ERROR, PI_BEFORE = 0.7 / 5.0, 0.4 / 5.0  # PI control after Gustafsson (1991) for order 5


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


@kernel
def all_finite(y):
    """Tell whether every entry is a finite number."""
    for i in range(y.shape[0]):
        if not math.isfinite(y[i]):
            return False
    return True


@inlined
def step_to(t, h, t_stop, fixed):
    """Step size that ends at t_stop where that is near, and whether it does."""
    if t + h >= t_stop:
        return t_stop - t, True
    if t + 2.0 * h > t_stop and not fixed:
        return 0.5 * (t_stop - t), False  # two halves instead of a sliver
    return h, False


@inlined
def smaller_step(h, error):
    """Step size to try after a step of too large an error."""
    return h * max(SLOWEST, SAFETY * error**-0.2) if math.isfinite(error) else 0.1 * h


@inlined
def next_step(h, error, before, rejected):
    """Step size after an accepted step, from its error and that of the one before; Eq. (M32)."""
    grow = SAFETY * max(error, 1e-10) ** -PI_ERROR * before**PI_BEFORE
    return h * min(1.0 if rejected else FASTEST, max(SLOWEST, grow))


@kernel
def error_of_step(h, k, tolerance):
    """Largest error of a Dormand-Prince step in units of the tolerance; Eq. (M32)."""
    worst = 0.0
    for i in range(tolerance.shape[0]):
        e = E1 * k[0, i] + E3 * k[2, i] + E4 * k[3, i] + E5 * k[4, i] + E6 * k[5, i] + E7 * k[6, i]
        e = abs(h * e) / tolerance[i]
        if not math.isfinite(e):
            return math.inf
        worst = max(worst, e)
    return worst


@kernel
def prepare_dense(method, h, y, y_new, k, dense):
    """Coefficients of the interpolation inside a step: order 4 (Dormand-Prince) or cubic; Eq. (M33)."""
    for i in range(y.shape[0]):
        difference = y_new[i] - y[i]
        spline = h * k[0, i] - difference
        dense[0, i] = y[i]
        dense[1, i] = difference
        dense[2, i] = spline
        dense[3, i] = difference - h * k[6, i] - spline
        if method == DORMAND_PRINCE:
            dense[4, i] = h * (
                D1 * k[0, i] + D3 * k[2, i] + D4 * k[3, i] + D5 * k[4, i] + D6 * k[5, i] + D7 * k[6, i]
            )
        else:
            dense[4, i] = 0.0


@kernel
def interpolate(dense, theta, out):
    """State inside a step, theta from 0 to 1."""
    rest = 1.0 - theta
    for i in range(out.shape[0]):
        inner = dense[3, i] + rest * dense[4, i]
        out[i] = dense[0, i] + theta * (dense[1, i] + rest * (dense[2, i] + theta * inner))


@kernel
def copy(source, target):
    """Copy a vector (much cheaper to compile than a slice)."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@kernel
def normalise(links, y, slope):
    """Give all quaternions unit length, and their slopes the same factor: the motion is unchanged."""
    for i in range(links.shape[0]):
        kind = links[i].kind
        if kind == FREE:
            normalise_at(y, slope, links[i].at_q + 3)
        elif kind == BALL:
            normalise_at(y, slope, links[i].at_q)


@inlined
def normalise_at(y, slope, at):
    """Normalise the quaternion that starts at an index."""
    n = math.sqrt(y[at] ** 2 + y[at + 1] ** 2 + y[at + 2] ** 2 + y[at + 3] ** 2)
    for k in range(at, at + 4):
        y[k] /= n
        slope[k] /= n
