"""Faces of a body that are not part of its meridian: where they are, and how far they stand in front of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.axis import AxisFrame
from softdock.geometry.facets import Facets, triangle_components
from softdock.geometry.fitting import distance_to_segments
from softdock.geometry.profile import Arc, Line, Profile
from softdock.geometry.profile_arrays import closed_chain

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

GRID = 100
"""Spacings of the sample points of facets over the size of the body."""
MOST_SAMPLES = 400_000
"""Points from which on facets get fewer points each, but at least their corners."""
ARC_STEP = 0.02
"""Angle [rad] of the chords of an arc where it is decided whether a point is in the material."""


@dataclass(frozen=True, kw_only=True)
class FaceSamples:
    """Points (z, r) and azimuth of facets, and the facet of each."""

    places: Array
    """Shape (n, 2) [m]."""
    azimuth: Array
    """Shape (n,) [rad]."""
    triangle: Indices
    """Shape (n,)."""


@dataclass(frozen=True, kw_only=True)
class Departure:
    """A face that stands in front of a surface which does not contain it."""

    name: str
    number: int | None
    """Of a face of a STEP file, from 1; None in a mesh."""
    distance: float
    """Largest distance from the surface [m]."""
    z: tuple[float, float]
    """[m]"""
    azimuth: tuple[float, float]
    """[rad]"""
    triangles: Indices
    """Shape (k,): its facets."""

    @property
    def place(self) -> str:
        """Where the face is."""
        (z_0, z_1), (a_0, a_1) = np.array(self.z) * 1e3, np.degrees(self.azimuth)
        return f"z = {z_0:.4g} to {z_1:.4g} mm, angle {a_0:.4g} to {a_1:.4g} deg"


def sample_facets(
    facets: Facets, frame: AxisFrame, triangles: Indices, *, exact: bool = False
) -> FaceSamples:
    """Return points on facets, on a grid of about 1 % of the body's size.

    With `exact`, facets of curved faces give their corners only, which are the points that lie on the exact face.
    """
    corners = facets.vertices[facets.triangles[triangles]]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    count = np.ceil(longest / facets.size * GRID).astype(np.int64).clip(1, GRID)
    total = float((count + 1.0) @ (count + 2.0)) / 2
    if total > MOST_SAMPLES:
        count = np.maximum(1, count * math.sqrt(MOST_SAMPLES / total)).astype(np.int64)
    if exact and facets.faces:
        curved = np.array([f is None or f.kind != "plane" for f in facets.faces])
        count[curved[facets.face_of[triangles]]] = 1
    points, owner = [np.zeros((0, 3))], [np.zeros(0, np.int64)]
    for n in np.unique(count):
        i, j = np.array([(i, j) for i in range(n + 1) for j in range(n + 1 - i)]).T
        weights = np.column_stack([i, j, n - i - j]) / n
        chosen = np.flatnonzero(count == n)
        points.append(np.einsum("kc,tcx->tkx", weights, corners[chosen]).reshape(-1, 3))
        owner.append(np.repeat(triangles[chosen], len(weights)))
    z, r, azimuth = frame.cylindrical(np.concatenate(points))
    return FaceSamples(places=np.column_stack([z, r]), azimuth=azimuth, triangle=np.concatenate(owner))


def depth_in(segments: Sequence[Line | Arc], places: Array) -> Array:
    """Return the depth [m] of points (z, r) [m] below a complete meridian: negative in free space."""
    path = []
    for segment in segments:
        count = max(1, math.ceil(abs(segment.sweep) / ARC_STEP)) if isinstance(segment, Arc) else 1
        path += [segment.point(k / count) for k in range(count)]
    a = np.array([*path, segments[-1].end])
    b = np.roll(a, -1, axis=0)  # ends on the axis are joined along it
    inside = np.zeros(len(places), bool)
    for (z_0, r_0), (z_1, r_1) in zip(a, b):
        crosses = (z_0 > places[:, 0]) != (z_1 > places[:, 0])
        if z_0 != z_1:
            inside ^= crosses & (places[:, 1] < r_0 + (places[:, 0] - z_0) / (z_1 - z_0) * (r_1 - r_0))
    return np.where(inside, 1.0, -1.0) * distance_to_segments(segments, places)


def find_departures(
    profile: Profile, facets: Facets, frame: AxisFrame, triangles: Indices, tolerance: float
) -> list[Departure]:
    """Return the faces of some facets that stand in front of a profile by more than a tolerance [m].

    In front is the free side of the nearest point of the profile; faces nearer to its closure, or in the plane of its
    ends, are not in front of it.
    """
    samples = sample_facets(facets, frame, triangles, exact=True)
    height = _height_above(profile, samples.places)
    return name_faces(facets, frame, samples, height, tolerance)


def _height_above(profile: Profile, places: Array) -> Array:
    """Return the distance [m] of points (z, r) in front of a profile; 0 behind it and beside its open ends."""
    from_segments = [_nearest_on(segment, places) for segment in profile.segments]
    distances = np.array([distance for distance, _ in from_segments])
    nearest = distances.min(axis=0)
    chain, before, after = closed_chain(profile)
    closure = [*chain[:before], *chain[len(chain) - after :]]
    beside = nearest > distance_to_segments(closure, places) * (1 + 1e-9) + 1e-12
    # At a corner two segments are equally near; a point in front of a convex corner is in front of one of them.
    is_near = (distances <= nearest * (1 + 1e-9) + 1e-12) & ~beside
    heights = np.where(is_near, np.array([height for _, height in from_segments]), 0.0)
    return np.asarray(heights.max(axis=0).clip(0.0))


def _nearest_on(segment: Line | Arc, places: Array) -> tuple[Array, Array]:
    """Return the distance [m] of points from a segment, and its part along the outward normal at the nearest point."""
    z, r = places.T
    if isinstance(segment, Line):
        t_z, t_r = segment.tangent(0.0)
        along = (z - segment.start[0]) * t_z + (r - segment.start[1]) * t_r
        along = np.clip(along, 0.0, segment.length)
        d_z, d_r = z - segment.start[0] - along * t_z, r - segment.start[1] - along * t_r
        return np.hypot(d_z, d_r), d_r * t_z - d_z * t_r
    sense, sweep = (1.0 if segment.counterclockwise else -1.0), abs(segment.sweep)
    turn = sense * (np.arctan2(r - segment.centre[1], z - segment.centre[0]) - segment.start_angle) % math.tau
    turn = np.where(turn <= sweep, turn, np.where(turn - sweep < math.tau - turn, sweep, 0.0))
    angle = segment.start_angle + sense * turn
    c, s = np.cos(angle), np.sin(angle)
    d_z, d_r = z - segment.centre[0] - segment.radius * c, r - segment.centre[1] - segment.radius * s
    return np.hypot(d_z, d_r), -sense * (d_z * c + d_r * s)  # material is outside a counterclockwise arc


def name_faces(
    facets: Facets, frame: AxisFrame, samples: FaceSamples, distance: Array, tolerance: float
) -> list[Departure]:
    """Return the faces with a point whose distance [m] exceeds a tolerance [m]; connected facets of a mesh as one."""
    far = np.unique(samples.triangle[distance > tolerance])
    label = facets.face_of.copy()
    loose = np.flatnonzero(label < 0)
    if len(loose):
        used = loose[np.isin(loose, samples.triangle)]
        label[used] = -1 - triangle_components(facets.triangles[used], len(facets.vertices))
    z, _, phi = frame.cylindrical(facets.vertices)
    departures = []
    for k in dict.fromkeys(label[far].tolist()):
        own = np.isin(samples.triangle, np.flatnonzero(label == k))
        triangles = np.unique(samples.triangle[own])
        corners = np.unique(facets.triangles[triangles])
        face = facets.faces[k] if k >= 0 else None
        kind = face.kind if face is not None else "spline"
        departures.append(
            Departure(
                name=f"face {k + 1} ({kind})" if k >= 0 else f"a group of {len(triangles)} facets",
                number=k + 1 if k >= 0 else None,
                distance=float(distance[own].max()),
                z=(float(z[corners].min()), float(z[corners].max())),
                azimuth=_arc_around(phi[corners]),
                triangles=triangles,
            )
        )
    return sorted(departures, key=lambda departure: (departure.number is None, departure.number or 0))


def _arc_around(azimuth: Array) -> tuple[float, float]:
    """Return start and end of the shortest arc that contains all azimuths [rad]; the start lies in 0 to 2 pi."""
    ordered = np.unique(azimuth % math.tau)
    gaps = np.diff(ordered, append=ordered[0] + math.tau)
    k = int(np.argmax(gaps))
    start = float(ordered[(k + 1) % len(ordered)])
    return start, start + math.tau - float(gaps[k])
