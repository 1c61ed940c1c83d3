"""Equivalent beam of a truss bay, against closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softdock.errors import InputError
from softdock.flexible import Bar, TrussBay, equivalent_beam, square_bay
from softdock.spatial.vectors import motion_shift

SIZE = st.floats(0.3, 5.0)
EA = st.floats(1e5, 1e9)


@settings(deadline=None, max_examples=40)
@given(side=SIZE, length=SIZE, longeron=EA, diagonal=EA)
def test_stiffness_of_a_crossed_square_bay_equals_the_closed_form(
    side: float, length: float, longeron: float, diagonal: float
) -> None:
    """Bars at the angle alpha to the axis contribute to each stiffness by their elongation."""
    s, c = math.sin(math.atan2(side, length)), math.cos(math.atan2(side, length))
    beam = equivalent_beam(square_bay(side=side, length=length, longeron=longeron, diagonal=diagonal))
    found = beam.section
    exact = {
        "axial": 4.0 * (longeron + diagonal * c**3),
        "torsion": diagonal * s**2 * c * side**2,
        "bending_y": side**2 * (longeron + diagonal * c**3 / 2.0),
        "bending_z": side**2 * (longeron + diagonal * c**3 / 2.0),
        "shear_y": 2.0 * diagonal * s**2 * c,
        "shear_z": 2.0 * diagonal * s**2 * c,
    }
    tolerance = 1e-12 * (1.0 + longeron / diagonal) * (1.0 + (length / side) ** 2 + (side / length) ** 2) ** 2
    for name, value in exact.items():
        assert getattr(found, name) == pytest.approx(value, rel=max(tolerance, 1e-10)), name
    assert beam.coupling < 1e-6


def test_long_truss_bends_like_its_equivalent_beam() -> None:
    """Thirty bays end to end, tip loaded; the moment is constant in a bay: 1/(4 n^2) of the bending is missing."""
    n, length = 30, 2.0
    beam = equivalent_beam(square_bay(side=1.5, length=length, longeron=5e6, diagonal=3e6))
    chained = np.zeros((6, 6))
    for i in range(n):  # each bay moves everything beyond it
        X = motion_shift(np.array([length * i, 0.0, 0.0]))
        chained += X @ beam.compliance @ X.T
    found, s = chained[4, 4], beam.section
    bent = (n * length) ** 3 / (3.0 * s.bending_z)
    assert s.shear_y is not None
    assert found == pytest.approx(bent * (1.0 - 1.0 / (4.0 * n**2)) + n * length / s.shear_y, rel=1e-10)


def test_single_diagonals_couple_twist_and_stretch() -> None:
    """Diagonals of the same sense: the bay twists under tension, which only the longerons carry."""
    beam = equivalent_beam(square_bay(side=2.0, length=2.0, longeron=5e6, diagonal=5e6, crossed=False))
    assert beam.section.axial == pytest.approx(4 * 5e6, rel=1e-9)
    assert beam.section.bending_y == pytest.approx(5e6 * 2.0**2, rel=1e-9)
    assert beam.coupling > 0.2


def test_mass_per_length_counts_every_bar() -> None:
    bay = square_bay(side=2.0, length=2.0, longeron=5e6, diagonal=5e6)
    heavy = bay.model_copy(
        update={"bars": tuple(b.model_copy(update={"mass_per_length": 3.0}) for b in bay.bars)}
    )
    total = 4 * 3.0 + 8 * 3.0 * math.sqrt(2.0)
    assert equivalent_beam(heavy).section.mass_per_length == pytest.approx(total, rel=1e-12)


def test_invalid_trusses_are_refused() -> None:
    bay = square_bay(side=1.0, length=1.0, longeron=1e6, diagonal=1e6)
    with pytest.raises(InputError, match="is a mechanism"):
        equivalent_beam(bay.model_copy(update={"bars": bay.bars[:4]}))
    with pytest.raises(InputError, match="three nodes in each end face"):
        equivalent_beam(
            TrussBay(
                length=1.0, nodes={"a": (0, 0, 0), "b": (1, 0, 0)}, bars=(Bar(nodes=("a", "b"), axial=1.0),)
            )
        )
    with pytest.raises(InputError, match="a bar must connect nodes of the bay"):
        equivalent_beam(bay.model_copy(update={"bars": (Bar(nodes=("near0", "x"), axial=1.0),)}))
