"""The point of an edge that is nearest to a point."""

import math

from softdock.geometry.solids.kernels.faces import face_depth
from softdock.geometry.solids.kernels.layout import (
    CIRCULAR,
    EDGE_AXIS,
    EDGE_CENTRE,
    EDGE_CURVE,
    EDGE_FACES,
    EDGE_RADIUS,
    EDGE_SAGITTA,
    EDGE_STOPS,
    STRAIGHT,
)
from softdock.geometry.solids.kernels.triangles import along_edge
from softdock.native.decorators import kernel

ITERATIONS = 20
PARALLEL = 1e-12  # square of the sine of the angle between two faces; edges are sharp above 1e-6
CONVERGED = 1e-26  # [m2] square of the last step
NEAR_CURVE = 1e-9  # [m] added to the sagitta, for rounding
# Part of a segment beyond its ends whose feet belong to it too, for rounding, unless the curve ends there.
OVERLAP = 1e-6


@kernel
def nearest_on_curve(solid, e, x, y, z):
    """Return the nearest point (x, y, z) of the whole line or circle of edge e, or the foot by Newton's method."""
    edges, curve = solid.edges, solid.edge_links[e, EDGE_CURVE]
    along, _ = along_edge(edges, e, x, y, z)
    if curve == CIRCULAR:
        k_x, k_y, k_z = edges[e, EDGE_AXIS], edges[e, EDGE_AXIS + 1], edges[e, EDGE_AXIS + 2]
        o_x, o_y, o_z = edges[e, EDGE_CENTRE], edges[e, EDGE_CENTRE + 1], edges[e, EDGE_CENTRE + 2]
        d_x, d_y, d_z = x - o_x, y - o_y, z - o_z
        h = d_x * k_x + d_y * k_y + d_z * k_z
        d_x, d_y, d_z = d_x - h * k_x, d_y - h * k_y, d_z - h * k_z
        rho = math.sqrt(d_x * d_x + d_y * d_y + d_z * d_z)
        if rho > NEAR_CURVE * edges[e, EDGE_RADIUS]:
            scale = edges[e, EDGE_RADIUS] / rho  # Eq. (G46)
            return o_x + scale * d_x, o_y + scale * d_y, o_z + scale * d_z
        return edges[e, 0], edges[e, 1], edges[e, 2]  # on the axis all points of the circle are equally near
    if curve != STRAIGHT:
        along = min(max(along, 0.0), 1.0)
    q_x = edges[e, 0] + along * (edges[e, 3] - edges[e, 0])
    q_y = edges[e, 1] + along * (edges[e, 4] - edges[e, 1])
    q_z = edges[e, 2] + along * (edges[e, 5] - edges[e, 2])
    if curve == STRAIGHT:
        return q_x, q_y, q_z
    return foot_on_intersection(solid, e, x, y, z, q_x, q_y, q_z)


@kernel
def foot_on_intersection(solid, e, p_x, p_y, p_z, x, y, z):
    """Return the point of the intersection of edge e's faces where (p - x) is normal to it, near a first guess."""
    faces, f, h = solid.faces, solid.edge_links[e, EDGE_FACES], solid.edge_links[e, EDGE_FACES + 1]
    for _ in range(ITERATIONS):
        a, a_x, a_y, a_z = face_depth(faces, f, x, y, z)
        b, b_x, b_y, b_z = face_depth(faces, h, x, y, z)
        t_x, t_y, t_z = a_y * b_z - a_z * b_y, a_z * b_x - a_x * b_z, a_x * b_y - a_y * b_x
        square = (
            t_x * t_x + t_y * t_y + t_z * t_z
        )  # sin^2 of the angle between the faces; not 0 at these edges
        cosine = a_x * b_x + a_y * b_y + a_z * b_z
        if square < PARALLEL:  # the faces meet smoothly here: the step is not defined
            break
        along = ((p_x - x) * t_x + (p_y - y) * t_y + (p_z - z) * t_z) / square
        alpha, beta = (cosine * b - a) / square, (cosine * a - b) / square
        d_x = alpha * a_x + beta * b_x + along * t_x  # Eq. (G47)
        d_y = alpha * a_y + beta * b_y + along * t_y
        d_z = alpha * a_z + beta * b_z + along * t_z
        x, y, z = x + d_x, y + d_y, z + d_z
        if d_x * d_x + d_y * d_y + d_z * d_z < CONVERGED:
            break
    return x, y, z


@kernel
def edge_point(solid, e, x, y, z):
    """Return whether edge e has a foot of a point, and the foot: (found, q_x, q_y, q_z)."""
    edges, links = solid.edges, solid.edge_links
    q_x, q_y, q_z = nearest_on_curve(solid, e, x, y, z)
    along, aside = along_edge(edges, e, q_x, q_y, q_z)
    low = 0.0 if links[e, EDGE_STOPS] == 1 else -OVERLAP
    high = 1.0 if links[e, EDGE_STOPS + 1] == 1 else 1.0 + OVERLAP
    found = low <= along <= high and aside <= 3.0 * edges[e, EDGE_SAGITTA] + NEAR_CURVE
    return found, q_x, q_y, q_z
