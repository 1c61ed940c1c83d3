"""Compare runs of the campaign assist-sequence with runs of half the tolerances and half the cell size.

    python tests/campaign/sequence_convergence.py --runs 500
    python tests/campaign/sequence_convergence.py --only 67,165,371 --halve accuracy

prints one line per run whose outcome differs or whose peak loads differ by more than 1 %, and the counts at the end.
The peak loads are those of all contacts, couplings, joints, drives, springs and welds; the bundled campaign records
only those of contacts. Forces below 5 N and moments below 0.5 N m, less than 1 % of the largest, are counted apart.
"""

import argparse
import copy
import json
import time
from dataclasses import replace
from typing import Any

from softdock.campaign.execution import HistoryPolicy, run_one
from softdock.campaign.loading import read_campaign
from softdock.campaign.template import Template

CAMPAIGN = "assist-sequence"
PEAKS = ("peak_contact_force", "collar_force", "coupling_force", "pin_force")  # always in the summary
LARGEST_CHANGE = 0.01  # of a peak
NEGLIGIBLE = {"force": 5.0, "moment": 0.5}  # [N], [N m]
SHOWN = 8  # other peaks in the summary, those that change most
HALF_CELLS = 1.0 / 8.0  # of the resolved force: the size of cells scales with its cube root


def with_all_loads(template: Template) -> Template:
    """Return the template of a campaign whose runs have the peak loads of all parts."""
    data: dict[str, Any] = dict(copy.deepcopy(template.data))
    data["record"]["loads"] = True
    return replace(template, data=data)


def finer(template: Template, accuracy: bool = True, cells: bool = True) -> Template:
    """Return the template of a campaign with half the tolerances, half the cell size, or both."""
    data: dict[str, Any] = dict(copy.deepcopy(template.data))
    if accuracy:
        values = data["integrator"]["accuracy"]
        data["integrator"]["accuracy"] = {name: 0.5 * value for name, value in values.items()}
    if cells:
        for contact in data["contacts"].values():
            contact["resolved_force"] = HALF_CELLS * contact.get("resolved_force", 0.1)
    return replace(template, data=data)


def is_peak(name: str) -> bool:
    """Return whether a metric is a peak load."""
    return name in PEAKS or name.startswith(("peak_force_", "peak_moment_"))


def quantity(name: str) -> str:
    """Return whether a peak load is a force or a moment."""
    return "moment" if "moment" in name else "force"


def negligible(name: str) -> float:
    """Return the peak up to which the change of a metric does not matter [N or N m]."""
    return NEGLIGIBLE[quantity(name)]


def relative_change(before: float | None, after: float | None) -> float:
    """Return the change of a peak, relative to the larger value; 0 where both are 0 or missing."""
    a, b = before or 0.0, after or 0.0
    return abs(a - b) / max(a, b) if max(a, b) > 0.0 else 0.0


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=20, help="number of runs")
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--only", default="", help="numbers of runs instead, such as 67,165,371")
    parser.add_argument("--halve", choices=("accuracy", "cells", "both"), default="both")
    return parser.parse_args()


def main() -> None:
    given = parse_arguments()
    plan, policy = read_campaign(CAMPAIGN), HistoryPolicy("none", ())
    bundled = with_all_loads(plan.template)
    fine = finer(bundled, given.halve != "cells", given.halve != "accuracy")
    runs = [int(number) for number in given.only.split(",")] if given.only else []
    runs = runs or list(range(given.first, given.first + given.runs))
    inputs = list(plan.inputs(0, max(runs) + 1))
    outcomes = peaks = small = 0
    largest, loads = dict.fromkeys(PEAKS, 0.0), {"force": 0.0, "moment": 0.0}
    seconds, steps = [0.0, 0.0], [0, 0]
    for number in runs:
        rows = []
        for i, template in enumerate((bundled, fine)):
            start = time.process_time()
            rows.append(run_one(template, policy, number, inputs[number])[0])
            seconds[i] += time.process_time() - start
            steps[i] += rows[i].steps or 0
        if rows[0].outcome != rows[1].outcome or any(row.status != "done" for row in rows):
            outcomes += 1
            print(number, *(row.outcome or row.message for row in rows), flush=True)
        before, after = (json.loads(row.metrics) for row in rows)
        for name in filter(is_peak, before | after):
            change = relative_change(before.get(name), after.get(name))
            peak = max(before.get(name) or 0.0, after.get(name) or 0.0)
            loads[quantity(name)] = max(loads[quantity(name)], peak)
            if peak <= negligible(name):
                small += change > LARGEST_CHANGE
                continue
            largest[name] = max(largest.get(name, 0.0), change)
            if change > LARGEST_CHANGE:
                peaks += 1
                print(number, name, before.get(name), after.get(name), flush=True)
    print(f"{len(runs)} runs: {outcomes} outcomes differ, {peaks} peaks differ by more than 1 %")
    print(f"largest force {loads['force']:.0f} N, largest moment {loads['moment']:.1f} N m")
    others = sorted(largest.keys() - PEAKS, key=lambda name: -largest[name])[:SHOWN]
    for name in (*PEAKS, *others):
        print(f"{name}: at most {100 * largest[name]:.2f} %")
    print(f"negligible peaks that differ by more than 1 %: {small}")
    for label, time_s, count in zip(("as bundled", "refined"), seconds, steps, strict=True):
        print(
            f"{label}: {time_s / len(runs):.3f} s of processor time and {count / len(runs):.0f} steps per run"
        )


if __name__ == "__main__":
    main()
