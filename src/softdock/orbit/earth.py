"""Constants of the Earth and of solar radiation."""

MU = 3.986004418e14
"""Gravitational parameter [m3/s2]; WGS 84 (NIMA TR8350.2)."""
RADIUS = 6_378_137.0
"""Equatorial radius [m]; WGS 84."""
J2 = 1.08262668e-3
"""Second zonal harmonic, unnormalised [1]; EGM96."""
ROTATION = 7.292115e-5
"""Rotation rate about its axis [rad/s]; WGS 84."""
SUN_RADIUS = 6.957e8
"""Nominal radius of the Sun [m]; IAU 2015, resolution B3."""
SUN_DISTANCE = 1.495978707e11
"""Astronomical unit [m]; IAU 2012, resolution B2."""
SOLAR_PRESSURE = 4.54e-6
"""Radiation pressure on a black surface facing the Sun at one astronomical unit [Pa]: 1361 W/m2 / c."""
