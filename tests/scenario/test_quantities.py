"""Fields with quantities: accepted values, bounds and their schema."""

from typing import Annotated

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from softdock.quantities.fields import Flag, Fraction, Integer, Length, PositiveMass, Quantity, Vector3

MASS = TypeAdapter(PositiveMass)


@pytest.mark.parametrize(
    "mass", [-1, 0, -0.0, "0 kg", float("nan"), float("inf"), "abc", True, None, [1], {}]
)
def test_values_that_are_not_masses_are_refused(mass):
    with pytest.raises(ValidationError):
        MASS.validate_python(mass)


@pytest.mark.parametrize("mass", [3, 3.0, "3", "3 kg", "3000 g", np.float64(3), np.float32(3), np.int64(3)])
def test_a_mass_is_a_float_in_si(mass):
    value = MASS.validate_python(mass)
    assert type(value) is float
    assert value == 3.0


@given(st.floats(1e-300, 1e100))
def test_a_dumped_mass_loads_to_the_same_bits(value):
    assert MASS.validate_json(MASS.dump_json(MASS.validate_python(value))) == value


@pytest.mark.parametrize(
    ("quantity", "words"),
    [
        (Quantity("kg", gt=0), "above 0 kg"),
        (Quantity("1", ge=0, le=1), "at least 0 and at most 1"),
        (Quantity("rad", gt=-1, lt=1.5), "above -1 and below 1.5 rad"),
    ],
)
def test_messages_state_bounds_in_words(quantity, words):
    with pytest.raises(ValueError, match=f"must be {words}"):
        quantity.parse(-1)


@pytest.mark.parametrize("fraction", [-1e-9, 1 + 1e-9, "101 %", "nan"])
def test_restitution_outside_zero_and_one_is_refused(fraction):
    with pytest.raises(ValidationError):
        TypeAdapter(Fraction).validate_python(fraction)


def test_a_vector_takes_three_components_with_units():
    adapter = TypeAdapter(Vector3[Length])
    assert adapter.validate_python(["1 mm", 2, "0.5 m"]) == (0.001, 2.0, 0.5)
    for wrong in ([1, 2], [1, 2, 3, 4], "1 m", [1, 2, "3 kg"]):
        with pytest.raises(ValidationError):
            adapter.validate_python(wrong)


@pytest.mark.parametrize(
    ("kind", "wrong"), [(Integer, True), (Integer, "5"), (Integer, 5.0), (Flag, 1), (Flag, "yes")]
)
def test_integers_and_flags_are_not_converted_from_other_types(kind, wrong):
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(wrong)


def test_the_schema_of_a_quantity_names_its_unit_and_bounds():
    schema = TypeAdapter(Annotated[float, Quantity("N/m", gt=0)]).json_schema()
    number, text = schema["anyOf"]
    assert number == {"type": "number", "exclusiveMinimum": 0}
    assert text["type"] == "string"
    assert schema["description"] == "A stiffness, above 0 N/m."
