"""Inheritance of scenario files: `base: NAME|FILE` and the keys that differ, merged as JSON Merge Patch (RFC 7396).

Mappings are merged key by key, other values are replaced, and `null` deletes a key of the base. The merged data is
validated like any other; every value keeps the file and line where it was written.
"""

import copy
from dataclasses import replace
from typing import Any

from softdock.errors import InputError, Problem
from softdock.scenario.file_paths import with_absolute_files
from softdock.scenario.messages import did_you_mean, dotted
from softdock.scenario.source import FieldPath, Location, Source

BASE = "base"


def merge(base: Source, changes: Source) -> Source:
    """Return the base with the changes applied; the folder of relative paths is that of the changes."""
    merged = replace(
        changes,
        data=copy.deepcopy(
            base.data
            if base.directory.absolute() == changes.directory.absolute()
            else with_absolute_files(base.data, base.directory)
        ),
        locations=dict(base.locations),
        base_files=(*base.base_files, base.file),
    )
    wanted = {key: value for key, value in changes.data.items() if key != BASE}
    _apply(merged, changes, (), merged.data, wanted)
    return merged


def _apply(
    merged: Source, changes: Source, field_path: FieldPath, here: dict[str, Any], wanted: dict[str, Any]
) -> None:
    for key, value in wanted.items():
        at = (*field_path, key)
        if value is None and key not in here:
            raise _missing_key(changes, at, here)
        if isinstance(value, dict) and isinstance(here.get(key), dict):
            _apply(merged, changes, at, here[key], value)
            continue
        _delete_locations(merged.locations, at)
        if value is None:
            del here[key]
        else:
            here[key] = value
            merged.locations.update(_locations_below(changes.locations, at))


def _locations_below(
    locations: dict[FieldPath, Location], field_path: FieldPath
) -> dict[FieldPath, Location]:
    return {known: where for known, where in locations.items() if known[: len(field_path)] == field_path}


def _delete_locations(locations: dict[FieldPath, Location], field_path: FieldPath) -> None:
    for known in _locations_below(locations, field_path):
        del locations[known]


def _missing_key(changes: Source, field_path: FieldPath, here: dict[str, Any]) -> InputError:
    where = changes.where(field_path)
    return InputError(
        Problem(
            message=f"The base has no '{field_path[-1]}' here to delete.",
            field=dotted(field_path),
            file=where.file,
            line=where.line,
            hint=did_you_mean(str(field_path[-1]), here)[0],
        )
    )
