"""What one run from the page may take: no text in the browser can use up the machine."""

import contextlib
from pathlib import PurePath
from typing import Any

from softdock.errors import InputError, Problem
from softdock.scenario import ScenarioBase
from softdock.scenario.chain import ChainScenario
from softdock.scenario.multibody import MultibodyScenario

LONGEST = 3600.0  # s simulated
LONGEST_WALL = 900.0  # s; a run that takes longer is ended
MOST_ROWS = 200_000
MOST_VALUES = 60_000_000  # numbers of a history, 8 bytes each
MOST_BODIES = 200
MOST_CONTACTS = 200
MOST_STEPS = 5_000_000
VALUES_PER_BODY = 25  # channels that a body, a contact or an element brings, roughly
MEMORY = 6_000_000_000  # bytes that a worker may have altogether
LARGEST_CAMPAIGN = 1_000_000  # runs


def check(scenario: ScenarioBase) -> None:
    """Refuse a scenario that is too much for one run from the page; the command line has no such limits."""
    found = [problem for problem in _problems(scenario) if problem is not None]
    if found:
        raise InputError(*found)


def _problems(scenario: ScenarioBase) -> list[Problem | None]:
    if isinstance(scenario, ChainScenario):
        rows = scenario.stop.time * scenario.record.rate
        masses = len(scenario.chaser.masses) + len(scenario.target.masses)
        return [
            _above("stop.time", scenario.stop.time, LONGEST, "s of simulated time"),
            _above("record.rate", rows, MOST_ROWS, "recorded rows"),
            _above("record.rate", rows * 3 * masses, MOST_VALUES, "recorded values"),
        ]
    if isinstance(scenario, MultibodyScenario):
        parts = len(scenario.bodies) + len(scenario.contacts) + len(scenario.elements())
        rows = scenario.record.max_rows
        return [
            _above("duration", scenario.duration, LONGEST, "s of simulated time"),
            _above("bodies", len(scenario.bodies), MOST_BODIES, "bodies"),
            _above("contacts", len(scenario.contacts), MOST_CONTACTS, "contacts"),
            _above("record.max_rows", rows, MOST_ROWS, "recorded rows"),
            _above("record.max_rows", rows * parts * VALUES_PER_BODY, 10 * MOST_VALUES, "recorded values"),
            _above("integrator.max_steps", scenario.integrator.max_steps, MOST_STEPS, "steps"),
        ]
    return _by_names(scenario)


def _by_names(scenario: ScenarioBase) -> list[Problem | None]:
    """Return what is too much in another kind of scenario, by the names its fields have in all of them."""
    spans = [name for name in ("duration", "before", "after") if hasattr(scenario, name)]
    length = float(sum(getattr(scenario, name) for name in spans))
    rate: Any = getattr(scenario, "record_rate", None) or getattr(
        getattr(scenario, "record", None), "rate", 0.0
    )
    return [
        _above(spans[-1] if spans else "duration", length, LONGEST, "s of simulated time"),
        _above("record", length * (rate or 0.0), MOST_ROWS, "recorded rows"),
    ]


def _above(field: str, value: float, most: float, what: str) -> Problem | None:
    if value <= most:
        return None
    return Problem(
        message=f"The studio allows at most {most:,.0f} {what} in one run.",
        field=field,
        given=f"{value:,.6g}",
        hint="Run it on the command line, which has no such limit.",
    )


def bound_memory() -> None:
    """Bound the memory of this process, where the system can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def told(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain data for the page."""
    return {
        "field": problem.field, "line": problem.line, "message": problem.message, "given": problem.given,
        "hint": problem.hint, "file": PurePath(problem.file).name, "text": str(problem),
    }  # fmt: skip
