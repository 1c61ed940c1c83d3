"""Conversion of Pydantic validation errors to problems with file, line, field and what is allowed."""

import difflib
import itertools
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from softdock.errors import MOST_PROBLEMS, InputError, Problem
from softdock.quantities.model import DEEPEST, FieldError, SeveralFieldsError, value_text
from softdock.scenario.source import FieldPath, Location, Source, dotted
from softdock.scenario.synonyms import advise, translate

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


def problems_of(
    error: ValidationError,
    model: type[BaseModel],
    source: Source,
    whole: str = "at the top level of the scenario",
) -> list[Problem]:
    """Return all problems of the data of a scenario, in the order of the lines; `whole` says what lacks a key."""
    problems: dict[tuple[FieldPath, str], Problem] = {}
    suggested: set[FieldPath] = set()
    for details in error.errors(include_url=False):
        field_path, here = locate(model, details["loc"])
        if details["type"] == "too_short" and _is_long_enough(details):
            continue
        if details["type"] == "extra_forbidden":
            above, name = field_path[:-1], str(field_path[-1])
            allowed = keys_of(locate(model, details["loc"][:-1])[1])
            allowed = (
                allowed if len(problems) < MOST_PROBLEMS else []
            )  # similar names take 1 ms for each unknown one
            problem, match = _unknown_key(source, above, name, allowed)
            suggested.add((*above, match))
            problems[field_path, "unknown"] = problem
        elif details["type"] == "missing":
            parent = locate(model, details["loc"][:-1])[1]
            problems[field_path, "missing"] = _missing(source, field_path, parent, whole)
        else:
            for detail in split_errors(details):
                at, problem = _wrong_value(source, field_path, here, detail)
                # Each member of a union reports its own error about the same value; a check may report several.
                key = (at, "value" if detail is details else problem.message)
                earlier = problems.get(key)
                if earlier is not None and earlier.message != problem.message:
                    problem = _join(earlier, problem)
                problems[key] = problem
    kept = [
        p for (field_path, what), p in problems.items() if not (what == "missing" and field_path in suggested)
    ]
    return in_order_of_lines(kept)


def in_order_of_lines(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems once each, in the order of the lines of their file."""
    return sorted(dict.fromkeys(problems), key=lambda p: (p.line is None, p.line or 0))


def construction_error(
    error: ValidationError, model: type[BaseModel], fields: Mapping[str, Any]
) -> InputError:
    """Return the error of a model that was constructed in Python, with all fields at fault."""
    source = Source(dict(fields), {path: Location("", None, text) for path, text in _texts((), fields)})
    return InputError(*problems_of(error, model, source, f"in {model.__name__}"))


def _texts(path: FieldPath, value: Any) -> Iterator[tuple[FieldPath, str]]:
    """Yield path and text of every single value that is not nested too deep."""
    if len(path) > DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _texts((*path, key), part)
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value):
            yield from _texts((*path, i), part)
    else:
        yield path, value_text(value)


SIMILARITY = 0.65  # smallest ratio of difflib between a misspelt name and the suggestion


def did_you_mean(given: str, allowed: Iterable[str]) -> tuple[str, str]:
    """Return a hint for a misspelt name, and the suggested name, which is empty if none is similar."""
    names = sorted(allowed)
    if translated := translate(given, names):
        return f"Here it is called '{translated}'.", translated
    if advice := advise(given, names):
        return advice, ""
    by_lower = {name.lower(): name for name in names}
    close = difflib.get_close_matches(given.lower().replace("-", "_"), by_lower, n=1, cutoff=SIMILARITY)
    close = close or difflib.get_close_matches(given.lower(), by_lower, n=1, cutoff=SIMILARITY)
    if close:
        return f"Did you mean '{by_lower[close[0]]}'?", by_lower[close[0]]
    return (f"Allowed: {', '.join(names)}." if names else ""), ""


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


def _missing(source: Source, field_path: FieldPath, parent: Any, whole: str) -> Problem:
    where, name = source.where(field_path[:-1]), field_path[-1]
    if isinstance(name, int):
        needed = len(get_args(_members(parent)[0]))
        message, field = f"Needs {needed} entries and has fewer.", dotted(field_path[:-1])
    else:
        within = f"in '{dotted(field_path[:-1])}'" if len(field_path) > 1 else whole
        message, field = f"The key '{name}' is missing {within}.", dotted(field_path)
    return Problem(message=message, field=field, file=where.file, line=where.line)


def split_errors(details: ErrorDetails) -> list[ErrorDetails]:
    """Return one error per field that the validators of a model have found."""
    cause = details.get("ctx", {}).get("error")
    if not isinstance(cause, SeveralFieldsError):
        return [details]
    return [{**details, "ctx": {"error": error}, "msg": str(error)} for error in cause.errors]


def _wrong_value(
    source: Source, field_path: FieldPath, here: Any, details: ErrorDetails
) -> tuple[FieldPath, Problem]:
    """Return the field at fault, which may be inside the validated model, and its problem."""
    context, kind = details.get("ctx", {}), details["type"]
    cause, hint = context.get("error"), ""
    if isinstance(cause, FieldError):
        field_path = (*field_path, *cause.path)
    if kind == "union_tag_invalid":
        field_path = (*field_path, str(context["discriminator"]).strip("'"))
        tags = [tag.strip(" '") for tag in str(context["expected_tags"]).split(",")]
        message = f"must be one of {', '.join(tags)}"
        hint = did_you_mean(str(context["tag"]), tags)[0]
    elif kind == "union_tag_not_found":
        key = str(context["discriminator"]).strip("'")
        message = f"needs the key '{key}', which selects the type"
    elif kind in ("model_type", "model_attributes_type"):
        message = f"must be a mapping of keys to values, with keys such as {', '.join(keys_of(here)[:4])}"
        hint = _hint_at_type(here, source.where(field_path).text)
    elif kind == "string_pattern_mismatch" and context["pattern"].startswith("^[A-Za-z0-9]"):
        message = "must be an identifier of plain letters (a to z, A to Z), digits, '_' and '-'"
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
    where = source.where(field_path)
    if details["input"] is None and not isinstance(cause, FieldError):
        message = f"{message.removesuffix('.')}; nothing is given"
        where = replace(where, text="")
    if kind in ("list_type", "tuple_type") and isinstance(details["input"], dict):
        hint = "Write it in square brackets, or as lines that begin with '- '."
    elif kind == "too_long" and _has_decimal_comma(details["input"]):
        hint = "A comma separates entries; numbers have a decimal point."
    return field_path, Problem(
        message=_sentence(message),
        field=dotted(field_path),
        file=where.file,
        line=where.line,
        given=where.text,
        hint="" if hint.startswith("Allowed") else hint,
    )


def _hint_at_type(here: Any, given: str) -> str:
    """Return how a type is written for which only its name, or that of another tool, is given; empty if it is none."""
    tagged = [member for member in _members(here) if "type" in getattr(member, "model_fields", {})]
    tags = {str(tag) for member in tagged for tag in get_args(member.model_fields["type"].annotation)}
    name = given if given in tags else translate(given, tags)
    return f"Write {{type: {name}}}." if name else ""


def _has_decimal_comma(given: Any) -> bool:
    """Return whether a list has a whole number and then a text that begins with a digit, as `[0,5 mm]` has."""
    pairs = itertools.pairwise(given) if isinstance(given, list | tuple) else ()
    return any(
        isinstance(first, int) and isinstance(second, str) and second[:1].isdecimal()
        for first, second in pairs
    )


def _is_long_enough(details: ErrorDetails) -> bool:
    """Return whether a list is long enough: Pydantic counts only its valid entries."""
    return len(details["input"]) >= int(details["ctx"]["min_length"])


def _join(first: Problem, second: Problem) -> Problem:
    message = f"{first.message.rstrip('.')}; or: {second.message[0].lower()}{second.message[1:]}"
    return Problem(
        message=message,
        field=first.field,
        file=first.file,
        line=first.line,
        given=first.given,
        hint=first.hint or second.hint,
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


# Pydantic's location of an error also contains the names of union members. They can be told from keys only by the
# types, so the following functions descend through the types.


def locate(model: type[BaseModel], loc: Sequence[str | int]) -> tuple[FieldPath, Any]:
    """Return the field path of the location of an error, and the type expected there."""
    here: Any = model
    field_path: list[str | int] = []
    for element in loc:
        if element == "[key]":  # Pydantic's marker for an error of the key itself
            continue
        here, inside = _descend(here, element)
        if inside:
            field_path.append(element)
    return tuple(field_path), here


def keys_of(annotation: Any) -> list[str]:
    """Return the keys of the models that a type allows."""
    keys: dict[str, None] = {}
    for member in _members(annotation):
        if _is_model(member):
            keys |= {field.alias or name: None for name, field in member.model_fields.items()}
    return list(keys)


def entry_noun(group: str) -> str:
    """Return what an entry of a group is called in messages: `body` for `bodies`, `spring` for `springs`."""
    return {"bodies": "body", "gnc": "controller"}.get(group, group.removesuffix("s"))


def named_groups(model: type[BaseModel]) -> list[str]:
    """Return the keys of a model whose values are mappings of names to models, such as `bodies`."""
    groups = []
    for name, field in model.model_fields.items():
        (only, *others) = _members(field.annotation) or [None]
        if get_origin(only) is dict and not others and any(map(_is_model, _members(get_args(only)[1]))):
            groups.append(field.alias or name)
    return groups


def _descend(annotation: Any, element: str | int) -> tuple[Any, bool]:
    """Return the type of an element of a location, and whether the element is a step in the data."""
    members = _members(annotation)
    if len(members) > 1:
        return _find_member(members, str(element)), False
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
    """Return the members of a union without None; any other type as its only member."""
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [member for part in get_args(annotation) for member in _members(part)]
    return [] if annotation in (None, type(None)) else [annotation]


def _find_member(members: list[Any], label: str) -> Any:
    """Return the member of a union that a label in the location of an error names by its tag or class name.

    For a model with validators, the label lists the validators and ends with the class name.
    """
    if label.startswith("function-"):
        label = label.rstrip("]").split(", ")[-1]
    for member in members:
        if _is_model(member) and (label == member.__name__ or label in _tags(member)):
            return member
    return next((m for m in members if not _is_model(m)), None)


def _tags(model: type[BaseModel]) -> set[str]:
    """Return the values of the literal fields of a model, one of which is its tag."""
    return {str(v) for field in model.model_fields.values() for v in get_args(field.annotation)}


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
