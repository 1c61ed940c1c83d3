"""What `softdock inspect` says about a CAD file, in lines and a table."""

from collections import Counter
from collections.abc import Iterator

from softdock.geometry.solids.inspection import InspectedBody, InspectedFace, Inspection
from softdock.presentation.numbers import format_number
from softdock.presentation.tables import Table

MM = 1e3
PLURALS = {"torus": "tori", "facets": "groups of facets"}


def file_line(inspection: Inspection) -> str:
    """Return the line about the file."""
    count = len(inspection.bodies)
    return f"{inspection.file}: {count} {'body' if count == 1 else 'bodies'}, unit {inspection.unit}"


def bodies_table(inspection: Inspection) -> Table:
    """Return the table of all bodies."""
    rows = [
        (
            str(body.number),
            body.name,
            _box(body),
            str(len(body.faces)),
            "closed" if body.closed else "open shell",
        )
        for body in inspection.bodies
    ]
    return Table(header=("", "body", "size", "faces", "shell"), rows=rows, left=(1, 2, 4))


def body_lines(body: InspectedBody) -> Iterator[str]:
    """Yield lines about a body: size, faces, what is exact, volume, wall, revolution, problems, warnings."""
    kinds = Counter(face.kind for face in body.faces)
    faces = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in kinds.most_common())
    yield f"{body.name}: {_box(body)}, {len(body.faces)} {_plural('face', len(body.faces))} ({faces})"
    yield _exactness(body)
    area = f"area {format_number((body.area or 0.0) * 1e4)} cm²"
    if body.volume is not None and body.centre is not None:
        source = "" if all(face.exact for face in body.faces) else ", of the triangles"
        yield f"Volume {format_number(body.volume * 1e6)} cm³, {area}, centre {place(body.centre)}{source}"
    else:
        yield f"{area[0].upper()}{area[1:]}, from triangles"
    if body.thinnest_wall is not None:
        spacing = length(body.thinnest_wall_spacing or 0.0)
        yield (
            f"Thinnest wall {length(body.thinnest_wall)}, behind face {body.thinnest_wall_face} (sampled: thinner "
            f"walls in places narrower than {spacing} may be missed)"
        )
    yield from _revolution_lines(body)
    yield from (f"Problem: {sentence}" for sentence in body.problems)
    yield from (f"Warning: {sentence}" for sentence in body.warnings)


def _exactness(body: InspectedBody) -> str:
    approximated = [face for face in body.faces if not face.exact]
    if not approximated:
        return "All faces are exact."
    shown = ", ".join(f"{face.number} ({face.kind})" for face in approximated[:20])
    more = f" and {len(approximated) - 20} more" if len(approximated) > 20 else ""
    exact = "No face is exact" if len(approximated) == len(body.faces) else "All other faces are exact"
    return f"Approximated by triangles, {_error(body)}: {shown}{more}. {exact}."


def _error(body: InspectedBody) -> str:
    if not body.closed:
        return "with an error that is not known for an open shell"
    if body.deviation_is_measured:
        return f"to {length(body.deviation)} (measured with facets of half the size)"
    return f"to {length(body.deviation)} if their smooth edges stand for curved faces (estimated from the angles)"


def _revolution_lines(body: InspectedBody) -> Iterator[str]:
    for one in body.revolutions:
        how = "exact" if one.exact else f"to {length(one.departure)}"
        axis = f"axis ({', '.join(f'{c:.6g}' for c in one.direction)}) through {place(one.point)}"
        yield f"The {one.side} is a surface of revolution, {how}, {axis}: use it with `side: {one.side}`."
    if not body.revolutions and body.closed:
        yield "No side is a surface of revolution."


def faces_table(body: InspectedBody) -> Table:
    """Return the table of the faces of a body."""
    rows = [
        (
            str(face.number),
            face.kind,
            "exact" if face.exact else "triangles",
            format_number(face.size * MM),
            format_number(face.area * 1e6),
            _axis(face),
            _radius(face),
        )
        for face in body.faces
    ]
    header = ("face", "kind", "surface", "size [mm]", "area [mm²]", "axis or normal", "radius")
    return Table(header=header, rows=rows, left=(1, 2, 5, 6))


def _axis(face: InspectedFace) -> str:
    axis = "" if face.axis is None else f"({', '.join(f'{c:.4g}' for c in face.axis)})"
    if face.point is None:
        return axis
    return f"{axis} through {place(face.point)}" if axis else f"about {place(face.point)}"


def _radius(face: InspectedFace) -> str:
    if face.radius is None:
        return ""
    if face.kind == "torus" and face.second is not None:
        return f"{length(face.radius)}, tube {length(face.second)}"
    if face.kind == "cone" and face.second is not None:
        return f"{length(face.radius)}, half angle {abs(face.second) * 57.29577951308232:.6g} deg"
    return length(face.radius)


def length(value: float) -> str:
    """Return a length [m] in millimetres, or in micrometres where it is small."""
    return (
        f"{format_number(value * 1e6)} µm" if 0.0 < abs(value) < 1e-4 else f"{format_number(value * MM)} mm"
    )


def place(point: tuple[float, float, float]) -> str:
    """Return a point [m] in millimetres, without rounding errors of zero."""
    return f"({', '.join(f'{round(c * MM, 9) + 0.0:.6g}' for c in point)}) mm"


def _box(body: InspectedBody) -> str:
    low, high = body.box
    return " x ".join(format_number((b - a) * MM) for a, b in zip(low, high)) + " mm"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else PLURALS.get(word, f"{word}s")
