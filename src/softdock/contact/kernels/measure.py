"""The points of a block in A, and their depth below it: loops that the compiler turns into vector instructions."""

import math

from softdock.contact.kernels.layout import LANES, ONE, SEVERAL, SMOOTH_TWO
from softdock.contact.kernels.place import to_A
from softdock.geometry.kernels import (
    AXIS_R,
    AXIS_Z,
    END_R,
    END_Z,
    KIND,
    LENGTH,
    SENSE,
    START_R,
    START_Z,
    TINY,
    depth,
    radial_depth,
    tangent_at,
)
from softdock.jit import kernel


@kernel
def place(segments, block, work, R_AB, p_AB_A, count):
    """Put the points of a block into A and measure depth s and gradient (k x, k y, n) there."""
    X, Y, Z, Q = work["x"], work["y"], work["z"], work["q"]
    for i in range(count):
        x, y, z = to_A(R_AB, p_AB_A, block["x"][i], block["y"][i], block["z"][i])
        X[i], Y[i], Z[i], Q[i] = x, y, z, x * x + y * y
    first = block["first"][0]
    if block["mode"] == ONE:
        measure(segments, first, work, count, 0.0, 0.0, 0.0, 0.0)
    elif block["mode"] == SMOOTH_TWO:
        measure(segments, first, work, count, 0.0, 0.0, 0.0, 0.0)
        t_z, t_r = tangent_at(segments, first, END_Z)
        measure(segments, first + 1, work, count, segments[first, END_Z], segments[first, END_R], t_z, t_r)
    else:
        measure_several(segments, block, work, count)


@kernel
def measure(segments, segment, work, count, v_z, v_r, t_z, t_r):
    """Measure the depth below the endless line or circle of a segment, where a point is beyond the joint v.

    Points beyond the joint are those with (p - v) . t >= 0; with t = 0 these are all.
    """
    Z, Q, S, K, N = work["z"], work["q"], work["s"], work["k"], work["n"]
    if segments[segment, KIND] == 0.0:
        n_z, n_r = segments[segment, AXIS_R], -segments[segment, AXIS_Z]
        z_0, r_0 = segments[segment, START_Z], segments[segment, START_R]
        for i in range(count):
            z, r = Z[i], math.sqrt(Q[i])
            s, k = (z - z_0) * n_z + (r - r_0) * n_r, n_r / (r + TINY)  # Eq. (C1)
            beyond = (z - v_z) * t_z + (r - v_r) * t_r >= 0.0
            S[i], K[i], N[i] = s if beyond else S[i], k if beyond else K[i], n_z if beyond else N[i]
        return
    c_z, c_r = segments[segment, AXIS_Z], segments[segment, AXIS_R]
    radius, sense = segments[segment, LENGTH], segments[segment, SENSE]
    if c_r == 0.0 and t_z == 0.0 and t_r == 0.0:  # a sphere, alone
        for i in range(count):
            d_z = Z[i] - c_z
            distance = math.sqrt(d_z * d_z + Q[i])
            scale = sense / (distance + TINY)
            S[i], K[i], N[i] = sense * (distance - radius), scale, scale * d_z  # Eq. (C2)
        return
    for i in range(count):
        z, r = Z[i], math.sqrt(Q[i])
        d_z, d_r = z - c_z, r - c_r
        distance = math.sqrt(d_z * d_z + d_r * d_r)
        scale = sense / (distance * r + TINY)
        s, k, n = sense * (distance - radius), scale * d_r, scale * d_z * r  # Eq. (C2)
        beyond = (z - v_z) * t_z + (r - v_r) * t_r >= 0.0
        S[i], K[i], N[i] = s if beyond else S[i], k if beyond else K[i], n if beyond else N[i]


@kernel
def measure_several(segments, block, work, count):
    """Measure the depth of points that face several segments of A, one by one."""
    for i in range(count):
        lane = i % LANES
        if lane >= block["count"]:
            continue
        z, r, first, last = work["z"][i], math.sqrt(work["q"][i]), block["first"][lane], block["last"][lane]
        if block["mode"] == SEVERAL:
            s, n_z, n_r = depth(segments, first, last, z, r)
        else:
            s, n_z, n_r = radial_depth(segments, first, last, z, r)
        work["s"][i], work["k"][i], work["n"][i] = s, n_r / (r + TINY), n_z
