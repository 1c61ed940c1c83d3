"""Values with their numerical errors: digits, units, unit systems, and values without an error."""

import math

import pytest

from softdock.presentation.numbers import (
    format_number,
    format_number_with_error,
    format_quantity,
    format_value,
    format_with_error,
)
from softdock.presentation.unit_systems import IMPERIAL, SI


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (349.82, 0.2, "349.8 ± 0.2"),
        (349.82, 0.16, "349.82 ± 0.16"),  # two digits where the first is 1
        (349.82, 0.0962, "349.82 ± 0.10"),
        (349.82, 4.0, "350 ± 4"),
        (349.82, 19.0, "350 ± 19"),
        (349.82, 20.0, "350 ± 20"),  # no digits below the error
        (344.0, 20.0, "340 ± 20"),
        (349.82, 700.0, "300 ± 700"),
        (-349.82, 0.2, "-349.8 ± 0.2"),
        (0.0, 0.2, "0.0 ± 0.2"),
        (-0.04, 0.2, "0.0 ± 0.2"),  # no negative zero
        (0.0012, 3e-5, "0.00120 ± 0.00003"),
        (349.82, 1e-9, "349.82 ± 1e-09"),  # not more digits than other values have
        (1234567.0, 2000.0, "1.235e+06 ± 2000"),
    ],
)
def test_the_error_decides_how_many_digits_are_shown(value: float, error: float, text: str) -> None:
    assert format_number_with_error(value, error) == text


@pytest.mark.parametrize("error", [None, 0.0, math.nan, math.inf, -1.0])
def test_a_value_without_an_error_is_shown_alone(error: float | None) -> None:
    assert format_number_with_error(349.8213, error) == format_number(349.8213) == "349.82"
    assert format_with_error(349.8213, error, "N") == "349.82 N"
    assert format_value(349.8213, error=error) == "349.82"


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_a_missing_value_has_no_error(value: float | None) -> None:
    assert format_with_error(value, 0.2, "N") == "-"
    assert format_value(value, error=0.2) == "-"


def test_value_and_error_have_the_same_unit() -> None:
    assert format_with_error(349.82, 0.2, "N") == "349.8 N ± 0.2 N"
    assert format_with_error(4131.0, 2.0, "N") == "4.131 kN ± 0.002 kN"
    assert format_with_error(0.0123, 4e-5, "N*m") == "12.30 mN·m ± 0.04 mN·m"
    assert format_with_error(349.82, 0.2, "N", SI) == "349.8 N ± 0.2 N"
    assert format_with_error(349.82, 0.2, "N", IMPERIAL) == "78.64 lbf ± 0.04 lbf"
    assert format_with_error(0.25, 0.01, "1") == "0.250 ± 0.010"


def test_the_larger_of_value_and_error_chooses_the_unit() -> None:
    assert format_with_error(2e-5, 0.2, "N") == "0 mN ± 200 mN"
    assert format_with_error(0.0, 3.0, "N") == "0 N ± 3 N"


def test_the_resolution_counts_where_there_is_no_error() -> None:
    assert format_with_error(5e-6, None, "m/s", resolution=1e-5) == format_quantity(
        5e-6, "m/s", resolution=1e-5
    )
    assert format_with_error(5e-6, None, "m/s", resolution=1e-5) == "0 m/s"


@pytest.mark.parametrize("value", ["captured", True, [1.0, 2.0]])
def test_errors_of_what_is_no_number_are_left_out(value: object) -> None:
    assert format_value(value, error=0.1) == format_value(value)
