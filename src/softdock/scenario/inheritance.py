"""Inheritance of scenario files: `base: NAME|FILE` and the keys that differ, merged as JSON Merge Patch (RFC 7396).

Mappings are merged key by key, other values are replaced, and `null` deletes a key of the base. The merged data is
validated like any other; every value keeps the file and line where it was written.
"""

import copy
from dataclasses import replace
from typing import Any

from softdock.errors import InputError
from softdock.scenario.file_paths import with_absolute_files
from softdock.scenario.messages import did_you_mean
from softdock.scenario.source import FieldPath, Source, dotted

BASE = "base"


def merge(base: Source, changes: Source) -> Source:
    """Return the base with the changes applied; the folder of relative paths is that of the changes."""
    data = copy.deepcopy(
        base.data
        if base.directory.absolute() == changes.directory.absolute()
        else with_absolute_files(base.data, base.directory)
    )
    wanted = {key: value for key, value in changes.data.items() if key != BASE}
    given: set[FieldPath] = set()
    deleted: set[FieldPath] = set()
    _apply(changes, (), data, wanted, given, deleted)
    replaced = given | deleted
    kept = {path: where for path, where in base.locations.items() if not _is_below(path, replaced)}
    new = {path: where for path, where in changes.locations.items() if _is_below(path, given)}
    return replace(changes, data=data, locations=kept | new, base_files=(*base.base_files, base.file))


def _apply(
    changes: Source,
    field_path: FieldPath,
    here: dict[str, Any],
    wanted: dict[str, Any],
    given: set[FieldPath],
    deleted: set[FieldPath],
) -> None:
    """Change the data, and collect the paths of values that are given in place of others or deleted."""
    for key, value in wanted.items():
        at = (*field_path, key)
        if value is None and key not in here:
            raise _missing_key(changes, at, here)
        if isinstance(value, dict) and isinstance(here.get(key), dict):
            _apply(changes, at, here[key], value, given, deleted)
        elif value is None:
            deleted.add(at)
            del here[key]
        else:
            given.add(at)
            here[key] = value


def _is_below(path: FieldPath, above: set[FieldPath]) -> bool:
    return any(path[:end] in above for end in range(1, len(path) + 1))


def _missing_key(changes: Source, field_path: FieldPath, here: dict[str, Any]) -> InputError:
    where = changes.where(field_path)
    return InputError(
        f"The base has no '{field_path[-1]}' here to delete.",
        field=dotted(field_path),
        file=where.file,
        line=where.line,
        hint=did_you_mean(str(field_path[-1]), here)[0],
    )
