"""Conversion of contact pairs to arrays for the kernels: segments, strips, root cells, bounding spheres, edges."""

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.contact.entry_points import CONTACT_LISTS
from softdock.contact.kernels import layout
from softdock.contact.kernels.layout import ContactArrays, ContactLists
from softdock.contact.layer import FrictionLaw
from softdock.contact.pair import ContactPair, CutCells, Mapping, Points
from softdock.contact.solid_tables import Groups, RootCells, feature_count, root_cells, solid_tables
from softdock.errors import InputError
from softdock.geometry.kernels import ARC, LINE
from softdock.geometry.profile import Arc, Line, Profile
from softdock.geometry.profile_arrays import SegmentColumn, described_rows, profile_array, sharp_edges
from softdock.geometry.solids.kernels.parameter_columns import FRAME_COLUMNS
from softdock.geometry.solids.solid import Solid
from softdock.native.argument_types import PreparedStructure, Sizes
from softdock.native.structure_memory import allocate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Records = NDArray[np.void]

LARGEST_ANGLE = math.tau / 8
"""Largest angle of a root cell [rad]; near the axis its size alone would allow a whole turn."""
EDGE_TOLERANCE = 1e-3
"""Distance of the end of a strip from an edge, relative to a root cell, within which the strip is at the edge."""
LEFT, RIGHT = 4, 5  # fields of layout.NODE
MOST_ROOT_CELLS = 5_000_000  # of a surface; they take 0.4 GB
ROOTS_PER_LEAF = 4  # most root cells in a leaf of the tree of bounding spheres
RADIUS_MARGIN = 1 + 1e-12
"""Factor that makes bounding radii safe against rounding errors."""
BRISTLE_SIZE = 2.5e-3
"""Side [m] of the square patch whose bristle has its displacement as state, with the tolerance of positions.

Measured: with 8 mm a docking has three times the error of energy, with 0.8 mm a sequence takes 9 % more evaluations.
"""
FRICTION_LAWS = {
    FrictionLaw.SMOOTH: layout.SMOOTH,
    FrictionLaw.RAMP: layout.RAMP,
    FrictionLaw.ELASTIC: layout.ELASTIC,
}
"""Numbers of the laws of friction in the kernels."""


def contact_arrays(pairs: Sequence[ContactPair]) -> ContactArrays:
    """Return the concatenated arrays of all pairs."""
    offsets, shapes = _surface_arrays(
        tuple((*pair.shapes, pair.quadrature, pair.face_groups) for pair in pairs)
    )
    data = np.zeros(len(pairs), layout.PAIR)
    for i, pair in enumerate(pairs):
        data[i] = _pair_record(pair, offsets[i])
    return shapes._replace(pairs=data)


@functools.lru_cache(maxsize=16)
def _surface_arrays(
    pairs: tuple[tuple[Profile | Solid, Profile | Solid, CutCells | Points, Groups], ...],
) -> "tuple[list[_PairOffsets], ContactArrays]":
    """Return the offsets of all pairs and the arrays of their surfaces, without the pair records.

    Cached, because many runs use the same surfaces; kernels do not write to these arrays.
    """
    segments, surfaces, edges = [np.zeros((0, len(SegmentColumn)))], [_Surface.empty()], [np.zeros((0, 3))]
    offsets = []
    solids, frames, patches = list[Solid](), list[Floats](), list[Records]()
    groups = list[Groups]()
    for surface_A, surface_B, quadrature, face_groups in pairs:
        if isinstance(surface_A, Solid) and isinstance(surface_B, Solid):
            node = sum(len(s.nodes) for s in surfaces)
            cells = root_cells(
                surface_B, quadrature.largest if isinstance(quadrature, CutCells) else math.inf
            )
            surface = _Surface.from_cells(cells)
            surfaces.append(surface.shifted(strips=0, roots=sum(map(len, patches)), nodes=node))
            offsets.append(_PairOffsets.of_solids(node, len(solids)))
            solids += [surface_A, surface_B]
            groups += [face_groups, ()]
            frames += [np.zeros((len(surface_A.faces), FRAME_COLUMNS)), cells.frames]
            patches.append(cells.patches[surface.order])
            continue
        assert isinstance(surface_A, Profile)
        assert isinstance(surface_B, Profile)
        rows_A, rows_B = profile_array(surface_A), profile_array(surface_B)
        start = sum(map(len, segments))
        described = described_rows(surface_A)
        strips, roots, nodes = (
            sum(len(getattr(s, k)) for s in surfaces) for k in ("strips", "roots", "nodes")
        )
        last = start + len(rows_A) - 1
        offsets.append(
            _PairOffsets(
                start,
                last,
                nodes,
                start + described[0],
                start + described[1],
                last + 1,
                last + len(rows_B),
                sum(map(len, edges)),
                len(sharp_edges(surface_B)),
            )
        )
        surface = _surface(surface_B, quadrature)
        surfaces.append(surface.shifted(strips=strips, roots=roots, nodes=nodes))
        segments += [rows_A, rows_B]
        edges.append(_edge_rows(surface_B))
    return offsets, ContactArrays(
        pairs=np.zeros(0, layout.PAIR),
        segments=np.concatenate(segments),
        strips=np.concatenate([s.strips for s in surfaces]),
        roots=np.concatenate([s.roots for s in surfaces]),
        nodes=np.concatenate([s.nodes for s in surfaces]),
        edges=np.concatenate(edges),
        solids=solid_tables(solids, frames, groups, patches),
    )


def _edge_rows(profile: Profile) -> Floats:
    rows = [(edge.z, edge.radius, float(edge.is_end)) for edge in sharp_edges(profile)]
    return np.array(rows).reshape(-1, 3)


def contact_lists(arrays: ContactArrays, capacity: int = 64) -> ContactLists:
    """Return empty near lists with a capacity of `capacity` blocks each; rebuild them before use."""
    lists: ContactLists = prepare_lists(arrays, capacity).value
    return lists


def prepare_lists(arrays: ContactArrays, capacity: int) -> PreparedStructure:
    """Return empty near lists as `contact_lists` does, ready for several calls."""
    lists = allocate(CONTACT_LISTS, list_sizes(arrays, capacity))
    clear_lists(lists.value)
    return lists


def list_sizes(arrays: ContactArrays, capacity: int) -> Sizes:
    """Return the sizes of near lists with a capacity of `capacity` blocks each."""
    longest = int((arrays.pairs["last_segment"] - arrays.pairs["first_segment"]).max(initial=-1)) + 1
    return {
        "contacts": len(arrays.pairs),
        "blocks": capacity,
        "open_blocks": 2 * layout.NEAR_TIMES * (longest + 1),
        "spheres": len(arrays.nodes) + len(arrays.roots),
        "features": feature_count(arrays.solids),
    }


def clear_lists(lists: ContactLists) -> None:
    """Mark near lists, whose memory is zero, as empty."""
    work = lists.work.view(np.ndarray)
    work["clearance"] = work["reach"] = lists.skip_until[:] = -np.inf


class _PairOffsets(NamedTuple):
    """Indices of a pair in the arrays; see layout.PAIR."""

    first_segment: int
    last_segment: int
    root_node: int
    first_described: int
    last_described: int
    first_segment_B: int
    last_segment_B: int
    first_edge: int
    edge_count: int
    solid_A: int = -1
    """Of a pair of solids; solid B is the next one."""

    @classmethod
    def of_solids(cls, root_node: int, solid_A: int) -> "_PairOffsets":
        """Return the indices of a pair of solids, which has no segments."""
        return cls(0, -1, root_node, 0, -1, 0, -1, 0, 0, solid_A)


def _pair_record(pair: ContactPair, offsets: _PairOffsets) -> tuple[float | int, ...]:
    layer = pair.layer
    cells = pair.quadrature if isinstance(pair.quadrature, CutCells) else CutCells()
    resolution = cells.resolved_force / (math.pi * layer.areal_stiffness)
    return (
        layer.areal_stiffness,
        layer.damping / layer.damping_depth if layer.damping > 0.0 else 0.0,
        layer.damping_depth,
        pair.friction.coefficient,
        pair.friction.threshold_speed,
        layer.shear_stiffness,
        layer.shear_stiffness * BRISTLE_SIZE**2,
        resolution,
        max(0.5 * resolution ** (1 / 3), cells.largest / 2 ** (layout.REFINEMENT_LEVELS - 2)),
        *offsets[:3],
        layout.POINTS if isinstance(pair.quadrature, Points) else layout.CUT_CELLS,
        layout.RADIAL if pair.mapping is Mapping.RADIAL else layout.DISTANCE,
        FRICTION_LAWS[pair.friction.law],
        *offsets[3:8],
        offsets.edge_count if pair.mapping is Mapping.DISTANCE else 0,
        0,
        int(isinstance(pair.surface_A, Profile) and any(e.is_sharp for e in sharp_edges(pair.surface_A))),
        layout.REVOLUTION if offsets.solid_A < 0 else layout.SOLID_PAIR,
        offsets.solid_A,
        offsets.solid_A + 1,
    )


@functools.lru_cache(maxsize=64)
def _surface(profile: Profile, quadrature: CutCells | Points) -> "_Surface":
    """Return the root cells of a surface; cached, because many runs use the same surface."""
    return _Surface.from_profile(profile, quadrature)


class _Surface:
    """Strips and root cells of one surface, and the tree of bounding spheres over the root cells.

    A row of `roots` has the index of its strip, the position of the middle of the strip on the meridian (see `_strip`),
    and cosine and sine of the angle of the middle of the cell about the axis.
    """

    def __init__(self, strips: Records, roots: Floats, nodes: Records, order: Ints | None = None) -> None:
        self.strips, self.roots, self.nodes = strips, roots, nodes
        self.order = order
        """Of a solid: its root cells in the order of the tree."""

    @classmethod
    def empty(cls) -> "_Surface":
        """Return a surface without cells."""
        return cls(np.zeros(0, layout.STRIP), np.zeros((0, 5)), np.zeros(0, layout.NODE))

    @classmethod
    def from_profile(cls, profile: Profile, quadrature: CutCells | Points) -> "_Surface":
        """Divide a surface into strips along its meridian, and these into root cells around its axis."""
        size = quadrature.largest if isinstance(quadrature, CutCells) else quadrature.spacing
        _refuse_too_many_cells(profile, size)
        strips: list[Records] = []
        roots: list[Floats] = []
        edge_points = [(edge.z, edge.radius) for edge in sharp_edges(profile)]
        for segment in profile.segments:
            along = max(1, math.ceil(segment.length / size))
            for i in range(along):
                strip, place, rho_max = _strip(segment, i, along)
                around = max(math.ceil(math.tau / LARGEST_ANGLE), math.ceil(math.tau * rho_max / size))
                strip["angle"] = math.tau / around
                strip["step_table"] = _step_table(strip)
                ends = [segment.start] * (i == 0) + [segment.end] * (i == along - 1)
                strip["at_edge"] = any(
                    math.dist(end, point) <= EDGE_TOLERANCE * size for end in ends for point in edge_points
                )
                angles = (np.arange(around) + 0.5) * math.tau / around
                columns = np.broadcast_arrays(float(len(strips)), *place, np.cos(angles), np.sin(angles))
                roots.append(np.column_stack(columns))
                strips.append(strip)
        rows, cells = np.concatenate(strips), np.concatenate(roots)
        order, nodes = _sphere_tree(*_bounding_spheres(rows, cells))
        return cls(rows, cells[order], nodes)

    @classmethod
    def from_cells(cls, cells: RootCells) -> "_Surface":
        """Return the tree of bounding spheres over the root cells of a solid."""
        order, nodes = _sphere_tree(cells.centres, cells.radii)
        return cls(np.zeros(0, layout.STRIP), np.zeros((0, 5)), nodes, order)

    def shifted(self, *, strips: int, roots: int, nodes: int) -> "_Surface":
        """Return the surface with its indices shifted by the sizes of the arrays before it."""
        shifted_roots, shifted_nodes = self.roots.copy(), self.nodes.copy()
        shifted_roots[:, 0] += strips
        for child in ("left", "right"):
            shifted_nodes[child][shifted_nodes[child] >= 0] += nodes
        shifted_nodes["first_root"] += roots
        return _Surface(self.strips, shifted_roots, shifted_nodes)


def _refuse_too_many_cells(profile: Profile, size: float) -> None:
    """Raise InputError where root cells of a size [m] would not fit in memory."""
    radius = [max(segment.point(f)[1] for f in (0.0, 0.5, 1.0)) for segment in profile.segments]
    cells = sum(segment.length * math.tau * r for segment, r in zip(profile.segments, radius)) / size**2
    if cells > MOST_ROOT_CELLS:
        message = (
            f"A surface would be divided into {cells:.2g} cells of {1e3 * size:.3g} mm; "
            f"at most {MOST_ROOT_CELLS} fit in memory."
        )
        hint = "Check the unit in which its file was exported, or use larger cells (`resolved_force`)."
        raise InputError(message, field="surfaces", hint=hint)


def _strip(segment: Line | Arc, i: int, along: int) -> tuple[Records, tuple[float, float], float]:
    """Return the i-th of `along` strips of a segment, the position of its middle and its largest radius [m].

    The position on a line is (z, r) [m], on an arc cosine and sine of the angle about its centre.
    """
    strip = np.zeros(1, layout.STRIP)
    strip["length"] = segment.length / along
    rho_max = max(segment.point(f)[1] for f in np.linspace(i / along, (i + 1) / along, 9))
    if isinstance(segment, Line):
        strip["axis_z"], strip["axis_r"] = segment.tangent(0.0)
        return strip, segment.point((i + 0.5) / along), rho_max
    strip["kind"], strip["radius"] = ARC, segment.radius
    strip["axis_z"], strip["axis_r"] = segment.centre
    angle = segment.start_angle + segment.sweep * (i + 0.5) / along
    # Steps along an arc increase the angle, for both directions of the profile.
    return strip, (math.cos(angle), math.sin(angle)), rho_max


def _step_table(strip: Records) -> Floats:
    """Return cosine and sine (for a line: 1 and length [m]) of half, quarter and Gauss steps at every level."""
    fractions = np.outer(0.5 ** np.arange(layout.REFINEMENT_LEVELS), [1 / 2, 1 / 4, 1 / math.sqrt(12)])
    h_u, h_phi = fractions * strip["length"], fractions * strip["angle"]
    table = np.empty((layout.REFINEMENT_LEVELS, 12))
    if strip["kind"] == LINE:
        table[:, 0:6:2], table[:, 1:6:2] = 1.0, h_u
    else:
        table[:, 0:6:2], table[:, 1:6:2] = np.cos(h_u / strip["radius"]), np.sin(h_u / strip["radius"])
    table[:, 6::2], table[:, 7::2] = np.cos(h_phi), np.sin(h_phi)
    return table


def _sphere_tree(centres: Floats, radii: Floats) -> tuple[Ints, Records]:
    """Return the order of root cells in a tree, and the tree; nodes are halved at the median along their longest axis.

    `centres` (n, 3), `radii` (n,): bounding spheres of the root cells [m].
    """
    order: list[Ints] = []
    nodes: list[list[float]] = []
    placed = 0
    pending: list[tuple[Ints, int, int]] = [(np.arange(len(centres)), -1, 0)]
    while pending:
        members, parent, side = pending.pop()
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        points = centres[members]
        low, high = points.min(axis=0), points.max(axis=0)
        middle = 0.5 * (low + high)
        radius = (np.linalg.norm(points - middle, axis=1) + radii[members]).max() * RADIUS_MARGIN
        leaf = len(members) <= ROOTS_PER_LEAF
        nodes.append([*middle, radius, -1, -1, placed, len(members) if leaf else 0])
        if leaf:
            order.append(members)
            placed += len(members)
            continue
        ranked = members[np.argsort(points[:, np.argmax(high - low)], kind="stable")]
        pending.append((ranked[len(ranked) // 2 :], len(nodes) - 1, RIGHT))
        pending.append((ranked[: len(ranked) // 2], len(nodes) - 1, LEFT))
    return np.concatenate(order), np.array([tuple(node) for node in nodes], layout.NODE)


def _bounding_spheres(strips: Records, roots: Floats) -> tuple[Floats, Floats]:
    """Return centre (n, 3) and radius (n,) of the bounding sphere of every root cell [m]; Eq. (C15)."""
    row = roots[:, 0].astype(np.int64)
    kind, axis_z, axis_r, radius, h_u, angle = (
        strips[name][row] for name in ("kind", "axis_z", "axis_r", "radius", "length", "angle")
    )
    z = np.where(kind == ARC, axis_z + radius * roots[:, 1], roots[:, 1])
    rho = np.where(kind == ARC, axis_r + radius * roots[:, 2], roots[:, 2])
    centres = np.column_stack([rho * roots[:, 3], rho * roots[:, 4], z])
    return centres, 0.5 * np.sqrt(h_u**2 + rho * (rho + 0.5 * h_u) * angle**2)
