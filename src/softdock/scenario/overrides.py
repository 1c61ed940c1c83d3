"""`--set a.b.c=value`: replace or add any field of a scenario before it is checked."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from softdock.errors import InputError, Problem
from softdock.scenario.messages import did_you_mean, dotted
from softdock.scenario.source import FieldPath, Location, Source, parse

FLAG = "--set"
"""What a message names instead of a file."""

Overrides = Mapping[str, Any] | Sequence[str]
"""Dotted paths with their values, or texts `path=value`; of two for the same path the last wins."""


def apply_overrides(source: Source, overrides: Overrides) -> Source:
    """Return the source with fields replaced; the values are checked later, with the whole scenario."""
    pairs = (
        list(overrides.items()) if isinstance(overrides, Mapping) else [_split(text) for text in overrides]
    )
    if not pairs:
        return source
    changed = replace(source, data=copy.deepcopy(source.data), locations=dict(source.locations))
    for path, value in pairs:
        _put(changed, path, value)
    return changed


def _split(text: str) -> tuple[str, Any]:
    """Return path and value of `path=value`; the value is a YAML scalar or a flow list or mapping."""
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise _refusal("", f"'{text}' is not of the form path=value, for example speed='0.07 m/s'.")
    try:
        return path.strip(), parse(value).data
    except InputError as error:
        raise _refusal(path, f"The value cannot be read: {error.problems[0].message}", value) from None


def _put(source: Source, path: str, value: Any) -> None:
    """Put a value at a path, adding mappings that the file leaves out."""
    place = tuple(path.split("."))
    if not all(place):
        raise _refusal(path, "A path is made of keys and indices joined by dots.")
    here: Any = source.data
    walked: FieldPath = ()
    for key in place[:-1]:
        index = _index(here, key, path, walked)
        walked = (*walked, index)
        if isinstance(here, dict) and here.get(key) is None:
            here[key] = {}
            source.locations[walked] = Location(FLAG)
        here = here[index]
    last = _index(here, place[-1], path, walked)
    here[last] = value
    _relocate(source.locations, (*walked, last), value)


def _index(here: Any, key: str, path: str, walked: FieldPath) -> str | int:
    """Return `key` as it is used at this level: a key of a mapping or an index of a list."""
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


def _relocate(locations: dict[FieldPath, Location], place: FieldPath, value: Any) -> None:
    """Note that what is at `place` now comes from the command line."""
    for inner in [known for known in locations if known[: len(place)] == place]:
        del locations[inner]
    text = "" if isinstance(value, dict | list | tuple) else str(value)
    locations[place] = Location(FLAG, None, text)


def _refusal(path: str, message: str, given: str = "", hint: str = "") -> InputError:
    return InputError(Problem(message=message, field=path, file=FLAG, given=given, hint=hint))
