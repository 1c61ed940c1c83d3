"""Depth of the touching points of two solids against the thickness of their walls."""

import math

from softdock.contact.kernels.cell_geometry import to_A
from softdock.contact.kernels.layout import BLOCK_CELLS, RECTANGLE
from softdock.contact.kernels.solids.tables import nearest_feature, solid_of
from softdock.geometry.solids.kernels.faces import face_depth
from softdock.geometry.solids.kernels.layout import FACE_KIND, FACETED, LINK_FACE, ON_FACE, ON_FACET
from softdock.geometry.solids.kernels.rays import wall_behind
from softdock.native.decorators import inline, kernel

MIDDLE_SHARE = 0.98  # of half the wall thickness: the depth that counts as the middle of a wall
DEEP_SHARE = 0.5  # of half the wall thickness: points this deep on both faces of a wall mean penetration
OPPOSED = -0.5  # cosine between the normals of the faces of a wall, at most


@kernel
def check_solid_penetration(arrays, lists, pair, R_AB, p_AB_A):
    """Check all touching points of a pair of solids; return (largest depth over half the wall, through, beyond).

    As `check_penetration`; `beyond`: a point touches a face that only closes A behind. Eqs. (C34), (C35).
    """
    data, work, tables = arrays.pairs[pair], lists.work[pair], arrays.solids
    A, B = solid_of(tables, data["solid_A"]), solid_of(tables, data["solid_B"])
    first_face = tables.spans[data["solid_A"]]["first_face"]
    largest, through, beyond, first = 0.0, 0, 0, (0.0, 0.0, 0.0)
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        for i in range((4 if block["cell_shape"] == RECTANGLE else 3) * BLOCK_CELLS):
            if i % BLOCK_CELLS >= block["count"]:
                continue
            x, y, z = to_A(R_AB, p_AB_A, block["x"][i], block["y"][i], block["z"][i])
            s, g_x, g_y, g_z, feature, number = nearest_feature(A, lists, x, y, z)
            if s <= 0.0:
                continue
            largest = max(largest, 2.0 * s / wall_of_B(B, block, i))  # Eq. (C35)
            if feature != ON_FACE and feature != ON_FACET:
                continue
            face = number if feature == ON_FACE else A.links[number, LINK_FACE]
            if tables.is_closure[first_face + face] == 1:
                beyond = 1
            wall = wall_behind(A, face, x - s * g_x, y - s * g_y, z - s * g_z, g_x, g_y, g_z)
            share = 2.0 * s / wall  # Eq. (C34)
            if share > DEEP_SHARE:
                if first[0] * g_x + first[1] * g_y + first[2] * g_z < OPPOSED:
                    through = 1
                if first[0] == 0.0 and first[1] == 0.0 and first[2] == 0.0:
                    first = (g_x, g_y, g_z)
            largest = max(largest, share)
    if largest >= MIDDLE_SHARE:
        through = 1
    return largest, through, beyond


@inline
def wall_of_B(B, block, i):
    """Return how thick the material of B is behind a point of a cell [m]."""
    cell, x, y, z = i % BLOCK_CELLS, block["x"][i], block["y"][i], block["z"][i]
    face, g_x, g_y, g_z = block["first"][cell], 0.0, 0.0, 0.0
    if B.faces[face, FACE_KIND] != FACETED:
        _, g_x, g_y, g_z = face_depth(B.faces, face, x, y, z)
    else:  # the points of a facet are counterclockwise, seen from outside
        k, m = cell + BLOCK_CELLS, cell + 2 * BLOCK_CELLS
        a_x, a_y = block["x"][k] - block["x"][cell], block["y"][k] - block["y"][cell]
        a_z, b_z = block["z"][k] - block["z"][cell], block["z"][m] - block["z"][cell]
        b_x, b_y = block["x"][m] - block["x"][cell], block["y"][m] - block["y"][cell]
        g_x, g_y, g_z = a_z * b_y - a_y * b_z, a_x * b_z - a_z * b_x, a_y * b_x - a_x * b_y
        scale = 1.0 / math.sqrt(g_x * g_x + g_y * g_y + g_z * g_z)
        g_x, g_y, g_z = scale * g_x, scale * g_y, scale * g_z
    return wall_behind(B, face, x, y, z, g_x, g_y, g_z)
