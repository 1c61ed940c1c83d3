"""Linearly implicit steps: stable however stiff contacts and joints are, for a few linear equations a step."""

import numpy as np

from softdock.dynamics.kernels.channels import read_sampled_channels
from softdock.dynamics.kernels.derivative import derivative
from softdock.dynamics.kernels.linear import linearise
from softdock.dynamics.kernels.stages import factorise, solve_stage
from softdock.native.decorators import kernel

# ROS34PW2 of J. Rang and L. Angermann, BIT 45 (2005) 761: order 3 with an embedded order 2 for any matrix in the place
# of the Jacobian, stiffly accurate, L-stable with the exact one. GAMMA[i, j] and ALPHA[i, j] of its stages.
GAMMA = 4.3586652150845900e-01
_ALPHA = (
    (),
    (8.7173304301691801e-01,),
    (8.4457060015369423e-01, -1.1299064236484185e-01),
    (0.0, 0.0, 1.0),
)
_GAMMA = (
    (),
    (-8.7173304301691801e-01,),
    (-9.0338057013044082e-01, 5.4180672388095326e-02),
    (2.4212380706095346e-01, -1.2232505839045147e00, 5.4526025533510214e-01),
)
_WEIGHTS = (2.4212380706095346e-01, -1.2232505839045147e00, 1.5452602553351020e00, GAMMA)
_EMBEDDED = (3.7810903145819369e-01, -9.6042292212423178e-02, 0.5, 2.1793326075422950e-01)


def _times_inverse(row: tuple[float, ...]) -> list[float]:
    """Return a row times the inverse of the lower triangle of gammas."""
    out = list(row) + [0.0] * (4 - len(row))
    for j in range(3, -1, -1):
        out[j] = (out[j] - sum(out[i] * _GAMMA[i][j] for i in range(j + 1, 4))) / GAMMA
    return out


# The usual change of variables, which saves products with the Jacobian: Hairer and Wanner, Solving Ordinary
# Differential Equations II, IV.7.
STAGE_WEIGHTS = np.array([_times_inverse(row) for row in _ALPHA])
STAGE_COUPLINGS = np.array(
    [[-x if j < i else 0.0 for j, x in enumerate(_times_inverse((*(0.0,) * i, 1.0)))] for i in range(4)]
)
WEIGHTS = np.array(_times_inverse(_WEIGHTS))
ERRORS = WEIGHTS - np.array(_times_inverse(_EMBEDDED))
STAGE_TIMES = np.array([sum(row) for row in _ALPHA])
TIME_WEIGHTS = np.array([GAMMA + sum(row) for row in _GAMMA])  # of the derivative with respect to time
# Weights of the squares and cubes of the fraction of a step in its continuous extension; Eq. (M114). Those of the
# fraction itself follow from the end of the step.
_CONDITIONS = np.array([np.ones(4), STAGE_TIMES, TIME_WEIGHTS, STAGE_TIMES**2])
DENSE_SQUARES = np.array(_times_inverse(tuple(np.linalg.solve(_CONDITIONS, [0.0, 1.0 / 2.0, 0.0, 0.0]))))
DENSE_CUBES = np.array(_times_inverse(tuple(np.linalg.solve(_CONDITIONS, [0.0, 0.0, 0.0, 1.0 / 3.0]))))
ERROR_FACTOR = 3.0  # on the error estimate, because damping of fast modes by the method is a loss of energy
EARLY, LATE = 2, 1  # stages where watched channels are read: at 0.73 and 0.87 of the step


@kernel
def take_implicit_step(system, channels, watched, t, t_max, h, y, k, y_new, y_stage, early, late, linear):
    """Take one step of size h from y, as `take_step`; writes the stage increments to rows 1 to 4 of k; Eq. (M45)."""
    linearise(system, t, y, linear)
    factorise(linear, GAMMA * h)
    for s in range(4):
        right = k[0]
        if s > 0:
            for i in range(y.shape[0]):
                added = 0.0
                for earlier in range(s):
                    added += STAGE_WEIGHTS[s, earlier] * k[1 + earlier, i]
                y_stage[i] = y[i] + added
            t_stage = min(t + STAGE_TIMES[s] * h, t_max)
            right = k[5]
            derivative(system, t_stage, y_stage, right)
            if s == EARLY or s == LATE:
                read_sampled_channels(
                    channels, watched, system, t_stage, y_stage, early if s == EARLY else late
                )
            for i in range(y.shape[0]):
                added = 0.0
                for earlier in range(s):
                    added += STAGE_COUPLINGS[s, earlier] * k[1 + earlier, i]
                right[i] += added / h
        solve_stage(system, linear, GAMMA * h, TIME_WEIGHTS[s] * h, y, right, k[1 + s])
    for i in range(y.shape[0]):
        y_new[i] = y[i] + (
            WEIGHTS[0] * k[1, i] + WEIGHTS[1] * k[2, i] + WEIGHTS[2] * k[3, i] + WEIGHTS[3] * k[4, i]
        )
    derivative(system, min(t + h, t_max), y_new, k[6])


@kernel
def prepare_implicit_dense(y, y_new, k, dense):
    """Coefficients of the interpolation inside an implicit step from its stages, as `prepare_dense`; Eq. (M114).

    The slopes at the ends of the step, which `prepare_dense` uses, contain fast modes that the step damps.
    """
    for i in range(y.shape[0]):
        square, cube = 0.0, 0.0
        for stage in range(4):
            square += DENSE_SQUARES[stage] * k[1 + stage, i]
            cube += DENSE_CUBES[stage] * k[1 + stage, i]
        dense[0, i], dense[1, i], dense[2, i], dense[3, i], dense[4, i] = (
            y[i],
            y_new[i] - y[i],
            -square - cube,
            -cube,
            0.0,
        )


@kernel
def error_of_implicit_step(k, tolerance):
    """Largest error of a step in units of the tolerance; Eq. (M32)."""
    worst = 0.0
    for i in range(tolerance.shape[0]):
        e = ERRORS[0] * k[1, i] + ERRORS[1] * k[2, i] + ERRORS[2] * k[3, i] + ERRORS[3] * k[4, i]
        e = abs(e) / tolerance[i]
        if not e < np.inf:
            return np.inf
        worst = max(worst, e)
    return ERROR_FACTOR * worst
