"""Volume, mass, centre of mass and inertia of closed meshes and of profiles of revolution."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.geometry.profile import GAP_TOLERANCE, Arc, Line, Profile

Array = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
# 20 nodes are exact for the polynomials of a line (degree 5); the relative error for a trigonometric polynomial of
# degree 6 over half a turn is 1e-16.


@dataclass(frozen=True, kw_only=True)
class MassProperties:
    """Mass properties of a homogeneous body in the frame of its geometry."""

    density: float
    """[kg/m^3]"""
    volume: float
    """[m^3]"""
    mass: float
    """[kg]"""
    centre: Array
    """Centre of mass, shape (3,) [m]."""
    inertia: Array
    """Inertia about the centre of mass, shape (3, 3) [kg m^2], axes of the geometry's frame."""


def mesh_mass_properties(vertices: Array, triangles: NDArray[np.int64], density: float) -> MassProperties:
    """Return the exact mass properties of the polyhedron that a closed mesh bounds.

    `vertices` (n, 3) [m]; `triangles` (m, 3) wound counterclockwise seen from outside; `density` [kg/m^3].
    Each triangle and the origin span a tetrahedron with signed volume, Eq. (G7).
    """
    _check_density(density)
    if not is_closed(triangles):
        raise InputError("Mass properties need a closed surface; this one is an open shell.")
    shift = vertices.mean(axis=0)  # origin near the body, which avoids cancellation
    a, b, c = (vertices[triangles[:, k]] - shift for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = float(volumes.sum())
    if volume <= 0.0:
        raise InputError("The triangles are oriented inwards: the volume is negative.")
    s = a + b + c
    centre = volumes @ s / (4 * volume)
    second = (
        np.einsum("t,ti,tj->ij", volumes, s, s)
        + sum(np.einsum("t,ti,tj->ij", volumes, x, x) for x in (a, b, c))
    ) / 20  # Eq. (G7)
    second = second - volume * np.outer(centre, centre)
    inertia = density * (np.trace(second) * np.eye(3) - second)
    return MassProperties(
        density=density, volume=volume, mass=density * volume, centre=centre + shift, inertia=inertia
    )


def profile_mass_properties(profile: Profile, density: float) -> MassProperties:
    """Return the exact mass properties of a revolved profile in its own frame (z along the axis).

    The meridian must start and end on the axis, or be closed. Eqs. (G4) to (G6).
    """
    _check_density(density)
    tolerance = GAP_TOLERANCE * profile.size
    ends_on_axis = max(profile.segments[0].start[1], profile.segments[-1].end[1]) <= tolerance
    if not (ends_on_axis or profile.is_closed):
        raise InputError(
            "Mass properties need a closed body: the meridian must start and end on the axis, or be closed."
        )
    z_0 = profile.segments[0].start[0]  # origin near the body, which avoids cancellation
    sums = np.zeros(4)
    for segment in profile.segments:
        z, r, dz = _quadrature(segment)
        z = z - z_0
        sums += [np.dot(r**2, dz), np.dot(z * r**2, dz), np.dot(z**2 * r**2, dz), np.dot(r**4, dz) / 2]
    volume, moment_z, moment_zz, axial = math.pi * sums  # Eqs. (G4) to (G6)
    if volume <= 0.0:
        raise InputError("The profile has the wrong direction: material must be on the right of travel.")
    z_c = moment_z / volume
    transverse = axial / 2 + moment_zz - volume * z_c**2
    return MassProperties(
        density=density,
        volume=float(volume),
        mass=float(density * volume),
        centre=np.array([0.0, 0.0, z_c + z_0]),
        inertia=density * np.diag([transverse, transverse, axial]),
    )


def surface_area(profile: Profile) -> float:
    """Return the area of the revolved meridian [m^2], Eq. (G3)."""
    return sum(band_area(segment, 0.0, 1.0) for segment in profile.segments)


def band_area(segment: Line | Arc, begin: float, end: float) -> float:
    """Return the area [m^2] that a segment sweeps between two fractions of its length, Eq. (G3)."""
    if isinstance(segment, Line):
        r = segment.point((begin + end) / 2)[1]
        return math.tau * r * segment.length * (end - begin)
    first = segment.start_angle + begin * segment.sweep
    half = (end - begin) * segment.sweep / 2
    # Integral of r_c + rho cos over the arc; the product form keeps short arcs exact.
    mean = segment.centre[1] * half + segment.radius * math.sin(first + half) * math.sin(half)
    return math.tau * segment.radius * abs(2 * mean)


def is_closed(triangles: NDArray[np.int64]) -> bool:
    """Return whether every edge of a mesh belongs to exactly two triangles, once in each direction."""
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    if not len(directed):
        return False
    base = int(directed.max()) + 1
    forward = np.sort(directed[:, 0] * base + directed[:, 1])
    backward = np.sort(directed[:, 1] * base + directed[:, 0])
    return bool(np.array_equal(forward, backward) and np.all(forward[1:] != forward[:-1]))


def _quadrature(segment: Line | Arc) -> tuple[Array, Array, Array]:
    """Return z, r and weighted dz at the Gauss points of a segment [m]."""
    if isinstance(segment, Line):
        u = (_NODES + 1) / 2
        dz = segment.end[0] - segment.start[0]
        z = segment.start[0] + u * dz
        r = segment.start[1] + u * (segment.end[1] - segment.start[1])
        return z, r, _WEIGHTS / 2 * dz
    half = segment.sweep / 2
    angle = segment.start_angle + half * (_NODES + 1)
    z = segment.centre[0] + segment.radius * np.cos(angle)
    r = segment.centre[1] + segment.radius * np.sin(angle)
    return z, r, -segment.radius * np.sin(angle) * half * _WEIGHTS


def _check_density(density: float) -> None:
    if not (math.isfinite(density) and density > 0.0):
        raise InputError(f"The density must be a positive number [kg/m^3]. Given: {density}.")
