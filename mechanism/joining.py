"""Parts of the hard docking: collar, alignment pin and hole, plugs and sockets. Needs no CAD kernel.

    python -m mechanism.joining [FOLDER]

writes their STEP files; those in the package are the default. Solids have no bores: a collar is drawn without the one
for the shaft of the probe.
"""

import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from mechanism.shapes import HERE, Parameters, load_parameters
from mechanism.step_text import step_text
from softdock.geometry.profile import Profile
from softdock.geometry.vertices import ArcTo, Vertex, profile_from_vertices

CAD_FOLDER = HERE.parent / "src/softdock/scenario/bundled/cad"


def collar_profile(collar: Parameters) -> Profile:
    """Return the meridian of the collar, from its rear face to its front face."""
    c = collar
    front = c["cone_start"] + (c["large_radius"] - c["small_radius"]) / math.tan(c["half_angle"])
    return profile_from_vertices(
        [
            Vertex(at=(c["rear"], 0.0)),
            Vertex(at=(c["rear"], c["large_radius"]), fillet=c["fillet"]),
            Vertex(at=(c["cone_start"], c["large_radius"]), fillet=c["fillet"]),
            Vertex(at=(front, c["small_radius"]), fillet=c["fillet"]),
            Vertex(at=(front, 0.0)),
        ],
        "collar",
    )


def pin_profile(alignment: Parameters) -> Profile:
    """Return the meridian of an alignment pin, from its foot (z = 0) to the pole of its tip."""
    r, length = alignment["pin_radius"], alignment["pin_length"]
    return profile_from_vertices(
        [
            Vertex(at=(0.0, 0.0)),
            Vertex(at=(0.0, r)),
            Vertex(at=(length - r, r)),
            ArcTo(arc_to=(length, 0.0), radius=r, turn="right"),
        ],
        "alignment pin",
    )


def hole_profile(alignment: Parameters) -> Profile:
    """Return the meridian of the bush with an alignment hole: opening at z = 0, round bottom, then the outside."""
    a = alignment
    radius, depth = a["pin_radius"] + a["hole_clearance"], a["hole_depth"]
    return profile_from_vertices(
        [
            Vertex(at=(depth, 0.0)),
            ArcTo(arc_to=(depth - radius, radius), radius=radius, turn="left"),
            Vertex(at=(a["chamfer"], radius)),
            Vertex(at=(0.0, radius + a["chamfer"])),
            Vertex(at=(0.0, a["bush_radius"])),
            Vertex(at=(depth + radius, a["bush_radius"])),
            Vertex(at=(depth + radius, 0.0)),
        ],
        "alignment hole",
    )


def plug_profile(coupling: Parameters) -> Profile:
    """Return the meridian of a plug, from its rear face to its tip at z = 0."""
    r, chamfer = coupling["plug_radius"], coupling["plug_chamfer"]
    return profile_from_vertices(
        [
            Vertex(at=(-coupling["plug_length"], 0.0)),
            Vertex(at=(-coupling["plug_length"], r)),
            Vertex(at=(-chamfer, r)),
            Vertex(at=(0.0, r - chamfer)),
            Vertex(at=(0.0, 0.0)),
        ],
        "plug",
    )


def socket_profile(coupling: Parameters) -> Profile:
    """Return the meridian of a socket: cavity from its bottom to the opening at z = 0, then the outside."""
    c = coupling
    return profile_from_vertices(
        [
            Vertex(at=(c["socket_depth"], 0.0)),
            Vertex(at=(c["socket_depth"], c["socket_radius"])),
            Vertex(at=(c["socket_lead_in"], c["socket_radius"])),
            Vertex(at=(0.0, c["socket_radius"] + c["socket_lead_in"])),
            Vertex(at=(0.0, c["body_radius"])),
            Vertex(at=(c["body_length"], c["body_radius"])),
            Vertex(at=(c["body_length"], 0.0)),
        ],
        "socket",
    )


PARTS: dict[str, Callable[[Mapping[str, Parameters]], Profile]] = {
    "collar": lambda parameters: collar_profile(parameters["collar"]),
    "alignment_pin": lambda parameters: pin_profile(parameters["alignment"]),
    "alignment_hole": lambda parameters: hole_profile(parameters["alignment"]),
    "coupling_plug": lambda parameters: plug_profile(parameters["coupling"]),
    "coupling_socket": lambda parameters: socket_profile(parameters["coupling"]),
    "connector_plug": lambda parameters: plug_profile(parameters["connector"]),
    "connector_socket": lambda parameters: socket_profile(parameters["connector"]),
}


def write_all(folder: Path = CAD_FOLDER) -> list[Path]:
    """Write the STEP file of every part and return the paths."""
    parameters = load_parameters()
    paths = []
    for name, profile in PARTS.items():
        paths.append(folder / f"{name}.step")
        paths[-1].write_text(step_text(profile(parameters), name), encoding="utf-8")
    return paths


if __name__ == "__main__":
    for written in write_all(*map(Path, sys.argv[1:2])):
        print(written)
