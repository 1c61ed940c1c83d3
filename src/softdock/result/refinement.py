"""A run repeated with finer numerical settings: its metrics beside those of the original run."""

from dataclasses import dataclass
from typing import Literal

ChangeVerdict = Literal["within", "within_twice", "beyond", "no_error"]
"""Size of a change by refinement: at most the stated error, at most twice, more; `no_error` where none is stated."""


@dataclass(frozen=True, kw_only=True)
class RefinedValue:
    """A metric of a run beside that of a refined run."""

    name: str
    value: float
    """Value of the run [SI]."""
    refined: float | None
    """Value of the refined run [SI]; None where it has none."""
    change: float | None
    """Refined value minus value [SI]."""
    error: float | None
    """Error stated by the run [SI]; None where it states none."""
    verdict: ChangeVerdict
    """Whether the change is within this error."""


@dataclass(frozen=True, kw_only=True)
class RefinedRun:
    """A run repeated with finer numerical settings, compared with the original one."""

    settings: str
    """What is finer, in words."""
    outcome: str
    """Outcome of the refined run."""
    completed: bool
    """Whether the refined run reached its end."""
    valid: str
    """Validity of the refined run, as `Result.valid`."""
    steps: int
    evaluations: int
    values: tuple[RefinedValue, ...]
    """Metrics that are numbers, in the order of the result."""
