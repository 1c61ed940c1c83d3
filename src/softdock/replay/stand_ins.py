"""Stand-ins for bodies without geometry, drawn see-through where they would cover what touches."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from softdock.replay.motion import Motion
from softdock.replay.scene import Floats, Mesh, Part, Role
from softdock.replay.surfaces import DrawnSurface

OPACITY = 0.22
INSTANTS = 40
"""Recorded instants at which a stand-in is compared with the surfaces."""
SAMPLES = 400
"""Points of a surface that are compared."""


def uncover_surfaces(
    parts: Sequence[Part], body: str, touching: Iterable[DrawnSurface], motion: Motion
) -> list[Part]:
    """Return the parts of a body, with those of links as placeholders if a part of a touching surface is inside them.

    The player draws placeholders see-through, and not at all in close views.
    """
    if all(part.role is not Role.LINK for part in parts):
        return list(parts)
    inside = [_seen_from(body, surface, motion) for surface in touching]
    return [
        _see_through(part)
        if part.role is Role.LINK and any(_contains(part.mesh, points) for points in inside)
        else part
        for part in parts
    ]


def _see_through(part: Part) -> Part:
    material = replace(part.material, name=f"{part.material.name} placeholder", opacity=OPACITY)
    return replace(part, material=material, role=Role.PLACEHOLDER)


def _seen_from(body: str, drawn: DrawnSurface, motion: Motion) -> Floats:
    """Return points of a surface in a body's frame at several instants, shape (n, 3) [m]."""
    rows = np.unique(np.linspace(0, len(motion.time) - 1, INSTANTS).astype(int))
    own = drawn.outline.points[:: max(1, len(drawn.outline.points) // SAMPLES)]
    carrier = drawn.surface.body
    R_NB, R_NS = motion.rotations(body)[rows], motion.rotations(carrier)[rows]
    world = np.einsum("nij,kj->nki", R_NS, own) + motion.p[carrier][rows, None]
    relative = world - motion.p[body][rows, None]
    return np.asarray(np.einsum("nji,nkj->nki", R_NB, relative)).reshape(-1, 3)


def _contains(mesh: Mesh, points: Floats) -> bool:
    """Return whether a convex mesh, such as a ball or a rod, contains any of the points [m]."""
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    near = points[np.all((points > low) & (points < high), axis=1)]
    a, b, c = (mesh.points[mesh.indices[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    within = np.ones(len(near), bool)
    for normal, offset in zip(normals, np.einsum("ij,ij->i", normals, a)):
        within &= near @ normal <= offset
    return bool(within.any())
