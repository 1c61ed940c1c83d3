"""Report of one run: one page, events in order, numbers of the run and escaping of text."""

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

from softdock.replay import scene
from softdock.report.numbers import number, with_unit
from softdock.report.run import moments, run_report, write_run_report
from softdock.result import Event, Result
from softdock.scenario import from_data

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


def test_story_is_in_time_order_and_complete() -> None:
    result = runs.nominal()
    story = moments(result, scene(result))
    times = [moment.time for moment in story]
    assert times == sorted(times)
    texts = [moment.text for moment in story]
    assert "30 mm/s" in texts[0]
    assert "10 mm beside the axis" in texts[0]
    assert [e.message for e in result.events] == [t for t in texts if t in {e.message for e in result.events}]
    hardest = next(moment for moment in story if "bumper-drogue pushes hardest" in moment.text)
    force = result.history["bumper-drogue.force"]
    assert with_unit(float(force.max()), "N") in hardest.details
    assert hardest.time == result.history.time[np.argmax(force)]


def test_numbers_audit_and_scenario_are_those_of_the_run() -> None:
    result = runs.run("impact-a")
    page = html.unescape(run_report(result))
    assert result.prediction is not None
    for values in (result.metrics, result.prediction):
        assert f"<td>{with_unit(values['impulse'], 'N*s')}</td>" in page
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
        events=(Event(time=0.5, name="x", message=NASTY),),
    )
    page = run_report(nasty)
    assert "<img" not in page
    assert html.escape(NASTY) in page


def test_thousands_of_events_are_limited() -> None:
    result = runs.spinning()
    events = tuple(Event(time=k * 1e-4, name="tick") for k in range(5000))
    story = moments(replace(result, events=events), scene(result))
    assert len(story) <= 61
    assert any("more things happened" in moment.text for moment in story)


def test_run_without_motion_still_has_a_report(tmp_path: Path) -> None:
    result: Result = runs.run("impact-a")
    short = replace(result, history=replace(result.history, time=result.history.time[:1], channels={}))
    write_run_report(short, tmp_path / "deep" / "r.html")
    assert result.message in html.unescape((tmp_path / "deep" / "r.html").read_text())


def test_report_looks_right(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(run_report(runs.nominal()))
    tab.page.goto(path.as_uri())
    assert tab.page.locator("svg.section").count() == 6
    assert tab.page.locator("svg.chart").count() == 3
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    tab.picture("run-report")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0123456, "m", "12.35 mm"),
        (1.5, "m", "1.5 m"),
        (2e-7, "m", "0.2 µm"),
        (-3e4, "N", "-30 kN"),
        (0.0, "N", "0 N"),
        (np.pi, "rad", "180 deg"),
        (2.0, "kg", "2 kg"),
        (0.25, "1", "0.25"),
    ],
)
def test_values_are_written_in_a_unit_that_suits_them(value: float, unit: str, text: str) -> None:
    assert with_unit(value, unit) == text
    assert number(float("nan")) == "-"
