"""Linearly implicit steps, stable however stiff contacts and joints are: each stage solves linear equations."""

import numpy as np

from softdock.dynamics.kernels.channels.channels import read_sampled_channels
from softdock.dynamics.kernels.forces.derivative import derivative
from softdock.dynamics.kernels.forces.linear import linearise
from softdock.dynamics.kernels.integration.stages import factorise, solve_stage
from softdock.dynamics.kernels.integration.stepping import END, REMAINING_SHARE, copy
from softdock.native.decorators import kernel

# A W-method: order 4 with an embedded order 3 for any matrix in the place of the Jacobian, stiffly accurate, L-stable
# with the exact one. `softdock.theory.rosenbrock` has the order conditions; Eq. (M115).
STAGES = 6
GAMMA = 0.26
ALPHA = (
    (),
    (0.52,),
    (0.5202461312708603, 0.21712313892683696),
    (0.5519178031515861, -0.04193781205024677, -0.27080587835611614),
    (0.39430405539790475, 0.4669581368919432, -0.07873755158400031, -0.11195493962918548),
    (0.40369333698015575, -2.097128150908497, -0.8441339401521522, 1.084799516933393, 2.4527692371471006),
)
GAMMA_BELOW_DIAGONAL = (
    (),
    (-0.52,),
    (-0.36612938114674326, -0.06300638880272012),
    (-0.707550751509195, -0.19086825989011, 0.3894384546438511),
    (-0.2574457132236774, -0.40160115864426726, 0.07637183892138133, 0.18822788841300098),
    (-0.24000600505965883, 2.1563321703666154, -0.6604415716331852, -0.9989421573475963, -0.5169424363261752),
)
SOLUTION_WEIGHTS = (*(alpha + gamma for alpha, gamma in zip(ALPHA[-1], GAMMA_BELOW_DIAGONAL[-1])), GAMMA)
# Weights of the solution minus those of the embedded one; their scale is free, Eq. (M115) and below.
ERROR_WEIGHTS = (
    -0.095131643715234,
    -0.1987033201476326,
    -0.6166043372557881,
    0.20515669764947694,
    0.5960591925065226,
    0.1092234109626551,
)
# Weights of the squares and cubes of the fraction of a step in its continuous extension; Eq. (M114). Those of the
# fraction itself follow from the end of the step.
SQUARE_WEIGHTS = (
    0.12356348806481282,
    3.7399535184748105,
    -2.998710362942771,
    -3.781189407029729,
    3.7811916624108104,
    -0.8648088989779326,
)
CUBE_WEIGHTS = (
    -0.24747304479963042,
    -2.149614309236271,
    1.6223951047732923,
    2.081257646443444,
    -2.216789393717304,
    0.9102239965364689,
)


def _times_inverse(row: tuple[float, ...]) -> list[float]:
    """Return a row times the inverse of the lower triangle of gammas."""
    out = list(row) + [0.0] * (STAGES - len(row))
    for j in range(STAGES - 1, -1, -1):
        out[j] = (out[j] - sum(out[i] * GAMMA_BELOW_DIAGONAL[i][j] for i in range(j + 1, STAGES))) / GAMMA
    return out


# The usual change of variables, which saves products with the Jacobian: Hairer and Wanner, Solving Ordinary
# Differential Equations II, IV.7.
STAGE_WEIGHTS = np.array([_times_inverse(row) for row in ALPHA])
STAGE_COUPLINGS = np.array(
    [[-x if j < i else 0.0 for j, x in enumerate(_times_inverse((*(0.0,) * i, 1.0)))] for i in range(STAGES)]
)
WEIGHTS = np.array(_times_inverse(SOLUTION_WEIGHTS))
ERRORS = np.array(_times_inverse(ERROR_WEIGHTS))
DENSE_SQUARES = np.array(_times_inverse(SQUARE_WEIGHTS))
DENSE_CUBES = np.array(_times_inverse(CUBE_WEIGHTS))
STAGE_TIMES = np.array([sum(row) for row in ALPHA])
# Weights of the derivative with respect to time.
TIME_WEIGHTS = np.array([GAMMA + sum(row) for row in GAMMA_BELOW_DIAGONAL])
EARLY, LATE = 1, 2  # stages where watched channels are read


@kernel
def take_implicit_step(system, channels, sampled, t, t_max, h, y, k, y_new, y_stage, early, late, linear):
    """Take one step of size h [s] from y, as `take_step`; rows 1 to STAGES of k get the increments u; Eq. (M45)."""
    linearise(system, t, y, linear)
    factorise(linear, GAMMA * h)
    n = y.shape[0]
    for s in range(STAGES):
        right = k[0]
        if s > 0:
            copy(y, y_stage)
            for earlier in range(s):
                for i in range(n):
                    y_stage[i] += STAGE_WEIGHTS[s, earlier] * k[1 + earlier, i]
            t_stage = min(t + STAGE_TIMES[s] * h, t_max)
            right = k[END]
            derivative(system, t_stage, y_stage, right)
            if s == EARLY or s == LATE:
                read_sampled_channels(
                    channels, sampled, system, t_stage, y_stage, early if s == EARLY else late
                )
            for earlier in range(s):
                weight = STAGE_COUPLINGS[s, earlier] / h
                for i in range(n):
                    right[i] += weight * k[1 + earlier, i]
        solve_stage(system, linear, GAMMA * h, TIME_WEIGHTS[s] * h, y, right, k[1 + s])
    copy(y, y_new)
    for s in range(STAGES):
        for i in range(n):
            y_new[i] += WEIGHTS[s] * k[1 + s, i]
    derivative(system, min(t + h, t_max), y_new, k[END])


@kernel
def prepare_implicit_dense(y, y_new, k, dense):
    """Write the coefficients of the interpolation in an implicit step, as `prepare_dense`; Eq. (M114).

    It uses the stages: the slopes at the ends of the step, which `prepare_dense` uses, contain fast modes that the step
    damps.
    """
    for i in range(y.shape[0]):
        square, cube = 0.0, 0.0
        for stage in range(STAGES):
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
def error_of_implicit_step(k, tolerance, out):
    """Return the largest error of an implicit step in units of the tolerance; Eq. (M32).

    Writes what remains of all errors.
    """
    worst = 0.0
    for i in range(tolerance.shape[0]):
        e = 0.0
        for stage in range(STAGES):
            e += ERRORS[stage] * k[1 + stage, i]
        out[i] = REMAINING_SHARE * e
        e = abs(e) / tolerance[i]
        if not e < np.inf:
            return np.inf
        worst = max(worst, e)
    return worst
