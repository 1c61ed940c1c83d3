"""Capsule pins, holes for them in boxes, and the mass properties of both.

A pin is a cylinder with a half ball at either end. A hole is what such a capsule leaves in a box, open at the top: a
cylinder and a half ball, or a cylinder all the way through; its rim may be chamfered.
"""

import math
from dataclasses import dataclass

import numpy as np

from softdock.errors import InputError, Problem
from softdock.geometry.mass_properties import MassProperties


def _require(field: str, given: float, allowed: str, holds: bool) -> None:
    if not holds or not math.isfinite(given):
        raise InputError(Problem(field=field, message=f"must be {allowed}", given=f"{given:g}"))


@dataclass(frozen=True, kw_only=True)
class Pin:
    """A capsule along z, its middle at the origin."""

    radius: float
    """[m]"""
    length: float
    """Of its axis, between the middles of the two caps [m]; 0 makes it a ball."""

    def __post_init__(self) -> None:
        _require("radius", self.radius, "more than 0 m", self.radius > 0.0)
        _require("length", self.length, "0 m or more", self.length >= 0.0)

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
    """A hole for a pin in a box; its frame is in the middle of the opening, z out of the hole along its axis."""

    radius: float
    """[m]"""
    straight: float
    """Depth of the straight wall [m]; the round bottom is one radius deeper. Of a through-hole: the box's height."""
    through: bool = False
    chamfer_width: float = 0.0
    """By so much the chamfer widens the opening's radius [m]."""
    chamfer_depth: float = 0.0
    """So deep the chamfer goes [m]."""
    sides: tuple[float, float] = (math.inf, math.inf)
    """Of the box, along x and y [m]; infinite: a face without end."""
    box_height: float | None = None
    """[m]; None: as high as the hole is deep (the paper's choice)."""

    def __post_init__(self) -> None:
        _require("radius", self.radius, "more than 0 m", self.radius > 0.0)
        _require("straight", self.straight, "more than 0 m", self.straight > 0.0)
        both = (self.chamfer_width > 0.0) == (self.chamfer_depth > 0.0)
        _require("chamfer_width", self.chamfer_width, "0 m or more", self.chamfer_width >= 0.0)
        _require("chamfer_depth", self.chamfer_depth, "0 m where the chamfer has no width, else more", both)
        _require(
            "chamfer_depth",
            self.chamfer_depth,
            f"from 0 m to the {self.straight:g} m of the straight wall",
            0.0 <= self.chamfer_depth <= self.straight,
        )
        opening = 2 * (self.radius + self.chamfer_width)
        for side in self.sides:
            if not side > opening:
                raise InputError(
                    Problem(
                        field="sides",
                        message=f"must be more than the {opening:g} m of the opening",
                        given=f"{side:g}",
                    )
                )
        if self.box_height is not None:
            deep = self.depth
            allowed = f"{deep:g} m" + ("" if self.through else " or more") + ", the depth of the hole"
            fits = self.box_height == deep if self.through else self.box_height >= deep
            _require("box_height", self.box_height, allowed, fits)

    @property
    def depth(self) -> float:
        """From the opening to the bottom, or to the other opening [m]."""
        return self.straight if self.through else self.straight + self.radius

    @property
    def height(self) -> float:
        """Of the box [m]."""
        return self.depth if self.box_height is None else self.box_height

    def mass_properties(self, density: float) -> MassProperties:
        """Return those of the box without the hole, in the hole's frame; Eqs. (P1)-(P2)."""
        if not all(map(math.isfinite, self.sides)):
            raise InputError(Problem(field="sides", message="must be given: a face without end has no mass"))
        (a, b), c, r = self.sides, self.height, self.radius
        parts = [_box(density, a, b, c), _cylinder(-density, r, self.chamfer_depth, self.straight)]
        if not self.through:
            parts.append(_half_ball(-density, r, self.straight))
        if self.chamfer_depth > 0.0:
            parts.append(_frustum(-density, r, r + self.chamfer_width, self.chamfer_depth))
        mass = sum(part.mass for part in parts)
        centre = sum(part.mass * part.centre for part in parts) / mass
        inertia = np.zeros((3, 3))
        for part in parts:  # Huygens and Steiner, to the common centre
            d = part.centre - centre
            inertia += part.inertia + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return MassProperties(
            density=density, volume=mass / density, mass=mass, centre=np.asarray(centre), inertia=inertia
        )


def _part(density: float, volume: float, z: float, moments: tuple[float, float, float]) -> MassProperties:
    """Mass properties of a part from its moments of inertia per mass."""
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
    """A cone cut off: radius `wide` at z = 0, r at z = -drop; exact integrals of its discs by Gauss points."""
    nodes, weights = np.polynomial.legendre.leggauss(4)  # exact up to degree 7; the fourth powers need 6
    z, w = -0.5 * drop * (1 - nodes), 0.5 * drop * weights
    rho = wide + (wide - r) * z / drop
    discs = math.pi * rho**2
    volume = float(w @ discs)
    centre = float(w @ (discs * z)) / volume
    along = float(w @ (discs * rho**2)) / 2 / volume
    across = along / 2 + float(w @ (discs * (z - centre) ** 2)) / volume
    return _part(density, volume, centre, (across, across, along))
