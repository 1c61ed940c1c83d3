"""Run many draws of ASSIST Tables 2 and 3 and count those that fail.

    python tests/campaign/draws.py --runs 100000 --seed 1 --first 0

prints one line per run that fails, with its inputs, and the counts at the end. Draws do not depend on each other: with
`--first` and `--runs` the work can be split.
"""

import argparse
import json
import time
from collections import Counter
from dataclasses import replace

from softdock.campaign.execution import HistoryPolicy, Row, run_one
from softdock.campaign.loading import read_campaign
from softdock.campaign.plan import Plan

CAMPAIGN = "assist-table2"
CHUNK = 500


def plan(runs: int, seed: int) -> Plan:
    """Return the bundled campaign with random draws."""
    bundled = read_campaign(CAMPAIGN, runs=runs, seed=seed)
    return replace(bundled, sampler=replace(bundled.sampler, method="random"))


def failed_draws(runs: int, seed: int, first: int = 0) -> tuple[Counter[str], list[Row], float]:
    """Run draws; return how often each outcome occurred, the rows that failed, and the largest energy residual."""
    whole, policy = plan(first + runs, seed), HistoryPolicy("none", ())
    outcomes: Counter[str] = Counter()
    failed, residual = [], 0.0
    for start in range(first, first + runs, CHUNK):
        stop = min(start + CHUNK, first + runs)
        for number, inputs in enumerate(whole.inputs(start, stop), start):
            row, _ = run_one(whole.template, policy, number, inputs)
            outcomes[row.outcome] += 1
            if row.status != "done":
                failed.append(row)
            else:
                residual = max(residual, json.loads(row.audit)["energy_residual"])
    return outcomes, failed, residual


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    begin = time.perf_counter()
    total: Counter[str] = Counter()
    failures, largest = 0, 0.0
    for start in range(given.first, given.first + given.runs, CHUNK):
        count = min(CHUNK, given.first + given.runs - start)
        outcomes, failed, residual = failed_draws(count, given.seed, start)
        total, failures, largest = total + outcomes, failures + len(failed), max(largest, residual)
        for row in failed:
            print(row.run, row.outcome, row.message, row.inputs, flush=True)
        print(f"{start + count - given.first} draws, {failures} failed, {dict(total)}", flush=True)
    seconds = time.perf_counter() - begin
    print(f"{failures} of {given.runs} draws failed; largest energy residual {largest:.2g}; {seconds:.0f} s")


if __name__ == "__main__":
    main()
