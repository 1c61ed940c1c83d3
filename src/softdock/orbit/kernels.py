"""Kernels for relative motion near a circular orbit (Clohessy-Wiltshire equations) and for the shadow of the Earth."""

import math

from softdock.native.decorators import inline, kernel

NO_SHADOW, CYLINDER, CONE = 0, 1, 2  # models of the Earth's shadow
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


@inline
def sunlit_fraction(model, x, y, z, sun, earth_radius, sun_angle):
    """Return the visible fraction of the Sun's disc at a position from the Earth's centre [m]; Eqs. (O24) to (O26).

    `sun` is the unit vector to the Sun, `sun_angle` the apparent radius of the Sun [rad].
    """
    along = x * sun[0] + y * sun[1] + z * sun[2]
    if model == NO_SHADOW or along >= 0.0:
        return 1.0
    r2 = x * x + y * y + z * z
    if model == CYLINDER:
        return 0.0 if r2 - along * along < earth_radius * earth_radius else 1.0
    earth_angle = math.asin(min(earth_radius / math.sqrt(r2), 1.0))
    return visible_disc(sun_angle, earth_angle, math.acos(min(-along / math.sqrt(r2), 1.0)))


@inline
def visible_disc(a, b, c):
    """Return the fraction of a disc of radius a that one of radius b at a distance c does not cover; Eq. (O26)."""
    if c >= a + b:
        return 1.0
    if c <= b - a:
        return 0.0
    if c <= a - b:
        return 1.0 - b * b / (a * a)
    x = (c * c + a * a - b * b) / (2.0 * c)
    height = math.sqrt(max(a * a - x * x, 0.0))
    covered = a * a * math.acos(min(max(x / a, -1.0), 1.0))
    covered += b * b * math.acos(min(max((c - x) / b, -1.0), 1.0)) - c * height
    return 1.0 - covered / (math.pi * a * a)
