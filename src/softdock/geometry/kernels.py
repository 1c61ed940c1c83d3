"""Depth below a surface of revolution, with its gradient, from the rows of `profile_array`.

The depth is positive inside the material and is the exact signed distance to the meridian in the (z, r)
half-plane: 1-Lipschitz, with a gradient of length one that points into the material. Labels: theory/contact.
"""

import math

from softdock.native.decorators import inline, kernel

KIND, START_Z, START_R, END_Z, END_R = 0, 1, 2, 3, 4
AXIS_Z, AXIS_R, LENGTH, SENSE = 5, 6, 7, 8
START_SIDE, END_SIDE = 9, 10
TINY = 1e-300  # guards a division by a distance that is exactly zero


@inline
def unbounded_depth(segments, k, z, r):
    """Depth below the endless line or full circle of segment k, with gradient: (s, n_z, n_r)."""
    if segments[k, KIND] == 0.0:
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
    """Tell which part of segment k is nearest: 0 its inside, -1 its start, +1 its end."""
    if segments[k, KIND] == 0.0:
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
    """Depth seen by segment k between its ends: (s, n_z, n_r); |s| is the distance to the segment."""
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


@kernel
def depth(segments, first, last, z, r):
    """Depth below the nearest of segments first..last, with gradient: (s, n_z, n_r).

    Coordinates (z, r) [m], r >= 0; s [m]. Exact where the nearest segment is among those given.
    """
    s, n_z, n_r = segment_depth(segments, first, z, r)
    for k in range(first + 1, last + 1):
        s_k, z_k, r_k = segment_depth(segments, k, z, r)
        if abs(s_k) < abs(s):
            s, n_z, n_r = s_k, z_k, r_k
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
    """Tell whether all points within `around` are past the smooth joint of segment k with its neighbour.

    Then the joint is the point of the segment nearest to them, and the neighbour is nearer. `near` and `far` are the
    columns of the joint and of the other end; `side` is 1 for the end of the segment, -1 for its start.
    """
    if segments[k, END_SIDE if side > 0.0 else START_SIDE] != 0.0:
        return False
    d_z, d_r = z - segments[k, near], r - segments[k, near + 1]
    t_z, t_r = tangent_at(segments, k, near)
    if side * (d_z * t_z + d_r * t_r) <= around:
        return False
    if segments[k, KIND] == 0.0:
        return True
    f_z, f_r = z - segments[k, far], r - segments[k, far + 1]
    return math.sqrt(f_z * f_z + f_r * f_r) > math.sqrt(d_z * d_z + d_r * d_r) + 2.0 * around


@inline
def tangent_at(segments, k, end):
    """Unit tangent (z, r) of segment k at one of its ends; `end` is START_Z or END_Z."""
    if segments[k, KIND] == 0.0:
        return segments[k, AXIS_Z], segments[k, AXIS_R]
    scale = segments[k, SENSE] / segments[k, LENGTH]
    return (segments[k, AXIS_R] - segments[k, end + 1]) * scale, (
        segments[k, end] - segments[k, AXIS_Z]
    ) * scale


@kernel
def radial_depth(segments, first, last, z, r):
    """Depth by the radial mapping at the same z, with the profile's normal there: (s, n_z, n_r).

    Where the meridian passes z more than once the nearest passage counts; where never, there is no contact.
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
    """Radii [m] at which segment k passes z, NaN for none: (first, second)."""
    if segments[k, KIND] == 0.0:
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
