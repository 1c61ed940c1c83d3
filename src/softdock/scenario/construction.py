"""Construction of scenarios in Python: from a bundled name, a file, plain data or typed objects."""

import os
from abc import ABC
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from softdock.errors import InputError, Problem
from softdock.files.regular_file import path_argument
from softdock.quantities.model import value_text, written_data
from softdock.scenario.base import ScenarioBase
from softdock.scenario.inheritance import BASE
from softdock.scenario.loading import from_data, load, override
from softdock.scenario.messages import did_you_mean
from softdock.scenario.overrides import ARGUMENT, Overrides, as_mapping

ScenarioLike = ScenarioBase | Mapping[str, Any] | str | os.PathLike[str]
"""A scenario, its plain data, or the bundled scenario or file of that name."""


class Scenario(ABC):  # noqa: B024  (abstract, because every scenario is an object of the model of its kind)
    """A docking to simulate: bodies and what acts between them, start, events, outcomes, metrics, requirements.

    The first argument is the name of a bundled scenario, the path of a file, a mapping with the keys of a file, or a
    scenario. Or the keys of a file are given as keyword arguments, with typed objects such as `Body` or with plain
    mappings and lists; `kind` is `multibody` if there are `bodies`. Numbers are SI; texts have units. `overrides`
    replaces values by dotted path before validation; `name` (which a mapping may also contain) and `directory` (of
    relative files) are optional.

    Raises `InputError` with all problems. Scenarios cannot be changed; `with_overrides` returns a changed one,
    `to_data` the keys of a file in SI, and `save(path)` writes the file. All kinds of scenarios (`chain`, `multibody`,
    `robot`, `station`) are instances of this class.

    >>> from softdock import Body, Free, Scenario
    >>> Scenario("latch-paper", {"speed": "80 mm/s"}).speed
    0.08
    >>> chaser = Body(mass="20 kg", inertia=(1, 1, 1), joint=Free(velocity=("50 mm/s", 0, 0)))
    >>> Scenario(name="drift", duration="10 s", bodies={"chaser": chaser})
    Scenario('drift', kind='multibody', duration=10.0, bodies=1)
    """

    def __new__(  # type: ignore[misc]
        cls,
        source: ScenarioLike | None = None,
        /,
        overrides: Overrides = (),
        *,
        name: str | None = None,
        directory: str | os.PathLike[str] | None = None,
        **fields: Any,
    ) -> ScenarioBase:
        """Return the scenario as an object of the model of its kind."""
        folder = None if directory is None else path_argument("directory", directory)
        name = None if name is None else _text_of("name", name)
        changes = as_mapping(overrides)
        if source is None and not fields:
            _checked(source)
        if source is None or isinstance(source, Mapping):
            given = {**(source or {}), **fields}
            if "name" in given:  # of a mapping: the keyword argument takes precedence
                own = _text_of("name", given.pop("name"))
                name = own if name is None else name
            data = written_data(_with_kind(given))
            with python_values(data):
                return from_data(data, name or "", folder, changes)
        loaded = load(source) if isinstance(source, str | os.PathLike) else _checked(source)
        with python_values({}):
            changed = override(loaded, {**written_data(fields), **changes})
        return changed.with_origin(name or changed.name, folder or changed.directory, changed.source)


Scenario.register(ScenarioBase)


def _with_kind(data: dict[str, Any]) -> dict[str, Any]:
    has_bodies = (
        "bodies" in data or did_you_mean("bodies", [key for key in data if isinstance(key, str)])[1] != ""
    )
    is_multibody = has_bodies and "kind" not in data and BASE not in data
    return {"kind": "multibody", **data} if is_multibody else data


def _text_of(field: str, value: object) -> str:
    """Return a text; raises InputError."""
    if isinstance(value, str):
        return value
    raise InputError("Must be a text.", field=field, given=repr(value))


def _checked(source: object) -> ScenarioBase:
    if isinstance(source, ScenarioBase):
        return source
    message = "A scenario is given as an object, a mapping, or the name of a bundled scenario or file."
    raise InputError(message, given="None" if source is None else type(source).__name__)


@contextmanager
def python_values(data: Mapping[str, Any]) -> Iterator[None]:
    """Add the given values to the problems of data that have no lines, and name overrides as in Python."""
    try:
        yield
    except InputError as error:
        raise InputError(*(_in_python(problem, data) for problem in error.problems)) from None


def _in_python(problem: Problem, data: Mapping[str, Any]) -> Problem:
    place = "" if problem.file == ARGUMENT and data else problem.file
    value = _value_at(data, problem.field.split("."))
    is_single = isinstance(value, str | int | float) and not problem.given
    return replace(problem, file=place, given=value_text(value) if is_single else problem.given)


def _value_at(data: Any, keys: list[str]) -> Any:
    """Return the value at a dotted path, whose keys may contain dots themselves; None where there is none."""
    if not keys:
        return data
    if isinstance(data, list):
        index = int(keys[0]) if keys[0].isdecimal() else len(data)
        return _value_at(data[index], keys[1:]) if index < len(data) else None
    if not isinstance(data, Mapping):
        return None
    ends = [end for end in range(1, len(keys) + 1) if ".".join(keys[:end]) in data]
    return _value_at(data[".".join(keys[: ends[-1]])], keys[ends[-1] :]) if ends else None


def as_scenario(scenario: ScenarioLike, overrides: Overrides | None = None) -> ScenarioBase:
    """Return a scenario with values replaced by dotted path; see `Scenario` for what it may be given as."""
    if isinstance(scenario, ScenarioBase) and not overrides:
        return scenario
    return Scenario(_checked(scenario) if scenario is None else scenario, overrides or ())
