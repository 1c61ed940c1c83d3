"""Numerical errors in stored results, requirements, comparisons and repeated runs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from softdock import Result, simulate
from softdock.cli import app
from softdock.presentation.requirements import overall_verdict, requirement_table
from softdock.presentation.status import Status
from softdock.recording import compare
from softdock.report.rerun import verify_by_rerun
from softdock.report.verification import Agreement
from softdock.result.digest import DIGEST, with_digest
from softdock.result.requirements import WITHIN_ERROR, with_requirements
from softdock.scenario.loading import from_data

SLED: dict[str, Any] = {
    "softdock": 1,
    "kind": "multibody",
    "duration": 0.5,
    "bodies": {"sled": {"mass": 2.0, "inertia": [1, 1, 1], "joint": {"type": "prismatic", "speed": 0.4}}},
    "springs": {"coil": {"joint": "sled", "stiffness": 300.0}},
    "metrics": {"pull": "max abs coil.force", "stroke": "max sled.joint"},
}
EXACT = 0.4 * (2.0 * 300.0) ** 0.5


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(from_data(SLED))


def judged(result: Result, error: float, **limits: Any) -> Any:
    """Return the verdict on the pull with a limit, as if its error were another one."""
    factor = limits.pop("factor", 1.0)
    requirement = {"metric": "pull", "factor": factor, **limits}
    scenario = from_data({**SLED, "requirements": {"R": requirement}})
    changed = replace(result, metric_errors={**result.metric_errors, "pull": error})
    return with_requirements(scenario, changed).requirements[0]


@pytest.mark.parametrize(
    ("limits", "distance"),
    [
        ({"at_most": EXACT + 0.05}, 0.05),
        ({"at_most": EXACT - 0.05}, 0.05),
        ({"at_least": EXACT - 0.05}, 0.05),
        ({"at_most": 2.0 * (EXACT + 0.05), "factor": 2.0}, 0.05),
        ({"within": [EXACT - 1.0, EXACT + 0.05]}, 0.05),
    ],
)
def test_a_verdict_that_the_error_could_change_says_so(
    result: Result, limits: dict[str, Any], distance: float
) -> None:
    near, far = judged(result, 1.3 * distance, **limits), judged(result, 0.7 * distance, **limits)
    assert near.verdict == far.verdict == far.verdict_text
    assert near.verdict_text == f"{near.verdict}, {WITHIN_ERROR}"
    assert near.error == 1.3 * distance
    assert near.margin == far.margin


def test_verdicts_without_an_error_are_as_before(result: Result) -> None:
    scenario = from_data(
        {
            **SLED,
            "requirements": {
                "R-1": {"metric": "stroke", "at_most": "40 mm"},
                "R-2": {"outcome": ["completed"]},
            },
        }
    )
    verdicts = with_requirements(scenario, result).requirements
    assert [verdict.error for verdict in verdicts] == [None, None]
    assert [verdict.verdict_text for verdict in verdicts] == [verdict.verdict for verdict in verdicts]
    unusable = with_requirements(scenario, replace(result, valid="no")).requirements
    assert [verdict.verdict_text for verdict in unusable] == ["undecided"] * 2


def test_the_matrix_shows_error_and_doubt(result: Result) -> None:
    data = {**SLED, "requirements": {"R": {"metric": "pull", "at_most": EXACT + 1e-4}}}
    own = replace(result, definition=from_data(data).to_data(), metric_errors={"pull": 0.2})
    own = with_requirements(from_data(data), own)
    table = requirement_table(own)
    cells = dict(zip(table.header, table.rows[0], strict=True))
    assert cells["value"] == "9.8 N ± 0.2 N"
    assert cells["verdict"] == f"met, {WITHIN_ERROR}"
    assert table.statuses == [Status.DOUBTFUL]
    text, status = overall_verdict(own.requirements, "scenario")
    assert text == "All 1 requirements are met. 1 of them within the numerical error."
    assert status is Status.DOUBTFUL


def test_errors_are_stored(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path)
    loaded = Result.load(tmp_path)
    assert loaded == result
    assert loaded.metric_errors == result.metric_errors
    assert loaded.loads == result.loads
    assert loaded.discrepancies == ()
    assert CliRunner().invoke(app, ["verify", str(tmp_path)]).exit_code == 0


def without_errors(folder: Path) -> None:
    """Write the result of a folder as a version without numerical errors wrote it."""
    document = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    for key in ("metric_errors", "converged", DIGEST):
        document.pop(key)
    for load in document["loads"]:
        del load["force_error"], load["moment_error"]
    for verdict in document["requirements"]:
        del verdict["error"], verdict["verdict_text"]
    (folder / "result.json").write_text(json.dumps(with_digest(document)), encoding="utf-8")


def test_a_result_without_errors_is_read_shown_and_reproduced(tmp_path: Path) -> None:
    data = {**SLED, "requirements": {"R": {"metric": "pull", "at_most": "20 N"}}}
    simulate(from_data(data)).save(tmp_path)
    without_errors(tmp_path)
    old = Result.load(tmp_path)
    assert old.metric_errors == {}
    assert old.converged is None
    assert old.discrepancies == ()
    assert {load.force_error for load in old.loads} == {None}
    assert old.requirements[0].verdict_text == "met"
    assert "±" not in old.summary()
    assert "Largest force 9.79" in old.summary()
    checks = verify_by_rerun(old)
    assert [check.agreement for check in checks] == [Agreement.AGREES]
    assert CliRunner().invoke(app, ["verify", str(tmp_path), "--rerun"]).exit_code == 0


def test_a_changed_error_does_not_agree_with_the_digest(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path)
    path = tmp_path / "result.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["loads"][0]["force_error"] = 1e-9
    path.write_text(json.dumps(document), encoding="utf-8")
    assert Result.load(tmp_path).discrepancies
    assert CliRunner().invoke(app, ["verify", str(tmp_path)]).exit_code == 3


def test_values_that_are_no_errors_are_refused(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path)
    path = tmp_path / "result.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["metric_errors"]["pull"] = "small"
    path.write_text(json.dumps(document), encoding="utf-8")
    ended = CliRunner().invoke(app, ["replay", str(tmp_path), "--html", str(tmp_path / "x.html")])
    assert ended.exit_code != 0
    assert "metric_errors.pull" in str(ended.exception)


def test_a_comparison_has_the_peaks_of_both_runs_with_their_errors(result: Result) -> None:
    loose = from_data({**SLED, "integrator": {"accuracy": {"length": 1e-3, "speed": 1e-2, "force": 0.1}}})
    compared = compare(result, simulate(loose), 0.0)
    pairs = {(pair.name, pair.unit): pair for pair in compared.peaks}
    pair = pairs["coil", "N"]
    coil = next(load for load in result.loads if load.name == "coil")
    assert (pair.a, pair.a_error) == (coil.peak_force, coil.force_error)
    assert pair.b_error is not None
    assert pair.b_error > 3.0 * (pair.a_error or 0.0)
    assert pair.within_errors is (abs(pair.b - pair.a) <= pair.a_error + pair.b_error)
    entry = next(one for one in compared.to_json()["peaks"] if one["name"] == "coil")
    keys = {"name", "kind", "unit", "a", "b", "a_error", "b_error", "within_errors"}
    assert set(entry) == keys
    unknown = replace(pair, b_error=None)
    assert unknown.within_errors is None


def test_the_command_compares_peaks(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "a")
    result.save(tmp_path / "b")
    ended = CliRunner().invoke(app, ["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--offset", "0"])
    assert ended.exit_code == 0
    (line,) = (line for line in ended.output.splitlines() if line.startswith("force of spring coil"))
    assert line.count("±") == 2
    assert line.endswith("yes")
