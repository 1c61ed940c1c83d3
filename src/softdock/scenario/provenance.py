"""Provenance of the values of a scenario: text as written, file and line, and where the value comes from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from softdock.errors import InputError
from softdock.scenario.base import InputSource, ScenarioBase, SourceKind
from softdock.scenario.inheritance import BASE
from softdock.scenario.messages import did_you_mean
from softdock.scenario.overrides import FLAG
from softdock.scenario.source import FieldPath, Source, dotted

HEADING_KEYS = (
    "softdock", "kind", BASE, "title", "description", "author", "revision", "units", "sources", "requirements",
)  # fmt: skip
"""Keys that describe a scenario, and requirements on it, which are no inputs of a run."""


@dataclass(frozen=True, kw_only=True)
class WrittenValue:
    """A value of a scenario as it was written."""

    path: str
    """Dotted path of its key."""
    text: str
    """The value with its original unit."""
    file: str
    """File, or the option of the command line that gave it."""
    line: int | None
    kind: str = ""
    """Where the value comes from (`SourceKind`); empty where nothing is stated."""
    reference: str = ""


def written_values(scenario: ScenarioBase) -> tuple[WrittenValue, ...]:
    """Return all values that were written in the files of a scenario or given as overrides, in their order.

    Values that are left out, and therefore have their defaults, are not listed. Lists of plain values are one entry.
    """
    source = scenario.source
    if source is None or len(source.locations) <= 1:  # built from data, whose lines are unknown
        return ()
    return tuple(
        _written(scenario, source, path, value)
        for key, part in source.data.items()
        if key not in HEADING_KEYS
        for path, value in _leaves((key,), part)
    )


def applicable_sources(scenario: ScenarioBase, source: Source) -> dict[str, SourceKind | InputSource]:
    """Return the entries of `sources` without those of base files whose keys later files have removed.

    Raises InputError where another entry names a key that the scenario does not have.
    """
    data: dict[str, Any] | None = None
    kept = dict(scenario.sources)
    for path in scenario.sources:
        keys = tuple(path.split("."))
        if _has(source.data, keys):
            continue
        data = scenario.to_data() if data is None else data  # fields that have their defaults
        if not _has(data, keys):
            where = source.where(("sources", path))
            if where.file in source.base_files:
                del kept[path]
                continue
            known = [
                dotted(leaf[: len(keys)]) for leaf, _ in _leaves((), data) if leaf and leaf[0] != "sources"
            ]
            hint = did_you_mean(path, dict.fromkeys(known))
            raise InputError(
                "The scenario has no such key.",
                field=f"sources.{path}",
                file=where.file,
                line=where.line,
                given=path,
                hint=hint[0] if hint[1] else "Write the dotted path of a key, as --set takes it.",
            )
    return kept


def _leaves(path: FieldPath, value: Any) -> Iterator[tuple[FieldPath, Any]]:
    """Yield path and value of every single value and of every list of single values."""
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _leaves((*path, key), part)
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        for i, part in enumerate(value):
            yield from _leaves((*path, i), part)
    else:
        yield path, value


def _written(scenario: ScenarioBase, source: Source, path: FieldPath, value: Any) -> WrittenValue:
    where = source.where(path)
    note = _note(scenario, source, path, where.file)
    return WrittenValue(
        path=dotted(path),
        text=_text(source, path, value),
        file=where.file,
        line=where.line,
        kind=note.kind if note else "",
        reference=note.reference if note else "",
    )


def _text(source: Source, path: FieldPath, value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_text(source, (*path, i), part) for i, part in enumerate(value))}]"
    written = source.locations.get(path)
    return written.text if written is not None and written.text else "{}" if value == {} else str(value)


def _note(scenario: ScenarioBase, source: Source, path: FieldPath, file: str) -> InputSource | None:
    """Return the entry of `sources` with the longest path; None where a later file or override replaced the value."""
    for end in range(len(path), 0, -1):
        key = dotted(path[:end])
        if key in scenario.sources:
            if _rank(source, file) > _rank(source, source.where(("sources", key)).file):
                return None
            note = scenario.sources[key]
            return note if isinstance(note, InputSource) else InputSource(kind=note)
    return None


def _rank(source: Source, file: str) -> int:
    """Return the place of a file in the order in which values replace others; overrides are last."""
    order = (*source.base_files, source.file, FLAG)
    return order.index(file) if file in order else len(order)


def _has(data: Any, keys: tuple[str, ...]) -> bool:
    here = data
    for key in keys:
        if isinstance(here, dict) and key in here:
            here = here[key]
        elif isinstance(here, list) and key.isdecimal() and int(key[:9]) < len(here):
            here = here[int(key)]
        else:
            return False
    return True
