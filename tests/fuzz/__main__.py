"""Command of the fuzzer: `python -m tests.fuzz --count 10000 --seed 1 --formats step,mesh`."""

import argparse
import hashlib
import json
import os
import signal
import sys
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz import formats
from tests.fuzz.formats import Format
from tests.fuzz.shared import Defect, Found, Shared
from tests.fuzz.worker import Worker, input_of

BATCH = 20_000
"""Inputs of one worker process; what it has allocated and written is released with it."""
MOST_DEFECTS = 50
"""Defects of one format after which its run ends."""
FUZZER_ERROR = 70
"""Exit code of a worker whose own code failed."""
ROOT = Path(__file__).parents[2]


@dataclass
class Tally:
    """Counts of one format."""

    inputs: int = 0
    accepted: int = 0
    refused: int = 0
    defects: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


class Run:
    """Inputs of one format from a seed."""

    def __init__(self, name: str, seed: int, out: Path) -> None:
        self.name, self.seed, self.out = name, seed, out
        self.form: Format = formats.load(name)
        self.tally = Tally()

    def go(self, first: int, count: int, deadline: float) -> Tally:
        """Read inputs until their number or the deadline [s, monotonic] is reached."""
        begun, index, last = time.monotonic(), first, first + count
        while index < last and time.monotonic() < deadline and self.tally.defects.total() < MOST_DEFECTS:
            index = self._batch(index, min(index + BATCH, last), deadline)
        self.tally.inputs = index - first
        self.tally.seconds = time.monotonic() - begun
        return self.tally

    def _batch(self, first: int, last: int, deadline: float, *, isolated: bool = False) -> int:
        """Read inputs in one worker process; return the number of the next input."""
        shared = Shared()
        shared.isolated = isolated
        shared.begin(first)
        worker = Worker(self.name, self.form, self.seed, shared)
        sys.stdout.flush()
        process = os.fork()
        if not process:
            self._work(worker, first, last)
        status, ended = self._watch(process, shared, deadline)
        worker.remove_files()
        self.tally.accepted += shared.accepted
        self.tally.refused += shared.refused
        self.tally.defects += shared.defects
        if status == FUZZER_ERROR:
            sys.exit(f"The fuzzer itself failed at input {shared.index}: {self.out / 'fuzzer-error.txt'}")
        if status == 0 or ended == "deadline":
            return shared.index
        if shared.in_library and not isolated:
            return self._batch(shared.index, shared.index + 1, deadline, isolated=True)
        found = Found(
            Defect.HANG if ended == "hang" else Defect.CRASH,
            f"no answer within {self.form.seconds:g} s"
            if ended == "hang"
            else f"the process ended with {status}",
        )
        self.write(shared.index, found)
        self.tally.defects[found.defect] += 1
        return shared.index + 1

    def _work(self, worker: Worker, first: int, last: int) -> None:
        code = FUZZER_ERROR
        try:
            worker.prepare()
            for index, found in worker.run(first, last):
                self.write(index, found)
            code = 0
        except BaseException:
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / "fuzzer-error.txt").write_text(traceback.format_exc())
        finally:
            os._exit(code)

    def _watch(self, process: int, shared: Shared, deadline: float) -> tuple[int, str]:
        """Return exit code and reason of the end of a worker."""
        while True:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status), ""
            reason = (
                "hang"
                if shared.elapsed > self.form.seconds
                else "deadline"
                if time.monotonic() > deadline
                else ""
            )
            if reason:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                return -9, reason
            time.sleep(0.02)

    def write(self, index: int, found: Found) -> None:
        """Write the input of a defect to a folder, with the command that repeats it."""
        folder = self.out / f"{self.name}-{self.seed}-{index}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in input_of(self.name, self.form, self.seed, index).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        command = f"python -m tests.fuzz --formats {self.name} --seed {self.seed} --first {index} --count 1"
        (folder / "defect.txt").write_text(f"{found.defect}\n{command}\n\n{found.text}\n", errors="replace")


def main() -> None:
    """Run the formats one after the other and print a table."""
    options = _options()
    names = options.formats.split(",") if options.formats else list(formats.NAMES)
    if unknown := set(names) - set(formats.NAMES):
        sys.exit(f"Unknown formats: {', '.join(sorted(unknown))}. Known: {', '.join(formats.NAMES)}.")
    shares = {name: formats.load(name).share for name in names}
    begun, found = time.monotonic(), 0
    for number, name in enumerate(names):
        count = max(1, round(options.count * shares[name] / sum(shares.values())))
        # Time that is left over by one format is used by the next ones.
        left = options.seconds - (time.monotonic() - begun)
        weight = 1.0 / (len(names) - number)
        run = Run(name, options.seed, options.out)
        tally = run.go(options.first, count, time.monotonic() + left * weight)
        found += tally.defects.total()
        _print(name, tally)
        if options.record:
            _record(options.record, name, options.seed, tally)
    if found:
        print(f"{found} defects; inputs and commands are in {options.out}.")
        for path in sorted(options.out.glob("*/defect.txt"))[:20]:
            print("  " + " | ".join(path.read_text(errors="replace").splitlines()[:2]))
    sys.exit(1 if found else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20_000, help="inputs of all formats together")
    parser.add_argument("--first", type=int, default=0, help="number of the first input of each format")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit [s]")
    parser.add_argument("--formats", default="", help=f"of {','.join(formats.NAMES)}; all by default")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out" / "fuzz", help="folder of inputs with defects"
    )
    parser.add_argument("--record", type=Path, help="file to which the counts are added, by format and seed")
    return parser.parse_args()


def _print(name: str, tally: Tally) -> None:
    rate = tally.inputs / max(tally.seconds, 1e-9)
    defects = ", ".join(f"{count} {kind}" for kind, count in tally.defects.items()) or "no defects"
    print(
        f"{name:10} {tally.inputs:8} inputs: {tally.accepted} accepted, {tally.refused} refused, {defects} "
        f"({rate:.0f} per second)",
        flush=True,
    )


def source_digest() -> str:
    """Return a short digest of the package and of the fuzzer, so that counts belong to one state of both."""
    digest = hashlib.sha256()
    for folder in (ROOT / "src" / "softdock", Path(__file__).parent):
        for file in sorted((*folder.rglob("*.py"), *folder.rglob("*.yaml"), *folder.rglob("*.js"))):
            digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def _record(path: Path, name: str, seed: int, tally: Tally) -> None:
    known = json.loads(path.read_text()) if path.exists() else {}
    known.setdefault(name, {})[str(seed)] = {
        "sources": source_digest(),
        "inputs": tally.inputs,
        "accepted": tally.accepted,
        "refused": tally.refused,
        "defects": dict(tally.defects),
    }
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
