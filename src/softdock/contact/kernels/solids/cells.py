"""Cells of a solid: rectangles of the parameters of an exact face, and triangles whose corners lie on a face.

A cell that waits to be examined is a row of WORK.patch_stack. Its nodes are rows of WORK.cell_nodes, in B [m].
"""

import math

from softdock.contact.kernels.layout import RECTANGLE, TRIANGLE
from softdock.geometry.solids.kernels.faces import face_depth
from softdock.geometry.solids.kernels.layout import CONE, FACE_KIND, FACETED, PLANE
from softdock.geometry.solids.kernels.parameter_columns import (
    FRAME_H,
    FRAME_KIND,
    FRAME_ORIGIN,
    FRAME_RATE_H,
    FRAME_RATE_RHO,
    FRAME_RHO,
    FRAME_X,
    FRAME_Y,
    FRAME_Z,
)
from softdock.native.decorators import inline, kernel

# Columns of a cell that waits: its root cell, kind, face, numbers as in PATCH, faces beyond the sides of a triangle;
# how A's faces meet there (facing; -1: unknown), their number, the faces, the smooth edge; depth below them [m]; area
# of the face per area of the triangle of its nodes.
CELL_PATCH, CELL_KIND, CELL_FACE, CELL_VALUES, CELL_NEIGHBOURS = 0, 1, 2, 3, 12
CELL_FACING, CELL_BRANCHES, CELL_FACES, CELL_EDGE = 15, 16, 17, 21
# Rows of nodes. Rectangle: middle, ends along u, ends along v, corners. Triangle: middle, middles of sides, corners.
MIDDLE, U_ENDS, V_ENDS, CORNERS = 0, 1, 3, 5
SIDE_MIDDLES, TRIANGLE_CORNERS = 1, 4
GAUSS_STEP = 0.5 / math.sqrt(3.0)
# Steps by which a point is moved onto the curve between two faces: where they join smoothly, each step halves the
# distance, which is a few hundredths of the length of the cell at first.
PROJECTIONS = 16
CONVERGED = 1e-26  # [m2] square of the last step
PARALLEL = 1e-12  # square of the sine of the angle between two faces below which the direction of a step is not known


@inline
def push_patch(tables, work, patch, node, top):
    """Push a root cell on the stack, which faces what its bounding sphere `node` does; return the new top."""
    row, source = work["patch_stack"][top], tables.patches[patch]
    row[CELL_PATCH], row[CELL_KIND], row[CELL_FACE] = patch, source["kind"], source["face"]
    for k in range(9):
        row[CELL_VALUES + k] = source["values"][k]
    for k in range(3):
        row[CELL_NEIGHBOURS + k] = source["neighbours"][k]
    for k in range(CELL_FACING, CELL_EDGE + 1):
        row[k] = node[k]
    return top + 1


@inline
def meridian_of(frame, v):
    """Return h and rho [m] of a parameter v of a face that is no plane, Eq. (G52)."""
    if frame[FRAME_KIND] == CONE:
        return frame[FRAME_H] + v * frame[FRAME_RATE_H], frame[FRAME_RHO] + v * frame[FRAME_RATE_RHO]
    return frame[FRAME_RHO] * math.sin(v), frame[FRAME_H] + frame[FRAME_RHO] * math.cos(v)


@inline
def set_point(nodes, k, frame, a, b, h):
    """Write the point a along X, b along Y and h along Z of a frame as node k."""
    for i in range(3):
        nodes[k, i] = (
            frame[FRAME_ORIGIN + i] + a * frame[FRAME_X + i] + b * frame[FRAME_Y + i] + h * frame[FRAME_Z + i]
        )


@kernel
def set_rectangle_nodes(frame, row, nodes):
    """Write the nodes of a rectangle; return its lengths along u and v [m]."""
    u_0, u_1 = row[CELL_VALUES], row[CELL_VALUES + 1]
    v_0, v_1 = row[CELL_VALUES + 2], row[CELL_VALUES + 3]
    u, v = 0.5 * (u_0 + u_1), 0.5 * (v_0 + v_1)
    if frame[FRAME_KIND] == PLANE:
        set_point(nodes, MIDDLE, frame, u, v, 0.0)
        set_point(nodes, U_ENDS, frame, u_0, v, 0.0)
        set_point(nodes, U_ENDS + 1, frame, u_1, v, 0.0)
        set_point(nodes, V_ENDS, frame, u, v_0, 0.0)
        set_point(nodes, V_ENDS + 1, frame, u, v_1, 0.0)
        set_point(nodes, CORNERS, frame, u_0, v_0, 0.0)
        set_point(nodes, CORNERS + 1, frame, u_1, v_0, 0.0)
        set_point(nodes, CORNERS + 2, frame, u_0, v_1, 0.0)
        set_point(nodes, CORNERS + 3, frame, u_1, v_1, 0.0)
        return u_1 - u_0, v_1 - v_0
    h, rho = meridian_of(frame, v)
    h_0, rho_0 = meridian_of(frame, v_0)
    h_1, rho_1 = meridian_of(frame, v_1)
    c, s, c_0, s_0 = math.cos(u), math.sin(u), math.cos(u_0), math.sin(u_0)
    c_1, s_1 = math.cos(u_1), math.sin(u_1)
    set_point(nodes, MIDDLE, frame, rho * c, rho * s, h)
    set_point(nodes, U_ENDS, frame, rho * c_0, rho * s_0, h)
    set_point(nodes, U_ENDS + 1, frame, rho * c_1, rho * s_1, h)
    set_point(nodes, V_ENDS, frame, rho_0 * c, rho_0 * s, h_0)
    set_point(nodes, V_ENDS + 1, frame, rho_1 * c, rho_1 * s, h_1)
    set_point(nodes, CORNERS, frame, rho_0 * c_0, rho_0 * s_0, h_0)
    set_point(nodes, CORNERS + 1, frame, rho_0 * c_1, rho_0 * s_1, h_0)
    set_point(nodes, CORNERS + 2, frame, rho_1 * c_0, rho_1 * s_0, h_1)
    set_point(nodes, CORNERS + 3, frame, rho_1 * c_1, rho_1 * s_1, h_1)
    return (u_1 - u_0) * max(rho, 0.5 * (rho_0 + rho_1)), (v_1 - v_0) * length_per_v(frame)


@inline
def length_per_v(frame):
    """Return the length per v [m]."""
    return 1.0 if frame[FRAME_KIND] == CONE or frame[FRAME_KIND] == PLANE else frame[FRAME_RHO]


@kernel
def rectangle_area(frame, u_0, u_1, v_0, v_1):
    """Return the exact area of a rectangle [m2], Eq. (G53)."""
    du, dv, v = u_1 - u_0, v_1 - v_0, 0.5 * (v_0 + v_1)
    if frame[FRAME_KIND] == PLANE:
        return du * dv
    if frame[FRAME_KIND] == CONE:
        return du * dv * (frame[FRAME_RHO] + v * frame[FRAME_RATE_RHO])
    r = frame[FRAME_RHO]
    return du * r * (frame[FRAME_H] * dv + 2.0 * r * math.cos(v) * math.sin(0.5 * dv))


@kernel
def rectangle_points(frame, row, nodes):
    """Write the four points of a rectangle to the first nodes, v- u-, v- u+, v+ u-, v+ u+; return w_- of Eq. (C8)."""
    u_0, u_1 = row[CELL_VALUES], row[CELL_VALUES + 1]
    v_0, v_1 = row[CELL_VALUES + 2], row[CELL_VALUES + 3]
    u, v, du, dv = 0.5 * (u_0 + u_1), 0.5 * (v_0 + v_1), GAUSS_STEP * (u_1 - u_0), GAUSS_STEP * (v_1 - v_0)
    if frame[FRAME_KIND] == PLANE:
        set_point(nodes, 0, frame, u - du, v - dv, 0.0)
        set_point(nodes, 1, frame, u + du, v - dv, 0.0)
        set_point(nodes, 2, frame, u - du, v + dv, 0.0)
        set_point(nodes, 3, frame, u + du, v + dv, 0.0)
        return 0.25
    h_0, rho_0 = meridian_of(frame, v - dv)
    h_1, rho_1 = meridian_of(frame, v + dv)
    c_0, s_0, c_1, s_1 = math.cos(u - du), math.sin(u - du), math.cos(u + du), math.sin(u + du)
    set_point(nodes, 0, frame, rho_0 * c_0, rho_0 * s_0, h_0)
    set_point(nodes, 1, frame, rho_0 * c_1, rho_0 * s_1, h_0)
    set_point(nodes, 2, frame, rho_1 * c_0, rho_1 * s_0, h_1)
    set_point(nodes, 3, frame, rho_1 * c_1, rho_1 * s_1, h_1)
    return 0.5 * rho_0 / (rho_0 + rho_1)


@kernel
def project(faces, f, h, p):
    """Move a point p (3) onto face f, or onto its curve with face h if that is not negative."""
    if faces[f, FACE_KIND] == FACETED:
        return
    for _ in range(PROJECTIONS if h >= 0 and faces[h, FACE_KIND] != FACETED else 2):
        a, a_x, a_y, a_z = face_depth(faces, f, p[0], p[1], p[2])
        alpha, beta, b_x, b_y, b_z = -a, 0.0, 0.0, 0.0, 0.0
        if h >= 0 and faces[h, FACE_KIND] != FACETED:
            b, b_x, b_y, b_z = face_depth(faces, h, p[0], p[1], p[2])
            cosine = a_x * b_x + a_y * b_y + a_z * b_z
            square = 1.0 - cosine * cosine
            if square > PARALLEL:
                alpha, beta = (cosine * b - a) / square, (cosine * a - b) / square
        d_x, d_y, d_z = alpha * a_x + beta * b_x, alpha * a_y + beta * b_y, alpha * a_z + beta * b_z
        p[0], p[1], p[2] = p[0] + d_x, p[1] + d_y, p[2] + d_z
        if d_x * d_x + d_y * d_y + d_z * d_z < CONVERGED:
            break


@kernel
def set_triangle_nodes(faces, row, nodes):
    """Write the nodes of a triangle: its middle and the middles of its sides lie on the face and its boundary."""
    f = int(row[CELL_FACE])
    for k in range(3):
        for i in range(3):
            nodes[TRIANGLE_CORNERS + k, i] = row[CELL_VALUES + 3 * k + i]
    for k in range(3):
        for i in range(3):
            nodes[SIDE_MIDDLES + k, i] = 0.5 * (
                nodes[TRIANGLE_CORNERS + k, i] + nodes[TRIANGLE_CORNERS + (k + 1) % 3, i]
            )
        project(faces, f, int(row[CELL_NEIGHBOURS + k]), nodes[SIDE_MIDDLES + k])
    set_quadratic_point(nodes, MIDDLE, 1.0 / 3.0, 1.0 / 3.0)
    project(faces, f, -1, nodes[MIDDLE])


@inline
def set_quadratic_point(nodes, k, a, b):
    """Write the point with the weights a and b of the second and third corner of a quadratic triangle as node k."""
    c = 1.0 - a - b
    for i in range(3):
        nodes[k, i] = (
            c * (2.0 * c - 1.0) * nodes[TRIANGLE_CORNERS, i]
            + a * (2.0 * a - 1.0) * nodes[TRIANGLE_CORNERS + 1, i]
            + b * (2.0 * b - 1.0) * nodes[TRIANGLE_CORNERS + 2, i]
            + 4.0 * c * a * nodes[SIDE_MIDDLES, i]
            + 4.0 * a * b * nodes[SIDE_MIDDLES + 1, i]
            + 4.0 * b * c * nodes[SIDE_MIDDLES + 2, i]
        )


@kernel
def triangle_area(nodes):
    """Return the area of a quadratic triangle [m2], by three Gauss points."""
    area = 0.0
    for point in range(3):
        a = 2.0 / 3.0 if point == 1 else 1.0 / 6.0
        b = 2.0 / 3.0 if point == 2 else 1.0 / 6.0
        c, d, e = 1.0 - a - b, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(3):
            d_a = (
                (1.0 - 4.0 * c) * nodes[TRIANGLE_CORNERS, i]
                + (4.0 * a - 1.0) * nodes[TRIANGLE_CORNERS + 1, i]
                + 4.0 * (c - a) * nodes[SIDE_MIDDLES, i]
                + 4.0 * b * nodes[SIDE_MIDDLES + 1, i]
                - 4.0 * b * nodes[SIDE_MIDDLES + 2, i]
            )
            d_b = (
                (1.0 - 4.0 * c) * nodes[TRIANGLE_CORNERS, i]
                + (4.0 * b - 1.0) * nodes[TRIANGLE_CORNERS + 2, i]
                - 4.0 * a * nodes[SIDE_MIDDLES, i]
                + 4.0 * a * nodes[SIDE_MIDDLES + 1, i]
                + 4.0 * (c - b) * nodes[SIDE_MIDDLES + 2, i]
            )
            d, e = (d[1], d[2], d_a), (e[1], e[2], d_b)
        x, y, z = d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]
        area += math.sqrt(x * x + y * y + z * z) / 6.0
    return area


@kernel
def triangle_points(faces, row, nodes):
    """Write the three points of a triangle to the first nodes; expects `set_triangle_nodes`. Return the area [m2]."""
    area, f = triangle_area(nodes), int(row[CELL_FACE])
    # Rows 0 and 7 to 9 are free: the points are computed before the nodes are overwritten.
    set_quadratic_point(nodes, 7, 1.0 / 6.0, 1.0 / 6.0)
    set_quadratic_point(nodes, 8, 2.0 / 3.0, 1.0 / 6.0)
    set_quadratic_point(nodes, 9, 1.0 / 6.0, 2.0 / 3.0)
    for k in range(3):
        for i in range(3):
            nodes[k, i] = nodes[7 + k, i]
        project(faces, f, -1, nodes[k])
    return area


@kernel
def set_nodes(B, frames, row, nodes):
    """Write the nodes of a cell; return its lengths along u and v [m], of a triangle its longest side twice."""
    if row[CELL_KIND] == RECTANGLE:
        return set_rectangle_nodes(frames[int(row[CELL_FACE])], row, nodes)
    set_triangle_nodes(B.faces, row, nodes)
    longest = 0.0
    for k in range(3):
        longest = max(longest, distance(nodes, TRIANGLE_CORNERS + k, TRIANGLE_CORNERS + (k + 1) % 3))
    return longest, longest


@inline
def distance(nodes, i, k):
    """Return the distance of two nodes [m]."""
    x, y, z = nodes[i, 0] - nodes[k, 0], nodes[i, 1] - nodes[k, 1], nodes[i, 2] - nodes[k, 2]
    return math.sqrt(x * x + y * y + z * z)


@inline
def bounding_radius(row, nodes):
    """Return the distance [m] of the farthest point of a cell from its middle."""
    radius, first, last = 0.0, CORNERS, CORNERS + 4
    if row[CELL_KIND] == TRIANGLE:
        first, last = SIDE_MIDDLES, TRIANGLE_CORNERS + 3
    for k in range(first, last):
        radius = max(radius, distance(nodes, MIDDLE, k))
    return radius * (1.0 + 1e-6) if row[CELL_KIND] == RECTANGLE else 1.02 * radius


@inline
def push_copy(stack, source, top):
    """Write a copy of a cell to a row of the stack."""
    for k in range(stack.shape[1]):
        stack[top, k] = source[k]


@kernel
def push_half_rectangles(stack, cell, top, along_u, along_v):
    """Push the halves or quarters of a rectangle; return the new top."""
    for part in range(4):
        if (part & 1 and not along_u) or (part & 2 and not along_v):
            continue
        push_copy(stack, cell, top)
        row = stack[top]
        top += 1
        if along_u:
            middle = 0.5 * (cell[CELL_VALUES] + cell[CELL_VALUES + 1])
            row[CELL_VALUES + 1 - (part & 1)] = middle
        if along_v:
            middle = 0.5 * (cell[CELL_VALUES + 2] + cell[CELL_VALUES + 3])
            row[CELL_VALUES + 3 - (part >> 1)] = middle
    return top


@kernel
def push_half_triangles(stack, cell, nodes, top):
    """Push the halves of a triangle, divided at its longest side; expects its nodes. Return the new top."""
    k, longest = 0, 0.0
    for side in range(3):
        length = distance(nodes, TRIANGLE_CORNERS + side, TRIANGLE_CORNERS + (side + 1) % 3)
        if length > longest:
            k, longest = side, length
    for part in range(2):
        push_copy(stack, cell, top)
        row = stack[top]
        top += 1
        corner = (k + 1) % 3 if part == 0 else k  # replaced by the middle of the side
        for i in range(3):
            row[CELL_VALUES + 3 * corner + i] = nodes[SIDE_MIDDLES + k, i]
        inner = (k + 1) % 3 if part == 0 else (k + 2) % 3
        row[CELL_NEIGHBOURS + inner] = -1.0
    return top
