"""Access to one of the solids of all contact pairs, and the depth of points below some of its faces."""

import math

from softdock.contact.kernels.layout import FACES_ANY, FACES_CONVEX, FACES_ONE
from softdock.geometry.solids.kernels.distance import facet_depth, solid_depth, surface_bound
from softdock.geometry.solids.kernels.faces import face_depth
from softdock.geometry.solids.kernels.layout import (
    CONE,
    EDGE_CONORMALS,
    EDGE_FACES,
    EDGE_RATES,
    FACE_A,
    FACE_AXIS,
    FACE_KIND,
    FACE_POINT,
    LINK_FACE,
    ON_FACE,
    ON_FACET,
    PLANE,
    SolidArrays,
)
from softdock.native.decorators import inline, kernel


@inline
def solid_of(tables, k):
    """Return the arrays of solid k."""
    span = tables.spans[k]
    return SolidArrays(
        tables.faces[span["first_face"] : span["last_face"]],
        tables.triangles[span["first_triangle"] : span["last_triangle"]],
        tables.links[span["first_triangle"] : span["last_triangle"]],
        tables.edges[span["first_edge"] : span["last_edge"]],
        tables.edge_links[span["first_edge"] : span["last_edge"]],
        tables.vertices[span["first_vertex"] : span["last_vertex"]],
        tables.is_corner[span["first_vertex"] : span["last_vertex"]],
        tables.boxes[span["first_box"] : span["last_box"]],
    )


@kernel
def nearest_feature(solid, lists, x, y, z):
    """Return depth, gradient and nearest feature of a point below a solid, as `solid_depth` does."""
    last = lists.visited.shape[0] - 1
    lists.visited[last] += 1
    return solid_depth(solid, lists.visited, lists.visited[last], x, y, z)


@kernel
def rough_depth(solid, x, y, z):
    """Return the depth of a point below the triangles of a solid; it errs by at most three times their slack [m]."""
    _, t = surface_bound(solid, x, y, z)
    return facet_depth(solid, t, x, y, z)[0]


@kernel
def face_below(arrays, lists, pair, x, y, z):
    """Return the face of solid A that is nearest to a point (x, y, z) [m] of A; -1 for an edge or corner."""
    A = solid_of(arrays.solids, arrays.pairs[pair]["solid_A"])
    _, _, _, _, feature, number = nearest_feature(A, lists, x, y, z)
    if feature == ON_FACE:
        return number
    return A.links[number, LINK_FACE] if feature == ON_FACET else -1


@kernel
def depth_below_B(arrays, lists, pair, x, y, z):
    """Return the depth [m] of a point of B below the surface of solid B; 0 where the nearest face only closes it."""
    k = arrays.pairs[pair]["solid_B"]
    s, _, _, _, feature, number = nearest_feature(solid_of(arrays.solids, k), lists, x, y, z)
    first = arrays.solids.spans[k]["first_face"]
    if feature == ON_FACE and arrays.solids.is_closure[first + number] == 1:
        return 0.0
    return s


@inline
def smooth_switch(solid, edge, f, a, b):
    """Return how far a point is on the side of face f of a smooth edge [m]; only the sign is exact, Eq. (G44).

    a, b: gradients of the depths below f and below the other face, of numbers or SIMD vectors.
    """
    side = 0 if solid.edge_links[edge, EDGE_FACES] == f else 1
    c = EDGE_CONORMALS + 3 * side
    x, y, z = solid.edges[edge, c], solid.edges[edge, c + 1], solid.edges[edge, c + 2]
    per = 1.0 / solid.edges[edge, EDGE_RATES + side]
    return per * ((a[0] - b[0]) * x + (a[1] - b[1]) * y + (a[2] - b[2]) * z)


@kernel
def depth_below_faces(solid, lists, pair, facing, branches, faces, edge, x, y, z):
    """Return depth and gradient of a point below the faces of a cell: (s, g_x, g_y, g_z).

    `facing` and `edge` as in BLOCK; the first `branches` entries of `faces` count.
    """
    if facing == FACES_ANY:
        s, g_x, g_y, g_z, _, _ = nearest_feature(solid, lists, x, y, z)
        return s, g_x, g_y, g_z
    s, g_x, g_y, g_z = face_depth(solid.faces, faces[0], x, y, z)
    if facing == FACES_ONE:
        return s, g_x, g_y, g_z
    if facing == FACES_CONVEX:
        for k in range(1, branches):
            d, d_x, d_y, d_z = face_depth(solid.faces, faces[k], x, y, z)
            if d < s:
                s, g_x, g_y, g_z = d, d_x, d_y, d_z
        return s, g_x, g_y, g_z
    d, d_x, d_y, d_z = face_depth(solid.faces, faces[1], x, y, z)
    if smooth_switch(solid, edge, faces[0], (g_x, g_y, g_z), (d_x, d_y, d_z)) > 0.0:
        return s, g_x, g_y, g_z
    return d, d_x, d_y, d_z


@kernel
def curvature_of_face(faces, f, x, y, z):
    """Return a bound on the curvatures of the surface at constant depth below face f that contains a point [1/m]."""
    kind = faces[f, FACE_KIND]
    if kind == PLANE:
        return 0.0
    d_x, d_y, d_z = x - faces[f, FACE_POINT], y - faces[f, FACE_POINT + 1], z - faces[f, FACE_POINT + 2]
    k_x, k_y, k_z = faces[f, FACE_AXIS], faces[f, FACE_AXIS + 1], faces[f, FACE_AXIS + 2]
    h = d_x * k_x + d_y * k_y + d_z * k_z
    square = max(d_x * d_x + d_y * d_y + d_z * d_z - h * h, 0.0)
    if kind == CONE:
        return 1.0 / math.sqrt(square) if square > 0.0 else math.inf
    rho = math.sqrt(square)
    aside = rho - faces[f, FACE_A]
    radius = math.sqrt(aside * aside + h * h)
    if faces[f, FACE_A] != 0.0:
        radius = min(radius, rho)
    return 1.0 / radius if radius > 0.0 else math.inf
