"""Replacement of numbers in a validated scenario; faster than validation from plain data, for campaigns."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from softdock.model.changed_members import ChangedMembers
from softdock.scenario.base import Origin, ScenarioBase

S = TypeVar("S", bound=ScenarioBase)


def is_number_replacement(value: Any, before: Any) -> bool:
    """Return whether a value replaces a float by a float, or a list of floats by one of the same length."""
    if isinstance(value, list | tuple):
        alike = isinstance(before, list | tuple) and len(value) == len(before)
        return alike and all(map(is_number_replacement, value, before))
    return isinstance(value, float) and isinstance(before, float)


def replace_numbers(scenario: S, numbers: Mapping[str, Any]) -> S:
    """Return the validated scenario with numbers replaced by dotted path.

    Unchanged parts are shared by both. Raises ValueError of Pydantic or of a model, without file and line: build the
    scenario from plain data to get a message with the field.
    """
    changes: dict[str, Any] = {}
    for path, value in numbers.items():
        *above, last = path.split(".")
        here = changes
        for key in above:
            here = here.setdefault(key, _Nested())
        here[last] = value
    fields = {key: _replace(getattr(scenario, key), change) for key, change in changes.items()}
    replaced = scenario.with_numbers(fields, ChangedMembers(numbers))
    replaced._origin = Origin(scenario.name, scenario.directory)
    return replaced


class _Nested(dict[str, Any]):
    """Nested replacements by key."""


def _replace(part: Any, change: Any) -> Any:
    """Return a part with replacements; models are validated, other parts by the model that contains them."""
    if not isinstance(change, _Nested):
        return change
    if isinstance(part, list | tuple):
        items = list(part)
        for key, nested in change.items():
            items[int(key)] = _replace(items[int(key)], nested)
        return items
    if isinstance(part, BaseModel):
        fields = {name: getattr(part, name) for name in type(part).model_fields}
        return type(part).model_validate(fields | _replace_entries(fields, change))
    return {**part, **_replace_entries(part, change)}


def _replace_entries(part: Mapping[str, Any], change: _Nested) -> dict[str, Any]:
    return {key: _replace(part[key], nested) for key, nested in change.items()}
