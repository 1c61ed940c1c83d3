"""How far a small motion of B can press a block of cells: a bound along A's normal, sharper than the motion itself.

A body that slides along a wall moves far, but hardly towards it. Blocks that do not come near are skipped.
"""

import math

from softdock.contact.kernels.cell import HALF_SQRT3, SOFT
from softdock.contact.kernels.layout import LANES, SMOOTH_TWO
from softdock.contact.kernels.measure import place
from softdock.geometry.kernels import AXIS_R, AXIS_Z, KIND
from softdock.jit import inlined, kernel

LEVER = (
    2.0 * HALF_SQRT3 + 1.0
)  # sum of the magnitudes of the weights that make a corner of four points, at most

UNKNOWN = 1e30  # [1/m] no bound on the curvature: only a block that does not move is known


@kernel
def describe(segments, block, work, R_AB, p_AB_A):
    """Note where a block is and which way A's surface lies, at the pose of the list."""
    place(segments, block, work, R_AB, p_AB_A, 4 * LANES)
    count, X, Y, K, N, S = block["count"], work["x"], work["y"], work["k"], work["n"], work["s"]
    c_x, c_y, c_z, n_x, n_y, n_z, apart = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, math.inf
    for i in range(count):
        i_1, i_2, i_3 = i + LANES, i + 2 * LANES, i + 3 * LANES
        c_x, c_y, c_z = c_x + block["x"][i], c_y + block["y"][i], c_z + block["z"][i]
        n_x, n_y, n_z = n_x + K[i] * X[i], n_y + K[i] * Y[i], n_z + N[i]
        low, t = block["omega"][i], HALF_SQRT3 * max(abs(S[i_3] - S[i]), abs(S[i_2] - S[i_1]))
        apart = min(apart, -(low * (S[i] + S[i_1]) + (0.5 - low) * (S[i_2] + S[i_3]) + t))
    c_x, c_y, c_z = c_x / count, c_y / count, c_z / count
    scale = 1.0 / (math.sqrt(n_x * n_x + n_y * n_y + n_z * n_z) + 1e-300)
    n_x, n_y, n_z = scale * n_x, scale * n_y, scale * n_z
    size, spread, inmost = 0.0, 0.0, math.inf
    for i in range(4 * LANES):
        if i % LANES < count:
            d_x, d_y, d_z = block["x"][i] - c_x, block["y"][i] - c_y, block["z"][i] - c_z
            size = max(size, d_x * d_x + d_y * d_y + d_z * d_z)
            d_x, d_y, d_z = K[i] * X[i] - n_x, K[i] * Y[i] - n_y, N[i] - n_z
            spread = max(spread, d_x * d_x + d_y * d_y + d_z * d_z)
            inmost = min(inmost, work["q"][i])
    first, most = block["first"][0], math.inf
    for segment in range(first, first + (2 if block["mode"] == SMOOTH_TWO else 1)):
        most = min(most, bending_radius(segments, segment, work, count, math.sqrt(inmost)))
    block["middle"][0], block["middle"][1], block["middle"][2] = c_x, c_y, c_z
    block["normal"][0], block["normal"][1], block["normal"][2] = n_x, n_y, n_z
    block["size"], block["spread"], block["apart"] = math.sqrt(size), math.sqrt(spread), apart - SOFT
    block["curvature"] = 1.0 / most if most > work["reach"] else UNKNOWN


@inlined
def bending_radius(segments, segment, work, count, inmost):
    """Least radius of curvature [m] of the levels of depth below a segment, as far as a list reaches."""
    radius = math.inf
    if segments[segment, KIND] != 0.0:
        c_z, c_r = segments[segment, AXIS_Z], segments[segment, AXIS_R]
        for i in range(4 * LANES):
            if i % LANES < count:
                d_z, d_r = work["z"][i] - c_z, math.sqrt(work["q"][i]) - c_r
                radius = min(radius, d_z * d_z + d_r * d_r)
        radius = math.sqrt(radius)
        if c_r == 0.0:  # a sphere has the same curvature around the axis
            return radius - work["reach"]
    return min(radius, inmost) - work["reach"]


@inlined
def change_of_pose(work, R_AB, p_AB_A):
    """Change of rotation (three rows) and of place [m] since the list was made."""
    R, p = work["R_AB"], work["p_AB_A"]
    return (
        (R_AB[0][0] - R[0, 0], R_AB[0][1] - R[0, 1], R_AB[0][2] - R[0, 2]),
        (R_AB[1][0] - R[1, 0], R_AB[1][1] - R[1, 1], R_AB[1][2] - R[1, 2]),
        (R_AB[2][0] - R[2, 0], R_AB[2][1] - R[2, 1], R_AB[2][2] - R[2, 2]),
    ), (p_AB_A[0] - p[0], p_AB_A[1] - p[1], p_AB_A[2] - p[2])


@inlined
def may_press(block, dR, dp):
    """Tell whether some cell of a block may touch after a change of pose; Eq. (C26)."""
    c, n = block["middle"], block["normal"]
    x = dp[0] + dR[0][0] * c[0] + dR[0][1] * c[1] + dR[0][2] * c[2]
    y = dp[1] + dR[1][0] * c[0] + dR[1][1] * c[1] + dR[1][2] * c[2]
    z = dp[2] + dR[2][0] * c[0] + dR[2][1] * c[1] + dR[2][2] * c[2]
    turn = (
        abs(dR[0][0]) + abs(dR[0][1]) + abs(dR[0][2]) + abs(dR[1][0]) + abs(dR[1][1]) + abs(dR[1][2])
        + abs(dR[2][0]) + abs(dR[2][1]) + abs(dR[2][2])
    ) * block["size"]  # fmt: skip
    moved = math.sqrt(x * x + y * y + z * z) + turn
    towards = n[0] * x + n[1] * y + n[2] * z + LEVER * turn
    return towards + LEVER * (block["spread"] + block["curvature"] * moved) * moved >= block["apart"]
