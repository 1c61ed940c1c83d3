"""Loops that call a kernel repeatedly, to measure its time without the call from Python."""

from softdock.contact.kernels.force import evaluate, motion_bound_inlined
from softdock.contact.kernels.near_list import rebuild
from softdock.contact.kernels.pin_rows import BODY, FEATURE, PART, PENETRATION, WEIGHT
from softdock.contact.kernels.pins import TOTALS_SIZE, add_forces, manifold
from softdock.dynamics.kernels.forces.derivative import derivative
from softdock.native.decorators import kernel


@kernel
def repeat_evaluate(arrays, lists, R_AB, p_AB_A, w_AB_A, v_AB_A, out, count):
    """Evaluate the force of the first pair `count` times, each a femtometre further."""
    clearance, total = lists.work[0]["clearance"], 0.0
    for i in range(count):
        p = (p_AB_A[0], p_AB_A[1], p_AB_A[2] + 1e-15 * i)
        moved = motion_bound_inlined(arrays, lists, 0, R_AB, p)
        total += moved
        if moved > clearance:
            evaluate(arrays, lists, 0, R_AB, p, w_AB_A, v_AB_A, out)
    return total


@kernel
def repeat_rebuild(arrays, lists, R_AB, p_AB_A, reach, count):
    """Rebuild the near list of the first pair `count` times, each a femtometre further."""
    for i in range(count):
        rebuild(arrays, lists, 0, R_AB, (p_AB_A[0], p_AB_A[1], p_AB_A[2] + 1e-15 * i), reach)


@kernel
def repeat_derivative(system, y, dy, count):
    """Evaluate the equations of motion `count` times, each a nanosecond later."""
    for i in range(count):
        derivative(system, 1e-9 * i, y, dy)


@kernel
def repeat_pin(shape, P, a, w, v, rows, out, count):
    """Detect all contacts of a pin and add their forces `count` times, each a femtometre further."""
    for i in range(count):
        for k in range(TOTALS_SIZE):
            out[k] = 0.0
        contacts = manifold(shape, (P[0], P[1], P[2] + 1e-15 * i), a, rows)
        add_forces(shape, rows, contacts, w, v, out)


@kernel
def compare_manifolds(first, second, P, a, rows, other_rows):
    """Return, over all poses: poses with the pin body on a rim, differing contacts, largest depth difference [m]."""
    touched, unlike, largest = 0, 0, 0.0
    for i in range(P.shape[0]):
        place, axis = (P[i, 0], P[i, 1], P[i, 2]), (a[i, 0], a[i, 1], a[i, 2])
        count, other_count = manifold(first, place, axis, rows), manifold(second, place, axis, other_rows)
        if count != other_count:
            unlike += 1
            continue
        body = False
        for k in range(count):
            for column in (WEIGHT, PART, FEATURE):
                if rows[k, column] != other_rows[k, column]:
                    unlike += 1
            largest = max(largest, abs(rows[k, PENETRATION] - other_rows[k, PENETRATION]))
            body = body or rows[k, PART] == BODY
        touched += body
    return touched, unlike, largest
