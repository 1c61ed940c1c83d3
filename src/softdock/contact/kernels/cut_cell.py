"""Cut cells: exact integrals of the positive part of a depth that is linear over a rectangle, eight cells at a time."""

from softdock.native.decorators import inline
from softdock.native.simd import fma, maximum, select_positive

# [m] Slope of the depth across a cell below which its magnitude is smoothed: divisions stay finite, and the energy of
# parallel faces has no kink, at which they would rock for ever.
SMALLEST_SLOPE = 1e-8
HALF_SQRT3 = 0.8660254037844386
TWELFTH = 1.0 / 12.0
# Sum of the magnitudes of the weights that make a corner of four points, at most.
CORNER_WEIGHTS = 2.0 * HALF_SQRT3 + 1.0


@inline
def smooth_sign(slope):
    """Return the sign of a slope of the depth across a cell [m], proportional to it below `SMALLEST_SLOPE`."""
    return maximum(-maximum((-1.0 / SMALLEST_SLOPE) * slope, -1.0), -1.0)


@inline
def magnitude(slope, sign):
    """Return the magnitude of a slope [m] whose derivative is its smooth sign; never zero; Eq. (C70)."""
    return fma(sign, slope, 0.5 * SMALLEST_SLOPE * (1.0 - sign * sign))


@inline
def integrate_cut_cell(s, a, b):
    """Integrate a depth of mean s and slopes of magnitudes a, b [m] over a cell.

    Returns (W, E, m_a, m_b, covered, edge): mean positive part [m], mean of half its square [m2], derivatives of E by
    the slopes [m], the fraction of the cell that touches and its derivative by s [1/m].
    """
    t, both = 0.5 * (a + b), 1.0 / (a * b)  # the only division: divisions are slow
    inverse = TWELFTH * both
    h1, h2, h3 = positive_corner_depths(s, a, b)
    q1, q2, q3 = h1 * h1, h2 * h2, h3 * h3
    p1, p2, p3 = q1 * h1, q2 * h2, q3 * h3
    W = select_positive(t - s, 2.0 * inverse * (p1 - p2 - p3), s)  # Eq. (C9)
    full = fma(0.5 * s, s, 0.5 * TWELFTH * fma(a, a, b * b))
    E = select_positive(t - s, 0.5 * inverse * (q1 * q1 - q2 * q2 - q3 * q3), full)  # Eq. (C10)
    E_both = E * both
    m_a = select_positive(t - s, inverse * (p1 - p2 + p3) - E_both * b, TWELFTH * a)  # Eq. (C11)
    m_b = select_positive(t - s, inverse * (p1 + p2 - p3) - E_both * a, TWELFTH * b)
    covered = select_positive(t - s, 6.0 * inverse * (q1 - q2 - q3), 1.0)
    return W, E, m_a, m_b, covered, select_positive(t - s, 12.0 * inverse * (h1 - h2 - h3), 0.0)


@inline
def mean_positive_depth(s, a, b):
    """Return the mean positive part [m] of a depth of mean s and slopes a, b [m]: W of `integrate_cut_cell`."""
    h1, h2, h3 = positive_corner_depths(s, a, b)
    cubes = h1 * h1 * h1 - h2 * h2 * h2 - h3 * h3 * h3
    return select_positive(0.5 * (a + b) - s, 2.0 * TWELFTH * (1.0 / (a * b)) * cubes, s)  # Eq. (C9)


@inline
def positive_corner_depths(s, a, b):
    """Return the positive parts of the depths of three corners [m]; the fourth corner of a cut cell is outside."""
    t, q = 0.5 * (a + b), 0.5 * (a - b)
    return maximum(s + t, 0.0), maximum(s + q, 0.0), maximum(s - q, 0.0)
