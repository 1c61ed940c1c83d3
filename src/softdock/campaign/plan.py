"""Plan of a campaign: distributions in SI, validated against the scenario, and samples of all runs."""

import dataclasses
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from softdock.campaign.boundary import initial_runs
from softdock.campaign.distributions import (
    SMALLEST_SHARE,
    AxisVector,
    Choice,
    Distribution,
    TruncatedNormal,
    Uniform,
    Vector,
    correlated,
)
from softdock.campaign.model import CampaignFile, Correlation, Dispersion, ScalarDispersion
from softdock.campaign.sampling import Sampler
from softdock.campaign.template import Template, value_at
from softdock.errors import InputError, Problem
from softdock.quantities.units import parse_quantity
from softdock.result import Array
from softdock.scenario.field_units import unit_at
from softdock.scenario.messages import did_you_mean
from softdock.scenario.source import FieldPath, Source

BOUNDARY_INPUTS = (2, 4)
"""Smallest and largest number of coordinates in which a boundary is refined."""
RANGE = (
    3.0  # standard deviations on both sides of the mean, where a boundary needs a range and there is no limit
)

Inputs = dict[str, Any]
"""Values of the dispersed fields of one run in SI, by dotted path."""


@dataclass(frozen=True)
class Plan:
    """Everything that determines the table of a campaign."""

    name: str
    origin: str
    """Bundled name, or absolute path of the campaign file."""
    campaign: CampaignFile
    template: Template
    distributions: dict[str, Distribution]
    sampler: Sampler
    correlations: tuple[tuple[list[int], Array], ...] = ()
    """Columns of correlated coordinates, with the Cholesky factor of their correlation matrix."""
    source: Source | None = dataclasses.field(default=None, compare=False, repr=False)
    """The campaign file, for the lines of problems that only runs can show."""

    @property
    def runs(self) -> int:
        """Number of runs, rounded up to a complete Saltelli design."""
        return -(-self.campaign.runs // self.sampler.design) * self.sampler.design

    def columns(self, start: int, stop: int) -> dict[str, Array]:
        """Return the values of every dispersed field for runs start to stop: (n,), (n, size) or indices of choices."""
        return self.values_at(self.sampler.points(start, stop))

    def values_at(self, u: Array) -> dict[str, Array]:
        """Return the values of every dispersed field at points u (n, dims) of the unit cube."""
        u = u.copy()
        for places, factor in self.correlations:
            u[:, places] = correlated(u[:, places], factor)
        values, column = {}, 0
        for path, distribution in self.distributions.items():
            values[path] = distribution.at(u[:, column : column + distribution.dims])
            column += distribution.dims
        return values

    def inputs(self, start: int, stop: int) -> list[Inputs]:
        """Return the inputs of runs start to stop."""
        return self.inputs_at(self.sampler.points(start, stop))

    def inputs_at(self, u: Array) -> list[Inputs]:
        """Return the inputs of runs at points u (n, dims) of the unit cube."""
        lists = {path: self._plain(path, column) for path, column in self.values_at(u).items()}
        return [{path: values[i] for path, values in lists.items()} for i in range(len(u))]

    def middle(self) -> Inputs:
        """Return the inputs in the middle of all ranges."""
        return {
            path: self._plain(path, distribution.at(np.full((1, distribution.dims), 0.5)))[0]
            for path, distribution in self.distributions.items()
        }

    def problem(self, field_path: FieldPath, message: str, hint: str = "") -> InputError:
        """Return the error for a field of the campaign file, with its line."""
        source = self.source or Source({}, {}, file=self.origin)
        return source.refusal(field_path, message, hint)

    def units(self) -> dict[str, str]:
        """Return the SI units of inputs (`input.PATH`) and values of requirements; dimensionless ones are omitted."""
        scenario = self.template.build({})
        units = {f"input.{path}": unit_at(scenario, path) for path in self.distributions}
        units |= {f"requirement.{key}.value": unit for key, unit in scenario.requirement_units().items()}
        return {name: unit for name, unit in units.items() if unit not in ("", "1")}

    def _plain(self, path: str, column: Array) -> list[Any]:
        distribution = self.distributions[path]
        if isinstance(distribution, Choice):
            return [distribution.values[int(k)] for k in column]
        plain: list[Any] = column.tolist()
        return plain


def make_plan(campaign: CampaignFile, source: Source, template: Template, name: str, origin: str) -> Plan:
    """Return the plan of a campaign; raises InputError with the problems of all dispersions."""
    problems: list[Problem] = []
    distributions: dict[str, Distribution] = {}
    for path, dispersion in campaign.dispersions.items():
        try:
            _check_overlap(path, campaign.dispersions, source)
            distributions[path] = _DispersionReader(source, template, path).distribution(dispersion)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    if campaign.method == "boundary":
        distributions = _ranges(distributions, source)
    groups = tuple((path, distribution.dims) for path, distribution in distributions.items())
    plan = Plan(
        name=name,
        origin=origin,
        campaign=campaign,
        template=template,
        distributions=distributions,
        sampler=Sampler(campaign.sampling, campaign.seed, campaign.runs, groups),
        correlations=tuple(_correlations(campaign.correlations, distributions, source)),
        source=source,
    )
    if campaign.method == "boundary":
        _check_boundary(plan, source)
    _check_extremes(plan, source)
    return plan


class _DispersionReader:
    """Converts one dispersion to a distribution; values are read as the field of the scenario reads them."""

    def __init__(self, source: Source, template: Template, path: str) -> None:
        self.source, self.template, self.path = source, template, path

    def distribution(self, dispersion: Dispersion) -> Distribution:
        if dispersion.choice is not None:
            values = tuple(self.value(self.path, v, "choice", i) for i, v in enumerate(dispersion.choice))
            return Choice(values, dispersion.weights or ())
        if dispersion.magnitude is not None:
            if self.components() not in (2, 3):
                raise self.refusal("Only a field with two or three components has a magnitude.", "magnitude")
            return Vector(self.magnitude(dispersion.magnitude, "magnitude"), self.components())
        if dispersion.lateral is None or dispersion.axial is None:
            return self.scalar(self.path, dispersion)
        if self.components() != 3:
            raise self.refusal(
                "Only a field with three components has a lateral and an axial part.", "lateral"
            )
        axial = self.scalar(f"{self.path}.2", dispersion.axial, "axial")
        return AxisVector(self.magnitude(dispersion.lateral, "lateral"), axial)

    def components(self) -> int:
        """Return the number of components of the field; 0 where it is not a list."""
        try:
            now = value_at(self.template.data, self.path)
        except KeyError:
            return 0
        return len(now) if isinstance(now, list) else 0

    def magnitude(self, given: ScalarDispersion, key: str) -> Uniform | TruncatedNormal:
        magnitude = self.scalar(f"{self.path}.0", given, key)
        if isinstance(magnitude, Uniform) and magnitude.low < 0:
            raise self.refusal("A magnitude must be at least 0.", key, "uniform", 0)
        return magnitude

    def scalar(self, path: str, given: ScalarDispersion, *field_path: str | int) -> Uniform | TruncatedNormal:
        if given.normal is not None:
            return self.normal(path, given, (*field_path, "normal"))
        kind = "uniform" if given.uniform is not None else "log_uniform"
        low, high = (
            self.number(path, value, *field_path, kind, i)
            for i, value in enumerate(given.uniform or given.log_uniform or ())
        )
        if not low < high:
            raise self.refusal("The first value must be below the second.", *field_path, kind)
        if kind == "log_uniform" and low <= 0.0:
            raise self.refusal("Must be above 0 for a logarithm.", *field_path, kind, 0)
        return Uniform(low, high, logarithmic=kind == "log_uniform")

    def normal(self, path: str, given: ScalarDispersion, field_path: FieldPath) -> TruncatedNormal:
        assert given.normal is not None
        limits = {
            key: self.number(path, getattr(given.normal, key), *field_path, key)
            for key in ("mean", "deviation", "low", "high")
            if key in ("mean", "deviation") or getattr(given.normal, key) is not None
        }
        normal = TruncatedNormal(**limits)
        if normal.deviation <= 0.0:
            raise self.refusal("Must be above 0.", *field_path, "deviation")
        if not normal.low < normal.high:
            raise self.refusal("Must be above 'low'.", *field_path, "high")
        if normal.share() < SMALLEST_SHARE:
            raise self.refusal("The probability within the limits is zero.", *field_path)
        return normal

    def number(self, path: str, given: Any, *field_path: str | int) -> float:
        value = self.value(path, given, *field_path)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.refusal("The field is not a number; it can only vary by 'choice'.", *field_path)
        return float(value)

    def value(self, path: str, given: Any, *field_path: str | int) -> Any:
        """Return a value in SI, as the scenario built with it contains it."""
        number = self.number_in_si(path, given)
        try:
            if number is not None:
                self.template.build({path: number})
                return number
            return value_at(self.template.build({path: given}).to_data(), path)
        except KeyError:
            raise self.refusal("The scenario has no such field.", *field_path) from None
        except InputError as error:
            raise self.refusal(_refusal_message(error, path), *field_path) from None

    def number_in_si(self, path: str, given: Any) -> float | None:
        """Return a number or a text with a unit in the SI unit of its field; None where the field must read it itself.

        A number replaces a number without validation of all other fields: 5 ms instead of 50 ms for a large scenario.
        """
        try:
            if isinstance(given, bool) or not isinstance(value_at(self.template.data, path), float):
                return None
            unit = unit_at(self.template.build({}), path)
            return parse_quantity(given, unit) if unit else None
        except (KeyError, ValueError):
            return None

    def refusal(self, message: str, *field_path: str | int) -> InputError:
        return self.source.refusal(("dispersions", self.path, *field_path), message)


def _refusal_message(error: InputError, path: str) -> str:
    """Return the message of a refused value, with the name of the field if it is another one."""
    first = error.problems[0]
    message = first.message if first.field in (path, "") else f"{first.field}: {first.message}"
    return f"{message} {first.hint}".strip()


def _check_overlap(path: str, paths: Collection[str], source: Source) -> None:
    """Raise InputError where a field is part of another dispersed field, because one would overwrite the other."""
    for whole in paths:
        if path.startswith(f"{whole}."):
            message = f"It is a part of {whole}, which is dispersed as a whole; disperse one or the other."
            raise source.refusal(("dispersions", path), message)


def _ranges(distributions: dict[str, Distribution], source: Source) -> dict[str, Distribution]:
    """Return uniform distributions over the ranges of the inputs of a boundary; raises InputError."""
    ranges: dict[str, Distribution] = {}
    for path, distribution in distributions.items():
        if isinstance(distribution, Choice):
            message = "A boundary needs inputs that vary continuously; use 'set' for each choice instead."
            raise source.refusal(("dispersions", path), message)
        if isinstance(distribution, Vector):
            ranges[path] = Vector(_range(distribution.magnitude, 0.0), distribution.size)
        else:
            assert isinstance(distribution, Uniform | TruncatedNormal)
            ranges[path] = _range(distribution)
    return ranges


def _check_boundary(plan: "Plan", source: Source) -> None:
    """Raise InputError where the number of inputs or of runs does not fit a boundary."""
    ranges = plan.distributions
    fewest, most = BOUNDARY_INPUTS
    dims = sum(distribution.dims for distribution in ranges.values())
    if not fewest <= dims <= most:
        counts = ", ".join(f"{path} {distribution.dims}" for path, distribution in ranges.items())
        message = (
            f"A boundary is refined in {fewest} to {most} inputs; here are {dims} ({counts}). A vector with a "
            "magnitude counts with its components."
        )
        raise source.refusal(("dispersions",), message)
    settings = plan.campaign.boundary
    needed = initial_runs(settings, dims) + settings.holdout
    if plan.runs < needed:
        message = f"Must be at least {needed}: the initial and the hold-out runs of the boundary."
        raise source.refusal(("runs",), message)


def _range(distribution: Uniform | TruncatedNormal, least: float = -math.inf) -> Uniform:
    """Return the range of a distribution, without its weights."""
    if isinstance(distribution, Uniform):
        return distribution
    mean, reach = distribution.mean, RANGE * distribution.deviation
    low = distribution.low if math.isfinite(distribution.low) else mean - reach
    high = distribution.high if math.isfinite(distribution.high) else mean + reach
    return Uniform(max(low, least), max(high, least))


def _correlations(
    given: tuple[Correlation, ...], distributions: dict[str, Distribution], source: Source
) -> Iterator[tuple[list[int], Array]]:
    column, start = 0, {}
    for path, distribution in distributions.items():
        start[path] = column
        column += distribution.dims
    seen: set[str] = set()
    for k, group in enumerate(given):
        for i, field in enumerate(group.fields):
            field_path: FieldPath = ("correlations", k, "fields", i)
            if field not in distributions:
                hint = did_you_mean(field, distributions)[0]
                raise source.refusal(field_path, f"Only dispersed fields can be correlated. {hint}".strip())
            if distributions[field].dims != 1 or isinstance(distributions[field], Choice):
                raise source.refusal(field_path, "Only fields that are one number can be correlated.")
            if field in seen:
                raise source.refusal(field_path, "A field can be correlated in one group only.")
            seen.add(field)
        yield [start[field] for field in group.fields], _factor(group, source, k)


def _factor(group: Correlation, source: Source, k: int) -> Array:
    n, field_path = len(group.fields), ("correlations", k, "matrix")
    if len(group.matrix) != n or any(len(row) != n for row in group.matrix):
        raise source.refusal(field_path, f"Needs {n} rows of {n} numbers, one per field.")
    matrix = np.array(group.matrix)
    if not np.array_equal(matrix, matrix.T) or not np.all(np.diag(matrix) == 1.0):
        raise source.refusal(field_path, "Must be symmetric, with ones on the diagonal.")
    try:
        return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        raise source.refusal(
            field_path, "Must be positive definite; these correlations contradict."
        ) from None


def _check_extremes(plan: Plan, source: Source) -> None:
    """Raise InputError where the scenario is not valid at an end of a range or in the middle of all ranges."""
    problems: list[Problem] = []
    for path, distribution in plan.distributions.items():
        for value in distribution.extremes():
            try:
                plan.template.build({path: value})
            except InputError as error:
                field_path = ("dispersions", path)
                message = f"At its limit {value} the scenario is not valid: {_refusal_message(error, path)}"
                problems += source.refusal(field_path, message).problems
                break
    if problems:
        raise InputError(*problems)
    try:
        plan.template.build(plan.middle())
    except InputError as error:
        message = f"In the middle of all ranges the scenario is not valid: {error.problems[0]}"
        raise source.refusal(("dispersions",), message) from None


def absolute(directory: Path) -> str:
    """Return a folder as an absolute path, for workers with another working directory."""
    return str(directory.resolve())
