"""Dry friction of elements along joints: friction that sticks, and the law that is smoothed at low speeds.

Whether an axis of a joint sticks is a state of the axis; see `dynamics.kernels.run.sticking`.
"""

import math

from softdock.native.decorators import inline

# Of the resting speed: speed below which the direction of friction along several axes, which is that of their speed, is
# smoothed; they stick below ten resting speeds.
SMOOTHED_SHARE = 1.0


@inline
def friction_sticks(system, element, sticks):
    """Return whether the friction of an element has a law that sticks, and its joint the states for it."""
    return sticks == 1 and system.axes[element.at_u].friction_axes == element.rows


@inline
def joint_friction(system, i, law, band, v):
    """Return the friction of element i as three components against the speeds `v`, and the power lost [W].

    `law` has the friction, `band` is more of it, which depends on the load [N or N m]; Eqs. (M127), (M128). Friction of
    stuck axes is not among it: `hold` adds it where their accelerations are known.
    """
    element, data = system.elements[i], system.element_data[i]
    (x, y, z), kinetic, speed = v, law.friction + band, law.friction_speed
    if friction_sticks(system, element, law.sticks):
        axis = system.axes[element.at_u]
        data.static_friction = law.static_friction + band
        axis.rubbed, axis.static_friction = 1, axis.static_friction + data.static_friction
        if axis.stuck == 1:
            return 0.0, 0.0, 0.0, 0.0
        if element.rows == 1:
            force = axis.slides * kinetic
            return force, 0.0, 0.0, force * x
        speed = SMOOTHED_SHARE * axis.resting_speed
    if kinetic == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    square = x * x + y * y + z * z
    c = kinetic / math.sqrt(square + speed * speed)
    return c * x, c * y, c * z, c * square


@inline
def friction_damping(system, element, law, v):
    """Return the derivatives of friction by the speeds `v`, along and across them."""
    (x, y, z), speed = v, law.friction_speed
    if law.friction == 0.0:
        return 0.0, 0.0
    if friction_sticks(system, element, law.sticks):
        if element.rows == 1 or system.axes[element.at_u].stuck == 1:
            return 0.0, 0.0
        speed = SMOOTHED_SHARE * system.axes[element.at_u].resting_speed
    square = x * x + y * y + z * z + speed * speed
    across = law.friction / math.sqrt(square)
    return across * speed * speed / square, across


@inline
def holding_share(system, i):
    """Return the part of the holding force of its joint that an element has: as its part of the static friction."""
    total = system.axes[system.elements[i].at_u].static_friction
    return system.element_data[i].static_friction / total if total > 0.0 else 0.0
