"""The Power Tower of the station paper: Table 2, and values of the assumed model."""

import numpy as np
import pytest

from softdock.flexible import (
    BaseModes,
    StructureMesh,
    base_modes,
    equivalent_beam,
    free_modes,
    mesh,
    propagate_free_vibration,
    square_bay,
)
from softdock.flexible.station import APPROACHES, BAY, SECTIONS, Orbiter, dock, power_tower
from softdock.quantities.units import FOOT, POUND

FREE = [0.07878, 0.07882, 0.07990, 0.07990, 0.07999, 0.08000, 0.08656, 0.08764]
"""First eight free-free frequencies of the assumed model [Hz]."""


@pytest.fixture(scope="module")
def tower() -> StructureMesh:
    return mesh(power_tower())


@pytest.fixture(scope="module")
def coarse() -> BaseModes:
    """Return all modes of the model with panels of three elements."""
    return base_modes(mesh(power_tower(panel_elements=3)), "foot")


def test_mass_properties_equal_table_2(tower: StructureMesh) -> None:
    found = tower.mass_properties()
    pound_foot = POUND * FOOT**2
    assert found.mass == pytest.approx(2.6612e5 * POUND, rel=1e-3)
    diagonal = np.array([2.0318e9, 1.8704e9, 2.5434e8]) * pound_foot
    np.testing.assert_allclose(np.diag(found.inertia), diagonal, rtol=1e-3)
    assert -found.inertia[0, 2] == pytest.approx(7.4644e6 * pound_foot, rel=1e-3)  # a product of inertia
    assert found.inertia[0, 1] == pytest.approx(0.0, abs=1.0)
    assert found.inertia[1, 2] == pytest.approx(0.0, abs=1.0)


def test_free_frequencies_are_those_of_the_assumed_model(tower: StructureMesh) -> None:
    np.testing.assert_allclose(free_modes(tower, 8).frequency, FREE, rtol=1e-3)


def test_coupled_frequencies_equal_the_free_ones(coarse: BaseModes) -> None:
    np.testing.assert_allclose(coarse.coupled_frequency()[:8], FREE, rtol=1e-3)
    np.testing.assert_allclose(coarse.lowest(28).coupled_frequency()[:8], FREE, rtol=1e-3)
    eight = coarse.lowest(8).coupled_frequency()
    assert eight[7] / FREE[7] > 2.0  # eight modes are too few: most are panel modes with little participation


def test_change_of_rate_for_a_docking_along_x(coarse: BaseModes) -> None:
    along_x = np.array(APPROACHES["x"])
    assert dock(coarse.lowest(0), FOOT, along_x).delta_rate == pytest.approx(3.125e-3, rel=1e-3)
    assert dock(coarse, FOOT, along_x).delta_rate == pytest.approx(6.70e-3, rel=5e-3)


def test_change_of_rate_is_proportional_to_the_closing_rate(coarse: BaseModes) -> None:
    for direction in APPROACHES.values():
        slow, fast = (dock(coarse, rate * FOOT, np.array(direction)).delta_rate for rate in (0.5, 1.5))
        assert fast == pytest.approx(3.0 * slow, rel=1e-12)


def test_deflections_converge_with_modes_of_large_share(coarse: BaseModes) -> None:
    """Keel tip after docking along X: modes with a residual inertia of 1 % give it within 1 %."""
    tips = []
    for modes in (coarse.with_residual(0.01), coarse.with_residual(0.001)):
        hit = dock(modes, FOOT, np.array(APPROACHES["x"]))
        body = Orbiter().inertia_about_foot()
        run = propagate_free_vibration(
            modes, motion=hit.motion, modal_rate=hit.modal_rate, body=body, damping=0.01, end=60.0, step=0.1
        )
        tips.append(np.abs(run.deflection("keel-top")[:, 3]).max())
    assert tips[0] == pytest.approx(tips[1], rel=0.01)
    assert 0.5 < tips[1] < 0.8  # two thirds of a metre


def test_truss_of_9_foot_cubes_has_the_stiffness_of_the_beam() -> None:
    """Longerons and single diagonals of EA 6.645e7 N; a bay with rigid faces reproduces the beam's stiffness."""
    bar = SECTIONS["keel"].axial / 4.0
    bay = equivalent_beam(square_bay(side=BAY, length=BAY, longeron=bar, diagonal=bar, crossed=False)).section
    keel = SECTIONS["keel"]
    assert bay.axial == pytest.approx(keel.axial, rel=1e-3)
    assert bay.bending_y == pytest.approx(keel.bending_y, rel=1e-3)
    crossed = equivalent_beam(square_bay(side=BAY, length=BAY, longeron=bar, diagonal=bar)).section
    assert crossed.torsion == pytest.approx(keel.torsion, rel=1e-3)
    assert crossed.shear_y == pytest.approx(keel.shear_y, rel=1e-3)
