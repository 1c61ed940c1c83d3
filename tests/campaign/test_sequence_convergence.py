"""Runs of the campaign assist-sequence that were the most sensitive: half the tolerances and cells change little."""

import json

import pytest
from tests.campaign.sequence_convergence import (
    CAMPAIGN,
    LARGEST_CHANGE,
    NEGLIGIBLE,
    PEAKS,
    finer,
    relative_change,
)

from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import load

PINS, LIMIT = 67, 303
"""The run in which the force of a pin depended most on the cell size, and one in which a plug rests at its limit."""


@pytest.mark.parametrize("number", [PINS, LIMIT])
def test_outcome_and_peaks_hold_with_half_the_tolerances_and_cells(number):
    plan, policy = load(CAMPAIGN), HistoryPolicy("none", ())
    inputs = next(iter(plan.inputs(number, number + 1)))
    coarse, fine = (
        run_one(template, policy, number, inputs)[0] for template in (plan.template, finer(plan.template))
    )
    assert coarse.status == fine.status == "done"
    assert fine.outcome == coarse.outcome
    assert (fine.steps or 0) > 1.1 * (coarse.steps or 0)
    before, after = json.loads(coarse.metrics), json.loads(fine.metrics)
    assert before["pin_force"] > NEGLIGIBLE
    for name in PEAKS:
        assert relative_change(before[name], after[name]) < LARGEST_CHANGE, name
