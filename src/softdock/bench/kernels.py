"""Loops that call a kernel many times, so that its time is measured without the call from Python."""

from softdock.contact.kernels.force import evaluate
from softdock.contact.kernels.near import rebuild
from softdock.jit import kernel


@kernel
def repeat_evaluate(arrays, lists, R_AB, p_AB_A, w_AB_A, v_AB_A, out, count):
    """Evaluate the first pair many times, each a femtometre further."""
    for i in range(count):
        evaluate(arrays, lists, 0, R_AB, (p_AB_A[0], p_AB_A[1], p_AB_A[2] + 1e-15 * i), w_AB_A, v_AB_A, out)


@kernel
def repeat_rebuild(arrays, lists, R_AB, p_AB_A, reach, count):
    """Rebuild the near list of the first pair many times, each a femtometre further."""
    for i in range(count):
        rebuild(arrays, lists, 0, R_AB, (p_AB_A[0], p_AB_A[1], p_AB_A[2] + 1e-15 * i), reach)
