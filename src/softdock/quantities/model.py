"""What every model of people's data shares: keyword only, frozen, unknown keys refused."""

from collections.abc import Callable, Sequence
from typing import ClassVar

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
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
    )
