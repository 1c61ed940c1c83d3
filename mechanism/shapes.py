"""Meridians of the reference mechanism from its parameter file. Needs no CAD kernel."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

from ruamel.yaml import YAML

from softdock.geometry.profile import Point, Profile
from softdock.geometry.vertices import ArcTo, Vertex, profile_from_vertices

HERE = Path(__file__).parent
Parameters = Mapping[str, float]


def load_parameters(path: Path = HERE / "parameters.yaml") -> dict[str, dict[str, float]]:
    """Return the parameters in SI: `_mm` becomes metres, `_deg` becomes radians, the suffixes are dropped."""
    raw = YAML(typ="safe").load(path.read_text())
    return {
        part: dict(_si(name, float(value)) for name, value in raw[part].items() if name != "source")
        for part in raw
    }


def _si(name: str, value: float) -> tuple[str, float]:
    if name.endswith("_mm"):
        return name.removesuffix("_mm"), value * 1e-3
    if name.endswith("_deg"):
        return name.removesuffix("_deg"), math.radians(value)
    raise ValueError(f"{name}: a parameter's name ends in _mm or _deg")


def throat_z(drogue: Parameters) -> float:
    """Return z of the narrowest section [m]; the inlet cone and the throat's fillet fix it."""
    a, rho = drogue["inlet_half_angle"], drogue["throat_fillet"]
    # The cone is tangent to the circle of the throat: r + z tan a = r_c - rho/cos a + z_c tan a.
    r_at_throat = drogue["throat_radius"] + rho - rho / math.cos(a)
    return (drogue["mouth_radius"] - r_at_throat) / math.tan(a)


def drogue_profile(drogue: Parameters) -> Profile:
    """Return the whole meridian of the drogue, from the pole of the cavity's bottom to the outer pole."""
    d = drogue
    z_throat, r_chamber = throat_z(d), d["chamber_radius"]
    z_pole = z_throat + d["throat_to_bottom"]
    z_equator, z_back = z_pole - r_chamber, z_pole + d["wall"]
    r_outer = r_chamber + d["wall"]
    a, b = d["inlet_half_angle"], d["shoulder_half_angle"]
    throat = _tangent_corner((z_throat, d["throat_radius"] + d["throat_fillet"]), -d["throat_fillet"], a, b)
    z_wall = throat[0] + (r_chamber - throat[1]) / math.tan(b)
    r_cone = d["mouth_radius"] + d["wall"] / math.cos(a)  # outer cone, parallel to the inlet
    z_flange, edge = d["flange_thickness"], d["outer_fillet"]
    return profile_from_vertices(
        [
            Vertex(at=(z_pole, 0.0)),
            ArcTo(arc_to=(z_equator, r_chamber), radius=r_chamber, turn="left"),
            Vertex(at=(z_wall, r_chamber), fillet=d["chamber_fillet"]),
            Vertex(at=throat, fillet=d["throat_fillet"]),
            Vertex(at=(0.0, d["mouth_radius"]), fillet=d["mouth_fillet"]),
            Vertex(at=(0.0, d["flange_radius"]), fillet=edge),
            Vertex(at=(z_flange, d["flange_radius"]), fillet=edge),
            Vertex(at=(z_flange, r_cone - z_flange * math.tan(a)), fillet=edge),
            Vertex(at=((r_cone - r_outer) / math.tan(a), r_outer), fillet=edge),
            Vertex(at=(z_back, r_outer), fillet=edge),
            Vertex(at=(z_back, 0.0)),
        ],
        "drogue",
    )


def bumper_profile(probe: Parameters) -> Profile:
    """Return the meridian of the bumper, from the rear pole of the rod to the pole of the nose."""
    p = probe
    r, z_rear = p["bumper_radius"], p["tip"] - p["bumper_length"]
    return profile_from_vertices(
        [
            Vertex(at=(z_rear, 0.0)),
            Vertex(at=(z_rear, r), fillet=p["bumper_fillet"]),
            Vertex(at=(p["tip"] - r, r)),
            ArcTo(arc_to=(p["tip"], 0.0), radius=r, turn="right"),
        ],
        "bumper",
    )


def pantograph_profile(probe: Parameters, *, opened: bool = False) -> Profile:
    """Return the meridian of the pantograph, from the rear pole of its shaft to the front pole."""
    p = probe
    radius, arc = (p["opened_radius"], p["opened_arc"]) if opened else (p["widest_radius"], p["widest_arc"])
    front = p["opened_half_angle"] if opened else p["front_half_angle"]
    rear = p["opened_half_angle"] if opened else p["rear_half_angle"]
    widest = _tangent_corner((p["widest"], radius - arc), arc, rear, front)
    z_shaft = widest[0] - (widest[1] - p["shaft_radius"]) / math.tan(rear)
    r_front = _front_radius(p)
    vertices = [
        Vertex(at=(p["shaft_start"], 0.0)),
        Vertex(at=(p["shaft_start"], p["shaft_radius"]), fillet=p["shaft_rear_fillet"]),
        Vertex(at=(z_shaft, p["shaft_radius"]), fillet=p["shaft_fillet"]),
        Vertex(at=widest, fillet=arc),
    ]
    if opened:  # the spread fingers end on the closed pantograph's front ring
        vertices.append(Vertex(at=(widest[0] + (widest[1] - r_front) / math.tan(front), r_front)))
    vertices += [Vertex(at=(p["front"], r_front), fillet=p["front_fillet"]), Vertex(at=(p["front"], 0.0))]
    return profile_from_vertices(vertices, "pantograph")


SHAPES: dict[str, Callable[[Mapping[str, Parameters]], Profile]] = {
    "drogue": lambda parameters: drogue_profile(parameters["drogue"]),
    "bumper": lambda parameters: bumper_profile(parameters["probe"]),
    "pantograph": lambda parameters: pantograph_profile(parameters["probe"]),
    "pantograph_open": lambda parameters: pantograph_profile(parameters["probe"], opened=True),
}


def _front_radius(p: Parameters) -> float:
    """Return the radius at which the closed outline meets the front face [m]."""
    widest = _tangent_corner(
        (p["widest"], p["widest_radius"] - p["widest_arc"]),
        p["widest_arc"],
        p["rear_half_angle"],
        p["front_half_angle"],
    )
    return widest[1] - (p["front"] - widest[0]) * math.tan(p["front_half_angle"])


def _tangent_corner(centre: Point, radius: float, before: float, after: float) -> Point:
    """Return where two lines tangent to a circle cross.

    The line at smaller z rises at the angle `before`, the one at larger z falls at `after` [rad]; they pass
    above the circle. With a negative radius they pass below it, the first falling and the second rising.
    """
    before, after = math.copysign(before, radius), math.copysign(after, radius)
    size = abs(radius)
    # r = r_c +- (size / cos before) + (z - z_c) tan before = r_c +- (size / cos after) - (z - z_c) tan after
    sign = math.copysign(1.0, radius)
    dz = sign * size * (1 / math.cos(after) - 1 / math.cos(before)) / (math.tan(before) + math.tan(after))
    return centre[0] + dz, centre[1] + sign * size / math.cos(before) + dz * math.tan(before)
