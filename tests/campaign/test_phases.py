"""Campaigns over scenarios with phases: columns, shares of runs that reach each phase, dispersed time limits."""

import math
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from softdock.campaign import runner
from softdock.campaign.export import export
from softdock.campaign.loading import read_campaign
from softdock.campaign.phases import phase_shares
from softdock.campaign.statistics import clopper_pearson
from softdock.campaign.status import status_of
from softdock.campaign.stored_entries import StoredEntryError
from softdock.campaign.summary import summarise
from softdock.campaign.table import read_table
from softdock.report.campaign import write_report

SCENARIO = """softdock: 1
kind: multibody
duration: 10 s
bodies:
  cart: {mass: 2 kg, joint: {type: prismatic, axis: x}}
loads:
  push: {body: cart, force: [2 N, 0 N, 0 N]}
phases:
  - {name: pushing, until: cart.x > 0.5 m, within: 1 s, otherwise: stuck}
  - {name: coasting, do: [{disable: push}], until: cart.x > 1 m, within: 0.6 s, otherwise: slow}
  - {name: waiting, until: time > 0 s for 0.25 s}
"""
CAMPAIGN = """softdock: 1
kind: campaign
scenario: cart.yaml
runs: 30
seed: 5
dispersions:
  loads.push.force.0: {uniform: [1 N, 5 N]}
  phases.1.within: {uniform: [0.3 s, 0.6 s]}
success: [completed]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("phases")
    (home / "cart.yaml").write_text(SCENARIO, encoding="utf-8")
    (home / "campaign.yaml").write_text(CAMPAIGN, encoding="utf-8")
    runner.run(read_campaign(home / "campaign.yaml"), home / "out")
    return home / "out"


def test_columns_agree_with_the_closed_form(folder: Path) -> None:
    """Force and time limit of every run decide how far it comes: t = sqrt(2 x m / f), then v = f t / m."""
    rows = pq.read_table(export(folder)).to_pylist()
    seen = set()
    for row in rows:
        force, limit = row["input.loads.push.force.0"], row["input.phases.1.within"]
        pushed = math.sqrt(2.0 / force)
        coasted = 0.5 / (force / 2.0 * pushed)
        if pushed > 1.0:
            expected = ("stuck", "pushing", "timeout", 1.0)
        elif coasted > limit:
            expected = ("slow", "coasting", "timeout", pushed + limit)
        else:
            expected = ("completed", "waiting", "condition", pushed + coasted + 0.25)
        last = row["last_phase"]
        assert (row["outcome"], last, row[f"phase.{last}.ended"]) == expected[:3]
        assert row[f"phase.{last}.end"] == pytest.approx(expected[3], abs=1e-6)
        assert (row["phase.coasting.start"] is None) == (last == "pushing")
        seen.add(last)
    assert seen == {"pushing", "coasting", "waiting"}
    assert pq.read_schema(folder / "runs.parquet").field("phase.coasting.end").metadata == {b"unit": b"s"}


def test_shares_of_runs_that_reach_each_phase(folder: Path, tmp_path: Path) -> None:
    table = read_table(folder)
    force, limit = table.inputs["loads.push.force.0"], table.inputs["phases.1.within"]
    pushed = np.sqrt(2.0 / force)
    coasting = pushed <= 1.0
    waiting = coasting & (0.5 / (force / 2.0 * pushed) <= limit)
    expected = {"pushing": 30, "coasting": int(coasting.sum()), "waiting": int(waiting.sum())}
    shares = status_of(folder)["phases"]
    assert {one["name"]: one["reached"] for one in shares} == expected
    assert [one["ended"] for one in shares] == [
        expected["coasting"],
        expected["waiting"],
        expected["waiting"],
    ]
    for one in shares:
        assert one["share"] == one["reached"] / 30
        assert (one["low"], one["high"]) == clopper_pearson(one["reached"], 30)
    found = summarise(table).to_json()["phases"]
    assert found == shares
    path, findings = write_report(folder, tmp_path / "report.html", lambda *_: None)
    assert findings["phases"] == shares
    assert "<h2>Phases</h2>" in path.read_text(encoding="utf-8")


def test_a_run_can_be_repeated(folder: Path) -> None:
    result, _, same = runner.rerun(folder, 3)
    assert same
    assert result is not None
    assert result.phases


def test_scenarios_without_phases_have_no_shares_and_damaged_ones_are_refused() -> None:
    assert phase_shares({}, [{}, {}]) == []
    with pytest.raises(StoredEntryError):
        phase_shares({"phases": [{"name": 3}]}, [])
