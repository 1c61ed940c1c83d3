"""Kernels for relative motion near a circular orbit (Clohessy-Wiltshire equations)."""

import math

from softdock.native.decorators import inline, kernel

SERIES_BELOW = 0.2  # [rad] below which the first neglected terms of the series are below rounding


@inline
def orbit_functions(a):
    """Return sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^2 of an angle [rad], accurate down to zero."""
    if abs(a) < SERIES_BELOW:
        b = a * a
        sine = 1.0 - b / 6.0 * (1.0 - b / 20.0 * (1.0 - b / 42.0 * (1.0 - b / 72.0 * (1.0 - b / 110.0))))
        versine = 0.5 - b / 24.0 * (1.0 - b / 30.0 * (1.0 - b / 56.0 * (1.0 - b / 90.0 * (1.0 - b / 132.0))))
        remainder = a / 6.0 * (1.0 - b / 20.0 * (1.0 - b / 42.0 * (1.0 - b / 72.0 * (1.0 - b / 110.0))))
    else:
        half = math.sin(0.5 * a)
        sine = math.sin(a) / a
        versine = 2.0 * half * half / (a * a)
        remainder = (a - math.sin(a)) / (a * a)
    return sine, versine, remainder


@kernel
def write_transition(n, t, out):
    """Write the 6x6 state transition matrix of position and velocity in H over a time t [s]; Eq. (O13).

    The mean motion n [rad/s] may be zero: free space.
    """
    a = n * t
    sine, versine, remainder = orbit_functions(a)
    c, s = math.cos(a), math.sin(a)
    for i in range(6):
        for j in range(6):
            out[i, j] = 0.0
    out[0, 0], out[0, 2] = 1.0, 6.0 * a * a * remainder
    out[0, 3], out[0, 5] = t * (4.0 * sine - 3.0), 2.0 * t * a * versine
    out[1, 1], out[1, 4] = c, t * sine
    out[2, 2], out[2, 3], out[2, 5] = 4.0 - 3.0 * c, -2.0 * t * a * versine, t * sine
    out[3, 2], out[3, 3], out[3, 5] = 6.0 * n * a * a * versine, 4.0 * c - 3.0, 2.0 * s
    out[4, 1], out[4, 4] = -n * s, c
    out[5, 2], out[5, 3], out[5, 5] = 3.0 * n * s, -2.0 * s, c


@kernel
def write_input_response(n, t, out):
    """Write the 6x3 change of position and velocity in H by a constant acceleration over a time t [s]; Eq. (K2)."""
    a = n * t
    sine, versine, remainder = orbit_functions(a)
    for i in range(6):
        for j in range(3):
            out[i, j] = 0.0
    out[0, 0], out[0, 2] = t * t * (4.0 * versine - 1.5), 2.0 * t * t * remainder
    out[1, 1] = t * t * versine
    out[2, 0], out[2, 2] = -2.0 * t * t * remainder, t * t * versine
    out[3, 0], out[3, 2] = t * (4.0 * sine - 3.0), 2.0 * t * a * versine
    out[4, 1] = t * sine
    out[5, 0], out[5, 2] = -2.0 * t * a * versine, t * sine
