"""Command of the fuzzer: `python -m tests.fuzz --count 10000 --seed 1 --formats step,mesh`."""

import argparse
import os
import signal
import sys
from pathlib import Path

from tests.fuzz import formats
from tests.fuzz.counts import ROOT, record, source_digest
from tests.fuzz.run import Run, Tally
from tests.fuzz.schedule import Schedule


def main() -> None:
    """Run the formats and print a table."""
    options = _options()
    names = options.formats.split(",") if options.formats else list(formats.NAMES)
    if unknown := set(names) - set(formats.NAMES):
        sys.exit(f"Unknown formats: {', '.join(sorted(unknown))}. Known: {', '.join(formats.NAMES)}.")
    sources = source_digest()

    def finished(run: Run) -> None:
        if options.record:
            if source_digest() != sources:
                sys.exit(
                    "The package or the fuzzer was changed during the run; later counts are not recorded."
                )
            record(options.record, run.name, options.seed, run.tally, sources)
        if options.verbose:
            _print(run.name, run.tally)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    runs = {name: Run(name, options.seed, options.out, options.first) for name in names}
    try:
        Schedule(runs, options.count, options.seconds, options.jobs, finished).go()
    finally:
        for run in runs.values():
            run.close()
    for name, run in runs.items():
        _print(name, run.tally)
    _conclude({name: run.tally for name, run in runs.items()}, options.out)


def _conclude(tallies: dict[str, Tally], out: Path) -> None:
    """Print sum and defects; exit with 1 where there are any."""
    inputs = sum(tally.inputs for tally in tallies.values())
    found = sum(tally.defects.total() for tally in tallies.values())
    print(f"{'all':10} {inputs:8} inputs, {found} defects")
    if found:
        print(f"Inputs of defects and commands that repeat them are in {out}.")
        for path in sorted(out.glob("*/defect.txt"))[:20]:
            print("  " + " | ".join(path.read_text(errors="replace").splitlines()[:2]))
    sys.exit(1 if found else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20_000, help="inputs of all formats together")
    parser.add_argument("--first", type=int, default=0, help="number of the first input of each format")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit [s]")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, help="processes at once; one per core by default"
    )
    parser.add_argument("--formats", default="", help=f"of {','.join(formats.NAMES)}; all by default")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out" / "fuzz", help="folder of inputs with defects"
    )
    parser.add_argument("--record", type=Path, help="file to which the counts are added, by format and seed")
    parser.add_argument(
        "--verbose", action="store_true", help="print the counts whenever a format has advanced"
    )
    return parser.parse_args()


def _print(name: str, tally: Tally) -> None:
    rate = tally.inputs / max(tally.seconds, 1e-9)
    defects = ", ".join(f"{count} {kind}" for kind, count in tally.defects.items()) or "no defects"
    print(
        f"{name:10} {tally.inputs:8} inputs: {tally.accepted} accepted, {tally.refused} refused, {defects} "
        f"({rate:.0f} per second)",
        flush=True,
    )


if __name__ == "__main__":
    main()
