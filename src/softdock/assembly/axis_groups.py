"""Groups of LANES joint axes for SIMD, and which axis carries which: constants of the kernels."""

import numpy as np
from numpy.typing import NDArray

from softdock.native.simd import LANES
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]


def group_axes(links: np.recarray) -> tuple[np.recarray, np.recarray]:
    """Return the groups of all axes and the tiles of their inertia; numbers the columns in `links`."""
    parents, owners = _columns(links)
    groups = k.records(-(-len(parents) // LANES), k.GROUP)
    above, same, first = _relations(links, parents, owners)
    for column, (parent, i) in enumerate(zip(parents, owners)):
        if i >= 0:
            group, lane = groups[column // LANES], column % LANES
            _write_column(group, lane, links[i], column)
            group.parent[lane] = parent
            group.grounded[0, lane] = links[links[i].root].kind == k.GROUND
    for g, group in enumerate(groups):
        here = slice(LANES * g, LANES * (g + 1))
        inside = [i for i in owners[here] if i >= 0]
        n = len(inside)
        group.count, group.first = n, min(first[here][:n])
        block = above[here, here][:n, :n]
        group.above[:n, :n], group.below[:n, :n] = block, block.T - np.eye(n)
        group.carries[:n, :n] = np.maximum(block.T, np.equal.outer(inside, inside))
        roots = [int(links[i].root) for i in inside]
        free = [root for root in dict.fromkeys(roots) if links[root].kind == k.FREE]
        group.roots[:] = [*free, *[-1] * (LANES - len(free))]
        for row, root in enumerate(free):
            group.members[row, :n] = np.equal(roots, root)
    return groups, _tiles(above, same, len(groups))


def _columns(links: np.recarray) -> tuple[list[int], list[int]]:
    """Number the axes of all joints; returns for each the axis that carries it (-1 for a base) and its link.

    The axes of a ball stay in one group: columns before them can be left empty, with -1 for their link.
    """
    parents: list[int] = []
    owners: list[int] = []
    for i, link in enumerate(links):
        link.column = -1 if link.kind == k.GROUND else len(parents)
        if link.parent < 0:
            continue
        if len(parents) % LANES + link.rows > LANES:
            empty = -len(parents) % LANES
            parents, owners = parents + [-1] * empty, owners + [-1] * empty
            link.column = len(parents)
        below, base = links[link.parent], links[link.root]
        before = int(below.column + below.rows - 1) if below.parent >= 0 else -1
        for row in range(link.rows):
            parents.append(before if row == 0 else len(parents) - 1)
            owners.append(i)
        base.columns = len(parents) - base.column
    return parents, owners


def _relations(links: np.recarray, parents: list[int], owners: list[int]) -> tuple[Floats, Floats, list[int]]:
    """Return which axes carry an axis, which have the same free base, and the first axis of each tree or branch."""
    n = len(parents)
    above, first = np.eye(n), list(range(n))
    roots = np.array([links[i].root if i >= 0 else -1 for i in owners], int)
    free = np.array([i >= 0 and links[links[i].root].kind == k.FREE for i in owners], bool)
    for column, parent in enumerate(parents):
        if parent >= 0:
            above[column] += above[parent]
            first[column] = first[parent]
        elif free[column]:
            first[column] = int(links[roots[column]].column)
    return above, ((roots[:, None] == roots) & free).astype(float), first


def _write_column(group: np.record, lane: int, link: np.record, column: int) -> None:
    row = column - link.column
    group.at_q[lane], group.at_u[lane] = link.at_q, link.at_u + row
    group.hinge[0, lane] = link.kind == k.REVOLUTE
    group.turns[0, lane] = link.kind != k.PRISMATIC
    group.slides[0, lane] = link.kind == k.PRISMATIC
    if row == link.rows - 1:
        group.R_PJ[:, lane], group.p_PJ[:, lane] = link.R_PJ, link.p_PJ


def _tiles(above: Floats, same: Floats, groups: int) -> np.recarray:
    """Return the lower triangle of tiles, row by row."""
    n, width = len(above), LANES * groups
    full = np.zeros((2, width, width))
    full[:, :n, :n] = above, same
    tiles = k.records(groups * (groups + 1) // 2, k.TILE)
    blocks = [(LANES * i, LANES * j) for i in range(groups) for j in range(i + 1)]
    for tile, (i, j) in zip(tiles, blocks):
        tile.above[:], tile.same[:] = full[:, i : i + LANES, j : j + LANES]
    return tiles
