"""From contact pairs to the arrays that the kernels read: segments, strips, root cells, bounding spheres."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.contact.kernels import layout
from softdock.contact.kernels.layout import ContactArrays, ContactLists
from softdock.contact.layer import FrictionLaw
from softdock.contact.pair import ContactPair, CutCells, Mapping, Points
from softdock.geometry.profile import Arc, Column, Line, Profile, profile_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

WIDEST_ANGLE = math.tau / 8
"""[rad] Widest root cell; near the axis its size alone would allow a whole turn."""
ROOTS_PER_LEAF = 4
RADIUS_SLACK = 1 + 1e-12
"""Bounding radii are widened by the rounding errors of their own computation."""


def contact_arrays(pairs: Sequence[ContactPair]) -> ContactArrays:
    """Return the arrays of all pairs, concatenated; their types do not depend on how many there are."""
    params = np.zeros((len(pairs), layout.PARAMS))
    spans = np.zeros((len(pairs), layout.SPANS), np.int64)
    segments, surfaces = [np.zeros((0, len(Column)))], [_Surface.empty()]
    for i, pair in enumerate(pairs):
        params[i] = _params(pair)
        rows = profile_array(pair.surface_A)
        start = sum(map(len, segments))
        surface = _Surface.of(pair.surface_B, pair.quadrature)
        tree = sum(len(s.nodes) for s in surfaces)
        spans[i] = [start, start + len(rows) - 1, tree, *_variants(pair)]
        surfaces.append(
            surface.moved(
                strips=sum(len(s.strips) for s in surfaces),
                roots=sum(len(s.roots) for s in surfaces),
                nodes=tree,
            )
        )
        segments.append(rows)
    return ContactArrays(
        params=params,
        spans=spans,
        segments=np.concatenate(segments),
        strips=np.concatenate([s.strips for s in surfaces]),
        steps=np.concatenate([s.steps for s in surfaces]),
        roots=np.concatenate([s.roots for s in surfaces]),
        nodes=np.concatenate([s.nodes for s in surfaces]),
        tree=np.concatenate([s.tree for s in surfaces]),
    )


def contact_lists(pairs: int, capacity: int = 1024) -> ContactLists:
    """Return empty near lists for so many pairs, each with room for `capacity` cells."""
    return ContactLists(
        cells=np.zeros((pairs, capacity, layout.CELL)),
        faces=np.zeros((pairs, capacity, 3), np.int64),
        gaps=np.zeros((pairs, capacity)),
        counts=np.zeros(pairs, np.int64),
        status=np.full((pairs, layout.STATUS), -np.inf),
        node_stack=np.zeros((96, 3), np.int64),
        cell_stack=np.zeros((64, 6)),
    )


def _params(pair: ContactPair) -> list[float]:
    layer = pair.layer
    cells = pair.quadrature if isinstance(pair.quadrature, CutCells) else CutCells()
    resolution = cells.resolved_force / (math.pi * layer.areal_stiffness)
    return [
        layer.areal_stiffness,
        layer.damping / layer.damping_depth if layer.damping > 0.0 else 0.0,
        layer.damping_depth,
        pair.friction.coefficient,
        pair.friction.threshold_speed,
        resolution,
        max(0.5 * resolution ** (1 / 3), cells.largest / 2 ** (layout.LEVELS - 2)),
    ]


def _variants(pair: ContactPair) -> list[int]:
    return [
        layout.POINTS if isinstance(pair.quadrature, Points) else layout.CELLS,
        layout.RADIAL if pair.mapping is Mapping.RADIAL else layout.DISTANCE,
        layout.RAMP if pair.friction.law is FrictionLaw.RAMP else layout.SMOOTH,
    ]


class _Surface:
    """Root cells of one surface and the tree of their bounding spheres."""

    def __init__(self, strips: Floats, steps: Floats, roots: Floats, nodes: Floats, tree: Ints) -> None:
        self.strips, self.steps, self.roots, self.nodes, self.tree = strips, steps, roots, nodes, tree

    @classmethod
    def empty(cls) -> "_Surface":
        return cls(
            np.zeros((0, layout.STRIPS)),
            np.zeros((0, layout.LEVELS, 12)),
            np.zeros((0, 5)),
            np.zeros((0, 4)),
            np.zeros((0, 4), np.int64),
        )

    @classmethod
    def of(cls, profile: Profile, quadrature: CutCells | Points) -> "_Surface":
        size = quadrature.largest if isinstance(quadrature, CutCells) else quadrature.spacing
        strips: list[list[float]] = []
        steps, roots = [], []
        for segment in profile.segments:
            along = max(1, math.ceil(segment.length / size))
            for i in range(along):
                strip, position, rho_max = _strip(segment, i, along)
                around = max(math.ceil(math.tau / WIDEST_ANGLE), math.ceil(math.tau * rho_max / size))
                strip[layout.STRIP_ANGLE] = math.tau / around
                angles = (np.arange(around) + 0.5) * math.tau / around
                block = np.empty((around, 5))
                block[:, 0], block[:, 1:3] = len(strips), position
                block[:, 3], block[:, 4] = np.cos(angles), np.sin(angles)
                roots.append(block)
                strips.append(strip)
                steps.append(_steps(strip))
        return cls(np.array(strips), np.array(steps), *_tree(np.array(strips), np.concatenate(roots)))

    def moved(self, *, strips: int, roots: int, nodes: int) -> "_Surface":
        """Shift the indices behind those of the surfaces before."""
        shifted_roots, shifted_tree = self.roots.copy(), self.tree.copy()
        shifted_roots[:, 0] += strips
        children = shifted_tree[:, : layout.FIRST_ROOT]
        children[children >= 0] += nodes
        shifted_tree[:, layout.FIRST_ROOT] += roots
        return _Surface(self.strips, self.steps, shifted_roots, self.nodes, shifted_tree)


def _strip(segment: Line | Arc, i: int, along: int) -> tuple[list[float], tuple[float, float], float]:
    """Return the row of the i-th of `along` strips of a segment, its middle and its largest radius [m]."""
    h_u = segment.length / along
    rho_max = max(segment.point(f)[1] for f in np.linspace(i / along, (i + 1) / along, 9))
    if isinstance(segment, Line):
        return [0.0, *segment.tangent(0.0), 0.0, h_u, 0.0], segment.point((i + 0.5) / along), rho_max
    angle = segment.start_angle + segment.sweep * (i + 0.5) / along
    return [1.0, *segment.centre, segment.radius, h_u, 0.0], (math.cos(angle), math.sin(angle)), rho_max


def _steps(strip: list[float]) -> Floats:
    """Return cosine and sine (for a line: 1 and length) of half, quarter and Gauss steps at every level."""
    table = np.empty((layout.LEVELS, 12))
    parts = np.array([1 / 2, 1 / 4, 1 / math.sqrt(12)])
    for level in range(layout.LEVELS):
        h_u = parts * strip[layout.STRIP_LENGTH] / 2**level
        h_phi = parts * strip[layout.STRIP_ANGLE] / 2**level
        if strip[layout.STRIP_KIND] == 0.0:
            table[level, 0:6:2], table[level, 1:6:2] = 1.0, h_u
        else:
            turn = h_u / strip[layout.STRIP_RADIUS]
            table[level, 0:6:2], table[level, 1:6:2] = np.cos(turn), np.sin(turn)
        table[level, 6::2], table[level, 7::2] = np.cos(h_phi), np.sin(h_phi)
    return table


def _tree(strips: Floats, roots: Floats) -> tuple[Floats, Floats, Ints]:
    """Return roots in the order of the tree, bounding spheres and tree; nodes are halved at their median."""
    centres, halves = _spheres(strips, roots)
    order: list[Ints] = []
    nodes: list[list[float]] = []
    tree: list[list[int]] = []
    placed = 0
    pending: list[tuple[Ints, int, int]] = [(np.arange(len(roots)), -1, 0)]
    while pending:
        members, parent, side = pending.pop()
        here = len(nodes)
        if parent >= 0:
            tree[parent][side] = here
        points = centres[members]
        low, high = points.min(axis=0), points.max(axis=0)
        middle = 0.5 * (low + high)
        radius = (np.linalg.norm(points - middle, axis=1) + halves[members]).max() * RADIUS_SLACK
        nodes.append([*middle, radius])
        if len(members) <= ROOTS_PER_LEAF:
            tree.append([-1, -1, placed, len(members)])
            order.append(members)
            placed += len(members)
            continue
        tree.append([-1, -1, 0, 0])
        ranked = members[np.argsort(points[:, np.argmax(high - low)], kind="stable")]
        pending.append((ranked[len(ranked) // 2 :], here, layout.RIGHT))
        pending.append((ranked[: len(ranked) // 2], here, layout.LEFT))
    return roots[np.concatenate(order)], np.array(nodes), np.array(tree, np.int64)


def _spheres(strips: Floats, roots: Floats) -> tuple[Floats, Floats]:
    """Return the middle of every root cell and the radius [m] within which the cell lies; Eq. (C15)."""
    rows = strips[roots[:, 0].astype(np.int64)]
    is_arc = rows[:, layout.STRIP_KIND] == 1.0
    radius = rows[:, layout.STRIP_RADIUS]
    z = np.where(is_arc, rows[:, layout.STRIP_AXIS_Z] + radius * roots[:, 1], roots[:, 1])
    rho = np.where(is_arc, rows[:, layout.STRIP_AXIS_R] + radius * roots[:, 2], roots[:, 2])
    h_u, angle = rows[:, layout.STRIP_LENGTH], rows[:, layout.STRIP_ANGLE]
    centres = np.column_stack([rho * roots[:, 3], rho * roots[:, 4], z])
    return centres, 0.5 * np.sqrt(h_u**2 + rho * (rho + 0.5 * h_u) * angle**2)
