"""Moves of an arm: goals, frames, bounds, and the events and phases that start them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Self

from pydantic import model_validator

from softdock.elements.registry import Name
from softdock.errors import no_such
from softdock.model.events import Action, Event
from softdock.model.phases import Phase
from softdock.quantities.fields import (
    Flag,
    JointPosition,
    JointStiffness,
    Length,
    NonNegativeNumber,
    NonNegativeTime,
    PositiveTime,
    Quantity,
    Vector3,
)
from softdock.quantities.model import FieldError, Model
from softdock.scenario.robot_control import CartesianModel
from softdock.tree.frames import Anchor
from softdock.tree.joints import Attitude, quaternion


class PaceModel(Model):
    """Limits of moves; the fastest motion within these limits is used."""

    speed: Annotated[float, Quantity("m/s", gt=0)] = 0.1
    """Largest speed of the tool on a line."""
    acceleration: Annotated[float, Quantity("m/s^2", gt=0)] = 0.5
    """Largest acceleration of the tool on a line."""
    jerk: Annotated[float, Quantity("m/s^3", gt=0)] = 5.0
    """Largest jerk of the tool on a line."""
    turn_rate: Annotated[float, Quantity("rad/s", gt=0)] = 0.5
    """Largest angular rate of the tool."""
    turn_acceleration: Annotated[float, Quantity("rad/s^2", gt=0)] = 2.5
    """Largest angular acceleration of the tool."""
    turn_jerk: Annotated[float, Quantity("rad/s^3", gt=0)] = 25.0
    """Largest angular jerk of the tool."""
    joint_speed: Annotated[float, Quantity("1", gt=0, le=1)] = 0.3
    """Fraction of the speed limit of each joint, for moves in joint space."""
    joint_acceleration: Annotated[float, Quantity("rad/s^2", gt=0)] = 2.0
    """Largest acceleration of each joint, for moves in joint space."""
    joint_jerk: Annotated[float, Quantity("rad/s^3", gt=0)] = 20.0
    """Largest jerk of each joint, for moves in joint space."""


class MoveModel(Model):
    """One move from rest to rest: `joints`, or a line of the tool by `to` or `by` and `attitude`."""

    name: Name | None = None
    """Name of the move, for actions of events and phases and for the list of events, where its start appears as
    `move-NAME`."""
    joints: tuple[JointPosition, ...] | None = None
    """Joint positions at the end."""
    to: Vector3[Length] | None = None
    """Position of the tool at the end, in `frame` (for a floating arm without a frame: in the world at the start of the
    run)."""
    by: Vector3[Length] | None = None
    """Displacement of the tool from the commanded end of the previous move, in axes of `frame`."""
    attitude: Attitude | None = None
    """Attitude of the tool in `frame` at the end; unchanged if left out."""
    frame: Anchor | None = None
    """Frame of `to`, `by` and `attitude`, on any body that the arm does not move, located when the move starts; the
    world at the start of the run if left out."""
    track: Flag = False
    """Whether the tool follows the motion of `frame` during the move and until the next one; otherwise the line is
    fixed to the base of the arm."""
    after: str | None = None
    """Event, or phase at its end, that starts this move and those that follow it up to the next move that something
    starts; an action `{move: NAME}` does the same."""
    at_once: Flag = False
    """Whether the start interrupts a move in execution; otherwise that one and its pause end first."""
    start: NonNegativeTime = 0.0
    """Earliest time at which the move starts."""
    duration: PositiveTime | None = None
    """Leave out for the fastest motion that `pace` allows."""
    wait: NonNegativeTime = 0.0
    """Pause after the move."""
    stiffness: JointStiffness | tuple[JointStiffness, ...] | None = None
    """Stiffness of the joints from the start of this move to the next; that of `control` if left out."""
    damping_ratio: NonNegativeNumber | tuple[NonNegativeNumber, ...] | None = None
    """Damping ratio from the start of this move to the next; that of `control` if left out."""
    cartesian: CartesianModel | None = None
    """Impedance of the tool from the start of this move to the next; that of `control` if left out."""

    until_force: Annotated[float, Quantity("N", gt=0)] | None = None
    """Force that the force-torque sensor measures at which the motion stops and the move ends early."""
    grip: str | None = None
    """Weld or lock that is enabled at the end of the motion, before `wait`; one with a `window` engages only in it."""
    release: str | None = None
    """Weld or lock that is disabled at the end of the motion, before `wait`."""

    @model_validator(mode="after")
    def _one_goal(self) -> Self:
        goals = [key for key in ("joints", "to", "by") if getattr(self, key) is not None]
        if len(goals) > 1:
            raise FieldError(goals[1], f"give either {goals[0]} or {goals[1]}, not both")
        if self.attitude is not None:
            if self.joints is not None:
                raise FieldError("attitude", "goes with to or by: joint positions have their own")
            quaternion(self.attitude)
        if self.frame is not None and (self.joints is not None or (not goals and self.attitude is None)):
            raise FieldError("frame", "goes with to, by or attitude")
        joint_keys = [key for key in ("stiffness", "damping_ratio") if getattr(self, key) is not None]
        if self.cartesian is not None and joint_keys:
            raise FieldError("cartesian", f"give either {joint_keys[0]} of the joints or cartesian, not both")
        if self.track and self.frame is None:
            raise FieldError("track", "goes with frame")
        return self


def started_moves(events: Mapping[str, Event], phases: Sequence[Phase]) -> set[str]:
    """Return the names of the moves that actions of events and phases start."""
    actions = [action for event in events.values() for action in event.then]
    actions += [action for phase in phases for action in phase.do]
    return {action.move for action in actions if action.move is not None}


def grip_events(moves: Sequence[MoveModel], windows: Collection[str]) -> dict[str, Event]:
    """Return the events by which moves grip and release, and those of misses of elements with a window.

    The run arms the first two at the end of a motion.
    """
    events: dict[str, Event] = {}
    for move in moves:
        if move.release is not None:
            events[f"{move.release}-release"] = _commanded(
                Action(disable=move.release), f"The arm releases {move.release!r}."
            )
        if move.grip is None:
            continue
        events[f"{move.grip}-grip"] = _commanded(
            Action(enable=move.grip), f"The arm grips with {move.grip!r}."
        )
        if move.grip in windows:
            missed = f"{move.grip!r} was to engage outside its window."
            events[f"{move.grip}-missed"] = Event(when=f"{move.grip}.misses > 0.5", message=missed)
    return events


def _commanded(action: Action, message: str) -> Event:
    """Return an event that occurs as soon as it is armed."""
    return Event(when="time >= 0 s", armed=False, then=(action,), message=message)


def without_moves(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return the actions of the multibody system: without those that start moves of the arm."""
    return tuple(action for action in actions if action.move is None)


def check_move_names(
    moves: Sequence[MoveModel], events: Mapping[str, Event], phases: Sequence[Phase]
) -> None:
    """Raise FieldError for two moves of one name, and for an action that starts an unknown move."""
    names: list[str] = []
    for i, move in enumerate(moves):
        if move.name in names:
            raise FieldError(
                f"moves.{i}.name", f"there is another move called {move.name!r}: names must differ"
            )
        if move.name is not None:
            names.append(move.name)
    places = {f"events.{name}.then": event.then for name, event in events.items()}
    places |= {f"phases.{i}.do": phase.do for i, phase in enumerate(phases)}
    for field, actions in places.items():
        for k, action in enumerate(actions):
            if action.move is not None and action.move not in names:
                raise FieldError(f"{field}.{k}.move", no_such("move", action.move, names))
