"""Inputs of a run as they were written, with file, line and source."""

from collections.abc import Sequence
from itertools import groupby

from softdock.presentation.tables import Table
from softdock.report.page import collapsed, paragraph, scrolling
from softdock.result import Result
from softdock.scenario.provenance import WrittenValue

NOTE = (
    "Values as they were written, in their original units; numbers without a unit are in SI. Keys that are not listed "
    "have their defaults, which the full scenario in the annex contains."
)


def input_parts(result: Result) -> list[str]:
    """Return a table for each section of the scenario; a note where lines and texts are unknown."""
    if not result.inputs:
        text = "The files of this scenario are not known; the annex has the full scenario in SI."
        return [paragraph(text, "soft")]
    parts = [paragraph(NOTE, "soft"), paragraph(_count_sources(result.inputs))]
    for section, values in groupby(result.inputs, key=lambda value: value.path.partition(".")[0]):
        rows = list(values)
        parts.append(collapsed(f"{section}: {_count(len(rows))}", scrolling(_table(rows), small=True)))
    return parts


def _count(values: int) -> str:
    return "1 value" if values == 1 else f"{values} values"


def _count_sources(values: Sequence[WrittenValue]) -> str:
    """Return how many values have a stated source, by kind."""
    kinds: dict[str, int] = {}
    for value in values:
        kinds[value.kind or "no source stated"] = kinds.get(value.kind or "no source stated", 0) + 1
    replaced = sum(value.line is None for value in values)
    overrides = f" {_count(replaced)} given on the command line." if replaced else ""
    listed = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"{_count(len(values))}: {listed}.{overrides}"


def _table(values: Sequence[WrittenValue]) -> Table:
    with_source = any(value.kind for value in values)
    rows = []
    for value in values:
        place = value.file if value.line is None else f"{value.file}:{value.line}"
        source = f"{value.kind}: {value.reference}" if value.reference else value.kind
        rows.append((value.path, value.text, place, *([source] if with_source else [])))
    header = ("key", "value", "file and line", *(["source"] if with_source else []))
    return Table(header=header, rows=rows, left=(0, 1, 2, 3))
