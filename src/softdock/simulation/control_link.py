"""User-defined controllers over a robot link: the system is served as a robot, the controller runs at the other end.

A free body takes six values of the link: position in the world and rotation vector as joint positions; velocity in the
world and angular velocity in body axes as joint speeds; force and torque in body axes as feed-forward torques. A
joint of one axis takes one value. The order is that of `ControlInterface`: bodies, observed bodies, joints.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.result import Audit, Channel, History, Result, Timing
from softdock.robot.link import Command, JointLimits, RobotLink, RobotMode, RobotState, monitor
from softdock.robot.link_remote import RemoteLink
from softdock.scenario.base import ScenarioBase
from softdock.simulation.control import (
    Actuation,
    BodyMotion,
    ControlInterface,
    ControlledSystem,
    JointMotion,
    Measurement,
    UserController,
    Wrench,
    check_actuation,
    check_controller,
    with_actuators,
)
from softdock.simulation.multibody import PreparedMultibody
from softdock.simulation.remote import EndingLink, with_link_metrics
from softdock.spatial.rotations import (
    matrix_from_quaternion,
    quaternion_from_rotation_vector,
    rotation_vector_from_matrix,
)

Floats = NDArray[np.float64]
BODY_VALUES = 6
PERIOD_TOLERANCE = 1e-6  # of the ratio of two periods, for rounding
FIELDS = {
    **dict.fromkeys("xyz", "m"),
    **dict.fromkeys(("qw", "qx", "qy", "qz"), "1"),
    **dict.fromkeys(("vx", "vy", "vz"), "m/s"),
    **dict.fromkeys(("wx", "wy", "wz"), "rad/s"),
}
"""Channels of a body, as in the history of a multibody run."""


@dataclass(frozen=True, kw_only=True)
class ActuatorLimits:
    """Limits of a system that is served: commands beyond them are refused, motion beyond them stops the commands."""

    force: float = 1e3
    """Of each component on a body [N]."""
    torque: float = 1e3
    """[N m]"""
    effort: float = 1e3
    """At a joint [N m or N]."""
    distance: float = 1e4
    """Of a body from the origin of the world, along each axis [m]."""
    speed: float = 100.0
    """Of each component of a body [m/s]."""
    rate: float = 10.0
    """Of each component of a body [rad/s]."""
    joint_range: float = 1e4
    """Of a joint, to both sides [rad or m]."""
    joint_speed: float = 10.0
    """[rad/s or m/s]"""

    def for_link(self, interface: ControlInterface) -> JointLimits:
        """Return the limits of all values of a link; there is no stiffness, so that nothing holds a position."""
        bodies, joints = len(interface.bodies) + len(interface.observed), len(interface.joints)
        highest = np.array([*([self.distance] * 3 + [np.pi] * 3) * bodies, *[self.joint_range] * joints])
        none = np.zeros(len(highest))
        return JointLimits(
            q_min=-highest,
            q_max=highest,
            speed=np.array([*([self.speed] * 3 + [self.rate] * 3) * bodies, *[self.joint_speed] * joints]),
            torque=np.array([*([self.force] * 3 + [self.torque] * 3) * bodies, *[self.effort] * joints]),
            stiffness=none,
            hold_stiffness=none,
            min_stiffness=none,
        )


class ServedSystem:
    """A simulated multibody scenario with the interface of a robot (`softdock.robot.link.Robot`).

    Without accepted commands nothing acts on it: its bodies drift.
    """

    def __init__(
        self, scenario: ScenarioBase, interface: ControlInterface, limits: ActuatorLimits | None = None
    ) -> None:
        self.interface = interface
        self.system = ControlledSystem(PreparedMultibody(with_actuators(scenario, interface)), interface)
        self._limits = (limits or ActuatorLimits()).for_link(interface)
        self._tau = np.zeros(self._limits.joints)
        several = [name for name, axes in self.system.joint_axes.items() if axes != 1]
        if several:
            message = "A link supports joints of one axis."
            raise InputError(message, field="interface.joints", given=several[0])

    @property
    def limits(self) -> JointLimits:
        """Limits of all values."""
        return self._limits

    @property
    def ended(self) -> bool:
        """Whether the simulation has ended; its clock then stands still."""
        return self.system.session.ending is not None

    def advance(self, command: Command, duration: float) -> None:
        """Hold the forces, torques and efforts of a command for a duration [s]."""
        self._tau = command.tau_ff.copy()
        actuation = unpack_actuation(self.interface, self._tau)
        self.system.advance(actuation, self.system.session.time + duration)

    def state(self) -> RobotState:
        """Return the measured state."""
        measurement = self.system.measure()
        q, qdot = pack_measurement(self.interface, measurement)
        none = np.zeros(len(q))
        return RobotState(
            t=measurement.t, q=q, qdot=qdot, tau_measured=self._tau.copy(), tau_external=none,
            mode=RobotMode.COMMAND,
        )  # fmt: skip


def pack_measurement(interface: ControlInterface, measurement: Measurement) -> tuple[Floats, Floats]:
    """Return positions and speeds of a link."""
    q, qdot = [], []
    for name in (*interface.bodies, *interface.observed):
        body = measurement.bodies[name]
        q += [body.p, rotation_vector_from_matrix(matrix_from_quaternion(body.wxyz))]
        qdot += [body.v, body.w]
    q += [measurement.joints[name].position for name in interface.joints]
    qdot += [measurement.joints[name].speed for name in interface.joints]
    return np.concatenate(q), np.concatenate(qdot)


def unpack_measurement(interface: ControlInterface, t: float, q: Floats, qdot: Floats) -> Measurement:
    """Return the measurement in positions and speeds of a link."""
    bodies, at = {}, 0
    for name in (*interface.bodies, *interface.observed):
        position, turn = q[at : at + 3], q[at + 3 : at + 6]
        bodies[name] = BodyMotion(
            p=position,
            v=qdot[at : at + 3],
            wxyz=quaternion_from_rotation_vector(turn),
            w=qdot[at + 3 : at + 6],
        )
        at += BODY_VALUES
    joints = {
        name: JointMotion(position=q[at + i : at + i + 1], speed=qdot[at + i : at + i + 1])
        for i, name in enumerate(interface.joints)
    }
    return Measurement(t=t, bodies=bodies, joints=joints)


def pack_actuation(interface: ControlInterface, actuation: Actuation) -> Floats:
    """Return the feed-forward torques of a link."""
    tau: list[float] = []
    for name in interface.bodies:
        wrench = actuation.wrenches.get(name, Wrench())
        tau += [*wrench.force, *wrench.torque]
    tau += [0.0] * BODY_VALUES * len(interface.observed)
    tau += [float(np.squeeze(actuation.efforts.get(name, 0.0))) for name in interface.joints]
    return np.array(tau)


def unpack_actuation(interface: ControlInterface, tau: Floats) -> Actuation:
    """Return the commands in feed-forward torques of a link."""
    wrenches = {
        name: Wrench(force=tau[at : at + 3], torque=tau[at + 3 : at + 6])
        for at, name in zip(range(0, tau.size, BODY_VALUES), interface.bodies)
    }
    first = BODY_VALUES * (len(interface.bodies) + len(interface.observed))
    efforts = {name: float(tau[first + i]) for i, name in enumerate(interface.joints)}
    return Actuation(wrenches=wrenches, efforts=efforts)


def control_over_link(
    controller: UserController, connect: Callable[[], RobotLink], duration: float
) -> Result:
    """Run a controller against a system behind a link for a duration [s] and return what it measured.

    The period of the controller must be a whole number of cycles of the link. A lost link and a system that fell back
    end the run; the log until then is returned.
    """
    with connect() as link:
        cycles = _cycles(controller, link)
        ending = EndingLink(link)
        started = time.perf_counter()
        log = _sample_until(controller, ending, cycles, duration)
        wall = time.perf_counter() - started
    span = log[-1].t
    message = f"The controller ran over a link for {span:.6g} s."
    if ending.end is not None:
        message = f"{ending.why} What happened until {span:.6g} s is kept."
    result = Result(
        scenario=type(controller).__name__,
        outcome="completed" if ending.end is None else ending.end.value,
        message=message,
        completed=ending.end is None,
        valid="unknown",
        metrics={},
        audit=Audit(linear_momentum_drift=None, angular_momentum_drift=None, energy_residual=None),
        timing=Timing(simulated_s=span, wall_s=wall, steps=len(log), evaluations=0),
        history=History(time=np.array([entry.t for entry in log]), channels=_channels(log)),
    )
    return with_link_metrics(result, link.statistics) if isinstance(link, RemoteLink) else result


def _cycles(controller: UserController, link: RobotLink) -> int:
    """Return the number of cycles of the link in one period of the controller; check the number of values."""
    check_controller(controller)
    ratio = controller.period / link.period
    cycles = round(ratio)
    if cycles < 1 or abs(ratio - cycles) > PERIOD_TOLERANCE * ratio:
        message = f"Must be a multiple of the cycle of the link, {link.period:g} s."
        raise InputError(message, field="controller.period", given=f"{controller.period:g} s")
    interface = controller.interface
    expected = BODY_VALUES * (len(interface.bodies) + len(interface.observed)) + len(interface.joints)
    if link.limits.joints != expected:
        message = f"The system behind the link has {link.limits.joints} values, the interface {expected}."
        raise InputError(message, field="controller.interface")
    return cycles


def _sample_until(
    controller: UserController, link: EndingLink, cycles: int, duration: float
) -> list[Measurement]:
    """Sample a controller for a duration [s]; returns its measurements, with the time from the first one."""
    interface = controller.interface
    state = link.cycle(monitor(link.limits.joints))
    start, held = state.t, state.q
    none = np.zeros(len(held))
    log = [unpack_measurement(interface, 0.0, state.q, state.qdot)]
    while log[-1].t < duration * (1.0 - PERIOD_TOLERANCE):
        actuation = controller.sample(log[-1])
        check_actuation(interface, actuation)
        tau = pack_actuation(interface, actuation)
        command = Command(q=held, stiffness=none, damping_ratio=none, tau_ff=tau, low_impedance=True)
        for _ in range(cycles):
            before, state = state, link.cycle(command)
            if state.refusal is not None and link.end is None:
                raise InputError(state.refusal.value, field="controller", given=str(tau.tolist()))
        if link.end is not None or state.t <= before.t:
            break
        log.append(unpack_measurement(interface, state.t - start, state.q, state.qdot))
    return log


def _channels(log: list[Measurement]) -> dict[str, Channel]:
    """Return the measurements as channels with the names of a multibody run."""
    channels = {}
    for name in log[0].bodies:
        motions = [entry.bodies[name] for entry in log]
        rows = np.array([np.concatenate([m.p, m.wxyz, m.v, m.w]) for m in motions])
        for k, (channel, unit) in enumerate(FIELDS.items()):
            channels[f"{name}.{channel}"] = Channel(values=rows[:, k], unit=unit)
    for name in log[0].joints:
        positions = np.array([entry.joints[name].position[0] for entry in log])
        channels[f"{name}.joint"] = Channel(values=positions, unit="")
    return channels
