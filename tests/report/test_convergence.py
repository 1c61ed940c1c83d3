"""Convergence: refined settings reduce errors, and the reported changes are those of the metrics."""

import math
from dataclasses import replace

import pytest

from softdock import simulate
from softdock.report.run import ReportOptions, run_report
from softdock.scenario.loading import from_data, load
from softdock.simulation.convergence import check_convergence

BOUNCING = {
    "softdock": 1,
    "kind": "multibody",
    "duration": 0.5,
    "bodies": {"sled": {"mass": 2.0, "inertia": [1, 1, 1], "joint": {"type": "prismatic", "speed": 0.4}}},
    "springs": {"coil": {"joint": "sled", "stiffness": 300.0}},
    "metrics": {"stroke": "max sled.joint"},
}


def test_errors_of_a_spring_shrink_with_the_tolerance() -> None:
    """The largest deflection of a mass on a spring is v sqrt(m / k)."""
    exact = 0.4 * math.sqrt(2.0 / 300.0)
    data = {**BOUNCING, "integrator": {"accuracy": {"length": 1e-4, "speed": 1e-3}}}
    result = simulate(from_data(data))
    (tighter,) = check_convergence(result)
    assert tighter.outcome == result.outcome
    assert abs(tighter.metrics["stroke"] - exact) < abs(result.metrics["stroke"] - exact)
    change = (tighter.metrics["stroke"] - result.metrics["stroke"]) / result.metrics["stroke"]
    assert tighter.changes["stroke"] == pytest.approx(change)


def test_a_fixed_step_is_halved() -> None:
    data = {**BOUNCING, "integrator": {"method": "rk4", "step": 0.01}}
    result = simulate(from_data(data))
    (finer,) = check_convergence(result)
    assert finer.title == "half the step"
    exact = 0.4 * math.sqrt(2.0 / 300.0)
    assert abs(finer.metrics["stroke"] - exact) < 0.2 * abs(result.metrics["stroke"] - exact)  # order 4


def test_contacts_have_finer_cells() -> None:
    scenario = load("assist-soft-docking", ["duration=3.1 s"])
    result = simulate(scenario)
    tighter, finer = check_convergence(result)
    assert finer.title == "contact cells of half the size"
    assert 0.0 < abs(finer.changes["t_first_contact"]) < 1e-3
    assert abs(tighter.changes["t_first_contact"]) < abs(finer.changes["t_first_contact"])


def test_chains_have_nothing_to_refine() -> None:
    result = simulate("impact-a")
    assert check_convergence(result) == []
    page = run_report(result, ReportOptions(refinements=[]))
    assert "solved exactly" in page


def test_values_below_the_error_of_a_step_are_not_compared() -> None:
    """A length of 33 pm is below 1 um and has no relative change; one of 33 mm has."""
    metrics = {"stroke": "max sled.joint", "tiny": "max sled.joint * 1e-9"}
    (tighter,) = check_convergence(simulate(from_data({**BOUNCING, "metrics": metrics})))
    assert math.isnan(tighter.changes["tiny"])
    assert 0.0 < abs(tighter.changes["stroke"]) < 1e-3


def test_the_report_says_whether_the_outcome_changes() -> None:
    result = simulate(from_data(BOUNCING))
    refinements = check_convergence(result)
    page = run_report(result, ReportOptions(refinements=refinements))
    assert "The outcome does not change. Largest relative change of a metric" in page
    changed = [replace(refinements[0], outcome="missed", changes={"stroke": math.nan})]
    page = run_report(result, ReportOptions(refinements=changed))
    assert "The outcome changes (error tolerances of a step divided by 10: missed)." in page
    assert "Convergence was not checked" in run_report(result)
