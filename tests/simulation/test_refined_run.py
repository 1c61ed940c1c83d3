"""A run repeated with finer settings: values, changes and verdicts, in Python, files, report and command line."""

import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import softdock
from softdock import Result, cli, simulate
from softdock.errors import InputError
from softdock.presentation.refinement import refinement_table, refinement_text
from softdock.presentation.status import Status
from softdock.report.run import run_report
from softdock.result.refinement import RefinedRun, RefinedValue
from softdock.scenario.loading import from_data
from softdock.simulation.convergence import change_verdict, check_convergence
from softdock.simulation.real_time import RealTime

SLED: dict[str, Any] = {
    "softdock": 1,
    "kind": "multibody",
    "duration": 0.5,
    "bodies": {"sled": {"mass": 2.0, "inertia": [1, 1, 1], "joint": {"type": "prismatic", "speed": 0.4}}},
    "springs": {"coil": {"joint": "sled", "stiffness": 300.0}},
    "metrics": {"pull": "max abs coil.force", "stroke": "max sled.joint"},
}
EXACT = 0.4 * math.sqrt(2.0 * 300.0)
LOOSE = {"integrator": {"accuracy": {"length": 1e-4, "speed": 1e-3, "force": 0.05}}}


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(from_data({**SLED, **LOOSE}), converged=True)


def value_of(result: Result, name: str) -> RefinedValue:
    assert result.converged is not None
    (value,) = (value for value in result.converged.values if value.name == name)
    return value


def test_the_refined_value_is_closer_to_the_closed_form(result: Result) -> None:
    """The largest force of a spring that stops a mass is v sqrt(m k)."""
    pull = value_of(result, "pull")
    assert pull.value == result.metrics["pull"]
    assert pull.error == result.metric_errors["pull"]
    assert abs(pull.refined - EXACT) < abs(pull.value - EXACT)
    assert pull.change == pull.refined - pull.value
    assert pull.verdict == change_verdict(abs(pull.change), pull.error) == "within"
    stroke = value_of(result, "stroke")
    assert (stroke.error, stroke.verdict) == (None, "no_error")
    assert stroke.refined == pytest.approx(EXACT / 300.0, rel=1e-4)


def test_the_first_run_is_not_changed(result: Result) -> None:
    plain = simulate(from_data({**SLED, **LOOSE}))
    assert plain.converged is None
    assert plain == result
    assert result.converged is not None
    assert result.converged.settings == "error tolerances of a step divided by 10"
    accuracy = result.prepared.scenario.to_data()["integrator"]["accuracy"]
    finer = {"integrator": {"accuracy": {name: 0.1 * x for name, x in accuracy.items()}}}
    by_hand = simulate(from_data({**SLED, **finer}))
    work = (by_hand.timing.steps, by_hand.timing.evaluations)
    assert (result.converged.steps, result.converged.evaluations) == work
    assert value_of(result, "stroke").refined == by_hand.metrics["stroke"] != result.metrics["stroke"]


def test_contacts_are_refined_in_the_same_run() -> None:
    short = {"duration": "3.1 s"}
    result = simulate("assist-soft-docking", short, converged=True)
    refined = result.converged
    assert refined is not None
    assert refined.settings == "error tolerances of a step divided by 10, contact cells of half the size"
    data = result.prepared.scenario.to_data()
    accuracy = {name: 0.1 * x for name, x in data["integrator"]["accuracy"].items()}
    cells = {
        name: {**contact, "resolved_force": contact["resolved_force"] / 8.0}
        for name, contact in data["contacts"].items()
    }
    by_hand = {**data, "integrator": {**data["integrator"], "accuracy": accuracy}, "contacts": cells}
    again = simulate(from_data(by_hand, "assist-soft-docking", result.prepared.scenario.directory))
    assert {value.name: value.refined for value in refined.values if value.refined is not None} == {
        name: float(value)
        for name, value in again.metrics.items()
        if isinstance(value, int | float) and name in {value.name for value in refined.values}
    }


def test_a_fixed_step_is_halved_and_states_no_errors() -> None:
    result = simulate(from_data({**SLED, "integrator": {"method": "rk4", "step": 0.01}}), converged=True)
    assert result.converged is not None
    assert result.converged.settings == "half the step"
    assert {value.verdict for value in result.converged.values} == {"no_error"}
    text, status = refinement_text(result)
    assert "The run states no errors of peaks." in text
    assert status is Status.GOOD
    (tighter,) = check_convergence(result)
    pull = value_of(result, "pull")
    assert pull.change == pytest.approx(tighter.changes["pull"] * pull.value)


@pytest.mark.parametrize(
    ("change", "verdict"),
    [(0.0, "within"), (0.2, "within"), (0.21, "within_twice"), (0.4, "within_twice"), (0.41, "beyond")],
)
def test_verdicts_on_changes(change: float, verdict: str) -> None:
    assert change_verdict(change, 0.2) == verdict


def test_stations_and_robots_are_refined() -> None:
    for name in ("power-tower-x", "peg-flat"):
        result = simulate(name, converged=True)
        assert result.converged is not None
        assert result.converged.outcome == result.outcome
        assert any(value.error is not None for value in result.converged.values)


def test_what_cannot_be_refined_is_refused() -> None:
    with pytest.raises(InputError, match="kind chain is solved exactly") as chain:
        simulate("impact-a", converged=True)
    assert chain.value.problems[0].field == "converged"
    with pytest.raises(InputError, match="Cannot be combined with `real_time`"):
        simulate("pins-1", converged=True, real_time=RealTime())

    class Idle(softdock.UserController):
        """Does nothing."""

    with pytest.raises(InputError, match="Cannot be combined with `controller`"):
        simulate("pins-1", converged=True, controller=Idle)  # type: ignore[arg-type]


def test_results_with_a_refined_run_are_stored(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path)
    loaded = Result.load(tmp_path)
    assert loaded.converged == result.converged
    assert loaded.discrepancies == ()
    assert refinement_table(loaded) == refinement_table(result)


def own(result: Result, *values: tuple[str, float, float | None, float | None], **fields: Any) -> Result:
    """Return a result whose refined run has these values: name, value, refined value, stated error."""
    made = tuple(
        RefinedValue(
            name=name,
            value=value,
            refined=refined,
            change=None if refined is None else refined - value,
            error=error,
            verdict="no_error"
            if error is None or refined is None
            else change_verdict(abs(refined - value), error),
        )
        for name, value, refined, error in values
    )
    settings = {"outcome": result.outcome, "completed": True, "valid": "yes", **fields}
    refined_run = RefinedRun(settings="half the step", steps=7, evaluations=8, values=made, **settings)
    return replace(result, converged=refined_run)


def test_the_table_begins_with_values_beyond_their_error(result: Result) -> None:
    made = own(
        result,
        ("peak_force_coil", 9.8, 9.81, 0.02),
        ("pull", 9.8, 9.9, 0.02),
        ("stroke", 0.03, 0.0301, None),
        ("unchanged", 1.0, 1.0, None),
        ("lost", 2.0, None, None),
    )
    table = refinement_table(made)
    rows = {row[0]: row[1:] for row in table.rows}
    assert list(rows) == ["pull", "peak force coil", "stroke", "lost"]
    assert rows["pull"] == ("9.8", "9.9", "+0.1", "0.02", "N", "beyond")
    assert rows["stroke"] == ("30", "30.1", "+0.1", "-", "mm", "none stated")
    assert rows["lost"] == ("2", "-", "-", "-", "", "none stated")
    assert table.statuses == [Status.DOUBTFUL, Status.GOOD, Status.NEUTRAL, Status.NEUTRAL]
    text, status = refinement_text(made)
    assert "Of 2 peaks with stated errors, 1 within the error, 0 within twice the error, 1 beyond." in text
    assert status is Status.DOUBTFUL


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"outcome": "missed"}, "The outcome changes to missed."),
        ({"outcome": "steps_used_up", "completed": False}, "was not completed: steps used up."),
        ({"valid": "no"}, "The refined run is not valid."),
    ],
)
def test_a_refined_run_that_ends_otherwise_is_doubtful(
    result: Result, fields: dict[str, Any], words: str
) -> None:
    text, status = refinement_text(own(result, ("pull", 9.8, 9.8, 0.02), **fields))
    assert words in text
    assert status is Status.DOUBTFUL


def test_the_report_has_a_section(result: Result) -> None:
    page = run_report(result)
    assert "<h3>Refined run</h3>" in page
    assert "Convergence was not checked" not in page
    plain = run_report(simulate(from_data(SLED)))
    assert "<h3>Refined run</h3>" not in plain
    assert "Convergence was not checked (options --converged and --convergence)." in plain


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["softdock", "run", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return int(end.value.code or 0), *capsys.readouterr()

    return call


def test_the_command_shows_both_runs_and_stores_them(run: Command, tmp_path: Path) -> None:
    out, report = tmp_path / "out", tmp_path / "report.html"
    file = Path(__file__).parents[2] / "docs" / "guides" / "latch-pulse.yaml"
    arguments = (file, "--converged", "--set", "duration=1 s", "--out", out, "--report", report)
    code, printed, _ = run(*arguments)
    assert code == 0
    assert "Repeated with error tolerances of a step divided by 10 (" in printed
    assert "change and error" in printed
    assert "<h3>Refined run</h3>" in report.read_text(encoding="utf-8")
    code, printed, _ = run(file, "--converged", "--set", "duration=1 s", "--json")
    data = json.loads(printed)
    stored = json.loads((out / "result.json").read_text(encoding="utf-8"))
    assert data["converged"] == stored["converged"]
    assert data["metrics"] == stored["metrics"]
    assert set(data["converged"]) == {
        "settings", "outcome", "completed", "valid", "steps", "evaluations", "values",
    }  # fmt: skip
    keys = {"name", "value", "refined", "change", "error", "verdict"}
    assert all(set(value) == keys for value in data["converged"]["values"])
    assert run(file, "--json", "--set", "duration=1 s")[1].count('"converged": null') == 1


def test_exit_codes_are_those_of_the_first_run(run: Command, tmp_path: Path) -> None:
    file = Path(__file__).parents[2] / "docs" / "guides" / "latch-pulse.yaml"
    assert run(file, "--converged", "--check")[0] == 0
    assert run(file, "--converged", "--check", "--set", "requirements.R-1.at_most=0.9 N")[0] == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            ("impact-a",),
            "Error: --converged: A scenario of kind chain is solved exactly: there is nothing to",
        ),
        (("pins-1", "--real-time"), "Error: --converged: Cannot be combined with --real-time"),
        (("pins-1", "--set", "integrator.accuracy.force=0"), "integrator.accuracy.force: Must be above 0"),
    ],
)
def test_wrong_options_are_refused_before_the_run(
    run: Command, tmp_path: Path, arguments: tuple[str, ...], error: str
) -> None:
    code, printed, message = run(*arguments, "--converged", "--out", tmp_path / "out")
    assert code == 2
    assert not printed
    assert error in message
    assert not (tmp_path / "out").exists()
