"""What one run from the page may take: no text in the browser can use up the machine."""

import contextlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from softdock.errors import InputError, Problem

if TYPE_CHECKING:  # the web server reads only the figures; the models are loaded by who checks a scenario
    from softdock.scenario import ScenarioBase
    from softdock.scenario.multibody import MultibodyScenario

LONGEST = 3600.0  # s simulated
LONGEST_WALL = 900.0  # s; a run that takes longer is ended
MOST_ROWS = 200_000
MOST_VALUES = 60_000_000  # numbers of a history, 8 bytes each
MOST_BODIES = 200
MOST_CONTACTS = 200
MOST_STEPS = 5_000_000
MOST_MODES = 2_000  # of one structure
MOST_ELEMENTS = 5_000  # of all beams and panels of a text
VALUES_PER_BODY = 25  # channels that a body, a contact or an element brings, roughly
MEMORY = 6_000_000_000  # bytes that a worker may have altogether
LARGEST_CAMPAIGN = 1_000_000  # runs


def check(scenario: "ScenarioBase") -> None:
    """Refuse a scenario that is too much for one run from the page; the command line has no such limits."""
    found = [problem for problem in _problems(scenario) if problem is not None]
    if found:
        raise InputError(*found)


def check_data(data: Any) -> None:
    """Refuse, before anything is computed, a scenario as it was written whose structures are too fine for the page."""
    counts = list(_counts(data))
    elements = [(path, count) for path, count in counts if path.endswith("elements")]
    found = [
        _above(path, count, MOST_MODES, "modes of a structure")
        for path, count in counts
        if path.endswith("modes")
    ]
    if elements:
        finest = max(elements, key=lambda one: one[1])[0]
        found.append(
            _above(finest, sum(count for _, count in elements), MOST_ELEMENTS, "elements of beams and panels")
        )
    problems = [problem for problem in found if problem is not None]
    if problems:
        raise InputError(*problems)


def _counts(data: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield every number of modes or elements in a text, with the path of its field."""
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
            _above("stop.time", scenario.stop.time, LONGEST, "s of simulated time"),
            _above("record.rate", rows, MOST_ROWS, "recorded rows"),
            _above("record.rate", rows * 3 * masses, MOST_VALUES, "recorded values"),
        ]
    if isinstance(scenario, MultibodyScenario):
        parts = len(scenario.bodies) + len(scenario.contacts) + len(scenario.elements())
        rows = scenario.record.max_rows
        return [
            _length(scenario),
            _above("bodies", len(scenario.bodies), MOST_BODIES, "bodies"),
            _above("contacts", len(scenario.contacts), MOST_CONTACTS, "contacts"),
            _above("record.max_rows", rows, MOST_ROWS, "recorded rows"),
            _above("record.max_rows", rows * parts * VALUES_PER_BODY, 10 * MOST_VALUES, "recorded values"),
            _above("integrator.max_steps", scenario.integrator.max_steps, MOST_STEPS, "steps"),
        ]
    return _by_names(scenario)


def _length(scenario: "MultibodyScenario") -> Problem | None:
    from softdock.scenario.robot import RobotScenario

    if not isinstance(scenario, RobotScenario) or scenario.duration is not None:
        return _above("duration", scenario.duration, LONGEST, "s of simulated time")
    latest = max(move.start for move in scenario.moves)
    given = latest + sum((move.duration or 0.0) + move.wait for move in scenario.moves)
    return _above("moves", given, LONGEST, "s of simulated time")


def _by_names(scenario: "ScenarioBase") -> list[Problem | None]:
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


def bound_memory() -> int:
    """Bound the memory of this process, where the system can; return the bound [bytes]."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
        return most
    return MEMORY


def told(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain data for the page."""
    return {
        "field": problem.field, "line": problem.line, "message": problem.message, "given": problem.given,
        "hint": problem.hint, "file": PurePath(problem.file).name, "text": str(problem),
    }  # fmt: skip
