"""Drag and solar radiation pressure on plates."""

import numpy as np
import pytest
from tests.orbit.reference_orbits import drag, solar_pressure

from softdock.model.orbit import BodyPlate

PLATE = BodyPlate(body="panel", area=2.0, normal=(0.0, 0.0, 3.0), centre=(1.0, 0.0, 0.0))


@pytest.mark.plain_python
def test_drag_of_a_plate_normal_to_the_wind() -> None:
    wrench = drag(PLATE, 1e-12, (0.0, 0.0, -7600.0))
    force = 0.5 * 1e-12 * 2.2 * 2.0 * 7600.0**2
    np.testing.assert_allclose(wrench, [0.0, force, 0.0, 0.0, 0.0, -force], rtol=1e-14)


@pytest.mark.plain_python
def test_drag_acts_along_the_wind_on_the_windward_side_only() -> None:
    rng = np.random.default_rng(0)
    for wind in rng.normal(size=(50, 3)) * 7000.0:
        force = drag(PLATE, 1e-12, wind)[3:]
        assert force @ wind >= 0.0
        assert (wind[2] < 0.0) == bool(np.any(force))


@pytest.mark.plain_python
def test_solar_pressure_on_black_specular_and_diffuse_plates() -> None:
    """Normal to the Sun the factors of the pressure are 1, 2 and 5/3."""
    for specular, diffuse, factor in ((0.0, 0.0, 1.0), (1.0, 0.0, 2.0), (0.0, 1.0, 5.0 / 3.0)):
        plate = PLATE.model_copy(update={"specular": specular, "diffuse": diffuse})
        assert solar_pressure(plate, (0, 0, 2.0), 5e-6)[5] == pytest.approx(-factor * 2.0 * 5e-6, rel=1e-14)
    assert not np.any(solar_pressure(PLATE, (0.0, 0.0, -1.0)))


@pytest.mark.plain_python
def test_force_on_a_mirror_is_along_its_normal() -> None:
    mirror = PLATE.model_copy(update={"specular": 1.0})
    np.testing.assert_allclose(solar_pressure(mirror, (1.0, 1.0, 1.0))[3:5], 0.0, atol=1e-21)
