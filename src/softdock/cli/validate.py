"""`softdock validate`: check a scenario or campaign file and list all its problems."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError

if TYPE_CHECKING:
    from softdock.simulation.checks import CheckFindings


def validate(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="Scenario or campaign file, or the name of a bundled one."),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of scenario and campaign files.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Check a file as a run does before its first step and list all problems, or print the JSON Schema for editors."""
    if schema:
        from softdock.campaign.schema import json_schema

        console.print_json(json_schema())
        return
    if file is None:
        raise InputError("Give a scenario file or --schema.")
    kind = "campaign" if _is_campaign(file) else "scenario"
    findings = _check(file, kind)
    if as_json:
        console.print_json(
            {
                "file": file,
                "valid": not findings.problems,
                "problems": [asdict(problem) for problem in findings.problems],
                "warnings": [asdict(warning) for warning in findings.warnings],
            }
            | ({"notes": [asdict(note) for note in findings.notes]} if findings.notes else {})
        )
        if findings.problems:
            raise typer.Exit(console.EXIT_INPUT)
        return
    for warning in findings.warnings:
        console.print_message(f"Warning: {warning}")
    for note in findings.notes:
        console.print_message(f"Note: {note}")
    if findings.problems:
        raise InputError(*findings.problems)
    console.print_text(f"{file} is a valid {kind}.")


def _is_campaign(file: str) -> bool:
    """Return whether a name or file is that of a campaign; a bundled scenario takes precedence."""
    from softdock.campaign.loading import campaign_names
    from softdock.scenario.loading import bundled_names
    from softdock.scenario.source import read_file

    if file in bundled_names():
        return False
    if file in campaign_names():
        return True
    try:
        return bool(read_file(Path(file)).data.get("kind") == "campaign")
    except InputError:  # reported by the check of scenarios
        return False


def _check(file: str, kind: str) -> "CheckFindings":
    """Check a scenario, or a campaign and its scenario without dispersions."""
    from softdock.campaign.loading import read_campaign
    from softdock.scenario.loading import load
    from softdock.simulation.checks import CheckFindings, check_before_run

    try:
        campaign = read_campaign(file) if kind == "campaign" else None
        return check_before_run(campaign.template.build_from_data({}) if campaign else load(file))
    except InputError as error:
        return CheckFindings(problems=error.problems)
