"""Checks of what is read from the table of a campaign: the folder may have been received, or the table damaged."""

import json
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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


class StoredEntryError(ValueError):
    """An entry of the table does not have the form in which Softdock writes it."""


class StoredScenario(BaseModel):
    """Scenario of a manifest."""

    model_config = ConfigDict(strict=True)
    name: str
    data: dict[str, Any]


class StoredManifest(BaseModel):
    """Types of a manifest (`campaign.manifest`)."""

    model_config = ConfigDict(strict=True)
    name: str
    origin: str
    runs: int = Field(ge=0)
    campaign: dict[str, Any]
    scenario: StoredScenario
    directory: str
    versions: dict[str, str]
    files: dict[str, str]


class StoredState(BaseModel):
    """Types of the state of a campaign."""

    model_config = ConfigDict(strict=True)
    stopped_at: int | None = Field(default=None, ge=0)


def check_manifest(data: Any) -> dict[str, Any]:
    """Return a manifest with the types that Softdock writes."""
    try:
        manifest = StoredManifest.model_validate(data)
        CampaignFile.model_validate(manifest.campaign)
    except ValidationError as error:
        raise _error("manifest", error) from error
    if missing := [key for key in REQUIRED if key not in manifest.campaign]:
        raise StoredEntryError(f"its campaign has no {', '.join(missing)}")
    return dict(data)


def check_state(data: Any) -> dict[str, Any]:
    """Return the state of a campaign with the types that Softdock writes."""
    try:
        StoredState.model_validate(data)
    except ValidationError as error:
        raise _error("state", error) from error
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
    found = decode(text)
    if not isinstance(found, dict):
        raise StoredEntryError("the values of a run have no names")
    return found


def decode_texts(text: str) -> list[str]:
    """Return the warnings of a row."""
    found = decode(text)
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise StoredEntryError("the warnings of a run are not texts")
    return found


def decode_verdicts(text: str) -> dict[str, dict[str, Any]]:
    """Return verdict, value and margin of the requirements of a row, by identifier."""
    found = decode_mapping(text)
    for one in found.values():
        if not isinstance(one, dict) or not one.keys() >= {"verdict", "value", "margin"}:
            raise StoredEntryError("a requirement of a run has no verdict, value or margin")
        number = one["margin"] is None or isinstance(one["margin"], int | float)
        if one["verdict"] not in get_args(Verdict) or not number:
            raise StoredEntryError(f"a requirement of a run has the verdict {str(one['verdict'])[:40]!r}")
    return found


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


def _error(what: str, error: ValidationError) -> StoredEntryError:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return StoredEntryError(f"the field {place} of its {what} is not usable: {first['msg']}")
