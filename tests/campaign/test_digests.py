"""Changed campaigns: every change of a row or an entry of the table is found, and marked in every view."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from softdock import Campaign
from softdock.campaign.execution import Row
from softdock.campaign.export import export
from softdock.campaign.status import status_of
from softdock.campaign.store import Store, open_readonly
from softdock.campaign.table import read_table
from softdock.cli import app
from softdock.presentation.discrepancies import MARK
from softdock.report.campaign import write_report
from softdock.result.digest import NO_DIGEST
from softdock.studio.campaign_data import summarise_folder
from softdock.studio.campaigns import Campaigns
from softdock.studio.folder import Folder
from softdock.studio.pages import campaign_summary

RUNS = 6


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign that has ended, with requirements, units and one stored history."""
    folder = tmp_path_factory.mktemp("done") / "campaign"
    Campaign(
        scenario="latch-paper",
        runs=RUNS,
        seed=3,
        dispersions={"speed": {"uniform": ["20 mm/s", "0.1 m/s"]}},
        success=["latched"],
        histories=5,
        requirements={
            "R-1": {"metric": "peak_force_latch", "at_most": "100 N"},
            "R-2": {"outcome": ["latched"]},
        },
    ).run(folder, workers=1, progress=False)
    return folder


@pytest.fixture
def folder(done: Path, tmp_path: Path) -> Path:
    """A copy of the campaign, which a test may change."""
    return Path(shutil.copytree(done, tmp_path / "campaigns" / "c"))


def change(folder: Path, *statements: str) -> None:
    """Execute statements on the table of a campaign."""
    with closing(sqlite3.connect(folder / "campaign.sqlite")) as database, database:
        for statement in statements:
            database.execute(statement)


def test_a_campaign_agrees_with_its_digests(folder: Path) -> None:
    assert status_of(folder)["discrepancies"] == []
    assert read_table(folder).discrepancies == ()
    export(folder)
    assert CliRunner().invoke(app, ["verify", str(folder)]).exit_code == 0


@pytest.mark.parametrize("column", Row._fields)
def test_a_change_of_any_column_of_a_row_is_found(folder: Path, column: str) -> None:
    new = (
        "99"
        if column == "run"
        else f"CASE typeof({column}) WHEN 'text' THEN {column} || ' ' ELSE {column} + 1 END"
    )
    change(folder, f"UPDATE runs SET {column} = {new} WHERE run = 2")
    assert status_of(folder)["discrepancies"]


@pytest.mark.parametrize("key", ["manifest", "state", "units"])
def test_a_change_of_any_entry_is_found(folder: Path, key: str) -> None:
    for statement in (
        f"UPDATE manifest SET value = replace(value, '{{', '{{ ') WHERE key = '{key}'",
        f"DELETE FROM manifest WHERE key = 'digest of {key}'",
    ):
        change(folder, statement)
        assert status_of(folder)["discrepancies"], statement


@pytest.mark.parametrize(
    ("statements", "sentence"),
    [
        (("DELETE FROM runs WHERE run = 3",), "Run 3 does not have a row any more"),
        (("DELETE FROM digests WHERE run = 3",), "Run 3 does not have a digest"),
        (("DELETE FROM digests",), f"{RUNS} runs (0, 1, 2, 3, 4, 5) do not have a digest"),
        (("DROP TABLE digests",), "The digests of the runs were removed."),
        (("DELETE FROM manifest WHERE key LIKE 'digest of %'", "DROP TABLE digests"), NO_DIGEST),
        (
            ("UPDATE runs SET run = 99 WHERE run = 1", "UPDATE runs SET run = 1 WHERE run = 2",
             "UPDATE runs SET run = 2 WHERE run = 99"), "2 runs (1, 2) do not agree",
        ),
        (
            ("UPDATE runs SET run = 99 WHERE run = 1", "UPDATE digests SET run = 99 WHERE run = 1"),
            "Run 99 does not agree",
        ),
        (
            ("CREATE TABLE copy AS SELECT * FROM runs", "INSERT INTO copy SELECT * FROM runs WHERE run = 4",
             "DROP TABLE runs", "ALTER TABLE copy RENAME TO runs"), "Run 4 has more than one row",
        ),
        (
            ("DELETE FROM runs WHERE run > 2", "DELETE FROM digests WHERE run > 2",
             "UPDATE manifest SET value = '{\"stopped_at\": 3}' WHERE key = 'state'"),
            "The entry 'state' does not agree",
        ),
        (("INSERT INTO manifest VALUES ('search', 'null')",), "The entry 'search' has no digest"),
        (("DELETE FROM manifest WHERE key = 'units'",), "The entry 'units' was removed"),
    ],
)  # fmt: skip
def test_removed_repeated_exchanged_and_added_parts_are_named(
    folder: Path, statements: tuple[str, ...], sentence: str
) -> None:
    change(folder, *statements)
    assert any(text.startswith(sentence) for text in status_of(folder)["discrepancies"])


def test_a_table_of_an_earlier_version_is_read_marked_and_continued(folder: Path) -> None:
    change(folder, "DELETE FROM manifest WHERE key LIKE 'digest of %'", "DROP TABLE digests")
    assert read_table(folder).run.size == RUNS
    assert CliRunner().invoke(app, ["verify", str(folder)]).exit_code == 4
    with Store.resume(folder) as store, open_readonly(folder) as database:
        row = Row(*database.execute("SELECT * FROM runs WHERE run = 0").fetchone())
        store.add([row._replace(run=RUNS)])
    assert status_of(folder)["discrepancies"] == [NO_DIGEST]


def test_a_row_of_another_campaign_is_found(folder: Path, tmp_path: Path) -> None:
    other = Campaign("impact-masses", runs=RUNS).run(tmp_path / "other", workers=1, progress=False)
    assert other.folder is not None
    with closing(sqlite3.connect(folder / "campaign.sqlite")) as database, database:
        database.execute("ATTACH ? AS other", (str(other.folder / "campaign.sqlite"),))
        for table in ("runs", "digests"):
            database.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM other.{table} WHERE run = 2")
    assert status_of(folder)["discrepancies"][0].startswith("Run 2 does not agree")


def add_mistake(folder: Path) -> str:
    """Change the metrics of a row, and return the sentence about it."""
    change(folder, "UPDATE runs SET metrics = replace(metrics, '0.', '0.00') WHERE run = 1")
    (sentence,) = status_of(folder)["discrepancies"]
    assert sentence.startswith("Run 1 does not agree")
    return str(sentence)


def test_every_view_of_a_campaign_marks_a_change(folder: Path, tmp_path: Path) -> None:
    sentence = add_mistake(folder)
    runner, campaign = CliRunner(), Campaign.open(folder)
    assert MARK in repr(campaign)
    assert MARK in repr(campaign.table())
    assert sentence in campaign._repr_html_()
    assert sentence in runner.invoke(app, ["campaign", "status", str(folder)]).output
    assert json.loads(runner.invoke(app, ["campaign", "status", str(folder), "--json"]).stdout)[
        "discrepancies"
    ] == [sentence]
    _, summary = write_report(folder, tmp_path / "report.html", lambda what, share: None)
    assert summary["discrepancies"] == [sentence]
    assert sentence in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert json.loads(pq.read_schema(export(folder)).metadata[b"discrepancies"]) == [sentence]
    assert sentence in campaign_summary.figures_html(summarise_folder(folder), ["latched"], "SI")
    state = Campaigns(Folder(tmp_path)).state("c")
    assert sentence in state.sentence


def forge_digests(folder: Path) -> None:
    """Compute all digests of rows again, as somebody can who knows how."""
    with open_readonly(folder) as database:
        rows = [Row(*row) for row in database.execute("SELECT * FROM runs")]
    change(folder, "DELETE FROM runs", "DELETE FROM digests")
    with Store.resume(folder) as store:
        store.add(rows)


def test_verdicts_of_rows_are_computed_again_whatever_the_digests(folder: Path) -> None:
    change(folder, "UPDATE runs SET requirements = replace(requirements, 'met', 'violated') WHERE run = 1")
    forge_digests(folder)
    assert status_of(folder)["discrepancies"] == []
    invoked = CliRunner().invoke(app, ["verify", str(folder)])
    assert "run 1 R-1" in invoked.output
    assert invoked.exit_code == 3


def edit_export(folder: Path) -> None:
    path = export(folder)
    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)


def damage_export(folder: Path) -> None:
    export(folder).write_bytes(b"PAR1 and no table")


def edit_history(folder: Path) -> None:
    path = folder / "histories" / "00000005" / "result.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"valid": "yes"', '"valid": "warned"'), encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("edit", "name"),
    [
        (edit_export, "runs.parquet"),
        (damage_export, "runs.parquet"),
        (edit_history, "histories/00000005"),
    ],
)
def test_verify_finds_changed_files_of_a_campaign(
    folder: Path, edit: Callable[[Path], None], name: str
) -> None:
    edit(folder)
    found = json.loads(CliRunner().invoke(app, ["verify", str(folder), "--json"]).stdout)
    assert {check["name"] for check in found["checks"] if check["agreement"] == "differs"} == {name}


def test_an_export_agrees_whichever_version_of_the_library_has_written_it(folder: Path) -> None:
    path = export(folder)
    before = path.read_bytes()
    pq.write_table(pq.read_table(path), path, compression="snappy", version="1.0")
    assert path.read_bytes() != before
    assert CliRunner().invoke(app, ["verify", str(folder)]).exit_code == 0


def test_a_column_that_a_later_version_adds_changes_no_digest(folder: Path) -> None:
    """The rows of this campaign have the default in the last column, as if it had been added after they were stored."""
    assert Row._fields[-1] == "metric_errors"
    change(folder, "ALTER TABLE runs DROP COLUMN metric_errors")
    assert status_of(folder)["discrepancies"] == []
    with Store.resume(folder):
        pass
    assert status_of(folder)["discrepancies"] == []
    later = ("metric_errors", "phases", "requirements")
    change(folder, *(f"ALTER TABLE runs DROP COLUMN {column}" for column in later))
    assert status_of(folder)["discrepancies"]
