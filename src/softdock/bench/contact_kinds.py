"""Kinds of contact that occur in docking: surfaces with random placements, for benchmarks and tests."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.contact.layer import ElasticLayer
from softdock.contact.pair import ContactPair, CutCells, MotionState, Points
from softdock.geometry.profile import Arc, Line, Profile
from softdock.geometry.vertices import rounded_profile
from softdock.spatial.rotations import matrix_from_quaternion, quaternion_from_axis_angle

STIFFNESS = 2e9
"""Areal stiffness of all kinds [N/m3]."""

Array = NDArray[np.float64]
Approach = tuple[Array, Array, Array]
"""R_AB, start [m] and direction of the motion of B's origin in A."""


@dataclass(frozen=True, kw_only=True)
class ContactKind:
    """Two surfaces, and a random approach of B to A: rotation, start and direction."""

    A: Profile
    B: Profile
    approach: Callable[[np.random.Generator], Approach]

    def pair(self, quadrature: CutCells | Points | None = None) -> ContactPair:
        """Return the pair, elastic and without friction."""
        layer = ElasticLayer(areal_stiffness=STIFFNESS)
        return ContactPair(
            surface_A=self.A, surface_B=self.B, layer=layer, quadrature=quadrature or CutCells()
        )


def ball(radius: float) -> Profile:
    """Return a sphere [m] about the origin."""
    ends = ((-radius, 0.0), (0.0, radius), (radius, 0.0))
    quarters = (
        Arc(start=a, end=b, centre=(0.0, 0.0), counterclockwise=False) for a, b in itertools.pairwise(ends)
    )
    return Profile(segments=tuple(quarters))


def bowl(radius: float) -> Profile:
    """Return a hemispherical cavity [m], open towards +z."""
    wall = Arc(start=(0.0, radius), end=(-radius, 0.0), centre=(0.0, 0.0), counterclockwise=True)
    return Profile(segments=(wall,))


def plate(radius: float = 0.05) -> Profile:
    """Return a disc [m] whose free side faces +z."""
    return Profile(segments=(Line(start=(0.0, radius), end=(0.0, 0.0)),))


def pin(radius: float, length: float, fillet: float) -> Profile:
    """Return a cylinder [m] with a flat front at z = 0 and a rounded edge, towards +z."""
    return rounded_profile([(0.0, 0.0), (0.0, radius), (length, radius)], [fillet])


CONE = Profile(segments=(Line(start=(0.06, 0.06), end=(0.0, 0.0)),))
THROAT = rounded_profile([(0.0, 0.043), (-0.020, 0.023), (-0.040, 0.023)], [4e-3])
TUBE = Profile(segments=(Line(start=(0.05, 0.02), end=(-0.05, 0.02)),))
PISTON = rounded_profile([(-0.012, 0.0), (-0.012, 0.018), (0.012, 0.018), (0.012, 0.0)], [0.002, 0.002])
PLUG = rounded_profile([(0.0, 0.0), (0.0, 0.012), (0.0101, 0.022)], [0.002])
UP = np.array([0.0, 0.0, 1.0])


def rotation(axis: Array | tuple[float, float, float], angle: float) -> Array:
    """Return the rotation matrix about an axis of any length by an angle [rad]."""
    unit = np.asarray(axis, float) / np.linalg.norm(axis)
    return matrix_from_quaternion(quaternion_from_axis_angle(unit, angle))


def state(
    r: Array | tuple[float, float, float] = (0.0, 0.0, 0.0),
    v: Array | tuple[float, float, float] = (0.0, 0.0, 0.0),
    omega: Array | tuple[float, float, float] = (0.0, 0.0, 0.0),
    A: Array | None = None,
) -> MotionState:
    """Return a motion state, by default at rest at the origin."""
    return MotionState(r=r, v=v, omega=omega, A=np.eye(3) if A is None else A)


def press(kind: ContactKind, approach: Approach, force: float) -> float:
    """Return the displacement of B along its approach [m] that gives a contact force of this magnitude [N]."""
    pair = kind.pair()
    R_AB, start, direction = approach

    def is_below(distance: float) -> bool:
        on_A, _ = pair.forces(state(), state(r=start + distance * direction, A=R_AB))
        return float(np.linalg.norm(on_A.F)) < force

    low, high = 0.0, 1e-3
    while is_below(high):
        low, high = high, high + 1e-3
        if high > 0.1:
            raise ValueError("no contact on this approach")
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return high


def _horizontal(angle: float) -> Array:
    return np.array([math.cos(angle), math.sin(angle), 0.0])


def _random_angle(rng: np.random.Generator) -> float:
    return float(rng.uniform(0, math.tau))


def _random_spin(rng: np.random.Generator) -> Array:
    return rotation(UP, _random_angle(rng))


def _random_rotation(rng: np.random.Generator) -> Array:
    return rotation(rng.normal(size=3), rng.uniform(0, 3))


def _ball_on_cone(rng: np.random.Generator) -> Approach:
    out, z = _horizontal(_random_angle(rng)), rng.uniform(0.02, 0.04)
    return _random_rotation(rng), (z - math.sqrt(2) * 0.006) * out + z * UP, (out - UP) / math.sqrt(2)


def _edge_on_cone(rng: np.random.Generator) -> Approach:
    azimuth = _random_angle(rng)
    R = rotation(UP, azimuth) @ rotation((0.0, 1.0, 0.0), rng.uniform(0.1, 0.6)) @ _random_spin(rng)
    return R, _horizontal(azimuth) * rng.uniform(0, 0.004) + 0.045 * UP, -UP


def _ball_on_throat(rng: np.random.Generator) -> Approach:
    return _random_rotation(rng), _horizontal(_random_angle(rng)) * rng.uniform(0.0155, 0.02), -UP


def _pin_on_throat(rng: np.random.Generator) -> Approach:
    azimuth = _random_angle(rng)
    R = rotation(UP, azimuth) @ rotation((0.0, 1.0, 0.0), rng.uniform(0.05, 0.2)) @ _random_spin(rng)
    return R, -0.03 * UP, _horizontal(azimuth + rng.uniform(-0.1, 0.1))


def _in_bowl(rng: np.random.Generator) -> Approach:
    direction = rng.normal(size=3)
    direction[2] = -abs(direction[2])
    direction = direction / np.linalg.norm(direction) - UP
    return _random_rotation(rng), np.zeros(3), direction / np.linalg.norm(direction)


def _at_the_pole(rng: np.random.Generator) -> Approach:
    return _random_spin(rng), np.zeros(3), -UP


def _ring(rng: np.random.Generator) -> Approach:
    return _random_spin(rng), 0.03 * UP, -UP


def _tilted_ring(rng: np.random.Generator) -> Approach:
    R = rotation(rng.normal(size=3), 2e-3 * rng.uniform())
    return R, _horizontal(_random_angle(rng)) * rng.uniform(0, 3e-5) + 0.03 * UP, -UP


def _along_tube(rng: np.random.Generator) -> Approach:
    return _random_spin(rng), rng.uniform(-0.01, 0.01) * UP, _horizontal(_random_angle(rng))


def _askew_in_tube(rng: np.random.Generator) -> Approach:
    R, start, direction = _along_tube(rng)
    return rotation(rng.normal(size=3), 4e-3 * rng.uniform()) @ R, start, direction


KINDS = {
    "ball (6 mm) on cone": ContactKind(A=CONE, B=ball(0.006), approach=_ball_on_cone),
    "rounded edge (2 mm) on cone": ContactKind(A=CONE, B=pin(0.012, 0.05, 0.002), approach=_edge_on_cone),
    "ball (9 mm) on throat edge": ContactKind(A=THROAT, B=ball(0.009), approach=_ball_on_throat),
    "pin across throat edge": ContactKind(A=THROAT, B=pin(0.018, 0.06, 0.003), approach=_pin_on_throat),
    "ball in hemisphere, 10 in 12 mm": ContactKind(A=bowl(0.012), B=ball(0.010), approach=_in_bowl),
    "ball in hemisphere, 10 in 10.2 mm": ContactKind(A=bowl(0.0102), B=ball(0.010), approach=_in_bowl),
    "ball at the pole, 10 in 30 mm": ContactKind(A=bowl(0.030), B=ball(0.010), approach=_at_the_pole),
    "ring, rounded edge in cone": ContactKind(A=CONE, B=pin(0.018, 0.02, 0.003), approach=_ring),
    "ring, tilted up to 2 mrad": ContactKind(A=CONE, B=pin(0.018, 0.02, 0.003), approach=_tilted_ring),
    "ring, cone in cone": ContactKind(A=CONE, B=PLUG, approach=_ring),
    "line, cylinder in tube": ContactKind(A=TUBE, B=PISTON, approach=_along_tube),
    "line, tilted up to 4 mrad": ContactKind(A=TUBE, B=PISTON, approach=_askew_in_tube),
}
