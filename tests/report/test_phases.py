"""Phases in summary, report and studio: tables with peak loads of each phase, bars over time."""

import re

import pytest

from softdock import simulate
from softdock.presentation.numbers import format_with_error
from softdock.presentation.phases import phase_bars_html, phase_table
from softdock.report.reaction_channels import phase_peaks
from softdock.report.run import run_report
from softdock.result import Result, RunPhase
from softdock.scenario.multibody import MultibodyScenario
from softdock.studio.pages import run_summary
from softdock.studio.run_data import summarise_result

STIFFNESS = 50.0


@pytest.fixture(scope="module")
def result() -> Result:
    """A mass moves into a spring: the force at the end of each phase is that of the position there."""
    return simulate(
        MultibodyScenario.model_validate(
            {
                "bodies": {"mass": {"mass": 100.0, "joint": {"type": "prismatic", "axis": "x", "speed": 0.5}}},
                "springs": {"spring": {"joint": "mass", "stiffness": STIFFNESS}},
                "duration": 3.0,
                "phases": [
                    {"name": "first", "until": "mass.x > 0.1 m"},
                    {"name": "second", "until": "mass.x > 0.4 m"},
                    {"name": "empty", "until": "mass.x > 0.3 m"},
                    {
                        "name": "third", "do": [{"disable": "spring"}], "until": "mass.x > 9 m",
                        "within": 0.5, "otherwise": "late",
                    },
                ],
            }
        )
    )  # fmt: skip


def test_peak_loads_belong_to_their_phases(result: Result) -> None:
    peaks = phase_peaks(result)
    assert [peak.force for peak in peaks] == pytest.approx(
        [0.1 * STIFFNESS, 0.4 * STIFFNESS, 0.0, 0.0], rel=1e-9
    )
    assert peaks[1].force_name == "spring"
    table = phase_table(result.phases, peaks)
    assert [row[0] for row in table.rows] == ["first", "second", "empty", "third"]
    assert [row[3] for row in table.rows] == ["condition"] * 3 + ["time limit"]
    (spring,) = (load for load in result.loads if load.name == "spring")
    assert peaks[1].force_error == spring.force_error
    shown = f"{format_with_error(spring.peak_force, spring.force_error, 'N')} in spring"
    assert table.rows[1][4] == shown
    assert re.fullmatch(r"20\.0+ N ± 0\.0\d+ N in spring", shown)
    assert shown in result.summary()


def test_bars_are_in_proportion_and_escape_names() -> None:
    phases = (
        RunPhase(name="one", start=0.0, end=1.0, ended="condition"),
        RunPhase(name="<b>", start=1.0, end=1.0, ended="condition"),
        RunPhase(name="two", start=1.0, end=4.0, ended="run_end"),
    )
    bars = phase_bars_html(phases, (0.0, 4.0))
    places = re.findall(r"left: ([\d.]+)%; width: ([\d.]+)%", bars)
    assert [(float(left), float(width)) for left, width in places] == [(0, 25), (25, 0.4), (25, 75)]
    assert "<b>" not in bars
    assert phase_bars_html((), (0.0, 1.0)) == ""


def test_report_and_studio_show_the_same_bars(result: Result) -> None:
    bars = phase_bars_html(result.phases, (0.0, result.phases[-1].end))
    report = run_report(result)
    assert bars in report
    assert "The phase third begins." in report
    summary = summarise_result(result)
    assert run_summary.phase_bars(summary) == bars
    assert re.search(r"20\.0+ N ± 0\.0\d+ N in spring", run_summary.phases_html(summary, "SI"))
