"""Writes the tables of docs/robustness.md: counts of the fuzzer, cost of isolation, and faults with their results.

`python -m tests.fuzz.report` runs the tests of the faults; `--counts-only` writes only the counts.
"""

import argparse
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

from tests.fuzz import formats, isolation_cost
from tests.fuzz.faults import FAULTS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "robustness.md"
COUNTS = Path(__file__).parent / "counts.json"
Counts = dict[str, dict[str, dict[str, object]]]
"""Counts of runs by format and seed."""


def counts_table(counts: Counts) -> str:
    """Return inputs, verdicts and defects by format, summed over the seeds."""
    rows, sums = [], [0, 0, 0, 0]
    for name in formats.NAMES:
        runs = counts.get(name, {}).values()
        row = [sum(int(str(run[key])) for run in runs) for key in ("inputs", "accepted", "refused")]
        row.append(sum(sum(dict(run["defects"]).values()) for run in runs))  # type: ignore[call-overload]
        sums = [a + b for a, b in zip(sums, row)]
        rows.append(_row(name, *(f"{value:,}" for value in row)))
    rows.append(_row("**all**", *(f"**{value:,}**" for value in sums)))
    head = [
        _row("format", "inputs", "accepted", "refused with a message", "defects"),
        "|---|---:|---:|---:|---:|",
    ]
    return "\n".join([*head, *rows])


def counts_tables(counts: Counts) -> str:
    """Return the counts of the state of package and fuzzer with most inputs, and those of all runs together."""
    inputs: Counter[str] = Counter()
    for runs in counts.values():
        for run in runs.values():
            inputs[str(run.get("sources", ""))] += int(str(run["inputs"]))
    del inputs[""]
    ((state, number),) = inputs.most_common(1)
    one = {
        name: {seed: run for seed, run in runs.items() if run.get("sources") == state}
        for name, runs in counts.items()
    }
    return "\n\n".join(
        [
            f"{number:,} inputs with one state of package and fuzzer (digest {state}):",
            counts_table(one),
            "Together with runs of other versions of both:",
            counts_table(counts),
        ]
    )


def faults_table(results: dict[str, str]) -> str:
    """Return the faults with what Softdock does and the result of their tests."""
    rows = [
        _row(fault.fault, fault.effect, _result([results.get(test, "not run") for test in fault.tests]))
        for fault in FAULTS
    ]
    return "\n".join([_row("fault", "what happens", "result"), "|---|---|---|", *rows])


def _result(results: list[str]) -> str:
    return "; ".join(dict.fromkeys(results))


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def run_tests(folder: Path) -> dict[str, str]:
    """Run the tests of all faults; return `passed`, `failed` or the reason of a skip by test."""
    names = list(dict.fromkeys(test for fault in FAULTS for test in fault.tests))
    report = folder / "faults.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        f"--junit-xml={report}",
        *(f"tests/{name}" for name in names),
    ]
    subprocess.run(command, cwd=ROOT, check=False)
    found: dict[str, set[str]] = {name: set() for name in names}
    for case in ElementTree.parse(report).iter("testcase"):
        module = case.get("classname", "").replace(".", "/").removeprefix("tests/")
        name = f"{module}.py::{case.get('name', '').partition('[')[0]}"
        found.setdefault(name, set()).add(_verdict(case))
    # Of a test with parameters the worst verdict counts.
    return {name: _worst(verdicts) for name, verdicts in found.items()}


def _verdict(case: ElementTree.Element) -> str:
    skipped = case.find("skipped")
    if skipped is not None:
        return f"skipped: {skipped.get('message', '')}"
    return "passed" if case.find("failure") is None and case.find("error") is None else "failed"


def _worst(verdicts: set[str]) -> str:
    return next((one for one in sorted(verdicts) if one != "passed"), "passed" if verdicts else "not run")


def replace_table(text: str, name: str, table: str) -> str:
    """Return a page with the table between its markers replaced."""
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"{PAGE} has no place for {name}")
    return pattern.sub(lambda found: f"{found[1]}\n{table}\n{found[2]}", text)


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.report", description=__doc__)
    parser.add_argument("--counts-only", action="store_true")
    options = parser.parse_args()
    text = replace_table(
        PAGE.read_text(encoding="utf-8"),
        "counts of the fuzzer",
        counts_tables(json.loads(COUNTS.read_text())),
    )
    if not options.counts_only:
        folder = ROOT / "out"
        folder.mkdir(exist_ok=True)
        text = replace_table(text, "cost of isolation", isolation_cost.table(isolation_cost.costs()))
        text = replace_table(text, "faults", faults_table(run_tests(folder)))
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
