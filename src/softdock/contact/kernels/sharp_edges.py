"""Largest depth and pressure at the sharp edges of B, which lie between the points of the cells."""

import math

from softdock.contact.kernels.cell_geometry import to_A
from softdock.contact.kernels.layout import DEPTH, PRESSURE
from softdock.geometry.kernels import TINY, depth
from softdock.native.decorators import kernel

EDGE_Z, EDGE_RADIUS, EDGE_IS_END = 0, 1, 2  # columns of ContactArrays.edges
SEARCH_POINTS = 16  # points around an edge from which the search for the deepest one starts
SEARCH_ROUNDS = 4  # each quarters the distance between the points


@kernel
def include_edge_peaks(arrays, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, out):
    """Include the deepest points of B's edges in depth and pressure of `out`; Eqs. (C36), (C37).

    Returns 1 if an open end of B's meridian touches, else 0. Arguments as in `evaluate`.
    """
    data, ends = arrays.pairs[pair], 0
    for k in range(data["first_edge"], data["first_edge"] + data["edge_count"]):
        edge = arrays.edges[k]
        c, s = deepest_direction(arrays, data, R_AB, p_AB_A, edge)
        x, y, z = to_A(R_AB, p_AB_A, edge[EDGE_RADIUS] * c, edge[EDGE_RADIUS] * s, edge[EDGE_Z])
        r = math.sqrt(x * x + y * y)
        deep, n_z, n_r = depth(arrays.segments, data["first_segment"], data["last_segment"], z, r)
        if deep <= 0.0:
            continue
        if edge[EDGE_IS_END] == 1.0:
            ends = 1
        n_x, n_y = n_r * x / (r + TINY), n_r * y / (r + TINY)
        d_x, d_y, d_z = x - p_AB_A[0], y - p_AB_A[1], z - p_AB_A[2]
        v_x = v_AB_A[0] + w_AB_A[1] * d_z - w_AB_A[2] * d_y
        v_y = v_AB_A[1] + w_AB_A[2] * d_x - w_AB_A[0] * d_z
        v_z = v_AB_A[2] + w_AB_A[0] * d_y - w_AB_A[1] * d_x
        v_n = v_x * n_x + v_y * n_y + v_z * n_z
        stress = (
            data["stiffness"] * deep + data["damping"] * min(deep, data["damping_depth"]) * v_n
        )  # Eq. (C37)
        out[DEPTH], out[PRESSURE] = max(out[DEPTH], deep), max(out[PRESSURE], stress)
    return ends


@kernel
def deepest_direction(arrays, data, R_AB, p_AB_A, edge):
    """Return the azimuth around B's axis at which an edge is deepest in A: (cosine, sine)."""
    at, best, step = 0.0, -math.inf, 2.0 * math.pi / SEARCH_POINTS
    if edge[EDGE_RADIUS] == 0.0:
        return 1.0, 0.0
    for k in range(SEARCH_POINTS):
        s = edge_depth(arrays, data, R_AB, p_AB_A, edge, k * step)
        if s > best:
            at, best = k * step, s
    for _ in range(SEARCH_ROUNDS):
        before = edge_depth(arrays, data, R_AB, p_AB_A, edge, at - step)
        after = edge_depth(arrays, data, R_AB, p_AB_A, edge, at + step)
        bend = before - 2.0 * best + after
        turn = 0.5 * step * (before - after) / bend if bend < 0.0 else 0.0  # vertex of a parabola, Eq. (C36)
        turn = min(max(turn, -step), step)
        there = edge_depth(arrays, data, R_AB, p_AB_A, edge, at + turn)
        middle = at
        if there > best:
            at, best = middle + turn, there
        if before > best:
            at, best = middle - step, before
        if after > best:
            at, best = middle + step, after
        step *= 0.25
    return math.cos(at), math.sin(at)


@kernel
def edge_depth(arrays, data, R_AB, p_AB_A, edge, angle):
    """Return the depth [m] below A of the point of an edge at an azimuth around B's axis [rad]."""
    radius = edge[EDGE_RADIUS]
    x, y, z = to_A(R_AB, p_AB_A, radius * math.cos(angle), radius * math.sin(angle), edge[EDGE_Z])
    r = math.sqrt(x * x + y * y)
    return depth(arrays.segments, data["first_segment"], data["last_segment"], z, r)[0]
