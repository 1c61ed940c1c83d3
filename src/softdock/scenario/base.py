"""Base class of all kinds of scenario.

The name of a scenario (bundled name or file stem) and the folder of its relative paths are provenance, not fields:
they are stored separately and ignored in comparisons.
"""

import difflib
import html
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, PrivateAttr

from softdock.errors import file_errors, no_such
from softdock.files.regular_file import path_argument
from softdock.model.changed_members import ChangedMembers
from softdock.model.requirements import (
    METRIC_NAME,
    Requirement,
    RequirementId,
    metric_names,
    requirement_metric_name,
)
from softdock.quantities.model import FieldError, Findings, Model
from softdock.quantities.units import unit_system_name
from softdock.scenario.source import Source

if TYPE_CHECKING:
    from softdock.scenario.overrides import Overrides

UnitSystemName = Annotated[
    Literal["automatic", "SI", "mm/deg", "imperial"], BeforeValidator(unit_system_name)
]


SourceKind = Literal["measured", "computed", "literature", "specified", "assumed"]
"""Where a value of a scenario comes from."""


class InputSource(Model):
    """Source of a value, or of all values below a key."""

    kind: SourceKind
    """How the value is known."""
    reference: str = ""
    """Document, test or reason."""


@dataclass(frozen=True)
class Origin:
    """Provenance of a scenario; ignored in comparisons."""

    name: str = field(default="", compare=False)
    directory: Path = field(default_factory=Path, compare=False)
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
    requirements: dict[RequirementId, Requirement] = {}
    """Requirements on the run, by identifier."""
    author: str = ""
    """Author of the scenario, for reports."""
    revision: str = ""
    """Revision of the scenario, for reports."""
    units: UnitSystemName = "automatic"
    """Units in which results are displayed; JSON output is always in SI."""
    sources: dict[str, SourceKind | InputSource] = Field(default_factory=dict)
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
    def source(self) -> Source | None:
        """Data as written, with file and line of every value; None where it was not read from a file."""
        return self._origin.source

    def with_origin(self, name: str, directory: Path | None = None, source: Source | None = None) -> Self:
        """Return the same scenario with another name, folder of relative paths and data from which it was read."""
        copy = self.model_copy()
        copy._origin = Origin(name, self.directory if directory is None else directory, source=source)
        return copy

    def with_numbers(self, fields: Mapping[str, Any], changed: ChangedMembers) -> Self:
        """Return a validated copy with top-level fields replaced that differ in numbers of some members only.

        Raises ValueError for invalid values.
        """
        data = {name: getattr(self, name) for name in type(self).model_fields}
        return self.model_validate(
            data | dict(fields), context={"directory": self.directory, "name": self.name}
        )

    def without_history(self) -> Self:
        """Return the same scenario with as little recording as possible, for runs that need metrics only."""
        return self

    def metric_units(self) -> Mapping[str, str]:
        """Return the SI units of all metrics of a run that are one number, by name; `1` if dimensionless."""
        return {}

    def metric_unit(self, text: str) -> str:
        """Return the SI unit of an expression of a metric; raises FieldError with an empty path."""
        raise FieldError(
            "", f"must be the name of a metric of the run; there are: {', '.join(self.metric_units())}"
        )

    def possible_outcomes(self) -> list[str]:
        """Return the outcomes of completed runs."""
        return []

    def own_metrics(self) -> Mapping[str, str]:
        """Return the expressions of the metrics that the scenario defines, by name."""
        return {}

    def requirement_metrics(self) -> dict[str, str]:
        """Return the expressions that only requirements evaluate, by the name of their metric in the result."""
        names = metric_names(self.requirements, self.own_metrics())
        return {
            name: self.requirements[key].metric or ""
            for key, name in names.items()
            if not METRIC_NAME.fullmatch((self.requirements[key].metric or "").strip())
            and name not in self.own_metrics()
        }

    def requirement_units(self) -> dict[str, str]:
        """Return the SI unit of the metric of every requirement with one, by identifier; `1` if dimensionless."""
        return {
            key: self._requirement_unit("", requirement.metric.strip())
            for key, requirement in self.requirements.items()
            if requirement.metric is not None
        }

    def _check_requirements(self, findings: Findings) -> None:
        """Collect the errors of the requirements: metrics, units of limits, outcomes, contact conditions."""
        for key, requirement in self.requirements.items():
            findings.of(self._check_requirement, f"requirements.{key}", requirement)
        owners = dict.fromkeys(self.own_metrics(), "the key `metrics`")
        for key, name in metric_names(self.requirements, self.own_metrics()).items():
            if name == requirement_metric_name(key):
                if name in owners:
                    message = (
                        f"would be evaluated as metric {name!r}, which {owners[name]} already defines: "
                        "choose another identifier"
                    )
                    findings.errors.append(FieldError(f"requirements.{key}", message))
                owners[name] = f"requirement {key!r}"

    def _check_requirement(self, field: str, requirement: Requirement) -> None:
        if requirement.metric is not None:
            unit = self._requirement_unit(f"{field}.metric", requirement.metric.strip())
            try:
                requirement.bounds(unit)
            except FieldError as error:
                raise FieldError(".".join([field, *map(str, error.path)]), str(error)) from None
        known = self.possible_outcomes()
        for i, outcome in enumerate(requirement.outcome or ()):
            if outcome not in known:
                raise FieldError(f"{field}.outcome.{i}", no_such("outcome", outcome, known))
        if requirement.conditions is not None and getattr(self, "docking_frames", None) is None:
            raise FieldError(
                f"{field}.conditions", "needs an `approach` or `gnc`, which define the frames of tip and port"
            )

    def _requirement_unit(self, field: str, metric: str) -> str:
        if not METRIC_NAME.fullmatch(metric):
            try:
                return self.metric_unit(metric)
            except FieldError as error:
                raise FieldError(field, str(error)) from None
        known = self.metric_units()
        if metric not in known:
            close = difflib.get_close_matches(metric, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
            raise FieldError(field, f"the run has no metric {metric!r}; {hint}")
        return known[metric]

    def with_overrides(self, overrides: "Overrides") -> "ScenarioBase":
        """Return the scenario with values replaced by dotted path: `{"approach.speed": "60 mm/s"}`."""
        from softdock.scenario.loading import override  # imports this module

        return override(self, overrides)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scenario as a YAML file with SI numbers; files that it names are found from the new file."""
        from softdock.files.atomic import write_atomic
        from softdock.scenario.file_paths import relocate_paths
        from softdock.scenario.yaml_text import yaml_text

        file = path_argument("path", path)
        with file_errors(file, "write"):
            write_atomic(file, yaml_text(relocate_paths(self.to_data(), self.directory, file.parent)))

    def __repr__(self) -> str:
        shown: dict[str, Any] = {"kind": self.kind}
        if (duration := getattr(self, "duration", None)) is not None:
            shown["duration"] = duration
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, dict) and value and name != "sources":
                shown[name] = len(value)
        return (
            f"Scenario({', '.join([repr(self.name), *(f'{key}={value!r}' for key, value in shown.items())])})"
        )

    __str__ = __repr__

    def _repr_html_(self) -> str:
        title = html.escape(self.title or self.name or "Scenario")
        return (
            f"<p><b>{title}</b></p><p>{html.escape(self.description)}</p><pre>{html.escape(repr(self))}</pre>"
        )

    def to_data(self) -> dict[str, Any]:
        """Return plain data in SI from which an equal scenario can be loaded."""
        return self.model_dump(mode="json")
