"""The scenario of a campaign as plain data, and the same with fields replaced."""

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softdock.scenario import ScenarioBase, from_data
from softdock.scenario.number_replacement import is_number, vary


@dataclass(frozen=True, eq=False)
class Template:
    """What every worker needs to build the scenario of a run; plain data, small enough to be sent around."""

    name: str
    data: Mapping[str, Any]
    """The whole scenario in SI."""
    directory: str
    """Absolute folder that relative paths in the scenario start from."""

    @functools.cached_property
    def key(self) -> str:
        """Digest of everything."""
        return hashlib.sha256(json.dumps([self.name, self.directory, self.data]).encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and self.key == other.key

    def build(self, inputs: Mapping[str, Any]) -> ScenarioBase:
        """Return the scenario with fields replaced, checked; raises InputError.

        Where numbers replace numbers, what has none in it is taken from the scenario as it was. The result is the same.
        """
        try:
            if all(is_number(value, value_at(self.data, path)) for path, value in inputs.items()):
                return vary(_scenario(self), inputs)
        except (KeyError, ValueError):
            pass  # the thorough way says it with the place
        return self.build_anew(inputs)

    def build_anew(self, inputs: Mapping[str, Any]) -> ScenarioBase:
        """Return the scenario with fields replaced, checked as a whole from plain data; raises InputError."""
        data = self.data
        for path, value in inputs.items():
            data = _with(data, path.split("."), value)
        return from_data(data, self.name, Path(self.directory))


@functools.lru_cache(maxsize=4)
def _scenario(template: Template) -> ScenarioBase:
    """Build the scenario as it is once in each process."""
    return template.build_anew({})


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


def _with(data: Any, keys: list[str], value: Any) -> Any:
    """Return data with the value at keys; copies only the containers on the way."""
    if not keys:
        return value
    key, *rest = keys
    if isinstance(data, list):
        if not key.isdecimal() or int(key) >= len(data):
            raise KeyError(key)
        copied = list(data)
        copied[int(key)] = _with(data[int(key)], rest, value)
        return copied
    if data is not None and not isinstance(data, Mapping):
        raise KeyError(key)
    inside: dict[str, Any] = dict(data or {})
    inside[key] = _with(inside.get(key), rest, value)
    return inside
