"""Estimated error of a step, which counts more where a force has a kink or jumps inside it.

Estimates assume smooth forces, and an implicit step uses the stiffness at its start. Where a stiff element changes the
branch of its law, loads may be wrong by much more than the error of positions suggests.
"""

from softdock.dynamics.kernels.forces.contacts import count_closed
from softdock.dynamics.kernels.integration.force_errors import error_of_forces
from softdock.dynamics.kernels.integration.rosenbrock import error_of_implicit_step
from softdock.dynamics.kernels.integration.stepping import StepMethod, error_of_step
from softdock.native.decorators import kernel

# Factors on the estimated error of a step with a kink.
CONTACT_FACTOR = 8.0  # the force of a contact begins smoothly
# The force of an element may jump, as where the damped end stop of a coupling begins to push.
BRANCH_FACTOR = 32.0
# Times the smallest step: kinks do not count in shorter steps, so that a jump of a force does not end the run.
LEAST_KINK_STEP = 1e3


@kernel
def store_branches(run):
    """Store how many contacts are closed and on which branches the elements are."""
    run.progress[0].closed_contacts = count_closed(run.system.pair_states)
    data = run.system.element_data
    for i in range(data.shape[0]):
        data[i].branch_at_start = data[i].branch
        data[i].depth_at_start, data[i].depth_rate_at_start = data[i].depth, data[i].depth_rate


@kernel
def any_branch_changed(data):
    """Return whether an element is on another branch than at the start of the step; a return to it is not seen."""
    for i in range(data.shape[0]):
        if data[i].branch != data[i].branch_at_start:
            return True
    return False


@kernel
def kink_factor(run, h):
    """Return the factor on the estimated error of a step of size h; expects that its end was evaluated last."""
    if h <= LEAST_KINK_STEP * run.settings[0].min_step:
        return 1.0
    if any_branch_changed(run.system.element_data):
        return BRANCH_FACTOR
    return CONTACT_FACTOR if count_closed(run.system.pair_states) != run.progress[0].closed_contacts else 1.0


@kernel
def estimate_error(run, method, h):
    """Return the error of a step in units of the tolerance."""
    k, tolerance, e = run.workspace.k, run.workspace.tolerance, run.workspace.error
    if method == StepMethod.ROSENBROCK:
        error = error_of_implicit_step(k, tolerance, e)
    else:
        error = error_of_step(method, h, k, tolerance, e)
    if run.settings[0].force_accuracy > 0.0 and error <= 1.0:
        error = max(error, error_of_forces(run, run.progress[0].t + h, h, method == StepMethod.ROSENBROCK))
    return kink_factor(run, h) * error
