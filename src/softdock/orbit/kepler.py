"""Kepler orbits about the Earth: constants, elements, state at a time, and numerical propagation."""

import math
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from softdock.errors import InputError
from softdock.quantities.fields import Angle, Length, Quantity
from softdock.quantities.model import FieldError, Model
from softdock.spatial.rotations import matrix_about_x, matrix_about_z

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


Floats = NDArray[np.float64]


class Orbit(Model):
    """A closed orbit about the Earth; circular unless an eccentricity is given. Lengths in m, angles in rad."""

    altitude: Length
    """Altitude of the perigee above the equatorial radius."""
    eccentricity: Annotated[float, Quantity("1", ge=0, lt=1)] = 0.0
    """Eccentricity; 0 for a circle."""
    inclination: Angle = 0.0
    """Inclination to the equator."""
    ascending_node: Angle = 0.0
    """Right ascension of the ascending node, from the inertial x axis."""
    perigee: Angle = 0.0
    """Argument of the perigee, from the ascending node."""
    anomaly: Angle = 0.0
    """True anomaly at time zero, from the perigee."""

    @model_validator(mode="after")
    def _check_altitude(self) -> Self:
        if self.altitude <= 0.0:
            raise FieldError(
                "altitude",
                f"must be above 0 m: an orbit with this perigee ({self.altitude:g} m) intersects the Earth",
            )
        return self

    @property
    def semi_major_axis(self) -> float:
        """Semi-major axis [m]."""
        return (RADIUS + self.altitude) / (1.0 - self.eccentricity)

    @property
    def mean_motion(self) -> float:
        """Mean angular rate [rad/s]."""
        return mean_motion(self.semi_major_axis)

    @property
    def period(self) -> float:
        """Time of one revolution [s]."""
        return 2.0 * math.pi / self.mean_motion

    def state(self, time: float = 0.0) -> tuple[Floats, Floats]:
        """Return inertial position [m] and velocity [m/s] at a time [s]; Eqs. (O8)-(O10)."""
        e, a = self.eccentricity, self.semi_major_axis
        root = math.sqrt(1.0 - e * e)
        E0 = math.atan2(root * math.sin(self.anomaly), e + math.cos(self.anomaly))
        E = eccentric_anomaly(E0 - e * math.sin(E0) + self.mean_motion * time, e)
        rate = self.mean_motion / (1.0 - e * math.cos(E))
        position = a * np.array([math.cos(E) - e, root * math.sin(E), 0.0])  # Eq. (O9)
        velocity = a * rate * np.array([-math.sin(E), root * math.cos(E), 0.0])  # Eq. (O10)
        R = self.axes()
        return R @ position, R @ velocity

    def axes(self) -> Floats:
        """Return the rotation from perifocal to inertial axes, shape (3, 3)."""
        return np.asarray(
            matrix_about_z(self.ascending_node)
            @ matrix_about_x(self.inclination)
            @ matrix_about_z(self.perigee)
        )


def mean_motion(semi_major_axis: float) -> float:
    """Return the mean motion [rad/s] for a semi-major axis [m]; raise InputError for one inside the Earth."""
    if not semi_major_axis > RADIUS:
        raise InputError(
            f"must be above {RADIUS:g} m: the orbit intersects the Earth.",
            field="semi_major_axis",
            given=f"{semi_major_axis:g} m",
        )
    return math.sqrt(MU / semi_major_axis**3)


def eccentric_anomaly(mean_anomaly: float, eccentricity: float) -> float:
    """Return the eccentric anomaly E [rad] with M = E - e sin E; Newton's method with bisection, Eq. (O8)."""
    M, e = mean_anomaly, eccentricity
    low, high = M - e, M + e  # |E - M| = e |sin E|
    E = M + e * math.sin(M)
    for _ in range(60):
        residual = E - e * math.sin(E) - M  # Eq. (O8)
        low, high = (low, E) if residual > 0.0 else (E, high)
        improved = E - residual / (1.0 - e * math.cos(E))
        improved = improved if low <= improved <= high else 0.5 * (low + high)
        if abs(improved - E) <= 4e-16 * max(1.0, abs(E)):  # two units in the last place
            return improved
        E = improved
    return E
