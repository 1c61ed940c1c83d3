"""Command of the mutation test: `python -m tests.mutants --count 60 --seconds 1500 --packages assembly,kernels`."""

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.mutants.mutations import Mutant, find_mutants

ROOT = Path(__file__).parents[2]
STORED = ROOT / "build" / "mutants"
"""What the tests of each file call, by digest."""
NO_TESTS = 5
"""Exit code of pytest."""
LEFT_OUT = (".git", ".venv", "build", "dist", "out", "_build", "__pycache__", ".*_cache")


@dataclass(frozen=True)
class Target:
    """Files of the package that are changed, and the tests among which those that call them are chosen."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    """Patterns of their files."""
    marked: str
    """Expression over the markers of the tests."""
    environment: dict[str, str] = field(default_factory=dict)


ORDINARY = "not slow and not long"
TARGETS = {
    "assembly": Target(
        ("assembly/**/*.py",),
        (
            "campaign/test_number_replacement.py",
            "contact/*.py",
            "dynamics/*.py",
            "flexible/*.py",
            "gnc/*.py",
            "result/test_loads.py",
            "result/test_reaction_kinds.py",
            "simulation/*.py",
        ),
        ORDINARY,
    ),
    "elements": Target(
        ("elements/*.py", "elements/*/declaration.py", "elements/*/model.py"),
        (
            "dynamics/*.py",
            "result/test_loads.py",
            "result/test_reaction_kinds.py",
            "scenario/*.py",
            "simulation/*.py",
        ),
        ORDINARY,
    ),
    "presentation": Target(
        ("presentation/*.py",),
        (
            "campaign/test_compliance.py",
            "campaign/test_report.py",
            "presentation/*.py",
            "report/*.py",
            "result/*.py",
        ),
        ORDINARY,
    ),
    # As plain Python, so that no library is built for a mutant.
    "kernels": Target(
        ("**/kernels/**/*.py", "**/kernels.py"), ("**/*.py",), "plain_python", {"SOFTDOCK_KERNELS": "python"}
    ),
}


class Copy:
    """A copy of the repository in which mutants are tested."""

    def __init__(self, folder: Path, target: Target) -> None:
        self.root, self.target = folder / "copy", target
        self.package = self.root / "src" / "softdock"
        self.notes, self.chosen, self.log = (
            folder / name for name in ("notes.json", "chosen.txt", "log.txt")
        )
        shutil.copytree(ROOT, self.root, ignore=shutil.ignore_patterns(*LEFT_OUT))
        self.sources = {
            path.relative_to(self.package).as_posix(): path.read_bytes()
            for path in sorted({path for pattern in target.files for path in self.package.glob(pattern)})
        }
        self.calls: dict[str, tuple[float, list[str]]] = {}

    def run(self, *arguments: str, limit: float, **environment: str) -> int | None:
        """Run pytest in the copy; returns its exit code, or None if the time limit [s] was reached."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "tests.mutants.calls"]
        settings = {"PYTHONPATH": f"{self.root / 'src'}:{self.root}", "MUTANTS_NOTES": str(self.notes)}
        with (
            self.log.open("w") as log,
            subprocess.Popen(
                [*command, *arguments],
                cwd=self.root,
                env=os.environ | settings | self.target.environment | environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            ) as process,
        ):
            try:
                return process.wait(limit)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def note_calls(self, limit: float) -> None:
        """Run the tests of the target without a mutant and note what they call; ends the command if one fails.

        What files called is stored: they run again only where they, the package or modules of tests changed.
        """
        tests = self.root / "tests"
        paths = [path for pattern in self.target.tests for path in sorted(tests.glob(pattern))]
        shared = hashlib.sha256(self.target.marked.encode())
        for path in [*sorted(self.root.glob("src/**/*.py")), *sorted(tests.glob("*/*.py"))]:
            if not path.name.startswith("test_") and path.parent.name != "mutants":
                shared.update(path.read_bytes())
        keys = {
            path.relative_to(self.root).as_posix(): hashlib.sha256(
                shared.digest() + path.read_bytes()
            ).hexdigest()
            for path in paths
            if path.name.startswith("test_")
            and (self.target.marked == ORDINARY or self.target.marked in path.read_text(encoding="utf-8"))
        }
        STORED.mkdir(parents=True, exist_ok=True)
        changed = [path for path, key in keys.items() if not (STORED / key).exists()]
        if changed and self.run("-m", self.target.marked, *changed, limit=limit) not in (0, NO_TESTS):
            sys.exit("The tests fail without a mutant, or take too long:\n" + self.log.read_text()[-3000:])
        noted = json.loads(self.notes.read_text(encoding="utf-8")) if changed else {}
        for path in changed:
            own = {test: calls for test, calls in noted.items() if test.partition("::")[0] == path}
            (STORED / keys[path]).write_text(json.dumps(own), encoding="utf-8")
        for key in keys.values():
            self.calls |= json.loads((STORED / key).read_text(encoding="utf-8"))

    def tests_of(self, mutant: Mutant, seconds: float) -> list[str]:
        """Return the tests that call the function of a mutant, then the others in their files, within so many seconds.

        Of each, those in files named after a module or folder of the mutant come first, then the fastest one of every
        file. Code outside functions is tested by files that call any function of its file, or of those that import it.
        """
        if mutant.function:
            wanted = re.compile(re.escape(f"{mutant.path}:{mutant.function}"))
        else:
            name = "softdock." + mutant.path.removesuffix(".py").replace("/", ".")
            paths = [path for path in self.package.rglob("*.py") if f"from {name} import" in path.read_text()]
            sources = [mutant.path, *(path.relative_to(self.package).as_posix() for path in paths)]
            wanted = re.compile(f"({'|'.join(map(re.escape, sources))}):.*")
        direct = {test for test, (_, calls) in self.calls.items() if any(map(wanted.fullmatch, calls))}
        files = {test.partition("::")[0] for test in direct}
        near = [test for test in self.calls if test.partition("::")[0] in files]
        if not mutant.function:
            direct = set(near)
        topics = set(Path(mutant.path).with_suffix("").parts) - {"kernels"}
        named = {path for path in files if any(topic in path for topic in topics)}
        places: Counter[str] = Counter()
        order = {}
        for test in sorted(near, key=lambda test: (test not in direct, self.calls[test][0])):
            path = test.partition("::")[0]
            places[path] += 1
            order[test] = test not in direct, path not in named, places[path], self.calls[test][0]
        chosen, total = [], 0.0
        for test in sorted(near, key=order.__getitem__):
            total += self.calls[test][0]
            if chosen and total > seconds:
                break
            chosen.append(test)
        return chosen

    def outcome(self, mutant: Mutant, seconds: float) -> str:
        """Return what the tests make of a mutant; those in the file of the first one are tried first."""
        tests = self.tests_of(mutant, seconds)
        if not tests:
            return "not called"
        first = [test for test in tests if test.partition("::")[0] == tests[0].partition("::")[0]]
        others = [test for test in tests if test not in first]
        self._write(mutant.path, mutant.apply(self.sources[mutant.path]))
        try:
            return next(
                (found for part in (first, others) if part and (found := self._try(part))), "survived"
            )
        finally:
            self._write(mutant.path, self.sources[mutant.path])

    def _try(self, tests: list[str]) -> str:
        """Run tests on the changed package and return how they killed the mutant; empty if all pass."""
        self.chosen.write_text("\n".join(tests), encoding="utf-8")
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        known = sum(self.calls[test][0] for test in tests)
        code = self.run(*files, limit=60.0 + 5.0 * known, MUTANTS_TESTS=str(self.chosen))
        return "killed by the time limit" if code is None else "killed" if code != 0 else ""

    def _write(self, path: str, source: bytes) -> None:
        """Write a source file, without bytecode of another one of the same size and second."""
        (self.package / path).write_bytes(source)
        for stored in (self.package / path).parent.glob(f"__pycache__/{Path(path).stem}.*"):
            stored.unlink()


def main() -> None:
    """Test mutants of all packages, each with its share of count and time, and print the scores."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # removes the copy
    names = options.packages.split(",")
    if unknown := set(names) - set(TARGETS):
        sys.exit(f"Unknown packages: {', '.join(sorted(unknown))}. Known: {', '.join(TARGETS)}.")
    for name in names:
        with tempfile.TemporaryDirectory(prefix="softdock-mutants-") as folder:
            _test_package(name, Copy(Path(folder), TARGETS[name]), options, 1.0 / len(names))


def _test_package(name: str, copy: Copy, options: argparse.Namespace, share: float) -> None:
    random = Random(f"{options.seed} {name}")
    mutants = [one for path, source in copy.sources.items() for one in find_mutants(path, source, random)]
    chosen = random.sample(mutants, min(round(options.count * share), len(mutants)))
    print(
        f"{name}: {len(chosen)} of {len(mutants)} mutants in {len(copy.sources)} files, seed {options.seed}",
        flush=True,
    )
    copy.note_calls(options.baseline_seconds)
    end = time.monotonic() + options.seconds * share
    counts: Counter[str] = Counter()
    for mutant in chosen:
        if time.monotonic() > end:
            break
        outcome = copy.outcome(mutant, options.test_seconds)
        counts[outcome] += 1
        if options.verbose or not outcome.startswith("killed"):
            print(f"  {outcome}: {mutant}", flush=True)
    tested, killed = counts.total(), counts["killed"] + counts["killed by the time limit"]
    score = f"{killed / tested:.0%}" if tested else "-"
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    print(f"{name}: score {score} of {tested} mutants tested: {outcomes}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60, help="mutants of all packages together")
    parser.add_argument("--seconds", type=float, default=1500.0, help="time limit of all mutants [s]")
    parser.add_argument("--test-seconds", type=float, default=15.0, help="tests tried on one mutant [s]")
    parser.add_argument(
        "--baseline-seconds", type=float, default=900.0, help="time limit of the tests without a mutant [s]"
    )
    parser.add_argument(
        "--packages", default=",".join(TARGETS), help=f"of {','.join(TARGETS)}; all by default"
    )
    parser.add_argument("--verbose", action="store_true", help="also print the mutants that are killed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
