"""Checks of the surfaces in contacts at the start of a run.

Surfaces must face each other with their nearest points (the side of the material); sentences say what they leave out
and what no file determines.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.initial_motion import motions_at_state
from softdock.dynamics.link_poses import link_pose
from softdock.errors import Problem
from softdock.geometry.profile import Profile
from softdock.geometry.profile_arrays import closed_chain, is_complete
from softdock.geometry.solids.integrals import surface_points
from softdock.geometry.solids.solid import Solid
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]

SAMPLES_ALONG = 60
"""Sample points along a meridian."""
SAMPLES_AROUND = 48
"""Sample points on a circle."""
DECIDED = 0.5
"""Smallest cosine between a normal and the line to the other surface by which a surface faces it or faces away.

It is near 1 between smooth surfaces; at ends and edges, and between samples of surfaces that touch, it has any value.
The same share of the solid angle of an open surface must face away.
"""
VIEWPOINTS = 24
"""Sample points of the other surface, the nearest ones, from which an open surface is seen."""


@dataclass(frozen=True)
class _SurfaceSamples:
    """Points of a surface and its unit normals, which point out of the material; in N, shape (n, 3)."""

    points: Floats
    normals: Floats
    areas: Floats
    """Shape (n,) [m^2]."""
    is_open: bool
    """Whether the surface does not bound a solid."""


def surfaces_facing_away(system: MultibodyScenario) -> list[Problem]:
    """Return a warning for every surface whose normals point away from all surfaces that it may touch."""
    placed = _place_surfaces(system)
    facing: dict[str, list[float]] = {name: [] for name in placed}
    seen: dict[str, list[float]] = {name: [] for name in placed}
    for contact in system.contacts.values():
        a, b = placed[contact.a], placed[contact.b]
        cosines = _cosines(a, b)
        for name, cosine in zip((contact.a, contact.b), cosines):
            facing[name].append(cosine)
        seen[contact.a].append(_seen_share(a, b))
        seen[contact.b].append(_seen_share(b, a))
    return [
        Problem(field=f"surfaces.{name}", message=_message(system, name), hint=_hint(system, name))
        for name, cosines in facing.items()
        if cosines and ((min(cosines) < -DECIDED and max(cosines) < DECIDED) or max(seen[name]) < -DECIDED)
    ]


def _place_surfaces(system: MultibodyScenario) -> dict[str, _SurfaceSamples]:
    """Return samples of the surfaces in contacts, at their initial poses."""
    assembly = system.assemble()
    motions = motions_at_state(assembly, assembly.y)
    placed = {}
    for name in dict.fromkeys(
        side for contact in system.contacts.values() for side in (contact.a, contact.b)
    ):
        surface = system.surfaces[name]
        body = assembly.placed[surface.body]
        X_NB = link_pose(assembly.links, motions, body.link) @ body.X_LB
        if surface.is_general(system.directory):
            solid, X_BS = surface.read_solid(system.directory)
            placed[name] = _sample_solid(solid, X_NB @ X_BS)
        else:
            profile, X_BS = surface.read(system.directory)
            placed[name] = _sample(profile, X_NB @ X_BS)
    return placed


def _sample(profile: Profile, X_NS: Pose) -> _SurfaceSamples:
    """Return points and normals of a surface of revolution, evenly along its meridian and around its axis."""
    rows = []
    length = sum(segment.length for segment in profile.segments)
    for segment in profile.segments:
        count = max(2, round(SAMPLES_ALONG * segment.length / length))
        for fraction in (np.arange(count) + 0.5) / count:
            t_z, t_r = segment.tangent(fraction)
            # The normal is on the left of travel.
            rows.append((*segment.point(fraction), -t_r, t_z, segment.length / count))
    z, r, n_z, n_r, width = np.array(rows).T[:, :, None]
    angle = np.linspace(0.0, 2.0 * np.pi, SAMPLES_AROUND, endpoint=False)
    points_S = _stacked(r * np.cos(angle), r * np.sin(angle), z)
    normals_S = _stacked(n_r * np.cos(angle), n_r * np.sin(angle), n_z)
    return _SurfaceSamples(
        points=points_S @ X_NS.R.T + X_NS.p,
        normals=normals_S @ X_NS.R.T,
        areas=np.broadcast_to(2.0 * np.pi / SAMPLES_AROUND * r * width, (len(r), SAMPLES_AROUND)).ravel(),
        is_open=not is_complete(profile),
    )


def _sample_solid(solid: Solid, X_NS: Pose) -> _SurfaceSamples:
    """Return points and normals of the faces of a solid."""
    surface = surface_points(solid, solid.size / SAMPLES_ALONG)
    return _SurfaceSamples(
        points=X_NS.points(surface.points),
        normals=surface.normals @ X_NS.R.T,
        areas=surface.weights,
        is_open=False,
    )


def _stacked(x: Floats, y: Floats, z: Floats) -> Floats:
    return np.stack([x, y, np.broadcast_to(z, x.shape)], axis=-1).reshape(-1, 3)


def _cosines(a: _SurfaceSamples, b: _SurfaceSamples) -> tuple[float, float]:
    """Return for a and b the cosine between the normal at the nearest point and the line to the other surface."""
    from scipy.spatial import cKDTree

    distances, nearest = cKDTree(a.points).query(b.points)
    at_b = int(np.argmin(distances))
    at_a = int(nearest[at_b])
    if distances[at_b] == 0.0:
        return 0.0, 0.0
    u_AB = (b.points[at_b] - a.points[at_a]) / distances[at_b]
    return float(a.normals[at_a] @ u_AB), float(-(b.normals[at_b] @ u_AB))


def _seen_share(surface: _SurfaceSamples, other: _SurfaceSamples) -> float:
    """Return which share of a surface's solid angle faces the nearest points of another one: 1 all of it, -1 nothing.

    The solid angle of a complete surface is 0 from outside, so that it does not decide; so does that of a surface
    which is nearer than the samples are apart.
    """
    from scipy.spatial import cKDTree

    distances = cKDTree(surface.points).query(other.points)[0]
    near = np.argsort(distances, kind="stable")[:VIEWPOINTS]
    if not surface.is_open or distances[near[0]] < 2.0 * np.sqrt(surface.areas.max()):
        return 0.0
    line = other.points[near][:, None] - surface.points
    cosine_share = np.einsum("ijk,jk->ij", line, surface.normals) * surface.areas
    cosine_share /= np.einsum("ijk,ijk->ij", line, line) ** 1.5
    return float(cosine_share.sum() / np.abs(cosine_share).sum())


def _message(system: MultibodyScenario, name: str) -> str:
    others = {c.b if c.a == name else c.a for c in system.contacts.values() if name in (c.a, c.b)}
    return f"Faces away from {', '.join(map(repr, sorted(others)))} at the start: its material is on the wrong side."


def _hint(system: MultibodyScenario, name: str) -> str:
    if system.surfaces[name].file is not None:
        return "Choose the other `side` of the file."
    return (
        "Reverse its profile, and the turns of its arcs: material is on the right of travel, so that a solid is "
        "travelled towards +z and a cavity towards -z."
    )


def surface_notices(system: MultibodyScenario) -> list[str]:
    """Return sentences about what surfaces in contacts leave out, and what their files do not determine."""
    closures = assumed_closures(system, from_files=True)
    return [
        *left_out_faces(system),
        *approximations(system),
        *(f"Surface {name!r} is {text}" for name, text in closures.items()),
    ]


def approximations(system: MultibodyScenario) -> list[str]:
    """Return a sentence for every surface in a contact whose faces are not exact."""
    texts = ((name, system.surfaces[name].approximation(system.directory)) for name in _touching(system))
    return [f"Surface {name!r}: {text[0].lower()}{text[1:]}" for name, text in texts if text]


def left_out_faces(system: MultibodyScenario) -> list[str]:
    """Return a sentence for every surface in a contact with faces that are left out on purpose."""
    return [
        f"Nothing touches a part of surface {name!r}. {sentence}"
        for name in _touching(system)
        for sentence in system.surfaces[name].left_out(system.directory)
    ]


def assumed_closures(system: MultibodyScenario, *, from_files: bool) -> dict[str, str]:
    """Return for every open surface in a contact, from a file or a profile, by which lines it is closed behind."""
    found = {}
    for name in _touching(system):
        surface = system.surfaces[name]
        if (surface.file is not None) != from_files or surface.is_closure_known(system.directory):
            continue
        chain, before, after = closed_chain(surface.read(system.directory)[0])
        lines = [*chain[len(chain) - after :], *chain[:before]]
        places = [line.start for line in lines[:1]] + [line.end for line in lines]
        listed = ", ".join(f"({1e3 * z:.4g}, {1e3 * r:.4g})" for z, r in places if r >= 0.0)
        source = "its file does not determine" if from_files else "its profile leaves open"
        found[name] = (
            f"closed behind along (z, r) = {listed} mm, which {source}: contact there means nothing."
        )
    return found


def _touching(system: MultibodyScenario) -> list[str]:
    """Return the names of the surfaces in contacts."""
    return list(dict.fromkeys(c for contact in system.contacts.values() for c in (contact.a, contact.b)))
