"""Locks: rigid connections of two frames. The dynamics solve for their wrenches; see `locks`."""

import numpy as np

from softdock.elements.kernels.held_pose import HELD_POSE, engages, held_value, hold_present_pose
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


@inline
def may_switch_on(system, i, t, y):
    """Return whether the frames are within the engagement window."""
    return engages(system, i, system.states.lock[system.elements[i].row], t)


@inline
def value(system, i, component):
    """Return whether it is engaged, or how often it missed."""
    return held_value(system, i, system.states.lock[system.elements[i].row], component)
