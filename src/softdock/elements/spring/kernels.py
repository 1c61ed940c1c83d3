"""Springs along joints: spring, damper, preload and friction."""

import math
from enum import IntEnum

import numpy as np

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
        ("friction_speed", np.float64),  # speed below which friction is proportional to speed
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
    if spring.friction > 0.0:
        v = vx * vx + vy * vy + vz * vz
        friction_damping = spring.friction / math.sqrt(v + spring.friction_speed * spring.friction_speed)
        loss += friction_damping * v
        c += friction_damping
    fx, fy, fz = -k * x - c * vx - preload, -k * y - c * vy, -k * z - c * vz
    push_joint(element, system.axes, fx, fy, fz)
    data.deflection = x if element.rows == 1 else s
    data.angle = s if element.ball == 1 else 0.0
    data.force = -fx if element.rows == 1 else math.sqrt(fx * fx + fy * fy + fz * fz)
    data.energy = energy + preload * x
    data.loss = loss


@inline
def error_gains(system, i, t, q, u):
    """Return the stiffness at the present deflection and the damping."""
    spring = system.laws.spring[system.elements[i].row]
    x, y, z = deflection(system.elements[i], spring, q)
    k = spring.stiffness
    if spring.stiffening == Stiffening.EXPONENTIAL:
        k *= 1.0 + (spring.exponent + 1.0) * growth(spring, math.sqrt(x * x + y * y + z * z))
    return k, spring.damping


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
    if spring.friction > 0.0:
        v = vx * vx + vy * vy + vz * vz + spring.friction_speed * spring.friction_speed
        c += spring.friction * spring.friction_speed * spring.friction_speed / (v * math.sqrt(v))
    add_joint_tangents(element, linear, k, c)
    if radial_k > 0.0 and s > 0.0:
        add_radial_tangents(element, linear, radial_k, 0.0, (x / s, y / s, z / s))
