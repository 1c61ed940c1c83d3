"""Whether a point of the surface of a face lies within the face.

The curves that bound a face are not needed: near one of them the sign of the depth below the neighbour decides, and
elsewhere the triangles of the face do.
"""

import math

from softdock.geometry.solids.kernels.faces import face_depth
from softdock.geometry.solids.kernels.layout import (
    CONVEX,
    EDGE_CONORMALS,
    EDGE_CONVEX_TURNS,
    EDGE_END,
    EDGE_FACES,
    EDGE_KIND,
    EDGE_RATES,
    EDGE_REACH,
    EDGE_START,
    EDGE_TURNS,
    LEAF_TRIANGLES,
    LINK_EDGES,
    LINK_FACE,
    REENTRANT,
    TANGENT,
    TRIANGLE_SLACK,
)
from softdock.geometry.solids.kernels.triangles import (
    box_distance,
    edge_distance,
    next_node,
    triangle_distance,
)
from softdock.native.decorators import kernel

# [m] Points within this distance beyond a boundary count as within. Transversal: beyond it the edge itself is the
# nearest point, so nothing is lost or doubled. Tangential: both faces differ there by curvature * width^2 / 2 < 1e-15.
ROUNDING, SMOOTH_OVERLAP = 1e-12, 1e-9
TIE = 1e-9  # [m] two triangles are equally near; distances from very narrow ones have large rounding errors
NEAR = 1e-9  # [m] added to the reach of triangles, for rounding


@kernel
def side_of(solid, e, f, x, y, z):
    """Return how far a point of the surface of face f lies on f's side of edge e [m]; only the sign is exact."""
    edges, links, faces = solid.edges, solid.edge_links, solid.faces
    side = 0 if links[e, EDGE_FACES] == f else 1
    h, kind = links[e, EDGE_FACES + 1 - side], links[e, EDGE_KIND]
    c = EDGE_CONORMALS + 3 * side
    c_x, c_y, c_z = edges[e, c], edges[e, c + 1], edges[e, c + 2]
    if kind == CONVEX or kind == REENTRANT:
        s, _, _, _ = face_depth(faces, h, x, y, z)
        return s if kind == CONVEX else -s  # Eq. (G43)
    if kind == TANGENT:
        _, f_x, f_y, f_z = face_depth(faces, f, x, y, z)
        _, h_x, h_y, h_z = face_depth(faces, h, x, y, z)
        switch = (f_x - h_x) * c_x + (f_y - h_y) * c_y + (f_z - h_z) * c_z
        return switch / edges[e, EDGE_RATES + side]  # Eq. (G44)
    m_x = 0.5 * (edges[e, EDGE_START] + edges[e, EDGE_END])
    m_y = 0.5 * (edges[e, EDGE_START + 1] + edges[e, EDGE_END + 1])
    m_z = 0.5 * (edges[e, EDGE_START + 2] + edges[e, EDGE_END + 2])
    return (x - m_x) * c_x + (y - m_y) * c_y + (z - m_z) * c_z


@kernel
def overlap_of(solid, e):
    """Return the distance beyond edge e up to which points count as within [m]."""
    kind = solid.edge_links[e, EDGE_KIND]
    return ROUNDING if kind == CONVEX or kind == REENTRANT else SMOOTH_OVERLAP


@kernel
def is_beyond(solid, e, along, f, x, y, z):
    """Return whether a point of the surface of face f, nearest to edge e at `along` (0 to 1), is outside the face."""
    links = solid.edge_links
    outside = side_of(solid, e, f, x, y, z) < -overlap_of(solid, e)
    side, end = 0 if links[e, EDGE_FACES] == f else 1, 1 if along > 0.5 else 0
    other = links[e, EDGE_TURNS + 2 * side + end]
    if other < 0:
        return outside
    reach = max(solid.edges[e, EDGE_REACH], solid.edges[other, EDGE_REACH])
    if edge_distance(solid.edges, other, x, y, z)[0] > reach:
        return outside
    beyond = side_of(solid, other, f, x, y, z) < -overlap_of(solid, other)
    if links[e, EDGE_CONVEX_TURNS + 2 * side + end] == 1:  # Eq. (G45)
        return outside or beyond
    return outside and beyond


@kernel
def is_within(solid, f, x, y, z):
    """Return whether a point of the surface of face f lies within the face."""
    boxes, links, triangles = solid.boxes, solid.links, solid.triangles
    first_leaf, node, distance, slack = boxes.shape[0] // 2, 0, math.inf, 0.0
    edge, nearest, edge_along = -1, math.inf, 0.0
    while node >= 0:
        if box_distance(boxes, node, x, y, z) > 0.0:  # boxes contain the reach of their triangles and edges
            node = next_node(node)
            continue
        if node < first_leaf:
            node = 2 * node + 1
            continue
        start = (node - first_leaf) * LEAF_TRIANGLES
        for t in range(start, min(start + LEAF_TRIANGLES, triangles.shape[0])):
            if links[t, LINK_FACE] != f:
                continue
            d = triangle_distance(triangles, t, x, y, z)
            if d < distance - TIE:
                distance, slack = d, triangles[t, TRIANGLE_SLACK]
            elif d <= distance + TIE:  # a side or corner of two triangles
                slack = max(slack, triangles[t, TRIANGLE_SLACK])
            for k in range(3):
                e = links[t, LINK_EDGES + k]
                if e >= 0:
                    d, along = edge_distance(solid.edges, e, x, y, z)
                    if d < nearest:
                        edge, nearest, edge_along = e, d, along
        node = next_node(node)
    if edge < 0 or nearest > solid.edges[edge, EDGE_REACH]:
        return distance <= 2.0 * slack + NEAR
    return not is_beyond(solid, edge, edge_along, f, x, y, z)


@kernel
def points_within_faces(solid, index, points, within):
    """Write 1 for points of surfaces of faces, with numbers in `index`, that lie within the faces, 0 for others."""
    for i in range(points.shape[0]):
        within[i] = 1 if is_within(solid, index[i], points[i, 0], points[i, 1], points[i, 2]) else 0
