"""Loops that call a kernel many times, so that its time is measured without the call from Python."""

from softdock.contact.kernels.force import evaluate, motion_bound_inlined
from softdock.contact.kernels.near import rebuild
from softdock.jit import kernel
from softdock.multibody.kernels.derivative import derivative


@kernel
def repeat_evaluate(arrays, lists, R_AB, p_AB_A, w_AB_A, v_AB_A, out, count):
    """Ask for the force of the first pair many times, each a femtometre further."""
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
    """Rebuild the near list of the first pair many times, each a femtometre further."""
    for i in range(count):
        rebuild(arrays, lists, 0, R_AB, (p_AB_A[0], p_AB_A[1], p_AB_A[2] + 1e-15 * i), reach)


@kernel
def repeat_derivative(system, y, dy, count):
    """Evaluate the equations of motion many times, each a little later."""
    for i in range(count):
        derivative(system, 1e-9 * i, y, dy)
