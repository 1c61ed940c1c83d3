"""The page about expressions: its example runs, its tables are read and its grammar names every keyword."""

import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import softdock
from softdock.errors import InputError
from softdock.model.expressions import parse_metric
from softdock.model.formula_parser import STATISTICS, WINDOWS
from softdock.model.formulas import FUNCTIONS, ExpressionError
from softdock.scenario.expressions import EventNames, check_condition, check_metric, check_recorded
from softdock.scenario.loading import from_data

PAGE = Path(__file__).parents[2].joinpath("docs/expressions.md").read_text(encoding="utf-8")


def rows(heading):
    """Return the first cells of the table below a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.M)


@pytest.fixture(scope="module")
def docking():
    return softdock.load("assist-soft-docking")


def test_quantities_and_formulas_are_read(docking):
    found = [*rows("Quantities"), *rows("Formulas")]
    assert len(found) == 12
    for text in found:
        check_recorded(docking, text)
    check_recorded(docking, "servicer.rate * 0.5 m + servicer.velocity")


@pytest.fixture(scope="module")
def names(docking):
    return EventNames(tuple(docking.events), ("retraction",))


def test_conditions_and_windows_are_read(docking, names):
    conditions, windows = rows("Conditions"), rows("Windows")
    assert (len(conditions), len(windows)) == (6, 5)
    for text in conditions:
        check_condition(docking, names, text)
        for window in windows:
            check_condition(docking, names, f"{text} {window}")
    assert {window.split()[0] for window in windows} == set(WINDOWS)


def test_metrics_are_read(docking, names):
    found = rows("Metrics")
    for text in found:
        check_metric(docking, names, text)
    assert {text.split()[0] for text in found} == {*STATISTICS, "time", "duration"}


def test_the_grammar_names_every_function_and_statistic():
    grammar = PAGE.split("```text\n")[1]
    for word in (*FUNCTIONS, *STATISTICS, *WINDOWS, "and", "or", "not", "for"):
        assert f'"{word}"' in grammar, word


def test_the_example_runs_as_pasted(tmp_path):
    """With physical values: the impulse is the force times the time, the lateral offset is that of the approach."""
    block = "\n".join(line[4:] for line in PAGE.split("docking:\n\n")[1].split("\nIn YAML")[0].splitlines())
    added = YAML(typ="safe").load(block)
    file = tmp_path / "own.yaml"
    file.write_text(f"softdock: 1\nkind: multibody\n{block}\n", encoding="utf-8")
    result = softdock.simulate(softdock.load(file), with_prediction=False)
    assert result.metrics.keys() >= added["metrics"].keys()
    assert result.units["impulse"] == "N*s"
    assert result.units["power_max"] == "W"
    assert result.metrics["impulse"] > 0.0
    assert 5e-3 < result.metrics["offset_max"] < 20e-3
    assert 0.01 < result.metrics["rod_speed"] < 0.1
    names = [event.name for event in result.events]
    assert "deep" in names
    for name in added["record"]["also"]:
        assert len(result.history[name]) == len(result.history.time)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"events": {"a": {"when": "time > 1 s after a"}}}, ("events.a.when", "'a' after 'a'")),
        (
            {"events": {"a": {"when": "time > 1 s after b"}, "b": {"when": "time > 1 s within 1 s after a"}}},
            ("events.a.when", "can never occur", "events.b.when"),
        ),
        ({"events": {"a": {"when": "time > 1 s after nothing"}}}, ("no event called 'nothing'", "column 18")),
        ({"events": {"a": {"when": "1 m > 2 m"}}}, ("no quantity",)),
        ({"events": {"a": {"when": "ball.z > 1 m / 0"}}}, ("`1 m / 0` has no value",)),
        ({"events": {"a": {"when": "ball.z > 0,5 m"}}}, ("column 11", "decimal point, as in `0.5 m`")),
        (
            {"metrics": {"m": "max ball.z / (1 m - 1 m)"}},
            ("column 12", "`ball.z / (1 m - 1 m)` has no value"),
        ),
        ({"metrics": {"m": "max ball.z * (1 m - 1 m)^-1"}}, ("`(1 m - 1 m)^-1` has no value",)),
        ({"metrics": {"m": "max ball.z * sqrt(1 - 2)"}}, ("`sqrt(1 - 2)` has no value",)),
        ({"metrics": {"m": "max ball.speed"}}, ("no 'speed' (here it is called 'velocity')",)),
        ({"metrics": {"m": "max ball.omega"}}, ("no 'omega' (here it is called 'rate')",)),
        ({"metrics": {"m": "max ball.z/0"}}, ("column 11", "`ball.z / 0` has no value")),
        ({"events": {"a": {"when": "bal.z > 1 m"}}}, ("column 1", "did you mean 'ball'?")),
        ({"events": {"a": {"when": "ball.zz + 1 m > 1 m"}}}, ("column 1", "no 'zz'", "did you mean")),
        ({"events": {"a": {"when": "ball.z in bal > 1 m"}}}, ("did you mean 'ball'?",)),
        ({"events": {"a": {"when": "time@[0, 0, 1].z > 1 m"}}}, ("nothing called 'time'",)),
        ({"metrics": {"m": "max ball@[0, 0, 1].joint"}}, ("about the joint",)),
        ({"metrics": {"m": "mean 5 m"}}, ("no quantity",)),
        ({"metrics": {"m": "integral ball.z after late"}}, ("no event called 'late'",)),
        ({"record": {"also": ["ball.z + ball.vz"]}}, ("record.also.0", "a length [m]", "a speed [m/s]")),
        ({"record": {"also": ["ball.z > 1 m"]}}, ("a number is needed",)),
        ({"record": {"also": ["x" * 10_000]}}, ("at most 2000 characters",)),
    ],
)
def test_bad_expressions_name_field_and_place(change, words):
    data = {
        "softdock": 1,
        "kind": "multibody",
        "duration": "1 s",
        "bodies": {"ball": {"mass": "1 kg", "joint": {"type": "prismatic"}}},
        **change,
    }
    with pytest.raises(InputError) as caught:
        from_data(data)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("text", ["max ball.z for 1 s", "max ball.z and time", "mean time of late"])
def test_a_keyword_in_the_wrong_place_is_not_suggested_for_itself(text):
    with pytest.raises(ExpressionError) as caught:
        parse_metric(text)
    assert "did you mean" not in str(caught.value)


def test_requirements_use_the_same_language():
    data = {
        "softdock": 1,
        "kind": "multibody",
        "duration": "1 s",
        "bodies": {"ball": {"mass": "1 kg", "joint": {"type": "prismatic", "speed": "2 m/s"}}},
        "events": {"far": {"when": "ball.z > 1 m"}},
        "requirements": {"R-1": {"metric": "mean ball.z^2 before far", "at_most": "0.4 m^2"}},
    }
    result = softdock.simulate(from_data(data))
    (verdict,) = result.requirements
    assert verdict.verdict == "met"
    assert verdict.value == pytest.approx(1.0 / 3.0, rel=1e-9)
