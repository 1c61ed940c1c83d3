"""Response of a system at rest to impulsive wrenches on its links."""

from softdock.native.decorators import kernel
from softdock.tree.kernels.appendages import eliminate_modes, reset_modal_loads, write_modal_rates
from softdock.tree.kernels.dynamics import accelerations, link_accelerations


@kernel
def impulse_response(system, at_rest, rates):
    """Write the changes by the wrenches on all links: velocities into `dA` of links, speeds into `udot` of axes.

    `at_rest` is a state of zeros, `rates` a state that gets the changes of modal rates. Expects links in place and at
    rest, and a world without gravity.
    """
    links, groups, appendages, modes = system.links, system.groups, system.appendages, system.modes
    w = system.world[0]
    u = at_rest[w.n_q : w.n_q + w.n_u]
    reset_modal_loads(links, appendages, modes)
    eliminate_modes(links, groups, appendages, modes, at_rest, u, w.gravity)
    accelerations(links, system.axes, groups, system.tiles)
    link_accelerations(links, groups, 0)
    write_modal_rates(links, groups, appendages, modes, u, rates, w.n_q, w.gravity)
