"""Comparison of a stored result with a new run of its scenario."""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from softdock.errors import InputError
from softdock.presentation.numbers import format_number
from softdock.report.verification import Agreement, Check
from softdock.result import Result
from softdock.scenario.kinds import KINDS
from softdock.scenario.loading import from_data
from softdock.simulation import simulate

REPRODUCTION = 1e-3
"""Relative difference that another version may have: the accuracy of peak reactions. One version gives equal bits."""
NEGLIGIBLE = 1e-9
"""Difference [SI] of values that are rounding errors."""
COMPARED = (
    "outcome", "completed", "valid", "warnings", "message", "metrics", "loads", "requirements", "contact_conditions",
    "units", "prediction", "events", "phases",
)  # fmt: skip
"""Keys of `Result.to_json` that a new run must reproduce; errors of conservation are rounding errors."""
MOST_NAMED = 12
"""Values that are listed where a new run differs."""
_NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?")
_ESTIMATES = re.compile(r"loads\.\d+\.(force|moment)_error|requirements\.\d+\.(error|verdict_text)")
"""Estimated errors and texts about them, which another version may estimate differently or not at all."""
_SENTENCES = re.compile(r"((events|phases)\.\d+\.)?message|warnings\.\d+|requirements\.\d+\.(value|limit)")
"""Texts with numbers that another version may round differently; other texts are names, compared whole."""


def verify_by_rerun(result: Result) -> list[Check]:
    """Run the scenario of a stored result again and return what differs; raises InputError where it cannot be run."""
    if str(result.definition.get("kind")) not in KINDS:
        message = "Only simulated runs can be run again; this is a recording or the log of a robot."
        raise InputError(message, field="--rerun")
    scenario = from_data(result.definition, result.scenario, Path(result.directory))
    repeated = simulate(scenario, with_prediction=result.prediction is not None)
    old, new = (dict(_leaves({key: run.to_json()[key] for key in COMPARED})) for run in (result, repeated))
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    if not names:  # the same version: its history has the same bits as well
        if result.history == repeated.history:
            return [_check(Agreement.AGREES, "A new run gives the same result to the last bit.")]
        return [_check(Agreement.DIFFERS, "A new run gives the same values and another history.")]
    different = [name for name in names if not _close(name, old.get(name), new.get(name))]
    if not different:
        close = f"{REPRODUCTION * 100:g} %"
        return [
            _check(Agreement.AGREES, f"A new run gives the same values within {close}, not the same bits.")
        ]
    more = len(different) - MOST_NAMED
    rest = [_check(Agreement.DIFFERS, f"and {more} more values")] if more > 0 else []
    shown = different[:MOST_NAMED]
    return [*(_check(Agreement.DIFFERS, _difference(path, old, new)) for path in shown), *rest]


def _check(agreement: Agreement, text: str) -> Check:
    return Check(name="new run", agreement=agreement, text=text)


def _difference(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    return f"{name}: {_shown(old.get(name))} is stored, a new run gives {_shown(new.get(name))}"


def _shown(value: Any) -> str:
    return format_number(value) if type(value) is float else "nothing" if value is None else str(value)[:80]


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values of nested plain data by dotted name."""
    parts = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    )
    if parts is None:
        yield name, value
        return
    for key, part in parts:
        yield from _leaves(part, f"{name}.{key}" if name else str(key))


def _close(name: str, old: Any, new: Any) -> bool:
    """Return whether two values of a name are the same within `REPRODUCTION`; sentences without their numbers."""
    if _ESTIMATES.fullmatch(name):
        return True
    if isinstance(old, str) and isinstance(new, str) and _SENTENCES.fullmatch(name):
        return _NUMBER.sub("", old) == _NUMBER.sub("", new)
    if type(old) not in (int, float) or type(new) not in (int, float):  # bool is not one of them
        return bool(old == new)
    return math.isclose(old, new, rel_tol=REPRODUCTION, abs_tol=NEGLIGIBLE)
