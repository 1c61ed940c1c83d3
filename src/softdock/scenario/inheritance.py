"""A scenario file that is another one with changes: `base: NAME|FILE` and the keys that differ.

Mappings are merged key by key, anything else is replaced, and `null` takes a key of the base away, as JSON
Merge Patch does it (RFC 7396). The result is checked as if it had been written out, and every value keeps the
file and line where it was written.
"""

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from softdock.errors import InputError, Problem
from softdock.scenario.messages import did_you_mean, dotted
from softdock.scenario.source import FieldPath, Location, Source

BASE = "base"


def merge(base: Source, changes: Source) -> Source:
    """Return the base with the changes made to it; relative paths then start from the changes' folder."""
    merged = replace(changes, data=copy.deepcopy(base.data), locations=dict(base.locations))
    if base.directory.absolute() != changes.directory.absolute():
        _anchor_files(merged.data, base.directory.absolute())
    wanted = {key: value for key, value in changes.data.items() if key != BASE}
    _change(merged, changes, (), merged.data, wanted)
    return merged


def _change(
    merged: Source, changes: Source, place: FieldPath, here: dict[str, Any], wanted: dict[str, Any]
) -> None:
    for key, value in wanted.items():
        at = (*place, key)
        if value is None and key not in here:
            raise _nothing_there(changes, at, here)
        if isinstance(value, dict) and isinstance(here.get(key), dict):
            _change(merged, changes, at, here[key], value)
            continue
        _forget(merged.locations, at)
        if value is None:
            del here[key]
        else:
            here[key] = value
            merged.locations.update(_inside(changes.locations, at))


def _inside(locations: dict[FieldPath, Location], place: FieldPath) -> dict[FieldPath, Location]:
    return {known: where for known, where in locations.items() if known[: len(place)] == place}


def _forget(locations: dict[FieldPath, Location], place: FieldPath) -> None:
    for known in _inside(locations, place):
        del locations[known]


def _nothing_there(changes: Source, place: FieldPath, here: dict[str, Any]) -> InputError:
    where = changes.where(place)
    return InputError(
        Problem(
            message=f"The base has no '{place[-1]}' here that could be taken away.",
            field=dotted(place),
            file=where.file,
            line=where.line,
            hint=did_you_mean(str(place[-1]), here)[0],
        )
    )


def _anchor_files(data: Any, folder: Path) -> None:
    """Let the files of the base's surfaces be found from elsewhere."""
    surfaces = data.get("surfaces")
    for surface in surfaces.values() if isinstance(surfaces, dict) else ():
        if isinstance(surface, dict) and isinstance(surface.get("file"), str):
            surface["file"] = str(folder / surface["file"])
