"""Unit systems: consistent factors, one unit per quantity, names and errors."""

import math

import pytest

from softdock.errors import InputError
from softdock.presentation.numbers import format_quantity
from softdock.presentation.unit_systems import (
    AUTOMATIC,
    COMMON_UNITS,
    IMPERIAL,
    MILLIMETRES,
    SI,
    SYSTEMS,
    UnitSystem,
    find_unit_system,
    typeset_unit,
    unit_system_of,
)
from softdock.quantities.units import UNIT_SYSTEMS, parse_quantity, parse_unit
from softdock.scenario.loading import read_scenario_text


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=str)
@pytest.mark.parametrize("unit", COMMON_UNITS)
@pytest.mark.parametrize("size", [1e-12, 0.5, 3e7])
def test_a_displayed_value_is_the_same_quantity(system: UnitSystem, unit: str, size: float) -> None:
    """Reading the text with the units of scenario files gives the value back, to the displayed digits."""
    assert parse_quantity(format_quantity(size, unit, system), unit) == pytest.approx(size, rel=1e-4)


@pytest.mark.parametrize("system", [SI, MILLIMETRES, IMPERIAL], ids=str)
@pytest.mark.parametrize("unit", COMMON_UNITS)
def test_a_fixed_system_does_not_choose_by_size(system: UnitSystem, unit: str) -> None:
    assert len({system.choose(unit, size) for size in (0.0, 1e-9, 1.0, 1e9, math.nan)}) == 1


@pytest.mark.parametrize(
    ("system", "texts"),
    [
        (AUTOMATIC, ["12.7 mm", "3 deg", "250 mN", "2 N·m", "800 N/m", "5 kPa", "2 kg·m²"]),
        (SI, ["0.0127 m", "0.05236 rad", "0.25 N", "2 N·m", "800 N/m", "5000 Pa", "2 kg·m²"]),
        (MILLIMETRES, ["12.7 mm", "3 deg", "0.25 N", "2 N·m", "0.8 N/mm", "0.005 MPa", "2 kg·m²"]),
        (
            IMPERIAL,
            [
                "0.5 in",
                "3 deg",
                "0.056202 lbf",
                "17.701 lbf·in",
                "4.5681 lbf/in",
                "0.72519 psi",
                "6834.3 lb·in²",
            ],
        ),
    ],
    ids=str,
)
def test_the_units_of_mechanisms(system: UnitSystem, texts: list[str]) -> None:
    values = [
        (0.0127, "m"), (math.radians(3.0), "rad"), (0.25, "N"), (2.0, "N*m"), (800.0, "N/m"), (5e3, "Pa"),
        (2.0, "kg*m^2"),
    ]  # fmt: skip
    assert [format_quantity(value, unit, system) for value, unit in values] == texts


def test_tiny_values_have_the_si_unit_and_an_exponent() -> None:
    assert format_quantity(1e-12, "J") == "1e-12 J"
    assert format_quantity(4e-9, "J") == "0.004 µJ"
    assert format_quantity(0.0, "J") == "0 J"


@pytest.mark.parametrize(
    ("unit", "text"),
    [("kg*m^2", "kg·m²"), ("m^-2", "m⁻²"), ("1", ""), ("", ""), ("m*kg^0.5", "m·kg^0.5"), ("N/m^3", "N/m³")],
)
def test_units_are_typeset(unit: str, text: str) -> None:
    assert typeset_unit(unit) == text


def test_an_unknown_unit_is_displayed_as_it_is() -> None:
    for system in SYSTEMS.values():
        assert system.choose("furlong", 3.0) == ("furlong", 1.0)


def test_the_table_for_scripts_has_every_common_unit() -> None:
    for system in SYSTEMS.values():
        for unit, choices in system.table().items():
            for symbol, factor in choices:
                assert parse_unit(symbol or "1").factor * factor == pytest.approx(parse_unit(unit).factor)


def test_names_are_found_in_any_spelling() -> None:
    assert tuple(SYSTEMS) == UNIT_SYSTEMS
    assert find_unit_system("si") is SI
    assert find_unit_system(" MM-deg ") is MILLIMETRES
    with pytest.raises(
        InputError, match=r"--units: Must be one of automatic, SI, mm/deg, imperial. Given: feet"
    ):
        find_unit_system("feet")


def test_an_option_takes_precedence_over_the_file() -> None:
    assert unit_system_of({"units": "imperial"}) is IMPERIAL
    assert unit_system_of({"units": "imperial"}, "SI") is SI
    assert unit_system_of({}) is AUTOMATIC


def test_a_scenario_names_its_units() -> None:
    text = "softdock: 1\nbase: impact-a\nunits: Imperial\n"
    assert read_scenario_text(text, "mine").units == "imperial"
    with pytest.raises(InputError, match=r"mine.yaml:3: units: Must be one of automatic"):
        read_scenario_text(text.replace("Imperial", "feet"), "mine")


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_every_unit_of_a_system_is_known_and_measures_what_it_replaces(system: UnitSystem) -> None:
    """A unit that is not known would be shown as the SI unit without a word."""
    for unit, wanted in {**system.units, **system.symbols}.items():
        assert parse_unit(wanted).dimension == parse_unit(unit).dimension
