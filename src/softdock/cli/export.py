"""`softdock export`: write a system in the format of another simulator."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError, file_errors
from softdock.files.atomic import write_atomic

FORMATS = ("mjcf",)


def export(
    to: Annotated[str, typer.Argument(metavar="mjcf", help="Format: mjcf (MuJoCo).")],
    scenario: options.Scenario,
    overrides: options.Overrides = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Output file (default: standard output).")
    ] = None,
) -> None:
    """Write bodies and joints of a multibody scenario for another simulator, to verify results with it."""
    from softdock.model.mjcf import to_mjcf
    from softdock.scenario.loading import load
    from softdock.scenario.multibody import MultibodyScenario

    if to not in FORMATS:
        raise InputError(f"Known formats: {', '.join(FORMATS)}.", given=to)
    chosen = load(scenario, overrides or ())
    if not isinstance(chosen, MultibodyScenario):
        raise InputError("Only scenarios of kind multibody can be exported.", field="kind", given=chosen.kind)
    exported = to_mjcf(chosen.at_start(), chosen.name or "softdock")
    for sentence in exported.left_out:
        console.print_message(f"Not exported: {sentence}")
    if out is None:
        print(exported.text, end="")
        return
    with file_errors(out, "write"):
        write_atomic(out, exported.text)
    print(f"Written to {out}")
