"""Overrides (`--set a.b.c=value`): replace or add fields of a scenario before validation."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from softdock.errors import InputError, Problem
from softdock.scenario.messages import did_you_mean, dotted
from softdock.scenario.source import FieldPath, Location, Source, parse

FLAG = "--set"
"""Shown in messages instead of a file name."""

Overrides = Mapping[str, Any] | Sequence[str]
"""Values by dotted path, or texts `path=value`; the last one for a path wins."""


def apply_overrides(source: Source, overrides: Overrides) -> Source:
    """Return the source with fields replaced; values are validated later with the scenario."""
    pairs = (
        list(overrides.items()) if isinstance(overrides, Mapping) else [_split(text) for text in overrides]
    )
    if not pairs:
        return source
    changed = replace(source, data=copy.deepcopy(source.data), locations=dict(source.locations))
    for path, value in pairs:
        _set_value(changed, path, value)
    return changed


def hints_of_new_entries(source: Source, overrides: Overrides) -> dict[str, str]:
    """Return hints by the dotted path of every entry that overrides add to named entries, such as bodies."""
    paths = overrides if isinstance(overrides, Mapping) else [text.partition("=")[0] for text in overrides]
    hints = {}
    for path in paths:
        here, walked = source.data, []
        for key in path.strip().split("."):
            if not isinstance(here, dict):
                break
            walked.append(key)
            if key not in here:
                if here and all(isinstance(entry, dict) for entry in here.values()):
                    _, match = did_you_mean(key, here)
                    known = f"It is new; there are {', '.join(sorted(here))}."
                    close = f"Did you mean '{'.'.join([*walked[:-1], match])}'?"
                    hints[".".join(walked)] = close if match else known
                break
            here = here[key]
    return hints


def _split(text: str) -> tuple[str, Any]:
    """Return path and value of `path=value`; the value is a YAML scalar or a flow list or mapping."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise _refusal("", f"'{text}' is not of the form path=value, for example speed='0.07 m/s'.")
    try:
        return path.strip(), parse(value).data
    except InputError as error:
        raise _refusal(path, f"The value cannot be read: {error.problems[0].message}", value) from None


def _set_value(source: Source, path: str, value: Any) -> None:
    """Set the value at a path; creates missing mappings."""
    field_path = tuple(path.split("."))
    if not all(field_path):
        raise _refusal(path, "A path is made of keys and indices joined by dots.")
    here: Any = source.data
    walked: FieldPath = ()
    for key in field_path[:-1]:
        index = _index(here, key, path, walked)
        walked = (*walked, index)
        if isinstance(here, dict) and here.get(key) is None:
            here[key] = {}
            source.locations[walked] = Location(FLAG)
        here = here[index]
    last = _index(here, field_path[-1], path, walked)
    here[last] = value
    _relocate(source.locations, (*walked, last), value)


def _index(here: Any, key: str, path: str, walked: FieldPath) -> str | int:
    """Return `key` as key of a mapping or as index of a list."""
    if isinstance(here, dict):
        return key
    name = dotted(walked)
    if not isinstance(here, list):
        raise _refusal(path, f"'{name}' is a single value and has no '{key}' inside.")
    if not key.isdecimal():
        hint, _ = did_you_mean(key, map(str, range(len(here))))
        raise _refusal(path, f"'{name}' is a list; '{key}' is not an index.", hint=hint)
    if int(key[:9]) >= len(here):
        raise _refusal(path, f"'{name}' has {len(here)} entries, counted from 0; '{key}' is not one of them.")
    return int(key)


def _relocate(locations: dict[FieldPath, Location], field_path: FieldPath, value: Any) -> None:
    """Record that the value at `field_path` comes from the command line."""
    for inner in [known for known in locations if known[: len(field_path)] == field_path]:
        del locations[inner]
    text = "" if isinstance(value, dict | list | tuple) else str(value)
    locations[field_path] = Location(FLAG, None, text)


def _refusal(path: str, message: str, given: str = "", hint: str = "") -> InputError:
    return InputError(Problem(message=message, field=path, file=FLAG, given=given, hint=hint))
