"""Distances to triangles, segments and boxes, and the order in which the boxes of a tree are visited."""

import math

from softdock.native.decorators import inline, kernel

INTERIOR, SIDE, CORNER = 0, 1, 2  # part of a triangle
TINY = 1e-300  # prevents division by zero for triangles and edges without extent


@inline
def box_distance(boxes, node, x, y, z):
    """Return the squared distance [m2] of a point from a box; 0 inside."""
    d_x = max(boxes[node, 0] - x, 0.0, x - boxes[node, 3])
    d_y = max(boxes[node, 1] - y, 0.0, y - boxes[node, 4])
    d_z = max(boxes[node, 2] - z, 0.0, z - boxes[node, 5])
    return d_x * d_x + d_y * d_y + d_z * d_z


@inline
def next_node(node):
    """Return the node that follows one and all nodes below it; -1 after the last. Left children have odd numbers."""
    while node > 0 and node % 2 == 0:
        node = (node - 1) // 2
    return node + 1 if node > 0 else -1


@kernel
def nearest_in_triangle(triangles, t, x, y, z):
    """Return the weights of the corners of triangle t in its point nearest to (x, y, z), and on which part it lies.

    Returns (u, v, w, part, number): the sum of the weights is 1; `number` is that of the side or corner. After
    Ericson, Real-Time Collision Detection, 5.1.5.
    """
    a_x, a_y, a_z = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    b_x, b_y, b_z = triangles[t, 3] - a_x, triangles[t, 4] - a_y, triangles[t, 5] - a_z
    c_x, c_y, c_z = triangles[t, 6] - a_x, triangles[t, 7] - a_y, triangles[t, 8] - a_z
    p_x, p_y, p_z = x - a_x, y - a_y, z - a_z
    d_1, d_2 = b_x * p_x + b_y * p_y + b_z * p_z, c_x * p_x + c_y * p_y + c_z * p_z
    if d_1 <= 0.0 and d_2 <= 0.0:
        return 1.0, 0.0, 0.0, CORNER, 0
    q_x, q_y, q_z = p_x - b_x, p_y - b_y, p_z - b_z
    d_3, d_4 = b_x * q_x + b_y * q_y + b_z * q_z, c_x * q_x + c_y * q_y + c_z * q_z
    if d_3 >= 0.0 and d_4 <= d_3:
        return 0.0, 1.0, 0.0, CORNER, 1
    v_c = d_1 * d_4 - d_3 * d_2
    if v_c <= 0.0 and d_1 >= 0.0 and d_3 <= 0.0 and d_1 > d_3:
        v = d_1 / (d_1 - d_3)
        return 1.0 - v, v, 0.0, SIDE, 0
    r_x, r_y, r_z = p_x - c_x, p_y - c_y, p_z - c_z
    d_5, d_6 = b_x * r_x + b_y * r_y + b_z * r_z, c_x * r_x + c_y * r_y + c_z * r_z
    if d_6 >= 0.0 and d_5 <= d_6:
        return 0.0, 0.0, 1.0, CORNER, 2
    v_b = d_5 * d_2 - d_1 * d_6
    if v_b <= 0.0 and d_2 >= 0.0 and d_6 <= 0.0 and d_2 > d_6:
        w = d_2 / (d_2 - d_6)
        return 1.0 - w, 0.0, w, SIDE, 2
    v_a = d_3 * d_6 - d_5 * d_4
    e, g = d_4 - d_3, d_5 - d_6
    if v_a <= 0.0 and e >= 0.0 and g >= 0.0 and e + g > 0.0:
        w = e / (e + g)
        return 0.0, 1.0 - w, w, SIDE, 1
    scale = 1.0 / (v_a + v_b + v_c + TINY)
    return v_a * scale, v_b * scale, v_c * scale, INTERIOR, 0


@kernel
def triangle_point(triangles, t, u, v, w):
    """Return the point of triangle t with the weights u, v, w of its corners [m]."""
    return (
        u * triangles[t, 0] + v * triangles[t, 3] + w * triangles[t, 6],
        u * triangles[t, 1] + v * triangles[t, 4] + w * triangles[t, 7],
        u * triangles[t, 2] + v * triangles[t, 5] + w * triangles[t, 8],
    )


@kernel
def triangle_distance(triangles, t, x, y, z):
    """Return the distance [m] of a point from triangle t."""
    u, v, w, _, _ = nearest_in_triangle(triangles, t, x, y, z)
    q_x, q_y, q_z = triangle_point(triangles, t, u, v, w)
    return math.sqrt((x - q_x) ** 2 + (y - q_y) ** 2 + (z - q_z) ** 2)


@kernel
def along_edge(edges, e, x, y, z):
    """Return where a point lies along the chord of edge e (0 at its start, 1 at its end), and its distance from it."""
    a_x, a_y, a_z = edges[e, 0], edges[e, 1], edges[e, 2]
    u_x, u_y, u_z = edges[e, 3] - a_x, edges[e, 4] - a_y, edges[e, 5] - a_z
    d_x, d_y, d_z = x - a_x, y - a_y, z - a_z
    t = (d_x * u_x + d_y * u_y + d_z * u_z) / (u_x * u_x + u_y * u_y + u_z * u_z + TINY)
    d_x, d_y, d_z = d_x - t * u_x, d_y - t * u_y, d_z - t * u_z
    return t, math.sqrt(d_x * d_x + d_y * d_y + d_z * d_z)


@kernel
def edge_distance(edges, e, x, y, z):
    """Return the distance [m] of a point from the chord of edge e, and where its nearest point lies (0 to 1)."""
    t, _ = along_edge(edges, e, x, y, z)
    t = min(max(t, 0.0), 1.0)
    d_x = x - edges[e, 0] - t * (edges[e, 3] - edges[e, 0])
    d_y = y - edges[e, 1] - t * (edges[e, 4] - edges[e, 1])
    d_z = z - edges[e, 2] - t * (edges[e, 5] - edges[e, 2])
    return math.sqrt(d_x * d_x + d_y * d_y + d_z * d_z), t
