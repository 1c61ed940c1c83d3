"""Base class of validated models, and errors that name the field at fault."""

import ast
import inspect
import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from softdock.errors import InputError

LONGEST_REPR = 300
"""Characters of the `repr` of a model."""


class FieldError(ValueError):
    """Raised by a validator of a model to name the field at fault, relative to that model.

    raise FieldError("contact.stiffness", "must be larger than the chaser's stiffness")
    """

    def __init__(self, path: str, message: str) -> None:
        self.path = tuple(int(part) if part.isdecimal() else part for part in path.split(".") if part)
        super().__init__(message)


class SeveralFieldsError(ValueError):
    """Several fields are at fault."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(map(str, errors)))


class Findings:
    """Collects the errors of several checks, to report all of them at once."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def of(self, check: Callable[..., object], *arguments: object) -> None:
        """Run a check and collect the errors of fields that it raises."""
        try:
            check(*arguments)
        except FieldError as error:
            self.errors.append(error)
        except SeveralFieldsError as error:
            self.errors += error.errors

    def report(self) -> None:
        """Raise SeveralFieldsError if there are errors."""
        if self.errors:
            raise SeveralFieldsError(self.errors)


_PydanticType: Any = type(BaseModel)


class ModelType(_PydanticType):  # type: ignore[misc]
    """Type of all models: a constructor raises `InputError` with the problems of all fields.

    Validation of data by `model_validate` raises the `ValidationError` of Pydantic, whose locations loaders need.
    """

    @property
    def __signature__(cls) -> inspect.Signature:  # noqa: N805
        """Fields with units and defaults; that of Pydantic is empty before the first use, and shows validators."""
        from softdock.quantities.signature import signature_of  # imported late: only people read signatures

        return signature_of(cls.model_fields)

    @__signature__.setter
    def __signature__(cls, value: object) -> None:  # noqa: N805
        """Ignore the signature that Pydantic sets."""

    def __call__(cls, /, *positional: Any, **fields: Any) -> Any:  # noqa: N805
        """Return the validated object."""
        if positional:
            given = ", ".join(list(cls.model_fields)[:3])
            raise TypeError(f"{cls.__name__} takes keyword arguments only: {given} ...")
        try:
            return super().__call__(**{name: convert_arrays(value) for name, value in fields.items()})
        except ValidationError as error:
            from softdock.scenario.messages import construction_error  # imported late: only errors need it

            raise construction_error(error, cls, fields) from None


if TYPE_CHECKING:
    CheckedModel = BaseModel  # type checkers cannot follow a metaclass that is derived from `type(BaseModel)`
else:

    class CheckedModel(BaseModel, metaclass=ModelType):
        """Base of `Model` whose type is `ModelType`."""


class Model(CheckedModel):
    """Base of all models: keyword-only, frozen, unknown keys refused, docstrings as field descriptions."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        defer_build=True,  # the schema is built once, as part of the scenario that contains the model
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        hide_input_in_errors=True,
    )

    __iter__ = None  # type: ignore[assignment]  # one model in place of a list of models is refused as a whole

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a private attribute; fields cannot be changed."""
        try:
            super().__setattr__(name, value)
        except ValidationError:
            hint = "`with_overrides` returns a changed scenario."
            raise InputError("It cannot be changed.", field=name, hint=hint) from None

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Yield the fields that differ from their defaults, for a short `repr`."""
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if field.is_required() or value != field.get_default(call_default_factory=True):
                yield name, value

    def __repr__(self) -> str:
        text = (
            f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__repr_args__())})"
        )
        return text if len(text) <= LONGEST_REPR else f"{text[: LONGEST_REPR - 5]} ...)"

    __str__ = __repr__

    def written(self) -> Any:
        """Return the object as plain data: the fields that were given, and types."""
        given = {*self.model_fields_set, *(("type",) if "type" in type(self).model_fields else ())}
        return {name: written_data(getattr(self, name)) for name in type(self).model_fields if name in given}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any, /) -> dict[str, Any]:
        """Add field docstrings to the JSON Schema; Pydantic would parse the sources at every import."""
        described: dict[str, Any] = handler(schema)
        resolved = handler.resolve_ref_schema(described)
        if "description" in resolved:
            resolved["description"] = split_example(resolved["description"])[0]
        properties = resolved.get("properties", {})
        for name, text in field_docstrings(cls).items():
            if name in properties and cls.model_fields[name].description is None:
                properties[name]["description"] = text
        return described


def split_example(docstring: str) -> tuple[str, str]:
    """Return the text of a docstring and its example, which begins with `>>>`."""
    text, mark, example = inspect.cleandoc(docstring).partition(">>>")
    return text.rstrip(), mark + example


def convert_arrays(value: Any) -> Any:
    """Return NumPy arrays and numbers as lists and Python numbers, and paths as texts; other values as they are."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return os.fspath(value) if isinstance(value, os.PathLike) else value


DEEPEST = 40
"""Levels of nesting of data; scenarios need fewer than ten."""


def written_data(value: Any, depth: int = 0) -> Any:
    """Return models, also inside mappings and sequences, as plain data: the fields that were given, and types."""
    if depth > DEEPEST:
        raise InputError(f"The data are nested deeper than {DEEPEST} levels.")
    if isinstance(value, Model):
        return value.written()
    if isinstance(value, Mapping):
        return {key: written_data(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [written_data(part, depth + 1) for part in value]
    converted = convert_arrays(value)
    is_list = isinstance(converted, Iterable) and not isinstance(
        converted, str | bytes | set | frozenset | Model
    )
    return [written_data(part, depth + 1) for part in converted] if is_list else converted


def value_text(value: Any) -> str:
    """Return a single value as messages show it; Python does not write whole numbers of thousands of digits."""
    try:
        return str(value)
    except ValueError:
        return "a whole number of thousands of digits"


def field_docstrings(model: type) -> dict[str, str]:
    """Return the docstrings of the fields of a model and its bases."""
    docstrings: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if not issubclass(owner, Model) or owner is Model:
            continue
        named = [name for name in owner.__annotations__ if name in owner.model_fields]
        described = {name: owner.model_fields[name].description for name in named}
        if named and all(described.values()):  # made by a program, without a source
            docstrings |= {name: str(text) for name, text in described.items()}
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, below in pairwise(body.body):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                docstrings.pop(field.target.id, None)
                if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                    docstrings[field.target.id] = inspect.cleandoc(str(below.value.value))
    return docstrings
