"""Depth below a surface of revolution and rays through its material, from the rows of `profile_array`.

The depth is the exact signed distance to the meridian in the (z, r) half-plane, positive inside the material. It is
1-Lipschitz; its gradient has length one and points into the material. Equations: docs/theory/contact.md.
"""

import math

from softdock.native.decorators import inline, kernel

# Columns of a segment; described in `profile_arrays.SegmentColumn`.
KIND, START_Z, START_R, END_Z, END_R = 0, 1, 2, 3, 4
AXIS_Z, AXIS_R, LENGTH, SENSE = 5, 6, 7, 8
START_SIDE, END_SIDE = 9, 10
LINE, ARC = 0.0, 1.0  # values of KIND
TINY = 1e-300  # prevents division by a distance of zero
# Faces of a wall have opposite normals within 11 deg; others form an edge or a tip of thickness 0.
OPPOSED_COSINE = 0.98
SHORTEST_RAY = 1e-9  # [m] shorter rays end at the segment where they start
# [rad] Turn of a convex corner from which it is a sharp edge. The force of a ball on an edge errs by 0.15 % per degree
# of the turn, and by 0.2 % without any: below this angle an edge adds less than the error of the cells.
SHARP_ANGLE = math.radians(1.0)


@inline
def unbounded_depth(segments, k, z, r):
    """Return the depth below the infinite line or full circle of segment k, with gradient: (s, n_z, n_r)."""
    if segments[k, KIND] == LINE:
        n_z = segments[k, AXIS_R]
        n_r = -segments[k, AXIS_Z]
        return (z - segments[k, START_Z]) * n_z + (r - segments[k, START_R]) * n_r, n_z, n_r  # Eq. (C1)
    d_z = z - segments[k, AXIS_Z]
    d_r = r - segments[k, AXIS_R]
    distance = math.sqrt(d_z * d_z + d_r * d_r)
    scale = segments[k, SENSE] / (distance + TINY)
    return segments[k, SENSE] * (distance - segments[k, LENGTH]), scale * d_z, scale * d_r  # Eq. (C2)


@inline
def nearest_part(segments, k, z, r):
    """Return which part of segment k is nearest: 0 its interior, -1 its start, +1 its end."""
    if segments[k, KIND] == LINE:
        along = (z - segments[k, START_Z]) * segments[k, AXIS_Z] + (r - segments[k, START_R]) * segments[
            k, AXIS_R
        ]
        return -1 if along < 0.0 else (1 if along > segments[k, LENGTH] else 0)
    c_z, c_r, sense = segments[k, AXIS_Z], segments[k, AXIS_R], segments[k, SENSE]
    d_z, d_r = z - c_z, r - c_r
    after_start = sense * ((segments[k, START_Z] - c_z) * d_r - (segments[k, START_R] - c_r) * d_z)
    before_end = sense * (d_z * (segments[k, END_R] - c_r) - d_r * (segments[k, END_Z] - c_z))
    if after_start >= 0.0 and before_end >= 0.0:
        return 0
    to_start = (z - segments[k, START_Z]) ** 2 + (r - segments[k, START_R]) ** 2
    to_end = (z - segments[k, END_Z]) ** 2 + (r - segments[k, END_R]) ** 2
    return -1 if to_start <= to_end else 1


@kernel
def segment_depth(segments, k, z, r):
    """Return the depth below segment k between its ends: (s, n_z, n_r); |s| is the distance to the segment."""
    s, n_z, n_r = unbounded_depth(segments, k, z, r)
    part = nearest_part(segments, k, z, r)
    if part == 0:
        return s, n_z, n_r
    if part < 0:
        d_z, d_r, side = z - segments[k, START_Z], r - segments[k, START_R], segments[k, START_SIDE]
    else:
        d_z, d_r, side = z - segments[k, END_Z], r - segments[k, END_R], segments[k, END_SIDE]
    if side == 0.0:
        side = -1.0 if s < 0.0 else 1.0
    distance = math.sqrt(d_z * d_z + d_r * d_r)
    if distance == 0.0:
        return 0.0, n_z, n_r
    return side * distance, side * d_z / distance, side * d_r / distance  # Eq. (C3)


@inline
def nearest_segment(segments, first, last, z, r):
    """Return the nearest of segments first..last, and its depth with gradient: (row, s, n_z, n_r)."""
    row = first
    s, n_z, n_r = segment_depth(segments, first, z, r)
    for k in range(first + 1, last + 1):
        s_k, z_k, r_k = segment_depth(segments, k, z, r)
        if abs(s_k) < abs(s):
            row, s, n_z, n_r = k, s_k, z_k, r_k
    return row, s, n_z, n_r


@kernel
def depth(segments, first, last, z, r):
    """Return the depth below the nearest of segments first..last, with gradient: (s, n_z, n_r).

    Coordinates (z, r) [m], r >= 0; s [m]. Exact where the nearest segment is among those given.
    """
    _, s, n_z, n_r = nearest_segment(segments, first, last, z, r)
    return s, n_z, n_r


@kernel
def narrow_segments(segments, first, last, z, r, s, around):
    """Narrow a range of segments to those that may be nearest to points within `around` [m] of (z, r).

    s is the depth at (z, r) [m]. Returns (first, last).
    """
    farthest = abs(s) + 2.0 * around  # Eq. (C17)
    while first < last and (
        is_past_joint(segments, first, END_Z, START_Z, 1.0, z, r, around)
        or abs(segment_depth(segments, first, z, r)[0]) > farthest
    ):
        first += 1
    while first < last and (
        is_past_joint(segments, last, START_Z, END_Z, -1.0, z, r, around)
        or abs(segment_depth(segments, last, z, r)[0]) > farthest
    ):
        last -= 1
    return first, last


@inline
def is_past_joint(segments, k, near, far, side, z, r, around):
    """Return whether all points within `around` [m] are past the smooth joint of segment k with its neighbour.

    Then the joint is the point of the segment nearest to them, and the neighbour is nearer. `near` and `far` are the
    columns of the joint and of the other end; `side` is 1 for the end of the segment, -1 for its start.
    """
    if segments[k, END_SIDE if side > 0.0 else START_SIDE] != 0.0:
        return False
    d_z, d_r = z - segments[k, near], r - segments[k, near + 1]
    t_z, t_r = tangent_at(segments, k, near)
    if side * (d_z * t_z + d_r * t_r) <= around:
        return False
    if segments[k, KIND] == LINE:
        return True
    f_z, f_r = z - segments[k, far], r - segments[k, far + 1]
    return math.sqrt(f_z * f_z + f_r * f_r) > math.sqrt(d_z * d_z + d_r * d_r) + 2.0 * around


@inline
def tangent_at(segments, k, end):
    """Return the unit tangent (z, r) of segment k at one of its ends; `end` is START_Z or END_Z."""
    if segments[k, KIND] == LINE:
        return segments[k, AXIS_Z], segments[k, AXIS_R]
    scale = segments[k, SENSE] / segments[k, LENGTH]
    return (segments[k, AXIS_R] - segments[k, end + 1]) * scale, (
        segments[k, end] - segments[k, AXIS_Z]
    ) * scale


@inline
def sharp_joint(segments, k, following):
    """Return whether the joint at the end of segment k with the following one is a sharp edge of the material."""
    if segments[k, END_SIDE] >= 0.0:
        return False
    a_z, a_r = tangent_at(segments, k, END_Z)
    b_z, b_r = tangent_at(segments, following, START_Z)
    return math.atan2(a_r * b_z - a_z * b_r, a_z * b_z + a_r * b_r) > SHARP_ANGLE


@kernel
def radial_depth(segments, first, last, z, r):
    """Return the depth by the radial mapping at the same z, with the profile's normal there: (s, n_z, n_r).

    If the meridian crosses z several times, the nearest crossing counts; without a crossing there is no contact.
    """
    best = math.inf
    s, n_z, n_r = depth(segments, first, last, z, r)
    s = -abs(s)
    for k in range(first, last + 1):
        low, high = crossing_radii(segments, k, z)
        for r_k in (low, high):
            if not math.isnan(r_k) and abs(r - r_k) < best:
                best = abs(r - r_k)
                _, n_z, n_r = unbounded_depth(segments, k, z, r_k)
                s = (r - r_k) * n_r  # Eq. (C4)
    return s, n_z, n_r


@kernel
def crossing_radii(segments, k, z):
    """Return the radii [m] at which segment k crosses z: (first, second), NaN for none."""
    if segments[k, KIND] == LINE:
        step = segments[k, END_Z] - segments[k, START_Z]
        if step == 0.0:
            return math.nan, math.nan
        along = (z - segments[k, START_Z]) / step
        if along < 0.0 or along > 1.0:
            return math.nan, math.nan
        return segments[k, START_R] + along * (segments[k, END_R] - segments[k, START_R]), math.nan
    d_z = z - segments[k, AXIS_Z]
    square = segments[k, LENGTH] ** 2 - d_z * d_z
    if square < 0.0:
        return math.nan, math.nan
    low = segments[k, AXIS_R] - math.sqrt(square)
    high = segments[k, AXIS_R] + math.sqrt(square)
    if low < 0.0 or nearest_part(segments, k, z, low) != 0:
        low = math.nan
    if nearest_part(segments, k, z, high) != 0:
        high = math.nan
    return low, high


@kernel
def opposite_face_distance(segments, first, last, z, r, n_z, n_r):
    """Return the distance [m] along a direction from a point in the material to the opposite face of a wall.

    Infinite if the normal of the first face on the way is not opposed to the direction: then there is no wall.
    """
    distance, opposed = math.inf, 0.0
    for k in range(first, last + 1):
        for side in (1.0, -1.0):  # segments on this side of the axis, and their mirror images
            t, cosine = ray_exit(segments, k, z, side * r, n_z, side * n_r)
            if t < distance:
                distance, opposed = t, cosine
    return distance if opposed < -OPPOSED_COSINE else math.inf


@kernel
def ray_exit(segments, k, z, r, n_z, n_r):
    """Return how far a ray travels until it leaves the material through segment k [m], and its cosine with the normal.

    The distance is infinite if the ray does not leave there.
    """
    if segments[k, KIND] == LINE:
        s, g_z, g_r = unbounded_depth(segments, k, z, r)
        cosine = n_z * g_z + n_r * g_r
        if cosine >= 0.0:
            return math.inf, 0.0
        t = -s / cosine
        a_z, a_r = z + t * n_z - segments[k, START_Z], r + t * n_r - segments[k, START_R]
        along = a_z * segments[k, AXIS_Z] + a_r * segments[k, AXIS_R]
        if t <= SHORTEST_RAY or along < 0.0 or along > segments[k, LENGTH]:
            return math.inf, 0.0
        return t, cosine
    d_z, d_r, radius = z - segments[k, AXIS_Z], r - segments[k, AXIS_R], segments[k, LENGTH]
    b = d_z * n_z + d_r * n_r
    square = b * b - d_z * d_z - d_r * d_r + radius * radius
    if square <= 0.0:
        return math.inf, 0.0
    t = -b - segments[k, SENSE] * math.sqrt(square)
    if t <= SHORTEST_RAY or nearest_part(segments, k, z + t * n_z, r + t * n_r) != 0:
        return math.inf, 0.0
    return t, -math.sqrt(square) / radius


@kernel
def thinnest_wall(segments, samples):
    """Return the smallest wall thickness [m] at sample points of the surface: rows of (z, r) [m] and inward normal."""
    thickness = math.inf
    for i in range(samples.shape[0]):
        z, r, n_z, n_r = samples[i, 0], samples[i, 1], samples[i, 2], samples[i, 3]
        thickness = min(thickness, opposite_face_distance(segments, 0, segments.shape[0] - 1, z, r, n_z, n_r))
    return thickness
