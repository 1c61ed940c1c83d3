"""Columns of a run table with 100 000 rows: filtered and sorted pages, and updates with new rows."""

import json
from pathlib import Path

import numpy as np
import pytest

from softdock.campaign.execution import Row
from softdock.campaign.loading import read_campaign
from softdock.campaign.manifest import manifest_of
from softdock.campaign.store import Store
from softdock.studio.columns import Columns, RowFilter

RUNS = 100_000


def row(number: int) -> Row:
    speed = (number * 7919 % RUNS) / RUNS
    inputs = json.dumps({"speed": speed, "offset": [3.0, 4.0]})
    metrics = json.dumps({"force": 2.0 * speed if number % 10 else None})
    outcome = "latched" if speed > 0.25 else "bounced"
    return Row(number, "done", outcome, "said", inputs, metrics, "{}", "{}", 1.0, 5, 6, 0.001)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    plan = read_campaign("impact-masses", runs=RUNS)
    manifest = {**manifest_of(plan), "name": "x"}
    manifest["campaign"]["success"] = ["latched"]
    with Store.create(folder, manifest) as store:
        store.add(row(number) for number in range(RUNS) if number != 17)
    return folder


@pytest.fixture(scope="module")
def columns(folder: Path) -> Columns:
    columns = Columns(folder)
    assert columns.update()
    assert columns.size == RUNS - 1
    return columns


def test_pages_of_a_large_table_are_filtered_and_sorted(columns: Columns) -> None:
    columns.update()
    rows, total = columns.page(
        RowFilter(("bounced",)), "input speed", True, 50, 25, ["force", "input offset.norm"]
    )
    assert total == RUNS // 4 + 1
    assert [one["input offset.norm"] for one in rows] == [5.0] * 25
    speeds = [(one["run"] * 7919 % RUNS) / RUNS for one in rows]
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[0] == 0.25 - 50 / RUNS
    forces = [2.0 * speed if one["run"] % 10 else None for one, speed in zip(rows, speeds)]
    assert forces.count(None) in (2, 3)  # every tenth run has no force
    assert [one["force"] for one in rows] == forces
    within, count = columns.page(RowFilter((), "force", 0.5, 0.6), "run", False, 0, 5, ["force"])
    assert all(0.5 <= one["force"] <= 0.6 for one in within)
    assert 0 < count < RUNS
    assert columns.success is not None
    assert columns.success.sum() == RUNS - 1 - total


def test_an_update_adds_later_rows(columns: Columns, folder: Path) -> None:
    assert not columns.update()
    with Store.resume(folder) as store:
        store.add([row(17)])
    assert columns.update()
    assert columns.size == RUNS
    assert np.array_equal(np.sort(columns.run), np.arange(RUNS))
