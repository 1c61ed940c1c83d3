"""Single steps of the integrators, their error and their dense output."""

import math

from softdock.jit import inlined, kernel
from softdock.multibody.kernels.derivative import derivative
from softdock.multibody.kernels.tree import BALL, FREE

DORMAND_PRINCE = 0
RUNGE_KUTTA_4 = 1

# Dormand and Prince (1980), 5(4) with first same as last.
C2, C3, C4, C5 = 1 / 5, 3 / 10, 4 / 5, 8 / 9
A21 = 1 / 5
A31, A32 = 3 / 40, 9 / 40
A41, A42, A43 = 44 / 45, -56 / 15, 32 / 9
A51, A52, A53, A54 = 19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729
A61, A62, A63, A64, A65 = 9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656
A71, A73, A74, A75, A76 = 35 / 384, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84
E1, E3, E4, E5, E6, E7 = 71 / 57600, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40
# Dense output of order 4: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.6.
D1, D3, D4 = -12715105075 / 11282082432, 87487479700 / 32700410799, -10690763975 / 1880347072
D5, D6, D7 = 701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423


@kernel
def step_dormand_prince(
    links, axes, elements, tables, pairs, arrays, lists, world, t, t_max, h, y, k, y_new, y_stage
):
    """One step of order 5 from y over h; expects k[0] at the start, leaves k[6] at the end. Eq. (M31).

    No stage is evaluated later than `t_max`, so that a step can end where a load switches and still see it before.
    """
    n = y.shape[0]
    for i in range(n):
        y_stage[i] = y[i] + h * A21 * k[0, i]
    derivative(
        links, axes, elements, tables, pairs, arrays, lists, world, min(t + C2 * h, t_max), y_stage, k[1]
    )
    for i in range(n):
        y_stage[i] = y[i] + h * (A31 * k[0, i] + A32 * k[1, i])
    derivative(
        links, axes, elements, tables, pairs, arrays, lists, world, min(t + C3 * h, t_max), y_stage, k[2]
    )
    for i in range(n):
        y_stage[i] = y[i] + h * (A41 * k[0, i] + A42 * k[1, i] + A43 * k[2, i])
    derivative(
        links, axes, elements, tables, pairs, arrays, lists, world, min(t + C4 * h, t_max), y_stage, k[3]
    )
    for i in range(n):
        y_stage[i] = y[i] + h * (A51 * k[0, i] + A52 * k[1, i] + A53 * k[2, i] + A54 * k[3, i])
    derivative(
        links, axes, elements, tables, pairs, arrays, lists, world, min(t + C5 * h, t_max), y_stage, k[4]
    )
    for i in range(n):
        y_stage[i] = y[i] + h * (
            A61 * k[0, i] + A62 * k[1, i] + A63 * k[2, i] + A64 * k[3, i] + A65 * k[4, i]
        )
    derivative(links, axes, elements, tables, pairs, arrays, lists, world, min(t + h, t_max), y_stage, k[5])
    for i in range(n):
        y_new[i] = y[i] + h * (A71 * k[0, i] + A73 * k[2, i] + A74 * k[3, i] + A75 * k[4, i] + A76 * k[5, i])
    derivative(links, axes, elements, tables, pairs, arrays, lists, world, min(t + h, t_max), y_new, k[6])


@kernel
def step_runge_kutta_4(
    links, axes, elements, tables, pairs, arrays, lists, world, t, t_max, h, y, k, y_new, y_stage
):
    """One classical step of order 4; the slope at the end goes to k[6] like that of the other method."""
    n = y.shape[0]
    for i in range(n):
        y_stage[i] = y[i] + 0.5 * h * k[0, i]
    derivative(
        links, axes, elements, tables, pairs, arrays, lists, world, min(t + 0.5 * h, t_max), y_stage, k[1]
    )
    for i in range(n):
        y_stage[i] = y[i] + 0.5 * h * k[1, i]
    derivative(
        links, axes, elements, tables, pairs, arrays, lists, world, min(t + 0.5 * h, t_max), y_stage, k[2]
    )
    for i in range(n):
        y_stage[i] = y[i] + h * k[2, i]
    derivative(links, axes, elements, tables, pairs, arrays, lists, world, min(t + h, t_max), y_stage, k[3])
    for i in range(n):
        y_new[i] = y[i] + h / 6.0 * (k[0, i] + 2.0 * (k[1, i] + k[2, i]) + k[3, i])
    derivative(links, axes, elements, tables, pairs, arrays, lists, world, min(t + h, t_max), y_new, k[6])


@kernel
def error_of_step(h, k, tolerance):
    """Largest error of a Dormand-Prince step in units of the tolerance; Eq. (M32)."""
    worst = 0.0
    for i in range(tolerance.shape[0]):
        e = E1 * k[0, i] + E3 * k[2, i] + E4 * k[3, i] + E5 * k[4, i] + E6 * k[5, i] + E7 * k[6, i]
        e = abs(h * e) / tolerance[i]
        if not e <= worst:  # also catches NaN
            worst = e
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
