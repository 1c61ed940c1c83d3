"""Sine and cosine of numbers and of SIMD vectors."""

import math

from softdock.native.decorators import inline
from softdock.native.simd import fma

# A quarter turn in three parts, of which the first two have 33 bits: their products with whole numbers are exact;
# minimax polynomials on an eighth of a turn to either side: fdlibm (Sun Microsystems, 1993).
QUARTER_1, QUARTER_2, QUARTER_3 = (
    1.57079632673412561417,
    6.07710050630396597660e-11,
    2.02226624879595063154e-21,
)
S3, S5, S7 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
S9, S11, S13 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
C4, C6, C8 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C10, C12, C14 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11
# 1.5 * 2^52: adding and subtracting it rounds numbers below 2^51 to integers.
ROUNDING_CONSTANT = 6755399441055744.0


@inline
def sine_and_cosine(angle):
    """Return sine and cosine of an angle [rad], or of a SIMD vector of angles, without branches and calls."""
    quarters = fma(angle, 2.0 / math.pi, ROUNDING_CONSTANT) - ROUNDING_CONSTANT
    r = fma(quarters, -QUARTER_3, fma(quarters, -QUARTER_2, fma(quarters, -QUARTER_1, angle)))
    z = r * r
    s = fma(z, fma(z, fma(z, fma(z, fma(z, S13, S11), S9), S7), S5), S3)
    c = fma(z, fma(z, fma(z, fma(z, fma(z, C14, C12), C10), C8), C6), C4)
    s, c = fma(r * z, s, r), fma(z * z, c, fma(z, -0.5, 1.0))
    halves = (fma(quarters, 0.5, -0.25) + ROUNDING_CONSTANT) - ROUNDING_CONSTANT  # rounded down, as the next
    turns = (fma(halves, 0.5, -0.25) + ROUNDING_CONSTANT) - ROUNDING_CONSTANT
    odd, sign = fma(halves, -2.0, quarters), fma(fma(turns, -2.0, halves), -2.0, 1.0)
    even = 1.0 - odd
    return sign * fma(odd, c, even * s), sign * fma(-odd, s, even * c)
