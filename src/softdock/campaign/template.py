"""Scenario of a campaign as plain data, from which the scenarios of single runs are built."""

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from softdock.model.changed_members import ChangedMembers
from softdock.scenario.base import Origin, ScenarioBase
from softdock.scenario.kinds import KINDS, Family, Prepared
from softdock.scenario.loading import from_data
from softdock.scenario.messages import named_groups
from softdock.scenario.overrides import refuse_unknown_entries
from softdock.scenario.source import Source

S = TypeVar("S", bound=ScenarioBase)


@dataclass(frozen=True, eq=False)
class Template:
    """Plain data from which a worker builds the scenario of a run."""

    name: str
    data: Mapping[str, Any]
    """The complete scenario in SI."""
    directory: str
    """Absolute folder of relative paths in the scenario."""

    @functools.cached_property
    def key(self) -> str:
        """SHA-256 of name, directory and data."""
        return hashlib.sha256(json.dumps([self.name, self.directory, self.data]).encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and self.key == other.key

    def build(self, inputs: Mapping[str, Any]) -> ScenarioBase:
        """Return the validated scenario with fields replaced; raises InputError.

        Where only numbers are replaced by numbers, unchanged parts of the original scenario are reused. The result is
        the same.
        """
        try:
            if self.replaces_numbers(inputs):
                return replace_numbers(_original_scenario(self), inputs)
        except ValueError:
            pass  # validation of the complete data gives a message with the field
        return self.build_from_data(inputs)

    def prepare(self, scenario: ScenarioBase, inputs: Mapping[str, Any]) -> Prepared:
        """Return a scenario that `build` returned for the same inputs, prepared to run; raises InputError.

        Where only numbers are replaced by numbers, only the members that they belong to are written into the arrays of
        the original scenario. The result is the same.
        """
        if self.replaces_numbers(inputs):
            return _family(self)(scenario, ChangedMembers(inputs))
        return KINDS[scenario.kind].prepare(scenario)

    def replaces_numbers(self, inputs: Mapping[str, Any]) -> bool:
        """Return whether only numbers are replaced by numbers."""
        try:
            return all(
                is_number_replacement(value, value_at(self.data, path)) for path, value in inputs.items()
            )
        except KeyError:
            return False

    def build_from_data(self, inputs: Mapping[str, Any]) -> ScenarioBase:
        """Return the scenario with fields replaced, validated from plain data; raises InputError."""
        data = self.data
        if inputs:
            groups = named_groups(KINDS[self.data["kind"]].model)
            refuse_unknown_entries(Source(dict(self.data), {}), inputs, groups)
        for path, value in inputs.items():
            data = _replace(data, path.split("."), value)
        return from_data(data, self.name, Path(self.directory))


@functools.lru_cache(maxsize=4)
def _original_scenario(template: Template) -> ScenarioBase:
    """Return the unchanged scenario; built once per process."""
    return template.build_from_data({})


@functools.lru_cache(maxsize=4)
def _family(template: Template) -> Family:
    """Return the function that prepares scenarios with other numbers; made once per process."""
    scenario = _original_scenario(template)
    return KINDS[scenario.kind].family(scenario)


def value_at(data: Any, path: str) -> Any:
    """Return the value at a dotted path; raises KeyError where there is none."""
    try:
        for key in path.split("."):
            if isinstance(data, list) and not key.isdecimal():
                raise KeyError(path)
            data = data[int(key)] if isinstance(data, list) else data[key]
    except (IndexError, TypeError, ValueError):
        raise KeyError(path) from None
    return data


def _replace(data: Any, keys: list[str], value: Any) -> Any:
    """Return data with the value at a path of keys; copies only the containers on the path."""
    if not keys:
        return value
    key, *rest = keys
    if isinstance(data, list):
        if not key.isdecimal() or int(key) >= len(data):
            raise KeyError(key)
        copied = list(data)
        copied[int(key)] = _replace(data[int(key)], rest, value)
        return copied
    if data is not None and not isinstance(data, Mapping):
        raise KeyError(key)
    inside: dict[str, Any] = dict(data or {})
    inside[key] = _replace(inside.get(key), rest, value)
    return inside


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
    fields = {key: _replace_part(getattr(scenario, key), change) for key, change in changes.items()}
    replaced = scenario.with_numbers(fields, ChangedMembers(numbers))
    replaced._origin = Origin(scenario.name, scenario.directory)
    return replaced


class _Nested(dict[str, Any]):
    """Nested replacements by key."""


def _replace_part(part: Any, change: Any) -> Any:
    """Return a part with replacements; models are validated, other parts by the model that contains them."""
    if not isinstance(change, _Nested):
        return change
    if isinstance(part, list | tuple):
        items = list(part)
        for key, nested in change.items():
            items[int(key)] = _replace_part(items[int(key)], nested)
        return items
    if isinstance(part, BaseModel):
        fields = {name: getattr(part, name) for name in type(part).model_fields}
        return type(part).model_validate(fields | _replace_entries(fields, change))
    return {**part, **_replace_entries(part, change)}


def _replace_entries(part: Mapping[str, Any], change: _Nested) -> dict[str, Any]:
    return {key: _replace_part(part[key], nested) for key, nested in change.items()}
