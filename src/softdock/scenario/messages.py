"""From the checker's errors to problems that name the place in the file and what is allowed there."""

import difflib
import types
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from softdock.errors import Problem
from softdock.quantities.model import FieldError, SeveralFieldsError
from softdock.scenario.source import FieldPath, Source

_SENTENCES = {
    "string_type": "must be a text",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping of keys to values",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "needs at least {min_length} entries and has {actual_length}",
    "too_long": "needs at most {max_length} entries and has {actual_length}",
    "string_too_short": "needs at least {min_length} characters",
    "string_too_long": "needs at most {max_length} characters",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "quantity": "{sentence}",
    "value_error": "{error}",
    "assertion_error": "{error}",
}


def problems_of(error: ValidationError, model: type[BaseModel], source: Source) -> list[Problem]:
    """Return every problem of a scenario's data, in the order of the lines."""
    found: dict[tuple[FieldPath, str], Problem] = {}
    suggested: set[FieldPath] = set()
    for details in error.errors(include_url=False):
        place, here = locate(model, details["loc"])
        if details["type"] == "too_short" and _is_long_enough(details):
            continue
        if details["type"] == "extra_forbidden":
            parent, name = place[:-1], str(place[-1])
            allowed = keys_of(locate(model, details["loc"][:-1])[1])
            problem, match = _unknown_key(source, parent, name, allowed)
            suggested.add((*parent, match))
            found[place, "unknown"] = problem
        elif details["type"] == "missing":
            found[place, "missing"] = _missing(source, place, locate(model, details["loc"][:-1])[1])
        else:
            for one in _one_by_one(details):
                at, problem = _wrong_value(source, place, here, one)
                # The members of a union complain one by one about the same value.
                earlier = found.get((at, "value"))
                if earlier is not None and earlier.message != problem.message:
                    problem = _joined(earlier, problem)
                found[at, "value"] = problem
    kept = [p for (place, what), p in found.items() if not (what == "missing" and place in suggested)]
    return sorted(kept, key=lambda p: (p.line is None, p.line or 0))


CLOSE = 0.65  # part of the letters that a misspelt name shares with the one meant


def did_you_mean(given: str, allowed: Iterable[str]) -> tuple[str, str]:
    """Return a hint for a misspelt name and the name meant, which is empty when nothing is close."""
    names = sorted(allowed)
    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(given.lower().replace("-", "_"), by_lower, n=1, cutoff=CLOSE)
    close = close or difflib.get_close_matches(given.lower(), by_lower, n=1, cutoff=CLOSE)
    if close:
        return f"Did you mean '{by_lower[close[0]]}'?", by_lower[close[0]]
    return (f"Allowed: {', '.join(names)}." if names else ""), ""


def dotted(place: Sequence[str | int]) -> str:
    """Return a place as the dotted path that `--set` takes."""
    return ".".join(map(str, place))


def _unknown_key(source: Source, parent: FieldPath, name: str, allowed: list[str]) -> tuple[Problem, str]:
    hint, match = did_you_mean(name, allowed)
    where = source.where((*parent, name))
    problem = Problem(
        message=f"The key '{name}' is not known here.",
        field=dotted((*parent, name)),
        file=where.file,
        line=where.line,
        hint=hint,
    )
    return problem, match


def _missing(source: Source, place: FieldPath, parent: Any) -> Problem:
    where, name = source.where(place[:-1]), place[-1]
    if isinstance(name, int):
        needed = len(get_args(_members(parent)[0]))
        message, field = f"Needs {needed} entries and has fewer.", dotted(place[:-1])
    else:
        within = f"in '{dotted(place[:-1])}'" if len(place) > 1 else "at the top level of the scenario"
        message, field = f"The key '{name}' is missing {within}.", dotted(place)
    return Problem(message=message, field=field, file=where.file, line=where.line)


def _one_by_one(details: ErrorDetails) -> list[ErrorDetails]:
    """Return the error details as many times as a model's own checks found something."""
    cause = details.get("ctx", {}).get("error")
    if not isinstance(cause, SeveralFieldsError):
        return [details]
    return [{**details, "ctx": {"error": error}, "msg": str(error)} for error in cause.errors]


def _wrong_value(
    source: Source, place: FieldPath, here: Any, details: ErrorDetails
) -> tuple[FieldPath, Problem]:
    """Return the place at fault, which a model's own check may name more closely, and the problem there."""
    context, kind = details.get("ctx", {}), details["type"]
    cause, hint = context.get("error"), ""
    if isinstance(cause, FieldError):
        place = (*place, *cause.path)
    if kind == "union_tag_invalid":
        place = (*place, str(context["discriminator"]).strip("'"))
        tags = [tag.strip(" '") for tag in str(context["expected_tags"]).split(",")]
        message = f"must be one of {', '.join(tags)}"
        hint = did_you_mean(str(context["tag"]), tags)[0]
    elif kind == "union_tag_not_found":
        key = str(context["discriminator"]).strip("'")
        message = f"needs the key '{key}', which says what this is"
    elif kind in ("model_type", "model_attributes_type"):
        message = f"must be a mapping of keys to values, with keys such as {', '.join(keys_of(here)[:4])}"
    elif kind == "string_pattern_mismatch" and "A-Z" in context["pattern"]:
        message = (
            "must be a name of plain letters (a to z, A to Z), digits, '_' and '-' that begins with a letter"
        )
    elif kind == "string_pattern_mismatch" and "a-z" in context["pattern"]:
        message = "must be a name of small plain letters (a to z), digits and '_' that begins with a letter"
    elif kind in _SENTENCES:
        message = _SENTENCES[kind].format(**context)
    else:
        message = details["msg"]
    where = source.where(place)
    return place, Problem(
        message=_sentence(message),
        field=dotted(place),
        file=where.file,
        line=where.line,
        given=where.text,
        hint="" if hint.startswith("Allowed") else hint,
    )


def _is_long_enough(details: ErrorDetails) -> bool:
    """Tell a list that is long enough but whose entries are wrong; Pydantic counts only the right ones."""
    return len(details["input"]) >= int(details["ctx"]["min_length"])


def _joined(one: Problem, two: Problem) -> Problem:
    message = f"{one.message.rstrip('.')}; or: {two.message[0].lower()}{two.message[1:]}"
    return Problem(
        message=message,
        field=one.field,
        file=one.file,
        line=one.line,
        given=one.given,
        hint=one.hint or two.hint,
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


# Pydantic's location of an error also names the member of a union that was tried. Only the types tell such a
# name from a key, so the walk goes along the types.


def locate(model: type[BaseModel], loc: Sequence[str | int]) -> tuple[FieldPath, Any]:
    """Return the place in the data that an error's location means, and the type expected there."""
    here: Any = model
    place: list[str | int] = []
    for element in loc:
        if element == "[key]":  # Pydantic's word for the name of an entry, not for what it holds
            continue
        here, inside = _descend(here, element)
        if inside:
            place.append(element)
    return tuple(place), here


def keys_of(annotation: Any) -> list[str]:
    """Return the keys that a model at this place takes."""
    keys: dict[str, None] = {}
    for member in _members(annotation):
        if _is_model(member):
            keys |= {field.alias or name: None for name, field in member.model_fields.items()}
    return list(keys)


def _descend(annotation: Any, element: str | int) -> tuple[Any, bool]:
    """Return the type one element further, and whether that element is a step in the data."""
    members = _members(annotation)
    if len(members) > 1:
        return _member_called(members, str(element)), False
    if not members:
        return None, True
    (only,) = members
    if _is_model(only):
        for name, field in only.model_fields.items():
            if element in (name, field.alias):
                return field.annotation, True
        return None, True
    origin, arguments = get_origin(only), get_args(only)
    if origin in (list, tuple, set, frozenset) and isinstance(element, int):
        homogeneous = origin is not tuple or (len(arguments) == 2 and arguments[1] is Ellipsis)
        return arguments[0 if homogeneous else min(element, len(arguments) - 1)], True
    if origin is dict and element != "[key]":
        return arguments[1], True
    return annotation, False


def _members(annotation: Any) -> list[Any]:
    """Return the types a value may have, without None."""
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [member for part in get_args(annotation) for member in _members(part)]
    return [] if annotation in (None, type(None)) else [annotation]


def _member_called(members: list[Any], label: str) -> Any:
    """Return the member of a union that a label in an error's location stands for: a tag or a class name.

    The class name of a model with checks of its own comes last in the names of those checks.
    """
    if label.startswith("function-"):
        label = label.rstrip("]").split(", ")[-1]
    for member in members:
        if _is_model(member) and (label == member.__name__ or label in _tags(member)):
            return member
    return next((m for m in members if not _is_model(m)), None)


def _tags(model: type[BaseModel]) -> set[str]:
    """Return the values of a model's literal fields, one of which is its tag."""
    return {str(v) for field in model.model_fields.values() for v in get_args(field.annotation)}


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
