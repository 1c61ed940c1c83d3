"""One run of a campaign: from inputs to a row of the table, whatever happens. This is what workers call."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from softdock import __version__
from softdock.campaign.template import Template
from softdock.errors import InputError, RunError
from softdock.result import Result, plain_data
from softdock.simulate import prepare, run_prepared


class Row(NamedTuple):
    """One row of the table; `wall_s` depends on the machine, the others do not."""

    run: int
    status: str
    """`done`, `invalid` (the sampled scenario cannot be), or `failed`: the run could not be completed.

    Its state became infinite, its steps too small or too many, its events too many, or it gained energy from nowhere.
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
    """As in a result; `no` for a run that could not be made."""
    warnings: str = "[]"
    """JSON."""


@dataclass(frozen=True)
class Keeping:
    """Which results come back whole, so that their histories can be kept."""

    policy: Literal["none", "failures", "all"] | int
    success: tuple[str, ...]

    def always(self, run: int) -> bool:
        """Tell whether the history of a run is kept whatever comes out of it."""
        return run % self.policy == 0 if isinstance(self.policy, int) else self.policy == "all"

    def wants(self, run: int, result: Result) -> bool:
        """Tell whether the history of a run is kept."""
        failed = not result.completed or result.outcome not in self.success
        return self.always(run) or (self.policy == "failures" and failed)


class Chunk(NamedTuple):
    """What a worker hands back."""

    done: "list[Done]"
    units: dict[str, str]
    """SI units of metrics and predictions by name, as the first run with a result told them."""


ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
Done = tuple[Row, Result | None]
Task = tuple[int, dict[str, Any]]


def run_chunk(version: str, template: Template, keeping: Keeping, tasks: Sequence[Task]) -> Chunk:
    """Run some runs one after the other; the version is the one that the campaign was started with."""
    if version != __version__:
        raise RunError(f"A worker has Softdock {__version__}, and the campaign needs {version}.")
    units: dict[str, str] = {}
    done: list[Done] = []
    for run, inputs in tasks:
        row, result = _run(template, keeping, run, inputs)
        if result is not None and not units:
            units = dict(result.units)
        done.append((row, result if result is not None and keeping.wants(run, result) else None))
    return Chunk(done, units)


def run_one(template: Template, keeping: Keeping, run: int, inputs: dict[str, Any]) -> Done:
    """Run one run and return its row, with the whole result if it is to be kept."""
    row, result = _run(template, keeping, run, inputs)
    return row, result if result is not None and keeping.wants(run, result) else None


def _run(template: Template, keeping: Keeping, run: int, inputs: dict[str, Any]) -> Done:
    """Run one run and return its row and its result, which is whole if it is to be kept."""
    start = time.perf_counter()
    try:
        scenario = template.build(inputs)
        lean = scenario if keeping.always(run) else scenario.without_history()
        result = run_prepared(prepare(lean))
        kept = keeping.wants(run, result)
        whole = run_prepared(prepare(scenario)) if kept and lean is not scenario else result
    except InputError as error:  # some are found only with everything in place, like surfaces that overlap
        return _without(run, inputs, "invalid", str(error.problems[0]), start), None
    except RunError as error:
        return _without(run, inputs, "failed", str(error), start), None
    except Exception as error:  # a fault of ours in one run must not end the others
        sentence = f"Internal error: {type(error).__name__}: {error}"
        return _without(run, inputs, "failed", " ".join(sentence.split()), start), None
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
    )
    if kept:
        directory = str(scenario.directory.absolute())
        result = replace(whole, definition=scenario.to_data(), directory=directory)
    return row, result


def _without(run: int, inputs: dict[str, Any], status: str, message: str, start: float) -> Row:
    wall = time.perf_counter() - start
    return Row(
        run, status, status, message, _json(inputs), "{}", "{}", "{}", None, None, None, wall, "no",
        _json([message]),
    )  # fmt: skip


def _json(value: Any) -> str:
    return ENCODER.encode(plain_data(value))
