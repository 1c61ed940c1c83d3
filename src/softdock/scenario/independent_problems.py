"""Problems that others hide: validation is repeated without the values at fault.

A problem is reported if its own entry is complete and mentions no entry that is not.
"""

import copy
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from softdock.errors import Problem
from softdock.scenario.messages import locate, problems_of, split_errors
from softdock.scenario.source import FieldPath, Source, dotted

PASSES = 6
"""Largest number of further validations; what is removed leaves entries incomplete, and references wait for values."""
STAND_INS: Mapping[str, Any] = {"duration": 1.0, "runs": 1, "mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
"""Values of keys at fault or missing, for the checks that do not need them; that of other numbers is 1.0."""
NUMERIC = {"quantity", "greater_than", "greater_than_equal", "less_than", "less_than_equal", "finite_number"}
"""Errors of numbers."""
COLLECTIONS = {"dict_type", "list_type", "tuple_type", "model_type", "model_attributes_type"}
"""Errors of values in place of collections, the names in which are not known."""
PROVIDED: Mapping[str, tuple[str, ...]] = {
    "gnc": ("propellant", "contact", "conditions"),
    "approach": ("contact", "conditions"),
    "orbit": ("hill",),
    "structure": ("point_a", "point_b", "base_node"),
    "published": ("point_a", "point_b", "base_node"),
}
"""Names, also in those of metrics, that a scenario has only with these keys."""

AnyModel = TypeVar("AnyModel", bound=BaseModel)


class Remainder:
    """Data without the values at fault."""

    def __init__(self, data: Any) -> None:
        self._original, self._data = data, copy.deepcopy(data)
        self._replaced: set[FieldPath] = set()
        self._removed: set[FieldPath] = set()
        self._names: set[str] = set()
        """Names of the entries that are incomplete or removed."""

    def validations(
        self, error: ValidationError, model: type[AnyModel], context: Any = None
    ) -> Iterator[AnyModel | ValidationError]:
        """Yield what each validation raises and, if one succeeds, at last what it returns."""
        for _ in range(PASSES):
            if not self._leave_out(error, model):
                return
            try:
                yield model.model_validate(self._data, context=context)
                return
            except ValidationError as next_error:
                error = next_error
            yield error

    def independent(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems that have nothing to do with what was left out."""
        bodies = _value_at(self._original, ("bodies",))
        names = set(self._names)
        for _ in _keys(bodies):  # what an incomplete body carries
            names |= {name for name in _keys(bodies) if _value_at(bodies, (name, "parent")) in names}
        mention = re.compile(
            rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, map(_normalised, names)))})(?![a-z0-9])"
        )
        incomplete = {self._entry(path) for path in self._removed | self._replaced}
        lacks_mass = any(path[0] in ("bodies", "structures") for path in self._removed)

        def is_independent(problem: Problem) -> bool:
            field, entry = problem.field, self._entry(tuple(problem.field.split(".")))
            if entry in incomplete or any(_is_in(dotted(path), field) for path in self._removed):
                return False
            if lacks_mass and entry[0] == "bodies" and field.endswith((".mass", ".inertia")):
                return False  # what was removed may be what a joint moves
            written = f"{dotted(entry)} {_value_at(self._original, entry)}"
            return not (names and mention.search(_normalised(written)))

        return [problem for problem in problems if is_independent(problem)]

    def _leave_out(self, error: ValidationError, model: type[BaseModel]) -> bool:
        """Replace or remove what is at fault; returns whether this is possible and changed something."""
        replaced, removed = False, set()
        for details in (
            single for several in error.errors(include_url=False) for single in split_errors(several)
        ):
            path, _ = locate(model, details["loc"])
            path = (*path, *getattr(details.get("ctx", {}).get("error"), "path", ()))
            if len(path) == 1 and details["type"] in COLLECTIONS:
                return False
            if self._replace(path, details["type"]):
                replaced = True
            else:
                removed.add(self._removable(path))
        removed -= {path for path in removed if any(path[:end] in removed for end in range(1, len(path)))}
        for path in removed - {()}:
            value = _value_at(self._data, path[:-1]).pop(path[-1])
            entries = (
                [_value_at(one, ("name",)) for one in value] if isinstance(value, list) else _keys(value)
            )
            names = [*PROVIDED.get(str(path[0]), ()), *(path[1:2] or entries)]
            self._names.update(name for name in names if isinstance(name, str))
            self._removed.add(path)
        return replaced or bool(removed - {()})

    def _replace(self, path: FieldPath, error_type: str) -> bool:
        """Replace a value at fault by a stand-in; returns whether there is one that was not tried before."""
        above = _value_at(self._data, path[:-1])
        if not path or path in self._replaced or not (error_type in NUMERIC or path[-1] in STAND_INS):
            return False
        if not isinstance(above, dict) and path[-1] not in _keys(above):
            return False
        above[path[-1]] = copy.copy(STAND_INS.get(str(path[-1]), 1.0))
        self._replaced.add(path)
        return True

    def _removable(self, path: FieldPath) -> FieldPath:
        """Return the path of the value at `path` or of what contains it, a list where the value is in one.

        Other entries of a list would get other numbers if one were removed.
        """
        path = path[: max((i for i, key in enumerate(path) if isinstance(key, int)), default=len(path))]
        while path and path[-1] not in _keys(_value_at(self._data, path[:-1])):
            path = path[:-1]
        return path

    def _entry(self, path: FieldPath) -> FieldPath:
        """Return the entry of a group, such as a body, or else the key at the top that contains a path."""
        group, inside = _value_at(self._original, path[:1]), dotted(path[1:])
        return (*path[:1], *(key for key in _keys(group) if _is_in(inside, str(key))))[:2]


def hidden_problems(
    error: ValidationError, model: type[BaseModel], source: Source, context: Any
) -> list[Problem]:
    """Return the problems of checks of the complete scenario, such as references, which the values at fault prevent."""
    rest, problems = Remainder(source.data), []
    for result in rest.validations(error, model, context):
        if isinstance(result, ValidationError) and all(detail["loc"] == () for detail in result.errors()):
            problems += rest.independent(problems_of(result, model, source))
    return problems


def remaining(
    error: ValidationError, model: type[AnyModel], source: Source
) -> tuple[AnyModel | None, Remainder]:
    """Return the object without the values at fault, and what was left out; None where too little remains."""
    rest = Remainder(source.data)
    models = [result for result in rest.validations(error, model) if isinstance(result, model)]
    return (models[0] if models else None), rest


def _keys(value: Any) -> Collection[Any]:
    """Return the keys of a mapping or the indices of a list; nothing for a single value."""
    return value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()


def _value_at(value: Any, path: FieldPath) -> Any:
    """Return the value at a path, or None."""
    for key in path:
        value = value[key] if key in _keys(value) else None
    return value


def _normalised(text: str) -> str:
    """Return a text in the letters of names of metrics."""
    return text.replace("-", "_").lower()


def _is_in(field: str, path: str) -> bool:
    return field == path or field.startswith(f"{path}.")
