"""`softdock compare`: compare two runs channel by channel."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console, options

if TYPE_CHECKING:
    from softdock.presentation.tables import Table
    from softdock.presentation.unit_systems import UnitSystem
    from softdock.recording.comparison import Comparison, Deviation, PeakPair

FILE = "comparison.json"
MOST_PEAKS = 12  # of the table of peak reactions
MOST_LINES = 40  # of the table of channels; --json prints all


def compare(
    run_a: Annotated[
        str, typer.Argument(metavar="RUN_A", help="Folder of a run, or mapping file of a recording.")
    ],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="Run to compare with RUN_A.")],
    offset: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Added to the times of RUN_B (default: found by correlation)."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write figures and comparison.json to this folder.")
    ] = None,
    units: options.Units = None,
    as_json: options.Json = False,
) -> None:
    """Align two runs in time and print their differences, channel by channel."""
    from softdock.presentation.discrepancies import discrepancy_texts
    from softdock.presentation.unit_systems import find_unit_system, unit_system_of
    from softdock.recording.comparison import compare as compare_runs
    from softdock.recording.loading import load_run

    shift = None if offset is None else options.parse_option("--offset", offset, "s")
    if units is not None:
        find_unit_system(units)  # refuse an unknown one before the files are read
    comparison = compare_runs(load_run(run_a), load_run(run_b), shift)
    system = unit_system_of(comparison.a.definition, units)
    written = [] if out is None else _write(comparison, out, system)
    if as_json:
        console.print_json(comparison.to_json())
        return
    for run, result in (("A", comparison.a), ("B", comparison.b)):
        for text in discrepancy_texts(result.discrepancies):
            console.print_text(f"{run}: {text}")
    _print(comparison, system)
    for path in written:
        console.print_text(f"Written to {path}")


def _write(comparison: "Comparison", folder: Path, system: "UnitSystem") -> list[Path]:
    from softdock.files.atomic import write_together
    from softdock.report.comparison import draw_comparison

    text = json.dumps(comparison.to_json(), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    console.make_folder(folder)
    figures = draw_comparison(comparison, folder, system)
    write_together(folder, {FILE: text.encode()})
    return [*figures, folder / FILE]


def _print(comparison: "Comparison", system: "UnitSystem") -> None:
    from softdock.presentation.labels import shorten_list
    from softdock.presentation.numbers import format_quantity

    alignment = comparison.alignment
    how = "found by correlation" if alignment.estimated else "given"
    console.print_text(f"A: {comparison.a.scenario}, {comparison.a.message}")
    console.print_text(f"B: {comparison.b.scenario}, {comparison.b.message}")
    console.print_text(
        f"B is shifted by {format_quantity(alignment.offset, 's')} ({how}); common time "
        f"{format_quantity(comparison.start, 's')} to {format_quantity(comparison.end, 's')}."
    )
    console.print_text()
    if comparison.joints:
        console.print_text(_joint_table(comparison, system).to_text())
        console.print_text()
    peaks = comparison.peaks
    if peaks:
        console.print_text(_peak_table(peaks[:MOST_PEAKS], system).to_text())
        if len(peaks) > MOST_PEAKS:
            console.print_text(f"... and {len(peaks) - MOST_PEAKS} more peak reactions; --json prints all.")
        console.print_text()
    ranked = _ranked(comparison)
    console.print_text(_channel_table(ranked[:MOST_LINES], system).to_text())
    if len(ranked) > MOST_LINES:
        console.print_text(
            f"... and {len(ranked) - MOST_LINES} more channels with smaller differences; --json prints all."
        )
    for run, names in (("A", comparison.only_a), ("B", comparison.only_b)):
        if names:
            console.print_text(f"Only in {run}: {shorten_list(list(names), 6)}.")
    if comparison.other_unit:
        console.print_text(
            f"Not compared, because their units differ in dimension: {', '.join(comparison.other_unit)}."
        )


def _joint_table(comparison: "Comparison", system: "UnitSystem") -> "Table":
    from softdock.presentation.numbers import MISSING, format_quantity
    from softdock.presentation.tables import Table

    rows = []
    for name, both in comparison.joints.items():
        cells = [name]
        for quantity in ("angle", "torque"):
            joint_deviation = both.get(quantity)
            values = (joint_deviation.largest, joint_deviation.deviation) if joint_deviation else ()
            cells += (
                [format_quantity(v, joint_deviation.unit, system) for v in values]
                if joint_deviation
                else [MISSING, MISSING]
            )
        rows.append(cells)
    header = ("joint", "angle: largest", "std deviation", "torque: largest", "std deviation")
    return Table(header=header, rows=rows)


def _peak_table(peaks: "Sequence[PeakPair]", system: "UnitSystem") -> "Table":
    """Return the peak reactions of both runs with their errors, and whether these explain the difference."""
    from softdock.presentation.numbers import MISSING, format_quantity, format_with_error
    from softdock.presentation.tables import Table

    answers = {True: "yes", False: "no", None: MISSING}
    rows = [
        (
            f"{'force' if pair.unit == 'N' else 'moment'} of {pair.kind} {pair.name}",
            format_with_error(pair.a, pair.a_error, pair.unit, system),
            format_with_error(pair.b, pair.b_error, pair.unit, system),
            format_quantity(pair.b - pair.a, pair.unit, system),
            answers[pair.within_errors],
        )
        for pair in peaks
    ]
    return Table(header=("peak reaction", "A", "B", "B - A", "within errors"), rows=rows, left=(0, 4))


def _channel_table(channels: "Sequence[tuple[str, Deviation]]", system: "UnitSystem") -> "Table":
    from softdock.presentation.numbers import format_quantity
    from softdock.presentation.tables import Table

    rows = [
        (
            name,
            format_quantity(d.largest, d.unit, system),
            format_quantity(d.largest_at, "s"),
            *(format_quantity(value, d.unit, system) for value in (d.deviation, d.mean, d.range)),
        )
        for name, d in channels
    ]
    return Table(header=("channel", "largest", "at", "std deviation", "mean", "range of A"), rows=rows)


def _ranked(comparison: "Comparison") -> list[tuple[str, "Deviation"]]:
    """Return the channels in order of their largest difference relative to their range, largest first."""
    typical: dict[str, float] = {}
    for deviation in comparison.channels.values():
        typical[deviation.unit] = max(typical.get(deviation.unit, 0.0), deviation.range, deviation.largest)

    def relative_difference(item: tuple[str, "Deviation"]) -> float:
        _, d = item
        scale = max(d.range, 1e-3 * typical[d.unit])
        return -d.largest / scale if scale > 0.0 else 0.0

    return sorted(comparison.channels.items(), key=relative_difference)
