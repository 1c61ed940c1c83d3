"""Forces that hold axes of joints at which friction sticks."""

import math

from softdock.elements.kernels.dispatch import hold
from softdock.native.decorators import inline, kernel

MOST_USED = 1e6  # largest number for a holding force over its limit, also where the limit is zero


@kernel
def apply_holding_forces(system, q):
    """Write the forces that hold stuck axes, and add them to what elements transmit; Eqs. (M130), (M131).

    Expects the accelerations of all axes, and the rows of inertia that `hold_stuck_axes` stored.
    """
    axes = system.axes
    for i in range(axes.shape[0]):
        if axes[i].stuck == 1:
            force = axes[i].holding
            for k in range(axes.shape[0]):
                force += system.held_inertia[i, k] * axes[k].udot
            axes[i].holding = force
    for i in range(axes.shape[0]):
        axis = axes[i]
        if axis.stuck == 1 and axis.friction_axes > 0:
            used = used_friction(axes, i)
            axis.most_used, axis.least_used = max(axis.most_used, used), min(axis.least_used, used)
    for i in range(system.elements.shape[0]):
        if system.element_data[i].static_friction > 0.0 and axes[system.elements[i].at_u].stuck == 1:
            hold(system, i, q)


@inline
def used_friction(axes, at):
    """Return the force that holds the axes from `at` on over the largest one that friction has."""
    square = 0.0
    for k in range(at, at + axes[at].friction_axes):
        square += axes[k].holding * axes[k].holding
    force, limit = math.sqrt(square), axes[at].static_friction
    if force < MOST_USED * limit:
        return force / limit
    return MOST_USED if force > 0.0 else 0.0
