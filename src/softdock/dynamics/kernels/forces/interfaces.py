"""Pins of one body in the holes of another, inside the multibody core.

Frame A of the holes has its z axis into them, frame B of the pins has it along them, so that both agree when the
pins are home. The frame H of a hole is A turned half about x: z out of the hole.
"""

import math

import numpy as np

from softdock.contact.kernels.pin_rows import COLUMNS, MAXIMUM_ROWS
from softdock.contact.kernels.pins import (
    CONTACT_COUNT,
    DISSIPATION,
    ENERGY,
    FORCE,
    MAXIMUM_DEPTH,
    SHAPE,
    TORQUE,
    TOTALS_SIZE,
    add_forces,
    add_tangents,
    manifold,
)
from softdock.dynamics.kernels.forces.contacts import add_opposite_wrenches, relative_pose
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import rotate
from softdock.tree.kernels.poses import relative_velocity
from softdock.tree.kernels.tree import records

# Results of an interface: size of the force [N], energy [J], largest depth [m], number of contacts, insertion of the
# pin that is inserted least [m], largest force on one pin [N].
RESULT_FORCE, RESULT_ENERGY, RESULT_DEPTH, RESULT_NUMBER, RESULT_INSERTION, RESULT_PIN_FORCE = (
    0,
    1,
    2,
    3,
    4,
    5,
)
RESULT_COMPONENTS = 6  # of the force on the pins and of its torque about A's origin, in A
RESULT_MOMENT = 12  # size of that torque
RESULTS = 13
ALLOWED_ADVANCE = (
    0.25  # of a pin's radius: how far a pin may move in a step beyond the free distance in front of it
)

PIN = np.dtype([("p_AH", np.float64, 3), ("p_BP", np.float64, 3)], align=True)
"""A hole in A, and the middle of its pin's leading cap in B [m]: constants."""

INTERFACE = np.dtype(
    [
        ("active", np.int64),  # 1: from the start of a run
        ("a", np.int64),  # link that carries the holes
        ("b", np.int64),  # link that carries the pins
        ("R_aA", np.float64, 9),
        ("p_aA", np.float64, 3),
        ("R_bB", np.float64, 9),
        ("p_bB", np.float64, 3),
        ("first", np.int64),
        ("count", np.int64),
        ("reach", np.float64),  # of the pins from B's origin [m]
        ("pins_and_holes", SHAPE),
    ],
    align=True,
)
"""Constants of an interface of pins and holes."""

INTERFACE_STATE = np.dtype(
    [
        ("active", np.int64),
        ("rows", np.float64, (MAXIMUM_ROWS, COLUMNS)),
        ("pin_totals", np.float64, TOTALS_SIZE),  # of one pin
        ("totals", np.float64, TOTALS_SIZE),  # of all of them: about A's origin, in axes of H
        ("result", np.float64, RESULTS),
        ("step_limit", np.float64),  # time within which no pin penetrates far, at the present speed [s]
        ("deepest", np.float64),  # largest depth of the run [m]
    ],
    align=True,
)
"""Forces of an interface, and its largest depth: data that the kernels write."""


def initial_interface_states(interfaces: np.recarray) -> np.recarray:
    """Return the states of interfaces at the start of a run, before any evaluation."""
    states = records(len(interfaces), INTERFACE_STATE)
    states.view(np.ndarray)["active"] = interfaces.view(np.ndarray)["active"]
    return states


@kernel
def apply_interfaces(system):
    """Add the wrenches of all active interfaces; returns the power dissipated [W]."""
    links, motions, loss = system.links, system.motions, 0.0
    for i in range(system.interfaces.shape[0]):
        face, state = system.interfaces[i], system.interface_states[i]
        for k in range(RESULTS):
            state.result[k] = 0.0
        state.step_limit = math.inf
        if state.active == 0:
            continue
        R_NA, p_A, _, R_AB, p_AB_A = relative_pose(face, links, motions)
        x, y, z = p_A
        w, v = relative_velocity(face, links, motions, R_NA, p_A)
        touch_pins(face, state, system.pins, R_AB, p_AB_A, w, v)
        f = state.totals
        if f[FORCE] == 0.0 and f[FORCE + 1] == 0.0 and f[FORCE + 2] == 0.0:
            continue
        fx, fy, fz = rotate(R_NA, f[FORCE], -f[FORCE + 1], -f[FORCE + 2])
        tx, ty, tz = rotate(R_NA, f[TORQUE], -f[TORQUE + 1], -f[TORQUE + 2])
        tx, ty, tz = tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx
        add_opposite_wrenches(motions[face.a], motions[face.b], tx, ty, tz, fx, fy, fz)
        loss += f[DISSIPATION]
    return loss


@inline
def pin_in_hole(pin, R_AB, p_AB_A):
    """Return the middle of a pin's leading cap in the frame H of its hole [m]."""
    h, b = pin.p_AH, pin.p_BP
    return (
        p_AB_A[0] + R_AB[0][0] * b[0] + R_AB[0][1] * b[1] + R_AB[0][2] * b[2] - h[0],
        -(p_AB_A[1] + R_AB[1][0] * b[0] + R_AB[1][1] * b[1] + R_AB[1][2] * b[2] - h[1]),
        -(p_AB_A[2] + R_AB[2][0] * b[0] + R_AB[2][1] * b[1] + R_AB[2][2] * b[2] - h[2]),
    )


@inline
def touch_pins(face, state, pins, R_AB, p_AB_A, w, v):
    """Sum the contacts of all pins of an interface; H is A with y and z turned round."""
    shape, rows = face.pins_and_holes, state.rows
    of_pin, total, result = state.pin_totals, state.totals, state.result
    for k in range(TOTALS_SIZE):
        total[k] = 0.0
    axis = (-R_AB[0][2], R_AB[1][2], R_AB[2][2])  # in H, from the leading cap to the other
    w_H = (w[0], -w[1], -w[2])
    r, L = shape.pin_radius, shape.pin_length
    gap, insertion, largest, fastest = math.inf, math.inf, 0.0, 0.0
    for i in range(face.first, face.first + face.count):
        hx, hy, hz = pins[i].p_AH[0], pins[i].p_AH[1], pins[i].p_AH[2]
        x, y, z = pin_in_hole(pins[i], R_AB, p_AB_A)
        insertion = min(insertion, r - z)
        v_H = (
            v[0] + w[1] * hz - w[2] * hy,
            -(v[1] + w[2] * hx - w[0] * hz),
            -(v[2] + w[0] * hy - w[1] * hx),
        )
        fastest = max(fastest, v_H[0] * v_H[0] + v_H[1] * v_H[1] + v_H[2] * v_H[2])
        z_end = z + L * axis[2]
        gap = min(gap, min(z, z_end) - r)
        if min(z, z_end) > r:
            continue
        count = manifold(shape, (x, y, z), axis, rows)
        if count == 0:
            continue
        for k in range(TOTALS_SIZE):
            of_pin[k] = 0.0
        add_forces(shape, rows, count, w_H, v_H, of_pin)
        fx, fy, fz = of_pin[FORCE], of_pin[FORCE + 1], of_pin[FORCE + 2]
        largest = max(largest, fx * fx + fy * fy + fz * fz)
        for k in range(TOTALS_SIZE):
            if k != MAXIMUM_DEPTH:
                total[k] += of_pin[k]
        total[MAXIMUM_DEPTH] = max(total[MAXIMUM_DEPTH], of_pin[MAXIMUM_DEPTH])
        total[TORQUE] += -hy * fz + hz * fy
        total[TORQUE + 1] += -hz * fx - hx * fz
        total[TORQUE + 2] += hx * fy + hy * fx
    result[RESULT_FORCE] = math.sqrt(total[FORCE] ** 2 + total[FORCE + 1] ** 2 + total[FORCE + 2] ** 2)
    result[RESULT_ENERGY], result[RESULT_DEPTH], result[RESULT_NUMBER] = (
        total[ENERGY],
        total[MAXIMUM_DEPTH],
        total[CONTACT_COUNT],
    )
    result[RESULT_INSERTION], result[RESULT_PIN_FORCE] = insertion, math.sqrt(largest)
    for k in range(3):
        result[RESULT_COMPONENTS + k] = total[FORCE + k] if k == 0 else -total[FORCE + k]
        result[RESULT_COMPONENTS + 3 + k] = total[TORQUE + k] if k == 0 else -total[TORQUE + k]
    result[RESULT_MOMENT] = math.sqrt(total[TORQUE] ** 2 + total[TORQUE + 1] ** 2 + total[TORQUE + 2] ** 2)
    speed = math.sqrt(fastest) + face.reach * math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    if speed > 0.0:
        state.step_limit = (max(gap, 0.0) + ALLOWED_ADVANCE * r) / speed


@kernel
def interface_tangents(system, index, K, D):
    """Write the stiffness and damping of an interface (6 by 6, rotation first), in A about its origin; Eq. (P16).

    Returns whether any pin touches, R_NA and the position of A's origin in N [m].
    """
    links, motions, pins = system.links, system.motions, system.pins
    face, rows = system.interfaces[index], system.interface_states[index].rows
    R_NA, p_A, _, R_AB, p_AB_A = relative_pose(face, links, motions)
    for i in range(6):
        for j in range(6):
            K[i, j], D[i, j] = 0.0, 0.0
    w, v = relative_velocity(face, links, motions, R_NA, p_A)
    axis = (-R_AB[0][2], R_AB[1][2], R_AB[2][2])
    touches = False
    for i in range(face.first, face.first + face.count):
        x, y, z = pin_in_hole(pins[i], R_AB, p_AB_A)
        if min(z, z + face.pins_and_holes.pin_length * axis[2]) > face.pins_and_holes.pin_radius:
            continue
        count = manifold(face.pins_and_holes, (x, y, z), axis, rows)
        if count > 0:
            h = pins[i].p_AH
            add_tangents(face.pins_and_holes, rows, count, (h[0], h[1], h[2]), w, v, K, D)
            touches = True
    return touches, R_NA, p_A


@kernel
def interface_energy(interface_states):
    """Return the elastic energy of all pins [J]."""
    energy = 0.0
    for i in range(interface_states.shape[0]):
        energy += interface_states[i].result[RESULT_ENERGY]
    return energy


@kernel
def pin_step_limit(interface_states):
    """Return the time within which no pin penetrates far, at the present speeds [s]."""
    least = math.inf
    for i in range(interface_states.shape[0]):
        least = min(least, interface_states[i].step_limit)
    return least


@kernel
def update_largest_pin_depths(interface_states):
    """Update the largest depths of pins by the present ones."""
    for i in range(interface_states.shape[0]):
        interface_states[i].deepest = max(
            interface_states[i].deepest, interface_states[i].result[RESULT_DEPTH]
        )


@kernel
def any_pin_pushes(interface_states):
    """Return whether any pin pushes."""
    for i in range(interface_states.shape[0]):
        if interface_states[i].result[RESULT_FORCE] > 0.0:
            return True
    return False
