"""The table in columns: pages of a hundred thousand rows, filtered and sorted, and read only once."""

import json
from pathlib import Path

import numpy as np
import pytest

from softdock.campaign.execution import Row
from softdock.campaign.loading import load
from softdock.campaign.manifest import manifest_of
from softdock.campaign.store import Store
from softdock.studio.columns import Columns, Filter

MANY = 100_000


def row(number: int) -> Row:
    speed = (number * 7919 % MANY) / MANY
    inputs = json.dumps({"speed": speed, "offset": [3.0, 4.0]})
    metrics = json.dumps({"force": 2.0 * speed if number % 10 else None})
    outcome = "latched" if speed > 0.25 else "bounced"
    return Row(number, "done", outcome, "said", inputs, metrics, "{}", "{}", 1.0, 5, 6, 0.001)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    plan = load("impact-masses", runs=MANY)
    described = {**manifest_of(plan), "name": "x"}
    described["campaign"]["success"] = ["latched"]
    with Store.create(folder, described) as store:
        store.add(row(number) for number in range(MANY) if number != 17)
    return folder


@pytest.fixture(scope="module")
def columns(folder: Path) -> Columns:
    columns = Columns(folder)
    assert columns.update()
    assert columns.size == MANY - 1
    return columns


def test_a_page_of_a_large_table(columns: Columns) -> None:
    columns.update()
    rows, total = columns.page(
        Filter(("bounced",)), "input speed", True, 50, 25, ["force", "input offset.norm"]
    )
    assert total == MANY // 4 + 1
    assert [one["input offset.norm"] for one in rows] == [5.0] * 25
    speeds = [(one["run"] * 7919 % MANY) / MANY for one in rows]
    assert speeds == sorted(speeds, reverse=True)
    assert speeds[0] == 0.25 - 50 / MANY
    assert {one["force"] is None for one in rows if one["run"] % 10 == 0} <= {True}
    within, count = columns.page(Filter((), "force", 0.5, 0.6), "run", False, 0, 5, ["force"])
    assert all(0.5 <= one["force"] <= 0.6 for one in within)
    assert 0 < count < MANY
    assert columns.success is not None
    assert columns.success.sum() == MANY - 1 - total


def test_what_comes_later_is_added(columns: Columns, folder: Path) -> None:
    assert not columns.update()
    with Store.resume(folder) as store:
        store.add([row(17)])
    assert columns.update()
    assert columns.size == MANY
    assert np.array_equal(np.sort(columns.run), np.arange(MANY))
