"""Deflection and speed of the joint that an element acts on, and its force on the joint."""

from softdock.elements.kernels.records import FORCE
from softdock.native.decorators import inline
from softdock.spatial.kernels import rotation_vector_from_quaternion

LEAST_MOBILITY = (
    2.2250738585072014e-308  # [1/kg or 1/(kg m2)], the smallest normal number: of axes that cannot move
)


@inline
def largest_mobility(element, mobility):
    """Return the largest acceleration per force of the joint axes that an element acts on [1/kg or 1/(kg m2)]."""
    most = LEAST_MOBILITY
    for k in range(element.at_u, element.at_u + element.rows):
        most = max(most, mobility[k])
    return most


@inline
def mobility_between(data):
    """Return the acceleration per force of the bodies that an element connects, from its data [1/kg]."""
    return max(1.0 / data.inertia[FORCE], LEAST_MOBILITY)


@inline
def joint_deflection(element, q):
    """Return the position of the joint of an element as three components [m or rad]; unused ones are zero.

    For a ball joint it is the rotation vector.
    """
    at = element.at_q
    if element.ball == 1:
        x, y, z = rotation_vector_from_quaternion(q[at], q[at + 1], q[at + 2], q[at + 3])
        return x, y, z
    x, y, z = q[at], 0.0, 0.0
    if element.rows > 1:
        y = q[at + 1]
    if element.rows > 2:
        z = q[at + 2]
    return x, y, z


@inline
def joint_speed(element, u):
    """Return the speeds of the joint axes that an element acts on, as three components [m/s or rad/s]."""
    at = element.at_u
    x, y, z = u[at], 0.0, 0.0
    if element.rows > 1:
        y = u[at + 1]
    if element.rows > 2:
        z = u[at + 2]
    return x, y, z


@inline
def push_joint(element, axes, x, y, z):
    """Add the forces of an element along the axes of its joint [N or N m]."""
    at = element.at_u
    axes[at].tau += x
    if element.rows > 1:
        axes[at + 1].tau += y
    if element.rows > 2:
        axes[at + 2].tau += z
