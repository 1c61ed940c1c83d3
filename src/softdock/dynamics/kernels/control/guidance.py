"""Guidance of a controller in a run: modes, the reference along the axis of the port, transfers."""

import math

from softdock.dynamics.kernels.control.gnc_records import Mode
from softdock.gnc.kernels.estimation import rotation_from_vector
from softdock.gnc.kernels.guidance import (
    advance_distance,
    corridor_margin,
    impulse_velocity,
    passes_gate,
    relative_acceleration,
)
from softdock.native.decorators import inline, kernel
from softdock.orbit.kernels import write_transition
from softdock.spatial.kernels import cross, matrix_product, rotate, rotate_inverse, transpose, unpack_matrix
from softdock.tree.kernels.poses import link_rotation
from softdock.tree.kernels.relative_frames import target_view, tip_from_centre


@kernel
def enter_mode(system, c, state, t):
    """Begin a mode: its reference starts at the present motion, so that nothing jumps."""
    state.entered = 1
    state.distance, state.closing_speed = -state.p[2], state.v[2]
    state.hold, state.hold_since = first_hold(system.gnc, c, state), -1.0
    cosine, sine = math.cos(c.roll), math.sin(c.roll)
    R = (cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0)
    if state.mode == Mode.STABILISE:
        R = attitude_in_fixed_frame(system, c, state)
    for k in range(9):
        state.R_ref[k] = R[k]
    for k in range(3):
        state.p_ref[k], state.v_ref[k], state.a_ref[k] = state.p[k], 0.0, 0.0
        state.backlog[0, k], state.backlog[1, k] = 0.0, 0.0
    if state.mode == Mode.TRANSFER:
        begin_transfer(system, c, state, t)


@inline
def first_hold(gnc, c, state):
    """Return the number of hold points that an approach from the present distance passes over: those behind it."""
    hold = 0
    while hold < c.holds:
        point = gnc.holds[c.first_hold + hold]
        if point.distance <= state.distance + point.reach:
            break
        hold += 1
    return hold


@inline
def attitude_in_fixed_frame(system, c, state):
    """Return the attitude of the tip in the Hill frame, or in the world."""
    target, frame = system.motions[c.target], system.motions[c.fixed_frame]
    base = system.motions[system.links[c.target].root]
    R_NT = matrix_product(link_rotation(target, base, c.R_AP), unpack_matrix(state.R))
    return matrix_product(transpose(unpack_matrix(frame.R_NB)), R_NT)


@kernel
def guide(system, c, state, t):
    """Move the reference over one period; leave the approach where it violates its corridor or a gate; Eq. (K5)."""
    if c.corridor_radius >= 0.0:
        state.corridor = corridor_margin(
            state.p[0], state.p[1], -state.p[2], c.corridor_radius, c.corridor_slope
        )
    if state.mode == Mode.APPROACH:
        if c.corridor_radius >= 0.0 and state.corridor < 0.0:
            leave_approach(c, state)
        else:
            follow_glide_slope(system.gnc, c, state, t)
    elif state.mode == Mode.TRANSFER:
        follow_transfer(system, c, state, t)
    if state.mode == Mode.RETREAT:
        move_reference(c, state, max(c.retreat, state.distance))


@inline
def move_reference(c, state, goal):
    """Move the reference towards a distance on the axis of the port."""
    before = state.closing_speed
    state.distance, state.closing_speed = advance_distance(
        state.distance,
        goal,
        c.time_constant,
        c.slowest,
        c.fastest,
        c.acceleration,
        state.closing_speed,
        c.period,
    )
    state.p_ref[0], state.p_ref[1], state.p_ref[2] = 0.0, 0.0, -state.distance
    state.v_ref[2] = state.closing_speed
    state.a_ref[2] = (state.closing_speed - before) / c.period


@inline
def leave_approach(c, state):
    """Retreat, or hold where there is no point of retreat."""
    state.violations += 1
    state.mode = Mode.RETREAT.value if c.retreat >= 0.0 else Mode.HOLD.value
    state.next_mode = state.mode
    state.hold_since = -1.0
    if state.mode == Mode.HOLD:
        for k in range(3):
            state.p_ref[k], state.v_ref[k], state.a_ref[k] = state.p[k], 0.0, 0.0


@inline
def follow_glide_slope(gnc, c, state, t):
    """Move the reference to the next hold point, or wait there until its time is over and its gate is passed."""
    goal = c.end
    if state.hold < c.holds:
        point = gnc.holds[c.first_hold + state.hold]
        goal = point.distance
        if state.distance == goal:
            e = state.errors
            # The gate counts from the next sample, because the errors are those of the sample before.
            if state.hold_since < 0.0:
                state.hold_since = t
            elif t - state.hold_since >= point.duration and passes_gate(e[0], e[1], e[2], e[3], point.gate):
                state.hold += 1
                state.hold_since = -1.0
                goal = gnc.holds[c.first_hold + state.hold].distance if state.hold < c.holds else c.end
            elif t - state.hold_since > point.duration + point.patience:
                leave_approach(c, state)
    if state.mode == Mode.APPROACH:
        move_reference(c, state, goal)


@inline
def arrival_point(c, state, view, time_left):
    """Return where the centre of mass must be in H at the end of a transfer [m], if the port turns at a constant rate.

    `view` is that of `target_view`, `time_left` the time until then [s].
    """
    R_HP, _, spin, port = view
    R_HP = matrix_product(
        R_HP, rotation_from_vector(spin[0] * time_left, spin[1] * time_left, spin[2] * time_left)
    )
    r = tip_from_centre(c)
    ex, ey, ez = rotate(state.R_ref, r[0], r[1], r[2])
    to = c.transfer_to
    return rotate(R_HP, to[0] - ex + port[0], to[1] - ey + port[1], to[2] - ez + port[2])


@kernel
def begin_transfer(system, c, state, t):
    """Begin a transfer: the state of the centre of mass in H after the first impulse; Eq. (K1)."""
    view = target_view(system, c)
    R_HP, _, _, port = view
    r = tip_from_centre(c)
    rx, ry, rz = rotate(state.R, r[0], r[1], r[2])
    x0 = rotate(R_HP, state.p[0] - rx + port[0], state.p[1] - ry + port[1], state.p[2] - rz + port[2])
    x1 = arrival_point(c, state, view, c.transfer_time)
    if c.transfer_orbital == 1:
        write_transition(c.mean_motion, c.transfer_time, system.gnc.transition)
        v = impulse_velocity(system.gnc.transition, x0, x1)
    else:
        T = c.transfer_time
        v = ((x1[0] - x0[0]) / T, (x1[1] - x0[1]) / T, (x1[2] - x0[2]) / T)
    state.transfer_start = t
    for k in range(3):
        state.transfer[k], state.transfer[3 + k], state.transfer_aim[k] = x0[k], v[k], x1[k]


@kernel
def follow_transfer(system, c, state, t):
    """Move the reference along a transfer; hold the final point after its end; Eqs. (K1), (K44)."""
    passed = t - state.transfer_start
    if passed >= c.transfer_time:
        state.mode = state.next_mode = Mode.HOLD.value
        for k in range(3):
            state.p_ref[k], state.v_ref[k], state.a_ref[k] = c.transfer_to[k], 0.0, 0.0
        return
    view = target_view(system, c)
    R_HP, _, spin, port = view
    n = c.mean_motion if c.transfer_orbital == 1 else 0.0
    write_transition(n, passed, system.gnc.transition)
    x, y, z = row_product(system.gnc.transition, 0, state.transfer)
    vx, vy, vz = row_product(system.gnc.transition, 3, state.transfer)
    ax, ay, az = relative_acceleration(n, y, z, vx, vz)
    # The port may not turn at a constant rate: follow what changes of its position at the end.
    to, aim = arrival_point(c, state, view, c.transfer_time - passed), state.transfer_aim
    part = passed / c.transfer_time
    shift, rate = part * part * (3.0 - 2.0 * part), 6.0 * part * (1.0 - part) / c.transfer_time
    mx, my, mz = to[0] - aim[0], to[1] - aim[1], to[2] - aim[2]
    vx, vy, vz = vx + rate * mx, vy + rate * my, vz + rate * mz
    x, y, z = rotate_inverse(R_HP, x + shift * mx, y + shift * my, z + shift * mz)
    vx, vy, vz = rotate_inverse(R_HP, vx, vy, vz)
    sx, sy, sz = cross(spin[0], spin[1], spin[2], x, y, z)
    r = tip_from_centre(c)
    ex, ey, ez = rotate(state.R_ref, r[0], r[1], r[2])
    state.p_ref[0], state.p_ref[1], state.p_ref[2] = x - port[0] + ex, y - port[1] + ey, z - port[2] + ez
    state.v_ref[0], state.v_ref[1], state.v_ref[2] = vx - sx, vy - sy, vz - sz
    state.a_ref[0], state.a_ref[1], state.a_ref[2] = rotate_inverse(R_HP, ax, ay, az)


@inline
def row_product(matrix, first, vector):
    """Return the product of three rows of a matrix with six columns, from `first` on, with a vector."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(6):
        x += matrix[first, k] * vector[k]
        y += matrix[first + 1, k] * vector[k]
        z += matrix[first + 2, k] * vector[k]
    return x, y, z
