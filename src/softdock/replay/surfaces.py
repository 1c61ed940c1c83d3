"""Drawing of a run's surfaces: what touches as it is computed, the rest of a CAD file where it is unchanged."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import InputError
from softdock.geometry.fitting import distance_to_segments
from softdock.geometry.profile import Arc, Profile, nearest_segment
from softdock.geometry.profile_cache import profile_from_rows
from softdock.geometry.solids.drawing import decoded
from softdock.model.surfaces import Surface
from softdock.replay import solids
from softdock.replay.cad import cad_mesh
from softdock.replay.scene import Floats, Mesh
from softdock.replay.scene_builder import RERUN_HINT
from softdock.result import Result
from softdock.result.outlines import digest_of, outlines_of
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.rotations import matrix_from_quaternion
from softdock.tree.joints import quaternion

DRAWN_SHARE = 0.02
"""Distance of the drawn facets from the surfaces, over the size of the smallest surface: what touches is drawn so."""
SURFACE_SHARE = 5e-5
"""Distance from a profile, over the size of a file, within which a vertex belongs to it: a few times the departure that
is allowed when the profile is read."""
SAGITTA_SHARE = 0.1
"""Distance of the middle of a facet of the surface from it, over its longest edge; facets turn by less than 0.6 rad."""
ALIGNED = 0.9
"""Cosine of the angle between a facet of the surface and the surface; a cap on its rim has another normal."""


@dataclass(frozen=True, kw_only=True)
class DrawnSurface:
    """A surface with its profile, if it is one of revolution, and its meshes in the body's frame."""

    surface: Surface
    profile: Profile | None
    p_BS: Floats
    R_BS: Floats
    outline: Mesh
    """The profile revolved, or the faces of a solid: exactly what touches."""
    mesh: Mesh
    """The outline, with the rest of its CAD file."""

    @property
    def is_cavity(self) -> bool:
        """Whether other bodies enter it: the profile of a cavity runs towards -z."""
        if self.profile is None:
            return False
        return self.profile.segments[-1].end[0] < self.profile.segments[0].start[0]


def drawn_surfaces(result: Result, scenario: MultibodyScenario) -> tuple[dict[str, DrawnSurface], list[str]]:
    """Return every surface by name, and notes on surfaces that are drawn without the rest of their CAD files."""
    outlines = outlines_of(result)
    for name in scenario.surfaces:
        if name not in outlines:
            message = (
                "The result does not contain the outlines of its surfaces, and their files do not exist."
            )
            raise InputError(message, field=f"surfaces.{name}", hint=RERUN_HINT)
    profiles = {
        name: profile_from_rows(outlines[name]["meridian"])
        for name in scenario.surfaces
        if "solid" not in outlines[name]
    }
    tolerance = DRAWN_SHARE * min((profile.size for profile in profiles.values()), default=1.0)
    out: dict[str, DrawnSurface] = {}
    for name, surface in scenario.surfaces.items():
        p_BS, R_BS = np.array(outlines[name]["p_BS"]), np.array(outlines[name]["R_BS"])
        profile = profiles.get(name)
        mesh = (
            _solid_mesh(name, outlines[name])
            if profile is None
            else solids.revolve_finely(profile, tolerance)
        )
        mesh = solids.transformed(mesh, R_BS, p_BS)
        out[name] = DrawnSurface(
            surface=surface, profile=profile, p_BS=p_BS, R_BS=R_BS, outline=mesh, mesh=mesh
        )
    return _with_files(out, Path(result.directory), {name: o.get("sha256") for name, o in outlines.items()})


def _solid_mesh(name: str, outline: Mapping[str, Any]) -> Mesh:
    """Return the mesh of a solid in its own frame."""
    try:
        drawn = decoded(outline["solid"])
    except ValueError as error:
        message = f"The outline of the solid is damaged: {error}."
        raise InputError(message, field=f"surfaces.{name}", hint=RERUN_HINT) from error
    return Mesh(points=drawn.points, normals=drawn.normals, indices=drawn.indices)


def _with_files(
    surfaces: dict[str, DrawnSurface], folder: Path, digests: dict[str, str | None]
) -> tuple[dict[str, DrawnSurface], list[str]]:
    """Return the surfaces with the rest of their CAD files, each with the first of its surfaces, and notes."""
    out, notes, seen = dict(surfaces), [], set()
    for name, drawn in surfaces.items():
        surface = drawn.surface
        if surface.file is None or drawn.profile is None:
            continue
        if surface.ignore:
            notes.append(
                f"{name} is drawn by its meridian: nothing touches the faces that `ignore` leaves out."
            )
            continue
        source = _source(surface)
        if source in seen:
            continue
        mesh = _file_mesh(surface, folder / surface.file, digests[name])
        if isinstance(mesh, str):
            notes.append(f"{name} is drawn by its meridian alone: {surface.file} {mesh}.")
            continue
        seen.add(source)
        near = SURFACE_SHARE * float(np.ptp(mesh.points, axis=0).max())
        for other in surfaces.values():
            if other.profile is not None and _source(other.surface) == source and len(mesh.indices):
                mesh = _without_surface(mesh, other, near)
        if len(mesh.indices):
            out[name] = replace(drawn, mesh=solids.combined(drawn.outline, mesh))
    return out, notes


def _source(surface: Surface) -> tuple[str, str | None, tuple[float, ...], str]:
    """Return what two surfaces share that belong to one copy of a file."""
    return surface.body, surface.file, tuple(surface.at), str(surface.attitude)


def _file_mesh(surface: Surface, path: Path, digest: str | None) -> Mesh | str:
    """Return the mesh of a surface's CAD file in the body's frame, or why it is not drawn."""
    if not path.exists():
        return "is missing"
    if (present := digest_of(path)) is None:
        return "cannot be read"
    if present != digest:
        return "has changed since the run"
    mesh = cad_mesh(path, surface.unit)
    if mesh is None:
        return f"has more than {solids.MAX_TRIANGLES:,} triangles, too many for the page"
    return solids.transformed(
        mesh, matrix_from_quaternion(quaternion(surface.attitude)), np.array(surface.at)
    )


def _without_surface(mesh: Mesh, drawn: DrawnSurface, near: float) -> Mesh:
    """Return a mesh without the facets whose vertices are within `near` [m] of a surface, drawn from its profile."""
    assert drawn.profile is not None
    own = (mesh.points - drawn.p_BS) @ drawn.R_BS
    corners = own[mesh.indices]
    middle = corners.mean(axis=1)
    sides = corners - np.roll(corners, 1, axis=1)
    longest = np.linalg.norm(sides, axis=2).max(axis=1)
    on_profile = _distance(drawn.profile, own) <= near
    belongs = on_profile[mesh.indices].all(axis=1)
    belongs &= _distance(drawn.profile, middle) <= SAGITTA_SHARE * longest
    belongs &= _alignment(drawn.profile, middle, np.cross(sides[:, 0], sides[:, 1])) > ALIGNED
    kept = mesh.indices[~belongs]
    used, indices = np.unique(kept, return_inverse=True)
    assert mesh.normals is not None
    return Mesh(points=mesh.points[used], normals=mesh.normals[used], indices=indices.reshape(-1, 3))


def _distance(profile: Profile, points: Floats) -> Floats:
    """Return the distance of points, shape (n, 3) in the profile's frame, from the surface [m]."""
    places = np.column_stack([points[:, 2], np.hypot(points[:, 0], points[:, 1])])
    return distance_to_segments(list(profile.segments), places)


def _alignment(profile: Profile, points: Floats, normals: Floats) -> Floats:
    """Return the size of the cosine between vectors and the normals of the surface at the nearest segments."""
    z, r = points[:, 2], np.hypot(points[:, 0], points[:, 1])
    nearest = nearest_segment(profile, z, r)
    n_z, n_r = np.empty(len(z)), np.empty(len(z))
    for k, segment in enumerate(profile.segments):
        chosen = nearest == k
        if isinstance(segment, Arc):
            n_z[chosen], n_r[chosen] = z[chosen] - segment.centre[0], r[chosen] - segment.centre[1]
        else:
            t_z, t_r = segment.tangent(0.0)
            n_z[chosen], n_r[chosen] = t_r, -t_z
    radial = np.einsum("ij,ij->i", normals[:, :2], points[:, :2]) / np.where(r > 0.0, r, 1.0)
    size = np.linalg.norm(normals, axis=1) * np.hypot(n_z, n_r)
    return np.asarray(np.abs(normals[:, 2] * n_z + radial * n_r) / np.where(size > 0.0, size, 1.0))
