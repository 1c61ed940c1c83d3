"""The proposed axes of a campaign are the inputs with the largest influence."""

import json
from pathlib import Path

import numpy as np

from softdock.studio.columns import Columns
from softdock.studio.influence import rank_inputs
from softdock.studio.pages import axes

NAMES = ["input noise", "input shift", "input speed"]


def table(threshold: float, runs: int = 300) -> Columns:
    """Return a campaign in which a large speed, and a shift far from 0 on either side, prevent success."""
    rng = np.random.default_rng(5)
    columns = Columns(Path())
    columns.manifest = {"campaign": {"success": ["held"], "metrics": []}, "scenario": {"data": {}}}
    for number in range(runs):
        noise, shift, speed = rng.uniform(-1.0, 1.0, 3)
        load = speed + 1.5 * abs(shift)
        outcome = "held" if load < threshold else "lost"
        inputs = json.dumps({"noise": noise, "shift": shift, "speed": speed})
        columns._add((number, outcome, inputs, json.dumps({"load": load}), "{}", 0.1, "{}"))
    return columns


def test_inputs_are_ranked_by_their_influence_on_success() -> None:
    columns = table(threshold=0.8)
    assert set(rank_inputs(columns, NAMES)[:2]) == {"input shift", "input speed"}
    assert set(axes.default_axes(columns, NAMES)) == {"input shift", "input speed"}


def test_metrics_decide_where_all_runs_succeed() -> None:
    columns = table(threshold=10.0)
    assert columns.success is not None
    assert columns.success.all()
    assert rank_inputs(columns, NAMES)[-1] == "input noise"


def test_a_single_run_has_axes() -> None:
    assert len(axes.default_axes(table(threshold=0.8, runs=1), NAMES)) == 2
