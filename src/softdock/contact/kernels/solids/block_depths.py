"""Depths and gradients of the points of a block of cells below the faces of A that they face, eight at a time."""

from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    FACES_ANY,
    FACES_SMOOTH_PAIR,
    RECTANGLE,
)
from softdock.contact.kernels.point_depths import inverse_sqrt, load_points_in_A
from softdock.contact.kernels.solids.tables import nearest_feature, smooth_switch
from softdock.geometry.solids.kernels.layout import (
    CONE,
    FACE_A,
    FACE_AXIS,
    FACE_B,
    FACE_C,
    FACE_KIND,
    FACE_POINT,
    FACE_SENSE,
    PLANE,
)
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, broadcast, fma, select_positive, store, store_vector


@inline
def depth_below_face(faces, f, x, y, z):
    """Return depth and gradient of eight points below the unbounded surface of face f: (s, g_x, g_y, g_z)."""
    k_x, k_y, k_z = faces[f, FACE_AXIS], faces[f, FACE_AXIS + 1], faces[f, FACE_AXIS + 2]
    d_x, d_y, d_z = x - faces[f, FACE_POINT], y - faces[f, FACE_POINT + 1], z - faces[f, FACE_POINT + 2]
    h = fma(d_x, k_x, fma(d_y, k_y, d_z * k_z))
    sense = faces[f, FACE_SENSE]
    if faces[f, FACE_KIND] == PLANE:
        return sense * h, broadcast(sense * k_x), broadcast(sense * k_y), broadcast(sense * k_z)  # Eq. (G40)
    a, b = faces[f, FACE_A], faces[f, FACE_B]
    if faces[f, FACE_KIND] != CONE and a == 0.0:  # a sphere
        square = fma(d_x, d_x, fma(d_y, d_y, d_z * d_z))
        inverse = inverse_sqrt(square)
        scale = sense * inverse
        return sense * (square * inverse - b), scale * d_x, scale * d_y, scale * d_z
    r_x, r_y, r_z = fma(-k_x, h, d_x), fma(-k_y, h, d_y), fma(-k_z, h, d_z)
    square = fma(r_x, r_x, fma(r_y, r_y, r_z * r_z))
    inverse = inverse_sqrt(square)
    rho = square * inverse
    if faces[f, FACE_KIND] == CONE:
        radial, axial = (sense * b) * inverse, broadcast(sense * a)
        s = sense * fma(a, h, fma(b, rho, faces[f, FACE_C]))  # Eq. (G40)
    else:
        beside = rho - a
        square = fma(beside, beside, h * h)
        per = inverse_sqrt(square)
        s = sense * (square * per - b)  # Eq. (G41)
        radial, axial = sense * per * beside * inverse, sense * per * h
    return (
        s,
        fma(radial, r_x, axial * k_x),
        fma(radial, r_y, axial * k_y),
        fma(radial, r_z, axial * k_z),
    )


@inline
def depth_below_block(A, block, x, y, z):
    """Return depth and gradient of eight points below the face of a block, or below its two smoothly joined faces."""
    below = depth_below_face(A.faces, block["faces"][0], x, y, z)
    if block["facing"] != FACES_SMOOTH_PAIR:
        return below
    other = depth_below_face(A.faces, block["faces"][1], x, y, z)
    side = smooth_switch(
        A,
        block["edge"],
        block["faces"][0],
        (below[1], below[2], below[3]),
        (other[1], other[2], other[3]),
    )
    return (
        select_positive(side, below[0], other[0]),
        select_positive(side, below[1], other[1]),
        select_positive(side, below[2], other[2]),
        select_positive(side, below[3], other[3]),
    )


@kernel
def measure_block(A, lists, pair, block, R_AB, p_AB_A):
    """Store the points of a block in A, and their depths and gradients below each of its branches, in WORK."""
    work = lists.work[pair]
    points = 4 if block["cell_shape"] == RECTANGLE else 3
    for point in range(points):
        for half in range(0, block["count"], LANES):
            i = point * BLOCK_CELLS + half
            x, y, z = load_points_in_A(block, i, R_AB, p_AB_A)
            store_vector(work["x"], i, x)
            store_vector(work["y"], i, y)
            store_vector(work["z"], i, z)
            if block["facing"] == FACES_ANY:
                search_points(A, lists, pair, block, i)
            elif block["branches"] == 1:
                s, g_x, g_y, g_z = depth_below_block(A, block, x, y, z)
                store_branch(work, 0, i, s, g_x, g_y, g_z)
            else:
                for k in range(block["branches"]):
                    s, g_x, g_y, g_z = depth_below_face(A.faces, block["faces"][k], x, y, z)
                    store_branch(work, k, i, s, g_x, g_y, g_z)


@inline
def store_branch(work, k, i, s, g_x, g_y, g_z):
    """Store depth and gradient of eight points below branch k, from point i on."""
    store(work["branch_s"], k, i, s)
    store(work["branch_x"], k, i, g_x)
    store(work["branch_y"], k, i, g_y)
    store(work["branch_z"], k, i, g_z)


@kernel
def search_points(A, lists, pair, block, first):
    """Store depth and gradient of eight points below the nearest feature of A."""
    work = lists.work[pair]
    for i in range(first, first + LANES):
        if i % BLOCK_CELLS >= block["count"]:
            continue
        s, g_x, g_y, g_z, _, _ = nearest_feature(A, lists, work["x"][i], work["y"][i], work["z"][i])
        work["branch_s"][0, i], work["branch_x"][0, i] = s, g_x
        work["branch_y"][0, i], work["branch_z"][0, i] = g_y, g_z
