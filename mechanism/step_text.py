"""Write a solid of revolution as a STEP file (AP214, millimetres), without a CAD kernel.

    python -m mechanism.step_text PARTS.yaml FOLDER

writes one STEP file per entry of PARTS.yaml: a name and the vertices (z, r) [mm] of its meridian, from axis to axis or
back to its start, in the form of the key `profile` of a surface. The faces are planes, cylinders, cones, spheres and
tori, whose exact parameters Softdock reads back.
"""

import math
import sys
from pathlib import Path

from ruamel.yaml import YAML

from softdock.geometry.profile import Arc, Line, Point, Profile
from softdock.geometry.vertices import ArcTo, Vertex, profile_from_vertices

HEADER = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('Solid of revolution'),'2;1');
FILE_NAME('{name}','2026-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN {{ 1 0 10303 214 1 1 1 1 }}'));
ENDSEC;
DATA;
"""
ON_AXIS = 1e-9  # m, largest radius of a point on the axis
MM = 1e3  # mm per metre


class StepText:
    """Entities of a STEP file, numbered from 1."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, entity: str) -> str:
        """Add an entity and return its reference."""
        self.lines.append(entity)
        return f"#{len(self.lines)}"

    def point(self, x: float, z: float) -> str:
        """Add a point in the x-z plane [mm]."""
        return self.add(f"CARTESIAN_POINT('',({_real(x)},0.,{_real(z)}))")

    def direction(self, x: float, y: float, z: float) -> str:
        """Add a direction."""
        return self.add(f"DIRECTION('',({_real(x)},{_real(y)},{_real(z)}))")

    def frame(
        self, x: float, z: float, axis: tuple[float, float, float], ref: tuple[float, float, float]
    ) -> str:
        """Add a placement with its z axis and its x axis."""
        return self.add(
            f"AXIS2_PLACEMENT_3D('',{self.point(x, z)},{self.direction(*axis)},{self.direction(*ref)})"
        )


def step_text(profile: Profile, name: str) -> str:
    """Return the solid of a profile from axis to axis, or of a closed one, material on the right of travel, as STEP."""
    out = StepText()
    places = [profile.segments[0].start, *(segment.end for segment in profile.segments)]
    is_ring = profile.is_closed
    if not (is_ring or (abs(places[0][1]) < ON_AXIS and abs(places[-1][1]) < ON_AXIS)):
        raise ValueError(f"{name}: the meridian must begin and end on the axis, or end where it begins")
    places = places[:-1] if is_ring else places
    vertices = [out.add(f"VERTEX_POINT('',{out.point(MM * r, MM * z)})") for z, r in places]
    circles = [_circle(out, place, vertex) for place, vertex in zip(places, vertices)]
    vertices, circles = [*vertices, vertices[0]], [*circles, circles[0]]
    faces = [
        _face(out, segment, (vertices[k], vertices[k + 1]), (circles[k], circles[k + 1]))
        for k, segment in enumerate(profile.segments)
    ]
    shell = out.add(f"CLOSED_SHELL('',({','.join(faces)}))")
    _product(out, out.add(f"MANIFOLD_SOLID_BREP('',{shell})"), name)
    body = "\n".join(f"#{k + 1} = {line};" for k, line in enumerate(out.lines))
    return f"{HEADER.format(name=name)}{body}\nENDSEC;\nEND-ISO-10303-21;\n"


def _circle(out: StepText, place: Point, vertex: str) -> str:
    """Add the edge that a vertex of the meridian sweeps; empty on the axis."""
    z, r = place
    if r < ON_AXIS:
        return ""
    circle = out.add(f"CIRCLE('',{out.frame(0.0, MM * z, (0, 0, 1), (1, 0, 0))},{_real(MM * r)})")
    return out.add(f"EDGE_CURVE('',{vertex},{vertex},{circle},.T.)")


def _face(out: StepText, segment: Line | Arc, ends: tuple[str, str], circles: tuple[str, str]) -> str:
    """Add the face that a segment of the meridian sweeps."""
    surface, outward = _surface(out, segment)
    edges = [(circles[0], ".T."), (circles[1], ".F.")]
    if not (isinstance(segment, Line) and segment.start[0] == segment.end[0] and "" in circles):
        seam = out.add(f"EDGE_CURVE('',{ends[0]},{ends[1]},{_seam(out, segment)},.T.)")
        edges = [edges[0], (seam, ".T."), edges[1], (seam, ".F.")]
    loop = ",".join(out.add(f"ORIENTED_EDGE('',*,*,{edge},{sense})") for edge, sense in edges if edge)
    closed = out.add(f"EDGE_LOOP('',({loop}))")
    bound = out.add(f"FACE_OUTER_BOUND('',{closed},.T.)")
    return out.add(f"ADVANCED_FACE('',({bound}),{surface},{'.T.' if outward else '.F.'})")


def _surface(out: StepText, segment: Line | Arc) -> tuple[str, bool]:
    """Add the surface of a segment; also return whether its own normal points out of the solid."""
    (z, r), (z_end, r_end) = segment.start, segment.end
    if isinstance(segment, Arc):
        z_c, r_c = segment.centre
        frame, radius = out.frame(0.0, MM * z_c, (0, 0, 1), (1, 0, 0)), MM * segment.radius
        # Outside is on the left of travel: away from the centre on a clockwise arc.
        if abs(r_c) < ON_AXIS:
            return out.add(f"SPHERICAL_SURFACE('',{frame},{_real(radius)})"), not segment.counterclockwise
        torus = f"TOROIDAL_SURFACE('',{frame},{_real(MM * r_c)},{_real(radius)})"
        return out.add(torus), not segment.counterclockwise
    if z == z_end:
        return out.add(f"PLANE('',{out.frame(0.0, MM * z, (0, 0, 1), (1, 0, 0))})"), r_end < r
    if r == r_end:
        frame = out.frame(0.0, MM * z, (0, 0, 1), (1, 0, 0))
        return out.add(f"CYLINDRICAL_SURFACE('',{frame},{_real(MM * r)})"), z_end > z
    slope = (r_end - r) / (z_end - z)
    low = (z, r) if r < r_end else (z_end, r_end)  # the radius of a cone grows along its axis
    frame = out.frame(0.0, MM * low[0], (0, 0, math.copysign(1.0, slope)), (1, 0, 0))
    angle = math.atan(abs(slope))
    return out.add(f"CONICAL_SURFACE('',{frame},{_real(MM * low[1])},{_real(angle)})"), z_end > z


def _seam(out: StepText, segment: Line | Arc) -> str:
    """Add the curve of a segment in the x-z plane, in the sense of travel."""
    (z, r), (z_end, r_end) = segment.start, segment.end
    if isinstance(segment, Line):
        length = segment.length
        heading = out.direction((r_end - r) / length, 0.0, (z_end - z) / length)
        vector = out.add(f"VECTOR('',{heading},1.)")
        return out.add(f"LINE('',{out.point(MM * r, MM * z)},{vector})")
    z_c, r_c = segment.centre
    start = ((r - r_c) / segment.radius, 0.0, (z - z_c) / segment.radius)
    frame = out.frame(MM * r_c, MM * z_c, (0, 1 if segment.counterclockwise else -1, 0), start)
    return out.add(f"CIRCLE('',{frame},{_real(MM * segment.radius)})")


def _product(out: StepText, solid: str, name: str) -> None:
    """Add the product that has the solid as its shape, and the units."""
    length = out.add("( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )")
    angle = out.add("( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) )")
    solid_angle = out.add("( NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT() )")
    accuracy = out.add(
        f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),{length},'distance_accuracy_value','')"
    )
    units = out.add(
        f"( GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({accuracy})) "
        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid_angle})) REPRESENTATION_CONTEXT('','3D') )"
    )
    origin = out.frame(0.0, 0.0, (0, 0, 1), (1, 0, 0))
    shape = out.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({origin},{solid}),{units})")
    context = out.add("APPLICATION_CONTEXT('core data for automotive mechanical design processes')")
    out.add(f"APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,{context})")
    field = out.add(f"PRODUCT_CONTEXT('',{context},'mechanical')")
    product = out.add(f"PRODUCT('{name}','{name}','',({field}))")
    formation = out.add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
    design = out.add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{context},'design')")
    definition = out.add(f"PRODUCT_DEFINITION('design','',{formation},{design})")
    whole = out.add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
    out.add(f"SHAPE_DEFINITION_REPRESENTATION({whole},{shape})")


def _real(x: float) -> str:
    """Return a number as STEP writes it: with a decimal point."""
    text = f"{x + 0.0:.12G}"
    return text if "." in text else text.replace("E", ".E") if "E" in text else f"{text}."


def read_parts(path: Path) -> dict[str, Profile]:
    """Return the meridians in a file of parts."""
    return {
        name: profile_from_vertices([_vertex(given) for given in vertices], name)
        for name, vertices in YAML(typ="safe").load(path.read_text(encoding="utf-8")).items()
    }


def _vertex(given: object) -> Vertex | ArcTo:
    def place(numbers: list[float]) -> Point:
        return numbers[0] / MM, numbers[1] / MM

    if isinstance(given, list):
        return Vertex(at=place(given))
    assert isinstance(given, dict)
    if "at" in given:
        return Vertex(at=place(given["at"]), fillet=given["fillet"] / MM)
    return ArcTo(arc_to=place(given["arc_to"]), radius=given["radius"] / MM, turn=given["turn"])


def write_parts(source: Path, folder: Path) -> list[Path]:
    """Write every part of a file as STEP and return the paths."""
    written = []
    for name, profile in read_parts(source).items():
        written.append(folder / f"{name}.step")
        written[-1].write_text(step_text(profile, name), encoding="utf-8")
    return written


if __name__ == "__main__":
    for path in write_parts(Path(sys.argv[1]), Path(sys.argv[2])):
        print(path)
