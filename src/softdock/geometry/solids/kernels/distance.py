"""Signed distance from a solid: depth below its nearest face, edge or vertex, positive inside, with its gradient."""

import math

from softdock.geometry.solids.kernels.edge_points import edge_point
from softdock.geometry.solids.kernels.faces import face_depth, has_foot
from softdock.geometry.solids.kernels.layout import (
    CONVEX,
    EDGE_KIND,
    FACE_KIND,
    FACETED,
    LEAF_TRIANGLES,
    LINK_EDGES,
    LINK_FACE,
    LINK_NEIGHBOURS,
    LINK_VERTICES,
    ON_EDGE,
    ON_FACE,
    ON_FACET,
    ON_NOTHING,
    ON_VERTEX,
    REENTRANT,
    TRIANGLE_NORMAL,
    TRIANGLE_SLACK,
    VERTEX_NORMAL,
)
from softdock.geometry.solids.kernels.triangles import (
    CORNER,
    INTERIOR,
    box_distance,
    nearest_in_triangle,
    next_node,
    triangle_distance,
    triangle_point,
)
from softdock.geometry.solids.kernels.trimming import is_within
from softdock.native.decorators import kernel

TIE = 1e-13  # [m] an edge or vertex must be nearer than a face by this much: at the boundary of a face both are equal
COINCIDENT = 1e-14  # [m] a point this near to an edge or vertex has no direction from it


@kernel
def leaf_bound(solid, leaf, bound, nearest, x, y, z):
    """Return the bound of `surface_bound` and its triangle after the triangles of a leaf."""
    triangles = solid.triangles
    start = leaf * LEAF_TRIANGLES
    for t in range(start, min(start + LEAF_TRIANGLES, triangles.shape[0])):
        distance = triangle_distance(triangles, t, x, y, z) + triangles[t, TRIANGLE_SLACK]  # Eq. (G49)
        if distance < bound:
            bound, nearest = distance, t
    return bound, nearest


@kernel
def surface_bound(solid, x, y, z):
    """Return an upper bound of the distance [m] of a point from the surface, and the nearest triangle."""
    boxes, node = solid.boxes, 0
    first_leaf = boxes.shape[0] // 2
    while node < first_leaf:  # a first bound from the leaf that is probably nearest
        node = 2 * node + 1
        if box_distance(boxes, node + 1, x, y, z) < box_distance(boxes, node, x, y, z):
            node += 1
    bound, nearest = leaf_bound(solid, node - first_leaf, math.inf, 0, x, y, z)
    node = 0
    while node >= 0:
        if box_distance(boxes, node, x, y, z) > bound * bound:
            node = next_node(node)
        elif node < first_leaf:
            node = 2 * node + 1
        else:
            bound, nearest = leaf_bound(solid, node - first_leaf, bound, nearest, x, y, z)
            node = next_node(node)
    return bound, nearest


@kernel
def facet_depth(solid, t, x, y, z):
    """Return the depth below triangle t itself, with gradient: (s, g_x, g_y, g_z); Eq. (G48) at sides and corners."""
    triangles, links = solid.triangles, solid.links
    n_x, n_y, n_z = (
        triangles[t, TRIANGLE_NORMAL],
        triangles[t, TRIANGLE_NORMAL + 1],
        triangles[t, TRIANGLE_NORMAL + 2],
    )
    u, v, w, part, number = nearest_in_triangle(triangles, t, x, y, z)
    if part == INTERIOR:
        s = (triangles[t, 0] - x) * n_x + (triangles[t, 1] - y) * n_y + (triangles[t, 2] - z) * n_z
        return s, -n_x, -n_y, -n_z
    q_x, q_y, q_z = triangle_point(triangles, t, u, v, w)
    m_x, m_y, m_z = n_x, n_y, n_z
    if part == CORNER:
        vertex = links[t, LINK_VERTICES + number]
        m_x = solid.vertices[vertex, VERTEX_NORMAL]
        m_y = solid.vertices[vertex, VERTEX_NORMAL + 1]
        m_z = solid.vertices[vertex, VERTEX_NORMAL + 2]
    else:
        beyond = links[t, LINK_NEIGHBOURS + number]
        m_x += triangles[beyond, TRIANGLE_NORMAL]
        m_y += triangles[beyond, TRIANGLE_NORMAL + 1]
        m_z += triangles[beyond, TRIANGLE_NORMAL + 2]
    return signed_distance(x - q_x, y - q_y, z - q_z, m_x, m_y, m_z, n_x, n_y, n_z)


@kernel
def signed_distance(d_x, d_y, d_z, m_x, m_y, m_z, n_x, n_y, n_z):
    """Return depth and gradient of a point at d from its nearest point, which has the pseudonormal m.

    n is the outward normal of a face there, for points that coincide with it.
    """
    distance = math.sqrt(d_x * d_x + d_y * d_y + d_z * d_z)
    if distance < COINCIDENT:
        return 0.0, -n_x, -n_y, -n_z
    scale = (-1.0 if d_x * m_x + d_y * m_y + d_z * m_z > 0.0 else 1.0) / distance
    return scale * distance * distance, scale * d_x, scale * d_y, scale * d_z


@kernel
def edge_depth(solid, e, x, y, z):
    """Return whether edge e has a foot, and depth with gradient: (found, s, g_x, g_y, g_z); s < 0 at convex edges."""
    found, q_x, q_y, q_z = edge_point(solid, e, x, y, z)
    d_x, d_y, d_z = x - q_x, y - q_y, z - q_z
    distance = math.sqrt(d_x * d_x + d_y * d_y + d_z * d_z)
    if not found or distance < COINCIDENT:  # on the edge both faces have the depth 0
        return False, 0.0, 0.0, 0.0, 0.0
    sign = -1.0 if solid.edge_links[e, EDGE_KIND] == CONVEX else 1.0
    return True, sign * distance, sign * d_x / distance, sign * d_y / distance, sign * d_z / distance


@kernel
def solid_depth(solid, visited, query, x, y, z):
    """Return the depth of a point below the surface of a solid: (s, g_x, g_y, g_z, feature, number).

    s [m] is positive inside; the gradient has length one. `feature` is the kind of the nearest feature and `number` its
    face, edge, vertex or triangle. `visited` has one entry for each face, edge and vertex that is not `query`, a number
    above 0 that no query before had.
    """
    boxes, triangles, links = solid.boxes, solid.triangles, solid.links
    bound, nearest = surface_bound(solid, x, y, z)
    first_leaf, node = boxes.shape[0] // 2, 0
    best, feature, number, s, g_x, g_y, g_z = math.inf, ON_NOTHING, nearest, 0.0, 0.0, 0.0, 0.0
    while node >= 0:
        if box_distance(boxes, node, x, y, z) > bound * bound:  # boxes contain the slack of their triangles
            node = next_node(node)
            continue
        if node < first_leaf:
            node = 2 * node + 1
            continue
        start = (node - first_leaf) * LEAF_TRIANGLES
        for t in range(start, min(start + LEAF_TRIANGLES, triangles.shape[0])):
            if triangle_distance(triangles, t, x, y, z) - triangles[t, TRIANGLE_SLACK] > min(
                bound, best + TIE
            ):
                continue
            f = links[t, LINK_FACE]
            if solid.faces[f, FACE_KIND] == FACETED:
                d, d_x, d_y, d_z = facet_depth(solid, t, x, y, z)
                if abs(d) <= best:
                    best, feature, number, s, g_x, g_y, g_z = abs(d), ON_FACET, t, d, d_x, d_y, d_z
            elif visited[f] != query:
                visited[f] = query
                d, d_x, d_y, d_z = face_depth(solid.faces, f, x, y, z)
                if (
                    abs(d) <= best + TIE
                    and has_foot(solid.faces, f, x, y, z, d)
                    and is_within(solid, f, x - d * d_x, y - d * d_y, z - d * d_z)  # Eq. (G42)
                ):
                    best, feature, number, s, g_x, g_y, g_z = abs(d), ON_FACE, f, d, d_x, d_y, d_z
            row, d, d_x, d_y, d_z = nearest_edge(solid, visited, query, t, x, y, z)
            if row >= 0 and abs(d) < best - TIE:
                best, feature, number, s, g_x, g_y, g_z = abs(d), ON_EDGE, row, d, d_x, d_y, d_z
            row, d, d_x, d_y, d_z = nearest_corner(solid, visited, query, t, x, y, z)
            if row >= 0 and abs(d) < best - TIE:
                best, feature, number, s, g_x, g_y, g_z = abs(d), ON_VERTEX, row, d, d_x, d_y, d_z
        node = next_node(node)
    if feature == ON_NOTHING:
        s, g_x, g_y, g_z = facet_depth(solid, nearest, x, y, z)
    return s, g_x, g_y, g_z, feature, number


@kernel
def nearest_edge(solid, visited, query, t, x, y, z):
    """Return the nearest sharp edge at the sides of triangle t, not yet visited: (edge or -1, s, g_x, g_y, g_z)."""
    row, s, g_x, g_y, g_z = -1, math.inf, 0.0, 0.0, 0.0
    for k in range(3):
        e = solid.links[t, LINK_EDGES + k]
        if e < 0:
            continue
        kind, mark = solid.edge_links[e, EDGE_KIND], solid.faces.shape[0] + e
        if (kind != CONVEX and kind != REENTRANT) or visited[mark] == query:
            continue
        visited[mark] = query
        found, d, d_x, d_y, d_z = edge_depth(solid, e, x, y, z)
        if found and abs(d) < abs(s):
            row, s, g_x, g_y, g_z = e, d, d_x, d_y, d_z
    return row, s, g_x, g_y, g_z


@kernel
def nearest_corner(solid, visited, query, t, x, y, z):
    """Return the nearest corner of the solid at triangle t, not yet visited: (vertex or -1, s, g_x, g_y, g_z)."""
    row, s, g_x, g_y, g_z = -1, math.inf, 0.0, 0.0, 0.0
    first = solid.faces.shape[0] + solid.edges.shape[0]
    for k in range(3):
        v = solid.links[t, LINK_VERTICES + k]
        if solid.is_corner[v] == 0 or visited[first + v] == query:
            continue
        visited[first + v] = query
        m_x, m_y, m_z = (
            solid.vertices[v, VERTEX_NORMAL],
            solid.vertices[v, VERTEX_NORMAL + 1],
            solid.vertices[v, VERTEX_NORMAL + 2],
        )
        d_x, d_y, d_z = x - solid.vertices[v, 0], y - solid.vertices[v, 1], z - solid.vertices[v, 2]
        d, e_x, e_y, e_z = signed_distance(d_x, d_y, d_z, m_x, m_y, m_z, m_x, m_y, m_z)
        if abs(d) < abs(s):
            row, s, g_x, g_y, g_z = v, d, e_x, e_y, e_z
    return row, s, g_x, g_y, g_z


@kernel
def solid_depths(solid, visited, points, results, features):
    """Write depth and gradient of points below a solid to `results`, and their nearest features to `features`.

    `points` (n, 3) [m], `results` (n, 4), `features` (n, 2): kind and number; `visited` contains zeros.
    """
    for i in range(points.shape[0]):
        s, g_x, g_y, g_z, feature, number = solid_depth(
            solid, visited, i + 1, points[i, 0], points[i, 1], points[i, 2]
        )
        results[i, 0], results[i, 1], results[i, 2], results[i, 3] = s, g_x, g_y, g_z
        features[i, 0], features[i, 1] = feature, number
