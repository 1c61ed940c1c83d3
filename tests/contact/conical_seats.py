"""A cone and the fixed conical cavity in which it seats, with their contact."""

import math

from softdock.model.surfaces import Contact, Friction, Layer, Surface

STIFFNESS = 1e10  # of the layer [N/m3]
LARGE, SMALL = 0.040, 0.030  # radii of the cone [m]


def seat_area(angle: float) -> float:
    """Return the area of the cone [m2]; angle: half its opening [rad]."""
    return math.pi * (LARGE + SMALL) * (LARGE - SMALL) / math.sin(angle)


def seat_surfaces(angle: float) -> dict[str, Surface]:
    """Return `plug`, the cone of a body `cone`, and `cavity` in the world; it seats where both frames coincide."""
    run = (LARGE - SMALL) / math.tan(angle)
    more = 0.010 / math.tan(angle)  # the cavity continues on both sides
    plug = ((-0.01, 0.0), (-0.01, LARGE), (0.0, LARGE), (run, SMALL), (run, 0.0))
    cavity = ((run + more, 0.0), (run + more, SMALL - 0.01), (-more, LARGE + 0.01))
    return {
        "plug": Surface(body="cone", profile=plug),
        "cavity": Surface(body="world", side="inside", profile=cavity),
    }


def seat_contact(friction: float, creep: float) -> Contact:
    """Return the contact of cone and cavity; creep: speed below which friction is reduced [m/s]."""
    return Contact(
        a="cavity",
        b="plug",
        layer=Layer(stiffness=STIFFNESS),
        friction=Friction(coefficient=friction, speed=creep),
        resolved_force=2.0,
    )
