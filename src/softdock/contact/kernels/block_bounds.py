"""Bounds that show whether a block of cells may touch after a small motion of B; other blocks are skipped.

The bound follows A's normal: a body that slides along a wall moves far, but hardly towards the wall.
"""

import math

from softdock.contact.kernels.cell_forces import linear_depth, load_four
from softdock.contact.kernels.cell_geometry import path_motion
from softdock.contact.kernels.cut_cell import CORNER_WEIGHTS
from softdock.contact.kernels.layout import BLOCK_CELLS, FACES_SEVERAL, FACES_SMOOTH_PAIR
from softdock.contact.kernels.point_depths import inverse_sqrt, locate_points
from softdock.geometry.kernels import ARC, AXIS_R, AXIS_Z, KIND
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, broadcast, fma, horizontal_max, load_vector, maximum, select_positive


@kernel
def set_bounds(segments, block, work, R_AB, p_AB_A, half_R, half_p):
    """Set the bounds of a block for a path: centre, normals and curvature; see layout.BLOCK."""
    locate_points(segments, block, work, R_AB, p_AB_A, 4 * BLOCK_CELLS)
    count, X, Y, K, N = block["count"], work["x"], work["y"], work["k"], work["n"]
    smallest_square = math.inf
    for i in range(4 * BLOCK_CELLS):
        smallest_square = min(smallest_square, work["q"][i] if i % BLOCK_CELLS < count else math.inf)
    first, radius_bound = block["first"][0], math.inf
    for segment in range(first, first + (2 if block["facing"] == FACES_SMOOTH_PAIR else 1)):
        radius_bound = min(
            radius_bound, curvature_radius(segments, segment, work, count, math.sqrt(smallest_square))
        )
    c_x, c_y, c_z, n_x, n_y, n_z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(count):
        c_x, c_y, c_z = c_x + block["x"][i], c_y + block["y"][i], c_z + block["z"][i]
        n_x, n_y, n_z = n_x + K[i] * X[i], n_y + K[i] * Y[i], n_z + N[i]
    c_x, c_y, c_z = c_x / count, c_y / count, c_z / count
    scale = 1.0 / (math.sqrt(n_x * n_x + n_y * n_y + n_z * n_z) + 1e-300)
    n_x, n_y, n_z = scale * n_x, scale * n_y, scale * n_z
    sizes, spreads = broadcast(0.0), broadcast(0.0)
    for half in range(0, count, LANES):
        area, weight = load_vector(block["area"], half), load_vector(block["lower_weight"], half)
        x, y, z = load_four(block["x"], half), load_four(block["y"], half), load_four(block["z"], half)
        sizes = maximum(
            sizes, select_positive(area, corner_distance_bound(x, y, z, weight, c_x, c_y, c_z), 0.0)
        )
        k, z = load_four(K, half), load_four(N, half)
        x, y = multiply_four(k, load_four(X, half)), multiply_four(k, load_four(Y, half))
        spreads = maximum(
            spreads, select_positive(area, corner_distance_bound(x, y, z, weight, n_x, n_y, n_z), 0.0)
        )
    size, spread = horizontal_max(sizes), horizontal_max(spreads)
    block["path_motion"] = path_motion(half_R, half_p, c_x, c_y, c_z)[0] + work["path_turn"] * size
    block["centre"][0], block["centre"][1], block["centre"][2] = c_x, c_y, c_z
    block["normal"][0], block["normal"][1], block["normal"][2] = n_x, n_y, n_z
    block["extent"], block["normal_spread"] = size, spread
    radius_bound -= work["reach"] + block["path_motion"]
    if block["facing"] != FACES_SEVERAL and radius_bound > work["reach"]:
        block["curvature"] = 1.0 / radius_bound
        block["corner_rise"] = (
            0.5 * CORNER_WEIGHTS * block["curvature"] * block["path_motion"] ** 2
        )  # Eq. (C33)
    else:  # only the Lipschitz bound of the depth holds
        block["normal"][0], block["normal"][1], block["normal"][2] = 0.0, 0.0, 0.0
        block["normal_spread"], block["curvature"], block["corner_rise"] = (
            CORNER_WEIGHTS,
            0.0,
            2.0 * CORNER_WEIGHTS * block["path_motion"],
        )


@inline
def corner_distance_bound(X, Y, Z, weight, x, y, z):
    """Return a bound on the distance of the corners of cells from (x, y, z), for a vector that is linear over a cell.

    X, Y, Z: its components at the four points of eight cells.
    """
    m_x, a_x, b_x = linear_depth(X, weight)
    m_y, a_y, b_y = linear_depth(Y, weight)
    m_z, a_z, b_z = linear_depth(Z, weight)
    return norm(m_x - x, m_y - y, m_z - z) + 0.5 * (norm(a_x, a_y, a_z) + norm(b_x, b_y, b_z))


@inline
def norm(x, y, z):
    """Return the lengths of eight 3-vectors, one per SIMD lane."""
    q = fma(x, x, fma(y, y, z * z))
    return q * inverse_sqrt(q)


@inline
def multiply_four(k, v):
    """Return the products of four SIMD vectors with four others, one by one."""
    return k[0] * v[0], k[1] * v[1], k[2] * v[2], k[3] * v[3]


@inline
def curvature_radius(segments, segment, work, count, smallest_radius):
    """Return the smallest radius of curvature [m] of the level surfaces of depth below a segment, at a block's points.

    `smallest_radius`: smallest distance of the points from A's axis [m].
    """
    radius = math.inf
    if segments[segment, KIND] == ARC:
        c_z, c_r = segments[segment, AXIS_Z], segments[segment, AXIS_R]
        for i in range(4 * BLOCK_CELLS):
            if i % BLOCK_CELLS < count:
                d_z, d_r = work["z"][i] - c_z, math.sqrt(work["q"][i]) - c_r
                radius = min(radius, d_z * d_z + d_r * d_r)
        radius = math.sqrt(radius)
        if c_r == 0.0:  # a sphere has the same curvature around the axis
            return radius
    return min(radius, smallest_radius)


@inline
def pose_change(work, R_AB, p_AB_A, at):
    """Return the change of pose from a position `at` (-1 to 1) on the path of a list.

    The position, rows of the change of R_AB, change of p_AB_A [m], and the Frobenius norm of the change of R_AB.
    """
    R, p, H, h = work["R_AB"], work["p_AB_A"], work["half_R"], work["half_p"]
    x, y, z = R_AB
    dR = (
        (x[0] - R[0, 0] - at * H[0, 0], x[1] - R[0, 1] - at * H[0, 1], x[2] - R[0, 2] - at * H[0, 2]),
        (y[0] - R[1, 0] - at * H[1, 0], y[1] - R[1, 1] - at * H[1, 1], y[2] - R[1, 2] - at * H[1, 2]),
        (z[0] - R[2, 0] - at * H[2, 0], z[1] - R[2, 1] - at * H[2, 1], z[2] - R[2, 2] - at * H[2, 2]),
    )
    square = 0.0
    for i in range(3):
        square += dR[i][0] * dR[i][0] + dR[i][1] * dR[i][1] + dR[i][2] * dR[i][2]
    dp = (p_AB_A[0] - p[0] - at * h[0], p_AB_A[1] - p[1] - at * h[1], p_AB_A[2] - p[2] - at * h[2])
    return at, dR, dp, math.sqrt(square)


@inline
def may_touch(block, change):
    """Return whether a cell of a block may touch after a `pose_change`; Eq. (C26)."""
    at, dR, dp, rotation = change
    c, n = block["centre"], block["normal"]
    x = dp[0] + dR[0][0] * c[0] + dR[0][1] * c[1] + dR[0][2] * c[2]
    y = dp[1] + dR[1][0] * c[0] + dR[1][1] * c[1] + dR[1][2] * c[2]
    z = dp[2] + dR[2][0] * c[0] + dR[2][1] * c[1] + dR[2][2] * c[2]
    turn = rotation * block["extent"]
    shift, part = math.sqrt(x * x + y * y + z * z), abs(at)
    tilt = block["normal_spread"] + block["curvature"] * part * block["path_motion"]
    towards = n[0] * x + n[1] * y + n[2] * z + turn + tilt * (shift + CORNER_WEIGHTS * turn)
    side = block["separation"][2] if at > 0.0 else block["separation"][0]
    apart = (1.0 - part) * block["separation"][1] + part * (side - (1.0 - part) * block["corner_rise"])
    return towards + 0.5 * CORNER_WEIGHTS * block["curvature"] * (shift + turn) ** 2 >= apart
