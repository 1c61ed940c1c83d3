"""Convergence of a run: the same scenario with tighter accuracy and with finer contact cells."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from softdock.presentation.progress import Progress
from softdock.result import Result
from softdock.result.step_errors import step_errors
from softdock.scenario.base import ScenarioBase
from softdock.scenario.loading import from_data

TIGHTER = 0.1
"""Factor on the error tolerances of a step."""
FINER = 0.5
"""Factor on the size of contact cells, which quarters their areas."""


@dataclass(frozen=True, kw_only=True)
class Refinement:
    """A run with a finer numerical setting, compared with the original one."""

    title: str
    metrics: Mapping[str, Any]
    outcome: str
    changes: Mapping[str, float]
    """Change of each metric, relative to its original size; NaN where one of them has no finite value, and where both
    are smaller than the error that a step may have."""


def check_convergence(result: Result, progress: Progress = lambda what, fraction: None) -> list[Refinement]:
    """Return a result's scenario run again with finer settings; empty where it has none, as it is solved exactly."""
    assert result.prepared is not None, "convergence is checked in the process of the run"
    from softdock.simulation import simulate

    refined = list(_refined(result.prepared.scenario))
    accuracy = step_errors(result.prepared.scenario.to_data())
    refinements = []
    for i, (title, scenario) in enumerate(refined):
        progress(title, i / len(refined))
        run = simulate(scenario, with_prediction=False)
        changes = {
            name: _relative_change(
                value, run.metrics.get(name), accuracy.get(result.units.get(name, ""), 0.0)
            )
            for name, value in result.metrics.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        refinements.append(Refinement(title=title, metrics=run.metrics, outcome=run.outcome, changes=changes))
    return refinements


def _refined(scenario: ScenarioBase) -> Iterator[tuple[str, ScenarioBase]]:
    """Yield title and scenario of every refinement that applies."""
    data = scenario.to_data()
    title = "error tolerances of a step divided by 10"
    integrator = data.get("integrator")
    if isinstance(integrator, dict):
        if integrator.get("step") is not None:
            title, finer = "half the step", {"step": FINER * integrator["step"]}
        else:
            finer = {"accuracy": _scaled(integrator["accuracy"], TIGHTER)}
        yield title, _changed(scenario, data, {"integrator": {**integrator, **finer}})
    elif data.get("method") == "published":  # fixed steps
        published = {**data["published"], "step": FINER * data["published"]["step"]}
        yield "half the step", _changed(scenario, data, {"published": published})
    elif isinstance(data.get("accuracy"), dict):
        yield title, _changed(scenario, data, {"accuracy": _scaled(data["accuracy"], TIGHTER)})
    contacts = data.get("contacts")
    if isinstance(contacts, dict) and contacts:
        finer_contacts = {name: _finer_contact(contact) for name, contact in contacts.items()}
        yield "contact cells of half the size", _changed(scenario, data, {"contacts": finer_contacts})


def _scaled(values: Mapping[str, float], factor: float) -> dict[str, float]:
    return {name: factor * value for name, value in values.items()}


def _finer_contact(contact: Mapping[str, Any]) -> dict[str, Any]:
    """Return a contact with cells or points of half the size; cells scale with the cube root of `resolved_force`."""
    if contact["quadrature"] == "points":
        return {**contact, "spacing": FINER * contact["spacing"]}
    return {**contact, "resolved_force": FINER**3 * contact["resolved_force"]}


def _changed(scenario: ScenarioBase, data: Mapping[str, Any], changes: Mapping[str, Any]) -> ScenarioBase:
    return from_data({**data, **changes}, scenario.name, scenario.directory)


def _relative_change(before: float, after: Any, floor: float) -> float:
    if not isinstance(after, int | float) or not math.isfinite(before) or not math.isfinite(after):
        return math.nan
    if after == before:
        return 0.0
    if max(abs(before), abs(after)) < floor:
        return math.nan
    return (after - before) / abs(before) if before else math.inf
