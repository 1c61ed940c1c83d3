"""Runs of the campaign assist-sequence that were the most sensitive: half the tolerances and cells change little."""

import json

import pytest
from tests.campaign.sequence_convergence import (
    CAMPAIGN,
    LARGEST_CHANGE,
    finer,
    is_peak,
    negligible,
    relative_change,
    with_all_loads,
)

from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import read_campaign

PINS, LIMIT, KINKS = 67, 303, (265, 340)
"""The run in which the force of a pin depended most on the cell size, one in which a plug rests at its limit, and two
with wrong loads where a drive leaves its force limit."""


@pytest.mark.parametrize("number", [PINS, LIMIT, *KINKS])
def test_outcome_and_peaks_hold_with_half_the_tolerances_and_cells(number):
    plan, policy = read_campaign(CAMPAIGN), HistoryPolicy("none", ())
    inputs = next(iter(plan.inputs(number, number + 1)))
    bundled = with_all_loads(plan.template)
    coarse, fine = (run_one(template, policy, number, inputs)[0] for template in (bundled, finer(bundled)))
    assert coarse.status == fine.status == "done"
    assert fine.outcome == coarse.outcome
    assert (fine.steps or 0) > (coarse.steps or 0)
    before, after = json.loads(coarse.metrics), json.loads(fine.metrics)
    peaks = [name for name in filter(is_peak, before) if max(before[name], after[name]) > negligible(name)]
    assert {"collar_force", "coupling_force", "peak_moment_head", "peak_force_link"} <= set(peaks)
    assert "pin_force" in peaks or number not in (PINS, LIMIT)
    for name in peaks:
        assert relative_change(before[name], after[name]) < LARGEST_CHANGE, name
