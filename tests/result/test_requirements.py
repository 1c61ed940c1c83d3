"""Requirements of a run: margins, verdicts, contact conditions, exit codes."""

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softdock import Result, cli, load, simulate
from softdock.errors import InputError
from softdock.model.contact_conditions import CONDITION_METRICS, CONDITION_UNITS, PRESETS, preset_box
from softdock.model.requirements import Requirement
from softdock.presentation.requirements import requirement_table
from softdock.result.requirements import compare, worst_condition
from softdock.result.requirements import with_requirements as assessed_result
from softdock.scenario.base import ScenarioBase
from softdock.scenario.kinds import KINDS
from softdock.scenario.loading import bundled, from_data

NUMBERS = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
FACTORS = st.floats(1.0, 3.0)


def test_margins_of_safety() -> None:
    """Eqs. (Q1) to (Q4)."""
    assert compare(100.0, None, 80.0, 1.25).margin == 80.0 / 125.0 - 1.0
    assert compare(60.0, None, 80.0, 1.25).verdict == "met"
    assert compare(-60.0, None, -80.0, 1.0).margin == pytest.approx(-0.25)
    assert compare(-60.0, None, -50.0, 1.25).verdict == "violated"
    assert compare(3.0, 2.0, None, 1.25).margin == pytest.approx(0.2)
    assert compare(-0.5, -1.0, 1.0, 1.0).margin == 1.0
    assert compare(2.9, 1.0, 3.0, 1.0).limit == 3.0
    assert compare(1.1, 1.0, 3.0, 1.0).limit == 1.0


@given(value=NUMBERS, limit=NUMBERS, factor=FACTORS)
@settings(deadline=None)
def test_the_sign_of_a_margin_is_the_verdict(value: float, limit: float, factor: float) -> None:
    for found in (compare(value, None, limit, factor), compare(value, limit, None, factor)):
        if found.margin is not None and abs(found.margin) > 1e-12:
            assert (found.margin > 0.0) == (found.verdict == "met")


@given(value=NUMBERS, limit=NUMBERS, factor=FACTORS)
@settings(deadline=None)
def test_a_lower_limit_equals_an_upper_limit_on_the_negative_value(
    value: float, limit: float, factor: float
) -> None:
    least, most = compare(value, limit, None, factor), compare(-value, None, -limit, factor)
    assert (least.verdict, least.margin) == (most.verdict, most.margin)


@given(value=NUMBERS, low=NUMBERS, width=st.floats(0.001, 1e6), factor=FACTORS)
@settings(deadline=None)
def test_a_range_is_met_if_both_of_its_limits_are_met(
    value: float, low: float, width: float, factor: float
) -> None:
    sides = [compare(value, low, None, factor), compare(value, None, low + width, factor)]
    both = compare(value, low, low + width, factor)
    assert (both.verdict == "met") == all(side.verdict == "met" for side in sides)
    margins = [side.margin for side in sides if side.margin is not None]
    assert both.margin is None or both.margin in margins
    if both.verdict == "violated" and both.margin is not None:
        assert both.margin <= 0.0


@given(value=NUMBERS, limit=NUMBERS, factor=FACTORS)
@settings(deadline=None)
def test_a_factor_never_makes_a_limit_looser(value: float, limit: float, factor: float) -> None:
    for low, high in ((None, limit), (limit, None)):
        if compare(value, low, high, factor).verdict == "met":
            assert compare(value, low, high, 1.0).verdict == "met"


@given(limit=NUMBERS, factor=FACTORS, rounding=st.floats(-1e-9, 1e-9))
@settings(deadline=None)
def test_a_verdict_at_the_limit_does_not_depend_on_rounding(
    limit: float, factor: float, rounding: float
) -> None:
    """Values are shown with five digits: what is equal to the limit in these complies, what is not does not."""
    at_limit = limit / factor if limit > 0.0 else limit * factor
    for sign in (1.0, -1.0):
        low, high = (None, limit) if sign > 0.0 else (-limit, None)
        found = compare(sign * at_limit * (1.0 + rounding), low, high, factor)
        assert found.verdict == "met"
        assert found.margin is None or 0.0 <= found.margin < 1e-8
        beyond = compare(sign * (at_limit + 1e-4 * abs(at_limit) + 1e-9), low, high, factor)
        assert beyond.verdict == "violated"
        assert beyond.margin is None or beyond.margin < 0.0
    assert compare(1e-17, None, 0.0, factor).verdict == "met"


@pytest.mark.parametrize("value", [None, math.nan, math.inf, "text", [1.0]])
def test_a_value_that_is_not_a_finite_number_is_undecided(value: Any) -> None:
    found = compare(value, 1.0, None, 1.0)
    assert (found.verdict, found.value, found.margin) == ("undecided", None, None)


@pytest.mark.parametrize(("value", "limit"), [(0.0, 5.0), (-1.0, 5.0), (0.0, 0.0), (1.0, 0.0)])
def test_no_margin_where_a_ratio_has_no_meaning(value: float, limit: float) -> None:
    found = compare(value, None, limit, 2.0)
    assert found.margin is None
    assert found.verdict == ("met" if value <= limit else "violated")


def with_requirements(name: str, requirements: dict[str, Any], **overrides: Any) -> ScenarioBase:
    data = {**load(name, overrides).to_data(), "requirements": requirements}
    return from_data(data, name, load(name).directory)


CHAIN = {
    "FORCE": {"metric": "peak_contact_force", "at_most": "80 N", "factor": 1.25},
    "LATCH": {"outcome": "latched"},
    "NEVER": {"metric": "latch_time", "at_most": "1 s"},
    "SPEED": {"metric": "relative_velocity_before", "within": ["1 mm/s", "1 m/s"]},
}


def test_requirements_of_a_chain() -> None:
    result = simulate(with_requirements("latch-slow", CHAIN))
    found = {one.id: one for one in result.requirements}
    assert list(found) == list(CHAIN)
    force = result.metrics["peak_contact_force"]
    assert (found["FORCE"].value, found["FORCE"].limit) == (force, 80.0)
    assert found["FORCE"].margin == 80.0 / (1.25 * force) - 1.0
    assert found["LATCH"].verdict == "violated"
    assert found["LATCH"].value == result.outcome
    assert (found["NEVER"].verdict, found["NEVER"].value) == ("undecided", None)
    assert found["SPEED"].verdict == "met"


@pytest.mark.parametrize("change", [{"completed": False}, {"valid": "no"}])
def test_a_run_that_cannot_be_used_leaves_all_requirements_undecided(change: dict[str, Any]) -> None:
    scenario = with_requirements("latch-fast", CHAIN)
    result = simulate(scenario)
    assert [one.verdict for one in assessed_result(scenario, result).requirements].count("met") >= 2
    for one in assessed_result(scenario, replace(result, **change)).requirements:
        assert one.verdict == "undecided"
        assert one.margin is None


def test_an_expression_of_a_requirement_equals_a_metric_bit_by_bit() -> None:
    """A requirement evaluates the same expressions as `metrics`; none that is already a metric is evaluated twice."""
    requirements = {
        "P-1": {"metric": "max  contact.force", "at_most": 1000},
        "P-2": {"metric": "max berth.pin_force", "at_most": 1000},
        "P-3": {"metric": "final module.z in port", "within": [-10, 10]},
    }
    plain, result = simulate("pins-1"), simulate(with_requirements("pins-1", requirements))
    assert result.metrics["requirement_p_1"] == plain.metrics["peak_contact_force"]
    # The instant of the first contact is located with all searched quantities, so that it may differ by rounding.
    located = {name: plain.metrics[name] for name in CONDITION_METRICS}
    assert located == pytest.approx({name: result.metrics[name] for name in located}, rel=1e-9, abs=1e-15)
    assert {name: result.metrics[name] for name in plain.metrics} | located == {**plain.metrics}
    added = set(result.metrics) - set(plain.metrics)
    known = set(load("pins-1").metrics.values())
    assert added == {f"requirement_p_{i}" for i in (1, 2, 3) if requirements[f"P-{i}"]["metric"] not in known}
    assert result.units["requirement_p_1"] == "N"


def test_requirements_of_a_station_and_a_robot() -> None:
    station = with_requirements(
        "power-tower-x",
        {
            "D": {"metric": "max_deflection_a", "at_most": "2 m"},
            "E": {"metric": "max tower/keel-top.deflection", "at_most": "2 m"},
            "O": {"outcome": ["docked"]},
        },
        modes=10,
        before=1.0,
        after=2.0,
    )
    result = simulate(station)
    d, e, o = result.requirements
    assert (d.value, d.verdict, o.verdict) == (e.value, "met", "met")
    assert d.value == result.metrics["max_deflection_a"] > 0.0
    robot = with_requirements(
        "peg-rim",
        {
            "T": {"metric": "torque_used", "at_most": 1},
            "J": {"metric": "peak_torque_joint_1", "at_most": "500 N*m"},
            "F": {"metric": "max contact.force", "at_most": "1 N"},
        },
        duration=0.1,
    )
    result = simulate(robot)
    assert [one.value for one in result.requirements] == [
        result.metrics[name] for name in ("torque_used", "peak_torque_joint_1", "requirement_f")
    ]


@pytest.mark.parametrize("name", ["impact-a", "latch-paper", "pins-1", "assist-soft-docking"])
def test_every_metric_has_a_unit_before_the_run(name: str) -> None:
    """Requirements can refer to every metric of a run, and to no other."""
    result, units = simulate(load(name)), load(name).metric_units()
    scalars = {key for key, value in result.metrics.items() if not isinstance(value, list | dict | str)}
    assert scalars <= set(units)
    for key in scalars & set(units):
        assert units[key] == result.units.get(key, "1")


def test_outcomes_of_bundled_scenarios_are_possible() -> None:
    for one in bundled():
        assert load(one.name).possible_outcomes(), one.name
    for name in ("impact-a", "pins-1"):
        assert simulate(load(name)).outcome in load(name).possible_outcomes()
    assert set(KINDS) == {one.kind for one in bundled()}


def ball_and_plate(**approach: Any) -> ScenarioBase:
    """Return a scenario in which a ball approaches a plate and touches it."""
    return from_data(
        {
            "kind": "multibody",
            "duration": 2.0,
            "bodies": {
                "ball": {"mass": 10.0, "inertia": [1.0, 1.0, 1.0]},
                "station": {
                    "mass": 1e3,
                    "inertia": [1e3, 1e3, 1e3],
                    "joint": {
                        "type": "free",
                        "position": [1.0, 2.0, 3.0],
                        "attitude": [0.8, 0.0, 0.6, 0.0],
                        "velocity": [0.3, -0.1, 0.2],
                        **approach.pop("station", {}),
                    },
                },
            },
            "surfaces": {
                "sphere": {
                    "body": "ball",
                    "profile": [
                        [-0.05, 0],
                        {"arc_to": [0, 0.05], "radius": 0.05, "turn": "right"},
                        {"arc_to": [0.05, 0], "radius": 0.05, "turn": "right"},
                    ],
                },
                "plate": {"body": "station", "profile": [[0, 0], [0, 5.0]]},
            },
            "contacts": {"touch": {"a": "plate", "b": "sphere", "layer": {"stiffness": 1e9}}},
            "approach": {
                "chaser": "ball",
                "tip": {"body": "ball"},
                "port": {"body": "station"},
                "distance": 0.06,
                "speed": 0.04,
                **approach,
            },
        }
    )


def conditions_of(scenario: ScenarioBase) -> dict[str, float]:
    found = simulate(scenario).contact_conditions
    assert found is not None
    assert list(found) == list(CONDITION_UNITS)
    return dict(found)


def test_contact_conditions_are_those_of_the_approach() -> None:
    """Without rotation the tip moves straight and uniformly until it touches, 10 mm later."""
    found = conditions_of(
        ball_and_plate(offset=[0.03, -0.04], lateral=[0.003, 0.004], tilt=[0.06, -0.08], roll=-0.3)
    )
    t = 0.01 / 0.04
    assert found["axial_speed"] == pytest.approx(0.04, rel=1e-6)
    assert found["lateral_speed"] == pytest.approx(0.005, rel=1e-6)
    assert found["offset"] == pytest.approx(math.hypot(0.03 + 0.003 * t, -0.04 + 0.004 * t), rel=1e-5)
    assert found["tilt"] == pytest.approx(0.1, rel=1e-6)
    assert found["roll"] == pytest.approx(-0.3, rel=1e-6)
    assert found["tilt_rate"] == pytest.approx(0.0, abs=1e-9)
    assert found["roll_rate"] == pytest.approx(0.0, abs=1e-9)


def test_contact_conditions_with_rates() -> None:
    """A sphere keeps its angular velocity; about its own axis it rolls by w t."""
    found = conditions_of(ball_and_plate(rate=[0.0, 0.0, 0.2], roll=0.1))
    assert found["roll_rate"] == pytest.approx(0.2, rel=1e-6)
    assert found["roll"] == pytest.approx(0.1 + 0.2 * 0.25, rel=1e-5)
    found = conditions_of(ball_and_plate(rate=[0.03, 0.04, 0.0]))
    assert found["tilt_rate"] == pytest.approx(0.05, rel=1e-6)
    assert found["tilt"] == pytest.approx(
        0.05 * 0.25, rel=1e-4
    )  # the time of the touch is that of cells on the sphere


def test_contact_conditions_do_not_depend_on_the_motion_of_the_target() -> None:
    still = conditions_of(ball_and_plate(offset=[0.02, 0.0], tilt=[0.05, 0.0]))
    moving = conditions_of(
        ball_and_plate(
            offset=[0.02, 0.0],
            tilt=[0.05, 0.0],
            station={"velocity": [5.0, -3.0, 2.0], "attitude": [1, 0, 0, 0]},
        )
    )
    for name, value in still.items():
        assert moving[name] == pytest.approx(value, rel=1e-5, abs=1e-8)


def test_pins_have_contact_conditions_and_runs_without_contact_have_none() -> None:
    found = conditions_of(load("pins-1"))
    assert found["axial_speed"] > 0.0
    assert simulate(load("impact-a")).contact_conditions is None
    assert simulate(ball_and_plate(distance=1.0)).contact_conditions is None


def test_limits_of_contact_conditions() -> None:
    inside = {name: (low + high) / 2.0 for name, (low, high) in preset_box("idss").limits().items()}
    requirement = Requirement(conditions="idss")
    name, found = worst_condition(requirement, inside) or ("", None)
    assert found is not None
    assert found.verdict == "met"
    for name, (low, high) in preset_box("idss").limits().items():
        for value, verdict in (
            (high, "met"),
            (1.01 * high, "violated"),
            (-1.01 * high, "violated"),
            (low, "met"),
        ):
            worst = worst_condition(requirement, {**inside, name: value})
            assert worst is not None
            assert worst[1].verdict == verdict
            assert verdict == "met" or worst[0] == name
    factor = worst_condition(Requirement(conditions="idss", factor=2.0), inside)
    assert factor is not None
    assert factor[1].verdict == "violated"  # twice the smallest closing speed is demanded


def test_a_violated_condition_without_a_margin_is_worse_than_one_that_is_met() -> None:
    """A limit of 0 has no margin."""
    requirement = Requirement(conditions={"axial_speed": "0 m/s", "offset": "50 mm"})
    values = dict.fromkeys(requirement.box.limits(), 0.0)
    for offset in (0.048, 0.0499, 0.0):
        name, found = worst_condition(requirement, values | {"axial_speed": 0.05, "offset": offset})
        assert (name, found.verdict) == ("axial_speed", "violated")


def test_runs_without_prediction_or_requirement_have_the_same_contact_conditions() -> None:
    scenario = with_requirements("pins-1", {"C": {"conditions": {"axial_speed": "1 m/s"}}})
    result = simulate(scenario, with_prediction=False)
    plain = simulate("pins-1", with_prediction=False)
    assert result.contact_conditions == plain.contact_conditions == simulate("pins-1").contact_conditions
    assert result.requirements[0].verdict == "met"
    assert result.metrics == plain.metrics
    assert result.timing.steps == plain.timing.steps


def test_a_chaser_that_never_touches_is_undecided() -> None:
    scenario = from_data(
        {**ball_and_plate(distance=1.0).to_data(), "requirements": {"C": {"conditions": "idss"}}}
    )
    assert [one.verdict for one in simulate(scenario).requirements] == ["undecided"]


def test_requirements_are_saved_and_shown(tmp_path: Path) -> None:
    result = simulate(with_requirements("latch-slow", CHAIN))
    result.save(tmp_path)
    loaded = Result.load(tmp_path)
    assert loaded.requirements == result.requirements
    assert requirement_table(loaded) == requirement_table(result)
    text = result.summary()
    assert "at most 80 N" in text
    assert "no value" in text
    assert "violated" in text


def test_an_experiment_without_the_metric_is_undecided() -> None:
    """A robot behind a link measures no contact force; its limit is shown nevertheless."""
    scenario = with_requirements(
        "peg-rim", {"F": {"metric": "max contact.force", "at_most": "1 N"}}, duration=0.1
    )
    measured = replace(simulate(scenario), metrics={}, units={}, valid="unknown", requirements=())
    result = assessed_result(scenario, measured)
    assert [one.verdict for one in result.requirements] == ["undecided"]
    assert requirement_table(result).rows[0][2:4] == ("no value", "at most 1 N")
    assert requirement_table(replace(result, valid="no")).rows[0][2] == "not valid"


@pytest.mark.parametrize(
    "damage", [{"R": 5}, {"R": {"metric": 3}}, [], {"R": {"outcome": ["a"], "metric": "b"}}]
)
def test_damaged_requirements_of_a_stored_result(damage: Any) -> None:
    result = simulate(with_requirements("impact-a", {"R": {"metric": "impulse", "at_most": 5}}))
    damaged = replace(result, definition={**result.definition, "requirements": damage})
    if damage:
        with pytest.raises(InputError, match="damaged"):
            requirement_table(damaged)
    else:
        assert not requirement_table(damaged).rows


def test_a_text_of_several_lines_is_shown_in_one_row() -> None:
    strange = {"R": {"text": "two\n lines\u2028three", "metric": "impulse", "at_most": 5, "source": "a\r\nb"}}
    table = requirement_table(simulate(with_requirements("impact-a", strange)))
    assert table.rows[0][1] == "two lines three"
    assert len(table.to_text().splitlines()) == 2


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["softdock", "run", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return int(end.value.code or 0), *capsys.readouterr()

    return call


def write(folder: Path, requirements: str, base: str = "latch-slow") -> Path:
    path = folder / "case.yaml"
    path.write_text(f"softdock: 1\nbase: {base}\nrequirements:\n{requirements}", encoding="utf-8")
    return path


MET = "  R-1: {metric: impulse, at_most: 1 kN*s}\n"
UNDECIDED = "  R-2: {metric: latch_time, at_most: 1 s}\n"
VIOLATED = "  R-3: {outcome: [latched]}\n"


@pytest.mark.parametrize(
    ("requirements", "code", "named"),
    [(MET, 0, ""), (MET + UNDECIDED, 4, "R-2"), (MET + UNDECIDED + VIOLATED, 3, "R-3"), (VIOLATED, 3, "R-3")],
)
def test_the_exit_code_of_a_check(
    run: Command, tmp_path: Path, requirements: str, code: int, named: str
) -> None:
    path = write(tmp_path, requirements)
    ended, out, err = run(path, "--check", "--json")
    assert ended == code
    assert named in err
    assert [one["id"] for one in json.loads(out)["requirements"]] == [
        key for key in ("R-1", "R-2", "R-3") if key in requirements
    ]
    keys = {"id", "verdict", "value", "limit", "margin", "error", "verdict_text"}
    assert set(json.loads(out)["requirements"][0]) == keys
    assert run(path)[0] == 0


def test_a_check_without_requirements_is_refused(run: Command) -> None:
    code, _, err = run("latch-slow", "--check")
    assert code == 2
    assert "no requirements" in err


def test_a_failed_run_exits_as_without_a_check(run: Command, tmp_path: Path) -> None:
    path = write(tmp_path, "  X-1: {metric: peak_contact_force, at_most: 1 N}\n", base="assist-passive")
    code, _, err = run(path, "--check", "--set", "integrator.max_steps=10")
    assert code == 1
    assert "could not be completed" in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("R-1: {metric: impuls, at_most: 1 N*s}", "did you mean 'impulse'?"),
        ("R-1: {metric: impulse, at_most: 1 N}", "Is a force [N], but an impulse is needed"),
        ("R-1: {metric: impulse, at_most: .nan}", "finite"),
        ("R-1: {metric: impulse, at_most: true}", "number in SI or a text with a unit"),
        ("R-1: {metric: impulse, within: [2, 1]}", "must be below the largest"),
        ("R-1: {metric: impulse, at_least: 2, at_most: 2}", "must be below the largest"),
        ("R-1: {metric: impulse, within: [1, 2], at_most: 3}", "cannot be given together with at_most"),
        ("R-1: {metric: impulse}", "needs a limit"),
        ("R-1: {metric: max nose.z, at_most: 1 m}", "must be the name of a metric"),
        ("R-1: {outcome: [latch]}", "no outcome called 'latch'"),
        ("R-1: {outcome: []}", "at least 1"),
        ("R-1: {outcome: [latched], at_most: 3}", "goes with metric"),
        ("R-1: {outcome: [latched], factor: 2}", "an outcome has no size"),
        ("R-1: {outcome: [latched], metric: impulse, at_most: 1}", "exactly one of"),
        ("R-1: {}", "exactly one of"),
        ("R-1: {conditions: idss}", "needs an `approach`"),
        ("R-1: {conditions: iss}", "one of assist-table2, idss"),
        ("R-1: {conditions: {tilt: -1 deg}}", "must be at least 0"),
        ("R-1: {conditions: {tilt: [2 deg, 1 deg]}}", "the first below the second"),
        ("R-1: {conditions: {}}", "must limit at least one of"),
        ("R-1: {metric: impulse, at_most: 1, factor: 0.9}", "at least 1"),
        ("R-1: {metric: impulse, at_most: 1, probability: 1}", "below 1"),
        ("R-1: {metric: impulse, at_most: 1, confidence: 0}", "above 0"),
        ("R.1: {outcome: [latched]}", "identifier of plain letters"),
        ("R-1: {limit: 3}", "The key 'limit' is not known here"),
    ],
)
def test_a_bad_requirement_is_named_with_file_and_line(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, f"  {text}\n")
    with pytest.raises(InputError) as error:
        load(path)
    problems = [str(problem) for problem in error.value.problems]
    assert any(message.lower() in problem.lower() for problem in problems), problems
    assert all("case.yaml:4" in problem for problem in problems)
    assert all("requirements.R" in problem for problem in problems)


def test_identifiers_must_give_different_metrics(tmp_path: Path) -> None:
    pair = "  R-1: {metric: max berth.force, at_most: 1 N}\n  r_1: {metric: min berth.force, at_most: 1 N}\n"
    with pytest.raises(InputError, match="metric 'requirement_r_1', which requirement 'R-1' already defines"):
        load(write(tmp_path, pair, base="pins-1"))
    own = "  R-1: {metric: max berth.force, at_most: 1 N}\nmetrics: {requirement_r_1: min berth.force}\n"
    with pytest.raises(
        InputError, match="which the key `metrics` already defines: choose another identifier"
    ):
        load(write(tmp_path, own, base="pins-1"))


@pytest.mark.parametrize("name", PRESETS)
def test_a_named_box_has_the_ranges_of_the_preset(name: str) -> None:
    """One name means the same limits for dispersions and for requirements."""
    from softdock.campaign.loading import read_campaign_text

    text = f"softdock: 1\nkind: campaign\nscenario: pins-1\nruns: 2\npresets: [{name}]\n"
    fields = {"speed": "axial_speed", "lateral": "lateral_speed", "rate": "tilt_rate"}
    ranges = {}
    for path, distribution in read_campaign_text(text, Path("x.yaml")).distributions.items():
        key, ends = path.removeprefix("approach."), distribution.extremes()
        sizes = [float(np.linalg.norm(np.atleast_1d(end)[:2])) for end in ends]
        ranges[fields.get(key, key)] = max(sizes)
        if key == "rate":
            ranges["roll_rate"] = max(abs(end[2]) for end in ends)
        if key == "speed":
            assert preset_box(name).limits()["axial_speed"][0] == pytest.approx(min(ends))
    assert {key: high for key, (_, high) in preset_box(name).limits().items()} == pytest.approx(ranges)
