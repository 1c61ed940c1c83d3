"""`softdock scale`: write a scaled scenario for a laboratory, with the dimensionless numbers that it keeps."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError, file_error

ROWS = 40


def scale(
    scenario: options.Scenario,
    mass: Annotated[float, typer.Option(metavar="FACTOR", help="Scaled over full mass.")],
    length: Annotated[float, typer.Option(metavar="FACTOR", help="Scaled over full length.")] = 1.0,
    speed: Annotated[float | None, typer.Option(metavar="FACTOR", help="Scaled over full speed.")] = None,
    time: Annotated[float | None, typer.Option(metavar="FACTOR", help="Scaled over full time.")] = None,
    stiffness: Annotated[
        float | None,
        typer.Option(metavar="FACTOR", help="Scaled over full stiffness of springs along a line."),
    ] = None,
    bearing_friction: Annotated[
        float, typer.Option(metavar="COEFFICIENT", help="Friction of the air bearings over the weight.")
    ] = 0.0,
    tilt: Annotated[str, typer.Option(metavar="ANGLE", help="Tilt of the table.")] = "0 deg",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the scaled scenario.")] = None,
    overrides: options.Overrides = None,
    as_json: options.Json = False,
) -> None:
    """Scale mass, length and one of speed, time, stiffness (speed 1 if none); list the dimensionless numbers."""
    from softdock.scenario import scaling
    from softdock.scenario.loading import load
    from softdock.scenario.multibody import MultibodyScenario

    loaded = load(scenario, overrides or ())
    if type(loaded) is not MultibodyScenario:
        raise InputError(f"Is of kind '{loaded.kind}'; only 'multibody' can be scaled.", given=scenario)
    scales = scaling.Scales.of(mass, length, speed=speed, time=time, stiffness=stiffness)
    angle = options.parse_option("--tilt", tilt, "rad")
    numbers = scaling.numbers(loaded, scales, friction=bearing_friction, tilt=angle)
    if out is not None:
        text = scaling.scaled_text_of(loaded, scales, scenario, friction=bearing_friction, tilt=angle)
        _write(out, text)
    if as_json:
        console.print_json(scaling.to_json(scales, numbers) | {"file": str(out) if out else None})
        return
    console.print_text("\n".join(scaling.lines(scales, numbers, ROWS)))
    if out is not None:
        console.print_text(f"Written to {out}. Run it with: softdock run {out}")


def _write(path: Path, text: str) -> None:
    from softdock.files.atomic import write_atomic

    try:
        write_atomic(path, text)
    except OSError as error:
        raise file_error(path, "write", error) from error
