"""Gauss points of a cell of B, and their depths below A in the middle and at both ends of the path of a near list."""

from softdock.contact.kernels.blocks import is_smooth_pair
from softdock.contact.kernels.cell_geometry import meridian_point, rotate_around, shift_along
from softdock.contact.kernels.depth_variation import square_root
from softdock.contact.kernels.layout import GAUSS_PHI, GAUSS_U
from softdock.contact.kernels.point_depths import distance_beyond_end, points_in_A
from softdock.geometry.kernels import AXIS_R, AXIS_Z, KIND, LENGTH, LINE, SENSE, START_R, START_Z, depth
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, fma, load, select_positive, store

# Rows of WORK.cell_vectors. The four points are in lanes 0 to 3 and again in lanes 4 to 7: in B [m], and the position
# on the path of the second measurement, which is the start in the first four lanes and the end in the others.
X, Y, Z, ON_PATH = 30, 31, 32, 33
# Places in A [m] and depths [m]: in the middle of the path, and at its ends.
MIDDLE, ENDS = 34, 37  # rows z, r and depth of each


@inline
def gauss_points(shape, m, e, steps, levels):
    """Return the Gauss points of a cell: (z, rho) [m] of the lower and upper ones, (cos, sin) of the two azimuths."""
    low = meridian_point(shape, shift_along(shape, m, steps, levels[0], GAUSS_U, -1.0))
    high = meridian_point(shape, shift_along(shape, m, steps, levels[0], GAUSS_U, 1.0))
    before = rotate_around(e, steps, levels[1], GAUSS_PHI, -1.0)
    after = rotate_around(e, steps, levels[1], GAUSS_PHI, 1.0)
    return low, high, before, after


@kernel
def gauss_depths(segments, first, last, V, R_AB, p_AB_A, half_R, half_p, points):
    """Return the depths [m] below A of the four Gauss points of a cell at start, middle and end of the path.

    `V`: WORK.cell_vectors, whose last rows are overwritten.
    """
    (z_0, rho_0), (z_1, rho_1), (c_0, s_0), (c_1, s_1) = points
    for lane in (0, LANES // 2):
        V[X, lane], V[X, lane + 1] = rho_0 * c_0, rho_0 * c_1
        V[X, lane + 2], V[X, lane + 3] = rho_1 * c_0, rho_1 * c_1
        V[Y, lane], V[Y, lane + 1] = rho_0 * s_0, rho_0 * s_1
        V[Y, lane + 2], V[Y, lane + 3] = rho_1 * s_0, rho_1 * s_1
        V[Z, lane], V[Z, lane + 1], V[Z, lane + 2], V[Z, lane + 3] = z_0, z_0, z_1, z_1
        for k in range(4):
            V[ON_PATH, lane + k] = -1.0 if lane == 0 else 1.0
    x, y, z = load(V, X, 0), load(V, Y, 0), load(V, Z, 0)
    on_path, d = load(V, ON_PATH, 0), points_in_A(half_R, half_p, x, y, z)
    x, y, z = points_in_A(R_AB, p_AB_A, x, y, z)
    smooth = is_smooth_pair(segments, first, last)
    store_depths(segments, first, smooth, V, MIDDLE, x, y, z)
    x, y, z = fma(on_path, d[0], x), fma(on_path, d[1], y), fma(on_path, d[2], z)
    store_depths(segments, first, smooth, V, ENDS, x, y, z)
    if last > first and not smooth:
        for row in (MIDDLE, ENDS):
            for lane in range(LANES):
                V[row + 2, lane] = depth(segments, first, last, V[row, lane], V[row + 1, lane])[0]
    s, e = MIDDLE + 2, ENDS + 2
    return (
        (V[e, 0], V[e, 1], V[e, 2], V[e, 3]),
        (V[s, 0], V[s, 1], V[s, 2], V[s, 3]),
        (V[e, 4], V[e, 5], V[e, 6], V[e, 7]),
    )


@inline
def store_depths(segments, k, smooth, V, row, x, y, z):
    """Store z, r and the depth below the unbounded segment k of eight points given in A [m].

    `smooth`: the cell also faces the next segment, which continues segment k smoothly; the depth of points beyond the
    end of segment k is that below the next one.
    """
    r = square_root(fma(x, x, y * y))
    s = unbounded_depths(segments, k, z, r)
    if smooth:
        beyond = distance_beyond_end(segments, k, z, r)
        s = select_positive(beyond, unbounded_depths(segments, k + 1, z, r), s)
    store(V, row, 0, z)
    store(V, row + 1, 0, r)
    store(V, row + 2, 0, s)


@inline
def unbounded_depths(segments, k, z, r):
    """Return the depths of eight points (z, r) [m] below the infinite line or full circle of segment k."""
    if segments[k, KIND] == LINE:
        n_z, n_r = segments[k, AXIS_R], -segments[k, AXIS_Z]
        return fma(z - segments[k, START_Z], n_z, (r - segments[k, START_R]) * n_r)  # Eq. (C1)
    d_z, d_r = z - segments[k, AXIS_Z], r - segments[k, AXIS_R]
    distance = square_root(fma(d_z, d_z, d_r * d_r))
    return segments[k, SENSE] * (distance - segments[k, LENGTH])  # Eq. (C2)
