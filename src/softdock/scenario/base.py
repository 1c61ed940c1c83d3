"""What every model of a scenario file shares.

A scenario knows its name (bundled name or file stem) and the folder its relative paths start from. Neither
is a field of the file: they say where the scenario came from, not what it is. So they are kept beside the
fields, and two scenarios with the same fields are equal wherever they came from.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr


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


@dataclass(frozen=True)
class Origin:
    """Where a scenario came from. All origins are equal: they are no part of what a scenario is."""

    name: str = field(default="", compare=False)
    directory: Path = field(default_factory=Path, compare=False)


class ScenarioBase(Model):
    """Base of every kind of scenario."""

    softdock: Literal[1] = 1
    """Version of the file format."""
    kind: str
    """What kind of scenario this is; decides which other keys there are."""
    title: str = ""
    """One line that says what the scenario shows."""
    description: str = ""
    """What a reader should know: source of the numbers, what to expect."""

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def name(self) -> str:
        """Name of the bundled scenario, stem of its file, or empty for one built in Python."""
        return self._origin.name

    @property
    def directory(self) -> Path:
        """Folder that relative paths in the scenario start from."""
        return self._origin.directory

    def with_origin(self, name: str, directory: Path | None = None) -> Self:
        """Return the same scenario under a name, with relative paths starting from `directory`."""
        copy = self.model_copy()
        copy._origin = Origin(name, self.directory if directory is None else directory)
        return copy

    def to_data(self) -> dict[str, Any]:
        """Return plain data in SI that loads again to an equal scenario."""
        return self.model_dump(mode="json")
