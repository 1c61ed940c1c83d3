"""Limits of runs started from a page, so that no input in the browser can exhaust the machine."""

import contextlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from softdock.errors import InputError, Problem

if TYPE_CHECKING:  # the web server needs only the numbers; workers import the models
    from softdock.scenario.base import ScenarioBase
    from softdock.scenario.multibody import MultibodyScenario

LONGEST = 3600.0  # s simulated
LONGEST_WALL = 900.0  # s; a run that takes longer is ended
MOST_ROWS = 200_000
MOST_VALUES = 60_000_000  # numbers of a history, 8 bytes each
MOST_BODIES = 200
MOST_CONTACTS = 200
MOST_STEPS = 5_000_000
MOST_MODES = 2_000  # of one structure
MOST_ELEMENTS = 5_000  # of all beams and panels of a scenario
VALUES_PER_BODY = 25  # estimated channels per body, contact or element
MEMORY = 6_000_000_000  # bytes of one worker
LARGEST_CAMPAIGN = 1_000_000  # runs


def check(scenario: "ScenarioBase") -> None:
    """Raise InputError where a scenario exceeds the limits; the command line has no such limits."""
    problems = [problem for problem in _problems(scenario) if problem is not None]
    if problems:
        raise InputError(*problems)


def check_data(data: Any) -> None:
    """Raise InputError where unvalidated data has too many modes or elements, before any is computed."""
    counts = list(_counts(data))
    elements = [(path, count) for path, count in counts if path.endswith("elements")]
    checked = [
        _check_limit(path, count, MOST_MODES, "modes of a structure")
        for path, count in counts
        if path.endswith("modes")
    ]
    if elements:
        finest = max(elements, key=lambda element: element[1])[0]
        checked.append(
            _check_limit(
                finest, sum(count for _, count in elements), MOST_ELEMENTS, "elements of beams and panels"
            )
        )
    problems = [problem for problem in checked if problem is not None]
    if problems:
        raise InputError(*problems)


def _counts(data: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield path and value of every number of modes or elements."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        below = f"{path}.{key}" if path else str(key)
        if key in ("modes", "elements") and isinstance(value, int) and not isinstance(value, bool):
            yield below, value
        else:
            yield from _counts(value, below)


def _problems(scenario: "ScenarioBase") -> list[Problem | None]:
    from softdock.scenario.chain import ChainScenario
    from softdock.scenario.multibody import MultibodyScenario

    if isinstance(scenario, ChainScenario):
        rows = scenario.stop.time * scenario.record.rate
        masses = len(scenario.chaser.masses) + len(scenario.target.masses)
        return [
            _check_limit("stop.time", scenario.stop.time, LONGEST, "s of simulated time"),
            _check_limit("record.rate", rows, MOST_ROWS, "recorded rows"),
            _check_limit("record.rate", rows * 3 * masses, MOST_VALUES, "recorded values"),
        ]
    if isinstance(scenario, MultibodyScenario):
        parts = len(scenario.bodies) + len(scenario.contacts) + len(scenario.elements())
        rows = scenario.record.max_rows
        return [
            _check_duration(scenario),
            _check_limit("bodies", len(scenario.bodies), MOST_BODIES, "bodies"),
            _check_limit("contacts", len(scenario.contacts), MOST_CONTACTS, "contacts"),
            _check_limit("record.max_rows", rows, MOST_ROWS, "recorded rows"),
            _check_limit(
                "record.max_rows", rows * parts * VALUES_PER_BODY, 10 * MOST_VALUES, "recorded values"
            ),
            _check_limit("integrator.max_steps", scenario.integrator.max_steps, MOST_STEPS, "steps"),
        ]
    return _common_problems(scenario)


def _check_duration(scenario: "MultibodyScenario") -> Problem | None:
    from softdock.scenario.robot import RobotScenario

    if not isinstance(scenario, RobotScenario) or scenario.duration is not None:
        return _check_limit("duration", scenario.duration, LONGEST, "s of simulated time")
    latest = max(move.start for move in scenario.moves)
    given = latest + sum((move.duration or 0.0) + move.wait for move in scenario.moves)
    return _check_limit("moves", given, LONGEST, "s of simulated time")


def _common_problems(scenario: "ScenarioBase") -> list[Problem | None]:
    """Return the problems of other kinds of scenario, by the field names that they share."""
    spans = [name for name in ("duration", "before", "after") if hasattr(scenario, name)]
    length = float(sum(getattr(scenario, name) for name in spans))
    rate: Any = getattr(scenario, "record_rate", None) or getattr(
        getattr(scenario, "record", None), "rate", 0.0
    )
    return [
        _check_limit(spans[-1] if spans else "duration", length, LONGEST, "s of simulated time"),
        _check_limit("record", length * (rate or 0.0), MOST_ROWS, "recorded rows"),
    ]


def _check_limit(field: str, value: float, most: float, what: str) -> Problem | None:
    if value <= most:
        return None
    return Problem(
        message=f"The studio allows at most {most:,.0f} {what} in one run.",
        field=field,
        given=f"{value:,.6g}",
        hint="Run it on the command line, which has no such limit.",
    )


def limit_memory() -> int:
    """Limit the memory of this process where the system supports it; return the limit [bytes]."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
        return most
    return MEMORY


def problem_data(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain data."""
    return {
        "field": problem.field, "line": problem.line, "message": problem.message, "given": problem.given,
        "hint": problem.hint, "file": PurePath(problem.file).name, "text": str(problem),
    }  # fmt: skip
