"""Requirement matrices: limits, factors and verdicts in words."""

from typing import Any, cast

import pytest

from softdock.model.contact_conditions import CONDITION_UNITS
from softdock.model.requirements import Requirement
from softdock.presentation.discrepancies import discrepancies_html, discrepancy_status
from softdock.presentation.phases import PhasePeak, phase_bars_html, phase_share_table, phase_table
from softdock.presentation.requirements import (
    NO_VALUE,
    campaign_requirement_table,
    demand_text,
    format_margin,
    limit_text,
    overall_verdict,
    requirement_table,
    requirement_text,
)
from softdock.presentation.status import Status
from softdock.presentation.unit_systems import SI
from softdock.result import RequirementVerdict, Result, RunPhase
from softdock.result.digest import NO_DIGEST
from softdock.result.requirements import CampaignVerdict


def verdict(text: str, **fields: Any) -> CampaignVerdict:
    found: dict[str, Any] = {
        "id": "R1", "value": 0.5, "limit": 0.9, "margin": None, "verdict": text, "fraction": 0.5, "interval": None,
        "bound": None, "additional_runs": None, "runs": 1000, "complying": 500, "undecided_runs": 0,
        "probability": None, "confidence": 0.95, "lower": None, "upper": None,
    }  # fmt: skip
    return CampaignVerdict(**(found | fields))


@pytest.mark.parametrize(
    ("fields", "text", "limit"),
    [
        ({"metric": "peak_force", "at_most": "3 kN"}, "peak force", "at most 3 kN"),
        ({"metric": "peak_force", "at_least": "3 kN"}, "peak force", "at least 3 kN"),
        ({"metric": "peak_force", "within": ("-2 N", "3 kN")}, "peak force", "-2 N to 3 kN"),
        ({"metric": "peak_force", "at_most": "0 N"}, "peak force", "at most 0 N"),
        ({"outcome": ("soft_docked", "latched")}, "outcome", "soft docked or latched"),
        ({"outcome": ("latched",), "text": " Docked  \n at all. "}, "Docked at all.", "latched"),
    ],
)
def test_a_limit_is_written_with_its_direction_and_unit(
    fields: dict[str, Any], text: str, limit: str
) -> None:
    requirement = Requirement(**fields)
    assert requirement_text(requirement) == text
    assert limit_text(requirement, "N") == limit


@pytest.mark.parametrize(
    ("verdicts", "text", "status"),
    [
        ([], "The campaign states no requirements.", Status.NEUTRAL),
        (["met", "met"], "All 2 requirements are met.", Status.GOOD),
        (["met", "undecided"], "Of 2 requirements, 1 undecided, 1 met.", Status.DOUBTFUL),
        (
            ["met", "undecided", "violated"],
            "Of 3 requirements, 1 violated, 1 undecided, 1 met.",
            Status.FAILED,
        ),
    ],
)
def test_the_worst_verdict_is_that_of_all(verdicts: list[str], text: str, status: Status) -> None:
    assert overall_verdict([verdict(one) for one in verdicts], "campaign") == (text, status)


def test_a_campaign_must_show_a_probability_or_that_all_runs_comply() -> None:
    assert demand_text(verdict("met")) == "all runs"
    assert demand_text(verdict("met", probability=0.9987, confidence=0.9)) == "99.87% / 90%"
    assert [format_margin(margin) for margin in (None, 0.5, -0.25, 1e4)] == [
        "-",
        "+0.50",
        "-0.25",
        "+1.0e+04",
    ]


def test_a_row_of_a_campaign_has_bound_interval_and_further_runs_where_they_exist() -> None:
    definition = {
        "requirements": {
            "R1": {"metric": "load", "at_most": "300 N", "factor": 1.5, "source": "Spec 3.1"},
            "R2": {"outcome": ["latched"]},
        },
        "metrics": {"load": "max latch.force"},
    }
    known = verdict(
        "undecided", bound=180.0, margin=0.11, interval=(0.47, 0.53), undecided_runs=1200, additional_runs=3400,
        probability=0.99,
    )  # fmt: skip
    table = campaign_requirement_table([known, verdict("met", id="R2")], definition, {"load": "N"}, SI)
    assert [list(row) for row in table.rows] == [
        [
            "R1", "load", "at most 300 N", "1.5", "180 N", "+0.11", "500 of 1,000 (1,200 undecided)",
            "47.0% to 53.0%", "99% / 95%", "undecided", "3,400", "Spec 3.1",
        ],
        ["R2", "outcome", "latched", "-", "-", "-", "500 of 1,000", "-", "all runs", "met", "", ""],
    ]  # fmt: skip
    assert table.statuses == [Status.DOUBTFUL, Status.GOOD]
    assert len(table.header) == len(table.rows[0])
    assert all("number" not in table.to_html().split("<td")[1 + column] for column in (0, 1, 2, 8, 9, 11))


def test_a_result_without_digest_is_doubtful_and_one_that_differs_has_failed() -> None:
    assert discrepancy_status(f"The result has {NO_DIGEST}.") is Status.DOUBTFUL
    assert discrepancy_status("peak_force differs.") is Status.FAILED
    assert discrepancies_html([]) == ""
    shown = discrepancies_html(["<b> differs."])
    assert 'class="status failed"' in shown
    assert "Not verified: &lt;b&gt; differs." in shown


class Run:
    """What the matrix of a run needs of a result."""

    def __init__(self, requirements: dict[str, Any], value: float | None, valid: str = "yes") -> None:
        self.definition = {"requirements": requirements}
        self.units: dict[str, str] = {}
        self.valid = valid
        self.contact_conditions = dict.fromkeys(CONDITION_UNITS, 0.0) | {"axial_speed": 0.04, "offset": 0.02}
        self.requirements = [
            RequirementVerdict(id=key, value=value, limit=None, margin=None, verdict="met")
            for key in requirements
        ]


@pytest.mark.parametrize(
    ("axial_speed", "cells"),
    [
        ("30 mm/s", ["axial speed 40 mm/s", "at most 30 mm/s (own limits)"]),
        (["50 mm/s", "90 mm/s"], ["axial speed 40 mm/s", "at least 50 mm/s (own limits)"]),
    ],
)
def test_the_worst_condition_of_a_contact_is_shown_with_its_own_limit(
    axial_speed: Any, cells: list[str]
) -> None:
    limits = {"conditions": {"axial_speed": axial_speed, "offset": "100 mm"}}
    table = requirement_table(cast(Result, Run({"R1": limits}, 1.0)))
    assert list(table.rows[0][2:4]) == cells
    words = {"requirement", "text", "limit", "verdict", "source"}
    assert {table.header[column] for column in table.left} == words


@pytest.mark.parametrize(("valid", "text"), [("yes", NO_VALUE), ("warned", NO_VALUE), ("no", "not valid")])
def test_a_requirement_without_a_value_says_why(valid: str, text: str) -> None:
    for limits in ({"conditions": {"offset": "100 mm"}}, {"metric": "load", "at_most": 3.0}):
        table = requirement_table(cast(Result, Run({"R1": limits}, None, valid)))
        assert table.rows[0][2] == text


def phase(name: str, start: float, end: float, ended: str = "condition") -> RunPhase:
    return RunPhase(name=name, start=start, end=end, ended=ended)  # type: ignore[arg-type]


def test_phases_have_durations_and_the_status_of_their_end() -> None:
    phases = [phase("one", 1.0, 3.5), phase("two", 3.5, 4.0, "timeout"), phase("three", 4.0, 4.0, "run_end")]
    table = phase_table(phases, [PhasePeak(), PhasePeak(force=2e3, force_name="latch"), PhasePeak()])
    assert [list(row) for row in table.rows] == [
        ["one", "1.0000 s", "2.5000 s", "condition", "-"],
        ["two", "3.5000 s", "0.5000 s", "time limit", "2 kN in latch"],
        ["three", "4.0000 s", "0.0000 s", "end of the run", "-"],
    ]
    assert table.statuses == [Status.GOOD, Status.FAILED, Status.NEUTRAL]


def test_bars_stay_on_the_axis_and_name_their_times() -> None:
    """Also that of a phase without duration at the end, and all bars of a run without duration."""
    bars = phase_bars_html([phase("one", 1.0, 3.0), phase("two", 3.0, 3.0)], (1.0, 3.0))
    assert "left: 0.00%; width: 100.00%" in bars
    assert "left: 99.60%; width: 0.40%" in bars
    assert 'title="1.0000 s to 3.0000 s"' in bars
    assert "<span>1 s</span><span>3 s</span>" in bars
    assert "2.0000 s, condition" in bars
    assert "left: 0.00%; width: 0.40%" in phase_bars_html([phase("one", 2.0, 2.0)], (2.0, 2.0))


def test_phases_of_a_campaign_are_shares_of_its_runs() -> None:
    one = {
        "name": "seat",
        "reached": 1500,
        "runs": 2000,
        "share": 0.75,
        "low": 0.7,
        "high": 0.8,
        "ended": 1400,
    }
    table = phase_share_table([one, one | {"share": None}])
    assert list(table.rows[0]) == ["seat", "1,500 of 2,000", "75.0%", "70.0% to 80.0%", "1,400"]
    assert table.rows[1][2] == "-"
