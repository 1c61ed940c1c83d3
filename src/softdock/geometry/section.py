"""Sections of facets by half-planes that end on the axis."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.axis import AxisFrame
from softdock.geometry.facets import Facets

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class SectionLine:
    """A connected line of intersection of a half-plane with facets; material is on the right of travel."""

    points: Array
    """Shape (n + 1, 2): (z, r) [m]."""
    triangles: Indices
    """Shape (n,): the triangle that each piece of the line crosses."""


def most_common_azimuth(phi: Array) -> float:
    """Return an azimuth [rad] next to the one that most vertices share.

    A section through vertices follows the surface; elsewhere it follows the chords between them.
    """
    width = 1e-4
    bins, counts = np.unique(np.round(phi / width).astype(np.int64), return_counts=True)
    return float(bins[np.argmax(counts)] * width + 0.3 * width)


def half_plane_segments(
    facets: Facets, triangles: Indices, frame: AxisFrame, azimuth: float
) -> tuple[Array, Indices, Indices]:
    """Return the pieces (k, 2, 2) of (z, r) that the half-plane cuts, their edges and their triangles.

    A piece ends on two edges of its triangle; edges are numbered by their two vertices. A piece that ends on the axis
    has the edge -1.
    """
    points = frame.to_profile_frame(facets.vertices)
    u = points[:, 0] * np.cos(azimuth) + points[:, 1] * np.sin(azimuth)
    w = points[:, 1] * np.cos(azimuth) - points[:, 0] * np.sin(azimuth)
    z = points[:, 2]
    corners = facets.triangles[triangles]
    above = w[corners] >= 0.0
    cut = above.any(axis=1) & ~above.all(axis=1)
    chosen, corners, above = triangles[cut], corners[cut], above[cut]
    ends, edges = [], []
    for k in range(3):
        i, j = corners[:, k], corners[:, (k + 1) % 3]
        crosses = above[:, k] != above[:, (k + 1) % 3]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = w[i] / (w[i] - w[j])
            place = np.column_stack([z[i] + t * (z[j] - z[i]), u[i] + t * (u[j] - u[i])])
        ends.append(np.where(crosses[:, None], place, np.nan))
        edges.append(np.where(crosses, np.minimum(i, j) * len(u) + np.maximum(i, j), -2))
    order = np.argsort(np.isnan(np.stack(ends)[:, :, 0]), axis=0, kind="stable")[:2]  # the two that cross
    rows = np.arange(len(chosen))
    pieces = np.stack([np.stack(ends)[order[k], rows] for k in (0, 1)], axis=1)
    keys = np.stack([np.stack(edges)[order[k], rows] for k in (0, 1)], axis=1)
    keep = (pieces[:, :, 1] > 0.0).any(axis=1)
    pieces, keys, chosen = pieces[keep], keys[keep], chosen[keep]
    for k in (0, 1):  # cut at the axis
        beyond = pieces[:, k, 1] <= 0.0
        a, b = pieces[beyond, k], pieces[beyond, 1 - k]
        t = a[:, 1] / (a[:, 1] - b[:, 1])
        pieces[beyond, k] = np.column_stack([a[:, 0] + t * (b[:, 0] - a[:, 0]), np.zeros(len(a))])
        keys[beyond, k] = -1
    return _with_material_right(facets, frame, azimuth, pieces, keys, chosen)


def _with_material_right(
    facets: Facets, frame: AxisFrame, azimuth: float, pieces: Array, keys: Indices, chosen: Indices
) -> tuple[Array, Indices, Indices]:
    normals = facets.normals()[0][chosen] @ frame.R_FS
    n_r = normals[:, 0] * np.cos(azimuth) + normals[:, 1] * np.sin(azimuth)
    d = pieces[:, 1] - pieces[:, 0]
    wrong = -d[:, 1] * normals[:, 2] + d[:, 0] * n_r < 0.0  # the outward normal must be on the left
    pieces[wrong], keys[wrong] = pieces[wrong, ::-1], keys[wrong, ::-1]
    return pieces, keys, chosen


def cut_facets(facets: Facets, triangles: Indices, frame: AxisFrame, azimuth: float) -> list[SectionLine]:
    """Return the connected lines of intersection of the given triangles with the half-plane at an azimuth [rad]."""
    pieces, keys, chosen = half_plane_segments(facets, triangles, frame, azimuth)
    following = {int(key): k for k, key in enumerate(keys[:, 0]) if key >= 0}
    unused = dict.fromkeys(range(len(pieces)))
    entered = {following[int(key)] for key in keys[:, 1] if int(key) in following}
    sections = []
    for first in [*(k for k in range(len(pieces)) if k not in entered), *range(len(pieces))]:
        run: list[int] = []
        k: int | None = first
        while k is not None and k in unused:
            del unused[k]
            run.append(k)
            k = following.get(int(keys[k, 1]))
        if run:
            points = np.vstack([pieces[run[0], 0], pieces[run, 1]])
            sections.append(SectionLine(points=points, triangles=chosen[run]))
    return sections


def departure_from_revolution(
    facets: Facets, frame: AxisFrame, *, outside: bool, z_range: tuple[float, float] | None
) -> tuple[float, float]:
    """Return the largest variation of the outermost (or innermost) radius around the axis [m], and its z [m].

    Measured on 48 half-planes at 200 places along the axis.
    """
    z_all = frame.cylindrical(facets.vertices)[0]
    low, high = z_range if z_range is not None else (float(z_all.min()), float(z_all.max()))
    stations = low + (high - low) * (np.arange(200) + 0.5) / 200
    everything = np.arange(len(facets.triangles))
    radii = np.full((48, len(stations)), np.nan)
    for k in range(len(radii)):
        pieces, _, _ = half_plane_segments(facets, everything, frame, (k + 0.318) * np.pi / 24)
        a, b = pieces[:, 0], pieces[:, 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (stations[:, None] - a[:, 0]) / (b[:, 0] - a[:, 0])
        r = np.where((t >= 0) & (t <= 1), a[:, 1] + t * (b[:, 1] - a[:, 1]), -np.inf if outside else np.inf)
        best = r.max(axis=1, initial=-np.inf) if outside else r.min(axis=1, initial=np.inf)
        radii[k] = np.where(np.isfinite(best), best, 0.0 if outside else np.nan)
    known = ~np.isnan(radii).any(axis=0)
    if not known.any():
        return float(high - low), float(low)
    spread = np.where(known, np.ptp(np.where(known, radii, 0.0), axis=0), 0.0)
    return float(spread.max()), float(stations[np.argmax(spread)])
