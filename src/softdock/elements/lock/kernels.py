"""Locks: rigid connections of two frames. The dynamics solve for their wrenches; see `locks`."""

import numpy as np

from softdock.elements.kernels.held_pose import HELD_POSE, hold_present_pose
from softdock.native.decorators import inline

STATE = np.dtype(
    [
        ("wrench", np.float64, 6),  # work array of the constraint equations: torque and force on b
        *HELD_POSE,
    ],
    align=True,
)


@inline
def switch_on(system, i, t, y):
    """Hold the present relative pose."""
    element = system.elements[i]
    hold_present_pose(element, system.states.lock[element.row], system.links, system.motions)
