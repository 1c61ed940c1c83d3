"""What every model of a scenario file shares.

A scenario knows its name (bundled name or file stem) and the folder its relative paths start from. Neither
is a field of the file: they say where the scenario came from, not what it is. So they are kept beside the
fields, and two scenarios with the same fields are equal wherever they came from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import PrivateAttr

from softdock.quantities.model import FieldError, Model

__all__ = ["FieldError", "Model", "Origin", "ScenarioBase"]


@dataclass(frozen=True)
class Origin:
    """Where a scenario came from. All origins are equal: they are no part of what a scenario is."""

    name: str = field(default="", compare=False)
    directory: Path = field(default_factory=Path, compare=False)
    sibling: "ScenarioBase | None" = field(default=None, compare=False, repr=False)
    """A scenario with the same structure, from which this one differs in numbers only: what was made ready for it
    and has no numbers in it serves both."""


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

    @property
    def sibling(self) -> "ScenarioBase | None":
        """Scenario from which this one differs in numbers only, if that is known."""
        return self._origin.sibling

    def with_origin(self, name: str, directory: Path | None = None) -> Self:
        """Return the same scenario under a name, with relative paths starting from `directory`."""
        copy = self.model_copy()
        copy._origin = Origin(name, self.directory if directory is None else directory)
        return copy

    def with_numbers(self, fields: Mapping[str, Any]) -> Self:
        """Return the scenario with other fields, which differ in numbers only, checked; raises ValueError."""
        data = {name: getattr(self, name) for name in type(self).model_fields}
        return self.model_validate(
            data | dict(fields), context={"directory": self.directory, "name": self.name}
        )

    def without_history(self) -> Self:
        """Return the same scenario, keeping as little of its history as it can: for metrics alone."""
        return self

    def to_data(self) -> dict[str, Any]:
        """Return plain data in SI that loads again to an equal scenario."""
        return self.model_dump(mode="json")
