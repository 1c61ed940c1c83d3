"""Command of the study of peaks: `python -m tests.accuracy --count 60 --seed 1 --families spring,tree`."""

import argparse
import statistics
from concurrent.futures import ProcessPoolExecutor

from tests.accuracy.cases import FAMILIES, case
from tests.accuracy.study import CaseResult, study

COLUMNS = (
    "family",
    "cases",
    "peaks",
    "sensitive",
    "wrong",
    "unflagged",
    "flagged right",
    "uncovered",
    "median error",
)
COLUMNS += ("median stated", "steps", "evaluations", "most steps")


def main() -> None:
    """Run the families and print a table, and the peaks that are wrong without a flag or beyond their stated error."""
    options = _options()
    names = options.families.split(",") if options.families else list(FAMILIES)
    jobs = [
        (name, options.seed * 10_000 + i, options.implicit) for name in names for i in range(options.count)
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        results = list(pool.map(_study, jobs, chunksize=4))
    print(" | ".join(COLUMNS))
    for name in [*names, "all"]:
        print(" | ".join(_row(name, [one for one in results if name in (one.family, "all")])))
    for result in results:
        for peak in result.peaks:
            if (peak.is_wrong and not peak.flagged) or (options.verbose and peak.is_uncovered):
                what = "wrong" if peak.is_wrong else "uncovered"
                print(
                    f"{what}: {peak.case} {' '.join(peak.peak)}: {peak.value:.6g}, reference {peak.reference:.6g}"
                )
                print(f"    error {peak.error / peak.scale:.2%} of {peak.scale:.3g}, stated {peak.stated}")
        if result.implicit_steps is not None and result.steps > 20_000 > 10 * result.implicit_steps:
            print(f"steps: {result.name}: {result.steps}, implicit {result.implicit_steps}")


def _study(job: tuple[str, int, bool]) -> CaseResult:
    family, seed, implicit = job
    return study(case(family, seed), implicit)


def _row(name: str, results: list[CaseResult]) -> list[str]:
    peaks = [peak for result in results for peak in result.peaks]
    clear = [peak for peak in peaks if not peak.sensitive]
    stated = [peak.stated / peak.scale for peak in clear if peak.stated is not None]
    right = {p.case for p in clear if p.flagged} - {p.case for p in clear if p.is_wrong}
    numbers = [
        len(results),
        len(peaks),
        len(peaks) - len(clear),
        sum(peak.is_wrong for peak in clear),
        sum(peak.is_wrong and not peak.flagged for peak in clear),
        len(right),
        sum(peak.is_uncovered for peak in clear),
    ]
    shares = [
        statistics.median(values) if values else 0.0
        for values in ([p.error / p.scale for p in clear], stated)
    ]
    work = [
        sum(r.steps for r in results),
        sum(r.evaluations for r in results),
        max((r.steps for r in results), default=0),
    ]
    return [name, *map(str, numbers), *(f"{share:.2e}" for share in shares), *map(str, work)]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy", description=__doc__)
    parser.add_argument("--count", type=int, default=60, help="cases of each family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--families", default="", help=f"of {','.join(FAMILIES)}; all by default")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    parser.add_argument("--implicit", action="store_true", help="also count the steps of the implicit method")
    parser.add_argument(
        "--verbose", action="store_true", help="also list peaks beyond twice their stated error"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
