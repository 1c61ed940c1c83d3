"""The same scenario with other numbers, checked where numbers matter: quick enough for thousands of runs."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from softdock.scenario.base import Origin, ScenarioBase

S = TypeVar("S", bound=ScenarioBase)


def is_number_replacement(value: Any, before: Any) -> bool:
    """Tell whether a value replaces a number by a number, or some numbers by as many."""
    if isinstance(value, list | tuple):
        alike = isinstance(before, list | tuple) and len(value) == len(before)
        return alike and all(map(is_number_replacement, value, before))
    return isinstance(value, float) and isinstance(before, float)


def replace_numbers(scenario: S, numbers: Mapping[str, Any]) -> S:
    """Return the scenario with numbers replaced, by dotted path; the new one knows it as its sibling.

    Parts that stay are the same objects in both. Raises ValueError, pydantic's or a model's own, which knows no lines
    of a file: whoever wants a message for a person builds the scenario anew.
    """
    changes: dict[str, Any] = {}
    for path, value in numbers.items():
        *above, last = path.split(".")
        here = changes
        for key in above:
            here = here.setdefault(key, _Inside())
        here[last] = value
    fields = {key: _changed(getattr(scenario, key), change) for key, change in changes.items()}
    varied = scenario.with_numbers(fields)
    varied._origin = Origin(scenario.name, scenario.directory, scenario)
    return varied


class _Inside(dict[str, Any]):
    """Changes inside a part, by key."""


def _changed(part: Any, change: Any) -> Any:
    """Return a part with its changes; a model is checked, whatever else is left to the model that it is in."""
    if not isinstance(change, _Inside):
        return change
    if isinstance(part, list | tuple):
        items = list(part)
        for key, inside in change.items():
            items[int(key)] = _changed(items[int(key)], inside)
        return items
    if isinstance(part, BaseModel):
        fields = {name: getattr(part, name) for name in type(part).model_fields}
        return type(part).model_validate(fields | _entries(fields, change))
    return {**part, **_entries(part, change)}


def _entries(part: Mapping[str, Any], change: _Inside) -> dict[str, Any]:
    return {key: _changed(part[key], inside) for key, inside in change.items()}
