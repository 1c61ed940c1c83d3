"""Texts of metrics, conditions and formulas: grammar, units, messages with the place, odd input."""

import itertools
import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from softdock.model.expressions import Window, parse_condition, parse_formula, parse_metric
from softdock.model.formula_parser import MAX_DEPTH, MAX_LENGTH, MAX_OPERATIONS, explain
from softdock.model.formulas import (
    Constant,
    ExpressionError,
    Operation,
    constant_value,
    observations_in,
    unit_of_formula,
)
from softdock.model.observations import Observation, parse_observation

UNITS = {
    "x": "m", "y": "m", "joint": "m", "vx": "m/s", "force": "N", "torque": "N*m", "energy": "J", "tilt": "rad",
    "rate": "rad/s", "qw": "1", "mode1": "m*kg^0.5", "area": "m^2",
}  # fmt: skip


def unit_of(observation):
    if observation.name == "time":
        return "s"
    if observation.field not in UNITS:
        raise ValueError(f"there is no {observation.field!r}")
    return UNITS[observation.field]


def unit(text):
    return unit_of_formula(parse_formula(text), unit_of)


def read(parse, text):
    """Parse a text and check its units."""
    parsed = parse(text)
    formula = getattr(parsed, "formula", parsed)
    return None if formula is None else unit_of_formula(formula, unit_of)


def refusal(parse, text):
    with pytest.raises(ExpressionError) as caught:
        read(parse, text)
    return explain(text, caught.value)


# Grammar.


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("probe.z in drogue > 80 mm", "probe.z in drogue > 80 mm"),
        ("probe . z  in  drogue>80mm", "probe.z in drogue > 80mm"),
        ("finger-1.joint > -25 mm", "finger-1.joint > -25 mm"),
        ("guide/3.force >= 5", "guide/3.force > 5"),
        ("a.x - b.x > 0 m", "a.x - b.x > 0 m"),
        ("a.x-b.x > 0 m", "a.x - b.x > 0 m"),
        ("max.x > 1 m and not time < 2 s", "max.x > 1 m and not time < 2 s"),
        ("(a.x > 1 or a.y > 1) and a.x > 2", "(a.x > 1 or a.y > 1) and a.x > 2"),
        ("a.x > 1 or a.y > 1 and a.x > 2", "a.x > 1 or a.y > 1 and a.x > 2"),
        ("1 mm < a.x < 2 mm", "1 mm < a.x and a.x < 2 mm"),
        ("a.x - (b.x - a.y) > 0", "a.x - (b.x - a.y) > 0"),
        ("-a.x^2 * 2 > 0", "-a.x^2 * 2 > 0"),
        ("(-a.x)^2 > 0", "(-a.x)^2 > 0"),
        ("2 N * a.x / (3 m) > 4 N*m", "2 N * a.x / (3 m) > 4 N*m"),
        ("min(a.x, b.x, 2 in) > abs(a.y)", "min(a.x, b.x, 2 in) > abs(a.y)"),
        ("rod@[0, 0, 150 mm].z in cone@[1,2,3] > 1", "rod@[0, 0, 0.15].z in cone@[1, 2, 3] > 1"),
        ("a.x² > 5 m²", "a.x^2 > 5 m²"),
        ("a.x − b.x > 5 mm", "a.x - b.x > 5 mm"),
    ],
)
def test_conditions_have_a_canonical_text(text, canonical):
    formula = parse_condition(text).formula
    assert str(formula) == canonical
    assert str(parse_condition(canonical).formula) == canonical


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.7 mm", 0.0127),
        ("12.7mm", 0.0127),
        ("5", 5.0),
        ("5 %", 0.05),
        ("90°", math.pi / 2),
        ("2 1/s", 2.0),
        ("2/s", 2.0),
        ("3 N/(m/s)", 3.0),
        ("3 N m", 3.0),
        ("2 kN*mm^2", 2e-3),
        ("2 kg·m²", 2.0),
        ("2 min", 120.0),
        ("5 in", 0.127),
        ("-3 um", -3e-6),
        ("1e-3 km", 1.0),
        ("3 * 1/2", 1.5),
        ("2 s * min(3, 4)", 6.0),
        ("(2 mm)^2 / (4 mm)", 1e-3),
        ("max(1 mm, 2 mm) - 0.5 mm", 1.5e-3),
        ("norm(3 m, 4 m)", 5.0),
        ("sqrt(9 m^2) + abs(-1 m)", 4.0),
    ],
)
def test_numbers_with_units_are_read_in_si(text, value):
    assert constant_value(parse_formula(text)) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "dwell", "window"),
    [
        ("a.x > 1", 0.0, Window()),
        ("a.x > 1 for 200 ms", 0.2, Window()),
        ("a.x > 1 after touched", 0.0, Window(begin="touched")),
        ("a.x > 1 before soft-dock", 0.0, Window(end="soft-dock")),
        ("a.x > 1 between touched and home", 0.0, Window(begin="touched", end="home")),
        (
            "a.x > 1 m and a.y > 2 m for 2 s within 3 min after touched",
            2.0,
            Window(begin="touched", limit=180.0),
        ),
        ("a.x > 5 in after max", 0.0, Window(begin="max")),
    ],
)
def test_dwell_times_and_windows_are_parsed(text, dwell, window):
    condition = parse_condition(text)
    assert (condition.dwell, condition.window) == (dwell, window)


def test_metrics_are_parsed():
    metric = parse_metric("max abs nose.x in drogue after touched")
    assert (metric.statistic, str(metric.formula)) == ("max", "abs(nose.x in drogue)")
    assert metric.window == Window(begin="touched")
    assert str(parse_metric("mean abs(a.x) - 2 mm").formula) == "abs(a.x) - 2 mm"
    assert str(parse_metric("max max(a.x, a.y)").formula) == "max(a.x, a.y)"
    assert str(parse_metric("min max.x").formula) == "max.x"
    assert str(parse_metric("final time").formula) == "time"
    assert parse_metric("time of soft-dock").end == "soft-dock"
    assert (parse_metric("time from a to b-1").begin, parse_metric("time from a to b-1").end) == ("a", "b-1")
    assert parse_metric("rms a.x between a and b").event_names == ("a", "b")


def test_a_quantity_alone_is_an_observation():
    text = "rod@[0, -1 cm, 150 mm].vz in drogue"
    observation = parse_formula(text)
    assert (
        observation
        == parse_observation(text)
        == Observation(name="rod", field="vz", frame="drogue", point=(0.0, -0.01, 0.15))
    )
    assert list(observations_in(parse_formula("a.x + 2 * b.y"))) == [
        Observation(name="a", field="x"),
        Observation(name="b", field="y"),
    ]


# Units.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.x + 2 mm", "m"),
        ("a.x + 2", "m"),
        ("2 + a.x", "m"),
        ("a.x * a.y", "m^2"),
        ("a.force * a.vx", "W"),
        ("a.force / a.area", "Pa"),
        ("a.x / a.y", "1"),
        ("sqrt(a.energy / (2 kg))", "m/s"),
        ("a.rate * 0.5 m + a.vx", "m/s"),
        ("norm(a.vx, a.vx)", "m/s"),
        ("a.x^-2", "m^-2"),
        ("a.tilt * 2", "rad"),
        ("a.torque + a.energy", "N*m"),
        ("a.energy", "J"),
        ("max(a.energy, b.energy) - 2 J", "J"),
        ("2 * a.energy / 3", "J"),
        ("a.energy * a.x / b.x", "N*m"),
        ("a.force * a.x", "N*m"),
        ("time * a.rate", "rad"),
        ("a.mode1^2", "kg*m^2"),
        ("sqrt(a.x)", "m^0.5"),
        ("a.rate + 2 1/s", "rad/s"),
        ("3 * 2", "1"),
    ],
)
def test_units_of_formulas(text, expected):
    assert unit(text) == expected


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a.x > 1 kg", ("`a.x` is a length [m]", "`1 kg` is a mass [kg]", "compared", "column 5")),
        ("a.x + a.force > 1 m", ("`a.x` is a length", "`a.force` is a force [N]", "added")),
        ("a.qw > 5 deg", ("a plain number [1]", "an angle [rad]")),
        ("a.rate > 5 Hz", ("an angular rate", "a frequency")),
        ("a.torque > 5 N*m/rad", ("torque", "angular stiffness")),
        ("min(a.x, a.y, time) > 1 m", ("`time` is a time [s]", "combined by min")),
        ("norm(a.x, a.vx) > 1 m", ("a speed",)),
        ("a.x > 1 m and a.x > 1 s", ("column 19", "a time")),
        ("a.nothing > 1 m", ("column 1", "there is no 'nothing'")),
        ("a.x*a.x*a.force > 1 m", ("`a.x * a.x * a.force` is a bending stiffness",)),
    ],
)
def test_wrong_units_name_both_sides(text, parts):
    message = refusal(parse_condition, text)
    for part in parts:
        assert part in message


# Messages.


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", "at the end", "a quantity"),
        ("ball.z is 1", "column 8 (`is`)", "comparison (> <)"),
        ("ball.z >", "at the end", "a number with a unit"),
        ("ball.z > 1 mmm", "column 12 (`mmm`)", "unknown unit 'mmm'"),
        ("ball.z > 1 newton", "column 12", "did you mean 'N'?"),
        ("prob > 3", "column 1 (`prob`)", "`.` and a field"),
        ("tim > 3", "column 1 (`tim`)", "did you mean 'time'?"),
        ("a.x > 5 b.y", "column 9 (`b.y`)", "an operator (+ - * / ^)"),
        ("(a.x > 5", "at the end", "`)`"),
        ("a.x + (a.y > 3 m) > 1", "column 12", "this is a condition"),
        ("a.x > 3 and a.y", "at the end", "comparison"),
        ("min(a.x) > 1", "column 1", "takes 2 to 20 arguments, and not 1"),
        ("norm(a.x, a.x, a.x, a.x) > 1", "column 1", "2 to 3 arguments"),
        ("rod@[0, 0].z > 1", "column 1", "three coordinates"),
        ("rod@[0, 0, 1 kg].z > 1", "column 1", "a mass"),
        ("rod@[0, 0, 1.z > 1", "column 5", "the `]` of this point of `rod` is missing"),
        ("rod@[0, 0, 1] > 1", "column 1", "rod@[0, 0, 150 mm].z"),
        ("a.x > 3 fro 2 s", "column 9 (`fro`)", "did you mean 'for'?"),
        ("a.x > 3 for 2 m", "column 13", "a time above zero"),
        ("a.x > 3 for -1 s", "column 13", "a time above zero"),
        ("a.x > 3 within 2 s", "at the end", "`after`"),
        ("a.x > 3 between a", "at the end", "`and`"),
        ("a.x > 3 after 5", "column 15", "name of an event"),
        ("a.x > 3 after a after b", "column 17", "end of the text"),
        ("a.x^2.5 > 1", "column 5", "a whole exponent"),
        ("a.x > 1e999 m", "column 7", "at most 1e+100"),
        ("abs a.x > 3", "column 5", "`(` is expected after the function"),
        ("💥 > 3", "column 1 (`💥`)", "a quantity"),
        ("a.x \x00> 3", "column 5 (`\\u0000>`)", "comparison"),
    ],
)  # fmt: skip
def test_messages_name_the_place_and_what_is_allowed(text, place, words):
    message = refusal(parse_condition, text)
    assert place in message
    assert words in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mode a.x", "max F"),
        ("maxx a.x", "did you mean `max`?"),
        ("", "max F"),
        ("max", "a quantity"),
        ("max(a.x, a.y)", "`)` is expected"),
        ("max a.x > 3", "a number is needed"),
        ("time a", "`of` or `from`"),
        ("time from a", "`to`"),
        ("time of a b", "the end of the text"),
        ("mean a.x after", "name of an event"),
    ],
)
def test_messages_of_metrics(text, words):
    assert words in refusal(parse_metric, text)


# Odd input: a clear error, no hang and no exhausted stack.

DEEP = 5000


@pytest.mark.parametrize(
    "text",
    [
        "(" * (MAX_DEPTH + 2) + "a.x" + ")" * (MAX_DEPTH + 2) + " > 1",
        "a.x" + " + a.x" * (MAX_OPERATIONS + 1) + " > 1",
        "a.x > 1" + " and a.x > 1" * MAX_OPERATIONS,
        "-" * DEEP + "1 > 2",
        "not " * DEEP + "a.x > 1",
        "5 " + "(" * (MAX_LENGTH - 10),
        "5 " + "m " * 500 + "> 3",
        "x" * 10_000,
        "a.x" + " " * 10_000 + "> 1",
        "a.x > " + "9" * 1000,
        "abs(" * 400,
        "min(" + "a.x, " * 300 + "a.x) > 1",
        "a.x^" + "9" * 1500 + " > 1",
        "@[" * 500,
        "a@[" + "0," * 500 + "0].x > 1",
        "\u202ea.x > 1",
        "a.x > １２",
        "a.x ＞ 1",
        "\ud800.x > 1",
    ],
    ids=itertools.count(),
)
def test_odd_texts_are_refused(text):
    message = refusal(parse_condition, text)
    assert len(message) < 700


def test_texts_at_the_limits_are_accepted():
    deep = "(" * MAX_DEPTH + "a.x" + ")" * MAX_DEPTH
    assert str(parse_formula(deep)) == "a.x"
    wide = " + ".join(["a.x"] * (MAX_OPERATIONS + 1))
    assert str(parse_formula(wide)) == wide
    assert unit(wide) == "m"
    assert hash(parse_formula(wide)) == hash(parse_formula(f" {wide}"))


ALPHABET = [
    *"()+-*/^><,]°é25",
    *("a.x", "b.force", "time", "2 mm", "1 s", "@[", "in", "e"),
    *("and", "or", "not", "for", "after", "within", "between", "min", "max", "abs", "norm"),
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(ALPHABET), max_size=14), st.booleans())
def test_any_text_is_parsed_or_refused(words, blanks):
    text = (" " if blanks else "").join(words)
    for parse in (parse_condition, parse_formula, parse_metric):
        place = None
        try:
            read(parse, text)
        except ExpressionError as error:
            place = error.at
        assert place is None or 0 <= place <= len(text)


def formulas():
    leaves = st.sampled_from([
        Observation(name="a", field="x"),
        Observation(name="finger-1", field="joint", frame="cone"),
        Observation(name="b", field="y", point=(0.0, 0.5, 1e-7)),
        Observation(name="time"),
        Constant("2", 2.0),
        Constant("-3 mm", -3e-3, "mm"),
        Constant("4 N/m^2", 4.0, "N/m^2"),
    ])  # fmt: skip

    def grow(children):
        return st.one_of(
            st.builds(
                lambda n, a, b: Operation(n, (a, b)),
                st.sampled_from(("+", "-", "*", "/", "min", "norm")),
                children,
                children,
            ),
            st.builds(lambda n, a: Operation(n, (a,)), st.sampled_from(["sqrt", "abs"]), children),
            st.builds(lambda a, e: Operation("^", (a,), e), children, st.integers(-9, 9)),
            st.builds(lambda a: Operation("negate", (a,)), children.filter(lambda a: not isinstance(a, Constant))),
        )  # fmt: skip

    return st.recursive(leaves, grow, max_leaves=8)


def has_value(formula):
    """Return whether no part of a formula is a constant without a value, as `sqrt(-3 mm)` is."""
    if not isinstance(formula, Operation):
        return True
    try:
        is_division_by_zero = formula.name == "/" and constant_value(formula.operands[1]) == 0.0
        constant_value(formula)
    except ExpressionError:
        return False
    return not is_division_by_zero and all(map(has_value, formula.operands))


@settings(max_examples=400, deadline=None)
@given(formulas())
def test_the_text_of_a_formula_is_parsed_to_the_same_formula(formula):
    assume(has_value(formula))
    assert parse_formula(str(formula)) == formula
