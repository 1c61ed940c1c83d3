"""`softdock export`: write a system in the format of another simulator, or as a unit that runs without Python."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError, file_errors
from softdock.files.atomic import write_atomic

FORMATS = ("mjcf", "fmu", "plant")
Names = list[str] | None


def export(
    to: Annotated[
        str,
        typer.Argument(
            metavar="mjcf|fmu|plant",
            help="Format: mjcf (MuJoCo), fmu (co-simulation unit of FMI), plant (file for programs in C).",
        ),
    ],
    scenario: options.Scenario,
    overrides: options.Overrides = None,
    inputs: Annotated[
        Names, typer.Option("--inputs", metavar="NAME", help="Input of the unit; may be repeated.")
    ] = None,
    outputs: Annotated[
        Names, typer.Option("--outputs", metavar="NAME", help="Output of the unit; may be repeated.")
    ] = None,
    parameters: Annotated[
        Names,
        typer.Option(
            "--parameters",
            metavar="PATH",
            help="Number of the scenario that may be set before the start (springs.buffer.stiffness); may be repeated.",
        ),
    ] = None,
    fmi: Annotated[str, typer.Option(metavar="VERSION", help="Version of FMI: 2.0 or 3.0.")] = "3.0",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Output file (default: for mjcf standard output, else by scenario)."
        ),
    ] = None,
) -> None:
    """Write a multibody scenario for another simulator: its bodies and joints, or all of it as a compiled unit."""
    if to not in FORMATS:
        raise InputError(f"Known formats: {', '.join(FORMATS)}.", given=to)
    if to == "mjcf":
        _export_mjcf(scenario, overrides, out)
        return
    from softdock.simulation.plant import Plant
    from softdock.simulation.plant_file import plant_file

    plant = Plant(scenario, overrides or (), inputs=inputs or (), outputs=outputs or ())
    if to == "fmu":
        from softdock.simulation.fmu import write_fmu

        content = write_fmu(plant, parameters or (), fmi)
    else:
        content, _ = plant_file(plant, parameters or ())
    path = out or Path(f"{plant.scenario.name or 'softdock'}.{'fmu' if to == 'fmu' else 'sdm'}")
    with file_errors(path, "write"):
        write_atomic(path, content)
    print(f"Written to {path}: {len(plant.inputs)} inputs, {len(plant.outputs)} outputs.")


def _export_mjcf(scenario: str, overrides: options.Overrides, out: Path | None) -> None:
    """Write bodies and joints for MuJoCo, to verify results with it."""
    from softdock.model.mjcf import to_mjcf
    from softdock.scenario.loading import load
    from softdock.scenario.multibody import MultibodyScenario

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
