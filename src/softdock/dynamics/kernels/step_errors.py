"""Estimated error of a step, which is larger where a force has a kink: contacts that open or close, branches of laws.

Estimates assume smooth forces, and an implicit step uses the stiffness at its start. Where a stiff element meets a
kink, its force may be wrong by much more than the error of positions suggests.
"""

from softdock.dynamics.kernels.contacts import count_closed
from softdock.dynamics.kernels.rosenbrock import ERRORS, KINK_ERRORS, error_of_implicit_step
from softdock.dynamics.kernels.stepping import ROSENBROCK, error_of_step
from softdock.native.decorators import kernel

KINK_FACTOR = 8.0  # on the estimated error of a step with a kink


@kernel
def keep_branches(run):
    """Keep which contacts are closed and on which branches the elements are, at the last evaluation."""
    run.state[0].closed_contacts = count_closed(run.system.pairs)
    elements = run.system.elements
    for i in range(elements.shape[0]):
        elements[i].branch_at_start = elements[i].branch


@kernel
def any_contact_changed(run):
    """Return whether a contact opens or closes in a step; expects that its end was evaluated last."""
    return count_closed(run.system.pairs) != run.state[0].closed_contacts


@kernel
def any_branch_changed(elements):
    """Return whether an element goes on to another branch in a step; expects that its end was evaluated last."""
    for i in range(elements.shape[0]):
        if elements[i].branch != elements[i].branch_at_start:
            return True
    return False


@kernel
def estimate_error(run, method, h):
    """Return the error of a step in units of the tolerance.

    Explicit steps are short enough for stiff elements, so that only kinks of contacts matter there.
    """
    k, tolerance = run.workspace.k, run.workspace.tolerance
    kink = any_contact_changed(run)
    if method != ROSENBROCK:
        error = error_of_step(method, h, k, tolerance)
        return KINK_FACTOR * error if kink else error
    error = error_of_implicit_step(k, ERRORS, tolerance)
    if kink or any_branch_changed(run.system.elements):
        return max(KINK_FACTOR * error, error_of_implicit_step(k, KINK_ERRORS, tolerance))
    return error
