"""`softdock compare`: how far two runs are apart."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem

if TYPE_CHECKING:
    from softdock.recording import Comparison, Deviation

FILE = "comparison.json"
MOST_LINES = 40  # of the table of channels; --json has all


def compare(
    run_a: Annotated[
        str, typer.Argument(metavar="RUN_A", help="Folder of a run, or mapping file of a recording.")
    ],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="The run that is compared with it.")],
    offset: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Added to the times of RUN_B; found by correlation if left out."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write pictures and comparison.json there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Lay two runs over each other in time and say how far they are apart, joint by joint."""
    from softdock.quantities.units import parse_quantity
    from softdock.recording import compare as compare_runs
    from softdock.recording import load_run

    shift = None
    if offset is not None:
        try:
            shift = parse_quantity(offset, "s")
        except ValueError as error:
            raise InputError(Problem(field="--offset", message=f"The value {error}.", given=offset)) from None
    found = compare_runs(load_run(run_a), load_run(run_b), shift)
    written = [] if out is None else _write(found, out)
    if as_json:
        console.print_json(found.to_json())
        return
    _print(found)
    for path in written:
        print(f"Written to {path}")


def _write(found: "Comparison", folder: Path) -> list[Path]:
    from softdock.files.atomic import write_together
    from softdock.report.comparison import draw_comparison

    text = json.dumps(found.to_json(), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    console.make_folder(folder)
    pictures = draw_comparison(found, folder)
    write_together(folder, {FILE: text.encode()})
    return [*pictures, folder / FILE]


def _print(found: "Comparison") -> None:
    alignment = found.alignment
    how = "found by correlation" if alignment.estimated else "as given"
    print(f"A: {found.a.scenario}, {found.a.message}")
    print(f"B: {found.b.scenario}, {found.b.message}")
    print(
        f"B is shifted by {alignment.offset:.6g} s ({how}); both cover {found.start:.6g} to {found.end:.6g} s."
    )
    print()
    joints = found.joints
    if joints:
        rows = [["joint", "angle: largest", "deviation", "torque: largest", "deviation"]]
        for name, both in joints.items():
            cells = [name]
            for what in ("angle", "torque"):
                one = both.get(what)
                cells += [f"{one.largest:.4g} {one.unit}", f"{one.deviation:.4g}"] if one else ["-", "-"]
            rows.append(cells)
        _print_table(rows)
        print()
    ranked = _ranked(found)
    table = [("channel", "largest", "at", "deviation", "mean", "range of A", "unit")]
    table += [
        (
            name, f"{d.largest:.4g}", f"{d.largest_at:.4g} s", f"{d.deviation:.4g}", f"{d.mean:.3g}",
            f"{d.range:.4g}", d.unit,
        )
        for name, d in (ranked[:MOST_LINES])
    ]  # fmt: skip
    _print_table(table)
    if len(ranked) > MOST_LINES:
        print(f"... and {len(ranked) - MOST_LINES} more channels that differ less; --json has all.")
    for title, names in (("A", found.only_a), ("B", found.only_b)):
        if names:
            shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
            print(f"Only in {title}: {shown}.")
    if found.other_unit:
        print(f"With units of another kind, not compared: {', '.join(found.other_unit)}.")


def _ranked(found: "Comparison") -> list[tuple[str, "Deviation"]]:
    """Return the channels, those first that differ most for what they do; what is next to nothing comes last."""
    usual: dict[str, float] = {}
    for deviation in found.channels.values():
        usual[deviation.unit] = max(usual.get(deviation.unit, 0.0), deviation.range, deviation.largest)

    def share(item: tuple[str, "Deviation"]) -> float:
        _, d = item
        scale = max(d.range, 1e-3 * usual[d.unit])
        return -d.largest / scale if scale > 0.0 else 0.0

    return sorted(found.channels.items(), key=share)


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        others = (f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:]))
        print("  ".join([f"{row[0]:<{widths[0]}}", *others]).rstrip())
