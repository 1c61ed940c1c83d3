"""Compare runs of the campaign assist-sequence with runs of half the tolerances and half the cell size.

    python tests/campaign/sequence_convergence.py --runs 500

prints one line per run whose outcome differs or whose peak loads differ by more than 1 %, and the counts at the end.
"""

import argparse
import copy
import json
from dataclasses import replace
from typing import Any

from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import load
from softdock.campaign.template import Template

CAMPAIGN = "assist-sequence"
PEAKS = ("peak_contact_force", "collar_force", "coupling_force", "pin_force")
LARGEST_CHANGE, NEGLIGIBLE = 0.01, 5.0  # of a peak; N
HALF_CELLS = 1.0 / 8.0  # of the resolved force: the size of cells scales with its cube root


def finer(template: Template) -> Template:
    """Return the template of a campaign with half the tolerances and half the cell size."""
    data: dict[str, Any] = dict(copy.deepcopy(template.data))
    accuracy = data["integrator"]["accuracy"]
    data["integrator"]["accuracy"] = {name: 0.5 * value for name, value in accuracy.items()}
    for contact in data["contacts"].values():
        contact["resolved_force"] = HALF_CELLS * contact.get("resolved_force", 0.1)
    return replace(template, data=data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    plan, keeping = load(CAMPAIGN), HistoryPolicy("none", ())
    fine = finer(plan.template)
    outcomes = peaks = 0
    largest = dict.fromkeys(PEAKS, 0.0)
    for number, inputs in enumerate(plan.inputs(given.first, given.first + given.runs), given.first):
        rows = [run_one(template, keeping, number, inputs)[0] for template in (plan.template, fine)]
        if rows[0].outcome != rows[1].outcome:
            outcomes += 1
            print(number, rows[0].outcome, rows[1].outcome, flush=True)
        before, after = (json.loads(row.metrics) for row in rows)
        for name in PEAKS:
            a, b = before.get(name) or 0.0, after.get(name) or 0.0
            change = abs(a - b) / max(a, b) if max(a, b) > NEGLIGIBLE else 0.0
            largest[name] = max(largest[name], change)
            if change > LARGEST_CHANGE:
                peaks += 1
                print(number, name, a, b, flush=True)
    print(f"{given.runs} runs: {outcomes} outcomes differ, {peaks} peaks differ by more than 1 %")
    print("largest changes: " + ", ".join(f"{name} {100 * change:.2f} %" for name, change in largest.items()))


if __name__ == "__main__":
    main()
