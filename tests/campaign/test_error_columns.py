"""Numerical errors of peaks in campaigns: table, export, report, studio, and tables of earlier versions."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from softdock import Campaign
from softdock.campaign.export import export
from softdock.campaign.run_table import run_table
from softdock.campaign.summary import summarise
from softdock.campaign.table import read_table
from softdock.cli import app
from softdock.presentation.unit_systems import AUTOMATIC
from softdock.report.campaign import write_report
from softdock.studio.columns import ERRORS, Columns, RowFilter

RUNS = 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    scenario = {
        "softdock": 1,
        "kind": "multibody",
        "duration": 0.5,
        "bodies": {"sled": {"mass": 2.0, "inertia": [1, 1, 1], "joint": {"type": "prismatic", "speed": 0.4}}},
        "springs": {"coil": {"joint": "sled", "stiffness": 300.0}},
        "metrics": {"pull": "max abs coil.force", "stroke": "max sled.joint"},
    }
    Campaign(
        scenario=scenario,
        runs=RUNS,
        seed=1,
        dispersions={"bodies.sled.joint.speed": {"uniform": [0.2, 0.6]}},
        metrics=["pull", "stroke"],
    ).run(tmp_path / "c", workers=1, progress=False)
    return tmp_path / "c"


def test_the_table_has_errors_beside_peaks(folder: Path) -> None:
    table = read_table(folder)
    assert set(table.metric_errors) >= {"pull", "peak_force_coil"}
    assert "stroke" not in table.metric_errors
    columns = run_table(table)
    names = list(columns)
    assert names[names.index("pull") + 1] == "pull_error"
    assert names[names.index("peak_force_coil") + 1] == "peak_force_coil_error"
    assert "stroke_error" not in columns
    assert columns.units["pull_error"] == columns.units["pull"] == "N"
    errors, values = columns["pull_error"], columns["pull"]
    assert errors.shape == (RUNS,)
    assert ((errors > 0.0) & (errors < 0.02 * values)).all()


def test_statistics_do_not_count_errors_as_metrics(folder: Path) -> None:
    table = read_table(folder)
    summary = summarise(table)
    assert not [name for name in summary.quantiles if name.endswith("_error")]
    assert not [name for name in table.metrics if name.endswith("_error")]


def test_the_export_has_errors_with_their_units(folder: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    exported = pq.read_table(export(folder))
    names = exported.schema.names
    assert names[names.index("pull") + 1] == "pull_error"
    assert exported.schema.field("pull_error").metadata[b"unit"] == b"N"
    assert exported["pull_error"].to_pylist() == read_table(folder).metric_errors["pull"].tolist()
    assert CliRunner().invoke(app, ["verify", str(folder)]).exit_code == 0


def test_the_report_shows_the_largest_error_and_those_of_the_worst_runs(folder: Path) -> None:
    path, _ = write_report(folder, folder / "report.html", lambda *_: None)
    page = path.read_text(encoding="utf-8")
    assert '<th class="number">largest error</th>' in page
    worst = page.partition("<h2>Worst cases</h2>")[2]
    assert " N ± 0." in worst


def test_the_studio_shows_values_with_errors(folder: Path) -> None:
    table = pytest.importorskip("softdock.studio.pages.table")
    columns = Columns(folder)
    columns.update()
    assert "pull_error" not in columns.numeric_names()
    rows, _ = columns.page(RowFilter(), "run", False, 0, 2, ["pull", "stroke"])
    assert set(rows[0][ERRORS]) == {"pull"}
    units = {name: columns.display(name, AUTOMATIC) for name in ("pull", "stroke")}
    cells = table._cells(rows[0], units)
    assert " ± " in cells["pull"]
    assert " ± " not in cells["stroke"]
    assert set(cells) == {"run", "outcome", "pull", "stroke"}


def test_a_table_without_errors_is_read_exported_and_shown(folder: Path) -> None:
    with sqlite3.connect(folder / "campaign.sqlite") as database:
        database.execute("UPDATE runs SET metric_errors = '{}'")
        database.execute("ALTER TABLE runs DROP COLUMN metric_errors")
    table = read_table(folder)
    assert table.metric_errors == {}
    assert not [name for name in run_table(table) if name.endswith("_error")]
    pq = pytest.importorskip("pyarrow.parquet")
    assert not [name for name in pq.read_schema(export(folder)).names if name.endswith("_error")]
    page = write_report(folder, folder / "report.html", lambda *_: None)[0].read_text(encoding="utf-8")
    assert "largest error" not in page.partition("<h2>Metrics</h2>")[2].partition("<table")[2]
    columns = Columns(folder)
    columns.update()
    rows, _ = columns.page(RowFilter(), "run", False, 0, 2, ["pull"])
    assert rows[0][ERRORS] == {}


def test_a_metric_with_the_name_of_an_error_column_keeps_it(folder: Path) -> None:
    """Such a name is allowed; the metric is in the table and in the export, and the error is left out."""
    with sqlite3.connect(folder / "campaign.sqlite") as database:
        for run, text in database.execute("SELECT run, metrics FROM runs").fetchall():
            changed = json.dumps({**json.loads(text), "pull_error": 7.0})
            database.execute("UPDATE runs SET metrics = ? WHERE run = ?", (changed, run))
    assert np.array_equal(run_table(read_table(folder))["pull_error"], np.full(RUNS, 7.0))
    pq = pytest.importorskip("pyarrow.parquet")
    exported = pq.read_table(export(folder))
    assert exported["pull_error"].to_pylist() == [7.0] * RUNS
    assert len(set(exported.schema.names)) == len(exported.schema.names)
