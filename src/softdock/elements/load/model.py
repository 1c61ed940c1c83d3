"""Model of external loads."""

import itertools
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import model_validator

from softdock.quantities.fields import Flag, Force, Length, Quantity, Time, Torque, Vector3
from softdock.quantities.model import FieldError, Model


class Pulse(Model):
    """A time span in which a load acts.

    Times are in s.

    >>> from softdock import Pulse
    >>> Pulse(start="2 s", duration="0.1 s")
    Pulse(start=2.0, duration=0.1)
    """

    start: Time
    """Time at which the pulse begins."""
    duration: Annotated[float, Quantity("s", gt=0)]
    """Length of the pulse."""
    scale: Annotated[float, Quantity("1")] = 1.0
    """Factor on force and torque during the pulse; pulses that overlap add up."""


class Load(Model):
    """External force and torque: constant, in pulses, or by a table of steps.

    Force in N, torque in N m, point and times in m and s.

    >>> from softdock import Load, Pulse
    >>> Load(body="chaser", force=(0, 0, "10 N"), pulses=(Pulse(start="1 s", duration="0.5 s"),))
    Load(body='chaser', force=(0.0, 0.0, 10.0), pulses=(Pulse(start=1.0, duration=0.5),))
    """

    body: str
    """Body on which the load acts."""
    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Point where the force acts, in body axes."""
    node: str | None = None
    """Instead of `at`: node of a flexible structure of this body, as `structure/node`."""
    force: Vector3[Force] = (0.0, 0.0, 0.0)
    """Force, applied at `at`."""
    torque: Vector3[Torque] = (0.0, 0.0, 0.0)
    """Torque, in addition to that of the force."""
    axes: Literal["body", "world"] = "body"
    """Frame of force and torque; body axes rotate with the body, as for a thruster."""
    pulses: tuple[Pulse, ...] = ()
    """Time spans in which the load acts; always if left out."""
    table: tuple[tuple[Time, Annotated[float, Quantity("1")]], ...] = ()
    """Rows of (time, factor): the factor applies from that time on."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""

    @model_validator(mode="after")
    def _one_schedule(self) -> Self:
        if self.node is not None and any(self.at):
            raise FieldError("at", "cannot be combined with `node`, which has a position")
        if self.pulses and self.table:
            raise FieldError("table", "give either pulses or a table, not both")
        times = [row[0] for row in self.table]
        if any(b <= a for a, b in itertools.pairwise(times)):
            raise FieldError("table", "needs times that increase from row to row")
        return self

    def steps(self) -> list[tuple[float, float]]:
        """Return (time, factor) rows; the factor applies from that time on, zero before the first."""
        if self.table:
            return list(self.table)
        if not self.pulses:
            return [(-np.inf, 1.0)]
        edges = sorted({p.start for p in self.pulses} | {p.start + p.duration for p in self.pulses})
        return [(t, sum(p.scale for p in self.pulses if p.start <= t < p.start + p.duration)) for t in edges]
