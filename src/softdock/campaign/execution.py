"""Execution of runs in a worker: from inputs to a row of the table, also where a run fails."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from softdock import __version__
from softdock.campaign.template import Template
from softdock.errors import InputError, RunError
from softdock.native.library import prepare_kernels
from softdock.result import Result, plain_data
from softdock.simulation import run_prepared


class Row(NamedTuple):
    """One row of the table; only `wall_s` depends on the machine."""

    run: int
    status: str
    """`done`, `invalid` (the sampled scenario is not valid), or `failed` (the run could not be completed).

    A run fails where its state becomes infinite, its steps too small or too many, its events too many, or where it
    gains energy without a source.
    """
    outcome: str
    message: str
    inputs: str
    """JSON."""
    metrics: str
    prediction: str
    audit: str
    simulated_s: float | None
    steps: int | None
    evaluations: int | None
    wall_s: float
    valid: str = "unknown"
    """Validity of the result; `no` for a run without a result."""
    warnings: str = "[]"
    """JSON."""
    requirements: str = "{}"
    """JSON: verdict, value and margin by requirement."""
    phases: str = "{}"
    """JSON: start, end and how it ended by phase, of the phases that the run entered, in their order."""
    metric_errors: str = "{}"
    """JSON: estimated numerical errors of metrics that are peaks of reactions [SI]."""


@dataclass(frozen=True)
class HistoryPolicy:
    """Which histories a campaign stores."""

    policy: Literal["none", "failures", "all"] | int
    success: tuple[str, ...]

    def stores_always(self, run: int) -> bool:
        """Return whether the history of a run is stored whatever its outcome."""
        return run % self.policy == 0 if isinstance(self.policy, int) else self.policy == "all"

    def stores(self, run: int, result: Result) -> bool:
        """Return whether the history of a run is stored."""
        failed = not result.completed or result.outcome not in self.success
        return self.stores_always(run) or (self.policy == "failures" and failed)


class Chunk(NamedTuple):
    """Rows and results of some runs, as a worker returns them."""

    done: "list[Done]"
    units: dict[str, str]
    """SI units of metrics and predictions by name, from the first run with a result."""


ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
Done = tuple[Row, Result | None]
Task = tuple[int, dict[str, Any]]


def run_chunk(version: str, template: Template, policy: HistoryPolicy, tasks: Sequence[Task]) -> Chunk:
    """Execute runs one after another; raises RunError where the worker has another version than the campaign."""
    if version != __version__:
        raise RunError(f"A worker has Softdock {__version__}, and the campaign needs {version}.")
    units: dict[str, str] = {}
    done: list[Done] = []
    for run, inputs in tasks:
        row, result = _run(template, policy, run, inputs)
        if result is not None and not units:
            units = dict(result.units)
        done.append((row, result if result is not None and policy.stores(run, result) else None))
    return Chunk(done, units)


def run_one(template: Template, policy: HistoryPolicy, run: int, inputs: dict[str, Any]) -> Done:
    """Execute one run and return its row, and its result if the policy stores it."""
    row, result = _run(template, policy, run, inputs)
    return row, result if result is not None and policy.stores(run, result) else None


def _run(template: Template, policy: HistoryPolicy, run: int, inputs: dict[str, Any]) -> Done:
    """Execute one run and return its row and its result; the result has a history if the policy stores it."""
    start = time.perf_counter()
    try:
        prepare_kernels()
        start = time.perf_counter()
        with_history = policy.stores_always(run)
        scenario = template.build(inputs, with_history=with_history)
        result = run_prepared(template.prepare(scenario, inputs))
        stored = policy.stores(run, result)
        recorded = result
        if stored and not with_history:
            scenario = template.build(inputs)
            recorded = run_prepared(template.prepare(scenario, inputs))
    except InputError as error:  # some errors appear only in the assembled system: surfaces overlap
        return _row_without_result(run, inputs, "invalid", str(error.problems[0]), start), None
    except RunError as error:
        return _row_without_result(run, inputs, "failed", str(error), start), None
    except Exception as error:  # an internal error of one run must not end the others
        sentence = f"Internal error: {type(error).__name__}: {error}"
        return _row_without_result(run, inputs, "failed", " ".join(sentence.split()), start), None
    row = Row(
        run=run,
        status="done" if result.completed and result.valid != "no" else "failed",
        outcome=result.outcome,
        message=result.message,
        inputs=_json(inputs),
        metrics=_json(result.metrics),
        prediction=_json(result.prediction or {}),
        audit=_json(vars(result.audit)),
        simulated_s=result.timing.simulated_s,
        steps=result.timing.steps,
        evaluations=result.timing.evaluations,
        wall_s=time.perf_counter() - start,
        valid=result.valid,
        warnings=_json(result.warnings),
        requirements=_json(
            {
                verdict.id: {"verdict": verdict.verdict, "value": verdict.value, "margin": verdict.margin}
                for verdict in result.requirements
            }
        ),
        phases=_json(
            {
                phase.name: {"start": phase.start, "end": phase.end, "ended": phase.ended}
                for phase in result.phases
            }
        ),
        metric_errors=_json(result.metric_errors),
    )
    if stored:
        directory = str(scenario.directory.absolute())
        result = replace(recorded, definition=scenario.to_data(), directory=directory)
    return row, result


def _row_without_result(run: int, inputs: dict[str, Any], status: str, message: str, start: float) -> Row:
    wall = time.perf_counter() - start
    return Row(
        run, status, status, message, _json(inputs), "{}", "{}", "{}", None, None, None, wall, "no",
        _json([message]),
    )  # fmt: skip


def _json(value: Any) -> str:
    if not value and isinstance(value, dict | tuple):
        return "[]" if isinstance(value, tuple) else "{}"
    try:
        return ENCODER.encode(value)
    except (ValueError, TypeError):  # a number that is not finite, or an object of another kind
        return ENCODER.encode(plain_data(value))
