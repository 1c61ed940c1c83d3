"""`softdock inspect`: what a CAD file contains, what of it is exact, and what is wrong with it."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError

if TYPE_CHECKING:
    from softdock.geometry.solids.inspection import InspectedBody, Inspection

PICTURES = (".png", ".svg", ".pdf", ".html")


def inspect(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="STEP, STL, OBJ, PLY or GLB file.")],
    part: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a file with several bodies: which one, by name or number."),
    ] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="UNIT", help="Of a file without units: m, cm, mm, um, in or ft.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw the body with the numbers of its faces: PNG, SVG, PDF or HTML."
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List bodies and faces of a CAD file, which are exact, problems, walls, and axes of revolution."""
    from softdock.geometry.solids.inspection import inspect_file

    console.check_suffix("--picture", picture, *PICTURES)
    number = int(part) if part is not None and part.isdecimal() else part
    inspection = inspect_file(file, part=number, unit=unit)
    body = None if inspection.selected is None else inspection.bodies[inspection.selected]
    if picture is not None:
        _draw(file, inspection, body, unit, picture)
    if as_json:
        usable = body is not None and body.closed and not body.problems
        console.print_json({**asdict(inspection), "usable": usable})
        return
    _print(inspection, body)
    if picture is not None:
        print(f"Written to {picture}")


def _print(inspection: "Inspection", body: "InspectedBody | None") -> None:
    from softdock.presentation import inspection as texts

    console.print_text(texts.file_line(inspection))
    if body is None or len(inspection.bodies) > 1:
        console.print_text(texts.bodies_table(inspection).to_text())
    if body is None:
        for one in inspection.bodies:
            for sentence in (*one.problems, *one.warnings):
                console.print_text(f"{one.name}: {sentence}")
        console.print_text("Select a body for its faces: --part NAME, or its number.")
        return
    for line in texts.body_lines(body):
        console.print_text(line)
    console.print_text()
    console.print_text(texts.faces_table(body).to_text())


def _draw(
    file: Path, inspection: "Inspection", body: "InspectedBody | None", unit: str | None, picture: Path
) -> None:
    from softdock.report.solid_picture import write_picture

    if body is None:
        hint = "Select one with --part NAME, or its number."
        names = ", ".join(f"{one.number} ({one.name})" for one in inspection.bodies)
        raise InputError(
            f"The file holds {len(inspection.bodies)} bodies: {names}.", field="--picture", hint=hint
        )
    write_picture(file, inspection, body, unit, picture)
