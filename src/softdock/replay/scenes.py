"""From a result to its scene, by the kind of the scenario."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic import ValidationError

from softdock import __version__
from softdock.errors import InputError, Problem
from softdock.replay.scene import Scene
from softdock.result import Result
from softdock.scenario import ScenarioBase
from softdock.scenario.kinds import KINDS

REMEDY = "Run the scenario again with --out, and replay that folder."


class Builder(Protocol):
    """A module that draws one kind of scenario."""

    def build(self, result: Result, /) -> Scene:
        """Return the scene of a result."""


def scene(result: Result) -> Scene:
    """Return the scene of a run; raises `InputError` with a sentence where a result has nothing to show."""
    kind = result.definition.get("kind")
    if kind not in KINDS:
        known = ", ".join(KINDS)
        message = "Runs of this kind of scenario have no replay."
        raise InputError(Problem(message=message, given=str(kind), hint=f"There are replays of: {known}."))
    if len(result.history.time) < 2:
        message = "This run recorded no motion: there is nothing to replay."
        raise InputError(Problem(message=message, hint="Record more, with `record.rate` of the scenario."))
    return cast(Builder, KINDS[kind].scene).build(result)


def scenario_of(result: Result, context: Mapping[str, Any] | None = None) -> ScenarioBase:
    """Return the scenario that was run; without a context its files need not be there any more."""
    if result.prepared is not None:
        return result.prepared.scenario
    model = KINDS[str(result.definition["kind"])].model
    try:
        scenario = model.model_validate(result.definition, context=context)
    except ValidationError as error:
        said = error.errors(include_url=False, include_context=False)[0]["msg"]
        message = "The scenario in this result cannot be read again."
        raise InputError(Problem(message=message, given=said, hint=REMEDY)) from error
    return scenario.with_origin(result.scenario, Path(result.directory))


def facts(result: Result) -> dict[str, str]:
    """Return what every file says about its origin."""
    return {"program": f"Softdock {__version__}", "title": str(result.definition.get("title", ""))}
