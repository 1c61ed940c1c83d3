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
def take_measurement(nav, seed, t, p, R):
    """Put a measurement of the position and the attitude R_PT of the tip in P into the queue; Eqs. (K11), (K12)."""
    number = nav.sample
    nav.sample += 1
    x, y, z = rotate_inverse(R, -p[0], -p[1], -p[2])  # the port, seen from the tip
    if not is_in_view(x, y, z, nav.view_cosine) or drops_out(nav.drop_out, seed, DROP_OUT_STREAM, number):
        nav.lost += 1
        return
    distance = math.sqrt(x * x + y * y + z * z)
    slot = nav.last % QUEUE
    nav.last += 1
    sigma = noise_at_range(nav.position_noise, nav.position_slope, distance)
    x, y, z = disturbed_vector(p[0], p[1], p[2], nav.position_bias, sigma, seed, POSITION_STREAM, 2 * number)
    nav.times[slot], nav.sigmas[slot, 0] = t, sigma
    nav.positions[slot, 0], nav.positions[slot, 1], nav.positions[slot, 2] = x, y, z
    q = nav.attitudes[slot]
    q[0], q[1], q[2], q[3] = quaternion_from_matrix(R)
    sigma = noise_at_range(nav.attitude_noise, nav.attitude_slope, distance)
    x, y, z = disturbed_vector(0.0, 0.0, 0.0, nav.attitude_bias, sigma, seed, ATTITUDE_STREAM, 2 * number)
    turn_quaternion(q, x, y, z)
    nav.sigmas[slot, 1] = sigma


@kernel
def estimate(system, c, nav, t, p, v, R, w):
    """Write the estimate of the relative motion at a sample of the controller; the arguments are the true motion."""
    view = target_view(system.links, c)
    rates = read_gyro(system.links, nav, c, view, R, w)
    if nav.started == 0:
        start_filters(nav, c, view, p, v, R, w)
    else:
        propagate_filters(nav, c, view, rates)
    while nav.first < nav.last and nav.times[nav.first % QUEUE] + nav.latency <= t:
        apply_measurement(nav, c, view, rates, nav.first % QUEUE, t)
        nav.first += 1
    write_estimate(nav, c, view, rates)
    record_errors(nav, c, p, v, R)


@inline
def read_gyro(links, nav, c, view, R, w):
    """Return the measured rate of the chaser against N in T, as mean since the last sample; Eq. (K13).

    A gyro integrates the rate: pulses of thrusters between two samples count with the time since then.
    """
    own = links[c.link]
    R_NT = link_rotation(own, own, c.R_LT)
    if nav.started == 0:
        _, port_rate, _, _ = view
        x, y, z = rotate_inverse(R, port_rate[0], port_rate[1], port_rate[2])
        x, y, z = x + w[0], y + w[1], z + w[2]
    else:
        x, y, z = rotation_vector_from_matrix(matrix_product(transpose(unpack_matrix(nav.R_NT)), R_NT))
        x, y, z = x / c.period, y / c.period, z / c.period
        walk_bias(nav.gyro_bias, nav.gyro_walk, c.period, c.seed, WALK_STREAM, 2 * c.tick)
    for k in range(9):
        nav.R_NT[k] = R_NT[k]
    a, b, d = normal_vector(c.seed, GYRO_STREAM, 2 * c.tick)
    s = nav.gyro_white / math.sqrt(c.period)
    return x + nav.gyro_bias[0] + s * a, y + nav.gyro_bias[1] + s * b, z + nav.gyro_bias[2] + s * d


@inline
def relative_rate(nav, view, rates):
    """Return the estimated rate of the chaser against the port in T."""
    _, port_rate, _, _ = view
    R = matrix_from_quaternion(nav.q[0], nav.q[1], nav.q[2], nav.q[3])
    x, y, z = rotate_inverse(R, port_rate[0], port_rate[1], port_rate[2])
    return rates[0] - nav.bias[0] - x, rates[1] - nav.bias[1] - y, rates[2] - nav.bias[2] - z


@kernel
def start_filters(nav, c, view, p, v, R, w):
    """Start the filters at the true motion with random errors of their initial standard deviations."""
    nav.started = 1
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
    state = nav.x
    state[0], state[1], state[2] = x + s * a, y + s * b, z + s * d
    state[3], state[4], state[5] = vx + u * e, vy + u * f, vz + u * g
    nav.q[0], nav.q[1], nav.q[2], nav.q[3] = quaternion_from_matrix(R)
    a, b, d = normal_vector(c.seed, START_STREAM, 4)
    turn_quaternion(nav.q, nav.start[2] * a, nav.start[2] * b, nav.start[2] * d)
    for i in range(6):
        for j in range(6):
            nav.P[i, j], nav.P_attitude[i, j], nav.cross[i, j] = 0.0, 0.0, 0.0
    for k in range(3):
        nav.bias[k] = 0.0
        nav.P[k, k], nav.P[k + 3, k + 3] = s * s, u * u
        nav.P_attitude[k, k] = nav.start[2] * nav.start[2]
        nav.P_attitude[k + 3, k + 3] = nav.start[3] * nav.start[3]


@kernel
def propagate_filters(nav, c, view, rates):
    """Propagate both filters over a period by measured rate and commanded pulses; Eqs. (K20), (K21), (K30), (K46)."""
    R_HP, _, _, _ = view
    x, y, z = relative_rate(nav, view, rates)
    turn_quaternion(nav.q, x * c.period, y * c.period, z * c.period)
    write_attitude_transition(
        rates[0] - nav.bias[0], rates[1] - nav.bias[1], rates[2] - nav.bias[2], c.period, nav.F_attitude
    )
    gyro_noise(nav.gyro_white, nav.gyro_walk, c.period, nav.Q)
    propagate_covariance(nav.F_attitude, nav.P_attitude, nav.Q, nav.work)
    R_HT = matrix_product(R_HP, matrix_from_quaternion(nav.q[0], nav.q[1], nav.q[2], nav.q[3]))
    vx, vy, vz = produced_in_frame(c, R_HT, 0)
    px, py, pz = produced_in_frame(c, R_HT, 3)
    T = c.period
    nav.acceleration[0], nav.acceleration[1], nav.acceleration[2] = vx / T, vy / T, vz / T
    write_transition(nav.mean_motion, c.period, nav.F)
    write_input_response(nav.mean_motion, c.period, nav.G)
    white_acceleration_noise(nav.density, c.period, nav.Q)
    propagate_state(nav.F, nav.G, nav.acceleration, nav.x, nav.work)
    nav.x[0] += px - 0.5 * T * vx
    nav.x[1] += py - 0.5 * T * vy
    nav.x[2] += pz - 0.5 * T * vz
    propagate_covariance(nav.F, nav.P, nav.Q, nav.work)
    propagate_cross(nav.F, nav.F_attitude, nav.cross, nav.work)


@inline
def produced_in_frame(c, R_HT, first):
    """Return the change of velocity [m/s] (first = 0) or position [m] (first = 3) by commanded pulses in H."""
    P = c.produced
    x, y, z = rotate_inverse(c.R_LT, P[first], P[first + 1], P[first + 2])
    x, y, z = rotate(R_HT, x, y, z)
    return x / c.mass, y / c.mass, z / c.mass


@kernel
def apply_measurement(nav, c, view, rates, slot, t):
    """Update both filters by a measurement of the queue; Eqs. (K25), (K32)."""
    R_HP, _, spin, port = view
    age = t - nav.times[slot]
    x, y, z = relative_rate(nav, view, rates)
    nav.ago[0], nav.ago[1], nav.ago[2] = x * age, y * age, z * age
    for k in range(3):
        nav.sigma[k] = nav.sigmas[slot, 1]
    q, P, C = nav.attitudes[slot], nav.P_attitude, nav.cross
    update_attitude(q, nav.ago, nav.sigma, nav.q, nav.bias, P, C, nav.row, nav.state, nav.work)
    # Centre of mass at the time of the measurement, in the axes of H then.
    for k in range(4):
        nav.state[k] = nav.q[k]
    turn_quaternion(nav.state, -nav.ago[0], -nav.ago[1], -nav.ago[2])
    R = matrix_from_quaternion(nav.state[0], nav.state[1], nav.state[2], nav.state[3])
    r = tip_from_centre(c)
    rx, ry, rz = rotate(R, r[0], r[1], r[2])
    z_m = nav.positions[slot]
    x, y, z = z_m[0] - rx + port[0], z_m[1] - ry + port[1], z_m[2] - rz + port[2]
    sx, sy, sz = cross(spin[0], spin[1], spin[2], x, y, z)
    nav.measured[0], nav.measured[1], nav.measured[2] = rotate(R_HP, x - sx * age, y - sy * age, z - sz * age)
    for k in range(3):
        nav.sigma[k] = nav.sigmas[slot, 0]
    write_transition(nav.mean_motion, -age, nav.F)
    write_levers(nav.levers, matrix_product(R_HP, R), r)
    update_position(nav.measured, nav.F, nav.levers, nav.sigma, nav.x, nav.P, C, P, nav.row, nav.work)


@inline
def write_levers(levers, R, r):
    """Write the change of R r, an arm in T seen in H, per small rotation in T: -R [r]; Eq. (K28)."""
    for i in range(3):
        x, y, z = R[3 * i], R[3 * i + 1], R[3 * i + 2]
        levers[i, 0], levers[i, 1], levers[i, 2] = cross(r[0], r[1], r[2], x, y, z)


@inline
def tip_variance(nav):
    """Return the sum of the variances of the estimated position of the tip [m2]; Eq. (K41)."""
    total = 0.0
    for i in range(3):
        total += nav.P[i, i]
        for j in range(3):
            total += 2.0 * nav.cross[i, j] * nav.levers[i, j]
            for k in range(3):
                total += nav.levers[i, j] * nav.P_attitude[j, k] * nav.levers[i, k]
    return total


@kernel
def write_estimate(nav, c, view, rates):
    """Write the estimated motion of the tip relative to the port."""
    R_HP, _, spin, port = view
    R = matrix_from_quaternion(nav.q[0], nav.q[1], nav.q[2], nav.q[3])
    w = relative_rate(nav, view, rates)
    r = tip_from_centre(c)
    x, y, z = rotate_inverse(R_HP, nav.x[0], nav.x[1], nav.x[2])
    vx, vy, vz = rotate_inverse(R_HP, nav.x[3], nav.x[4], nav.x[5])
    sx, sy, sz = cross(spin[0], spin[1], spin[2], x, y, z)
    rx, ry, rz = rotate(R, r[0], r[1], r[2])
    ex, ey, ez = cross(w[0], w[1], w[2], r[0], r[1], r[2])
    ex, ey, ez = rotate(R, ex, ey, ez)
    c.p[0], c.p[1], c.p[2] = x - port[0] + rx, y - port[1] + ry, z - port[2] + rz
    c.v[0], c.v[1], c.v[2] = vx - sx + ex, vy - sy + ey, vz - sz + ez
    c.w[0], c.w[1], c.w[2] = w
    for k in range(9):
        c.R[k] = R[k]
    write_levers(nav.levers, matrix_product(R_HP, R), r)
    nav.tip_sigma = math.sqrt(max(tip_variance(nav), 0.0))


@inline
def record_errors(nav, c, p, v, R):
    """Write the sizes of the errors of the estimate: position, velocity, attitude."""
    x, y, z = c.p[0] - p[0], c.p[1] - p[1], c.p[2] - p[2]
    c.estimate_errors[0] = math.sqrt(x * x + y * y + z * z)
    x, y, z = c.v[0] - v[0], c.v[1] - v[1], c.v[2] - v[2]
    c.estimate_errors[1] = math.sqrt(x * x + y * y + z * z)
    nav.state[0], nav.state[1], nav.state[2], nav.state[3] = quaternion_from_matrix(R)
    x, y, z = error_rotation(nav.q, nav.state)
    c.estimate_errors[2] = math.sqrt(x * x + y * y + z * z)
