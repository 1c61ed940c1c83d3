"""Checks of what is read from the table of a campaign: the folder may have been received, or the table damaged."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Self, TypeVar, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from softdock.campaign.execution import Row
from softdock.campaign.model import CampaignFile
from softdock.result import Verdict

NUMBERS = ("simulated_s", "steps", "evaluations")
"""Columns of numbers that a failed run lacks."""
REQUIRED = (
    "title",
    "runs",
    "seed",
    "sampling",
    "dispersions",
    "success",
    "metrics",
    "springs",
    "predictions",
)
"""Keys of a stored campaign; tables of all versions have them."""

AnyModel = TypeVar("AnyModel", bound=BaseModel)
Number = Annotated[float, Field(allow_inf_nan=False)]


class StoredEntryError(ValueError):
    """An entry of the table does not have the form in which Softdock writes it."""


class Stored(BaseModel):
    """What Softdock wrote, with exactly these types."""

    model_config = ConfigDict(strict=True)


class StoredScenario(Stored):
    """Scenario of a manifest."""

    name: str
    data: dict[str, Any]


class StoredManifest(Stored):
    """Types of a manifest (`campaign.manifest`)."""

    name: str
    origin: str
    runs: int = Field(ge=0)
    dims: int = Field(default=1, ge=1)
    campaign: dict[str, Any]
    scenario: StoredScenario
    directory: str
    versions: dict[str, str]
    files: dict[str, str]


class StoredState(Stored):
    """Types of the state of a campaign."""

    stopped_at: int | None = Field(default=None, ge=0)


class StoredLevel(Stored):
    """Types of a level of a subset simulation."""

    level: int
    threshold: Number
    probability: Number
    runs: int
    acceptance: Number | None
    correlation: Number
    coefficient_of_variation: Number | None


class StoredMargin(Stored):
    """Types of a margin; without a metric it has the outcomes of success."""

    metric: str | None = None
    at_least: Number | str | None = None
    at_most: Number | str | None = None
    unit: str = ""
    success: list[str] = []

    @model_validator(mode="after")
    def _has_limit(self) -> Self:
        needed = {"success"} if self.metric is None else {"metric", "unit"}
        if not needed <= self.model_fields_set:
            raise ValueError("a margin has a metric with a unit, or outcomes")
        if self.metric is not None and (self.at_least is None) == (self.at_most is None):
            raise ValueError("a margin has one limit")
        return self


class StoredSubset(Stored):
    """Types of what a subset simulation found."""

    margin: StoredMargin
    probability: Number | None
    low: Number
    high: Number
    confidence: Number
    coefficient_of_variation: Number | None
    reached: bool
    runs: int = Field(ge=1)
    monte_carlo_runs: Number | None
    levels: list[StoredLevel]

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.margin.metric is None or (self.levels and self.probability is None):
            raise ValueError("levels have a metric and a probability")
        return self


class StoredRefinement(Stored):
    """Types of a refinement of a boundary."""

    level: int
    runs: int
    uncertain_volume: Number
    expected_error: Number
    success_volume: Number
    holdout_error: Number


class StoredHoldout(Stored):
    """Types of the error of the hold-out runs."""

    runs: int
    wrong: int
    error: Number
    low: Number
    high: Number


class StoredBoundary(Stored):
    """Types of what the refinement of a boundary found; before the first surrogate there are only runs."""

    margin: StoredMargin
    runs: int
    reached: bool
    refinements: list[StoredRefinement]
    tolerance: Number = 0.0
    uncertain_volume: Number = 0.0
    expected_error: Number = 0.0
    success_volume: Number = 0.0
    holdout: StoredHoldout = StoredHoldout(runs=0, wrong=0, error=0.0, low=0.0, high=1.0)
    grid_runs: Number | None = None

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.refinements and not set(type(self).model_fields) - {"grid_runs"} <= self.model_fields_set:
            raise ValueError("refinements have volumes and hold-out runs")
        return self


class StoredAxis(Stored):
    """Types of an axis of a boundary."""

    name: str
    unit: str
    logarithmic: bool
    values: list[Number] = Field(min_length=2)


class StoredShape(Stored):
    """Types of a boundary as grid and points."""

    axes: list[StoredAxis] = Field(min_length=2, max_length=4)
    margin: list[Any]
    score: list[Any]
    points: list[list[Number]]
    runs: list[list[Number]]
    success: list[bool]


def check_search(method: Any, data: Any) -> dict[str, Any] | None:
    """Return what a method found, with the types that Softdock writes; None where there is nothing yet."""
    if data is None or method not in ("subset", "boundary"):
        return None
    _check(StoredSubset if method == "subset" else StoredBoundary, data, method)
    return dict(data)


def check_shape(data: Any) -> dict[str, Any] | None:
    """Return a boundary with the types and sizes that Softdock writes; None where there is none."""
    if data is None:
        return None
    shape = _check(StoredShape, data, "boundary")
    sizes = tuple(len(axis.values) for axis in shape.axes)
    try:
        grids = [np.array(grid, dtype=float) for grid in (shape.margin, shape.score)]
    except (TypeError, ValueError) as error:
        raise StoredEntryError("the grid of its boundary does not contain numbers") from error
    rows = [*shape.points, *shape.runs]
    if any(grid.shape != sizes for grid in grids) or any(len(row) != len(sizes) for row in rows):
        raise StoredEntryError("the grid of its boundary has another size than its axes")
    if len(shape.success) != len(shape.runs):
        raise StoredEntryError("the runs of its boundary have no sides")
    return dict(data)


def check_manifest(data: Any) -> dict[str, Any]:
    """Return a manifest with the types that Softdock writes."""
    manifest = _check(StoredManifest, data, "manifest")
    _check(CampaignFile, manifest.campaign, "manifest")
    if missing := [key for key in REQUIRED if key not in manifest.campaign]:
        raise StoredEntryError(f"its campaign has no {', '.join(missing)}")
    return dict(data)


def check_state(data: Any) -> dict[str, Any]:
    """Return the state of a campaign with the types that Softdock writes."""
    _check(StoredState, data, "state")
    return dict(data)


def check_units(data: Any) -> dict[str, str]:
    """Return units by column."""
    if not isinstance(data, dict) or not all(isinstance(unit, str) for unit in data.values()):
        raise StoredEntryError("its units are not texts")
    return data


def decode(text: Any) -> Any:
    """Return the content of an entry in JSON."""
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoredEntryError("an entry is not JSON") from error


def decode_mapping(text: str) -> dict[str, Any]:
    """Return the values of a row by name."""
    data = decode(text)
    if not isinstance(data, dict):
        raise StoredEntryError("the values of a run have no names")
    return data


def decode_texts(text: str) -> list[str]:
    """Return the warnings of a row."""
    data = decode(text)
    if not isinstance(data, list) or not all(isinstance(item, str) for item in data):
        raise StoredEntryError("the warnings of a run are not texts")
    return data


def decode_verdicts(text: str) -> dict[str, dict[str, Any]]:
    """Return verdict, value and margin of the requirements of a row, by identifier."""
    data = decode_mapping(text)
    for verdict in data.values():
        if not isinstance(verdict, dict) or not verdict.keys() >= {"verdict", "value", "margin"}:
            raise StoredEntryError("a requirement of a run has no verdict, value or margin")
        number = verdict["margin"] is None or isinstance(verdict["margin"], int | float)
        if verdict["verdict"] not in get_args(Verdict) or not number:
            raise StoredEntryError(f"a requirement of a run has the verdict {str(verdict['verdict'])[:40]!r}")
    return data


def check_row(values: Sequence[Any]) -> Row:
    """Return a row whose columns have their types; one of an earlier version has fewer columns."""
    try:
        row = Row(*values)
    except TypeError as error:
        raise StoredEntryError("a run has other columns") from error
    for name, value in zip(Row._fields, row):
        if name == "run":
            valid = isinstance(value, int)
        elif name in NUMBERS:
            valid = value is None or isinstance(value, int | float)
        else:
            valid = isinstance(value, (int, float) if name == "wall_s" else str)
        if not valid:
            raise StoredEntryError(f"run {row.run} has the {name} {str(value)[:40]!r}")
    return row


def _check(model: type[AnyModel], data: Any, what: str) -> AnyModel:
    """Return the object of an entry; raises StoredEntryError with its first field of another type."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        message = f"the field {place} of its {what} is not usable: {first['msg']}"
        raise StoredEntryError(message) from error
