"""Base class of all kinds of scenario.

The name of a scenario (bundled name or file stem) and the folder of its relative paths are provenance, not fields:
they are stored separately and ignored in comparisons.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, PrivateAttr

from softdock.quantities.model import FieldError, Model
from softdock.scenario.source import Source

__all__ = ["FieldError", "Model", "Origin", "ScenarioBase"]

UNIT_SYSTEMS = ("automatic", "SI", "mm/deg", "imperial")
"""Names of the unit systems in which results are displayed."""


def unit_system_name(given: object) -> str:
    """Return the name of a unit system written in any case, `mm-deg` for `mm/deg` included; raises ValueError."""
    names = {name.lower(): name for name in UNIT_SYSTEMS}
    found = names.get(str(given).strip().lower().replace("-", "/"))
    if found is None:
        raise ValueError(f"must be one of {', '.join(UNIT_SYSTEMS)}")
    return found


UnitSystemName = Annotated[
    Literal["automatic", "SI", "mm/deg", "imperial"], BeforeValidator(unit_system_name)
]


SourceKind = Literal["measured", "computed", "literature", "specified", "assumed"]
"""Where a value of a scenario comes from."""


class InputSource(Model):
    """Where a value, or all values below a key, come from."""

    kind: SourceKind
    reference: str = ""
    """Document, test or reason."""


@dataclass(frozen=True)
class Origin:
    """Provenance of a scenario; ignored in comparisons."""

    name: str = field(default="", compare=False)
    directory: Path = field(default_factory=Path, compare=False)
    sibling: "ScenarioBase | None" = field(default=None, compare=False, repr=False)
    """A scenario that differs from this one in numbers only; topology and index tables of both are the same."""
    source: Source | None = field(default=None, compare=False, repr=False)
    """Data as written, with file and line of every value; None for a scenario that was not read from a file."""


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
    author: str = ""
    """Author of the scenario, for reports."""
    revision: str = ""
    """Revision of the scenario, for reports."""
    units: UnitSystemName = "automatic"
    """Units in which results are displayed; JSON output is always in SI."""
    sources: dict[str, SourceKind | InputSource] = {}
    """Where values come from, by dotted path of a key; an entry applies to all keys below its own."""

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

    @property
    def source(self) -> Source | None:
        """Data as written, with file and line of every value; None where it was not read from a file."""
        return self._origin.source

    def with_origin(self, name: str, directory: Path | None = None, source: Source | None = None) -> Self:
        """Return the same scenario with another name, folder of relative paths and data from which it was read."""
        copy = self.model_copy()
        copy._origin = Origin(name, self.directory if directory is None else directory, source=source)
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
