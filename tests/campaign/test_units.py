"""Units of the columns of a run table: in the store, the report, the export and the studio."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from tests.campaign.conftest import Write

from softdock.campaign import runner
from softdock.campaign.export import export
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.summary import summarise
from softdock.campaign.table import CampaignTable, read_table
from softdock.campaign.workers import Backend
from softdock.presentation.unit_systems import SI
from softdock.report.campaign import write_report
from softdock.report.campaign_figures import opening_time_figures
from softdock.scenario.field_units import unit_at
from softdock.scenario.loading import load, read_scenario_text
from softdock.studio.columns import Columns


@pytest.fixture
def folder(write: Write, tmp_path: Path) -> Path:
    path = write("success: [separated]", runs="6")
    path.write_text(path.read_text().replace("  speed:", "  stop.impacts: {choice: [1, 2]}\n  speed:"))
    runner.run(read_campaign(path), tmp_path / "out", ExecutionOptions(Backend.THREADS, 2))
    return tmp_path / "out"


def test_inputs_metrics_and_predictions_have_units(folder: Path) -> None:
    table = read_table(folder)
    assert table.label("chaser.masses.0") == "chaser.masses.0 [kg]"
    assert table.label("speed") == "speed [m/s]"
    assert table.label("stop.impacts") == "stop.impacts"
    assert table.label("impulse") == "impulse [N*s]"
    assert table.label("effective_mass_ratio") == "effective_mass_ratio"
    units = summarise(table).to_json()["units"]
    assert units["speed"] == "m/s"
    assert units["peak_contact_force"] == "N"
    assert "stop.impacts" not in units


def test_the_report_shows_units(folder: Path, tmp_path: Path) -> None:
    path, _ = write_report(folder, tmp_path / "report.html", lambda what, fraction: None)
    page = path.read_text(encoding="utf-8")
    assert "<td>peak contact force [N]</td>" in page
    assert "SI units" not in page.partition("Annex")[0]


def test_the_export_has_the_units_of_its_columns(folder: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    schema = pq.read_schema(export(folder))
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in schema}
    assert schema.names[0] == "run"
    assert units["input.speed"] == "m/s"
    assert units["impulse"] == units["predicted.impulse"] == "N*s"
    assert units["run"] == units["outcome"] == units["input.stop.impacts"] == ""


def test_labels_of_the_studio_have_units(folder: Path) -> None:
    columns = Columns(folder)
    columns.update()
    assert columns.label("input speed", SI) == "speed [m/s]"
    assert columns.label("impulse", SI) == "impulse [N·s]"
    assert columns.label("predicted impulse", SI) == "predicted impulse [N·s]"
    assert columns.label("wall_s", SI) == "wall_s [s]"
    assert columns.label("run", SI) == "run"


def test_a_table_of_a_version_without_units_is_read(folder: Path) -> None:
    with sqlite3.connect(folder / "campaign.sqlite") as database:
        database.execute("DELETE FROM manifest WHERE key = 'units'")
    table = read_table(folder)
    assert (table.units, table.label("speed")) == ({}, "speed")
    assert runner.resume(folder).finished
    assert read_table(folder).label("speed") == "speed [m/s]"


def test_vectors_have_one_unit_for_components_and_length(write: Write, tmp_path: Path) -> None:
    runner.run(read_campaign("assist-table2", runs=2), tmp_path / "out")
    table = read_table(tmp_path / "out")
    assert [table.unit(f"approach.tilt.{part}") for part in ("0", "1", "norm")] == ["rad"] * 3
    assert table.unit("springs.gimbal-spring.stiffness") == "N*m/rad"
    assert table.unit("opening_time") == "s"
    with sqlite3.connect(tmp_path / "out" / "campaign.sqlite") as database:
        (text,) = database.execute("SELECT value FROM manifest WHERE key = 'units'").fetchone()
    assert json.loads(text)["input.approach.offset"] == "m"


SLIDES = """\
softdock: 1
kind: multibody
duration: 1 s
bodies:
  sled: {mass: 1, inertia: [1, 1, 1], joint: {type: prismatic}}
  wheel: {mass: 1, inertia: [1, 1, 1], joint: {type: revolute}}
drives:
  push: {joint: sled, target: 0.1, stiffness: 1}
  spin: {joint: wheel, follows: speed, target: 0.1, damping: 1}
loads: {wind: {body: sled, force: [0, 0, 1], table: [[0, 1], [0.5, 2]]}}
events: {late: {when: time > 0.5 s, then: [{drive: push, target: 0.2}]}}
"""


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("drives.push.target", "m"),
        ("drives.push.stiffness", "N/m"),
        ("drives.spin.target", "rad/s"),
        ("drives.spin.damping", "N*m*s/rad"),
        ("events.late.then.0.target", "m"),
        ("loads.wind.table.1.0", "s"),
        ("loads.wind.table.1.1", "1"),
        ("loads.wind.force", "N"),
        ("bodies.sled.inertia.2", "kg*m^2"),
        ("bodies.sled.joint.attitude.0", "1"),
        ("drives.push.joint", ""),
        ("drives.push.active", ""),
        ("bodies.nobody.mass", ""),
        ("bodies.sled.nothing", ""),
    ],
)
def test_every_field_has_its_unit(path: str, unit: str) -> None:
    """Units of drives depend on the type of the joint and on whether the drive follows a position or a speed."""
    assert unit_at(read_scenario_text(SLIDES), path) == unit


def test_fields_of_other_kinds_of_scenarios_have_units() -> None:
    assert unit_at(load("impact-a"), "contact.stiffness") == "N/m"
    assert unit_at(load("power-tower-x"), "visitor.inertia.0") == "kg*m^2"


@pytest.mark.parametrize(("longest", "title"), [(2.5, ""), (60.0, "1 of 40 runs are above the axis")])
def test_an_outlier_is_left_out_of_the_axis_and_counted_in_the_title(longest: float, title: str) -> None:
    times = np.append(np.linspace(1.0, 2.0, 39), longest)
    table = CampaignTable(
        manifest={}, state={}, run=np.arange(40), status=[], outcome=[], message=[],
        inputs={"approach.speed": np.linspace(0.01, 0.05, 40)}, metrics={"opening_time": times},
        units={"input.approach.speed": "m/s", "opening_time": "s"},
    )  # fmt: skip
    ((_, figure),) = opening_time_figures(table)
    (axes,) = figure.axes
    assert axes.get_title() == title
    assert axes.get_ylim()[1] < 4.0
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("approach speed [mm/s]", "opening time [s]")
