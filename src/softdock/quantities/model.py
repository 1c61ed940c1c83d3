"""What every model of people's data shares: keyword only, frozen, unknown keys refused."""

from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class FieldError(ValueError):
    """Raised by a model's own check to name the field at fault, relative to that model.

    raise FieldError("contact.stiffness", "must be larger than the chaser's stiffness")
    """

    def __init__(self, path: str, message: str) -> None:
        self.path = tuple(int(part) if part.isdecimal() else part for part in path.split(".") if part)
        super().__init__(message)


class Model(BaseModel):
    """Base of all models: keyword only, frozen, unknown keys refused, described by its docstrings."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
    )
