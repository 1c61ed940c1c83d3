"""Scenarios of kind `robot`: an arm under joint impedance control, its environment and its moves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, PrivateAttr, ValidationError, ValidationInfo

from softdock.elements.lock.model import Lock
from softdock.elements.registry import Name
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.elements.weld.model import Weld
from softdock.errors import InputError, no_such
from softdock.files.regular_file import path_exists
from softdock.model.events import Event
from softdock.model.system import WORLD, Body, System
from softdock.quantities.fields import (
    Flag,
    JointDamping,
    JointFrictionSpeed,
    JointPosition,
    NonNegativeJointForce,
    PositiveJointStiffness,
    PositiveTime,
)
from softdock.quantities.model import FieldError, Findings, Model, SeveralFieldsError
from softdock.robot.bodies import body_name, build_bodies, build_friction_springs, build_stops
from softdock.robot.bundled import bundled_robots, find_robot
from softdock.robot.urdf import Description, read_urdf
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.robot_control import CartesianModel, ControlModel
from softdock.scenario.robot_moves import (
    MoveModel,
    PaceModel,
    check_move_names,
    grip_events,
    started_moves,
    without_moves,
)
from softdock.scenario.robot_sensor import ForceSensorModel
from softdock.scenario.run_settings import Record
from softdock.tree.frames import Anchor
from softdock.tree.joints import Fixed, Free

Mount = Annotated[Fixed | Free, Field(discriminator="type")]


class EndStops(Model):
    """Spring and damper at the ends of the range of a joint."""

    stiffness: PositiveJointStiffness = 5000.0
    """Stiffness beyond the range of the joint."""
    damping: JointDamping = 20.0
    """Damping beyond the range of the joint."""


class FrictionModel(Model):
    """Friction of the joints, one value for all or one for each; overrides that of the URDF file."""

    viscous: JointDamping | tuple[JointDamping, ...] = 0.0
    """Friction in proportion to speed."""
    coulomb: NonNegativeJointForce | tuple[NonNegativeJointForce, ...] = 0.0
    """Friction independent of speed."""
    speed: JointFrictionSpeed = 1e-2
    """Speed below which Coulomb friction decreases to zero."""


class ArmModel(Model):
    """A robot from a URDF file and its mounting."""

    file: str
    """Name of a bundled robot (`lwr4plus`) or a URDF file, relative to the scenario's folder."""
    parent: str = WORLD
    """Body that carries the arm."""
    mount: Mount = Fixed()
    """Joint between the base of the arm and its parent; `type: free` for a floating base."""
    start: tuple[JointPosition, ...] | None = None
    """Joint positions at the start; all zero if left out."""
    end_stops: EndStops = EndStops()
    """End stops of the joints; their limits are those of the URDF file."""
    friction: FrictionModel | None = None
    """Leave out for that of the URDF file."""


class RobotRecord(Record):
    """Recording of the history of a robot."""

    contact_steps: Flag = False
    """Whether every step with a contact force is recorded: at least one in every torque period."""
    peaks: Flag = False
    """Whether every peak of a metric or load has a row in the history."""


class RobotScenario(MultibodyScenario):
    """An arm under joint impedance control among other bodies."""

    kind: Literal["robot"] = "robot"  # type: ignore[assignment]
    """Kind of scenario."""
    bodies: dict[Name, Body] = {}
    """Bodies other than the links of the arm, which are bodies with the names of the links. Bodies fixed to a link are
    part of the arm."""
    duration: PositiveTime | None = None  # type: ignore[assignment]
    """Leave out to end with the last move; required if a move has `after` or `frame`."""
    record: RobotRecord = RobotRecord()
    """Recording of the history."""
    arm: ArmModel
    """The arm and how it is mounted."""
    tool: Anchor | None = None
    """Frame that follows the lines of moves; the last link if left out."""
    control: ControlModel
    """Impedance control of the arm."""
    force_sensor: ForceSensorModel | None = None
    """Force-torque sensor between flange and tool."""
    pace: PaceModel = PaceModel()
    """Limits of the motion of moves that have no duration."""
    moves: tuple[MoveModel, ...] = Field(min_length=1)
    """Moves of the arm, one after the other; those with `after` start when their event has happened."""

    _system: MultibodyScenario = PrivateAttr()
    """The complete system, without the metrics of requirements."""

    def _check_all(self, findings: Findings, info: ValidationInfo) -> None:
        directory = (info.context or {}).get("directory", Path())
        robot = self.read_arm(directory)
        findings.of(self._check_start, robot)
        joints = len(robot.moving)
        friction = self.arm.friction
        for field, values in (
            ("control.stiffness", self.control.stiffness),
            ("control.damping_ratio", self.control.damping_ratio),
            ("arm.friction.viscous", friction.viscous if friction else 0.0),
            ("arm.friction.coulomb", friction.coulomb if friction else 0.0),
            *(
                (f"moves.{i}.{key}", getattr(move, key) or 0.0)
                for i, move in enumerate(self.moves)
                for key in ("joints", "stiffness", "damping_ratio")
            ),
        ):
            findings.of(_check_count, field, values, joints)
        if self.duration is None and self.planned_during_run:
            findings.of(_require_duration)
        for field, cartesian in self._cartesians():
            for key in ("null_stiffness", "null_damping_ratio"):
                findings.of(_check_count, f"{field}.{key}", getattr(cartesian, key), joints)
        findings.of(self._check_grips)
        findings.of(check_move_names, self.moves, self.events, self.phases)
        findings.report()
        for i, move in enumerate(self.moves):
            findings.of(_check_limits, f"moves.{i}.joints", move.joints or (), robot)
        findings.report()
        self._system = self._whole(robot, info.context)
        self._check_metric_names(findings)
        findings.report()
        self._check_requirements(findings)
        findings.report()
        bodies = {**self.bodies, **self._arm_bodies(robot)}
        if self.tool and self.tool.body not in bodies:
            raise FieldError("tool.body", no_such("body", self.tool.body, bodies))
        findings.of(self._check_sensor, bodies)
        for i, move in enumerate(self.moves):
            findings.of(self._check_trigger, i, move, robot)
        findings.report()

    def _cartesians(self) -> list[tuple[str, CartesianModel]]:
        """Return all Cartesian impedances with their fields."""
        own = [(f"moves.{i}.cartesian", move.cartesian) for i, move in enumerate(self.moves)]
        return [
            (field, model)
            for field, model in [("control.cartesian", self.control.cartesian), *own]
            if model is not None
        ]

    def _check_sensor(self, bodies: Mapping[str, Body]) -> None:
        """Raise FieldError for a sensor in no fixed mount with mass, and for moves that stop at a force without one."""
        if self.force_sensor is None:
            stopped = [i for i, move in enumerate(self.moves) if move.until_force is not None]
            if stopped:
                raise FieldError(f"moves.{stopped[0]}.until_force", "needs a force_sensor")
            return
        mount = self.force_sensor.mount
        self._check_known("force_sensor.mount", mount, bodies, "body")
        if not isinstance(bodies[mount].joint, Fixed):
            raise FieldError("force_sensor.mount", f"must be a body on a fixed joint, and {mount!r} is not")

    def _check_grips(self) -> None:
        """Raise FieldError for a grip of what is neither weld nor lock, and names of events that belong to grips."""
        known = [*self.elements_of(Weld), *self.elements_of(Lock)]
        for i, move in enumerate(self.moves):
            for key in ("grip", "release"):
                name = getattr(move, key)
                if name is not None:
                    self._check_known(f"moves.{i}.{key}", name, known, "weld or lock")
        last = self.moves[-1]
        if self.duration is None and (last.grip or last.release) and not last.wait:
            raise FieldError(f"moves.{len(self.moves) - 1}.wait", "is needed after the last grip or release")
        for name in self.grip_events:
            if name in self.events:
                raise FieldError(f"events.{name}", "is the name of an event of a grip: choose another")

    @property
    def grip_events(self) -> dict[str, Event]:
        """Events by which moves grip and release, and those of misses."""
        holding = {**self.elements_of(Weld), **self.elements_of(Lock)}
        windows = [name for name, held in holding.items() if getattr(held, "window", None) is not None]
        return grip_events(self.moves, windows)

    def is_started(self, i: int) -> bool:
        """Return whether an event or a phase starts move number i."""
        move = self.moves[i]
        return move.after is not None or move.name in started_moves(self.events, self.phases)

    def needs_surroundings(self, i: int) -> bool:
        """Return whether move number i depends on events or on frames of bodies: it is planned during the run."""
        move = self.moves[i]
        return move.frame is not None or move.until_force is not None or self.is_started(i)

    @property
    def planned_during_run(self) -> bool:
        """Whether moves depend on events or on frames of bodies."""
        return any(self.needs_surroundings(i) for i in range(len(self.moves)))

    def _check_trigger(self, i: int, move: MoveModel, robot: Description) -> None:
        """Raise FieldError for an unknown event, and for a frame on an unknown body or one that the arm moves."""
        if move.after is not None:
            known = [*self.events, *self.grip_events, *self.phase_names]
            self._check_known(
                f"moves.{i}.after", move.after, known, "event or phase" if self.phases else "event"
            )
        if move.at_once and not self.is_started(i):
            raise FieldError(f"moves.{i}.at_once", "goes with after, or with an action that starts the move")
        if move.frame is None or move.frame.body == WORLD:
            return
        body, field = move.frame.body, f"moves.{i}.frame.body"
        self._check_known(field, body, self._system.bodies, "body")
        moved = {body_name(joint.child) for joint in robot.moving}
        if moved.intersection(self._system.lineage(body)):
            raise FieldError(
                field, f"must be a body that the arm does not move; {body!r} moves with the tool"
            )

    def metric_unit(self, text: str) -> str:
        """Return the SI unit of an expression of a metric; raises FieldError."""
        return self._system.metric_unit(text)

    def fixed_metric_units(self) -> dict[str, str]:
        """Return the SI units of the metrics that the run has beside those that the scenario defines."""
        units = self._system.fixed_metric_units()
        for joint in self.read_arm(self._system.directory).moving:
            name, rotary = body_name(joint.name).replace("-", "_"), joint.motion.is_rotary
            units[f"tracking_error_max_{name}"] = "rad" if rotary else "m"
            units |= {
                f"{what}_{name}": "N*m" if rotary else "N" for what in ("peak_torque", "peak_external_torque")
            }
        if self.force_sensor is not None:
            units |= {"peak_sensor_force": "N", "peak_sensor_moment": "N*m"}
        return units | dict.fromkeys(
            ("torque_used", "speed_used", "static_residual", "refused_commands"), "1"
        )

    def _check_start(self, robot: Description) -> None:
        start = self.arm.start
        if start is None:
            return
        _check_count("arm.start", start, len(robot.moving))
        _check_limits("arm.start", start, robot)

    def read_arm(self, directory: Path | None = None) -> Description:
        """Return the robot with the friction of the scenario."""
        path = find_robot(self.arm.file, self.directory if directory is None else directory)
        try:
            robot = read_urdf(path)
        except InputError as error:
            known = f" (bundled robots: {', '.join(bundled_robots())})" if not path_exists(path) else ""
            raise FieldError("arm.file", f"cannot be used: {error}{known}") from None
        if not robot.moving:
            raise FieldError("arm.file", f"the robot {robot.name!r} has no joint that moves")
        friction = self.arm.friction
        if friction is None:
            return robot
        joints = dict(robot.joints)
        names = [joint.name for joint in robot.moving]
        for name, d, c in zip(
            names, spread(friction.viscous, len(names)), spread(friction.coulomb, len(names))
        ):
            joints[name] = replace(joints[name], damping=float(d), friction=float(c))
        return replace(robot, joints=joints)

    def whole(self) -> MultibodyScenario:
        """Return the arm and its environment as one scenario of kind `multibody`."""
        directory = self.directory
        metrics = self.requirement_metrics()
        return self._whole(self.read_arm(), {"directory": directory}, metrics).with_origin(
            self.name, directory, self.source
        )

    @property
    def friction_speed(self) -> float:
        """Speed below which Coulomb friction of the joints decreases to zero [rad/s or m/s]."""
        return (self.arm.friction or FrictionModel()).speed

    def at_start(self) -> System:
        """Return the system with the arm, at its initial motion."""
        return self.whole().at_start()

    def _arm_bodies(self, robot: Description) -> dict[str, Body]:
        return build_bodies(robot, start=self.arm.start, mount=self.arm.mount, parent=self.arm.parent)

    def _whole(
        self, robot: Description, context: Any, metrics: Mapping[str, str] | None = None
    ) -> MultibodyScenario:
        """Return the complete system; `metrics` are evaluated in addition to those of the scenario."""
        ours = self._arm_bodies(robot)
        stops = build_stops(robot, self.arm.end_stops.stiffness, self.arm.end_stops.damping)
        springs = build_friction_springs(robot, self.friction_speed)
        for group, names in (("bodies", ours), ("stops", stops), ("springs", springs)):
            for name in names:
                if name in getattr(self, group):
                    raise FieldError(
                        f"{group}.{name}", f"the name {name!r} belongs to the arm: choose another"
                    )
        fields = {name: getattr(self, name) for name in MultibodyScenario.model_fields if name != "kind"}
        fields |= {
            "sources": {},  # provenance belongs to the scenario, not to the system derived from it
            "requirements": {
                key: requirement
                for key, requirement in self.requirements.items()
                if requirement.conditions is not None
            },
            "events": {
                name: event.model_copy(update={"then": without_moves(event.then)})
                for name, event in self.events.items()
            }
            | self.grip_events,
            "phases": tuple(
                phase.model_copy(update={"do": without_moves(phase.do)}) for phase in self.phases
            ),
            "metrics": {**self.metrics, **(metrics or {})},
            "bodies": {**self.bodies, **ours},
            "stops": {**self.elements_of(Stop), **stops},
            "springs": {**self.elements_of(Spring), **springs},
            "duration": self.duration or sum((m.duration or 0.0) + m.wait for m in self.moves) or 1.0,
        }
        try:
            return MultibodyScenario.model_validate(fields, context=context)
        except ValidationError as error:
            raise SeveralFieldsError(_as_field_errors(error, ours)) from None


def spread(values: float | tuple[float, ...], joints: int) -> np.ndarray:
    """Return one value per joint."""
    return np.broadcast_to(np.asarray(values, float), joints).copy()


def _check_limits(field: str, q: Sequence[float], robot: Description) -> None:
    """Raise FieldError for joint positions q [rad or m] outside the limits of the robot."""
    for i, (joint, position) in enumerate(zip(robot.moving, q)):
        if not joint.lower <= position <= joint.upper:
            allowed = f"{joint.lower:.4g} to {joint.upper:.4g}"
            raise FieldError(f"{field}.{i}", f"lies outside the limits of {joint.name!r}, {allowed}")


def _require_duration() -> None:
    raise FieldError(
        "duration",
        "is required: when moves with `after`, `frame` or `until_force` end is known only in the run",
    )


def _check_count(field: str, values: float | tuple[float, ...], joints: int) -> None:
    if isinstance(values, tuple) and len(values) != joints:
        raise FieldError(field, f"needs one value for each of the {joints} joints and has {len(values)}")


def _as_field_errors(error: ValidationError, ours: dict[str, Body]) -> list[FieldError]:
    """Return the errors of the complete system with the field names of this scenario."""
    errors = []
    for details in error.errors(include_url=False):
        cause = details.get("ctx", {}).get("error")
        location = ".".join(map(str, details["loc"]))
        causes = cause.errors if isinstance(cause, SeveralFieldsError) else [cause]
        for reason in causes:
            path = [location, *(map(str, reason.path) if isinstance(reason, FieldError) else [])]
            message = str(reason) if reason is not None else details["msg"]
            parts = [part for part in path if part]
            if parts[:1] == ["bodies"] and len(parts) > 1 and parts[1] in ours:
                errors.append(FieldError("arm.file", f"link {parts[1]!r}: {'.'.join(parts[2:])} {message}"))
            else:
                errors.append(FieldError(".".join(parts), message))
    return errors
