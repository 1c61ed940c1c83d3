"""Models of phases: the steps of a sequence, each with actions on entry, an end condition and a time limit."""

from collections.abc import Collection, Sequence
from typing import Self

from pydantic import model_validator

from softdock.elements.registry import Name
from softdock.model.events import Action, OutcomeName
from softdock.quantities.fields import PositiveTime
from softdock.quantities.model import FieldError, Model

UNFINISHED = "unfinished"
"""Outcome of a run that reaches its duration before the end of its last phase, where no other outcome applies."""


class Phase(Model):
    """One phase of a sequence. The first phase begins with the run, each other one when the phase before it ends.

    The time limit is in s.

    >>> from softdock import Action, Phase
    >>> opening = [Action(enable="open-1")]
    >>> Phase(name="opening", do=opening, until="finger.joint > 19 mm", within="2 s", otherwise="stuck")
    Phase(name='opening', do=(Action(enable='open-1'),), until='finger.joint > 19 mm', within=2.0, otherwise='stuck')
    """

    name: Name
    """Name of the phase; outcomes and metrics refer to it."""
    do: tuple[Action, ...] = ()
    """Actions when the phase begins, in this order."""
    until: str
    """End of the phase: an event, or a condition as in `events`, such as `finger-1.joint > 19 mm for 0.2 s`."""
    within: PositiveTime | None = None
    """Time limit, counted from the beginning of the phase; leave out for no limit. Goes with `otherwise`."""
    otherwise: OutcomeName | None = None
    """Outcome of the run if the time limit passes, which ends the run."""
    message: str = ""
    """Sentence that explains the outcome `otherwise`; it follows the name of the phase in the message of the run."""
    next: str | None = None
    """Phase that follows; leave out for the next one of the list."""

    @model_validator(mode="after")
    def _limit_has_outcome(self) -> Self:
        if self.otherwise is not None and self.within is None:
            raise FieldError("otherwise", "needs `within`, the time limit after which this outcome applies")
        if self.within is not None and self.otherwise is None:
            raise FieldError("within", "needs `otherwise`, the outcome of the run if this time limit passes")
        return self

    def awaited_event(self, events: Collection[str]) -> str:
        """Return the event that ends the phase; empty if `until` is a condition."""
        name = self.until.strip()
        return name if name in events else ""


def next_phase(phases: Sequence[Phase], i: int) -> int | None:
    """Return the index of the phase that follows phase i; None after the last one. Raises ValueError if unknown."""
    wanted = phases[i].next
    if wanted is not None:
        return [phase.name for phase in phases].index(wanted)
    return i + 1 if i + 1 < len(phases) else None


def phase_order(phases: Sequence[Phase]) -> list[int]:
    """Return the indices of the phases in the order in which they follow each other, until one would repeat."""
    order: dict[int, None] = {}
    i: int | None = 0 if phases else None
    while i is not None and i not in order:
        order[i] = None
        i = next_phase(phases, i)
    return list(order)
