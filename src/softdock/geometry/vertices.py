"""Profiles given as a list of vertices in the (z, r) half-plane, with fillets and arcs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from softdock.errors import InputError
from softdock.geometry.profile import Arc, Line, Point, Profile, check_profile

# Radius over half the distance of the ends; beyond, an arc is straight within round-off.
LARGEST_RADIUS_RATIO = 1e9
# [m]; vertices that are nearer to each other are the same point up to rounding.
LEAST_DISTANCE = 1e-12
FORMS = (
    "[z, r], {at: [z, r], fillet: radius}, {arc_to: [z, r], through: [z, r]} "
    "or {arc_to: [z, r], radius: radius, turn: left or right}"
)


@dataclass(frozen=True, kw_only=True)
class Vertex:
    """A corner at the end of a straight line, with an optional fillet."""

    at: Point
    """(z, r) [m]."""
    fillet: float = 0.0
    """Radius [m] of the arc that replaces the corner; 0 keeps it sharp."""


@dataclass(frozen=True, kw_only=True)
class ArcTo:
    """The end of an arc from the previous vertex, given by a point of the arc or by its radius and direction."""

    arc_to: Point
    """(z, r) [m]."""
    through: Point | None = None
    """Any point of the arc between its ends (z, r) [m]."""
    radius: float | None = None
    """Radius [m]; the arc is the shorter one, less than half a turn."""
    turn: Literal["left", "right"] | None = None
    """Direction of the turn along the profile, seen with z to the right and r upwards; material is on the right."""


def profile_from_vertices(vertices: Sequence[Vertex | ArcTo], field: str = "profile") -> Profile:
    """Return the profile through the vertices in order, with material on the right of travel.

    `field` is the field path of the list in error messages; vertices are counted from 0.
    """
    if len(vertices) < 2:
        raise InputError("A profile needs at least two vertices.", field=field)
    if isinstance(vertices[0], ArcTo):
        raise _vertex_error(field, 0, "A profile cannot begin with an arc: it needs a start point.")
    places = [v.at if isinstance(v, Vertex) else v.arc_to for v in vertices]
    _check_points(places, field)
    cuts = [_fillet(vertices, places, k, field) for k in range(len(vertices))]
    segments: list[Line | Arc] = []
    for k in range(1, len(vertices)):
        vertex, start, end = vertices[k], places[k - 1], places[k]
        if isinstance(vertex, ArcTo):
            segments.append(_arc(vertex, start, field, k))
            continue
        before, after = cuts[k - 1], cuts[k]
        length = math.dist(start, end)
        used = (before.cut if before else 0.0) + (after.cut if after else 0.0)
        if used > length * (1 + 1e-12):
            where = k if after else k - 1
            raise _vertex_error(
                field, where, f"The fillet takes {used * 1e3:.6g} mm of a line {length * 1e3:.6g} mm long."
            )
        line = Line(start=before.arc.end if before else start, end=after.arc.start if after else end)
        if used < length * (1 - 1e-9):
            segments.append(line)
        if after:
            segments.append(after.arc)
    profile = Profile(segments=tuple(segments))
    check_profile(profile, field)
    return profile


def profile_from_list(items: Sequence[Any], field: str = "profile") -> Profile:
    """Return the profile given by a list of items in one of the forms of `FORMS`, in metres."""
    return profile_from_vertices([_parse_item(item, field, k) for k, item in enumerate(items)], field)


def rounded_profile(points: Sequence[Point], radii: Sequence[float]) -> Profile:
    """Return the profile through corner points (z, r) [m] with fillets of the given radii [m] at the inner points.

    There is one radius for each point but the first and the last; 0 keeps a sharp corner.
    """
    if len(radii) != len(points) - 2:
        raise InputError(
            f"A profile through {len(points)} points needs {len(points) - 2} radii. Given: {len(radii)}."
        )
    fillets = (0.0, *radii, 0.0)
    return profile_from_vertices([Vertex(at=at, fillet=fillet) for at, fillet in zip(points, fillets)])


@dataclass(frozen=True)
class _Fillet:
    arc: Arc
    cut: float


def _parse_item(item: Any, field: str, k: int) -> Vertex | ArcTo:
    if isinstance(item, (Vertex, ArcTo)):
        return item
    if not isinstance(item, Mapping):
        return Vertex(at=_pair(item, field, k))
    given = dict(item)
    points = {name: _pair(given[name], field, k) for name in ("at", "arc_to", "through") if name in given}
    keys = set(given)
    if keys in ({"at"}, {"at", "fillet"}):
        return Vertex(at=points["at"], fillet=_number(given.get("fillet", 0.0), field, k))
    if keys == {"arc_to", "through"}:
        return ArcTo(arc_to=points["arc_to"], through=points["through"])
    if keys == {"arc_to", "radius", "turn"}:
        return ArcTo(arc_to=points["arc_to"], radius=_number(given["radius"], field, k), turn=given["turn"])
    raise _vertex_error(field, k, f"A vertex is written as {FORMS}.", given=str(item))


def _pair(value: Any, field: str, k: int) -> Point:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise _vertex_error(field, k, f"A vertex is written as {FORMS}.", given=str(value))
    return _number(value[0], field, k), _number(value[1], field, k)


def _number(value: Any, field: str, k: int) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _vertex_error(field, k, "A coordinate or radius must be a number in metres.", given=str(value))
    return float(value)


def _check_points(places: Sequence[Point], field: str) -> None:
    """Raise InputError for a vertex that is not finite, below the axis or at the same place as the one before."""
    for k, (z, r) in enumerate(places):
        if not (math.isfinite(z) and math.isfinite(r)):
            raise _vertex_error(field, k, "Coordinates must be finite numbers.", given=f"[{z}, {r}]")
        if r < 0.0:
            raise _vertex_error(
                field, k, "The profile must not cross its axis: r must be 0 or more.", given=f"r = {r:g} m"
            )
        if k and math.dist(places[k - 1], places[k]) <= LEAST_DISTANCE:
            raise _vertex_error(
                field, k, "The vertex repeats the one before; a line or arc must have a length."
            )


def _fillet(
    vertices: Sequence[Vertex | ArcTo], places: Sequence[Point], k: int, field: str
) -> _Fillet | None:
    """Return the fillet of vertex k and the length that it removes from both neighbouring lines [m]."""
    vertex = vertices[k]
    if not isinstance(vertex, Vertex) or vertex.fillet == 0.0:
        return None
    if vertex.fillet < 0.0 or not math.isfinite(vertex.fillet):
        raise _vertex_error(field, k, "A fillet radius must be 0 or more.", given=f"{vertex.fillet:g} m")
    if k in (0, len(vertices) - 1) or isinstance(vertices[k + 1], ArcTo):
        raise _vertex_error(field, k, "A fillet needs a straight line before and after its vertex.")
    corner = places[k]
    u = _unit(places[k - 1], corner)
    w = _unit(corner, places[k + 1])
    turn = math.atan2(u[0] * w[1] - u[1] * w[0], u[0] * w[0] + u[1] * w[1])
    if abs(turn) < 1e-9 or abs(turn) > math.pi - 1e-9:
        raise _vertex_error(field, k, "A fillet needs a corner; the lines before and after are parallel.")
    cut = vertex.fillet * math.tan(abs(turn) / 2)
    start = (corner[0] - cut * u[0], corner[1] - cut * u[1])
    end = (corner[0] + cut * w[0], corner[1] + cut * w[1])
    left = math.copysign(vertex.fillet, turn)
    centre = (start[0] - left * u[1], start[1] + left * u[0])
    return _Fillet(Arc(start=start, end=end, centre=centre, counterclockwise=turn > 0.0), cut)


def _arc(vertex: ArcTo, start: Point, field: str, k: int) -> Arc:
    end = vertex.arc_to
    if vertex.through is not None and vertex.radius is None and vertex.turn is None:
        centre, left = _circle_through(start, vertex.through, end, field, k)
    elif vertex.through is None and vertex.radius is not None and vertex.turn in ("left", "right"):
        left = vertex.turn == "left"
        centre = _centre_of_radius(start, end, vertex.radius, left, field, k)
    else:
        raise _vertex_error(
            field, k, "An arc needs either `through` or both `radius` and `turn` (left or right)."
        )
    arc = Arc(start=start, end=end, centre=centre, counterclockwise=left)
    if abs(arc.sweep) > math.pi * (1 - 1e-9):
        raise _vertex_error(field, k, "An arc must be shorter than half a turn; divide it.")
    return arc


def _centre_of_radius(start: Point, end: Point, radius: float, left: bool, field: str, k: int) -> Point:
    half = math.dist(start, end) / 2
    if not radius > half:
        raise _vertex_error(
            field,
            k,
            f"The radius must be more than half the distance of the arc's ends, {half * 1e3:.6g} mm.",
            given=f"{radius * 1e3:.6g} mm",
        )
    if radius > LARGEST_RADIUS_RATIO * half:
        raise _vertex_error(field, k, "The radius is so large that the arc is a straight line; use a line.")
    u = _unit(start, end)
    height = math.copysign(math.sqrt(radius**2 - half**2), 1.0 if left else -1.0)
    return (start[0] + end[0]) / 2 - height * u[1], (start[1] + end[1]) / 2 + height * u[0]


def _circle_through(a: Point, b: Point, c: Point, field: str, k: int) -> tuple[Point, bool]:
    """Return the centre of the circle through a, b, c and whether the direction a, b, c turns left."""
    u, w = (b[0] - a[0], b[1] - a[1]), (c[0] - a[0], c[1] - a[1])
    cross = u[0] * w[1] - u[1] * w[0]
    if abs(cross) <= 1e-9 * math.hypot(*u) * math.hypot(*w):
        raise _vertex_error(field, k, "The three points of the arc lie on one line.")
    uu, ww = u[0] ** 2 + u[1] ** 2, w[0] ** 2 + w[1] ** 2
    centre = (a[0] + (w[1] * uu - u[1] * ww) / (2 * cross), a[1] + (u[0] * ww - w[0] * uu) / (2 * cross))
    return centre, cross > 0.0


def _unit(start: Point, end: Point) -> Point:
    length = math.dist(start, end)
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length


def _vertex_error(field: str, k: int, message: str, given: str = "") -> InputError:
    return InputError(message, field=f"{field}.{k}", given=given)
