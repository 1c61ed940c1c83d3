"""Tables and sentences about campaigns, searches for rare failures and boundaries."""

from typing import Any

import pytest

from softdock.presentation.campaign import (
    outcome_counts,
    progress_text,
    remaining_runs_texts,
    spring_table,
    stop_rule_text,
    success_text,
)
from softdock.presentation.rare_events import margin_text, search_sentences, search_table
from softdock.presentation.unit_systems import SI

MARGIN = {"metric": "peak_force", "at_most": 120.0, "unit": "N"}
LEVELS = [
    {
        "level": 0, "threshold": 80.0, "probability": 0.1, "runs": 1000, "acceptance": None, "correlation": 0.0,
        "coefficient_of_variation": None,
    },
    {
        "level": 1, "threshold": -2000.0, "probability": 0.01234, "runs": 900, "acceptance": 0.44, "correlation": 1.5,
        "coefficient_of_variation": 0.12,
    },
]  # fmt: skip
SUBSET: dict[str, Any] = {
    "confidence": 0.95, "low": 0.0008, "high": 0.002, "probability": 0.001234, "coefficient_of_variation": 0.2,
    "margin": MARGIN, "levels": LEVELS, "runs": 1900, "monte_carlo_runs": 19_000.0, "reached": True,
}  # fmt: skip
BOUNDARY: dict[str, Any] = {
    "holdout": {"wrong": 3, "runs": 200, "low": 0.003, "high": 0.04}, "margin": MARGIN, "reached": False,
    "success_volume": 0.75, "uncertain_volume": 0.04, "expected_error": 0.0001, "runs": 1500, "tolerance": 0.02,
    "grid_runs": 160_000.0,
    "refinements": [
        {
            "level": 1, "runs": 1500, "uncertain_volume": 0.04, "expected_error": 0.01, "holdout_error": 0.015,
            "success_volume": 0.75,
        }
    ],
}  # fmt: skip


def test_a_subset_simulation_states_estimate_interval_condition_and_work() -> None:
    estimate, work = search_sentences("subset", SUBSET)
    assert estimate.startswith("Failure probability 0.00123 (95 % confidence interval 0.0008 to 0.002, coeff")
    assert "coefficient of variation 20.0%" in estimate
    assert estimate.endswith("a run is good where peak force < 120 N.")
    assert work.startswith("1,900 runs in 2 levels; plain Monte Carlo needs about 19,000 runs")
    assert work.endswith("10 times as many.")


def test_an_estimate_says_what_makes_it_imprecise_and_boasts_of_nothing() -> None:
    """A search that ended early gives a hint; one that was not better than Monte Carlo claims no gain."""
    worse = SUBSET | {"monte_carlo_runs": 1000.0, "reached": False, "coefficient_of_variation": None}
    estimate, work, hint = search_sentences("subset", worse | {"levels": LEVELS[:1]})
    assert "coefficient" not in estimate
    assert work == "1,900 runs in 1 level."
    assert hint.startswith("The last level has too few failures")
    unknown = search_sentences("subset", SUBSET | {"monte_carlo_runs": None})
    assert unknown[1] == "1,900 runs in 2 levels."


def test_a_boundary_states_its_uncertainty_and_the_errors_of_its_surrogate() -> None:
    boundary, errors, grid, hint = search_sentences("boundary", BOUNDARY)
    assert "1,500 runs leave 4.0% of the volume uncertain, not yet within the tolerance of 2.0%" in boundary
    assert boundary.endswith("75.0% of the volume succeeds.")
    assert "3 of 200 hold-out runs on the wrong side (95 % confidence interval 0.3% to 4.0%" in errors
    assert errors.endswith("it expects less than 0.1%.")
    assert "about 160,000 runs" in grid
    assert "'runs'" in hint
    reached = search_sentences("boundary", BOUNDARY | {"reached": True, "grid_runs": 0.0})
    assert len(reached) == 2
    assert ", within the tolerance" in reached[0]


@pytest.mark.parametrize("found", [None, {}, {"levels": []}, {"refinements": []}])
@pytest.mark.parametrize("method", ["subset", "boundary"])
def test_nothing_is_said_before_the_first_level(method: str, found: dict[str, Any] | None) -> None:
    assert search_sentences(method, found) == []
    assert search_table(method, found) is None


def test_levels_have_one_unit_and_no_acceptance_where_nothing_was_proposed() -> None:
    table = search_table("subset", SUBSET)
    assert table is not None
    assert table.header[1] == "margin at most [kN]"  # that of the largest, which is negative
    assert [list(row) for row in table.rows] == [
        ["0", "0.08", "0.1", "1,000", "", "0", ""],
        ["1", "-2", "0.0123", "900", "44.0%", "1.5", "12.0%"],
    ]
    in_si = search_table("subset", SUBSET, SI)
    assert in_si is not None
    assert (in_si.header[1], in_si.rows[1][1]) == ("margin at most [N]", "-2000")


def test_refinements_are_listed_with_their_shares_of_the_volume() -> None:
    table = search_table("boundary", BOUNDARY)
    assert table is not None
    assert [list(row) for row in table.rows] == [["1", "1,500", "4.0%", "1.0%", "1.5%", "75.0%"]]
    assert len(table.header) == len(table.rows[0])


def test_the_condition_of_a_good_run_is_on_the_right_side_of_its_limit() -> None:
    assert margin_text(MARGIN) == "peak force < 120 N"
    assert margin_text({"metric": "gap", "at_least": 2e-3, "unit": "m"}) == "gap > 2 mm"
    assert margin_text({"metric": "gap", "at_least": "needed_gap", "unit": "m"}) == "gap > needed gap"
    assert margin_text({"success": ["soft_docked", "latched"]}) == "outcome soft docked or latched"


@pytest.mark.parametrize(("turning", "unit"), [(False, "N/m"), (True, "N·m/rad")])
def test_springs_are_listed_in_the_units_of_their_motion(turning: bool, unit: str) -> None:
    rows = [
        {"share": 0.9, "energy": 0.02, "stiffness": 4e3, "excess": 0.5, "verified": True},
        {"share": 0.99, "energy": 0.5, "stiffness": 1e5, "excess": 0.0, "verified": False},
    ]
    table = spring_table(rows, turning)
    assert list(table.header[1:3]) == ["energy [mJ]", f"linear stiffness [{unit}]"]  # that of the largest
    assert [list(row) for row in table.rows] == [
        ["90%", "20", "4000", "50%", "verified"],
        ["99%", "500", "100000", "0%", "estimate"],
    ]
    assert spring_table([], turning).rows == []


def test_a_stop_rule_that_was_not_reached_says_what_is_missing() -> None:
    state = {"reached": False, "present_half_width": 0.031, "half_width": 0.02, "runs_needed": 2400}
    text = stop_rule_text(state, 1000)
    assert text.startswith(
        "The stop rule was not reached: after 1,000 runs the half-width of the interval is 3.1 %"
    )
    assert "2 % is demanded" in text
    assert "about 2,400 runs are needed" in text
    assert "not known" in stop_rule_text(state | {"runs_needed": None}, 1000)
    assert stop_rule_text(state | {"reached": True}, 1000) == ""


def test_further_runs_are_those_beyond_the_runs_done() -> None:
    """All undecided requirements share the runs, so that the one that needs most decides."""
    needs = {"runs_needed": 2400}
    assert remaining_runs_texts(needs, 1000, [50, 1200]) == [
        "The stop rule needs about 1,400 more at this success rate.",
        "About 1,200 more decide the undecided requirements.",
    ]
    assert remaining_runs_texts(needs, 2400, []) == []
    assert remaining_runs_texts(None, 0, []) == remaining_runs_texts({"runs_needed": None}, 0, []) == []


def test_the_remaining_time_follows_from_the_rate() -> None:
    assert progress_text(1000, 5000, 10.0) == "1,000 of 5,000 runs, 10 runs/s, about 6 min 40 s left"
    assert progress_text(0, 5000, 10.0) == "0 of 5,000 runs"
    assert progress_text(5, 5000, None) == progress_text(5, 5000, 0.0) == "5 of 5,000 runs"


def test_success_and_outcomes_are_counted_in_words() -> None:
    assert success_text(0.9, 0.85, 0.94).startswith(
        "Success rate 90.0%, 95 % confidence interval 85.0% to 94.0%"
    )
    assert outcome_counts({"soft_docked": 1234, "missed": 1}) == ["soft docked 1,234", "missed 1"]
