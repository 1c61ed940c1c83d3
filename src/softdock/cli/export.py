"""`softdock export`: write a system in the format of another engine."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem, file_error

FORMATS = ("mjcf",)


def export(
    to: Annotated[str, typer.Argument(metavar="mjcf", help="Format: mjcf, the models of MuJoCo.")],
    scenario: Annotated[
        str,
        typer.Argument(metavar="NAME|FILE", help="Bundled scenario (see softdock scenarios) or YAML file."),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Replace a field; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there instead of standard output.")
    ] = None,
) -> None:
    """Write the bodies and joints of a multibody scenario for another engine, to check an answer with it."""
    from softdock.model.mjcf import to_mjcf
    from softdock.scenario import load
    from softdock.scenario.multibody import MultibodyScenario

    if to not in FORMATS:
        raise InputError(Problem(message=f"There are the formats: {', '.join(FORMATS)}.", given=to))
    chosen = load(scenario, overrides or ())
    if not isinstance(chosen, MultibodyScenario):
        raise InputError(
            Problem(
                field="kind", message="Only scenarios of kind multibody can be exported.", given=chosen.kind
            )
        )
    exported = to_mjcf(chosen.at_start(), chosen.name or "softdock")
    for sentence in exported.left_out:
        console.say(f"Left out: {sentence}")
    if out is None:
        print(exported.text, end="")
        return
    try:
        out.write_text(exported.text, encoding="utf-8")
    except OSError as error:
        raise file_error(out, "write", error) from error
    print(f"Written to {out}")
