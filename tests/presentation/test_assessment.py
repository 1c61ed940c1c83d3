"""Thresholds and statuses; terminal, report and studio show the same for the same result."""

import html
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from softdock.cli import console
from softdock.presentation.assessment import (
    CONSERVATION_TEXTS,
    campaign_status,
    conservation_status,
    error_status,
    named_outcomes,
    outcome_status,
    validity_status,
)
from softdock.presentation.colours import (
    FAILURES,
    SERIES,
    SERIES_DARK,
    STATUS_COLOURS,
    TERMINAL_STYLES,
    css_variables,
    outcome_colours,
)
from softdock.presentation.status import Status
from softdock.report.run import run_report
from softdock.result import CONSERVATION_LIMIT, DOUBTFUL_LIMIT, Audit, Result
from softdock.scenario.loading import load
from softdock.simulation import simulate
from softdock.studio.run_data import summarise_result

CONSERVATION_PAGE = Path(__file__).parents[2] / "docs" / "theory" / "conservation.md"
ESCAPES = {
    Status.GOOD: "\x1b[32m",
    Status.DOUBTFUL: "\x1b[33m",
    Status.FAILED: "\x1b[1;31m",
    Status.NEUTRAL: "",
}
"""Escape sequences of a terminal: green, yellow, bold red, none."""
MARKED = re.compile(r'<span class="status (\w+)"[^>]*></span>(?:<span>|<b>)?([^<]*)<')


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(load("latch-fast"))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, Status.NEUTRAL),
        (0.0, Status.GOOD),
        (5e-4, Status.GOOD),
        (DOUBTFUL_LIMIT, Status.GOOD),
        (1.1 * DOUBTFUL_LIMIT, Status.DOUBTFUL),
        (CONSERVATION_LIMIT, Status.DOUBTFUL),
        (1.1 * CONSERVATION_LIMIT, Status.FAILED),
        (float("inf"), Status.FAILED),
        (float("nan"), Status.FAILED),
    ],
)
def test_the_status_of_an_error_agrees_with_the_conservation_check(
    error: float | None, status: Status
) -> None:
    audit = Audit(linear_momentum_drift=None, angular_momentum_drift=None, energy_residual=error)
    assert error_status(error) == conservation_status(audit) == status
    assert audit.passed == {Status.FAILED: False, Status.NEUTRAL: None}.get(status, True)


def test_the_largest_error_decides() -> None:
    audit = Audit(linear_momentum_drift=1e-16, angular_momentum_drift=2e-3, energy_residual=None)
    assert conservation_status(audit) is Status.DOUBTFUL


def test_runs_with_right_answers_on_the_theory_page_are_good() -> None:
    rows = re.findall(r"^\|.*\| right \|.*\| passes \|$", CONSERVATION_PAGE.read_text(encoding="utf-8"), re.M)
    errors = [float(cell) for row in rows for cell in row.split("|")[4:6] if cell.strip() != "-"]
    assert len(errors) > 30
    assert 0.5 * DOUBTFUL_LIMIT < max(errors) <= DOUBTFUL_LIMIT


@pytest.mark.parametrize("residual", [None, 1e-15, 5e-4, 2e-3, 0.5])
@pytest.mark.parametrize("valid", ["yes", "warned", "no"])
def test_terminal_report_and_studio_show_the_same(
    result: Result, residual: float | None, valid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words, numbers and status of outcome, validity and conservation check, and the table of metrics."""
    run_summary = pytest.importorskip("softdock.studio.pages.run_summary", reason="the studio needs nicegui")
    audit = Audit(linear_momentum_drift=None, angular_momentum_drift=None, energy_residual=residual)
    changed = replace(
        result, audit=audit, valid=valid, warnings=() if valid == "yes" else ("The wall is thin.",)
    )
    verdicts = {
        "latched": Status.GOOD,
        f"Valid: {valid}": validity_status(valid),
        CONSERVATION_TEXTS[error_status(residual)]: error_status(residual),
    }
    error = "does not apply" if residual is None else f"{residual:.1e}"

    report = html.unescape(run_report(changed))
    summary = summarise_result(changed)
    studio = html.unescape(
        run_summary.verdict_html(summary)
        + run_summary.metrics_html(summary)
        + run_summary.conservation_html(summary)
    )
    for page in (report, studio):
        marked = {text.strip(): Status(status) for status, text in MARKED.findall(page)}
        assert {text: marked[text] for text in verdicts} == verdicts
        assert marked["energy"] == error_status(residual)
        assert f'</span>energy</td><td class="number">{error}</td>' in page

    lines = terminal_lines(changed, monkeypatch)
    for text, status in verdicts.items():
        line = next(line for line in lines if text in line)
        assert line.startswith(ESCAPES[status] or text)
    plain = changed.summary()
    assert residual is None or f"energy {error}" in plain
    assert table_cells(studio) == table_cells(report)
    for cells in table_cells(report):
        assert " ".join(filter(None, cells)) in " ".join(plain.split())


def terminal_lines(result: Result, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what a terminal with colours receives."""
    stream = io.StringIO()
    terminal = Console(
        file=stream, force_terminal=True, color_system="standard", highlight=False, markup=False
    )
    monkeypatch.setattr(console, "stdout_console", lambda: terminal)
    console.print_result(result)
    return stream.getvalue().splitlines()


def table_cells(page: str) -> list[list[str]]:
    """Return the rows of the table of metrics."""
    table = re.search(r"<table[^>]*><thead><tr><th></th><th[^>]*>simulated.*?</table>", page)
    assert table is not None
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table[0].split("<tr>")[2:]]


def test_the_status_of_an_outcome() -> None:
    named = ["slid", "held", "missed"]
    assert outcome_status("separated", True, success=["latched"]) is Status.FAILED
    assert outcome_status("separated", True) is Status.NEUTRAL
    assert (
        outcome_status("latched", True, success=["latched"]) is outcome_status("seated", True) is Status.GOOD
    )
    assert outcome_status("latched", False, success=["latched"]) is Status.FAILED
    assert outcome_status("slid", True, named) is Status.GOOD
    assert outcome_status("held", True, named) is Status.NEUTRAL
    assert outcome_status("slid", True, named, ["held"]) is Status.FAILED


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ([{"name": "held", "message": "Held."}, {"name": "missed"}], ["held", "missed"]),
        ([{"message": "no name"}, "text", 3, None, {"name": "held"}], ["held"]),
        ({"name": "held"}, []),
        (None, []),
    ],
)
def test_outcomes_are_read_from_damaged_scenarios_too(listed: object, names: list[str]) -> None:
    """Reports are drawn for stored results of other versions, and for files that were edited."""
    assert named_outcomes({"outcomes": listed}) == names
    assert named_outcomes({}) == []


@pytest.mark.parametrize("name", ["latch-fast", "power-tower-x"])
def test_outcomes_of_scenarios_that_name_none_are_good_if_the_docking_succeeds(name: str) -> None:
    scenario = load(name)
    assert named_outcomes(scenario.model_dump(mode="json")) == []
    assert outcome_status(simulate(scenario).outcome, True) is Status.GOOD


def test_the_status_of_a_campaign() -> None:
    assert campaign_status(True, False, False) is Status.FAILED
    assert campaign_status(False, True, False) is Status.NEUTRAL
    assert campaign_status(False, False, True) is Status.GOOD
    assert campaign_status(False, False, False) is Status.DOUBTFUL


def test_every_status_has_a_colour_on_light_and_dark() -> None:
    assert set(STATUS_COLOURS) == set(TERMINAL_STYLES) == set(Status)
    for dark in (False, True):
        assert all(
            f"--{status.value}: {pair[dark]}" in css_variables(dark)
            for status, pair in STATUS_COLOURS.items()
        )


def test_curves_have_a_colour_for_each_background() -> None:
    for dark, series in ((False, SERIES), (True, SERIES_DARK)):
        assert [f"--c{i}: {colour}" in css_variables(dark) for i, colour in enumerate(series)] == [True] * 6


def test_successes_have_one_colour_and_failures_one_each() -> None:
    colours = outcome_colours(["captured", "bounced", "latched", "missed"], ["captured", "latched"])
    assert colours["captured"] == colours["latched"] == STATUS_COLOURS[Status.GOOD][0]
    assert (colours["bounced"], colours["missed"]) == FAILURES[:2]
    assert len(set(outcome_colours(["a", "b", "c"], []).values())) == 3
