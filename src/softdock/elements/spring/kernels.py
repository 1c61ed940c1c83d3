"""Springs along joints: spring, damper, preload and friction."""

import math
from enum import IntEnum

import numpy as np

from softdock.elements.kernels.friction import friction_damping, holding_share, joint_friction
from softdock.elements.kernels.joints import joint_deflection, joint_speed, push_joint
from softdock.elements.kernels.tangents import add_joint_tangents, add_radial_tangents
from softdock.native.decorators import inline


class Stiffening(IntEnum):
    """How the stiffness of a spring depends on its deflection."""

    NONE = 0
    EXPONENTIAL = 1


LAW = np.dtype(
    [
        ("stiffening", np.int64),
        ("stiffness", np.float64),
        ("damping", np.float64),
        ("rest", np.float64),  # position without force, of a joint with one axis
        ("reference", np.float64),  # exponential law: deflection that doubles the stiffness
        ("exponent", np.float64),
        ("preload", np.float64),
        ("friction", np.float64),  # Coulomb force
        ("static_friction", np.float64),  # at rest
        ("friction_speed", np.float64),  # speed below which smooth friction is proportional to speed
        ("sticks", np.int64),  # 1: friction sticks; 0: it is smooth
    ],
    align=True,
)


@inline
def deflection(element, spring, q):
    """Return the deflection from the rest position, as three components [m or rad]."""
    x, y, z = joint_deflection(element, q)
    return (x if element.ball == 1 else x - spring.rest), y, z


@inline
def growth(spring, s):
    """Return by how much the stiffness has grown at a deflection, relative to that without deflection; Eq. (A20)."""
    return (s / spring.reference) ** spring.exponent


@inline
def apply(system, i, t, q, u, dy):
    """Apply spring, damper and friction along a joint; Eqs. (M20)-(M22), (A20)."""
    element, data = system.elements[i], system.element_data[i]
    spring = system.laws.spring[element.row]
    x, y, z = deflection(element, spring, q)
    vx, vy, vz = joint_speed(element, u)
    s = math.sqrt(x * x + y * y + z * z)
    k, c = spring.stiffness, spring.damping
    energy = 0.5 * k * s * s
    if spring.stiffening == Stiffening.EXPONENTIAL:
        grown = growth(spring, s)
        energy += k * s * s * grown / (spring.exponent + 2.0)
        k *= 1.0 + grown
    # A preload is a constant force towards negative positions of a single axis.
    preload = spring.preload
    loss = c * (vx * vx + vy * vy + vz * vz)
    fx, fy, fz = -k * x - c * vx - preload, -k * y - c * vy, -k * z - c * vz
    if spring.static_friction > 0.0:
        rx, ry, rz, lost = joint_friction(system, i, spring, 0.0, (vx, vy, vz))
        fx, fy, fz, loss = fx - rx, fy - ry, fz - rz, loss + lost
    push_joint(element, system.axes, fx, fy, fz)
    data.deflection = x if element.rows == 1 else s
    data.angle = s if element.ball == 1 else 0.0
    data.force = -fx if element.rows == 1 else math.sqrt(fx * fx + fy * fy + fz * fz)
    data.energy = energy + preload * x
    data.loss = loss


@inline
def friction_axes(system, i):
    """Return the number of axes that its friction sticks together; 0 if it does not stick."""
    element, spring = system.elements[i], system.laws.spring[system.elements[i].row]
    return element.rows if spring.sticks == 1 and spring.static_friction > 0.0 else 0


@inline
def hold(system, i, q):
    """Add its share of the holding force of its joint, which is at rest, to the force that it transmits."""
    element, data, spring = (
        system.elements[i],
        system.element_data[i],
        system.laws.spring[system.elements[i].row],
    )
    share, axes, at = holding_share(system, i), system.axes, element.at_u
    if element.rows == 1:
        data.force -= share * axes[at].holding
        return
    x, y, z = deflection(element, spring, q)
    k = spring.stiffness
    if spring.stiffening == Stiffening.EXPONENTIAL:
        k *= 1.0 + growth(spring, math.sqrt(x * x + y * y + z * z))
    fx, fy = k * x - share * axes[at].holding, k * y - share * axes[at + 1].holding
    fz = k * z - share * axes[at + 2].holding if element.rows > 2 else 0.0
    data.force = math.sqrt(fx * fx + fy * fy + fz * fz)


@inline
def error_gains(system, i, t, q, u):
    """Return the stiffness at the present deflection and the damping.

    Friction along several axes turns with their speed: across it, it has the damping of friction over speed.
    """
    element, spring = system.elements[i], system.laws.spring[system.elements[i].row]
    x, y, z = deflection(element, spring, q)
    k, c = spring.stiffness, spring.damping
    if spring.stiffening == Stiffening.EXPONENTIAL:
        k *= 1.0 + (spring.exponent + 1.0) * growth(spring, math.sqrt(x * x + y * y + z * z))
    if element.rows > 1:
        _, across = friction_damping(system, element, spring, joint_speed(element, u))
        c += across
    return k, c


@inline
def add_tangents(system, i, t, q, u, linear):
    """Add stiffness, and damping with the slope of the friction."""
    element = system.elements[i]
    spring = system.laws.spring[element.row]
    x, y, z = deflection(element, spring, q)
    vx, vy, vz = joint_speed(element, u)
    s = math.sqrt(x * x + y * y + z * z)
    k, c, radial_k = spring.stiffness, spring.damping, 0.0
    if spring.stiffening == Stiffening.EXPONENTIAL:
        grown = growth(spring, s)
        k, radial_k = k * (1.0 + grown), k * spring.exponent * grown
    along, across = friction_damping(system, element, spring, (vx, vy, vz))
    speed = math.sqrt(vx * vx + vy * vy + vz * vz)
    if element.rows > 1 and speed > 0.0:
        c += across
        add_radial_tangents(element, linear, 0.0, along - across, (vx / speed, vy / speed, vz / speed))
    else:
        c += along
    add_joint_tangents(element, linear, k, c)
    if radial_k > 0.0 and s > 0.0:
        add_radial_tangents(element, linear, radial_k, 0.0, (x / s, y / s, z / s))
