"""Rays through the material of a solid, which measure its walls, and crossings of its faces."""

import math

from softdock.geometry.solids.kernels.faces import face_depth
from softdock.geometry.solids.kernels.layout import (
    FACE_KIND,
    FACETED,
    LEAF_TRIANGLES,
    LINK_FACE,
    LINK_VERTICES,
    TRIANGLE_NORMAL,
    TRIANGLE_SLACK,
)
from softdock.geometry.solids.kernels.triangles import next_node
from softdock.native.decorators import kernel

# Faces of a wall have opposite normals within 11 deg; others form an edge or a tip (as in a meridian).
OPPOSED_COSINE = 0.98
SHORTEST_RAY = (
    1e-6  # [m] shorter rays end at the face where they start: the ends of triangles have this accuracy
)
ITERATIONS = 8
PARALLEL = 1e-12  # cosine of a ray that runs along a triangle


@kernel
def crosses_box(boxes, node, x, y, z, u_x, u_y, u_z, farthest):
    """Return whether a ray from a point along u meets a box within a distance [m]."""
    low, high = 0.0, farthest
    for k in range(3):
        origin = x if k == 0 else (y if k == 1 else z)
        step = u_x if k == 0 else (u_y if k == 1 else u_z)
        if abs(step) < PARALLEL:
            if origin < boxes[node, k] or origin > boxes[node, k + 3]:
                return False
            continue
        first, second = (boxes[node, k] - origin) / step, (boxes[node, k + 3] - origin) / step
        low, high = max(low, min(first, second)), min(high, max(first, second))
    return low <= high


@kernel
def crossing(triangles, t, x, y, z, u_x, u_y, u_z):
    """Return the distance along u at which a line meets triangle t, in units of u; NaN where it does not."""
    n_x, n_y, n_z = (
        triangles[t, TRIANGLE_NORMAL],
        triangles[t, TRIANGLE_NORMAL + 1],
        triangles[t, TRIANGLE_NORMAL + 2],
    )
    rate = u_x * n_x + u_y * n_y + u_z * n_z
    length = math.sqrt(u_x * u_x + u_y * u_y + u_z * u_z)
    if abs(rate) < PARALLEL * length:
        return math.nan
    d = (triangles[t, 0] - x) * n_x + (triangles[t, 1] - y) * n_y + (triangles[t, 2] - z) * n_z
    along = d / rate
    p_x, p_y, p_z = x + along * u_x, y + along * u_y, z + along * u_z
    for k in range(3):
        a, b = 3 * k, 3 * ((k + 1) % 3)
        e_x, e_y, e_z = (
            triangles[t, b] - triangles[t, a],
            triangles[t, b + 1] - triangles[t, a + 1],
            triangles[t, b + 2] - triangles[t, a + 2],
        )
        q_x, q_y, q_z = p_x - triangles[t, a], p_y - triangles[t, a + 1], p_z - triangles[t, a + 2]
        turn = (e_y * q_z - e_z * q_y) * n_x + (e_z * q_x - e_x * q_z) * n_y + (e_x * q_y - e_y * q_x) * n_z
        if turn < 0.0:
            return math.nan
    return along


@kernel
def wall_behind(solid, own, x, y, z, u_x, u_y, u_z):
    """Return how thick the material is along the inward normal u at a point of face `own` [m]; infinite without a wall.

    The opposite face counts if its normal is opposed; the distance to it is that of the exact face.
    """
    boxes, node, best, hit = solid.boxes, 0, math.inf, -1
    first_leaf = boxes.shape[0] // 2
    while node >= 0:
        if not crosses_box(boxes, node, x, y, z, u_x, u_y, u_z, best):
            node = next_node(node)
            continue
        if node < first_leaf:
            node = 2 * node + 1
            continue
        start = (node - first_leaf) * LEAF_TRIANGLES
        for t in range(start, min(start + LEAF_TRIANGLES, solid.triangles.shape[0])):
            along = crossing(solid.triangles, t, x, y, z, u_x, u_y, u_z)
            least = SHORTEST_RAY
            if solid.links[t, LINK_FACE] == own:
                least += 2.0 * solid.triangles[t, TRIANGLE_SLACK]
            if along > least and along < best:
                best, hit = along, t
        node = next_node(node)
    if hit < 0:
        return math.inf
    f = solid.links[hit, LINK_FACE]
    cosine = (
        u_x * solid.triangles[hit, TRIANGLE_NORMAL]
        + u_y * solid.triangles[hit, TRIANGLE_NORMAL + 1]
        + u_z * solid.triangles[hit, TRIANGLE_NORMAL + 2]
    )
    if solid.faces[f, FACE_KIND] != FACETED:
        for _ in range(ITERATIONS):
            s, g_x, g_y, g_z = face_depth(solid.faces, f, x + best * u_x, y + best * u_y, z + best * u_z)
            cosine = -(u_x * g_x + u_y * g_y + u_z * g_z)
            if cosine <= OPPOSED_COSINE:
                break
            best += s / cosine
    return best if cosine > OPPOSED_COSINE else math.inf  # Eq. (G57)


@kernel
def walls_behind(solid, index, points, directions, thickness):
    """Write the thickness [m] of the material behind points of faces with numbers `index`, along inward normals."""
    for i in range(points.shape[0]):
        thickness[i] = wall_behind(
            solid,
            index[i],
            points[i, 0],
            points[i, 1],
            points[i, 2],
            directions[i, 0],
            directions[i, 1],
            directions[i, 2],
        )


@kernel
def depth_at_corner(solid, t, of, k):
    """Return the depth of corner k of triangle `of` below the face of triangle t [m]."""
    x, y, z = solid.triangles[of, 3 * k], solid.triangles[of, 3 * k + 1], solid.triangles[of, 3 * k + 2]
    f = solid.links[t, LINK_FACE]
    if solid.faces[f, FACE_KIND] != FACETED:
        return face_depth(solid.faces, f, x, y, z)[0]
    n = TRIANGLE_NORMAL
    return (
        (solid.triangles[t, 0] - x) * solid.triangles[t, n]
        + (solid.triangles[t, 1] - y) * solid.triangles[t, n + 1]
        + (solid.triangles[t, 2] - z) * solid.triangles[t, n + 2]
    )


@kernel
def side_crosses(solid, of, t):
    """Return whether a side of triangle `of` crosses triangle t, with ends farther from its face than both errors."""
    triangles = solid.triangles
    least = triangles[of, TRIANGLE_SLACK] + triangles[t, TRIANGLE_SLACK]
    for k in range(3):
        a, b = 3 * k, 3 * ((k + 1) % 3)
        u_x, u_y, u_z = (
            triangles[of, b] - triangles[of, a],
            triangles[of, b + 1] - triangles[of, a + 1],
            triangles[of, b + 2] - triangles[of, a + 2],
        )
        along = crossing(
            triangles, t, triangles[of, a], triangles[of, a + 1], triangles[of, a + 2], u_x, u_y, u_z
        )
        if along > 0.0 and along < 1.0:
            first, second = depth_at_corner(solid, t, of, k), depth_at_corner(solid, t, of, (k + 1) % 3)
            if min(abs(first), abs(second)) > least and (first > 0.0) != (second > 0.0):
                return True
    return False


@kernel
def find_crossings(solid, pairs):
    """Write pairs of triangles that cross and share no vertex to `pairs` (n, 2); return how many there are.

    Crossings that are not deeper than the distance between triangles and faces are not found.
    """
    boxes, links, triangles, found = solid.boxes, solid.links, solid.triangles, 0
    first_leaf = boxes.shape[0] // 2
    for i in range(triangles.shape[0]):
        node = 0
        while node >= 0:
            apart = False
            for k in range(3):
                low = min(triangles[i, k], triangles[i, k + 3], triangles[i, k + 6])
                high = max(triangles[i, k], triangles[i, k + 3], triangles[i, k + 6])
                apart = apart or low > boxes[node, k + 3] or high < boxes[node, k]
            if apart:
                node = next_node(node)
                continue
            if node < first_leaf:
                node = 2 * node + 1
                continue
            start = (node - first_leaf) * LEAF_TRIANGLES
            for t in range(max(start, i + 1), min(start + LEAF_TRIANGLES, triangles.shape[0])):
                if not share_vertex(links, i, t) and (side_crosses(solid, i, t) or side_crosses(solid, t, i)):
                    if found < pairs.shape[0]:
                        pairs[found, 0], pairs[found, 1] = i, t
                    found += 1
            node = next_node(node)
    return found


@kernel
def share_vertex(links, i, t):
    """Return whether two triangles share a vertex."""
    for k in range(3):
        for j in range(3):
            if links[i, LINK_VERTICES + k] == links[t, LINK_VERTICES + j]:
                return True
    return False
