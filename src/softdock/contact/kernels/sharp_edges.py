"""Sharp edges: largest depth and pressure at those of B, between the points of the cells; those of A that touch."""

import math

from softdock.contact.kernels.cell_geometry import to_A
from softdock.contact.kernels.layout import BLOCK_CELLS, DEPTH, FACES_SEVERAL, POINTS, PRESSURE
from softdock.geometry.kernels import END_R, END_Z, TINY, depth, sharp_joint
from softdock.native.decorators import inline, kernel

EDGE_Z, EDGE_RADIUS, EDGE_IS_END = 0, 1, 2  # columns of ContactArrays.edges
SEARCH_POINTS = 16  # points around an edge from which the search for the deepest one starts
SEARCH_ROUNDS = 4  # each quarters the distance between the points


@kernel
def include_edge_peaks(arrays, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, out):
    """Include the deepest points of B's edges in depth and pressure of `out`; Eqs. (C36), (C37).

    Returns 1 if an open end of B's meridian touches, else 0. Arguments as in `evaluate`.
    """
    data, end_touches = arrays.pairs[pair], 0
    for k in range(data["first_edge"], data["first_edge"] + data["edge_count"]):
        edge = arrays.edges[k]
        c, s = deepest_direction(arrays, data, R_AB, p_AB_A, edge)
        x, y, z = to_A(R_AB, p_AB_A, edge[EDGE_RADIUS] * c, edge[EDGE_RADIUS] * s, edge[EDGE_Z])
        r = math.sqrt(x * x + y * y)
        depth_at_edge, n_z, n_r = depth(arrays.segments, data["first_segment"], data["last_segment"], z, r)
        if depth_at_edge <= 0.0:
            continue
        if edge[EDGE_IS_END] == 1.0:
            end_touches = 1
        n_x, n_y = n_r * x / (r + TINY), n_r * y / (r + TINY)
        d_x, d_y, d_z = x - p_AB_A[0], y - p_AB_A[1], z - p_AB_A[2]
        v_x = v_AB_A[0] + w_AB_A[1] * d_z - w_AB_A[2] * d_y
        v_y = v_AB_A[1] + w_AB_A[2] * d_x - w_AB_A[0] * d_z
        v_z = v_AB_A[2] + w_AB_A[0] * d_y - w_AB_A[1] * d_x
        v_n = v_x * n_x + v_y * n_y + v_z * n_z
        pressure = (
            data["stiffness"] * depth_at_edge
            + data["damping"] * min(depth_at_edge, data["damping_depth"]) * v_n
        )  # Eq. (C37)
        out[DEPTH], out[PRESSURE] = max(out[DEPTH], depth_at_edge), max(out[PRESSURE], pressure)
    return end_touches


@kernel
def deepest_direction(arrays, data, R_AB, p_AB_A, edge):
    """Return the azimuth around B's axis at which an edge is deepest in A: (cosine, sine)."""
    angle, largest, step = 0.0, -math.inf, 2.0 * math.pi / SEARCH_POINTS
    if edge[EDGE_RADIUS] == 0.0:
        return 1.0, 0.0
    for k in range(SEARCH_POINTS):
        s = edge_depth(arrays, data, R_AB, p_AB_A, edge, k * step)
        if s > largest:
            angle, largest = k * step, s
    for _ in range(SEARCH_ROUNDS):
        before = edge_depth(arrays, data, R_AB, p_AB_A, edge, angle - step)
        after = edge_depth(arrays, data, R_AB, p_AB_A, edge, angle + step)
        second_difference = before - 2.0 * largest + after
        turn = 0.0
        if second_difference < 0.0:
            turn = 0.5 * step * (before - after) / second_difference  # vertex of a parabola, Eq. (C36)
        turn = min(max(turn, -step), step)
        at_vertex = edge_depth(arrays, data, R_AB, p_AB_A, edge, angle + turn)
        centre = angle
        if at_vertex > largest:
            angle, largest = centre + turn, at_vertex
        if before > largest:
            angle, largest = centre - step, before
        if after > largest:
            angle, largest = centre + step, after
        step *= 0.25
    return math.cos(angle), math.sin(angle)


@kernel
def edge_depth(arrays, data, R_AB, p_AB_A, edge, angle):
    """Return the depth [m] below A of the point of an edge at an azimuth around B's axis [rad]."""
    radius = edge[EDGE_RADIUS]
    x, y, z = to_A(R_AB, p_AB_A, radius * math.cos(angle), radius * math.sin(angle), edge[EDGE_Z])
    r = math.sqrt(x * x + y * y)
    return depth(arrays.segments, data["first_segment"], data["last_segment"], z, r)[0]


@kernel
def touched_edge(arrays, lists, pair, R_AB, p_AB_A):
    """Return z and radius [m] of a sharp edge of A of which a part lies inside B; NaN where there is none.

    Looked for at the azimuths of the points of all cells that face both sides of an edge: where B covers an edge, its
    surface crosses from one side to the other.
    """
    segments, data, work = arrays.segments, arrays.pairs[pair], lists.work[pair]
    points = 1 if data["quadrature"] == POINTS else 4
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        if block["facing"] < FACES_SEVERAL:
            continue
        for i in range(points * BLOCK_CELLS):
            lane = i % BLOCK_CELLS
            if lane >= block["count"]:
                continue
            x, y, _ = to_A(R_AB, p_AB_A, block["x"][i], block["y"][i], block["z"][i])
            for k in range(block["first"][lane], block["last"][lane] + 1):
                following = k + 1 if k < data["last_segment"] else data["first_segment"]
                if not (block["first"][lane] <= following <= block["last"][lane]):
                    continue
                if k < data["first_described"] or following > data["last_described"]:
                    continue
                if sharp_joint(segments, k, following) and (
                    depth_of_A_in_B(segments, data, R_AB, p_AB_A, k, x, y) > 0.0
                ):
                    return segments[k, END_Z], segments[k, END_R]
    return math.nan, math.nan


@inline
def depth_of_A_in_B(segments, data, R_AB, p_AB_A, k, x, y):
    """Return the depth [m] below B of the point at the end of A's segment k, at the azimuth of (x, y) [m] about A."""
    scale = segments[k, END_R] / (math.sqrt(x * x + y * y) + TINY)
    d_x, d_y, d_z = scale * x - p_AB_A[0], scale * y - p_AB_A[1], segments[k, END_Z] - p_AB_A[2]
    X = R_AB[0][0] * d_x + R_AB[1][0] * d_y + R_AB[2][0] * d_z
    Y = R_AB[0][1] * d_x + R_AB[1][1] * d_y + R_AB[2][1] * d_z
    Z = R_AB[0][2] * d_x + R_AB[1][2] * d_y + R_AB[2][2] * d_z
    return depth(segments, data["first_segment_B"], data["last_segment_B"], Z, math.sqrt(X * X + Y * Y))[0]
