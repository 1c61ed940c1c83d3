"""What every model of people's data shares: keyword only, frozen, unknown keys refused."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class FieldError(ValueError):
    """Raised by a model's own check to name the field at fault, relative to that model.

    raise FieldError("contact.stiffness", "must be larger than the chaser's stiffness")
    """

    def __init__(self, path: str, message: str) -> None:
        self.path = tuple(int(part) if part.isdecimal() else part for part in path.split(".") if part)
        super().__init__(message)


class SeveralFieldsError(ValueError):
    """Several fields at fault at once."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(map(str, errors)))


class Findings:
    """Collects what the checks of a model find, so that all of it is reported at once."""

    def __init__(self) -> None:
        self.errors: list[FieldError] = []

    def of(self, check: Callable[..., object], *arguments: object) -> None:
        """Run a check and keep what it raises."""
        try:
            check(*arguments)
        except FieldError as error:
            self.errors.append(error)

    def report(self) -> None:
        """Raise everything that was found."""
        if self.errors:
            raise SeveralFieldsError(self.errors)


class Model(BaseModel):
    """Base of all models: keyword only, frozen, unknown keys refused, described by its docstrings."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        defer_build=True,  # a schema is built once, with that of the scenario that contains it
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        hide_input_in_errors=True,
    )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any, /) -> dict[str, Any]:
        """Describe every field by its docstring; Pydantic would read the sources whenever models are imported."""
        described: dict[str, Any] = handler(schema)
        properties = handler.resolve_ref_schema(described).get("properties", {})
        for name, text in _docstrings(cls).items():
            if name in properties and cls.model_fields[name].description is None:
                properties[name]["description"] = text
        return described


def _docstrings(model: type) -> dict[str, str]:
    """Return the strings below the fields of a model and of the models it is made from."""
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
