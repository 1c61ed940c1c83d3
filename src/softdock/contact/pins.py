"""Pin in a hole: contact law, contacts and forces."""

import math
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.contact.layer import CoulombFriction, FrictionLaw
from softdock.errors import InputError, require
from softdock.geometry.pins import Hole, Pin

if TYPE_CHECKING:
    from softdock.contact.pair import ContactWrench, MotionState

Floats = NDArray[np.float64]


class Rim(Enum):
    """Method that finds the point of a rim nearest to a pin."""

    DIRECT = "direct"
    """Newton's method with bisection in the quadrant that contains the point."""
    SEARCH = "search"
    """Repeated search with eight points between the neighbours of the best one (method of the paper)."""


class Damping(Enum):
    """Damping law along the normal of a contact."""

    KELVIN_VOIGT = "kelvin-voigt"
    """Force per speed [N s/m]; the total force is never tensile."""
    HUNT_CROSSLEY = "hunt-crossley"
    """Fraction of the elastic force per speed [s/m]; the force is continuous at first contact."""


class PinPart(Enum):
    """Part of a pin that touches."""

    LEADING_CAP = 0
    TRAILING_CAP = 1
    BODY = 2


class Feature(Enum):
    """Feature of a hole that is touched."""

    BOTTOM = 0
    WALL = 1
    CHAMFER = 2
    RIM = 3
    FACE = 4
    EDGE = 5
    """An outer edge of the box."""
    SIDE = 6
    UNDERSIDE = 7


@dataclass(frozen=True, kw_only=True)
class PinLaw:
    """Force of one contact between a pin and its hole."""

    stiffness: float
    """[N/m]"""
    damping: float = 0.0
    """[N s/m] or, for Hunt-Crossley, [s/m]."""
    damping_law: Damping = Damping.HUNT_CROSSLEY
    friction: CoulombFriction = field(default_factory=CoulombFriction)
    static_friction: float | None = None
    """Coefficient at rest (Stribeck); None for the sliding coefficient."""
    stribeck_speed: float = 1e-2
    """Sliding speed at which the excess of static friction has fallen to 1/e [m/s]."""

    def __post_init__(self) -> None:
        require("stiffness", self.stiffness, "more than 0 N/m", self.stiffness > 0.0)
        if self.friction.law is FrictionLaw.ELASTIC:
            message = "Pins have no tangential elasticity: the law must be smooth or ramp."
            raise InputError(message, field="friction", given=self.friction.law.value)
        require("damping", self.damping, "0 or more", self.damping >= 0.0)
        require("stribeck_speed", self.stribeck_speed, "more than 0 m/s", self.stribeck_speed > 0.0)
        static = self.friction.coefficient if self.static_friction is None else self.static_friction
        allowed = f"{self.friction.coefficient:g} (the sliding coefficient) or more"
        require("static_friction", static, allowed, static >= self.friction.coefficient)


@dataclass(frozen=True, kw_only=True)
class Touch:
    """One contact of a pin; vectors in the frame of the hole."""

    part: PinPart
    feature: Feature
    point: Floats
    """Point on the hole [m]."""
    normal: Floats
    """Direction of the force on the pin."""
    depth: float
    """[m]"""
    along: float
    """Distance from the centre of the leading cap along the axis [m]."""


@dataclass(frozen=True, kw_only=True)
class PinContact:
    """Result of one evaluation; vectors in inertial axes."""

    wrench_hole: "ContactWrench"
    wrench_pin: "ContactWrench"
    energy: float
    """[J]"""
    dissipation: float
    """[W]"""
    depth: float
    """Largest depth [m]."""
    number: int
    """Number of contacts."""


@dataclass(frozen=True, kw_only=True)
class PinInHole:
    """A pin and its hole.

    The origin of the pin's frame is the centre of its leading cap; z points along its axis to the other end.
    """

    pin: Pin
    hole: Hole
    law: PinLaw
    rim: Rim = Rim.DIRECT
    levels: int = 16
    """Levels of the search; each narrows the interval to 2/7."""

    def __post_init__(self) -> None:
        require("levels", self.levels, "from 1 to 40", 1 <= self.levels <= 40)

    def touches(self, p_HP: ArrayLike, axis_H: ArrayLike) -> tuple[Touch, ...]:
        """Return the contacts of a pin with its leading cap at p_HP [m] and a unit vector along its axis, in H."""
        from softdock.contact.entry_points import manifold
        from softdock.contact.kernels import pin_rows

        rows = np.zeros((pin_rows.MAXIMUM_ROWS, pin_rows.COLUMNS))
        count = manifold(shape_record(self), _vector(p_HP), _vector(axis_H), rows)
        return tuple(
            Touch(
                part=PinPart(int(row[pin_rows.PART])),
                feature=Feature(int(row[pin_rows.FEATURE])),
                point=row[pin_rows.POINT : pin_rows.POINT + 3].copy(),
                normal=row[pin_rows.NORMAL : pin_rows.NORMAL + 3].copy(),
                depth=float(row[pin_rows.PENETRATION]),
                along=float(row[pin_rows.AXIAL_POSITION]),
            )
            for row in rows[:count]
            if row[pin_rows.WEIGHT] > 0.0 and row[pin_rows.PART] != pin_rows.CORRECTION
        )

    def contact(self, state_hole: "MotionState", state_pin: "MotionState") -> PinContact:
        """Return the contact wrenches on hole and pin about their frames, in inertial axes."""
        from softdock.contact.entry_points import add_forces, manifold
        from softdock.contact.kernels import pin_rows
        from softdock.contact.kernels import pins as kernels
        from softdock.contact.pair import ContactWrench

        R_NH, R_NP = np.asarray(state_hole.A, float), np.asarray(state_pin.A, float)
        p_HP_N = np.asarray(state_pin.r, float) - np.asarray(state_hole.r, float)
        w_pin = np.asarray(state_pin.omega, float)
        v_N = np.asarray(state_pin.v, float) - np.asarray(state_hole.v, float) - np.cross(w_pin, p_HP_N)
        w_N = w_pin - np.asarray(state_hole.omega, float)
        shape = shape_record(self)
        rows, out = np.zeros((pin_rows.MAXIMUM_ROWS, pin_rows.COLUMNS)), np.zeros(kernels.TOTALS_SIZE)
        count = manifold(shape, _vector(R_NH.T @ p_HP_N), _vector(R_NH.T @ R_NP[:, 2]), rows)
        add_forces(shape, rows, count, _vector(R_NH.T @ w_N), _vector(R_NH.T @ v_N), out)
        force, torque = (R_NH @ out[at : at + 3] for at in (kernels.FORCE, kernels.TORQUE))
        wrench_hole, wrench_pin = ContactWrench(T=torque, F=force).action_and_reaction(p_HP_N)
        return PinContact(
            wrench_hole=wrench_hole,
            wrench_pin=wrench_pin,
            energy=float(out[kernels.ENERGY]),
            dissipation=float(out[kernels.DISSIPATION]),
            depth=float(out[kernels.MAXIMUM_DEPTH]),
            number=int(out[kernels.CONTACT_COUNT]),
        )


def shape_record(pair: PinInHole) -> np.record:
    """Return the kernel record of a pin and its hole."""
    from softdock.contact.kernels import hole as hole_kernels
    from softdock.contact.kernels import layout, rim
    from softdock.contact.kernels import pins as kernels

    pin, hole, law = pair.pin, pair.hole, pair.law
    shape: np.record = np.zeros(1, kernels.SHAPE).view(np.recarray)[0]
    shape.radius, shape.straight, shape.height = hole.radius, hole.straight, hole.height
    shape.chamfer_width, shape.chamfer_depth = hole.chamfer_width, hole.chamfer_depth
    shape.half_x, shape.half_y = hole.sides[0] / 2, hole.sides[1] / 2
    shape.pin_radius, shape.pin_length = pin.radius, pin.length
    shape.cap_share = 0.5 + 0.5 * min(pin.length / pin.radius, 1.0)  # Eq. (P11)
    shape.stiffness, shape.damping = law.stiffness, law.damping
    shape.friction, shape.friction_speed = law.friction.coefficient, law.friction.threshold_speed
    shape.static_friction = law.friction.coefficient if law.static_friction is None else law.static_friction
    shape.stribeck_speed = law.stribeck_speed
    shape.bottom = hole_kernels.THROUGH_HOLE if hole.through else hole_kernels.ROUND_BOTTOM
    shape.rim, shape.levels = rim.SEARCH if pair.rim is Rim.SEARCH else rim.DIRECT, pair.levels
    shape.damping_law = (
        kernels.KELVIN_VOIGT if law.damping_law is Damping.KELVIN_VOIGT else kernels.HUNT_CROSSLEY
    )
    shape.friction_law = layout.RAMP if law.friction.law is FrictionLaw.RAMP else layout.SMOOTH
    return shape


def _vector(values: ArrayLike) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in np.asarray(values, float))
    if not all(map(math.isfinite, (x, y, z))):
        raise ValueError(f"positions, axes and velocities must be finite: {(x, y, z)}")
    return x, y, z
