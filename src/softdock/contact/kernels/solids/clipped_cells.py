"""Cells below several faces of A that meet at convex edges, and triangular cells.

The depth is the smallest of the depths below the faces, each of them linear over the cell. The cell is divided where
they are equal, so that a contact at an edge or a corner does not depend on how the cells lie; Eqs. (C80)-(C84).
"""

import math

from softdock.contact.kernels.cut_cell import HALF_SQRT3
from softdock.contact.kernels.layout import BLOCK_CELLS, FACES_CONVEX, RECTANGLE
from softdock.native.decorators import inline, kernel

EQUAL = 1e-13  # [m] depths that differ by less than this are equal: parts of one surface
TINY = 1e-300


@kernel
def clip_cells(block, work, data):
    """Store the parts of all cells of a block that touch, one in each lane of WORK; return how many there are.

    Expects depths and gradients of all branches (`measure_block`).
    """
    parts, branches = 0, block["branches"]
    if block["facing"] != FACES_CONVEX:
        branches = 1
    for cell in range(block["count"]):
        if not set_linear_depths(block, work, cell, branches):
            continue
        owner = lowest_branch(block, work, branches)
        for k in range(branches):
            if owner < 0 or owner == k:
                parts = add_part(block, work, data, cell, k, branches if owner < 0 else 1, parts)
    return parts


@inline
def set_linear_depths(block, work, cell, branches):
    """Store the linear depths of a cell below all branches; return whether it may touch: not above any of them."""
    touches, L = True, work["linear"]
    for k in range(branches):
        s = work["branch_s"][k]
        a, b, c = s[cell], s[cell + BLOCK_CELLS], s[cell + 2 * BLOCK_CELLS]
        if block["cell_shape"] == RECTANGLE:
            low, d = block["lower_weight"][cell], s[cell + 3 * BLOCK_CELLS]
            L[k, 0] = low * (a + b) + (0.5 - low) * (c + d)  # Eq. (C8)
            L[k, 1], L[k, 2] = HALF_SQRT3 * (c + d - a - b), HALF_SQRT3 * (b + d - a - c)
            highest = L[k, 0] + 0.5 * (abs(L[k, 1]) + abs(L[k, 2]))
        else:
            mean = (a + b + c) / 3.0
            L[k, 0], L[k, 1], L[k, 2] = 2.0 * a - mean, 2.0 * (b - a), 2.0 * (c - a)  # Eq. (C83)
            highest = L[k, 0] + max(0.0, L[k, 1], L[k, 2])
        touches = touches and highest > 0.0
    return touches


@inline
def lowest_branch(block, work, branches):
    """Return the branch with the smallest depth all over the cell; -1 if there is none."""
    L, owner = work["linear"], -1
    for k in range(branches):
        lowest = True
        for j in range(branches):
            if j != k:
                d_0, d_1, d_2 = L[j, 0] - L[k, 0], L[j, 1] - L[k, 1], L[j, 2] - L[k, 2]
                if block["cell_shape"] == RECTANGLE:
                    least = d_0 - 0.5 * (abs(d_1) + abs(d_2))
                else:
                    least = d_0 + min(0.0, d_1, d_2)
                lowest = lowest and least >= -EQUAL
        if lowest and owner < 0:
            owner = k
    return owner


@inline
def start_polygon(block, work):
    """Write the corners of a cell as a polygon; return their number."""
    x, y = work["polygon"][0], work["polygon"][1]
    if block["cell_shape"] == RECTANGLE:
        x[0], y[0], x[1], y[1], x[2], y[2], x[3], y[3] = -0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5
        return 4
    x[0], y[0], x[1], y[1], x[2], y[2] = 0.0, 0.0, 1.0, 0.0, 0.0, 1.0
    return 3


@kernel
def clip_polygon(polygon, source, target, count, g_0, g_1, g_2):
    """Keep the part of a polygon where g_0 + g_1 x + g_2 y >= 0; return its corners and the cut's length.

    Polygons are pairs of rows of `polygon`, from row `source` to row `target`.
    """
    kept, crossings, c_x, c_y, length = 0, 0, 0.0, 0.0, 0.0
    if count < 3:
        return 0, 0.0
    x, y = polygon[source, count - 1], polygon[source + 1, count - 1]
    g = g_0 + g_1 * x + g_2 * y
    for i in range(count):
        x_1, y_1 = polygon[source, i], polygon[source + 1, i]
        g_next = g_0 + g_1 * x_1 + g_2 * y_1
        if (g >= 0.0) != (g_next >= 0.0):
            t = g / (g - g_next)
            q_x, q_y = x + t * (x_1 - x), y + t * (y_1 - y)
            polygon[target, kept], polygon[target + 1, kept] = q_x, q_y
            kept += 1
            if crossings == 1:
                length = math.sqrt((q_x - c_x) ** 2 + (q_y - c_y) ** 2)
            c_x, c_y, crossings = q_x, q_y, crossings + 1
        if g_next >= 0.0:
            polygon[target, kept], polygon[target + 1, kept] = x_1, y_1
            kept += 1
        x, y, g = x_1, y_1, g_next
    return kept, length


@inline
def integrate_polygon(polygon, source, count, L_0, L_1, L_2):
    """Return integrals of a linear depth and of it times x and y over a polygon, area, and largest depth; Eq. (C82)."""
    m_0, m_x, m_y, area, deepest = 0.0, 0.0, 0.0, 0.0, -math.inf
    if count >= 3:
        x_0, y_0 = polygon[source, 0], polygon[source + 1, 0]
        x_1, y_1 = polygon[source, 1], polygon[source + 1, 1]
        v_0, v_1 = L_0 + L_1 * x_0 + L_2 * y_0, L_0 + L_1 * x_1 + L_2 * y_1
        deepest = max(v_0, v_1)
        for i in range(2, count):
            x_2, y_2 = polygon[source, i], polygon[source + 1, i]
            v_2 = L_0 + L_1 * x_2 + L_2 * y_2
            a, total = 0.5 * ((x_1 - x_0) * (y_2 - y_0) - (x_2 - x_0) * (y_1 - y_0)), v_0 + v_1 + v_2
            m_0 += a * total / 3.0
            m_x += a / 12.0 * (total * (x_0 + x_1 + x_2) + v_0 * x_0 + v_1 * x_1 + v_2 * x_2)
            m_y += a / 12.0 * (total * (y_0 + y_1 + y_2) + v_0 * y_0 + v_1 * y_1 + v_2 * y_2)
            area += a
            deepest = max(deepest, v_2)
            x_1, y_1, v_1 = x_2, y_2, v_2
    return m_0, m_x, m_y, area, deepest


@kernel
def add_part(block, work, data, cell, k, branches, parts):
    """Store the part of a cell in which branch k is the lowest of `branches`; return the number of parts."""
    polygon, L = work["polygon"], work["linear"]
    is_rectangle = block["cell_shape"] == RECTANGLE
    count, source = start_polygon(block, work), 0
    if branches > 1:
        for j in range(branches):
            if j != k and count > 2:  # Eq. (C81)
                above = (
                    L[j, 0] - L[k, 0] + (EQUAL if j > k else -EQUAL)
                )  # equal depths belong to the first branch
                count, _ = clip_polygon(
                    polygon, source, 2 - source, count, above, L[j, 1] - L[k, 1], L[j, 2] - L[k, 2]
                )
                source = 2 - source
    L_0, L_1, L_2 = L[k, 0], L[k, 1], L[k, 2]
    damped, target, s_0 = 0.0, 2 - source, data["damping_depth"]
    if data["damping"] > 0.0:
        above, _ = clip_polygon(polygon, source, target, count, L_0 - s_0, L_1, L_2)
        damped, _, _, _, _ = integrate_polygon(polygon, target, above, L_0 - s_0, L_1, L_2)
    count, side = clip_polygon(polygon, source, target, count, L_0, L_1, L_2)
    m_0, m_x, m_y, area, deepest = integrate_polygon(polygon, target, count, L_0, L_1, L_2)
    if not m_0 > 0.0:
        return parts
    slope, scale = math.sqrt(L_1 * L_1 + L_2 * L_2), 1.0 if is_rectangle else 2.0
    edge = side / slope if slope > TINY else 0.0
    m_0, m_x, m_y = scale * m_0, scale * m_x, scale * m_y  # a triangle has half the area of a square
    work["W"][parts], work["D"][parts] = m_0, data["damping"] * (m_0 - scale * damped)
    work["E"][parts] = 0.5 * (L_0 * m_0 + L_1 * m_x + L_2 * m_y)
    work["covered"][parts], work["edge"][parts], work["deepest"][parts] = scale * area, scale * edge, deepest
    work["area"][parts] = block["area"][cell]
    add_wrench_of_part(block, work, data, cell, k, m_0, m_x, m_y, parts)
    return parts + 1


@inline
def add_wrench_of_part(block, work, data, cell, k, m_0, m_x, m_y, part):
    """Store elastic force and torque, stress centre and weighted normal of a part of a cell, Eq. (C84)."""
    f_x, f_y, f_z, t_x, t_y, t_z, c_x, c_y, c_z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    points = 4 if block["cell_shape"] == RECTANGLE else 3
    for point in range(points):
        if points == 4:
            low = block["lower_weight"][cell]
            i, j = -1.0 if point < 2 else 1.0, -1.0 if point & 1 == 0 else 1.0
            w = (low if point < 2 else 0.5 - low) * m_0 + HALF_SQRT3 * (i * m_x + j * m_y)
        else:
            corner = m_0 - m_x - m_y if point == 0 else (m_x if point == 1 else m_y)
            w = 2.0 * corner - m_0 / 3.0
        at = cell + point * BLOCK_CELLS
        x, y, z = work["x"][at], work["y"][at], work["z"][at]
        n_x = w * work["branch_x"][k, at]
        n_y = w * work["branch_y"][k, at]
        n_z = w * work["branch_z"][k, at]
        f_x, f_y, f_z = f_x + n_x, f_y + n_y, f_z + n_z
        t_x, t_y, t_z = t_x + y * n_z - z * n_y, t_y + z * n_x - x * n_z, t_z + x * n_y - y * n_x
        c_x, c_y, c_z = c_x + w * x, c_y + w * y, c_z + w * z
    scale = -data["stiffness"] * block["area"][cell]
    work["n_x"][part], work["n_y"][part], work["n_z"][part] = f_x, f_y, f_z
    work["f_x"][part], work["f_y"][part], work["f_z"][part] = scale * f_x, scale * f_y, scale * f_z
    work["t_x"][part], work["t_y"][part], work["t_z"][part] = scale * t_x, scale * t_y, scale * t_z
    work["c_x"][part], work["c_y"][part], work["c_z"][part] = c_x / m_0, c_y / m_0, c_z / m_0
