"""`softdock new`: write a commented scenario or campaign to start from."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.errors import InputError, file_error
from softdock.files.atomic import write_new

SUFFIXES = (".yaml", ".yml")


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the new file, with or without .yaml.")],
    template: Annotated[
        str, typer.Option(metavar="KIND", help="Template: multibody, chain, station, robot or campaign.")
    ] = "multibody",
) -> None:
    """Write a commented file that runs as it is, to be changed; an existing file is not overwritten."""
    from softdock.scenario.loading import templates
    from softdock.scenario.messages import did_you_mean

    known = templates()
    if template not in known:
        hint = did_you_mean(template, known)[0].replace("Allowed", "Templates")
        raise InputError("There is no such template.", field="--template", given=template, hint=hint)
    path = Path(name) if Path(name).suffix in SUFFIXES else Path(f"{name}.yaml")
    try:
        write_new(path, known[template])
    except FileExistsError:
        message = "Exists already and is not overwritten."
        raise InputError(message, file=str(path), hint="Choose another name.") from None
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        if isinstance(error, OSError):
            raise file_error(path, "write", error) from error
        raise InputError("Is not a name of a file.", given=name) from None
    command = "campaign run" if template == "campaign" else "run"
    out = f" --out {path.stem}" if template == "campaign" else ""
    print(f"Written to {path}. Run it with: softdock {command} {path}{out}")
