"""Errors of metrics follow from those of the reactions whose peaks they are."""

import math
from typing import Any

import pytest

from softdock import Result, simulate
from softdock.model.expressions import parse_formula
from softdock.model.observations import Observation
from softdock.simulation.metric_errors import formula_error

LEFT, RIGHT = (Observation(name=name, field="force") for name in ("left", "right"))
ERRORS = {LEFT: 0.3, RIGHT: 0.4}


@pytest.mark.parametrize(
    ("formula", "error"),
    [
        ("left.force", 0.3),
        ("abs(left.force)", 0.3),
        ("-left.force", 0.3),
        ("left.force + right.force", 0.7),
        ("left.force - right.force", 0.7),
        ("left.force - 20 N", 0.3),
        ("2 * left.force", 0.6),
        ("left.force * (-3)", 0.9),
        ("left.force / 10 N", 0.03),
        ("max(left.force, right.force)", 0.4),
        ("min(left.force, right.force)", 0.4),
        ("norm(left.force, right.force)", 0.5),
        ("left.force * right.force", None),  # not linear
        ("1 / left.force", None),
        ("left.force^2", None),
        ("left.force + time * 1 N/s", None),  # a part without a known error
        ("left.energy", None),
    ],
)
def test_errors_of_formulas(formula: str, error: float | None) -> None:
    found = formula_error(parse_formula(formula), ERRORS)
    assert found is None if error is None else found == pytest.approx(error)


@pytest.mark.parametrize("formula", ["abs(left.force)", "left.force - right.force", "3 * left.force - 1 N",
                                     "norm(left.force, right.force)", "max(left.force, right.force)"])  # fmt: skip
def test_the_error_bounds_the_change_of_a_formula(formula: str) -> None:
    """Every change of the channels by their errors changes the formula by at most its error."""
    bound = formula_error(parse_formula(formula), ERRORS)
    assert bound is not None
    text = formula.replace("left.force", "x").replace("right.force", "y").replace("1 N", "1")
    names: dict[str, Any] = {"norm": math.hypot, "abs": abs, "max": max}
    for x, y in ((3.0, 4.0), (-0.1, 0.2), (2.0, 2.1)):
        before = eval(text, {}, {**names, "x": x, "y": y})
        for dx in (-0.3, 0.3):
            for dy in (-0.4, 0.4):
                after = eval(text, {}, {**names, "x": x + dx, "y": y + dy})
                assert abs(after - before) <= bound * (1.0 + 1e-12)


SCENARIO: dict[str, Any] = {
    "softdock": 1,
    "kind": "multibody",
    "duration": 0.6,
    "bodies": {
        "sled": {
            "mass": 2.0,
            "inertia": [1, 1, 1],
            "joint": {"type": "prismatic", "axis": "z", "speed": 0.4},
        },
        "arm": {"mass": 1.0, "inertia": [1, 1, 1], "joint": {"type": "revolute", "axis": "z", "rate": 0.2}},
    },
    "springs": {
        "coil-1": {"joint": "sled", "stiffness": 300.0},
        "hinge": {"joint": "arm", "stiffness": 50.0},
    },
    "events": {"passed": {"when": "time > 0.2 s"}},
    "metrics": {
        "pull": "max coil-1.force",
        "push": "min coil-1.force",
        "size": "max abs coil-1.force",
        "later": "max coil-1.force after passed",
        "both": "max 2 * abs(coil-1.force)",
        "torque": "max hinge.force",
        "moment": "max hinge.moment",
        "reaction": "max sled.joint_force",
        "component": "min sled.joint_fx",
        "least": "min sled.joint_force",
        "mean_force": "mean coil-1.force",
        "last_force": "final coil-1.force",
        "stroke": "max sled.joint",
        "when_passed": "time of passed",
    },
    "requirements": {"R-1": {"metric": "max abs hinge.moment", "at_most": "9 N*m"}},
}


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(SCENARIO)


def error_of(result: Result, name: str, what: str = "force") -> float:
    (load,) = (load for load in result.loads if load.name == name)
    error = load.force_error if what == "force" else load.moment_error
    assert error is not None
    assert error > 0.0
    return error


def test_metrics_that_are_peaks_have_the_errors_of_their_reactions(result: Result) -> None:
    coil, hinge = error_of(result, "coil-1"), error_of(result, "hinge", "moment")
    joint = error_of(result, "sled")
    errors = result.metric_errors
    assert errors["peak_force_coil_1"] == coil
    assert [errors[name] for name in ("pull", "push", "size", "later")] == [coil] * 4
    assert errors["both"] == 2.0 * coil
    assert errors["torque"] == errors["moment"] == errors["peak_moment_hinge"] == hinge
    assert errors["requirement_r_1"] == hinge
    assert errors["reaction"] == errors["component"] == errors["peak_force_sled"] == joint


def test_other_metrics_have_no_errors(result: Result) -> None:
    """The smallest size of a vector is no peak; means, instants and distances have no estimate."""
    others = {"least", "mean_force", "last_force", "stroke", "when_passed", "spring_energy_max_coil_1"}
    assert others <= set(result.metrics)
    assert others.isdisjoint(result.metric_errors)
    assert set(result.metric_errors) <= set(result.metrics)


def test_a_metric_without_a_value_has_no_error() -> None:
    data = {**SCENARIO, "events": {"passed": {"when": "time > 0.2 s and sled.joint > 10 m"}}}
    result = simulate(data)
    assert result.metrics["later"] is None
    assert "later" not in result.metric_errors
    assert "pull" in result.metric_errors


def test_runs_of_a_fixed_step_state_no_errors() -> None:
    result = simulate({**SCENARIO, "integrator": {"method": "rk4", "step": 1e-3}})
    assert result.metric_errors == {}
    assert {load.force_error for load in result.loads} == {None}


def test_the_largest_contact_force_has_the_error_of_its_contact() -> None:
    result = simulate("assist-soft-docking", {"duration": "5.5 s"})
    name, value = max(
        ((name, value) for name, value in result.metrics.items() if name.startswith("peak_contact_force_")),
        key=lambda item: item[1],
    )
    assert result.metrics["peak_contact_force"] == value
    assert result.metric_errors["peak_contact_force"] == result.metric_errors[name] > 0.0
    assert result.metric_errors[name] == result.metric_errors[name.replace("_contact", "")]


def test_metrics_of_stations_and_robots_have_errors() -> None:
    for name in ("power-tower-x", "peg-flat"):
        result = simulate(name)
        assert result.metric_errors
        assert set(result.metric_errors) <= set(result.metrics)
        assert all(math.isfinite(error) for error in result.metric_errors.values())
