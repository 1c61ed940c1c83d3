"""Base class of all kinds of scenario.

The name of a scenario (bundled name or file stem) and the folder of its relative paths are provenance, not fields:
they are stored separately and ignored in comparisons.
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
    """Provenance of a scenario; ignored in comparisons."""

    name: str = field(default="", compare=False)
    directory: Path = field(default_factory=Path, compare=False)
    sibling: "ScenarioBase | None" = field(default=None, compare=False, repr=False)
    """A scenario that differs from this one in numbers only; topology and index tables of both are the same."""


class ScenarioBase(Model):
    """Base of every kind of scenario."""

    softdock: Literal[1] = 1
    """Version of the file format."""
    kind: str
    """Kind of scenario; determines the other keys."""
    title: str = ""
    """One line about the purpose of the scenario."""
    description: str = ""
    """Description: source of the numbers, expected behaviour."""

    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def name(self) -> str:
        """Name of the bundled scenario, stem of the file, or empty for a scenario built in Python."""
        return self._origin.name

    @property
    def directory(self) -> Path:
        """Folder of relative paths in the scenario."""
        return self._origin.directory

    @property
    def sibling(self) -> "ScenarioBase | None":
        """Scenario from which this one differs in numbers only, or None."""
        return self._origin.sibling

    def with_origin(self, name: str, directory: Path | None = None) -> Self:
        """Return the same scenario with another name and another folder of relative paths."""
        copy = self.model_copy()
        copy._origin = Origin(name, self.directory if directory is None else directory)
        return copy

    def with_numbers(self, fields: Mapping[str, Any]) -> Self:
        """Return the validated scenario with fields replaced that differ in numbers only; raises ValueError."""
        data = {name: getattr(self, name) for name in type(self).model_fields}
        return self.model_validate(
            data | dict(fields), context={"directory": self.directory, "name": self.name}
        )

    def without_history(self) -> Self:
        """Return the same scenario with as little recording as possible, for runs that need metrics only."""
        return self

    def to_data(self) -> dict[str, Any]:
        """Return plain data in SI from which an equal scenario can be loaded."""
        return self.model_dump(mode="json")
