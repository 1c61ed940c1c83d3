"""Convergence of a run: the same scenario with tighter accuracy and with finer contact cells.

`check_convergence` changes one of them at a time and reports relative changes; `refined_run` changes both in one run
and compares the changes with the errors that the original run states.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from softdock.errors import InputError
from softdock.presentation.progress import Progress
from softdock.presentation.reactions import noise_floor
from softdock.result import Result
from softdock.result.refinement import ChangeVerdict, RefinedRun, RefinedValue
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
            if _is_number(value)
        }
        refinements.append(Refinement(title=title, metrics=run.metrics, outcome=run.outcome, changes=changes))
    return refinements


def check_refinable(scenario: ScenarioBase, option: str = "converged") -> None:
    """Raise InputError, about an option, for a scenario without numerical settings that could be finer."""
    if not list(_changes(scenario.to_data())):
        raise InputError(
            f"A scenario of kind {scenario.kind} is solved exactly: there is nothing to refine.",
            field=option,
            given=scenario.name or scenario.kind,
        )


def refined_run(result: Result) -> RefinedRun:
    """Return a result's scenario run again with all finer settings at once, compared with the result."""
    assert result.prepared is not None, "a run is refined in the process that made it"
    from softdock.simulation import simulate

    scenario = result.prepared.scenario
    data = scenario.to_data()
    changes = list(_changes(data))
    finer = _changed(scenario, data, {key: value for _, change in changes for key, value in change.items()})
    run = simulate(finer, with_prediction=False)
    noise = {"N": noise_floor(result.loads), "N*m": noise_floor(result.loads)}
    return RefinedRun(
        settings=", ".join(title for title, _ in changes),
        outcome=run.outcome,
        completed=run.completed,
        valid=run.valid,
        steps=run.timing.steps,
        evaluations=run.timing.evaluations,
        values=tuple(
            _refined_value(name, float(value), run, result, noise.get(result.units.get(name, ""), 0.0))
            for name, value in result.metrics.items()
            if _is_number(value) and math.isfinite(value)
        ),
    )


def _refined_value(name: str, value: float, run: Result, result: Result, noise: float) -> RefinedValue:
    """Return a metric of a result beside that of a refined run; smaller changes than the noise are rounding errors."""
    refined, error = run.metrics.get(name), result.metric_errors.get(name)
    if not _is_number(refined) or not math.isfinite(refined):
        verdict: ChangeVerdict = "no_error" if error is None else "beyond"
        return RefinedValue(name=name, value=value, refined=None, change=None, error=error, verdict=verdict)
    change = float(refined) - value
    return RefinedValue(
        name=name,
        value=value,
        refined=float(refined),
        change=change,
        error=error,
        verdict="no_error" if error is None else change_verdict(abs(change), max(error, noise)),
    )


def change_verdict(change: float, error: float) -> ChangeVerdict:
    """Return how the size of a change compares with a stated error."""
    return "within" if change <= error else "within_twice" if change <= 2.0 * error else "beyond"


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _refined(scenario: ScenarioBase) -> Iterator[tuple[str, ScenarioBase]]:
    """Yield title and scenario of every refinement that applies."""
    data = scenario.to_data()
    for title, change in _changes(data):
        yield title, _changed(scenario, data, change)


def _changes(data: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield title and changed keys of every refinement that applies to a scenario (plain data)."""
    title = "error tolerances of a step divided by 10"
    integrator = data.get("integrator")
    if isinstance(integrator, dict):
        if integrator.get("step") is not None:
            title, finer = "half the step", {"step": FINER * integrator["step"]}
        else:
            finer = {"accuracy": _scaled(integrator["accuracy"], TIGHTER)}
        yield title, {"integrator": {**integrator, **finer}}
    elif data.get("method") == "published":  # fixed steps
        yield "half the step", {"published": {**data["published"], "step": FINER * data["published"]["step"]}}
    elif isinstance(data.get("accuracy"), dict):
        yield title, {"accuracy": _scaled(data["accuracy"], TIGHTER)}
    contacts = data.get("contacts")
    if isinstance(contacts, dict) and contacts:
        finer_contacts = {name: _finer_contact(contact) for name, contact in contacts.items()}
        yield "contact cells of half the size", {"contacts": finer_contacts}


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
