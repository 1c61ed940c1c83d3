"""Navigation of a controller: measurements of its sensors, and estimates of its filters.

The translation filter works in the Hill frame, or in the world in free space, with the position of the chaser's centre
of mass relative to that of the target. It considers the errors of the estimated attitude, by which a measured position
of the tip is reduced to the centre of mass. Attitude and rate of the target are known, as if it transmitted them.
"""

import math

from softdock.dynamics.kernels.control.gnc_records import QUEUE
from softdock.gnc.kernels.estimation import (
    error_rotation,
    gyro_noise,
    propagate_covariance,
    propagate_cross,
    propagate_state,
    turn_quaternion,
    update_attitude,
    update_position,
    white_acceleration_noise,
    write_attitude_transition,
)
from softdock.gnc.kernels.random_numbers import normal_vector
from softdock.gnc.kernels.sensors import disturbed_vector, drops_out, is_in_view, noise_at_range, walk_bias
from softdock.native.decorators import inline, kernel
from softdock.orbit.kernels import write_input_response, write_transition
from softdock.spatial.kernels import (
    cross,
    matrix_from_quaternion,
    matrix_product,
    quaternion_from_matrix,
    rotate,
    rotate_inverse,
    rotation_vector_from_matrix,
    transpose,
    unpack_matrix,
)
from softdock.tree.kernels.poses import link_rotation
from softdock.tree.kernels.relative_frames import target_view, tip_from_centre

# Streams of random numbers; those of thrusters begin at 16.
POSITION_STREAM, ATTITUDE_STREAM, DROP_OUT_STREAM, GYRO_STREAM, WALK_STREAM, START_STREAM = 0, 1, 2, 3, 4, 5


@kernel
def take_measurement(nav, filters, seed, t, p, R):
    """Put a measurement of the position and the attitude R_PT of the tip in P into the queue; Eqs. (K11), (K12)."""
    number = filters.sample
    filters.sample += 1
    x, y, z = rotate_inverse(R, -p[0], -p[1], -p[2])  # the port, seen from the tip
    if not is_in_view(x, y, z, nav.view_cosine) or drops_out(nav.drop_out, seed, DROP_OUT_STREAM, number):
        filters.lost += 1
        return
    distance = math.sqrt(x * x + y * y + z * z)
    slot = filters.last % QUEUE
    filters.last += 1
    sigma = noise_at_range(nav.position_noise, nav.position_slope, distance)
    x, y, z = disturbed_vector(p[0], p[1], p[2], nav.position_bias, sigma, seed, POSITION_STREAM, 2 * number)
    filters.times[slot], filters.sigmas[slot, 0] = t, sigma
    filters.positions[slot, 0], filters.positions[slot, 1], filters.positions[slot, 2] = x, y, z
    q = filters.attitudes[slot]
    q[0], q[1], q[2], q[3] = quaternion_from_matrix(R)
    sigma = noise_at_range(nav.attitude_noise, nav.attitude_slope, distance)
    x, y, z = disturbed_vector(0.0, 0.0, 0.0, nav.attitude_bias, sigma, seed, ATTITUDE_STREAM, 2 * number)
    turn_quaternion(q, x, y, z)
    filters.sigmas[slot, 1] = sigma


@kernel
def estimate(system, c, state, nav, filters, t, p, v, R, w):
    """Write the estimate of the relative motion at a sample of the controller; the arguments are the true motion."""
    view = target_view(system, c)
    rates = read_gyro(system.motions, nav, filters, c, state, view, R, w)
    if filters.started == 0:
        start_filters(nav, filters, c, view, p, v, R, w)
    else:
        propagate_filters(nav, filters, c, state, view, rates)
    while filters.first < filters.last and filters.times[filters.first % QUEUE] + nav.latency <= t:
        apply_measurement(nav, filters, c, view, rates, filters.first % QUEUE, t)
        filters.first += 1
    write_estimate(filters, c, state, view, rates)
    record_errors(filters, state, p, v, R)


@inline
def read_gyro(motions, nav, filters, c, state, view, R, w):
    """Return the measured rate of the chaser against N in T, as mean since the last sample; Eq. (K13).

    A gyro integrates the rate: pulses of thrusters between two samples count with the time since then.
    """
    own = motions[c.link]
    R_NT = link_rotation(own, own, c.R_LT)
    if filters.started == 0:
        _, port_rate, _, _ = view
        x, y, z = rotate_inverse(R, port_rate[0], port_rate[1], port_rate[2])
        x, y, z = x + w[0], y + w[1], z + w[2]
    else:
        x, y, z = rotation_vector_from_matrix(matrix_product(transpose(unpack_matrix(filters.R_NT)), R_NT))
        x, y, z = x / c.period, y / c.period, z / c.period
        walk_bias(filters.gyro_bias, nav.gyro_walk, c.period, c.seed, WALK_STREAM, 2 * state.tick)
    for k in range(9):
        filters.R_NT[k] = R_NT[k]
    a, b, d = normal_vector(c.seed, GYRO_STREAM, 2 * state.tick)
    s = nav.gyro_white / math.sqrt(c.period)
    return (
        x + filters.gyro_bias[0] + s * a,
        y + filters.gyro_bias[1] + s * b,
        z + filters.gyro_bias[2] + s * d,
    )


@inline
def relative_rate(filters, view, rates):
    """Return the estimated rate of the chaser against the port in T."""
    _, port_rate, _, _ = view
    R = matrix_from_quaternion(filters.q[0], filters.q[1], filters.q[2], filters.q[3])
    x, y, z = rotate_inverse(R, port_rate[0], port_rate[1], port_rate[2])
    return rates[0] - filters.bias[0] - x, rates[1] - filters.bias[1] - y, rates[2] - filters.bias[2] - z


@kernel
def start_filters(nav, filters, c, view, p, v, R, w):
    """Start the filters at the true motion with random errors of their initial standard deviations."""
    filters.started = 1
    R_HP, _, spin, port = view
    r = tip_from_centre(c)
    rx, ry, rz = rotate(R, r[0], r[1], r[2])
    x, y, z = p[0] - rx + port[0], p[1] - ry + port[1], p[2] - rz + port[2]
    ex, ey, ez = cross(w[0], w[1], w[2], r[0], r[1], r[2])
    ex, ey, ez = rotate(R, ex, ey, ez)
    sx, sy, sz = cross(spin[0], spin[1], spin[2], x, y, z)
    x, y, z = rotate(R_HP, x, y, z)
    vx, vy, vz = rotate(R_HP, v[0] - ex + sx, v[1] - ey + sy, v[2] - ez + sz)
    a, b, d = normal_vector(c.seed, START_STREAM, 0)
    e, f, g = normal_vector(c.seed, START_STREAM, 2)
    s, u = nav.start[0], nav.start[1]
    x_H = filters.x
    x_H[0], x_H[1], x_H[2] = x + s * a, y + s * b, z + s * d
    x_H[3], x_H[4], x_H[5] = vx + u * e, vy + u * f, vz + u * g
    filters.q[0], filters.q[1], filters.q[2], filters.q[3] = quaternion_from_matrix(R)
    a, b, d = normal_vector(c.seed, START_STREAM, 4)
    turn_quaternion(filters.q, nav.start[2] * a, nav.start[2] * b, nav.start[2] * d)
    for i in range(6):
        for j in range(6):
            filters.P[i, j], filters.P_attitude[i, j], filters.cross[i, j] = 0.0, 0.0, 0.0
    for k in range(3):
        filters.bias[k] = 0.0
        filters.P[k, k], filters.P[k + 3, k + 3] = s * s, u * u
        filters.P_attitude[k, k] = nav.start[2] * nav.start[2]
        filters.P_attitude[k + 3, k + 3] = nav.start[3] * nav.start[3]


@kernel
def propagate_filters(nav, filters, c, state, view, rates):
    """Propagate both filters over a period by measured rate and commanded pulses; Eqs. (K20), (K21), (K30), (K46)."""
    R_HP, _, _, _ = view
    x, y, z = relative_rate(filters, view, rates)
    turn_quaternion(filters.q, x * c.period, y * c.period, z * c.period)
    write_attitude_transition(
        rates[0] - filters.bias[0],
        rates[1] - filters.bias[1],
        rates[2] - filters.bias[2],
        c.period,
        filters.F_attitude,
    )
    gyro_noise(nav.gyro_white, nav.gyro_walk, c.period, filters.Q)
    propagate_covariance(filters.F_attitude, filters.P_attitude, filters.Q, filters.work)
    R_HT = matrix_product(
        R_HP, matrix_from_quaternion(filters.q[0], filters.q[1], filters.q[2], filters.q[3])
    )
    vx, vy, vz = produced_in_frame(c, state, R_HT, 0)
    px, py, pz = produced_in_frame(c, state, R_HT, 3)
    T = c.period
    filters.acceleration[0], filters.acceleration[1], filters.acceleration[2] = vx / T, vy / T, vz / T
    write_transition(nav.mean_motion, c.period, filters.F)
    write_input_response(nav.mean_motion, c.period, filters.G)
    white_acceleration_noise(nav.density, c.period, filters.Q)
    propagate_state(filters.F, filters.G, filters.acceleration, filters.x, filters.work)
    filters.x[0] += px - 0.5 * T * vx
    filters.x[1] += py - 0.5 * T * vy
    filters.x[2] += pz - 0.5 * T * vz
    propagate_covariance(filters.F, filters.P, filters.Q, filters.work)
    propagate_cross(filters.F, filters.F_attitude, filters.cross, filters.work)


@inline
def produced_in_frame(c, state, R_HT, first):
    """Return the change of velocity [m/s] (first = 0) or position [m] (first = 3) by commanded pulses in H."""
    P = state.produced
    x, y, z = rotate_inverse(c.R_LT, P[first], P[first + 1], P[first + 2])
    x, y, z = rotate(R_HT, x, y, z)
    return x / c.mass, y / c.mass, z / c.mass


@kernel
def apply_measurement(nav, filters, c, view, rates, slot, t):
    """Update both filters by a measurement of the queue; Eqs. (K25), (K32)."""
    R_HP, _, spin, port = view
    age = t - filters.times[slot]
    x, y, z = relative_rate(filters, view, rates)
    filters.ago[0], filters.ago[1], filters.ago[2] = x * age, y * age, z * age
    for k in range(3):
        filters.sigma[k] = filters.sigmas[slot, 1]
    q, P, C = filters.attitudes[slot], filters.P_attitude, filters.cross
    update_attitude(
        q, filters.ago, filters.sigma, filters.q, filters.bias, P, C, filters.row, filters.state, filters.work
    )
    # Centre of mass at the time of the measurement, in the axes of H then.
    for k in range(4):
        filters.state[k] = filters.q[k]
    turn_quaternion(filters.state, -filters.ago[0], -filters.ago[1], -filters.ago[2])
    R = matrix_from_quaternion(filters.state[0], filters.state[1], filters.state[2], filters.state[3])
    r = tip_from_centre(c)
    rx, ry, rz = rotate(R, r[0], r[1], r[2])
    z_m = filters.positions[slot]
    x, y, z = z_m[0] - rx + port[0], z_m[1] - ry + port[1], z_m[2] - rz + port[2]
    sx, sy, sz = cross(spin[0], spin[1], spin[2], x, y, z)
    filters.measured[0], filters.measured[1], filters.measured[2] = rotate(
        R_HP, x - sx * age, y - sy * age, z - sz * age
    )
    for k in range(3):
        filters.sigma[k] = filters.sigmas[slot, 0]
    write_transition(nav.mean_motion, -age, filters.F)
    write_levers(filters.levers, matrix_product(R_HP, R), r)
    update_position(
        filters.measured,
        filters.F,
        filters.levers,
        filters.sigma,
        filters.x,
        filters.P,
        C,
        P,
        filters.row,
        filters.work,
    )


@inline
def write_levers(levers, R, r):
    """Write the change of R r, an arm in T seen in H, per small rotation in T: -R [r]; Eq. (K28)."""
    for i in range(3):
        x, y, z = R[3 * i], R[3 * i + 1], R[3 * i + 2]
        levers[i, 0], levers[i, 1], levers[i, 2] = cross(r[0], r[1], r[2], x, y, z)


@inline
def tip_variance(filters):
    """Return the sum of the variances of the estimated position of the tip [m2]; Eq. (K41)."""
    total = 0.0
    for i in range(3):
        total += filters.P[i, i]
        for j in range(3):
            total += 2.0 * filters.cross[i, j] * filters.levers[i, j]
            for k in range(3):
                total += filters.levers[i, j] * filters.P_attitude[j, k] * filters.levers[i, k]
    return total


@kernel
def write_estimate(filters, c, state, view, rates):
    """Write the estimated motion of the tip relative to the port."""
    R_HP, _, spin, port = view
    R = matrix_from_quaternion(filters.q[0], filters.q[1], filters.q[2], filters.q[3])
    w = relative_rate(filters, view, rates)
    r = tip_from_centre(c)
    x, y, z = rotate_inverse(R_HP, filters.x[0], filters.x[1], filters.x[2])
    vx, vy, vz = rotate_inverse(R_HP, filters.x[3], filters.x[4], filters.x[5])
    sx, sy, sz = cross(spin[0], spin[1], spin[2], x, y, z)
    rx, ry, rz = rotate(R, r[0], r[1], r[2])
    ex, ey, ez = cross(w[0], w[1], w[2], r[0], r[1], r[2])
    ex, ey, ez = rotate(R, ex, ey, ez)
    state.p[0], state.p[1], state.p[2] = x - port[0] + rx, y - port[1] + ry, z - port[2] + rz
    state.v[0], state.v[1], state.v[2] = vx - sx + ex, vy - sy + ey, vz - sz + ez
    state.w[0], state.w[1], state.w[2] = w
    for k in range(9):
        state.R[k] = R[k]
    write_levers(filters.levers, matrix_product(R_HP, R), r)
    filters.tip_sigma = math.sqrt(max(tip_variance(filters), 0.0))


@inline
def record_errors(filters, state, p, v, R):
    """Write the sizes of the errors of the estimate: position, velocity, attitude."""
    x, y, z = state.p[0] - p[0], state.p[1] - p[1], state.p[2] - p[2]
    state.estimate_errors[0] = math.sqrt(x * x + y * y + z * z)
    x, y, z = state.v[0] - v[0], state.v[1] - v[1], state.v[2] - v[2]
    state.estimate_errors[1] = math.sqrt(x * x + y * y + z * z)
    filters.state[0], filters.state[1], filters.state[2], filters.state[3] = quaternion_from_matrix(R)
    x, y, z = error_rotation(filters.q, filters.state)
    state.estimate_errors[2] = math.sqrt(x * x + y * y + z * z)
