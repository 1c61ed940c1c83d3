"""Capsule pins and holes in boxes, with their mass properties.

A pin is a cylinder with hemispherical caps. A hole is a cylinder with a hemispherical bottom, or a through-hole, in the
top face of a box; its rim may have a chamfer.
"""

import math
from dataclasses import dataclass

import numpy as np

from softdock.errors import InputError, require
from softdock.geometry.mass_properties import MassProperties


@dataclass(frozen=True, kw_only=True)
class Pin:
    """A capsule along z with its centre at the origin."""

    radius: float
    """[m]"""
    length: float
    """Distance between the centres of the caps [m]; 0 for a ball."""

    def __post_init__(self) -> None:
        require("radius", self.radius, "more than 0 m", self.radius > 0.0)
        require("length", self.length, "0 m or more", self.length >= 0.0)

    def mass_properties(self, density: float) -> MassProperties:
        """Return the mass properties about the middle; Eq. (P3)."""
        r, L = self.radius, self.length
        cylinder, ball = density * math.pi * r**2 * L, density * 4 / 3 * math.pi * r**3
        across = cylinder * (r**2 / 4 + L**2 / 12) + ball * (2 / 5 * r**2 + L**2 / 4 + 3 / 8 * L * r)
        along = cylinder * r**2 / 2 + ball * 2 / 5 * r**2
        return MassProperties(
            density=density,
            volume=(cylinder + ball) / density,
            mass=cylinder + ball,
            centre=np.zeros(3),
            inertia=np.diag([across, across, along]),
        )


@dataclass(frozen=True, kw_only=True)
class Hole:
    """A hole in a box; the origin of its frame is the centre of the opening, z points out of the hole."""

    radius: float
    """[m]"""
    straight: float
    """Depth of the straight wall [m], without a hemispherical bottom; the height of the box for a through-hole."""
    through: bool = False
    chamfer_width: float = 0.0
    """Radial width of the chamfer [m]."""
    chamfer_depth: float = 0.0
    """Axial depth of the chamfer [m]."""
    sides: tuple[float, float] = (math.inf, math.inf)
    """Lengths of the box along x and y [m]; infinite for an infinite face."""
    box_height: float | None = None
    """[m]; None for the depth of the hole, as in the paper."""

    def __post_init__(self) -> None:
        require("radius", self.radius, "more than 0 m", self.radius > 0.0)
        require("straight", self.straight, "more than 0 m", self.straight > 0.0)
        both = (self.chamfer_width > 0.0) == (self.chamfer_depth > 0.0)
        require("chamfer_width", self.chamfer_width, "0 m or more", self.chamfer_width >= 0.0)
        require(
            "chamfer_depth", self.chamfer_depth, "0 m if the chamfer has no width, else more than 0 m", both
        )
        require(
            "chamfer_depth",
            self.chamfer_depth,
            f"from 0 m to the {self.straight:g} m of the straight wall",
            0.0 <= self.chamfer_depth <= self.straight,
        )
        opening = 2 * (self.radius + self.chamfer_width)
        for side in self.sides:
            if not side > opening:
                raise InputError(
                    f"must be more than the {opening:g} m of the opening.", field="sides", given=f"{side:g}"
                )
        if self.box_height is not None:
            deep = self.depth
            allowed = f"{deep:g} m" + ("" if self.through else " or more") + ", the depth of the hole"
            fits = self.box_height == deep if self.through else self.box_height >= deep
            require("box_height", self.box_height, allowed, fits)

    @property
    def depth(self) -> float:
        """Depth from the opening to the bottom or to the other opening [m]."""
        return self.straight if self.through else self.straight + self.radius

    @property
    def height(self) -> float:
        """Height of the box [m]."""
        return self.depth if self.box_height is None else self.box_height

    def mass_properties(self, density: float) -> MassProperties:
        """Return the mass properties of the box without the hole, in the hole's frame; Eqs. (P1)-(P2)."""
        if not all(map(math.isfinite, self.sides)):
            raise InputError("must be finite: an infinite face has no mass.", field="sides")
        (a, b), c, r = self.sides, self.height, self.radius
        parts = [_box(density, a, b, c), _cylinder(-density, r, self.chamfer_depth, self.straight)]
        if not self.through:
            parts.append(_half_ball(-density, r, self.straight))
        if self.chamfer_depth > 0.0:
            parts.append(_frustum(-density, r, r + self.chamfer_width, self.chamfer_depth))
        mass = sum(part.mass for part in parts)
        centre = sum(part.mass * part.centre for part in parts) / mass
        inertia = np.zeros((3, 3))
        for part in parts:  # parallel axis theorem, to the common centre of mass
            d = part.centre - centre
            inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return MassProperties(
            density=density, volume=mass / density, mass=mass, centre=np.asarray(centre), inertia=inertia
        )


def _part(density: float, volume: float, z: float, moments: tuple[float, float, float]) -> MassProperties:
    """Return the mass properties of a part from its moments of inertia per mass [m2]."""
    return MassProperties(
        density=density,
        volume=volume,
        mass=density * volume,
        centre=np.array([0.0, 0.0, z]),
        inertia=density * volume * np.diag(moments),
    )


def _box(density: float, a: float, b: float, c: float) -> MassProperties:
    return _part(density, a * b * c, -c / 2, ((b**2 + c**2) / 12, (a**2 + c**2) / 12, (a**2 + b**2) / 12))


def _cylinder(density: float, r: float, top: float, bottom: float) -> MassProperties:
    h = bottom - top
    across = r**2 / 4 + h**2 / 12
    return _part(density, math.pi * r**2 * h, -(top + bottom) / 2, (across, across, r**2 / 2))


def _half_ball(density: float, r: float, top: float) -> MassProperties:
    across = 2 / 5 * r**2 - (3 / 8 * r) ** 2
    return _part(density, 2 / 3 * math.pi * r**3, -top - 3 / 8 * r, (across, across, 2 / 5 * r**2))


def _frustum(density: float, r: float, wide: float, drop: float) -> MassProperties:
    """Return the mass properties of a conical frustum with radius `wide` at z = 0 and r at z = -drop [m]."""
    # Exact up to degree 7; the integrands have degree 6 at most.
    nodes, weights = np.polynomial.legendre.leggauss(4)
    z, w = -0.5 * drop * (1 - nodes), 0.5 * drop * weights
    rho = wide + (wide - r) * z / drop
    discs = math.pi * rho**2
    volume = float(w @ discs)
    centre = float(w @ (discs * z)) / volume
    along = float(w @ (discs * rho**2)) / 2 / volume
    across = along / 2 + float(w @ (discs * (z - centre) ** 2)) / volume
    return _part(density, volume, centre, (across, across, along))
