"""The report of one run: one page, a timeline in order, metrics of the run, escaped text."""

import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.browser import Tab
from tests.replay import runs
from tests.replay.test_page import NASTY

from softdock.presentation.numbers import (
    display_unit,
    format_number,
    format_number_with_error,
    format_with_error,
)
from softdock.presentation.unit_systems import IMPERIAL
from softdock.replay.scene_builder import scene
from softdock.report.limits import limit_lines
from softdock.report.panels import motion_panels, reaction_panels
from softdock.report.run import ReportOptions, run_report, write_run_report
from softdock.report.timeline import NEGLIGIBLE, build_timeline
from softdock.result import Result, RunEvent
from softdock.scenario.loading import from_data

VOID = {"meta", "path", "polyline", "link", "br", "img"}


class Balanced(HTMLParser):
    """Fails where an element is closed that is not the innermost open one."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID or tag == "path":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("result", [runs.nominal, runs.spinning, lambda: runs.run("latch-multibody")])
def test_report_is_one_well_formed_page(result: object) -> None:
    page = run_report(result())  # type: ignore[operator]
    parser = Balanced()
    parser.feed(page)
    assert parser.open == []
    assert not re.search(r"(?:src|href)=", page)
    assert "<script" not in page
    assert len(page) < 300_000


def test_timeline_is_in_order_and_complete() -> None:
    result = runs.nominal()
    timeline = build_timeline(result, scene(result))
    times = [entry.time for entry in timeline]
    assert times == sorted(times)
    texts = [entry.text for entry in timeline]
    assert "30 mm/s" in texts[0]
    assert "10 mm off the axis" in texts[0]
    assert [e.message for e in result.events] == [t for t in texts if t in {e.message for e in result.events}]
    peak = next(entry for entry in timeline if "Peak contact force of bumper-drogue" in entry.text)
    force = result.history["bumper-drogue.force"]
    load = next(load for load in result.loads if load.name == "bumper-drogue")
    assert load.peak_force == force.max()
    assert peak.details == f"force {format_with_error(load.peak_force, load.force_error, 'N')}"
    assert peak.time == result.history.time[np.argmax(force)]


def test_metrics_conservation_check_and_scenario_are_those_of_the_run() -> None:
    result = runs.run("impact-a")
    page = html.unescape(run_report(result))
    assert result.prediction is not None
    for values in (result.metrics, result.prediction):
        factor = display_unit("N*s", result.metrics["impulse"]).factor
        assert f'<td class="number">{format_number(factor * values["impulse"])}</td>' in page
    assert f"{result.audit.energy_residual:.1e}" in page
    text = re.search(r"<pre>(.*?)</pre>", page, re.DOTALL)
    assert text
    from ruamel.yaml import YAML

    again = from_data(YAML(typ="safe").load(text[1]))
    assert again.to_data() == result.definition


def test_text_is_escaped() -> None:
    result = runs.spinning()
    definition = {**result.definition, "title": NASTY, "description": NASTY}
    nasty = replace(
        result,
        message=NASTY,
        scenario=NASTY,
        definition=definition,
        events=(RunEvent(time=0.5, name="x", message=NASTY),),
    )
    page = run_report(nasty)
    assert "<img" not in page
    assert html.escape(NASTY) in page


def test_the_timeline_shows_recorded_values_at_events() -> None:
    """The curves of the replay are simplified and differ from the history between their points."""
    result = runs.nominal()
    shown = [names[0] for names in scene(result).charts]
    entries = [entry for entry in build_timeline(result, scene(result)) if entry.is_event]
    assert entries
    for entry in entries:
        row = np.searchsorted(result.history.time, entry.time, side="right") - 1
        assert result.history.time[row] == entry.time
        for name, text in zip(shown, entry.details.split("; "), strict=True):
            values, unit = result.history[name], result.history.channels[name].unit
            size = float(np.abs(values).max())
            unit, factor = display_unit(unit, size)
            value = values[row] if abs(values[row]) > NEGLIGIBLE * size else 0.0
            assert text == f"{name} {format_number(factor * value)} {unit}"


def test_a_timeline_with_thousands_of_events_is_shortened() -> None:
    result = runs.spinning()
    events = tuple(RunEvent(time=k * 1e-4, name="tick") for k in range(5000))
    timeline = build_timeline(replace(result, events=events), scene(result))
    assert len(timeline) <= 61
    assert any("earlier entries are not listed" in entry.text for entry in timeline)


def test_run_without_motion_still_has_a_report(tmp_path: Path) -> None:
    result: Result = runs.run("impact-a")
    short = replace(result, history=replace(result.history, time=result.history.time[:1], channels={}))
    write_run_report(short, tmp_path / "deep" / "r.html")
    assert result.message in html.unescape((tmp_path / "deep" / "r.html").read_text())


def test_the_report_has_all_charts_and_fits_narrow_and_wide_screens(tab: Tab, tmp_path: Path) -> None:
    path, result = tmp_path / "report.html", runs.nominal()
    path.write_text(run_report(result))
    tab.page.goto(path.as_uri())
    assert tab.page.locator("svg.section").count() == 6
    panels = [*reaction_panels(result)[0], *motion_panels(result)]
    drawn = {name for panel in panels for name in panel.curves}
    limited = {line.channel for line in limit_lines(result)} - drawn
    assert tab.page.locator("svg.chart").count() == len(panels) + len(limited)
    tab.save_screenshot("run-report")
    for width in (1280, 390):
        tab.page.set_viewport_size({"width": width, "height": 900})
        assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        heights = tab.page.evaluate(
            "[...document.querySelectorAll('svg.chart text')].map(e => e.getBoundingClientRect().height)"
        )
        assert min(heights) >= 11.0  # px of a line of text, whose letters are a third smaller


def test_headline_table_timeline_and_charts_show_the_same_peaks() -> None:
    result = runs.nominal()
    page = html.unescape(run_report(result))
    largest = max(result.loads, key=lambda load: load.peak_force or 0.0)
    shown = format_with_error(largest.peak_force, largest.force_error, "N")
    assert f"Largest force {shown} in {largest.kind} {largest.name}" in page
    timeline = build_timeline(result, scene(result))
    for load in result.loads:
        if load.peak_force:
            text = format_number_with_error(load.peak_force, load.force_error)
            assert re.search(
                rf"<td>{load.name}</td><td>{load.kind}</td><td class=\"number\">{text}</td>", page
            )
            peak = format_with_error(load.peak_force, load.force_error, "N")
            assert f"{load.name} <span class='soft'>peak {peak}</span>" in page
        if load.kind == "contact" and load.peak_force:
            entry = next(entry for entry in timeline if entry.text == f"Peak contact force of {load.name}.")
            assert (entry.time, entry.details) == (load.t_peak_force, f"force {peak}")


def test_values_of_a_report_have_the_chosen_units() -> None:
    result = runs.nominal()
    page = run_report(result, ReportOptions(system=IMPERIAL, author="A. Engineer"))
    visible = re.sub(r"<style>.*?</style>|<[^>]*>", " ", page.partition("<h2>Inputs</h2>")[0])
    assert "peak force [lbf]" in visible
    assert "Tip in the port [in]" in visible
    values = visible.partition("Requirements")[2].partition("Theory of")[0]
    assert not re.search(r"\d (?:mm|N|kN|m/s)\b", values)
    assert "A. Engineer" in page
