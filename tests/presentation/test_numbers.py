"""Number formats and display units."""

import math

import pytest

from softdock.presentation.numbers import (
    ROUNDING,
    display_resolutions,
    display_unit,
    format_change,
    format_confidence,
    format_duration,
    format_error,
    format_number,
    format_quantity,
    format_share,
    format_time,
    format_value,
)
from softdock.presentation.unit_systems import DISPLAY_UNITS
from softdock.quantities.units import parse_unit


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0123456, "m", "12.346 mm"),
        (1.5, "m", "1.5 m"),
        (2e-7, "m", "0.2 µm"),
        (-3e4, "N", "-30 kN"),
        (0.0, "N", "0 N"),
        (0.0, "rad", "0 deg"),
        (math.pi, "rad", "180 deg"),
        (2.0, "kg", "2 kg"),
        (0.25, "1", "0.25"),
        (0.25, "", "0.25"),
        (637.2812, "kg", "637.28 kg"),
        (math.nan, "m", "-"),
    ],
)
def test_a_quantity_has_a_unit_of_suitable_size(value: float, unit: str, text: str) -> None:
    assert format_quantity(value, unit) == text


def test_large_and_small_numbers_have_exponents() -> None:
    assert format_number(123456.7) == "123457"
    assert format_number(1.23456789e7) == "1.2346e+07"
    assert format_number(-4.2e-5) == "-4.2e-05"


@pytest.mark.parametrize(
    ("value", "resolution", "text"),
    [
        (0.046375, 0.01, "0.05"),
        (3.0108, 0.01, "3.01"),
        (39.9991234, 1e-5, "39.999"),  # five digits are enough
        (-2.1e-7, 5.7e-7, "0"),
        (5.4e-7, 5.7e-7, "0"),  # not rounded up
        (123456.7, 1.0, "123457"),
        (0.0, 0.01, "0"),
        (math.nan, 0.01, "-"),
    ],
)
def test_digits_below_the_resolution_are_left_out(value: float, resolution: float, text: str) -> None:
    assert format_number(value, resolution) == text


def test_a_quantity_below_its_resolution_is_zero_in_the_base_unit() -> None:
    assert format_quantity(1.7e-11, "m/s", resolution=1e-8) == "0 m/s"
    assert format_quantity(9.9e-9, "m/s", resolution=1e-8) == "0 m/s"
    assert format_quantity(4.6375e-8, "m/s", resolution=1e-8) == "0.05 µm/s"


def test_resolutions_follow_the_accuracy_of_the_scenario() -> None:
    accuracy = {"length": 1e-6, "angle": 1e-6, "speed": 1e-5, "rate": 1e-5}
    found = display_resolutions({"integrator": {"accuracy": accuracy}})
    assert found == pytest.approx({"m": 1e-9, "rad": 1e-9, "m/s": 1e-8, "rad/s": 1e-8})
    assert display_resolutions({"accuracy": {"rate": 1e-3}})["rad/s"] == pytest.approx(1e-6)
    assert display_resolutions({}) == ROUNDING  # solved exactly
    assert display_resolutions({"integrator": {"accuracy": {"length": "?"}}}) == ROUNDING  # a damaged file


@pytest.mark.parametrize("unit", DISPLAY_UNITS)
def test_display_units_measure_the_same_as_their_si_unit(unit: str) -> None:
    """Factors agree with the unit table of scenario files; symbols are in order of size."""
    factors = [choice.factor for choice in DISPLAY_UNITS[unit]]
    assert factors == sorted(factors)
    for symbol, factor in DISPLAY_UNITS[unit]:
        parsed = parse_unit(symbol or "1")
        assert parsed.dimension == parse_unit(unit).dimension
        assert factor * parsed.factor == pytest.approx(1.0, rel=1e-15)


def test_a_unit_without_entry_is_typeset() -> None:
    assert display_unit("kg*m^2", 1e-6) == ("kg·m²", 1.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        (True, "yes"),
        (False, "no"),
        (12, "12"),
        (0.5, "0.5"),
        ([1.0, 2.5], "1, 2.5"),
        ("closing", "closing"),
    ],
)
def test_values_of_any_type_have_a_text(value: object, text: str) -> None:
    assert format_value(value) == text


@pytest.mark.parametrize(("seconds", "text"), [(4.4, "4 s"), (61.0, "1 min 1 s"), (7260.0, "2 h 1 min")])
def test_durations_are_in_whole_units(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


def test_changes_have_a_sign_and_say_where_they_have_no_size() -> None:
    assert [format_change(change) for change in (0.0, 0.0123, -2.0)] == ["0", "+1.2e-02", "-2.0e+00"]
    assert format_change(math.inf) == "from 0"
    assert format_change(math.nan) == ""  # nothing to compare with


def test_errors_shares_and_confidences_have_fixed_forms() -> None:
    assert format_error(None) == "does not apply"
    assert format_error(1.234e-9) == "1.2e-09"
    assert format_share(0.1234) == "12.3%"
    assert (format_confidence(0.95), format_confidence(0.999)) == ("95 %", "99.9 %")
    assert format_time(1.23456) == "1.2346 s"


def test_a_negative_size_has_the_unit_of_its_amount() -> None:
    assert format_quantity(-2.5e-3, "m") == "-2.5 mm"
    assert format_quantity(-1e-9, "m/s", resolution=1e-8) == "0 m/s"
    assert format_number(-0.046375, 0.01) == "-0.05"


def test_whole_numbers_are_shown_in_full() -> None:
    """Counts and numbers of runs identify something; with another unit they are measured values."""
    assert format_value(12345678) == "12345678"
    assert format_value(12345678, 0.1) == "1.2346e+06"
