"""Penetration checks: depth of touching points against the wall thickness, and contact beyond an open meridian."""

import math

from softdock.contact.kernels.cell_geometry import to_A
from softdock.contact.kernels.layout import BLOCK_CELLS, POINTS, SOLID_PAIR
from softdock.contact.kernels.solids.penetration import check_solid_penetration
from softdock.geometry.kernels import TINY, nearest_segment, opposite_face_distance
from softdock.native.decorators import kernel

MIDDLE_SHARE = 0.98  # of half the wall thickness: the depth that counts as the middle of a wall
DEEP_SHARE = 0.5  # of half the wall thickness: points this deep on both faces of a wall mean penetration


@kernel
def check_penetration(arrays, lists, pair, R_AB, p_AB_A):
    """Check all touching points of a pair; return (largest depth over half the wall thickness, through, beyond).

    `through` is 1 if a point of B is past the middle of a wall of A, or A's surface past that of a wall of B. `beyond`
    is 1 if a point touches an end face or the back face of A, which are not part of its profile. Eqs. (C34), (C35).
    """
    segments, data, work = arrays.segments, arrays.pairs[pair], lists.work[pair]
    if data["surface_kind"] == SOLID_PAIR:
        return check_solid_penetration(arrays, lists, pair, R_AB, p_AB_A)
    first, last = data["first_segment"], data["last_segment"]
    points = 1 if data["quadrature"] == POINTS else 4
    largest, through, beyond = 0.0, 0, 0
    first_normal = (0.0, 0.0, 0.0)
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        for i in range(points * BLOCK_CELLS):
            lane = i % BLOCK_CELLS
            if lane >= block["count"]:
                continue
            X, Y, Z = block["x"][i], block["y"][i], block["z"][i]
            x, y, z = to_A(R_AB, p_AB_A, X, Y, Z)
            r = math.sqrt(x * x + y * y)
            row, s, n_z, n_r = nearest_segment(segments, block["first"][lane], block["last"][lane], z, r)
            if s <= 0.0:
                continue
            if row < data["first_described"] or row > data["last_described"]:
                beyond = 1
            share = 2.0 * s / (s + opposite_face_distance(segments, first, last, z, r, n_z, n_r))  # Eq. (C34)
            normal = (n_r * x / (r + TINY), n_r * y / (r + TINY), n_z)
            if share > DEEP_SHARE:
                if (
                    first_normal[0] * normal[0] + first_normal[1] * normal[1] + first_normal[2] * normal[2]
                    < -0.5
                ):
                    through = 1
                if first_normal[0] == 0.0 and first_normal[1] == 0.0 and first_normal[2] == 0.0:
                    first_normal = normal
            largest = max(largest, share)
            R = math.sqrt(X * X + Y * Y)
            _, _, m_z, m_r = nearest_segment(segments, data["first_segment_B"], data["last_segment_B"], Z, R)
            thickness = opposite_face_distance(
                segments, data["first_segment_B"], data["last_segment_B"], Z, R, m_z, m_r
            )
            largest = max(largest, 2.0 * s / thickness)  # Eq. (C35)
    if largest >= MIDDLE_SHARE:
        through = 1
    return largest, through, beyond
