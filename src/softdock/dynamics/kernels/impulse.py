"""How a system at rest answers impulsive wrenches on its links."""

from softdock.dynamics.kernels.appendages import clear_pulls, soften, write_modal_rates
from softdock.dynamics.kernels.dynamics import accelerations, link_accelerations
from softdock.native.decorators import kernel


@kernel
def respond(system, at_rest, rates):
    """Write what the wrenches on all links change: velocities into `dA` of links, speeds into `udot` of axes.

    `at_rest` is a state of zeros, `rates` a state that gets the changes of modal rates. Expects links in place and at
    rest, and a world without gravity.
    """
    links, groups, appendages, modes = system.links, system.groups, system.appendages, system.modes
    w = system.world[0]
    u = at_rest[w.n_q : w.n_q + w.n_u]
    clear_pulls(links, appendages, modes)
    soften(links, groups, appendages, modes, at_rest, u, w.gravity)
    accelerations(links, system.axes, groups, system.tiles)
    link_accelerations(links, groups, 0)
    write_modal_rates(links, groups, appendages, modes, u, rates, w.n_q, w.gravity)
