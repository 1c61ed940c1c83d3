"""Couplings: a plug that is guided into a socket against springs, a seal, a latch and an end stop.

Frame F of the element is that of the socket, z into it; frame G is that of the plug, at its tip. The stroke is z of the
tip in F. Everything is zero outside the socket (stroke <= 0), so that a coupling may decide there whether the plug
enters, jams on the face of the socket, or misses it.
"""

import math
from enum import IntEnum

import numpy as np

from softdock.elements.kernels.joints import mobility_between
from softdock.elements.kernels.one_sided import set_resting_limits
from softdock.elements.kernels.tangents import activate_connection
from softdock.elements.kernels.wrenches import push_bodies, set_total
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import matrix_product, rotate, rotate_inverse, transpose
from softdock.tree.kernels.poses import link_point, link_rotation, relative_velocity


class CouplingValue(IntEnum):
    """Observable fields of a coupling, beside those of all elements between bodies."""

    MISALIGNMENT = 0
    ANGLE = 1
    MATED = 2
    JAMMED = 3
    MISSED = 4


OUTSIDE = -1e9  # depth beyond the end stop of a plug that is not in its socket [m]


class Entry(IntEnum):
    """Where the plug is beyond the opening; decided where it reaches the plane of the opening."""

    IN_SOCKET = 0
    ON_FACE = 1
    BESIDE = 2


LAW = np.dtype(
    [
        ("stroke", np.float64),  # to the mated position [m]
        ("lead_in", np.float64),
        ("tolerance", np.float64),
        ("spring_stiffness", np.float64),
        ("spring_preload", np.float64),
        ("spring_start", np.float64),
        ("seal_friction", np.float64),
        ("seal_start", np.float64),
        ("seal_end", np.float64),
        ("seal_speed", np.float64),
        ("latch_force", np.float64),
        ("latch_width", np.float64),
        ("lateral_stiffness", np.float64),
        ("angular_stiffness", np.float64),
        ("lateral_damping", np.float64),
        ("angular_damping", np.float64),
        ("stop_stiffness", np.float64),
        ("stop_damping", np.float64),
        ("lateral_limit", np.float64),
        ("angle_limit", np.float64),
        ("capture_radius", np.float64),
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("entry", np.int64),  # an `Entry`
        ("largest_miss", np.float64),  # misalignment with which it passed beside the socket [m]; 0: never
        # Results of an evaluation: distance of the tip from the axis of the socket [m], angle between the axes [rad],
        # tangents along the axis, part of the guidance that acts.
        ("misalignment", np.float64),
        ("angle", np.float64),
        ("axial_stiffness", np.float64),
        ("axial_damping", np.float64),
        ("guidance", np.float64),
    ],
    align=True,
)


@inline
def smooth_step(x):
    """Return the smooth rise from 0 to 1 between x = 0 and 1; Eq. (W2)."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@inline
def smooth_step_slope(x):
    """Return the derivative of the smooth rise."""
    x = min(max(x, 0.0), 1.0)
    return 6.0 * x * (1.0 - x)


@inline
def smooth_step_integral(x):
    """Return the integral of the smooth rise from 0 to x."""
    if x >= 1.0:
        return x - 0.5
    x = max(x, 0.0)
    return x * x * x * (1.0 - 0.5 * x)


@inline
def spring_force(law, s):
    """Return force, tangent and energy of the spring at a stroke; Eq. (W3)."""
    x = s - law.spring_start
    if x <= 0.0:
        return 0.0, 0.0, 0.0
    k, f, d = law.spring_stiffness, law.spring_preload, law.lead_in
    return (
        k * x + f * smooth_step(x / d),
        k + f * smooth_step_slope(x / d) / d,
        0.5 * k * x * x + f * d * smooth_step_integral(x / d),
    )


@inline
def latch_force(law, s):
    """Return force, tangent and energy of the detent at a stroke; Eq. (W4)."""
    w = law.latch_width
    x = s - law.stroke + w
    if law.latch_force == 0.0 or x <= 0.0 or x >= w:
        return 0.0, 0.0, 0.0
    k = 2.0 * math.pi / w
    sine, cosine = math.sin(k * x), math.cos(k * x)
    return law.latch_force * sine, law.latch_force * k * cosine, law.latch_force / k * (1.0 - cosine)


@inline
def seal_force(law, s, v):
    """Return the friction of the seal and its tangent with speed at a stroke; Eq. (W5)."""
    d = law.lead_in
    part = smooth_step((s - law.seal_start) / d) - smooth_step((s - law.seal_end) / d)
    square = v * v + law.seal_speed * law.seal_speed
    root = math.sqrt(square)
    friction = law.seal_friction * part
    return friction * v / root, friction * law.seal_speed * law.seal_speed / (square * root)


@inline
def stop_force(law, data, x, v):
    """Return the force of the end stop and its elastic part at a depth beyond it; it never pulls; Eqs. (W6), (M116).

    One that keeps its state acts while it is engaged.
    """
    data.depth, data.depth_rate = x, v
    if data.keeps_state == 1:
        elastic = law.stop_stiffness * (x - data.engaged_depth)
        return (elastic + law.stop_damping * v, elastic) if data.engaged != 0 else (0.0, 0.0)
    if x <= 0.0:
        return 0.0, 0.0
    elastic = law.stop_stiffness * x
    return max(0.0, elastic + law.stop_damping * v), elastic


@inline
def stop_branch(data, x, force):
    """Return the branch of the law at the end stop: 1 where it pushes, 2 beyond it where it does not."""
    if data.keeps_state == 1 or x <= 0.0:
        return 0
    return 1 if force > 0.0 else 2


@inline
def socket_acts(state, s):
    """Return whether the socket acts on a plug at stroke s [m]: beyond the opening, and not beside the socket."""
    return s > 0.0 and state.entry != Entry.BESIDE


@inline
def plug_pose(system, i):
    """Return the tip of the plug in N and in F, the axis of the plug in F, and R_NF; writes the misalignment."""
    element, data = system.elements[i], system.element_data[i]
    links, motions = system.links, system.motions
    state = system.states.coupling[element.row]
    a, b = motions[element.a], motions[element.b]
    base_a, base_b = motions[links[element.a].root], motions[links[element.b].root]
    fx, fy, fz = link_point(a, base_a, element.p_aF)
    gx, gy, gz = link_point(b, base_b, element.p_bG)
    R_NF = link_rotation(a, base_a, element.R_aF)
    R_FG = matrix_product(transpose(R_NF), link_rotation(b, base_b, element.R_bG))
    x, y, s = rotate_inverse(R_NF, gx - fx, gy - fy, gz - fz)
    axis = (R_FG[2], R_FG[5], R_FG[8])
    state.misalignment = math.sqrt(x * x + y * y)
    state.angle = math.atan2(math.sqrt(axis[0] * axis[0] + axis[1] * axis[1]), axis[2])
    state.axial_stiffness, state.axial_damping, state.guidance = 0.0, 0.0, 0.0
    data.deflection = s
    return (gx, gy, gz), (x, y, s), axis, R_NF


@inline
def plug_velocity(system, i, tip, R_NF):
    """Return angular velocity and velocity of the plug at its tip against the socket, in F."""
    return relative_velocity(system.elements[i], system.links, system.motions, R_NF, tip)


@kernel
def apply(system, i, t, q, u, dy):
    """Apply the forces between the plug on body b and the socket on body a; Eq. (W1).

    The stroke is known while the coupling is switched off, too.
    """
    element, data = system.elements[i], system.element_data[i]
    motions = system.motions
    tip, p, axis, R_NF = plug_pose(system, i)
    data.depth, data.depth_rate = OUTSIDE, 0.0
    if data.active == 0:
        return
    if not socket_acts(system.states.coupling[element.row], p[2]):
        set_total(data, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return
    w, v = plug_velocity(system, i, tip, R_NF)
    tx, ty, tz, fx, fy, fz = plug_wrench(system, i, p, axis, w, v)
    tx, ty, tz = rotate(R_NF, tx, ty, tz)
    fx, fy, fz = rotate(R_NF, fx, fy, fz)
    gx, gy, gz = tip
    push_bodies(motions[element.a], motions[element.b], data, tx, ty, tz, fx, fy, fz, gx, gy, gz)
    data.force = math.sqrt(fx * fx + fy * fy + fz * fz)


@inline
def connect(system, i, t, q, u, linear, c):
    """Write stiffness and damping in the axes of the socket."""
    element = system.elements[i]
    law, state = system.laws.coupling[element.row], system.states.coupling[element.row]
    tip, p, axis, R_NF = plug_pose(system, i)
    if not socket_acts(state, p[2]):
        return
    w, v = plug_velocity(system, i, tip, R_NF)
    plug_wrench(system, i, p, axis, w, v)
    K, D, g = linear.K[c], linear.D[c], state.guidance
    K[0, 0], K[1, 1] = g * law.angular_stiffness, g * law.angular_stiffness
    D[0, 0], D[1, 1] = g * law.angular_damping, g * law.angular_damping
    K[3, 3], K[4, 4] = g * law.lateral_stiffness, g * law.lateral_stiffness
    D[3, 3], D[4, 4] = g * law.lateral_damping, g * law.lateral_damping
    K[5, 5], D[5, 5] = state.axial_stiffness, state.axial_damping
    activate_connection(linear, c, element.a, element.b, R_NF, tip)


@kernel
def plug_wrench(system, i, p, axis, w, v):
    """Return torque and force on the plug at its tip, in F; writes energy, loss and tangents; Eqs. (W1)-(W7).

    `p` is the tip and `axis` the axis of the plug in F, `w` and `v` its angular velocity and its velocity against the
    socket.
    """
    element, data = system.elements[i], system.element_data[i]
    law, state, (x, y, s) = system.laws.coupling[element.row], system.states.coupling[element.row], p
    if not socket_acts(state, s):
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if state.entry == Entry.ON_FACE:
        force, elastic = stop_force(law, data, s, v[2])
        data.energy, data.loss = 0.5 * elastic * elastic / law.stop_stiffness, (force - elastic) * v[2]
        if force != 0.0 or data.keeps_state == 0:
            state.axial_stiffness, state.axial_damping = law.stop_stiffness, law.stop_damping
        data.branch = stop_branch(data, s, force)
        return 0.0, 0.0, 0.0, 0.0, 0.0, -force
    f_spring, k_spring, e_spring = spring_force(law, s)
    f_latch, k_latch, e_latch = latch_force(law, s)
    f_seal, c_seal = seal_force(law, s, v[2])
    beyond = s - law.stroke
    f_stop, elastic = stop_force(law, data, beyond, v[2])
    g, slope = smooth_step(s / law.lead_in), smooth_step_slope(s / law.lead_in) / law.lead_in
    # The guidance aligns the plug: energy g(s) (k r^2 + k_a angle^2) / 2.
    aligning = 0.5 * (
        law.lateral_stiffness * (x * x + y * y) + law.angular_stiffness * state.angle * state.angle
    )
    sine = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1])
    turn = g * law.angular_stiffness * (state.angle / sine if sine > 0.0 else 1.0)
    k, c, c_turn = g * law.lateral_stiffness, g * law.lateral_damping, g * law.angular_damping
    data.energy = e_spring + e_latch + g * aligning
    data.loss = (
        f_seal * v[2]
        + c * (v[0] * v[0] + v[1] * v[1])
        + c_turn * (w[0] * w[0] + w[1] * w[1])
        + (f_stop - elastic) * v[2]
    )
    state.axial_stiffness, state.axial_damping, state.guidance = k_spring + k_latch, c_seal, g
    acts = data.engaged != 0 if data.keeps_state == 1 else beyond > 0.0
    if acts:
        data.branch = stop_branch(data, beyond, f_stop)
        data.energy += 0.5 * elastic * elastic / law.stop_stiffness
        state.axial_stiffness += law.stop_stiffness
        state.axial_damping += law.stop_damping
    return (
        turn * axis[1] - c_turn * w[0],
        -turn * axis[0] - c_turn * w[1],
        0.0,
        -k * x - c * v[0],
        -k * y - c * v[1],
        -(f_spring + f_latch + f_seal + f_stop + slope * aligning),
    )


@kernel
def begin(system, i, tolerance, mobility, speed, length):
    """Set depth and speed up to which a plug rests at its end stop, and response times; Eq. (M117)."""
    data, law = system.element_data[i], system.laws.coupling[system.elements[i].row]
    set_resting_limits(data, law.stop_stiffness, mobility_between(data), speed, length)


@inline
def one_sided(system, i):
    """Return 1 while its end stop may act, its stiffness and damping, and 1: its energy counts as stored."""
    row, data = system.elements[i].row, system.element_data[i]
    law, state = system.laws.coupling[row], system.states.coupling[row]
    acts = data.active == 1 and state.entry != Entry.BESIDE
    return 1 if acts else 0, law.stop_stiffness, law.stop_damping, 1.0


@inline
def depth(system, i, side, t, q, u):
    """Return the depth of the plug beyond its end stop, or the face of the socket [m], its rate, and 1."""
    row = system.elements[i].row
    law, state = system.laws.coupling[row], system.states.coupling[row]
    tip, p, _, R_NF = plug_pose(system, i)
    if not socket_acts(state, p[2]):
        return OUTSIDE, 0.0, 1
    _, v = plug_velocity(system, i, tip, R_NF)
    return p[2] - (0.0 if state.entry == Entry.ON_FACE else law.stroke), v[2], 1


@kernel
def decide(system, i):
    """Let the plug enter its socket, jam on its face, or miss it, by its present pose; Eq. (W8)."""
    plug_pose(system, i)
    row = system.elements[i].row
    law, state = system.laws.coupling[row], system.states.coupling[row]
    if state.misalignment > law.capture_radius:
        state.entry, state.largest_miss = Entry.BESIDE.value, max(state.largest_miss, state.misalignment)
    elif state.misalignment > law.lateral_limit or state.angle > law.angle_limit:
        state.entry = Entry.ON_FACE.value
    else:
        state.entry = Entry.IN_SOCKET.value


@kernel
def decide_at_start(system, i):
    """Let a plug that starts beyond the opening and the capture radius miss its socket; all others start in it."""
    plug_pose(system, i)
    row = system.elements[i].row
    beyond = system.states.coupling[row].misalignment > system.laws.coupling[row].capture_radius
    if system.element_data[i].deflection > 0.0 and beyond:
        decide(system, i)


@inline
def value(system, i, component):
    """Return misalignment [m], angle [rad], or whether it is mated, jammed or beside its socket (1 or 0); Eq. (W9)."""
    row, stroke = system.elements[i].row, system.element_data[i].deflection
    law, state = system.laws.coupling[row], system.states.coupling[row]
    if component == CouplingValue.MISALIGNMENT:
        return state.misalignment
    if component == CouplingValue.ANGLE:
        return state.angle
    if component == CouplingValue.JAMMED:
        return 1.0 if state.entry == Entry.ON_FACE and stroke > 0.0 else 0.0
    if component == CouplingValue.MISSED:
        return 1.0 if state.entry == Entry.BESIDE and stroke > 0.0 else 0.0
    within = state.misalignment <= law.lateral_limit and state.angle <= law.angle_limit
    complete = stroke >= law.stroke - law.tolerance
    return 1.0 if state.entry == Entry.IN_SOCKET and within and complete else 0.0
