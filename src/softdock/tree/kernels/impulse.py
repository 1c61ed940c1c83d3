"""Response of a system at rest to impulsive wrenches on its links."""

from softdock.native.decorators import kernel
from softdock.tree.kernels.appendages import eliminate_modes, reset_modal_loads, write_modal_rates
from softdock.tree.kernels.dynamics import accelerations, link_accelerations


@kernel
def impulse_response(system, at_rest, rates):
    """Write the changes by the wrenches on all links: velocities as changes of acceleration, speeds as `udot` of axes.

    `at_rest` is a state of zeros, `rates` a state that gets the changes of modal rates. Expects links in place and at
    rest, and a world without gravity.
    """
    w = system.world[0]
    u = at_rest[w.n_q : w.n_q + w.n_u]
    reset_modal_loads(system)
    eliminate_modes(system, at_rest, u)
    accelerations(system)
    link_accelerations(system, 0)
    write_modal_rates(system, u, rates)
