"""The same scenario with other numbers, checked where numbers matter: quick enough for thousands of runs."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from softdock.scenario.base import Origin, ScenarioBase

SIBLING = "sibling"
"""Where a model's checks find the scenario that the one to be checked differs from in numbers only."""

S = TypeVar("S", bound=ScenarioBase)


def is_number(value: Any, before: Any) -> bool:
    """Tell whether a value replaces a number by a number, or some numbers by as many."""
    if isinstance(value, list | tuple):
        alike = isinstance(before, list | tuple) and len(value) == len(before)
        return alike and all(map(is_number, value, before))
    return isinstance(value, float) and isinstance(before, float)


def vary(scenario: S, numbers: Mapping[str, Any]) -> S:
    """Return the scenario with numbers replaced, by dotted path; the new one knows it as its sibling.

    Parts that stay are the same objects in both. Raises pydantic's `ValidationError`, which knows no lines of a file:
    whoever wants a message for a person builds the scenario anew.
    """
    data: Any = scenario
    for path, value in numbers.items():
        data = _with(data, path.split("."), value)
    context = {"directory": scenario.directory, "name": scenario.name, SIBLING: scenario}
    varied = type(scenario).model_validate(data, context=context)
    varied._origin = Origin(scenario.name, scenario.directory, scenario)
    return varied


def _with(part: Any, keys: list[str], value: Any) -> Any:
    """Return what is to be checked anew: the models on the way to a number as plain data, all others as they are."""
    if not keys:
        return value
    key, *rest = keys
    if isinstance(part, list | tuple):
        items = list(part)
        items[int(key)] = _with(items[int(key)], rest, value)
        return items
    opened = (
        {name: getattr(part, name) for name in type(part).model_fields}
        if isinstance(part, BaseModel)
        else dict(part)
    )
    opened[key] = _with(opened[key], rest, value)
    return opened
