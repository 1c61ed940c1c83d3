"""Bounds that show whether a block of cells of a solid may touch after a small motion of B; see `block_bounds`."""

import math

from softdock.contact.kernels.block_bounds import corner_distance_bound
from softdock.contact.kernels.cell_forces import load_four
from softdock.contact.kernels.cell_geometry import path_motion
from softdock.contact.kernels.cut_cell import CORNER_WEIGHTS
from softdock.contact.kernels.layout import BLOCK_CELLS, FACES_ANY, FACES_CONVEX, FACES_SMOOTH_PAIR, RECTANGLE
from softdock.contact.kernels.solids.block_depths import measure_block
from softdock.contact.kernels.solids.tables import curvature_of_face
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, broadcast, horizontal_max, load_vector, maximum, select_positive


@kernel
def set_solid_bounds(A, lists, pair, block, R_AB, p_AB_A, half_R, half_p):
    """Set the bounds of a block for a path: centre, normals and curvature; see layout.BLOCK."""
    work, count = lists.work[pair], block["count"]
    c_x, c_y, c_z = 0.0, 0.0, 0.0
    for i in range(count):
        c_x, c_y, c_z = c_x + block["x"][i], c_y + block["y"][i], c_z + block["z"][i]
    c_x, c_y, c_z = c_x / count, c_y / count, c_z / count
    smooth = block["facing"] != FACES_ANY and block["facing"] != FACES_CONVEX
    smooth = smooth and block["cell_shape"] == RECTANGLE
    sizes = broadcast(0.0)
    for half in range(0, count, LANES):
        area, weight = load_vector(block["area"], half), load_vector(block["lower_weight"], half)
        x, y, z = load_four(block["x"], half), load_four(block["y"], half), load_four(block["z"], half)
        bound = corner_distance_bound(x, y, z, weight, c_x, c_y, c_z)
        sizes = maximum(sizes, select_positive(area, bound, 0.0))
    size = horizontal_max(sizes)
    if block["cell_shape"] != RECTANGLE:
        size = extent_of_triangles(block, c_x, c_y, c_z)
    block["path_motion"] = path_motion(half_R, half_p, c_x, c_y, c_z)[0] + work["path_turn"] * size
    block["centre"][0], block["centre"][1], block["centre"][2] = c_x, c_y, c_z
    block["extent"] = size
    radius = 0.0
    if smooth:
        measure_block(A, lists, pair, block, R_AB, p_AB_A)
        radius = radius_of_curvature(A, block, work) - work["reach"] - block["path_motion"]
    if radius > work["reach"]:
        set_normals(block, work)
        block["curvature"] = 1.0 / radius
        block["corner_rise"] = (
            0.5 * CORNER_WEIGHTS * block["curvature"] * block["path_motion"] ** 2
        )  # Eq. (C33)
    else:  # only the Lipschitz bound of the depth holds
        block["normal"][0], block["normal"][1], block["normal"][2] = 0.0, 0.0, 0.0
        block["normal_spread"], block["curvature"] = CORNER_WEIGHTS, 0.0
        block["corner_rise"] = 2.0 * CORNER_WEIGHTS * block["path_motion"]


@inline
def extent_of_triangles(block, x, y, z):
    """Return a bound on the distance of the corners of triangles from a point [m], from their three points."""
    largest = 0.0
    for i in range(3 * BLOCK_CELLS):
        if i % BLOCK_CELLS < block["count"]:
            d_x, d_y, d_z = block["x"][i] - x, block["y"][i] - y, block["z"][i] - z
            largest = max(largest, d_x * d_x + d_y * d_y + d_z * d_z)
    return 3.0 * math.sqrt(largest)


@inline
def radius_of_curvature(A, block, work):
    """Return the smallest radius of curvature [m] of the surfaces of constant depth at the points of a block."""
    radius = math.inf
    for k in range(2 if block["facing"] == FACES_SMOOTH_PAIR else 1):
        for i in range(4 * BLOCK_CELLS):
            if i % BLOCK_CELLS < block["count"]:
                bend = curvature_of_face(A.faces, block["faces"][k], work["x"][i], work["y"][i], work["z"][i])
                if bend > 0.0:
                    radius = min(radius, 1.0 / bend)
    return radius


@inline
def set_normals(block, work):
    """Set the mean normal of a block and the largest difference from it, from stored gradients."""
    n_x, n_y, n_z, spreads = 0.0, 0.0, 0.0, broadcast(0.0)
    for i in range(block["count"]):
        n_x, n_y, n_z = (
            n_x + work["branch_x"][0, i],
            n_y + work["branch_y"][0, i],
            n_z + work["branch_z"][0, i],
        )
    scale = 1.0 / (math.sqrt(n_x * n_x + n_y * n_y + n_z * n_z) + 1e-300)
    n_x, n_y, n_z = scale * n_x, scale * n_y, scale * n_z
    for half in range(0, block["count"], LANES):
        area, weight = load_vector(block["area"], half), load_vector(block["lower_weight"], half)
        x, y, z = (
            load_four(work["branch_x"][0], half),
            load_four(work["branch_y"][0], half),
            load_four(work["branch_z"][0], half),
        )
        bound = corner_distance_bound(x, y, z, weight, n_x, n_y, n_z)
        spreads = maximum(spreads, select_positive(area, bound, 0.0))
    block["normal"][0], block["normal"][1], block["normal"][2] = n_x, n_y, n_z
    block["normal_spread"] = horizontal_max(spreads)
