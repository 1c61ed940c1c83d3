"""Couplings: a plug that is guided into a socket against springs, a seal, a latch and an end stop.

Frame F of the element is that of the socket, z into it; frame G is that of the plug, at its tip. The stroke is z of the
tip in F. Everything is zero outside the socket (stroke <= 0), so that a coupling may decide there whether the plug
enters, jams on the face of the socket, or misses it.
"""

import math

import numpy as np

from softdock.dynamics.kernels.forces.contacts import relative_velocity
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import matrix_product, rotate_inverse, transpose
from softdock.tree.kernels.poses import (
    link_point,
    link_rotation,
)

# Channels of a coupling, after the components of its wrench.
MISALIGNMENT = 7
ANGLE = 8
MATED = 9
JAMMED = 10
MISSED = 11

# Where the plug is beyond the opening: COUPLING_LAW.entry.
IN_SOCKET, ON_FACE, BESIDE = 0, 1, 2

COUPLING_LAW = np.dtype(
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
        # State and results.
        ("entry", np.int64),  # decided where the plug reaches the plane of the opening
        ("largest_miss", np.float64),  # misalignment with which it passed beside the socket [m]; 0: never
        ("misalignment", np.float64),  # distance of the tip from the axis of the socket [m]
        ("angle", np.float64),  # between the axes [rad]
        ("axial_stiffness", np.float64),  # tangents of the last evaluation, for implicit steps
        ("axial_damping", np.float64),
        ("guidance", np.float64),  # part of the guidance that acts
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
def stop_force(law, x, v):
    """Return the force of the end stop and its elastic part at a depth beyond it; it never pulls; Eq. (W6)."""
    if x <= 0.0:
        return 0.0, 0.0
    elastic = law.stop_stiffness * x
    return max(0.0, elastic + law.stop_damping * v), elastic


@inline
def socket_acts(law, s):
    """Return whether the socket acts on a plug at stroke s [m]: beyond the opening, and not beside the socket."""
    return s > 0.0 and law.entry != BESIDE


@inline
def coupling_pose(element, links):
    """Return the tip of the plug in N and in F, the axis of the plug in F, and R_NF; writes the misalignment."""
    a, b = links[element.a], links[element.b]
    base_a, base_b = links[a.root], links[b.root]
    fx, fy, fz = link_point(a, base_a, element.p_aF)
    gx, gy, gz = link_point(b, base_b, element.p_bG)
    R_NF = link_rotation(a, base_a, element.R_aF)
    R_FG = matrix_product(transpose(R_NF), link_rotation(b, base_b, element.R_bG))
    x, y, s = rotate_inverse(R_NF, gx - fx, gy - fy, gz - fz)
    axis = (R_FG[2], R_FG[5], R_FG[8])
    law = element.coupling
    law.misalignment = math.sqrt(x * x + y * y)
    law.angle = math.atan2(math.sqrt(axis[0] * axis[0] + axis[1] * axis[1]), axis[2])
    law.axial_stiffness, law.axial_damping, law.guidance = 0.0, 0.0, 0.0
    element.deflection = s
    return (gx, gy, gz), (x, y, s), axis, R_NF


@inline
def coupling_velocity(element, links, tip, R_NF):
    """Return angular velocity and velocity of the plug at its tip against the socket, in F."""
    a, b = links[element.a], links[element.b]
    return relative_velocity(a, b, links[a.root], links[b.root], R_NF, tip)


@kernel
def coupling_wrench(element, p, axis, w, v):
    """Return torque and force on the plug at its tip, in F; writes energy, loss and tangents; Eqs. (W1)-(W7).

    `p` is the tip and `axis` the axis of the plug in F, `w` and `v` its angular velocity and its velocity against the
    socket.
    """
    law, (x, y, s) = element.coupling, p
    if not socket_acts(law, s):
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if law.entry == ON_FACE:
        force, elastic = stop_force(law, s, v[2])
        element.energy, element.loss = 0.5 * elastic * s, (force - elastic) * v[2]
        law.axial_stiffness, law.axial_damping = law.stop_stiffness, law.stop_damping
        element.branch = 1 if force > 0.0 else 2
        return 0.0, 0.0, 0.0, 0.0, 0.0, -force
    f_spring, k_spring, e_spring = spring_force(law, s)
    f_latch, k_latch, e_latch = latch_force(law, s)
    f_seal, c_seal = seal_force(law, s, v[2])
    beyond = s - law.stroke
    f_stop, elastic = stop_force(law, beyond, v[2])
    g, slope = smooth_step(s / law.lead_in), smooth_step_slope(s / law.lead_in) / law.lead_in
    # The guidance aligns the plug: energy g(s) (k r^2 + k_a angle^2) / 2.
    aligning = 0.5 * (law.lateral_stiffness * (x * x + y * y) + law.angular_stiffness * law.angle * law.angle)
    sine = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1])
    turn = g * law.angular_stiffness * (law.angle / sine if sine > 0.0 else 1.0)
    k, c, c_turn = g * law.lateral_stiffness, g * law.lateral_damping, g * law.angular_damping
    element.energy = e_spring + e_latch + g * aligning
    element.loss = (
        f_seal * v[2]
        + c * (v[0] * v[0] + v[1] * v[1])
        + c_turn * (w[0] * w[0] + w[1] * w[1])
        + (f_stop - elastic) * v[2]
    )
    law.axial_stiffness, law.axial_damping, law.guidance = k_spring + k_latch, c_seal, g
    if beyond > 0.0:
        element.branch = 1 if f_stop > 0.0 else 2
        element.energy += 0.5 * elastic * beyond
        law.axial_stiffness += law.stop_stiffness
        law.axial_damping += law.stop_damping
    return (
        turn * axis[1] - c_turn * w[0],
        -turn * axis[0] - c_turn * w[1],
        0.0,
        -k * x - c * v[0],
        -k * y - c * v[1],
        -(f_spring + f_latch + f_seal + f_stop + slope * aligning),
    )


@kernel
def decide_entry(element, links):
    """Let the plug of a coupling enter its socket, jam on its face, or miss it, by its present pose; Eq. (W8)."""
    coupling_pose(element, links)
    law = element.coupling
    if law.misalignment > law.capture_radius:
        law.entry, law.largest_miss = BESIDE, max(law.largest_miss, law.misalignment)
    elif law.misalignment > law.lateral_limit or law.angle > law.angle_limit:
        law.entry = ON_FACE
    else:
        law.entry = IN_SOCKET


@kernel
def decide_entry_at_start(elements, links):
    """Let plugs that start beyond the opening and the capture radius miss their sockets; all others start in them."""
    for i in range(elements.shape[0]):
        element = elements[i]
        if element.coupling.stroke > 0.0:  # zero for other kinds of elements
            coupling_pose(element, links)
            if element.deflection > 0.0 and element.coupling.misalignment > element.coupling.capture_radius:
                decide_entry(element, links)


@kernel
def coupling_value(element, component):
    """Return misalignment [m], angle [rad], or whether it is mated, jammed or beside its socket (1 or 0); Eq. (W9)."""
    law = element.coupling
    if component == MISALIGNMENT:
        return law.misalignment
    if component == ANGLE:
        return law.angle
    if component == JAMMED:
        return 1.0 if law.entry == ON_FACE and element.deflection > 0.0 else 0.0
    if component == MISSED:
        return 1.0 if law.entry == BESIDE and element.deflection > 0.0 else 0.0
    within = law.misalignment <= law.lateral_limit and law.angle <= law.angle_limit
    complete = element.deflection >= law.stroke - law.tolerance
    return 1.0 if law.entry == IN_SOCKET and within and complete else 0.0
