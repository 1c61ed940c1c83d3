"""Single steps of the integrators, their error and their dense output."""

import math
from enum import IntEnum

import numpy as np

from softdock.dynamics.kernels.channels.channels import read_sampled_channels
from softdock.dynamics.kernels.forces.derivative import derivative
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.tree import BALL, FREE


class StepMethod(IntEnum):
    """Methods of integration of a step."""

    DORMAND_PRINCE = 0
    RUNGE_KUTTA_4 = 1
    BOGACKI_SHAMPINE = 2
    ROSENBROCK = 3


END = 7  # row of the slope at the end of a step; the first row is that at its start, between them are the stages

# Weights of the slopes of earlier stages, one row per stage; the last row is the end of the step, whose slope is the
# first of the next step. Dormand and Prince (1980), 5(4).
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
# Bogacki and Shampine (1989), 3(2).
STAGES_BOGACKI_SHAMPINE = np.array([[0, 0, 0], [1 / 2, 0, 0], [0, 3 / 4, 0], [2 / 9, 1 / 3, 4 / 9]])
INSTANTS_BOGACKI_SHAMPINE = np.array([0, 1 / 2, 3 / 4, 1])
# Weights of the slopes in the estimated error: solution minus embedded solution, F of Bogacki-Shampine, E of
# Dormand-Prince.
F1, F2, F3, F4 = -5 / 72, 1 / 12, 1 / 9, -1 / 8
E1, E3, E4, E5, E6, E7 = 71 / 57600, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40
# Of the estimated error of a step, which is that of the embedded solution: what remains of it in the solution of higher
# order, for errors of forces. Measured on oscillators under pulses, in 90 % of the cases: 0.25 for Dormand-Prince, 0.2
# for the implicit method, 0.6 for Bogacki-Shampine; `python -m tests.accuracy` shows how errors are covered.
REMAINING_SHARE, REMAINING_SHARE_OF_LOW_ORDER = 0.4, 0.6
# Dense output of order 4: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.6.
D1, D3, D4 = -12715105075 / 11282082432, 87487479700 / 32700410799, -10690763975 / 1880347072
D5, D6, D7 = 701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423

# Stages where watched channels are read.
EARLY_DORMAND_PRINCE, LATE_DORMAND_PRINCE = 2, 3
EARLY_BOGACKI_SHAMPINE, LATE_BOGACKI_SHAMPINE = 1, 2

INSTANT_WIDTH = 1e-15  # of a step: the interval to which an instant inside it is narrowed


@kernel
def take_step(system, channels, sampled, method, t, t_max, h, y, k, y_new, y_stage, early, late):
    """Take one step of size h [s] from y; k[0] has the slope at its start, k[END] gets that at its end; Eq. (M31).

    No stage is evaluated later than `t_max`, so that a step that ends where a load is switched has its value before.
    `early` and `late` get the first `sampled` channels at two stages, `y_stage` keeps the state of the last one before
    the end.
    """
    stages, instants = STAGES_DORMAND_PRINCE, INSTANTS_DORMAND_PRINCE
    first, second = EARLY_DORMAND_PRINCE, LATE_DORMAND_PRINCE
    if method == StepMethod.BOGACKI_SHAMPINE:
        stages, instants = STAGES_BOGACKI_SHAMPINE, INSTANTS_BOGACKI_SHAMPINE
        first, second = EARLY_BOGACKI_SHAMPINE, LATE_BOGACKI_SHAMPINE
    elif method == StepMethod.RUNGE_KUTTA_4:
        stages, instants, first, second = STAGES_RUNGE_KUTTA_4, INSTANTS_RUNGE_KUTTA_4, -1, -1
    last = stages.shape[0] - 1
    for s in range(1, last + 1):
        target = y_new if s == last else y_stage
        set_stage(stages, s, h, y, k, target)
        t_stage = min(t + instants[s] * h, t_max)
        derivative(system, t_stage, target, k[END if s == last else s])
        if s == first or s == second:
            read_sampled_channels(channels, sampled, system, t_stage, target, early if s == first else late)


@inline
def set_stage(stages, s, h, y, k, target):
    """Write the state of a stage; the loops over states are inner loops, which the compiler vectorises."""
    for i in range(y.shape[0]):
        target[i] = stages[s, 0] * k[0, i]
    for earlier in range(1, s):
        for i in range(y.shape[0]):
            target[i] += stages[s, earlier] * k[earlier, i]
    for i in range(y.shape[0]):
        target[i] = y[i] + h * target[i]


@kernel
def all_finite(y):
    """Return whether every entry is a finite number."""
    for i in range(y.shape[0]):
        if not math.isfinite(y[i]):
            return False
    return True


@kernel
def error_of_step(method, h, k, tolerance, out):
    """Return the largest error of an explicit step in units of the tolerance; Eq. (M32).

    Writes what remains of all errors.
    """
    worst, share = (
        0.0,
        REMAINING_SHARE_OF_LOW_ORDER if method == StepMethod.BOGACKI_SHAMPINE else REMAINING_SHARE,
    )
    for i in range(tolerance.shape[0]):
        if method == StepMethod.BOGACKI_SHAMPINE:
            e = F1 * k[0, i] + F2 * k[1, i] + F3 * k[2, i] + F4 * k[END, i]
        else:
            e = E1 * k[0, i] + E3 * k[2, i] + E4 * k[3, i] + E5 * k[4, i] + E6 * k[5, i] + E7 * k[END, i]
        out[i] = share * h * e
        e = abs(h * e) / tolerance[i]
        if not math.isfinite(e):
            return math.inf
        worst = max(worst, e)
    return worst


@kernel
def fastest_mode(h, k, y_stage, y_new, tolerance):
    """Return the rate of the fastest mode in a Dormand-Prince step, times h, from two states at its end; Eq. (M36)."""
    states, slopes = 0.0, 0.0
    for i in range(tolerance.shape[0]):
        d, s = (y_new[i] - y_stage[i]) / tolerance[i], (k[END, i] - k[5, i]) / tolerance[i]
        states, slopes = states + d * d, slopes + s * s
    return h * math.sqrt(slopes / states) if states > 0.0 else 0.0


@kernel
def prepare_dense(method, h, y, y_new, k, dense):
    """Write the coefficients of the interpolation in a step: order 4 (Dormand-Prince) or cubic; Eq. (M33).

    `dense` has one row per coefficient, shape (5, n).
    """
    for i in range(y.shape[0]):
        difference = y_new[i] - y[i]
        start_deviation = h * k[0, i] - difference
        dense[0, i] = y[i]
        dense[1, i] = difference
        dense[2, i] = start_deviation
        dense[3, i] = difference - h * k[END, i] - start_deviation
        if method == StepMethod.DORMAND_PRINCE:
            dense[4, i] = h * (
                D1 * k[0, i] + D3 * k[2, i] + D4 * k[3, i] + D5 * k[4, i] + D6 * k[5, i] + D7 * k[END, i]
            )
        else:
            dense[4, i] = 0.0


@kernel
def interpolate(dense, theta, out):
    """Write the state at theta of a step, from 0 to 1, into `out`; Eq. (M33)."""
    interpolate_entries(dense, theta, 0, out.shape[0], out)


@inline
def interpolate_entries(dense, theta, begin, end, out):
    """Write the entries `begin` to `end` - 1 of the state at theta of a step into `out`; Eq. (M33)."""
    rest = 1.0 - theta
    for i in range(begin, end):
        inner = dense[3, i] + rest * dense[4, i]
        out[i] = dense[0, i] + theta * (dense[1, i] + rest * (dense[2, i] + theta * inner))


@kernel
def copy(source, target):
    """Copy a vector (much cheaper to compile than a slice)."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@inline
def copy_first(source, target, count):
    """Copy the first entries of a vector."""
    for i in range(count):
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


@inline
def normalise_at(y, slope, at):
    """Normalise the quaternion that starts at an index."""
    n = math.sqrt(y[at] ** 2 + y[at + 1] ** 2 + y[at + 2] ** 2 + y[at + 3] ** 2)
    for k in range(at, at + 4):
        y[k] /= n
        slope[k] /= n
