"""The faces of a solid near a point, and how they meet: which depth a cell near that point needs.

Inside the material, near convex edges and corners only, the depth is the smallest of the depths below the faces; where
two faces join smoothly, it is that of one of them. Everything else needs the nearest feature of all.
"""

from softdock.contact.kernels.layout import (
    FACES_ANY,
    FACES_CONVEX,
    FACES_ONE,
    FACES_SMOOTH_PAIR,
    MOST_BRANCHES,
)
from softdock.geometry.solids.kernels.faces import face_depth
from softdock.geometry.solids.kernels.layout import (
    CONVEX,
    EDGE_CONORMALS,
    EDGE_FACES,
    EDGE_KIND,
    EDGE_SAGITTA,
    FACE_KIND,
    FACETED,
    LEAF_TRIANGLES,
    LINK_EDGES,
    LINK_FACE,
    LINK_VERTICES,
    REENTRANT,
    TANGENT,
    TRIANGLE_SLACK,
)
from softdock.geometry.solids.kernels.triangles import (
    box_distance,
    edge_distance,
    nearest_in_triangle,
    next_node,
    triangle_distance,
    triangle_point,
)
from softdock.native.decorators import inline, kernel

ROUNDING = 1e-9  # [m]
SHARP_OTHER, CONVEX_EDGE = 1, 2  # flags of WORK.near_other_edge
MOST_TRIANGLES = 200  # at the boundaries of faces near a cell
LEAST_ALIGNMENT = 0.5  # cosine between conormals of a smooth edge near a cell


@kernel
def find_near_faces(solid, box_faces, work, x, y, z, bound):
    """Find the faces within `bound` [m] of a point; return how they meet, a value of BLOCK.facing.

    Faces, their number and the nearest smooth edge are in WORK. `box_faces`: those of the solid.
    """
    boxes, links = solid.boxes, solid.links
    first_leaf, node, corner, nearest, triangles = boxes.shape[0] // 2, 0, False, bound + 1.0, 0
    work["near_count"], work["near_smooth_edge"], work["near_other_edge"] = 0, -1, 0
    while node >= 0:
        # Boxes contain the slack of their triangles.
        if is_noted(work, box_faces[node]) or box_distance(boxes, node, x, y, z) > bound * bound:
            node = next_node(node)
            continue
        if node < first_leaf:
            node = 2 * node + 1
            continue
        start = (node - first_leaf) * LEAF_TRIANGLES
        for t in range(start, min(start + LEAF_TRIANGLES, solid.triangles.shape[0])):
            if triangle_distance(solid.triangles, t, x, y, z) - solid.triangles[t, TRIANGLE_SLACK] > bound:
                continue
            if (
                not note_face(work, links[t, LINK_FACE])
                or solid.faces[links[t, LINK_FACE], FACE_KIND] == FACETED
            ):
                return FACES_ANY
            triangles += 1
            if triangles > MOST_TRIANGLES and work["near_count"] > 1:
                return FACES_ANY  # smaller cells have fewer
            corner = corner or is_corner_near(solid, t, x, y, z, bound)
            for k in range(3):
                if links[t, LINK_EDGES + k] >= 0:
                    nearest = note_edge(solid, work, links[t, LINK_EDGES + k], x, y, z, bound, nearest)
                    if work["near_other_edge"] & SHARP_OTHER:
                        return FACES_ANY
        node = next_node(node)
    return meeting_of_faces(solid, work, corner, x, y, z, bound)


@inline
def is_noted(work, f):
    """Return whether face f is among those near a cell."""
    noted = False
    for k in range(work["near_count"]):
        if work["near_faces"][k] == f:
            noted = True
    return noted


@inline
def note_face(work, f):
    """Add a face to those near a cell; return False if there are too many."""
    if is_noted(work, f):
        return True
    if work["near_count"] == MOST_BRANCHES:
        return False
    work["near_faces"][work["near_count"]] = f
    work["near_count"] += 1
    return True


@inline
def is_corner_near(solid, t, x, y, z, bound):
    """Return whether a corner of the solid at triangle t is within `bound` of a point."""
    near = False
    for k in range(3):
        v = solid.links[t, LINK_VERTICES + k]
        d_x, d_y, d_z = x - solid.vertices[v, 0], y - solid.vertices[v, 1], z - solid.vertices[v, 2]
        if solid.is_corner[v] == 1 and d_x * d_x + d_y * d_y + d_z * d_z <= bound * bound:
            near = True
    return near


@kernel
def note_edge(solid, work, e, x, y, z, bound, nearest):
    """Note an edge if it is within `bound` of a point; return the distance of the nearest smooth edge so far [m]."""
    distance = edge_distance(solid.edges, e, x, y, z)[0] - solid.edges[e, EDGE_SAGITTA]
    kind, before = solid.edge_links[e, EDGE_KIND], work["near_smooth_edge"]
    if distance > bound:
        return nearest
    if kind == REENTRANT:
        work["near_other_edge"] |= SHARP_OTHER
    elif kind == CONVEX:
        work["near_other_edge"] |= CONVEX_EDGE
    elif kind == TANGENT:
        if before >= 0 and not same_switch(solid, e, before):
            work["near_other_edge"] |= SHARP_OTHER
        if distance < nearest:
            work["near_smooth_edge"], nearest = e, distance
    return nearest


@inline
def same_switch(solid, e, other):
    """Return whether two smooth edges are between the same faces, and separate them in about the same direction."""
    f, cosine = solid.edge_links[e, EDGE_FACES], 0.0
    side = 0 if solid.edge_links[other, EDGE_FACES] == f else 1
    for k in range(3):
        cosine += solid.edges[e, EDGE_CONORMALS + k] * solid.edges[other, EDGE_CONORMALS + 3 * side + k]
    same = solid.edge_links[other, EDGE_FACES + side] == f
    return (
        same
        and solid.edge_links[other, EDGE_FACES + 1 - side] == solid.edge_links[e, EDGE_FACES + 1]
        and cosine > LEAST_ALIGNMENT
    )


@inline
def meeting_of_faces(solid, work, corner, x, y, z, bound):
    """Return how the faces in WORK meet near a point: a value of BLOCK.facing."""
    count, smooth = work["near_count"], work["near_smooth_edge"]
    if count == 1:
        return FACES_ANY if corner or smooth >= 0 else FACES_ONE
    if smooth < 0:
        return FACES_CONVEX if count > 1 and is_convex(solid, work, x, y, z, bound) else FACES_ANY
    if count == 2 and work["near_other_edge"] == 0:
        return FACES_SMOOTH_PAIR
    return FACES_ANY


@kernel
def is_convex(solid, work, x, y, z, bound):
    """Return whether the solid near a point is the common part of what lies below each of the faces in WORK.

    It is if the parts of each face within `bound` lie below all others: a rib does, a slot does not.
    """
    boxes = solid.boxes
    first_leaf, node, triangles = boxes.shape[0] // 2, 0, 0
    while node >= 0:
        if box_distance(boxes, node, x, y, z) > bound * bound:
            node = next_node(node)
            continue
        if node < first_leaf:
            node = 2 * node + 1
            continue
        start = (node - first_leaf) * LEAF_TRIANGLES
        for t in range(start, min(start + LEAF_TRIANGLES, solid.triangles.shape[0])):
            triangles += 1
            if triangles > MOST_TRIANGLES:
                return False  # not known; smaller cells have fewer
            u, v, w, _, _ = nearest_in_triangle(solid.triangles, t, x, y, z)
            q = triangle_point(solid.triangles, t, u, v, w)
            if is_beyond_reach(q, x, y, z, bound + solid.triangles[t, TRIANGLE_SLACK]):
                continue
            if not is_below_others(solid, work, t, q):
                return False
            for k in range(3):
                q = (
                    solid.triangles[t, 3 * k],
                    solid.triangles[t, 3 * k + 1],
                    solid.triangles[t, 3 * k + 2],
                )
                if not is_beyond_reach(q, x, y, z, bound) and not is_below_others(solid, work, t, q):
                    return False
        node = next_node(node)
    return True


@inline
def is_beyond_reach(q, x, y, z, bound):
    """Return whether a point q is farther than `bound` [m] from (x, y, z)."""
    return (q[0] - x) ** 2 + (q[1] - y) ** 2 + (q[2] - z) ** 2 > bound * bound


@kernel
def is_below_others(solid, work, t, q):
    """Return whether a point of triangle t, moved onto its face, is not above any other face in WORK."""
    f, slack = solid.links[t, LINK_FACE], solid.triangles[t, TRIANGLE_SLACK] + ROUNDING
    s, g_x, g_y, g_z = face_depth(solid.faces, f, q[0], q[1], q[2])
    x, y, z = q[0] - s * g_x, q[1] - s * g_y, q[2] - s * g_z
    for k in range(work["near_count"]):
        other = work["near_faces"][k]
        if other != f and face_depth(solid.faces, other, x, y, z)[0] < -slack:
            return False
    return True
