"""The scenario of a campaign as plain data, and the same with fields replaced."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softdock.scenario import ScenarioBase, from_data


@dataclass(frozen=True)
class Template:
    """What every worker needs to build the scenario of a run; plain data, small enough to be sent around."""

    name: str
    data: Mapping[str, Any]
    """The whole scenario in SI."""
    directory: str
    """Absolute folder that relative paths in the scenario start from."""

    def build(self, inputs: Mapping[str, Any]) -> ScenarioBase:
        """Return the scenario with fields replaced, checked as a whole; raises InputError."""
        data = self.data
        for path, value in inputs.items():
            data = _with(data, path.split("."), value)
        return from_data(data, self.name, Path(self.directory))


def value_at(data: Any, path: str) -> Any:
    """Return the value at a dotted path; raises KeyError where there is none."""
    try:
        for key in path.split("."):
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
