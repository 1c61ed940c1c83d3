"""Models of events, their actions, and outcomes."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from softdock.model.expressions import Condition, parse_condition
from softdock.model.gnc import ControlMode
from softdock.quantities.fields import Flag, JointPosition, JointSpeed
from softdock.quantities.model import FieldError, Model

OutcomeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
"""Identifier of an outcome: small letters, digits and _, starting with a letter."""


class Action(Model):
    """One action of an event or phase; exactly one key, except for `drive` with `target` and `control` with `mode`.

    >>> from softdock import Action
    >>> Action(enable="latch")
    Action(enable='latch')
    >>> Action(drive="motor", target="20 mm")
    Action(drive='motor', target=0.02)
    """

    enable: str | None = None
    """Switch on an element or a contact; a weld keeps the current pose."""
    disable: str | None = None
    """Switch off an element or a contact."""
    bond: str | None = None
    """Closed contact that becomes a linear connection, with its present force and stiffness; `enable` ends it."""
    arm: str | None = None
    """Event whose condition is evaluated from now on."""
    disarm: str | None = None
    """Event whose condition is no longer evaluated."""
    drive: str | None = None
    """Drive that is switched on and gets a new target."""
    target: JointPosition | JointSpeed | None = None
    """New target of the drive [m, rad, m/s or rad/s]; goes with `drive`."""
    control: str | None = None
    """Body whose controller gets a new mode, from its next sample on."""
    mode: ControlMode | None = None
    """New mode of the controller; goes with `control`."""
    move: str | None = None
    """Move of the arm, by its name, that starts with the moves that follow it (kind `robot`)."""
    stop: Flag = False
    """End the run."""

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [
            key
            for key in ("enable", "disable", "bond", "arm", "disarm", "drive", "control", "move")
            if getattr(self, key) is not None
        ]
        if len(given) + int(self.stop) != 1:
            raise FieldError(
                "",
                "must have exactly one of enable, disable, bond, arm, disarm, drive, control, move and stop",
            )
        if (self.drive is None) != (self.target is None):
            raise FieldError("target", "goes with drive, and drive with target")
        if (self.control is None) != (self.mode is None):
            raise FieldError("mode", "goes with control, and control with mode")
        return self


class Event(Model):
    """A condition and the actions when it becomes true.

    >>> from softdock import Action, Event
    >>> Event(when="probe.z in port > 80 mm", then=(Action(enable="latch"), Action(stop=True)))
    Event(when='probe.z in port > 80 mm', then=(Action(enable='latch'), Action(stop=True)))
    """

    when: str
    """`probe.z in drogue > 80 mm`, `bumper.force > 0 N and time > 2 s`, `latch.force > 5 N for 0.2 s after touched`."""
    then: tuple[Action, ...] = ()
    """Actions when the condition becomes true, in this order."""
    message: str = ""
    """The event as a sentence."""
    once: Flag = True
    """Whether the event occurs only the first time."""
    armed: Flag = True
    """Whether the condition is evaluated from the start; otherwise from when another event arms it."""
    opens: Flag = False
    """Part of the opening of a mechanism: the event occurs only if `opening` is true."""

    @property
    def condition(self) -> Condition:
        """The parsed condition."""
        return parse_condition(self.when)


class Outcome(Model):
    """An outcome and its conditions; the first outcome of the list whose conditions hold applies.

    Several entries may have the same name: the outcome applies if any of them holds.

    >>> from softdock import Outcome
    >>> Outcome(name="captured", message="The latch holds the probe.", happened=("seated",))
    Outcome(name='captured', message='The latch holds the probe.', happened=('seated',))
    """

    name: OutcomeName
    """Identifier of the outcome: small letters, digits and `_`."""
    message: str
    """The outcome as a sentence."""
    happened: tuple[str, ...] = ()
    """Events that must have happened, and phases that must have ended by their conditions."""
    not_happened: tuple[str, ...] = ()
    """Events that must not have happened, and phases that must not have ended by their conditions."""
