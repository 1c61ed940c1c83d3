"""`softdock verify`: say what of a stored result or campaign agrees with its digests and its history."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError

if TYPE_CHECKING:
    from softdock.presentation.tables import Table
    from softdock.report.verification import Check


def verify(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of a run (softdock run --out) or of a campaign.")
    ],
    rerun: Annotated[
        bool, typer.Option("--rerun", help="Run the stored scenario again and compare the results.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Compare a stored result with its digests, and its peaks with its history.

    Exits with 3 if something differs, with 4 if nothing differs but there is no digest.
    """
    from softdock.campaign.store import TABLE_FILE
    from softdock.files.regular_file import path_exists

    is_campaign = path_exists(folder / TABLE_FILE)
    checks = _campaign_checks(folder, rerun) if is_campaign else _run_checks(folder, rerun)
    counts: dict[str, int] = {}
    for check in checks:
        counts[check.agreement.value] = counts.get(check.agreement.value, 0) + 1
    if as_json:
        kind = "campaign" if is_campaign else "run"
        results = [check.to_json() for check in checks]
        console.print_json({"folder": str(folder), "kind": kind, "counts": counts, "checks": results})
    else:
        console.print_text(_table(checks).to_text())
        console.print_text(", ".join(f"{what}: {count}" for what, count in counts.items()))
    for word, code in (("differs", console.EXIT_VIOLATED), ("no digest", console.EXIT_UNDECIDED)):
        if word in counts:
            raise console.ReportedExit(code)


def _run_checks(folder: Path, rerun: bool) -> "list[Check]":
    from softdock.report.rerun import verify_by_rerun
    from softdock.report.verification import verify_run
    from softdock.result import Result

    checks = verify_run(folder)
    return [*checks, *verify_by_rerun(Result.load(folder))] if rerun else checks


def _campaign_checks(folder: Path, rerun: bool) -> "list[Check]":
    from softdock.report.campaign_verification import verify_campaign

    if rerun:
        hint = f"Repeat a run with: softdock campaign resume {folder} --rerun I."
        raise InputError("Is for the folder of one run.", field="--rerun", hint=hint)
    return verify_campaign(folder)


def _table(checks: "list[Check]") -> "Table":
    """Return one line per check: what, whether it agrees, stored value and value computed again."""
    from softdock.presentation.numbers import format_quantity
    from softdock.presentation.tables import Table

    rows = []
    for check in checks:
        cells = [
            "" if value is None else format_quantity(value, check.unit)
            for value in (check.stored, check.found)
        ]
        rows.append((check.name, check.agreement.value, *cells, check.text))
    return Table(header=("", "", "stored", "computed again", ""), rows=rows, left=(0, 1, 4))
