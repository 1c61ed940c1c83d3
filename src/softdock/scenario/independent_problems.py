"""Problems that validation does not reach because of others: it is repeated without the entries at fault."""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from softdock.errors import Problem
from softdock.scenario.messages import dotted, locate, problems_of
from softdock.scenario.source import FieldPath, Source

PASSES = 5
"""Largest number of validations; what is left out may leave another entry incomplete."""
STAND_INS: Mapping[str, Any] = {"duration": 1.0, "runs": 1}
"""Values of required keys at the top level, for the checks that do not need them."""

AnyModel = TypeVar("AnyModel", bound=BaseModel)


class Remainder:
    """Data without the values at fault, and what was left out."""

    def __init__(self, data: Any) -> None:
        self.data = copy.deepcopy(data)
        self.left_out: set[FieldPath] = set()
        self.mentioned: set[str] = set()
        """Texts in what was left out, among them names of other entries."""

    def leave_out(self, error: ValidationError, model: type[BaseModel]) -> bool:
        """Remove what is at fault; returns whether something was removed."""
        changed, before = False, set(self.left_out)
        for details in error.errors(include_url=False):
            path, _ = locate(model, details["loc"])
            path = (*path, *getattr(details.get("ctx", {}).get("error"), "path", ()))
            if details["type"] == "missing" and len(path) == 1 and path[0] in STAND_INS:
                self.data[path[0]] = STAND_INS[str(path[0])]
                self.left_out.add(path)
                changed = True
            else:
                changed |= self._remove(path[:-1] if details["type"] == "missing" else path, before)
        return changed

    def _remove(self, path: FieldPath, before: set[FieldPath]) -> bool:
        """Remove the value at a path or, where it is in a list or has no entry of its own, what contains it."""
        path = path[: next((i for i, key in enumerate(path) if isinstance(key, int)), len(path))]
        if any(path[:end] in self.left_out - before for end in range(1, len(path) + 1)):
            return False  # another error of the same validation has removed it
        for end in range(len(path), 0, -1):
            above = self._at(path[: end - 1])
            if isinstance(above, dict) and path[end - 1] in above:
                self.mentioned.update(_texts(above.pop(path[end - 1])))
                self.left_out.add(path[:end])
                return True
        return False

    def _at(self, path: FieldPath) -> Any:
        value = self.data
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def independent(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems that have nothing to do with what was left out."""
        entries = {path[:2] for path in self.left_out}
        names = {re.escape(str(entry[1])) for entry in entries if len(entry) > 1}
        words = re.compile(rf"(?<![\w-])(?:{'|'.join(names)})(?![\w-])" if names else r"(?!)")

        def is_independent(problem: Problem) -> bool:
            if any(_is_in(problem.field, dotted(path)) for path in self.left_out):
                return False
            if any(_is_in(problem.field, dotted(entry)) for entry in entries):
                return problem.field not in {dotted(entry) for entry in entries}
            is_mentioned = any(name in self.mentioned for name in problem.field.split(".")[1:2])
            return not is_mentioned and not words.search(f"{problem.message} {problem.given}")

        return [problem for problem in problems if is_independent(problem)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str):
        yield value


def _is_in(field: str, path: str) -> bool:
    return field == path or field.startswith(f"{path}.")


def problems_beside(
    error: ValidationError, model: type[BaseModel], source: Source, context: Any
) -> list[Problem]:
    """Return the problems of the whole that show when the values at fault are left out."""
    rest = Remainder(source.data)
    if _is_of_the_whole(error):
        return []
    for _ in range(PASSES):
        if not rest.leave_out(error, model):
            return []
        try:
            model.model_validate(rest.data, context=context)
        except ValidationError as next_error:
            error = next_error
        else:
            return []
        if _is_of_the_whole(error):
            return rest.independent(problems_of(error, model, source))
    return []


def _is_of_the_whole(error: ValidationError) -> bool:
    """Return whether all values are valid, so that the checks of the whole were made."""
    return all(details["loc"] == () for details in error.errors(include_url=False))


def remaining(
    error: ValidationError, model: type[AnyModel], source: Source
) -> tuple[AnyModel | None, Remainder]:
    """Return the object without the values at fault, and what was left out; None where too little remains."""
    rest = Remainder(source.data)
    for _ in range(PASSES):
        if not rest.leave_out(error, model):
            break
        try:
            return model.model_validate(rest.data), rest
        except ValidationError as next_error:
            error = next_error
    return None, rest
