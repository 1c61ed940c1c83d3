"""Scenario of a campaign as plain data, from which the scenarios of single runs are built."""

import functools
import hashlib
import json
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from softdock.model.changed_members import ChangedMembers
from softdock.scenario.base import Origin, ScenarioBase
from softdock.scenario.kinds import KINDS, Family, Prepared
from softdock.scenario.loading import from_data
from softdock.scenario.messages import named_groups
from softdock.scenario.overrides import refuse_unknown_entries
from softdock.scenario.source import Source


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

    def build(self, inputs: Mapping[str, Any], *, with_history: bool = True) -> ScenarioBase:
        """Return the validated scenario with fields replaced, on demand without history; raises InputError.

        Where only numbers are replaced by numbers, unchanged parts of the original scenario are reused. The result is
        the same.
        """
        try:
            if self.replaces_numbers(inputs):
                replacement = _replacement(self, tuple(inputs), with_history)
                return replacement.apply(tuple(inputs.values()))
        except ValueError:
            pass  # validation of the complete data gives a message with the field
        scenario = self.build_from_data(inputs)
        return scenario if with_history else scenario.without_history()

    def prepare(self, scenario: ScenarioBase, inputs: Mapping[str, Any]) -> Prepared:
        """Return a scenario that `build` returned for the same inputs, prepared to run; raises InputError.

        Where only numbers are replaced by numbers, only the members that they belong to are written into the arrays of
        the original scenario. The result is the same.
        """
        if self.replaces_numbers(inputs):
            return _family(self)(scenario, _changed_members(tuple(inputs)))
        return KINDS[scenario.kind].prepare(scenario)

    def replaces_numbers(self, inputs: Mapping[str, Any]) -> bool:
        """Return whether only numbers are replaced by numbers."""
        try:
            return all(
                is_number_replacement(value, before)
                for value, before in zip(inputs.values(), _values_at(self, tuple(inputs)))
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


@functools.lru_cache(maxsize=16)
def _values_at(template: Template, paths: tuple[str, ...]) -> list[Any]:
    """Return the values of a template at dotted paths; raises KeyError where there is none."""
    return [value_at(template.data, path) for path in paths]


@functools.lru_cache(maxsize=16)
def _changed_members(paths: tuple[str, ...]) -> ChangedMembers:
    return ChangedMembers(paths)


@functools.lru_cache(maxsize=16)
def _replacement(template: Template, paths: tuple[str, ...], with_history: bool) -> "NumberReplacement":
    scenario, changed = _original_scenario(template), _changed_members(paths)
    if with_history or changed.affects("record"):
        return NumberReplacement(scenario, paths, changed, with_history)
    return NumberReplacement(scenario.without_history(), paths, changed)


class NumberReplacement:
    """Replacement of the numbers of a scenario at some dotted paths, prepared once for all runs of a campaign."""

    def __init__(
        self,
        scenario: ScenarioBase,
        paths: tuple[str, ...],
        changed: ChangedMembers,
        with_history: bool = True,
    ) -> None:
        """Prepare the replacement; without `with_history`, scenarios then lose what they would record."""
        self.scenario, self.changed, self._with_history = scenario, changed, with_history
        self._origin = Origin(scenario.name, scenario.directory)
        tree: dict[str, Any] = {}
        for i, path in enumerate(paths):
            *above, last = path.split(".")
            here = tree
            for key in above:
                here = here.setdefault(key, {})
            here[last] = i
        self._fields = {key: _part(getattr(scenario, key), inside) for key, inside in tree.items()}

    def apply(self, values: tuple[Any, ...]) -> ScenarioBase:
        """Return the validated scenario with these values at the paths.

        Unchanged parts are shared by both. Raises ValueError of Pydantic or of a model, without file and line: build
        the scenario from plain data to get a message with the field.
        """
        fields = {key: part(values) for key, part in self._fields.items()}
        replaced = self.scenario.with_numbers(fields, self.changed)
        replaced._origin = self._origin
        return replaced if self._with_history else replaced.without_history()


def _part(part: Any, inside: Any) -> Callable[[tuple[Any, ...]], Any]:
    """Return a function of the values that returns a part with replacements.

    `inside` has the index of a value, or the replacements by key. Models are validated, other parts by the model that
    contains them.
    """
    if isinstance(inside, int):
        return operator.itemgetter(inside)
    if isinstance(part, list | tuple):
        items = {int(key): _part(part[int(key)], nested) for key, nested in inside.items()}
        return lambda values: [items[i](values) if i in items else item for i, item in enumerate(part)]
    is_model = isinstance(part, BaseModel)
    known = {name: getattr(part, name) for name in type(part).model_fields} if is_model else dict(part)
    entries = {key: _part(known[key], nested) for key, nested in inside.items()}

    def replaced(values: tuple[Any, ...]) -> dict[str, Any]:
        return known | {key: entry(values) for key, entry in entries.items()}

    validate = type(part).model_validate if is_model else dict
    return lambda values: validate(replaced(values))
