"""Problems that validation does not reach because of others: it is repeated without the values at fault."""

import copy
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from softdock.errors import Problem
from softdock.scenario.messages import dotted, entry_noun, locate, problems_of, split_errors
from softdock.scenario.source import FieldPath, Source

PASSES = 8
"""Largest number of validations; what is left out may leave another entry incomplete."""
STAND_INS: Mapping[str, Any] = {"duration": 1.0, "runs": 1}
"""Values of required keys at the top level, for the checks that do not need them."""
NUMERIC = {"quantity", "greater_than", "greater_than_equal", "less_than", "less_than_equal", "finite_number"}
"""Errors of numbers, which `1.0` replaces, so that what refers to their entry can be checked."""
BODY_STAND_INS: Mapping[str, Any] = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
"""Values of a body whose mass properties are at fault."""
SELECTIONS: Mapping[str, str] = {"part": "file", "ignore": "file"}
"""Fields that select from the value of another field of their entry, by name."""
_METRIC_OF_CONTROLLERS = re.compile(r"\bno metric '(?:propellant|contact_)")
"""Messages about metrics that a run may lack without its controllers."""
_ENUMERATION = re.compile(r" \(did you mean [^)]*\)|[;,] (?:there are|it has)\b.*", re.DOTALL)

AnyModel = TypeVar("AnyModel", bound=BaseModel)


class Remainder:
    """Data without the values at fault, and what was left out."""

    def __init__(self, data: Any) -> None:
        self.data = copy.deepcopy(data)
        self.left_out: set[FieldPath] = set()
        self.replaced: set[FieldPath] = set()
        """Numbers with stand-ins."""
        self.mentioned: set[str] = set()
        """Texts in what was left out, among them names of other entries."""
        self.names: set[str] = set()
        """Names of the entries of lists that were left out, such as phases."""

    def leave_out(self, error: ValidationError, model: type[BaseModel]) -> bool:
        """Remove what is at fault; returns whether something was removed."""
        changed, before = False, set(self.left_out)
        for details in itertools.chain.from_iterable(map(split_errors, error.errors(include_url=False))):
            path, _ = locate(model, details["loc"])
            path = (*path, *getattr(details.get("ctx", {}).get("error"), "path", ()))
            if details["type"] == "missing" and len(path) == 1 and path[0] in STAND_INS:
                self.data[path[0]] = STAND_INS[str(path[0])]
                self.left_out.add(path)
                changed = True
            elif self._replace(path, details["type"]):
                changed = True
            else:
                changed |= self._remove(path[:-1] if details["type"] == "missing" else path, before)
        return changed

    def _replace(self, path: FieldPath, error_type: str) -> bool:
        """Replace a number at fault by a valid one; returns whether it was replaced."""
        is_of_body = len(path) == 3 and path[0] == "bodies" and path[2] in BODY_STAND_INS
        if path in self.replaced or not (is_of_body or error_type in NUMERIC):
            return False
        above, key = self._at(path[:-1]), path[-1]
        if isinstance(above, list) and isinstance(key, int) and key < len(above):
            above[key] = 1.0
        elif isinstance(above, dict):
            above[key] = BODY_STAND_INS[str(key)] if is_of_body else 1.0
        else:
            return False
        self.replaced.add(path)
        return True

    def _remove(self, path: FieldPath, before: set[FieldPath]) -> bool:
        """Remove the value at a path or, where it is in a list or has no entry of its own, what contains it.

        Of an entry of a list, such as an outcome, only a list in it can be removed: the entry keeps its name.
        """
        path = path[: max((i for i, key in enumerate(path) if isinstance(key, int)), default=len(path))]
        if any(path[:end] in self.left_out - before for end in range(1, len(path) + 1)):
            return False  # another error of the same validation has removed it
        for end in range(len(path), 0, -1):
            above = self._at(path[: end - 1])
            if isinstance(above, dict) and path[end - 1] in above:
                removed = above.pop(path[end - 1])
                self.mentioned.update(_texts(removed))
                self.names.update(_entry_names(removed))
                self.left_out.add(path[:end])
                return True
        return False

    def _at(self, path: FieldPath) -> Any:
        value = self.data
        for key in path:
            if isinstance(value, list) and isinstance(key, int) and key < len(value):
                value = value[key]
            else:
                value = value.get(key) if isinstance(value, dict) else None
        return value

    def independent(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems that have nothing to do with what was left out."""
        entries = {path[:2] for path in self.left_out}
        names = {re.escape(entry[1]) for entry in entries if len(entry) > 1 and isinstance(entry[1], str)}
        groups = [str(entry[0]) for entry in entries if len(entry) == 1 and entry[0] not in STAND_INS]
        names |= {re.escape(entry_noun(group)) for group in groups if group.endswith("s")}
        names |= {re.escape(name) for name in self.names}
        lacks_mass = any(path[0] in ("bodies", "structures") for path in self.left_out)
        lacks_controller = any(path[0] == "gnc" for path in self.left_out)
        unselected = {
            dotted((*path[:k], SELECTIONS[str(key)]))
            for path in self.left_out | self.replaced
            for k, key in enumerate(path)
            if key in SELECTIONS
        }
        words = re.compile(rf"(?<![\w-])(?:{'|'.join(names)})(?![\w-])" if names else r"(?!)")

        def is_independent(problem: Problem) -> bool:
            if any(_is_in(problem.field, dotted(path)) for path in self.left_out | self.replaced):
                return False
            if any(problem.field and _is_in(dotted(path), problem.field) for path in self.left_out):
                return False  # what contains it may be incomplete without it
            if problem.field in unselected:
                return False
            if (
                lacks_mass
                and problem.field.startswith("bodies.")
                and problem.field.endswith((".mass", ".inertia"))
            ):
                return False  # what was left out may be what a joint moves
            if lacks_controller and _METRIC_OF_CONTROLLERS.search(problem.message):
                return False
            if problem.field in {dotted(entry) for entry in entries}:
                return False
            is_same_entry = any(_is_in(problem.field, dotted(entry)) for entry in entries)
            is_mentioned = any(name in self.mentioned for name in problem.field.split(".")[1:2])
            message = _ENUMERATION.sub("", problem.message)
            is_about = words.search(f"{message} {problem.given}")
            return not is_about and (is_same_entry or not is_mentioned)

        return [problem for problem in problems if is_independent(problem)]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str):
        yield value


def _entry_names(value: Any) -> Iterator[str]:
    """Yield the names of the entries of a list."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            yield entry["name"]


def _is_in(field: str, path: str) -> bool:
    return field == path or field.startswith(f"{path}.")


def hidden_problems(
    error: ValidationError, model: type[BaseModel], source: Source, context: Any
) -> list[Problem]:
    """Return the problems of checks of the complete scenario, such as references, which the values at fault prevent."""
    rest = Remainder(source.data)
    found: list[Problem] = []
    for _ in range(PASSES):
        if not rest.leave_out(error, model):
            break
        try:
            model.model_validate(rest.data, context=context)
        except ValidationError as next_error:
            error = next_error
        else:
            break
        if _has_valid_fields(error):
            found += rest.independent(problems_of(error, model, source))
    return found


def _has_valid_fields(error: ValidationError) -> bool:
    """Return whether every field is valid by itself, so that the checks of the complete scenario were made."""
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
