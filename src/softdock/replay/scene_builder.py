"""Construction of the scene of a result, by the kind of its scenario."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from pydantic import ValidationError

from softdock import __version__
from softdock.errors import InputError
from softdock.presentation.discrepancies import discrepancy_texts
from softdock.replay.scene import Scene
from softdock.result import Result
from softdock.scenario.base import ScenarioBase
from softdock.scenario.kinds import KINDS

RERUN_HINT = "Run the scenario again with --out, and replay that folder."


class Builder(Protocol):
    """A module that builds the scene of one kind of scenario."""

    def build(self, result: Result, /) -> Scene:
        """Return the scene of a result."""


def scene(result: Result) -> Scene:
    """Return the scene of a run; raise `InputError` if there is nothing to show."""
    kind = str(result.definition.get("kind"))
    if kind not in KINDS:
        known = ", ".join(KINDS)
        message = "Runs of this kind of scenario have no replay."
        raise InputError(message, given=kind, hint=f"There are replays of: {known}.")
    if len(result.history.time) < 2:
        message = "This run recorded no motion: there is nothing to replay."
        raise InputError(message, hint="Record more, with `record.rate` and `record.all` of the scenario.")
    builder = cast(Builder, KINDS[kind].scene)
    if result.prepared is not None:
        return builder.build(result)
    try:
        with np.errstate(all="ignore"):  # a received history may have any numbers
            return _marked(builder.build(result), discrepancy_texts(result.discrepancies))
    except (LookupError, ValueError, ArithmeticError) as error:
        message = "The history of this result does not belong to its scenario, or it is damaged."
        raise InputError(message, given=str(error), hint=RERUN_HINT) from error


def _marked(built: Scene, texts: Sequence[str]) -> Scene:
    """Return a scene whose message and notes begin with the discrepancies of its result."""
    if not texts:
        return built
    return replace(built, message=" ".join([*texts, built.message]), notes=(*texts, *built.notes))


def read_scenario(result: Result, context: Mapping[str, Any] | None = None) -> ScenarioBase:
    """Return the scenario that was run; without a context its files need not be there any more."""
    if result.prepared is not None:
        return result.prepared.scenario
    model = KINDS[str(result.definition["kind"])].model
    try:
        scenario = model.model_validate(result.definition, context=context)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_context=False)[0]["msg"]
        message = "The scenario in this result cannot be read again."
        raise InputError(message, given=reason, hint=RERUN_HINT) from error
    return scenario.with_origin(result.scenario, Path(result.directory))


def run_metadata(result: Result) -> dict[str, str]:
    """Return program version and title for the file's metadata."""
    return {"program": f"Softdock {__version__}", "title": str(result.definition.get("title", ""))}
