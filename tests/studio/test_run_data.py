"""Data of run and campaign pages: requirements, loads and limits in all unit systems, success rate, remaining runs."""

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest

from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.presentation.requirements import requirement_table
from softdock.presentation.unit_systems import SYSTEMS
from softdock.result import Result
from softdock.scenario.loading import read_scenario_text
from softdock.simulation import simulate
from softdock.studio.campaign_data import summarise_folder
from softdock.studio.pages import campaign_summary, charts, run_summary
from softdock.studio.run_data import summarise_result

SCENARIO = """softdock: 1
base: latch-slow
speed: 0.09 m/s
units: mm/deg
requirements:
  R-1: {text: Latched, outcome: [latched]}
  R-2: {text: <img src=x>, metric: peak_contact_force, at_most: 1 N, factor: 1.25, source: "<b>"}
"""
CAMPAIGN = """softdock: 1
kind: campaign
scenario: required.yaml
runs: 40
seed: 3
dispersions: {speed: {uniform: [0.02 m/s, 0.16 m/s]}}
success: [latched]
"""


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(read_scenario_text(SCENARIO, "required", Path()))


@pytest.mark.parametrize("units", list(SYSTEMS))
def test_tiles_show_the_requirement_matrix_in_every_unit_system(result: Result, units: str) -> None:
    tiles = run_summary.requirement_tiles_html(summarise_result(result), units)
    table = requirement_table(result, SYSTEMS[units])
    assert "<img" not in tiles
    assert 'title="<b>"' not in tiles
    for tile, row in zip(tiles.split("<li ")[1:], table.rows, strict=True):
        words = html.unescape(re.sub("<[^>]*>", " ", tile))
        assert all(words.find(row[i]) >= 0 for i in (0, 1, 2, 3, 6))
    assert tiles.count("status good") == tiles.count("status failed") == 1
    assert f"margin {table.rows[1][5]}" in tiles


def test_the_unit_system_of_the_file_is_used_everywhere(result: Result) -> None:
    summary = summarise_result(result)
    assert summary["unit_system"] == "mm/deg"
    assert "[N]" in run_summary.reactions_html(summary, "mm/deg")
    assert "[lbf]" in run_summary.reactions_html(summary, "imperial")
    assert "lbf" in run_summary.headline_html(summary, "imperial")
    assert "<td>mm/s</td>" in run_summary.metrics_html(summary)
    assert "<td>in/s</td>" in run_summary.metrics_html(summary, units="imperial")


def test_limits_are_lines_of_the_charts_that_draw_their_channel(result: Result) -> None:
    limits = summarise_result(result)["displays"]["imperial"]["limits"]
    force = {"contact.force": {"unit": "N", "points": [[0.0, 0.0], [0.3, 2.0]]}}
    drawn = charts.to_echarts(charts.over_time(force, {}, [], limits, SYSTEMS["imperial"]))["series"]
    assert len(drawn) == 2
    assert [point[0] for point in drawn[1]["data"]] == [0.0, 0.3]
    assert drawn[1]["data"][0][1] == pytest.approx(0.8 / 4.4482216152605)  # 1 N / 1.25 in lbf
    other = {"other.force": force["contact.force"]}
    assert not charts.over_time(other, {}, [], limits, SYSTEMS["SI"]).limits
    small = {"contact.force": {"unit": "N", "points": [[0.0, 0.0], [0.3, 0.1]]}}
    far = charts.over_time(small, {}, [], limits, SYSTEMS["SI"])
    assert not far.limits
    assert far.note.endswith("(far outside the chart)")


@pytest.mark.parametrize("damage", ["nothing", {"R-2": {"metric": "peak_contact_force", "at_most": "3 kg"}}])
def test_damaged_requirements_are_named_and_the_run_is_shown(result: Result, damage: object) -> None:
    summary = summarise_result(replace(result, definition={**result.definition, "requirements": damage}))
    assert 'class="problem"' in run_summary.requirement_tiles_html(summary, "SI")
    assert summary["displays"]["SI"]["limits"] == []
    assert "<table" in run_summary.reactions_html(summary, "SI")


def test_a_campaign_shows_rate_interval_remaining_runs_and_requirements(tmp_path: Path) -> None:
    (tmp_path / "required.yaml").write_text(SCENARIO)
    (tmp_path / "many.yaml").write_text(CAMPAIGN)
    folder = tmp_path / "done"
    runner.run(read_campaign(tmp_path / "many.yaml"), folder)
    summary = summarise_folder(folder)
    latched = round(summary["success"]["share"] * 40)
    assert (summary["done"], summary["remaining"], summary["total"]) == (40, 0, 40)
    assert 0 < latched < 40
    assert summary["success"]["low"] < latched / 40 < summary["success"]["high"]
    assert summary["verdict"]["status"] == "failed"
    page = campaign_summary.figures_html(summary, ["latched"], "SI")
    assert f"<strong>{latched / 0.4:.1f}%</strong>" in page
    assert "95 % confidence interval" in page
    matrix = campaign_summary.matrix_html(summary, "imperial")
    assert "lbf" in matrix
    assert "<img" not in matrix
