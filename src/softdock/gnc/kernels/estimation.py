"""Filters: Kalman filter of relative translation, multiplicative extended Kalman filter of relative attitude.

Both have six states: position and velocity, or attitude error and gyro bias. Covariances are (6, 6), `work` (6, 6) is
overwritten. The filter of translation considers the attitude error, with which a measured position of the tip is
reduced to the centre of mass: `cross` (6, 6) is the covariance of its error (rows) with that of the attitude (columns).
"""

import math

from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import quaternion_product, rotate_inverse, rotation_vector_from_quaternion

STATES = 6
SMALL_ANGLE = 1e-8  # [rad] below which sine and angle are equal to rounding


@inline
def write_product(left, right, out):
    """Write the product of two (6, 6) matrices."""
    for i in range(STATES):
        for j in range(STATES):
            total = 0.0
            for k in range(STATES):
                total += left[i, k] * right[k, j]
            out[i, j] = total


@kernel
def propagate_covariance(transition, covariance, noise, work):
    """Propagate a covariance: P = F P F^T + Q; Eq. (K21)."""
    write_product(transition, covariance, work)
    for i in range(STATES):
        for j in range(i, STATES):
            total = noise[i, j]
            for k in range(STATES):
                total += work[i, k] * transition[j, k]
            covariance[i, j] = covariance[j, i] = total


@kernel
def propagate_cross(transition, attitude_transition, cross, work):
    """Propagate the cross-covariance by the transitions of translation and attitude: C = Phi C F^T; Eq. (K27)."""
    write_product(transition, cross, work)
    for i in range(STATES):
        for j in range(STATES):
            total = 0.0
            for k in range(STATES):
                total += work[i, k] * attitude_transition[j, k]
            cross[i, j] = total


@kernel
def propagate_state(transition, response, acceleration, state, work):
    """Propagate position and velocity by a transition and a constant acceleration (3,) [m/s2]; Eq. (K20)."""
    for i in range(STATES):
        total = 0.0
        for k in range(STATES):
            total += transition[i, k] * state[k]
        for k in range(3):
            total += response[i, k] * acceleration[k]
        work[0, i] = total
    for i in range(STATES):
        state[i] = work[0, i]


@kernel
def update_scalar(row, innovation, variance, state, covariance, work):
    """Update an estimate by one scalar measurement with a variance; returns the innovation squared over its variance.

    `row` (6,) is the measurement matrix, `innovation` the measured minus the predicted value. Joseph form, which keeps
    the covariance symmetric and positive; Eqs. (K22)-(K24).
    """
    s = variance
    for i in range(STATES):
        total = 0.0
        for k in range(STATES):
            total += covariance[i, k] * row[k]
        work[0, i] = total  # P H^T
    for i in range(STATES):
        s += row[i] * work[0, i]
    if s <= 0.0:  # neither the estimate nor the measurement has an error
        return 0.0
    for i in range(STATES):
        work[1, i] = work[0, i] / s  # gain
        state[i] += work[1, i] * innovation
    for i in range(STATES):
        for j in range(i, STATES):
            # (1 - K H) P (1 - K H)^T + K R K^T, written out for one row
            value = covariance[i, j] - work[1, i] * work[0, j] - work[0, i] * work[1, j]
            value += work[1, i] * s * work[1, j]
            covariance[i, j] = covariance[j, i] = value
    return innovation * innovation / s


@kernel
def update_considered(row, lever, innovation, variance, state, covariance, cross, attitude, work):
    """Update a translation by a scalar measurement to which attitude errors contribute; returns the innovation squared.

    `lever` (3,) is the measurement per attitude error [m/rad], `attitude` (6, 6) the covariance of the attitude filter,
    which does not change. The innovation is normalised; Eqs. (K22), (K23), (K28), (K29).
    """
    s = variance
    for i in range(STATES):
        total, mixed = 0.0, 0.0
        for k in range(STATES):
            total += covariance[i, k] * row[k]
            mixed += cross[k, i] * row[k]
        for k in range(3):
            total += cross[i, k] * lever[k]
            mixed += attitude[i, k] * lever[k]
        work[0, i], work[2, i] = total, mixed  # covariances of both errors with the innovation
    for i in range(STATES):
        s += row[i] * work[0, i]
    for k in range(3):
        s += lever[k] * work[2, k]
    if s <= 0.0:  # neither the estimate nor the measurement has an error
        return 0.0
    for i in range(STATES):
        work[1, i] = work[0, i] / s  # gain
        state[i] += work[1, i] * innovation
    for i in range(STATES):
        for j in range(STATES):
            cross[i, j] -= work[1, i] * work[2, j]
        for j in range(i, STATES):
            value = covariance[i, j] - work[1, i] * work[0, j] - work[0, i] * work[1, j]
            value += work[1, i] * s * work[1, j]
            covariance[i, j] = covariance[j, i] = value
    return innovation * innovation / s


@kernel
def update_position(measured, transition_back, levers, sigma, state, covariance, cross, attitude, row, work):
    """Update position and velocity by a position (3,) measured a latency ago; returns the innovation squared.

    The innovation is normalised. `transition_back` (6, 6) is the transition over minus the latency, `levers` (3, 3) the
    error of the measured position per attitude error [m/rad], `sigma` (3,) are standard deviations [m]. The noise of
    the three components is independent; they are applied one after the other; Eqs. (K25), (K28).
    """
    total = 0.0
    for k in range(3):
        predicted = 0.0
        for j in range(STATES):
            row[j] = transition_back[k, j]
            predicted += row[j] * state[j]
        total += update_considered(
            row,
            levers[k],
            measured[k] - predicted,
            sigma[k] * sigma[k],
            state,
            covariance,
            cross,
            attitude,
            work,
        )
    return total


@inline
def white_acceleration_noise(density, dt, noise):
    """Write the process noise of position and velocity for white acceleration [m/s2/sqrt(Hz)]; Eq. (K26)."""
    q = density * density
    for i in range(STATES):
        for j in range(STATES):
            noise[i, j] = 0.0
    for k in range(3):
        noise[k, k] = q * dt * dt * dt / 3.0
        noise[k, k + 3] = noise[k + 3, k] = 0.5 * q * dt * dt
        noise[k + 3, k + 3] = q * dt


@inline
def gyro_noise(white, walk, dt, noise):
    """Write the process noise of attitude error and bias.

    `white` is the angle random walk [rad/sqrt(s)], `walk` the random walk of the bias [rad/s/sqrt(s)]; Eq. (K31).
    """
    for i in range(STATES):
        for j in range(STATES):
            noise[i, j] = 0.0
    for k in range(3):
        noise[k, k] = white * white * dt + walk * walk * dt * dt * dt / 3.0
        noise[k, k + 3] = noise[k + 3, k] = -0.5 * walk * walk * dt * dt
        noise[k + 3, k + 3] = walk * walk * dt


@kernel
def write_attitude_transition(wx, wy, wz, dt, out):
    """Write the transition of attitude error and gyro bias at an estimated rate [rad/s] over dt [s]; Eq. (K30)."""
    E = rotation_from_vector(-wx * dt, -wy * dt, -wz * dt)
    G = integrated_rotation(wx, wy, wz, dt)
    for i in range(3):
        for j in range(3):
            out[i, j] = E[3 * i + j]
            out[i, j + 3] = -G[3 * i + j]
            out[i + 3, j] = 0.0
            out[i + 3, j + 3] = 1.0 if i == j else 0.0


@inline
def rotation_from_vector(x, y, z):
    """Return the rotation matrix of a rotation vector [rad]."""
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < SMALL_ANGLE:
        a, b = 1.0, 0.5
    else:
        half = math.sin(0.5 * angle) / angle
        a, b = math.sin(angle) / angle, 2.0 * half * half
    return (
        1.0 - b * (y * y + z * z),
        b * x * y - a * z,
        b * x * z + a * y,
        b * x * y + a * z,
        1.0 - b * (x * x + z * z),
        b * y * z - a * x,
        b * x * z - a * y,
        b * y * z + a * x,
        1.0 - b * (x * x + y * y),
    )


@inline
def integrated_rotation(wx, wy, wz, dt):
    """Return the integral of exp(-[w] s) over s from 0 to dt [s], row by row."""
    angle = math.sqrt(wx * wx + wy * wy + wz * wz) * dt
    if angle < 1e-4:  # series: the next terms are angle^4/120 of the first
        a, b = 0.5 * dt * dt * (1.0 - angle * angle / 12.0), dt * dt * dt / 6.0 * (1.0 - angle * angle / 20.0)
    else:
        w2 = (angle / dt) * (angle / dt)
        half = math.sin(0.5 * angle)
        a, b = 2.0 * half * half / w2, (dt - math.sin(angle) * dt / angle) / w2
    n = wx * wx + wy * wy + wz * wz
    return (
        dt + b * (wx * wx - n),
        b * wx * wy + a * wz,
        b * wx * wz - a * wy,
        b * wx * wy - a * wz,
        dt + b * (wy * wy - n),
        b * wy * wz + a * wx,
        b * wx * wz + a * wy,
        b * wy * wz - a * wx,
        dt + b * (wz * wz - n),
    )


@inline
def turn_quaternion(q, x, y, z):
    """Turn a unit quaternion (4,) by a rotation vector in the rotated axes [rad], and normalise it: q o exp(v/2)."""
    angle = math.sqrt(x * x + y * y + z * z)
    s = 0.5 if angle < SMALL_ANGLE else math.sin(0.5 * angle) / angle
    c = math.cos(0.5 * angle)
    w, x, y, z = quaternion_product(q[0], q[1], q[2], q[3], c, s * x, s * y, s * z)
    n = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    q[0], q[1], q[2], q[3] = n * w, n * x, n * y, n * z


@inline
def error_rotation(q, p):
    """Return the rotation vector [rad] from attitude q to attitude p, in the axes of q: conj(q) o p."""
    w, x, y, z = quaternion_product(q[0], -q[1], -q[2], -q[3], p[0], p[1], p[2], p[3])
    return rotation_vector_from_quaternion(w, x, y, z)


@kernel
def update_attitude(measured, ago, sigma, q, bias, covariance, cross, row, state, work):
    """Update attitude and gyro bias by an attitude (4,) measured earlier; returns the normalised innovation squared.

    `ago` (3,) is the rotation since the measurement in present axes [rad], `sigma` (3,) are standard deviations about
    the axes of the measured attitude [rad], `cross` (6, 6) is the covariance with the translation. Multiplicative: the
    error is a rotation vector in the axes of the estimate and is moved into the quaternion after the update; Eqs.
    (K32)-(K34), (K40).
    """
    R = rotation_from_vector(ago[0], ago[1], ago[2])  # from present axes to those at the measurement
    for k in range(4):
        state[k] = q[k]
    turn_quaternion(state, -ago[0], -ago[1], -ago[2])  # the estimate at the time of the measurement
    ex, ey, ez = error_rotation(state, measured)
    ex, ey, ez = rotate_inverse(R, ex, ey, ez)  # in present axes
    for k in range(STATES):
        state[k] = 0.0
    total = 0.0
    for k in range(3):
        for j in range(STATES):
            row[j] = 1.0 if j == k else 0.0
        e = ex if k == 0 else (ey if k == 1 else ez)
        total += update_scalar(row, e - state[k], sigma[k] * sigma[k], state, covariance, work)
        for i in range(STATES):
            shared = cross[i, k]
            for j in range(STATES):
                cross[i, j] -= shared * work[1, j]  # C (1 - k h)^T with the gain k of the attitude filter
    turn_quaternion(q, state[0], state[1], state[2])
    for k in range(3):
        bias[k] += state[3 + k]
    return total
