"""Overrides (`--set a.b.c=value`): replace or add fields of a scenario before validation."""

import copy
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from softdock.errors import InputError, Problem
from softdock.quantities.model import DEEPEST, value_text, written_data
from softdock.scenario.messages import did_you_mean, entry_noun
from softdock.scenario.source import FieldPath, Location, Source, dotted, parse

FLAG = "--set"
"""Shown in messages instead of a file name, for texts of the command line."""
ARGUMENT = "overrides"
"""Shown in messages instead of a file name, for mappings of Python programs."""

Overrides = Mapping[str, Any] | Sequence[str]
"""Values by dotted path, or texts `path=value`; the last one for a path wins."""


Defaults = Callable[[FieldPath], Any]
"""The value of a field that the source leaves out; None where it has none."""


def apply_overrides(source: Source, overrides: Overrides, defaults: Defaults = lambda path: None) -> Source:
    """Return the source with fields replaced; values are validated later with the scenario.

    An index into a list that the source leaves out changes the list of `defaults`.
    """
    if not overrides:
        return source
    changed = replace(source, data=copy.deepcopy(source.data), locations=dict(source.locations))
    place = ARGUMENT if isinstance(overrides, Mapping) else FLAG
    for path, value in as_mapping(overrides).items():
        _set_value(changed, path, value, place, defaults)
    return changed


def as_mapping(overrides: Overrides) -> Mapping[str, Any]:
    """Return overrides as plain data by dotted path; raises InputError."""
    is_mapping = isinstance(overrides, Mapping)
    is_sequence = isinstance(overrides, Sequence) and not isinstance(overrides, str | bytes)
    if not (is_mapping or is_sequence) or not all(isinstance(entry, str) for entry in overrides):
        message = "Overrides are a mapping such as {'speed': '0.07 m/s'}, or a list of texts such as 'speed=0.07 m/s'."
        raise InputError(message, file=ARGUMENT, given=repr(overrides))
    return written_data(overrides) if isinstance(overrides, Mapping) else dict(map(_split, overrides))


def refuse_unknown_entries(source: Source, overrides: Overrides, groups: Collection[str]) -> None:
    """Raise InputError for overrides of a field of an entry that does not exist, such as a misspelt body.

    `groups` are the keys with named entries. A new entry is given as a whole: `bodies.boom={mass: 3 kg, ...}`.
    """
    place = ARGUMENT if isinstance(overrides, Mapping) else FLAG
    known = {group: list(source.data.get(group) or {}) for group in groups}
    problems = []
    for path in as_mapping(overrides):
        group, _, rest = path.strip().partition(".")
        name, _, field = rest.partition(".")
        if group in known and name not in known[group]:
            if field:
                problems.append(_unknown_entry(group, name, known[group], path, place))
            else:
                known[group].append(name)
    if problems:
        raise InputError(*problems)


def _unknown_entry(group: str, name: str, known: list[str], path: str, place: str) -> Problem:
    hint, match = did_you_mean(name, known)
    if not match:
        there = f"There are {', '.join(sorted(known))}." if known else "There are none."
        hint = f"{there} A new one is given as a whole: {group}.{name}={{...}}."
    return Problem(message=f"There is no {entry_noun(group)} '{name}'.", field=path, file=place, hint=hint)


def hints_of_new_entries(source: Source, overrides: Overrides) -> dict[str, str]:
    """Return hints by the dotted path of every entry that overrides add to named entries, such as bodies."""
    hints = {}
    for path in as_mapping(overrides):
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
        raise _refusal(FLAG, "", f"'{text}' is not of the form path=value, for example speed='0.07 m/s'.")
    try:
        return path.strip(), parse(value).data
    except InputError as error:
        raise _refusal(FLAG, path, f"The value cannot be read: {error.problems[0].message}", value) from None


def _set_value(source: Source, path: str, value: Any, place: str, defaults: Defaults) -> None:
    """Set the value at a path; creates missing mappings, and lists from their defaults."""
    field_path = tuple(path.split("."))
    if not all(field_path):
        raise _refusal(place, path, "A path is made of keys and indices joined by dots.")
    if len(field_path) > DEEPEST:
        raise _refusal(place, path, f"A path has at most {DEEPEST} keys; this one has {len(field_path):,}.")
    here: Any = source.data
    walked: FieldPath = ()
    for key, inner in itertools.pairwise(field_path):
        index = _index(here, key, path, walked, place)
        walked = (*walked, index)
        if isinstance(here, dict) and here.get(key) is None:
            default = defaults(walked) if inner.isdecimal() else None
            here[key] = list(default) if isinstance(default, list | tuple) else {}
            source.locations[walked] = Location(place)
        here = here[index]
    last = _index(here, field_path[-1], path, walked, place)
    here[last] = value
    _relocate(source.locations, (*walked, last), value, place)


def _index(here: Any, key: str, path: str, walked: FieldPath, place: str) -> str | int:
    """Return `key` as key of a mapping or as index of a list."""
    if isinstance(here, dict):
        return key
    name = dotted(walked)
    if not isinstance(here, list):
        raise _refusal(place, path, f"'{name}' is a single value and has no '{key}' inside.")
    if not key.isdecimal():
        hint, _ = did_you_mean(key, map(str, range(len(here))))
        raise _refusal(place, path, f"'{name}' is a list; '{key}' is not an index.", hint=hint)
    if int(key[:9]) >= len(here):
        message = f"'{name}' has {len(here)} entries, counted from 0; '{key}' is not one of them."
        raise _refusal(place, path, message)
    return int(key)


def _relocate(locations: dict[FieldPath, Location], field_path: FieldPath, value: Any, place: str) -> None:
    """Record that the value at `field_path` comes from overrides."""
    for inner in [known for known in locations if known[: len(field_path)] == field_path]:
        del locations[inner]
    text = "" if isinstance(value, dict | list | tuple) else value_text(value)
    locations[field_path] = Location(place, None, text)


def _refusal(place: str, path: str, message: str, given: str = "", hint: str = "") -> InputError:
    return InputError(message, field=path, file=place, given=given, hint=hint)
