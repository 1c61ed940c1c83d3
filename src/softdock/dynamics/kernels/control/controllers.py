"""Samples of controllers: relative motion, reference, acceleration, force and torque, commands to actuators."""

import math

from softdock.dynamics.kernels.control.actuators import (
    command_thrusters,
    command_wheels,
    switch_thrusters,
    wheel_momentum,
)
from softdock.dynamics.kernels.control.gnc_records import Mode
from softdock.dynamics.kernels.control.guidance import attitude_in_fixed_frame, enter_mode, guide
from softdock.dynamics.kernels.control.navigation import estimate, take_measurement
from softdock.gnc.kernels.control import feedback_in_pulses
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import (
    cross,
    matrix_product,
    rotate,
    rotate_inverse,
    rotation_vector_from_matrix,
    transpose,
    unpack_matrix,
)
from softdock.tree.kernels.orbit import differential_gravity, move_orbit
from softdock.tree.kernels.poses import (
    link_angular_velocity,
    link_point,
    link_rotation,
    point_velocity,
)
from softdock.tree.kernels.relative_frames import tip_from_centre
from softdock.tree.kernels.tree import GROUND


@inline
def next_controller_time(gnc):
    """Return the next time at which a controller acts or a thruster switches [s]."""
    t = math.inf
    for i in range(gnc.controllers.shape[0]):
        t = min(t, gnc.controller_states[i].next_time)
    return t


@kernel
def operate_controllers(system, t, y):
    """Execute the samples that are due at time t and switch thrusters; returns whether a force changes.

    Expects the links at the present state.
    """
    gnc, w, changes = system.gnc, system.world[0], False
    move_orbit(system, t)
    for i in range(gnc.controllers.shape[0]):
        c, state = gnc.controllers[i], gnc.controller_states[i]
        if state.next_time > t:
            continue
        next_time = math.inf
        if c.navigation >= 0:
            next_time = measure(
                system, c, gnc.navigation[c.navigation], gnc.navigation_states[c.navigation], t
            )
        if t >= state.tick * c.period:
            sample(system, i, c, state, t, y[w.n_q : w.n_q + w.n_u])
            state.tick += 1
            changes = changes or c.wheels > 0
        next_time = min(next_time, state.tick * c.period)
        edge, switched = switch_thrusters(gnc, c, state, t)
        state.next_time = min(next_time, edge)
        changes = changes or switched
    return changes


@inline
def measure(system, c, nav, filters, t):
    """Take a measurement if one is due; returns the time of the next one."""
    if t >= filters.sample * nav.period:
        p, _, R, _ = motion_of_tip(system, c)
        take_measurement(nav, filters, c.seed, t, p, R)
    return filters.sample * nav.period


@kernel
def sample(system, index, c, state, t, u):
    """Execute one sample of a controller at time t: navigation, guidance, control, commands."""
    p, v, R, w = motion_of_tip(system, c)
    if c.navigation >= 0:
        nav, filters = system.gnc.navigation[c.navigation], system.gnc.navigation_states[c.navigation]
        estimate(system, c, state, nav, filters, t, p, v, R, w)
    else:
        state.p[0], state.p[1], state.p[2] = p
        state.v[0], state.v[1], state.v[2] = v
        state.w[0], state.w[1], state.w[2] = w
        for k in range(9):
            state.R[k] = R[k]
    if state.next_mode != state.mode:
        state.mode, state.entered = state.next_mode, 0
    if state.entered == 0:
        enter_mode(system, c, state, t)
    guide(system, c, state, t)
    torque, force = control(system, c, state, u)
    for k in range(3):
        state.torque[k], state.force[k] = torque[k], force[k]
    if c.wheels > 0:
        torque = command_wheels(system.gnc, c, system.axes, u, torque)
    if c.thrusters > 0:
        command_thrusters(system.gnc, index, c, state, t, torque, force)


@inline
def motion_of_tip(system, c):
    """Return the motion of the tip relative to the port: position and velocity in P, rotation R_PT, rate in T."""
    motions = system.motions
    target, own, base = motions[c.target], motions[c.link], motions[system.links[c.target].root]
    R_NP, R_NT = link_rotation(target, base, c.R_AP), link_rotation(own, own, c.R_LT)
    x, y, z = link_point(own, own, c.p_LT)
    px, py, pz = link_point(target, base, c.p_AP)
    vx, vy, vz = point_velocity(own, own, x, y, z)
    ux, uy, uz = point_velocity(target, base, x, y, z)
    ax, ay, az = link_angular_velocity(own, own)
    bx, by, bz = link_angular_velocity(target, base)
    return (
        rotate_inverse(R_NP, x - px, y - py, z - pz),
        rotate_inverse(R_NP, vx - ux, vy - uy, vz - uz),
        matrix_product(transpose(R_NP), R_NT),
        rotate_inverse(R_NT, ax - bx, ay - by, az - bz),
    )


@kernel
def control(system, c, state, u):
    """Return torque about the centre of mass and force of a controller, link axes; Eqs. (K6), (K18), (K19)."""
    zero = (0.0, 0.0, 0.0)
    state.fires = 0
    if state.mode == Mode.DRIFT:
        return zero, zero
    if state.mode == Mode.THRUST:
        return zero, rotate(c.R_LT, 0.0, 0.0, c.thrust)
    target, base = system.motions[c.target], system.motions[system.links[c.target].root]
    R_NP, R = link_rotation(target, base, c.R_AP), unpack_matrix(state.R)
    wx, wy, wz = link_angular_velocity(target, base)
    wx, wy, wz = rotate_inverse(R_NP, wx, wy, wz)  # of the port, in P
    tx, ty, tz = rotate_inverse(R, wx, wy, wz)  # and in T
    ax, ay, az = state.w[0] + tx, state.w[1] + ty, state.w[2] + tz  # of the chaser, in T
    alpha, drag = angular_acceleration(system, c, state, (ax, ay, az), (tx, ty, tz)), zero
    if c.rotates == 0:  # the errors still count for gates
        alpha = zero
    if c.translates == 1 and state.mode != Mode.STABILISE:
        drag = force_in_tip(system, c, state, R_NP, R, (wx, wy, wz), (ax, ay, az), alpha)
    return torque_in_link(system.gnc, c, u, alpha, (ax, ay, az)), rotate(c.R_LT, drag[0], drag[1], drag[2])


@inline
def feedback_of_axes(c, state, gains, kind, x, y, z, vx, vy, vz):
    """Return the acceleration of the feedback of position (kind 0) or attitude (1); notes if it demands a pulse."""
    steps, pulse = c.steps[kind], (c.lead, c.longest_pulse)
    ax, ay, az = feedback_in_pulses(
        gains, c.bands[kind], steps, pulse, c.period, state.backlog[kind], x, y, z, vx, vy, vz
    )
    if ax * steps[0] != 0.0 or ay * steps[1] != 0.0 or az * steps[2] != 0.0:
        state.fires = 1
    return ax, ay, az


@inline
def angular_acceleration(system, c, state, own, target):
    """Return the angular acceleration of the chaser in T; rates of chaser and target in T [rad/s]; Eqs. (K6), (K19)."""
    R, rates = unpack_matrix(state.R), (state.w[0], state.w[1], state.w[2])
    if state.mode == Mode.STABILISE:
        R = attitude_in_fixed_frame(system, c, state)
        frame = system.motions[c.fixed_frame]
        fx, fy, fz = rotate_inverse(R, frame.V[0], frame.V[1], frame.V[2])
        target = (fx, fy, fz)
        rates = (own[0] - fx, own[1] - fy, own[2] - fz)
    x, y, z = rotation_vector_from_matrix(matrix_product(transpose(unpack_matrix(state.R_ref)), R))
    vx, vy, vz = rates
    state.errors[2], state.errors[3] = (
        math.sqrt(x * x + y * y + z * z),
        math.sqrt(vx * vx + vy * vy + vz * vz),
    )
    ax, ay, az = feedback_of_axes(c, state, c.attitude_gains, 1, x, y, z, vx, vy, vz)
    gx, gy, gz = cross(vx, vy, vz, target[0], target[1], target[2])
    return ax - gx, ay - gy, az - gz


@inline
def torque_in_link(gnc, c, u, alpha, own):
    """Return the torque about the centre of mass in link axes for an angular acceleration in T; Eq. (K19)."""
    J = c.inertia
    hx, hy, hz = wheel_momentum(gnc, c, u)
    ax, ay, az = rotate(c.R_LT, alpha[0], alpha[1], alpha[2])
    wx, wy, wz = rotate(c.R_LT, own[0], own[1], own[2])
    hx += J[0, 0] * wx + J[0, 1] * wy + J[0, 2] * wz
    hy += J[1, 0] * wx + J[1, 1] * wy + J[1, 2] * wz
    hz += J[2, 0] * wx + J[2, 1] * wy + J[2, 2] * wz
    gx, gy, gz = cross(wx, wy, wz, hx, hy, hz)
    if c.rotates == 0:
        return 0.0, 0.0, 0.0
    return (
        J[0, 0] * ax + J[0, 1] * ay + J[0, 2] * az + gx,
        J[1, 0] * ax + J[1, 1] * ay + J[1, 2] * az + gy,
        J[2, 0] * ax + J[2, 1] * ay + J[2, 2] * az + gz,
    )


@inline
def force_in_tip(system, c, state, R_NP, R, port_rate, own, alpha):
    """Return the force at the centre of mass in T: feedback in P, feed-forward, motion of the tip; Eqs. (K6), (K18)."""
    x, y, z = state.p[0] - state.p_ref[0], state.p[1] - state.p_ref[1], state.p[2] - state.p_ref[2]
    vx, vy, vz = state.v[0] - state.v_ref[0], state.v[1] - state.v_ref[1], state.v[2] - state.v_ref[2]
    state.errors[0], state.errors[1] = (
        math.sqrt(x * x + y * y + z * z),
        math.sqrt(vx * vx + vy * vy + vz * vz),
    )
    ax, ay, az = feedback_of_axes(c, state, c.position_gains, 0, x, y, z, vx, vy, vz)
    rx, ry, rz = tip_from_centre(c)
    if c.feed_forward == 1:
        ax, ay, az = ax + state.a_ref[0], ay + state.a_ref[1], az + state.a_ref[2]
        fx, fy, fz = frame_acceleration(system, c, state, R_NP, R, port_rate, (rx, ry, rz))
        ax, ay, az = ax + fx, ay + fy, az + fz
    ax, ay, az = rotate_inverse(R, ax, ay, az)
    ex, ey, ez = cross(alpha[0], alpha[1], alpha[2], rx, ry, rz)
    sx, sy, sz = cross(own[0], own[1], own[2], rx, ry, rz)
    sx, sy, sz = cross(own[0], own[1], own[2], sx, sy, sz)
    return c.mass * (ax - ex - sx), c.mass * (ay - ey - sy), c.mass * (az - ez - sz)


@inline
def frame_acceleration(system, c, state, R_NP, R, w, r):
    """Return the acceleration in P that keeps the tip at rest in P: rotation of P, difference of gravity; Eq. (K18)."""
    root = system.links[c.target].root
    target, base, grounded = system.motions[c.target], system.motions[root], system.links[root].kind == GROUND
    ox, oy, oz = link_point(target, base, c.p_AP)
    gx, gy, gz = 0.0, 0.0, 0.0  # centre of mass of the target, in N
    if not grounded:
        gx, gy, gz = link_point(base, base, base.centre)
    qx, qy, qz = rotate_inverse(R_NP, ox - gx, oy - gy, oz - gz)
    x, y, z = state.p[0] + qx, state.p[1] + qy, state.p[2] + qz
    ax, ay, az = cross(w[0], w[1], w[2], x, y, z)
    ax, ay, az = cross(w[0], w[1], w[2], ax + 2.0 * state.v[0], ay + 2.0 * state.v[1], az + 2.0 * state.v[2])
    if system.orbit.shape[0] > 0:
        rx, ry, rz = rotate(R, r[0], r[1], r[2])
        cx, cy, cz = rotate(R_NP, state.p[0] - rx, state.p[1] - ry, state.p[2] - rz)
        hx, hy, hz = differential_gravity(system.orbit_motion[0], ox + cx, oy + cy, oz + cz)
        kx, ky, kz = differential_gravity(system.orbit_motion[0], gx, gy, gz)
        hx, hy, hz = rotate_inverse(R_NP, hx - kx, hy - ky, hz - kz)
        ax, ay, az = ax - hx, ay - hy, az - hz
    elif grounded:
        g = system.world[0].gravity
        hx, hy, hz = rotate_inverse(R_NP, g[0], g[1], g[2])
        ax, ay, az = ax - hx, ay - hy, az - hz
    return ax, ay, az
