"""Models of solids that are given in a scenario instead of a file: primitives, extruded and revolved profiles, unions.

All faces of these solids are exact.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Self

from pydantic import Discriminator, Field, Tag, model_validator

from softdock.errors import InputError
from softdock.geometry.facets import Facets
from softdock.geometry.profile import Arc, Line, Point, Profile
from softdock.geometry.solids import primitives
from softdock.geometry.solids.solid import Solid, build_solid
from softdock.geometry.vertices import ArcTo, Vertex, profile_from_vertices
from softdock.model.profile_vertices import Step, profile_from_steps
from softdock.quantities.fields import Length, NonNegativeLength, PositiveLength, Vector3
from softdock.quantities.model import FieldError, Model
from softdock.tree.joints import IDENTITY, Attitude, pose_at, quaternion


class PlacedSolid(Model):
    """Base of all solids: where it stands in the frame of what contains it.

    Lengths are in m.

    >>> from softdock import Box
    >>> Box(size=("40 mm", "20 mm", "10 mm"), at=(0, 0, "5 mm"))
    Box(at=(0.0, 0.0, 0.005), size=(0.04, 0.02, 0.01))
    """

    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Origin of the solid's frame."""
    attitude: Attitude = IDENTITY
    """Attitude of the solid's frame."""

    @model_validator(mode="after")
    def _placed(self) -> Self:
        quaternion(self.attitude)
        return self

    def shape(self) -> Facets:
        """Return the body in its own frame, as a CAD file describes it."""
        raise NotImplementedError

    def meridian(self) -> Profile | None:
        """Return the whole meridian of a solid of revolution about z in its own frame; None for others."""
        return None

    def body(self) -> Facets:
        """Return the body where it stands."""
        return primitives.place(self.shape(), pose_at(self.at, self.attitude))

    def to_solid(self) -> Solid:
        """Return the solid for distances and cells. Raises InputError where the shape is none."""
        return build_solid(self.body())


class Box(PlacedSolid):
    """A box centred at its origin.

    Lengths are in m.

    >>> from softdock import Box
    >>> Box(size=("40 mm", "20 mm", "10 mm")).to_solid().size
    0.04
    """

    size: Vector3[PositiveLength]
    """Lengths of its sides along x, y and z."""

    def shape(self) -> Facets:
        """Return the body in its own frame."""
        a, b, c = self.size
        corners = [(-a / 2, -b / 2), (a / 2, -b / 2), (a / 2, b / 2), (-a / 2, b / 2)]
        outline = [Line(start=p, end=q) for p, q in zip(corners, [*corners[1:], corners[0]])]
        return primitives.place(primitives.extrude(outline, c), pose_at((0.0, 0.0, -c / 2), IDENTITY))


class Cylinder(PlacedSolid):
    """A cylinder about z, centred at its origin.

    Lengths are in m.

    >>> from softdock import Cylinder
    >>> len(Cylinder(radius="10 mm", height="30 mm").to_solid().faces)
    3
    """

    radius: PositiveLength
    """Of the cylinder."""
    height: PositiveLength
    """Along z."""

    def shape(self) -> Facets:
        """Return the body in its own frame."""
        return primitives.revolve(self.meridian())

    def meridian(self) -> Profile:
        """Return the meridian."""
        r, h = self.radius, self.height / 2
        return _path((-h, 0.0), (-h, r), (h, r), (h, 0.0))


class Sphere(PlacedSolid):
    """A ball about its origin.

    Lengths are in m.

    >>> from softdock import Sphere
    >>> len(Sphere(radius="10 mm").to_solid().faces)
    1
    """

    radius: PositiveLength
    """Of the ball."""

    def shape(self) -> Facets:
        """Return the body in its own frame."""
        return _with_one_face(primitives.revolve(self.meridian()))

    def meridian(self) -> Profile:
        """Return the meridian."""
        return _rounded_bar(self.radius, 0.0)


class Capsule(PlacedSolid):
    """A cylinder about z with half balls at both ends, centred at its origin.

    Lengths are in m.

    >>> from softdock import Capsule
    >>> len(Capsule(radius="5 mm", length="30 mm").to_solid().faces)
    3
    """

    radius: PositiveLength
    """Of the cylinder and of the half balls."""
    length: PositiveLength
    """Of the cylinder, without the half balls."""

    def shape(self) -> Facets:
        """Return the body in its own frame."""
        return primitives.revolve(self.meridian())

    def meridian(self) -> Profile:
        """Return the meridian."""
        return _rounded_bar(self.radius, self.length)


class Torus(PlacedSolid):
    """A ring about z, centred at its origin.

    Lengths are in m.

    >>> from softdock import Torus
    >>> len(Torus(radius="50 mm", tube="8 mm").to_solid().faces)
    1
    """

    radius: PositiveLength
    """From the axis to the centre of the tube."""
    tube: PositiveLength
    """Radius of the tube."""

    @model_validator(mode="after")
    def _is_ring(self) -> Self:
        if self.tube >= self.radius:
            raise FieldError(
                "tube", f"must be below the radius; given {self.tube:g} m with a radius of {self.radius:g} m"
            )
        return self

    def shape(self) -> Facets:
        """Return the body in its own frame."""
        return _with_one_face(primitives.revolve(self.meridian()))

    def meridian(self) -> Profile:
        """Return the meridian."""
        centre, tube = (0.0, self.radius), self.tube
        low, high = (-tube, self.radius), (tube, self.radius)
        segments = (
            Arc(start=low, end=high, centre=centre, counterclockwise=False),
            Arc(start=high, end=low, centre=centre, counterclockwise=False),
        )
        return Profile(segments=segments)


class Revolution(PlacedSolid):
    """The solid that a profile sweeps around the z axis.

    Lengths are in m.

    >>> from softdock import Revolution
    >>> len(Revolution(profile=((0, 0), (0, "20 mm"), ("30 mm", "10 mm"), ("30 mm", 0))).to_solid().faces)
    3
    """

    profile: tuple[Step, ...]
    """Vertices (z, r), from the axis to the axis or back to the start, material on the right of travel."""

    def shape(self) -> Facets:
        """Return the body in its own frame."""
        return primitives.revolve(self.meridian())

    def meridian(self) -> Profile:
        """Return the meridian."""
        return profile_from_steps(self.profile)


class OutlineCorner(Model):
    """A vertex of an outline, reached by a straight line and rounded by a fillet.

    Lengths are in m.

    >>> from softdock import OutlineCorner
    >>> OutlineCorner(at=("-10 mm", "4 mm"), fillet="1 mm")
    OutlineCorner(at=(-0.01, 0.004), fillet=0.001)
    """

    at: tuple[Length, Length]
    """Vertex (x, y)."""
    fillet: NonNegativeLength = 0.0
    """Radius of the rounding."""


class OutlineCurve(Model):
    """An arc of an outline, from the vertex before through a point.

    Lengths are in m.

    >>> from softdock import OutlineCurve
    >>> OutlineCurve(arc_to=("10 mm", 0), through=("5 mm", "-5 mm"))
    OutlineCurve(arc_to=(0.01, 0.0), through=(0.005, -0.005))
    """

    arc_to: tuple[Length, Length]
    """End of the arc (x, y)."""
    through: tuple[Length, Length]
    """A point (x, y) on the arc."""


def _sort_of_step(given: object) -> str:
    """Return the kind of a vertex of an outline, so that errors of the other kind are not reported."""
    if isinstance(given, OutlineCurve) or (isinstance(given, dict) and "arc_to" in given):
        return "OutlineCurve"
    return "OutlineCorner" if isinstance(given, OutlineCorner | dict) else "Place"


OutlineStep = Annotated[
    Annotated[tuple[Length, Length], Tag("Place")]
    | Annotated[OutlineCorner, Tag("OutlineCorner")]
    | Annotated[OutlineCurve, Tag("OutlineCurve")],
    Discriminator(_sort_of_step),
]
"""One vertex of an outline."""


class Extrusion(PlacedSolid):
    """The solid between z = 0 and a height whose section is an outline.

    Lengths are in m.

    >>> from softdock import Extrusion
    >>> len(Extrusion(outline=((0, 0), ("30 mm", 0), (0, "20 mm")), height="10 mm").to_solid().faces)
    5
    """

    outline: Annotated[tuple[OutlineStep, ...], Field(min_length=3)]
    """Vertices (x, y) in either direction; the last one is joined to the first."""
    height: PositiveLength
    """Along z."""

    def shape(self) -> Facets:
        """Return the body in its own frame."""
        return primitives.extrude(outline_from_steps(self.outline), self.height)


class Union(PlacedSolid):
    """Solids that overlap and make one.

    Lengths are in m.

    >>> from softdock import Box, Cylinder, Union
    >>> plate = Box(size=(0.1, 0.1, 0.02))
    >>> pin = Cylinder(radius=0.02, height=0.1)
    >>> len(Union(parts=(plate, pin)).to_solid().faces)
    9
    """

    parts: Annotated[tuple["SolidShape", ...], Field(min_length=2)]
    """Solids in the frame of the union; parts that only touch are not joined."""

    def shape(self) -> Facets:
        """Return the body in its own frame."""
        return primitives.unite([part.solid.body() for part in self.parts])


class SolidShape(Model):
    """A solid of one kind, by its name; in Python a solid itself may be given instead.

    Lengths are in m.

    >>> from softdock import Box, SolidShape
    >>> SolidShape(box=Box(size=("40 mm", "20 mm", "10 mm"))).solid
    Box(size=(0.04, 0.02, 0.01))
    """

    box: Box | None = None
    """Box centred at its origin."""
    cylinder: Cylinder | None = None
    """Cylinder about z."""
    sphere: Sphere | None = None
    """Ball."""
    capsule: Capsule | None = None
    """Cylinder about z with half balls at its ends."""
    torus: Torus | None = None
    """Ring about z."""
    revolution: Revolution | None = None
    """Profile (z, r) swept around z."""
    extrusion: Extrusion | None = None
    """Outline (x, y) extended along z."""
    union: Union | None = None
    """Solids that overlap and make one."""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        return {type(given).__name__.lower(): given} if isinstance(given, PlacedSolid) else given

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = list(type(self).model_fields)
        given = [kind for kind in kinds if getattr(self, kind) is not None]
        if len(given) != 1:
            named = f"; given {' and '.join(given)}" if given else ""
            raise FieldError("", f"give one of {', '.join(kinds[:-1])} or {kinds[-1]}{named}")
        return self

    @property
    def solid(self) -> PlacedSolid:
        """The solid that is given."""
        given: list[PlacedSolid] = [
            s for kind in type(self).model_fields if (s := getattr(self, kind)) is not None
        ]
        return given[0]


Union.model_rebuild()


def outline_from_steps(steps: Sequence[OutlineStep]) -> tuple[Line | Arc, ...]:
    """Return the lines and arcs of a closed outline (x, y) [m].

    Profiles lie beside an axis: the outline is moved away from it and back, by a multiple of its size.
    """
    places = [_place_of(step) for step in steps]
    values = [y for _, y in places]
    shift = 4.0 * max(max(values) - min(values), max(x for x, _ in places) - min(x for x, _ in places)) - min(
        values
    )

    def moved(point: Point) -> Point:
        return point[0], point[1] + shift

    vertices: list[Vertex | ArcTo] = []
    for step in steps:
        if isinstance(step, OutlineCurve):
            vertices.append(ArcTo(arc_to=moved(step.arc_to), through=moved(step.through)))
        elif isinstance(step, OutlineCorner):
            vertices.append(Vertex(at=moved(step.at), fillet=step.fillet))
        else:
            vertices.append(Vertex(at=moved(step)))
    if isinstance(vertices[0], ArcTo):
        raise InputError("An outline cannot begin with an arc: it needs a start point.", field="outline.0")
    if math.dist(places[0], places[-1]) > 0.0:
        vertices.append(Vertex(at=vertices[0].at))
    profile = profile_from_vertices(vertices, "outline")
    return tuple(_moved_back(segment, shift) for segment in profile.segments)


def _moved_back(segment: Line | Arc, shift: float) -> Line | Arc:
    def back(point: Point) -> Point:
        return point[0], point[1] - shift

    if isinstance(segment, Line):
        return Line(start=back(segment.start), end=back(segment.end))
    turn = segment.counterclockwise
    return Arc(
        start=back(segment.start), end=back(segment.end), centre=back(segment.centre), counterclockwise=turn
    )


def _place_of(step: OutlineStep) -> Point:
    if isinstance(step, OutlineCurve):
        return step.arc_to
    return step.at if isinstance(step, OutlineCorner) else step


def _path(*places: Point) -> Profile:
    return profile_from_vertices([Vertex(at=place) for place in places])


def _rounded_bar(radius: float, length: float) -> Profile:
    """Return the meridian of a ball, or of a cylinder with half balls at its ends."""
    h = length / 2
    middle = (Line(start=(-h, radius), end=(h, radius)),) if length > 0.0 else ()
    return Profile(segments=(_quarter(-h, radius, -1), *middle, _quarter(h, radius, 1)))


def _quarter(z: float, radius: float, end: int) -> Arc:
    """Return a quarter of a circle about (z, 0) [m]: up from the axis for end -1, down to the axis for +1."""
    tip, top = (z + end * radius, 0.0), (z, radius)
    start, stop = (tip, top) if end < 0 else (top, tip)
    return Arc(start=start, end=stop, centre=(z, 0.0), counterclockwise=False)


def _with_one_face(body: Facets) -> Facets:
    """Return a body whose faces are parts of one surface as one with a single face."""
    return replace(body, faces=body.faces[:1], face_of=body.face_of * 0)
