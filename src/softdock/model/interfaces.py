"""Models of pins on one body and holes for them in another."""

import math
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from softdock.contact.layer import CoulombFriction, FrictionLaw
from softdock.contact.pins import Damping, PinInHole, PinLaw, Rim
from softdock.errors import InputError
from softdock.geometry.pins import Hole, Pin
from softdock.quantities.fields import (
    Angle,
    Flag,
    FrictionSpeed,
    Integer,
    Length,
    NonNegativeLength,
    NonNegativeNumber,
    PositiveLength,
    PositiveStiffness,
    Quantity,
    Vector3,
)
from softdock.quantities.model import FieldError, Model
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_rotation_vector
from softdock.tree.frames import Anchor

MOST_PINS = 10_000
Count = Annotated[Integer, Field(ge=1, le=MOST_PINS)]


class Circle(Model):
    """Places on a circle, the first one on the x axis.

    Length in m, angle in rad.

    >>> from softdock import Circle
    >>> Circle(count=3, radius="50 mm")
    Circle(count=3, radius=0.05)
    """

    count: Count
    """Number of pins."""
    radius: PositiveLength
    """Radius of the circle."""
    phase: Angle = 0.0
    """Of the first one."""


class Grid(Model):
    """Places in rows (along y) and columns (along x), the middle of all at the origin.

    Length in m.

    >>> from softdock import Grid
    >>> Grid(rows=4, columns=5, pitch="10 mm")
    Grid(rows=4, columns=5, pitch=0.01)
    """

    rows: Count
    """Number of rows."""
    columns: Count
    """Number of columns."""
    pitch: PositiveLength
    """Distance between neighbours along both axes."""

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        if self.rows * self.columns > MOST_PINS:
            raise FieldError("rows", f"would make {self.rows * self.columns} pins; at most {MOST_PINS}")
        return self


class Layout(Model):
    """Where the pins are on their plate, and the holes on theirs: exactly one of the three.

    Lengths in m.

    >>> from softdock import Layout
    >>> Layout(places=[("20 mm", 0), ("-20 mm", 0)])
    Layout(places=((0.02, 0.0), (-0.02, 0.0)))
    """

    circle: Circle | None = None
    """Pins on a circle."""
    grid: Grid | None = None
    """Pins in rows and columns."""
    places: Annotated[tuple[tuple[Length, Length], ...], Field(min_length=1, max_length=MOST_PINS)] | None = (
        None
    )
    """(x, y) of every pin."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        if sum(x is not None for x in (self.circle, self.grid, self.places)) != 1:
            raise FieldError("", "must have exactly one of circle, grid and places")
        return self

    def points(self) -> NDArray[np.float64]:
        """Return the places [m], shape (n, 2)."""
        if self.circle is not None:
            angles = self.circle.phase + np.arange(self.circle.count) * math.tau / self.circle.count
            return self.circle.radius * np.column_stack([np.cos(angles), np.sin(angles)])
        if self.grid is not None:
            x = (np.arange(self.grid.columns) - (self.grid.columns - 1) / 2) * self.grid.pitch
            y = (np.arange(self.grid.rows) - (self.grid.rows - 1) / 2) * self.grid.pitch
            return np.column_stack([np.tile(x, self.grid.rows), np.repeat(y, self.grid.columns)])
        return np.asarray(self.places, float)


class PinShape(Model):
    """A pin that stands out of its plate.

    Lengths in m.

    >>> from softdock import PinShape
    >>> PinShape(diameter="8 mm", length="30 mm")
    PinShape(diameter=0.008, length=0.03)
    """

    diameter: PositiveLength
    """Diameter of the pin; its tip is a hemisphere."""
    length: PositiveLength
    """From the plate to the tip."""

    @model_validator(mode="after")
    def _round(self) -> Self:
        if self.length < 0.5 * self.diameter:
            raise FieldError("length", f"must be {0.5 * self.diameter:g} m, half the diameter, or more")
        return self


class HoleShape(Model):
    """A hole for a pin: as wide as the pin and the clearance make it.

    Lengths in m, angle in rad.

    >>> from softdock import HoleShape
    >>> HoleShape(clearance="0.2 mm", depth="25 mm", chamfer="1 mm")
    HoleShape(clearance=0.0002, depth=0.025, chamfer=0.001)
    """

    clearance: Length = 0.0
    """Diameter of the hole minus that of the pin; below zero the pin does not fit."""
    depth: PositiveLength
    """From the face to the bottom of the round end; of a through-hole, the thickness of the plate."""
    through: Flag = False
    """Whether the hole is open at its end; otherwise its bottom is a hemisphere."""
    chamfer: NonNegativeLength = 0.0
    """Increase of the radius at the opening."""
    chamfer_angle: Annotated[float, Quantity("rad", gt=0, lt=math.pi / 2)] = math.pi / 4
    """Angle between the chamfer and the axis of the hole."""
    box: tuple[PositiveLength, PositiveLength] | None = None
    """Sides of the box around the hole; left out: an unbounded face."""


class Misalignment(Model):
    """Deviation of the pins from their nominal frame.

    Lengths in m, angles in rad.

    >>> from softdock import Misalignment
    >>> Misalignment(offset=("0.1 mm", 0, 0), roll=0.002)
    Misalignment(offset=(0.0001, 0.0, 0.0), roll=0.002)
    """

    offset: Vector3[Length] = (0.0, 0.0, 0.0)
    """Displacement of the pins from their nominal frame."""
    tilt: tuple[Angle, Angle] = (0.0, 0.0)
    """Rotation vector about x and y."""
    roll: Angle = 0.0
    """About the pins' direction."""
    scatter: NonNegativeLength = 0.0
    """Standard deviation of the lateral position of each pin."""
    seed: Annotated[Integer, Field(ge=0)] = 0
    """Of the scatter: the same number gives the same pins."""

    def pose(self) -> Pose:
        """Return the actual frame of the pins in their nominal frame."""
        R_tilt = matrix_from_rotation_vector(np.array([*self.tilt, 0.0]))
        R_roll = matrix_from_rotation_vector(np.array([0.0, 0.0, self.roll]))
        return Pose(R=R_tilt @ R_roll, p=np.asarray(self.offset, float))


class PinDamping(Model):
    """Damping of one contact.

    Factor in s/m, coefficient in N s/m.

    >>> from softdock import PinDamping
    >>> PinDamping(law="kelvin-voigt", coefficient="200 N s/m")
    PinDamping(law='kelvin-voigt', coefficient=200.0)
    """

    law: Literal["hunt-crossley", "kelvin-voigt"] = "hunt-crossley"
    """Damping in proportion to the elastic force (`hunt-crossley`), or independent of it (`kelvin-voigt`)."""
    factor: Annotated[float, Quantity("s/m", ge=0)] | None = None
    """Of hunt-crossley: part of the elastic force per speed."""
    coefficient: Annotated[float, Quantity("N*s/m", ge=0)] | None = None
    """Of kelvin-voigt: force per speed; never pulls."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        wrong = "coefficient" if self.law == "hunt-crossley" else "factor"
        if getattr(self, wrong) is not None:
            raise FieldError(wrong, f"does not belong to {self.law}")
        return self


class PinFriction(Model):
    """Regularised Coulomb friction, optionally with a larger coefficient at rest (Stribeck).

    Speeds in m/s.

    >>> from softdock import PinFriction
    >>> PinFriction(coefficient=0.2, at_rest=0.3)
    PinFriction(coefficient=0.2, at_rest=0.3)
    """

    coefficient: NonNegativeNumber = 0.0
    """Coefficient of sliding friction; 0 for none."""
    speed: FrictionSpeed = 1e-3
    """Sliding speed below which friction is reduced."""
    law: Literal["smooth", "ramp"] = "smooth"
    """How friction depends on speeds below `speed`: a smooth function or a linear ramp."""
    at_rest: NonNegativeNumber | None = None
    """Coefficient at rest; left out: the same as when sliding."""
    stribeck_speed: FrictionSpeed = 1e-2
    """Sliding speed at which the excess at rest has fallen to 1/e."""


class PinContactLaw(Model):
    """Law of every contact of a pin.

    Stiffness in N/m.

    >>> from softdock import PinContactLaw, PinFriction
    >>> PinContactLaw(stiffness="1 kN/mm", friction=PinFriction(coefficient=0.2))
    PinContactLaw(stiffness=1000000.0, friction=PinFriction(coefficient=0.2))
    """

    stiffness: PositiveStiffness
    """Of one contact."""
    damping: PinDamping = PinDamping()
    """Damping of one contact; none if left out."""
    friction: PinFriction = PinFriction()
    """Friction of one contact; none if left out."""

    def to_law(self) -> PinLaw:
        """Return the law of the contact package."""
        hunt = self.damping.law == "hunt-crossley"
        return PinLaw(
            stiffness=self.stiffness,
            damping=(self.damping.factor if hunt else self.damping.coefficient) or 0.0,
            damping_law=Damping(self.damping.law),
            friction=CoulombFriction(
                coefficient=self.friction.coefficient,
                threshold_speed=self.friction.speed,
                law=FrictionLaw(self.friction.law),
            ),
            static_friction=self.friction.at_rest,
            stribeck_speed=self.friction.stribeck_speed,
        )


class Interface(Model):
    """Pins on one body against holes in another; pin number i belongs to hole number i.

    Lengths in m, stiffness of one contact in N/m.

    >>> from softdock import Interface
    >>> Interface(
    ...     pins={"body": "tool", "at": [0, 0, "0.2 m"]},
    ...     holes={"body": "box"},
    ...     layout={"circle": {"count": 3, "radius": "50 mm"}},
    ...     pin={"diameter": "8 mm", "length": "30 mm"},
    ...     hole={"clearance": "0.2 mm", "depth": "25 mm"},
    ...     contact={"stiffness": "1e6 N/m"},
    ...  ).layout
    Layout(circle=Circle(count=3, radius=0.05))
    """

    pins: Anchor
    """Frame of the pins: z along them, their feet at z = 0. Where both frames agree, the pins are fully inserted."""
    holes: Anchor
    """Frame of the holes: z into them, their openings at z = 0."""
    layout: Layout
    """Places of the pins and holes."""
    pin: PinShape
    """Shape of each pin."""
    hole: HoleShape
    """Shape of each hole."""
    misalignment: Misalignment = Misalignment()
    """Deviation of the pins from their nominal frame."""
    contact: PinContactLaw
    """Contact law of each contact between a pin and its hole."""
    rim: Literal["direct", "search"] = "direct"
    """How the point of a rim nearest to the pin is found: by Newton's method (`direct`), or by the repeated search with
    eight points of the paper (`search`)."""
    levels: Annotated[Integer, Field(ge=1, le=40)] = 16
    """Levels of the search around the rim; each narrows the interval to 2/7."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        bottom = 0.5 * (self.pin.diameter + self.hole.clearance)
        if not self.hole.through and self.hole.depth <= bottom:
            raise FieldError("hole.depth", f"must be more than {bottom:g} m, the radius of the round bottom")
        try:
            self.to_pair()
        except InputError as error:
            problem = error.problems[0]
            raise FieldError(FIELDS.get(problem.field or "", "hole"), problem.message) from None
        return self

    def to_pair(self) -> PinInHole:
        """Return one of the pins with its hole, as objects of the contact package."""
        r, hole = 0.5 * self.pin.diameter, self.hole
        R = r + 0.5 * hole.clearance
        return PinInHole(
            pin=Pin(radius=r, length=self.pin.length - r),
            hole=Hole(
                radius=R,
                straight=hole.depth if hole.through else hole.depth - R,
                through=hole.through,
                chamfer_width=hole.chamfer,
                chamfer_depth=hole.chamfer / math.tan(hole.chamfer_angle),
                sides=hole.box or (math.inf, math.inf),
            ),
            law=self.contact.to_law(),
            rim=Rim(self.rim),
            levels=self.levels,
        )

    def hole_and_pin_positions(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return openings of the holes in their frame, and middles of the leading caps in that of the pins [m]."""
        points = self.layout.points()
        holes = np.column_stack([points, np.zeros(len(points))])
        caps = np.column_stack([points, np.full(len(points), self.pin.length - 0.5 * self.pin.diameter)])
        if self.misalignment.scatter > 0.0:
            rng = np.random.default_rng(self.misalignment.seed)
            caps[:, :2] += self.misalignment.scatter * rng.standard_normal(points.shape)
        return holes, caps


FIELDS: dict[str, str] = {
    "radius": "hole.clearance",
    "straight": "hole.depth",
    "chamfer_width": "hole.chamfer",
    "chamfer_depth": "hole.chamfer",
    "sides": "hole.box",
    "static_friction": "contact.friction.at_rest",
}
"""Scenario field of each field of shapes and laws, for error messages."""
