"""Units and quantities in texts, compared with pint."""

import math
import re
import sys
from pathlib import Path

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softdock.quantities.units import LARGEST, UNITS, parse_quantity, parse_unit

ROUND_OFF = 4 * sys.float_info.epsilon
"""A factor is at most four roundings away from pint's: two operations on either side."""

REGISTRY = pint.UnitRegistry()
PINT_NAMES = {"gn": "g_n", "%": "percent", "1": "dimensionless", "rev": "revolution", "lbf": "force_pound"}
EXPRESSIONS = [
    "N*m/rad", "kg m^2", "kN/m", "deg/s", "N/m**3", "N*s/m", "N/(m/s)", "ft/s", "lbf/in", "slug*ft^2", "1/s",
    "N m s/rad", "kg/m^3", "m/s^2", "mm^-1", "lbf*s/ft", "W/(N*s)", "arcsec/h", "rpm/s", "(N/m)^2/kg",
]  # fmt: skip


def pint_factor(unit: str) -> float:
    return REGISTRY.Quantity(1.0, unit).to_base_units().magnitude


@pytest.mark.parametrize("symbol", sorted(UNITS))
def test_every_unit_equals_pint(symbol):
    name = PINT_NAMES.get(symbol, symbol)
    assert UNITS[symbol].factor == pytest.approx(pint_factor(name), rel=ROUND_OFF, abs=0)


@pytest.mark.parametrize("symbol", sorted(set(UNITS) - {"1", "%"}))
def test_every_dimension_equals_pint(symbol):
    expected = REGISTRY.Quantity(1.0, PINT_NAMES.get(symbol, symbol)).dimensionality
    dimension = UNITS[symbol].dimension
    found = {"[length]": dimension.length, "[mass]": dimension.mass, "[time]": dimension.time}
    assert {name: e for name, e in found.items() if e} == dict(expected)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions_equal_pint(expression):
    factors = 1 + sum(expression.count(sign) for sign in "*/^ ")
    assert parse_unit(expression).factor == pytest.approx(
        pint_factor(expression), rel=factors * ROUND_OFF, abs=0
    )


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("12.7 mm", "m", 0.0127),
        ("1.0 ft/s", "m/s", 0.3048),
        ("5kg", "kg", 5.0),
        ("  -3e-2   m ", "m", -0.03),
        (".5 m", "m", 0.5),
        ("5. m", "m", 5.0),
        ("5/s", "rad/s", 5.0),
        ("200 N*m", "N*m/rad", 200.0),
        ("1 N·m", "N*m", 1.0),
        ("2 m²", "m^2", 2.0),
        ("180°", "rad", math.pi),
        ("3 µm", "m", 3e-6),
        ("50 %", "1", 0.5),
        ("0.05", "m/s", 0.05),
        (7, "kg", 7.0),
        (0.25, "1", 0.25),
        ("2 gn", "m/s^2", 19.6133),
        ("2 g", "kg", 0.002),
    ],
)
def test_quantities_are_read_in_many_forms(text, unit, value):
    assert parse_quantity(text, unit) == pytest.approx(value, rel=ROUND_OFF, abs=0)


@pytest.mark.parametrize(
    ("text", "unit", "sentence"),
    [
        ("5 kg", "m/s", "is a mass [kg], but a speed is needed, for example '0.05 m/s'"),
        ("5 N*m/rad", "N*m", "is an angular stiffness [N*m/rad], but a torque or an energy is needed"),
        ("5 Hz", "rad/s", "is a frequency [Hz], but an angular rate is needed"),
        ("60 rpm", "Hz", "is an angular rate [rpm], but a frequency is needed"),
        ("11.3 deg", "1", "is an angle [deg], but a plain number is needed"),
        ("5 lb", "N", "is a mass [lb], but a force is needed"),
        ("5 lbf", "kg", "is a force [lbf], but a mass is needed"),
        ("5 m^7", "m", "is a quantity [m^7], but a length is needed"),
        ("3 feet", "m", "unknown unit 'feet'; did you mean 'ft'?"),
        ("3 KN", "N", "unknown unit 'KN'; did you mean 'kN'?"),
        ("3 m2", "m^2", "did you mean 'm^2'?"),
        ("3 Nm", "N*m", "did you mean 'N*m'?"),
        ("3 furlong", "m", "unknown unit 'furlong'; known are"),
        ("five kg", "kg", "is not a number with a unit, for example '5 kg'"),
        ("", "kg", "is not a number with a unit"),
        ("5,3 m", "m", "has a decimal comma; write it with a point: '5.3 m'"),
        ("1.000,5 mm", "m", "write it with a point: '1000.5 mm'"),
        ("5 m^", "m", "whole exponent"),
        ("5 m^2.5", "m", "cannot read the unit"),
        ("5 m^99", "m", "whole exponent"),
        ("5 (m", "m", "bracket"),
        ("5 m)", "m", "cannot read the unit"),
        ("5 m/", "m", "ends too early"),
        ("5 __import__('os')", "m", "cannot read the unit"),
        ("1" * 101, "m", "too long"),
        ("1 ((((Tm^9)^9)^9)^9)", "m", "out of range"),
        ("nan", "kg", "finite"),
        (".inf kg", "kg", "finite"),
        ("-inf", "kg", "finite"),
        ("1e999 kg", "kg", "finite"),
        ("1e300 Tm", "m", "finite"),
        (math.nan, "kg", "finite"),
        (-math.inf, "kg", "finite"),
        (10**400, "kg", "finite"),
        (True, "kg", "must be a mass"),
        (None, "kg", "must be a mass"),
        ([5], "kg", "must be a mass"),
        (5j, "kg", "must be a mass"),
    ],
)
def test_messages_say_what_is_needed(text, unit, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        parse_quantity(text, unit)


@given(st.floats(-LARGEST, LARGEST), st.sampled_from(["kg", "m/s", "N*m/rad", "Hz", "1"]))
def test_numbers_in_si_are_not_changed(value, unit):
    assert parse_quantity(value, unit) == value
    assert parse_quantity(repr(value), unit) == value
    assert parse_quantity(f"{value!r} {unit}", unit) == value


@given(st.floats(-1e12, 1e12), st.sampled_from(sorted(UNITS)), st.integers(-3, 3))
def test_a_power_of_a_unit_cancels_its_inverse(value, symbol, exponent):
    text = f"{value!r} {symbol}^{exponent} {symbol}^{-exponent}"
    if symbol != "%":
        bound = abs(value) * 4 * ROUND_OFF
        assert parse_quantity(text, "1") == pytest.approx(value, rel=0, abs=bound)


@given(st.text(max_size=40) | st.from_regex(r"[0-9.]{1,4} [a-zA-Z*/^() 0-9-]{0,20}", fullmatch=True))
def test_any_text_gives_a_finite_number_or_an_error(text):
    try:
        value = parse_quantity(text, "m")
    except ValueError:
        return
    assert math.isfinite(value)


def test_the_page_about_scenario_files_names_every_unit():
    page = (Path(__file__).parents[2] / "docs" / "scenario-files.md").read_text(encoding="utf-8")
    table = page.split("| dimension | symbols |")[1].split("\n\n")[0]
    named = set(re.findall(r"`([^`]+)`", table))
    assert named <= set(UNITS)
    prefixed = {
        prefix + symbol for prefix in ["n", "u", "m", "c", "d", "k", "M", "G", "T"] for symbol in named
    }
    assert set(UNITS) - {"1"} <= named | prefixed


@pytest.mark.parametrize(
    ("row", "unit"), [("12.7 mm", "m"), ("1.0 ft/s", "m/s"), ("11.3 deg", "rad"), ("3 kN/m", "N/m")]
)
def test_conversions_on_the_page_about_scenario_files_are_right(row, unit):
    page = (Path(__file__).parents[2] / "docs" / "scenario-files.md").read_text(encoding="utf-8")
    (value,) = re.findall(rf"\| `{re.escape(row)}` \| ([0-9.]+) {unit} \|", page)
    assert f"{parse_quantity(row, unit):.4g}" == value
