"""Base class of validated models, and errors that name the field at fault."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


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
        """Run a check and collect the FieldError that it raises."""
        try:
            check(*arguments)
        except FieldError as error:
            self.errors.append(error)

    def report(self) -> None:
        """Raise SeveralFieldsError if there are errors."""
        if self.errors:
            raise SeveralFieldsError(self.errors)


class Model(BaseModel):
    """Base of all models: keyword-only, frozen, unknown keys refused, docstrings as field descriptions."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        defer_build=True,  # the schema is built once, as part of the scenario that contains the model
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        hide_input_in_errors=True,
    )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any, /) -> dict[str, Any]:
        """Add field docstrings to the JSON Schema; Pydantic would parse the sources at every import."""
        described: dict[str, Any] = handler(schema)
        properties = handler.resolve_ref_schema(described).get("properties", {})
        for name, text in field_docstrings(cls).items():
            if name in properties and cls.model_fields[name].description is None:
                properties[name]["description"] = text
        return described


def field_docstrings(model: type) -> dict[str, str]:
    """Return the docstrings of the fields of a model and its bases."""
    found: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if not issubclass(owner, Model) or owner is Model:
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, below in pairwise(body.body):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                found.pop(field.target.id, None)
                if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                    found[field.target.id] = inspect.cleandoc(str(below.value.value))
    return found
