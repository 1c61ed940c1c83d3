"""`softdock validate`: check a scenario file and list all its problems."""

from typing import Annotated

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem


def validate(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="Scenario file, or the name of a bundled scenario.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of scenario files.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Check a scenario file and list all its problems, or print the JSON Schema for editors."""
    if schema:
        from softdock.scenario.schema import json_schema

        console.print_json(json_schema())
        return
    if file is None:
        raise InputError("Give a scenario file or --schema.")
    from softdock.scenario import check

    problems = check(file)
    if as_json:
        found = [_to_json(problem) for problem in problems]
        console.print_json({"file": file, "valid": not problems, "problems": found})
        if problems:
            raise typer.Exit(console.EXIT_INPUT)
    elif problems:
        raise InputError(*problems)
    else:
        print(f"{file} is a valid scenario.")


def _to_json(problem: Problem) -> dict[str, str | int | None]:
    return {
        "file": problem.file,
        "line": problem.line,
        "field": problem.field,
        "message": problem.message,
        "given": problem.given,
        "hint": problem.hint,
    }
