"""Simulated robot: an arm in a multibody simulation under joint impedance control, with the interface of a real one."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.session import Session
from softdock.dynamics.simulation import Simulation
from softdock.robot.arm import Arm, eliminate_base
from softdock.robot.entry_points import follow_command, joint_loads
from softdock.robot.force_sensor import ForceSensor, SensorProperties, new_sensor_periods
from softdock.robot.impedance import Compensation, TaskDesign, damping_matrix, design_task
from softdock.robot.kernels.control import (
    CUBIC_COMMAND,
    DYNAMICS_COMPENSATION,
    GRAVITY_COMPENSATION,
    HOLD_COMMAND,
    LINEAR_COMMAND,
    NO_COMPENSATION,
    TORQUE_CYCLE,
    ImpedanceLaw,
    TorquePeriods,
)
from softdock.robot.kernels.force_sensor import SensorPeriods
from softdock.robot.kernels.task import BASE_AXES, TOOL_AXES, TaskLaw
from softdock.robot.link import CartesianImpedance, Command, JointLimits, RobotMode, RobotState
from softdock.robot.torque_log import TorqueLog
from softdock.robot.trajectory import Interpolation
from softdock.tree.kernels.tree import records

Floats = NDArray[np.float64]
COMPENSATION_CODES = {
    Compensation.NONE: NO_COMPENSATION,
    Compensation.GRAVITY: GRAVITY_COMPENSATION,
    Compensation.DYNAMICS: DYNAMICS_COMPENSATION,
}
INTERPOLATION_CODES = {
    Interpolation.HOLD: HOLD_COMMAND,
    Interpolation.LINEAR: LINEAR_COMMAND,
    Interpolation.CUBIC: CUBIC_COMMAND,
}


@dataclass(frozen=True, kw_only=True, eq=False)
class JointFriction:
    """Friction of all joints; arrays (joints,)."""

    viscous: Floats
    """[N m s/rad or N s/m]"""
    coulomb: Floats
    """[N m or N]"""
    speed: float
    """Speed below which Coulomb friction is smoothed [rad/s or m/s]."""

    def torque(self, qdot: Floats) -> Floats:
        """Return the friction torques, subtracted from those of the motors; Eq. (A20)."""
        return self.viscous * qdot + self.coulomb * qdot / np.hypot(qdot, self.speed)


@dataclass(frozen=True, kw_only=True, eq=False)
class SensorPlace:
    """A force-torque sensor in a fixed mount."""

    reaction: int
    """Row of the reaction of the mount."""
    frame: Floats
    """(12,) rotation and origin of the sensor in the frame of the mount [m]."""
    properties: SensorProperties


@dataclass(frozen=True, kw_only=True, eq=False)
class Drives:
    """Joint drives and controller settings of the robot."""

    limits: JointLimits
    torque_period: float = 1e-3
    """Sampling period of the torque controller [s]."""
    compensation: Compensation = Compensation.DYNAMICS
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Gravity assumed by the controller, in the world [m/s2]."""
    friction: JointFriction | None = None
    """Joint friction between motors and torque sensors; None without friction."""
    interpolation: Interpolation = Interpolation.HOLD
    """How commands change within a cycle; the default is what most robots behind a link do."""
    log_torques: bool = False
    """Whether all torque periods are kept for `torque_log`."""
    sensor: SensorPlace | None = None
    """Force-torque sensor of the tool."""


class SimulatedRobot:
    """A robot in a multibody simulation; implements `softdock.robot.link.Robot`.

    Its torques are `tau = k (q_cmd - q) - D qdot + tau_ff + compensation` within the limits of torque and speed; D is
    recomputed with every command for the present posture. Torques are constant for `torque_period`, and so is q_cmd,
    which is interpolated over the cycle or holds for all of it.
    """

    def __init__(self, simulation: Simulation, arm: Arm, drives: Drives) -> None:
        self.arm, self.drives = arm, drives
        self.session: Session = simulation.begin()
        coordinates = [simulation.assembly.joints[name] for name in arm.bodies]
        self._n_q = int(simulation.assembly.world[0].n_q)
        self._at_q = np.array([joint.at_q for joint in coordinates])
        self._at_u = np.array([joint.at_u for joint in coordinates])
        links = simulation.assembly.links
        self._moved = np.array(
            [np.flatnonzero((links.at_u == at) & (links.rows > 0))[0] for at in self._at_u]
        )
        system, self._loads, self._work = self.session.system, np.zeros(arm.joints), np.zeros((len(links), 6))
        self._read_loads = joint_loads.bind(system, self._moved, self._work, self._loads)
        self._q, self._qdot, self._tau = np.zeros((3, arm.joints))
        self._gravity = arm.X_NB.R.T @ np.asarray(drives.gravity)
        self._period = drives.torque_period
        self._place = drives.sensor
        self.force_sensor = None if self._place is None else ForceSensor(self._place.properties, self._period)
        self._wrench: Floats | None = None
        self._readings: list[Floats] = []
        self._last: RobotState | None = None
        self._at_rest = np.zeros(arm.joints)
        self._cycle = records(1, TORQUE_CYCLE)
        self._cycle.run_end = self.session.duration
        self._start = self._joints()[0]
        self._law = self._new_law()
        self._task = new_task_law(arm.joints)
        self._periods = self._new_periods(1)
        self._sensor = self._new_sensor(1)
        self._logged: list[TorquePeriods] = []
        self._command: Command | None = None
        self._bind()

    @property
    def limits(self) -> JointLimits:
        """Limits of the robot."""
        return self.drives.limits

    @property
    def ended(self) -> bool:
        """Whether the simulation has ended; the robot then stands still."""
        return self.session.ending is not None

    def advance(self, command: Command, duration: float) -> None:
        """Follow a command for a duration [s]."""
        periods = max(1, round(duration / self._period))
        self._set_law(command, duration / periods)
        self._set_course(command)
        if periods > len(self._periods.t):
            self._periods, self._sensor = self._new_periods(periods), self._new_sensor(periods)
            self._bind()
        cycle = self._cycle[0]
        cycle.begin, cycle.duration, cycle.periods = self.session.time, duration, periods
        cycle.done = cycle.held = 0
        self._advance()
        self._read_sensor(int(cycle.done))
        if self.drives.log_torques:
            done = self._periods._replace(work=self._work[:0])
            self._logged.append(TorquePeriods(*(rows[: cycle.done].copy() for rows in done)))

    def state(self) -> RobotState:
        """Return the measured state."""
        if self._last is not None and self._last.t == self.session.time:
            return self._last
        q, qdot = self._joints()
        self._last = RobotState(
            t=self.session.time,
            q=q,
            qdot=qdot,
            tau_measured=self._measured(self._tau, qdot),
            tau_external=self._external(),
            mode=RobotMode.COMMAND,
            wrench=self._wrench,
        )
        return self._last

    def _read_sensor(self, periods: int) -> None:
        """Read the force-torque sensor in the torque periods of the cycle that has ended."""
        if self.force_sensor is None or not periods:
            return
        borne = self._sensor
        rows = self.force_sensor.read(borne.load[:periods], borne.inertia[:periods], borne.weight[:periods])
        self._wrench = rows[-1].copy()
        if self.drives.log_torques:
            self._readings.append(rows)

    def sensor_log(self) -> Floats:
        """Return the readings of the force-torque sensor in all torque periods of `torque_log` (periods, 6)."""
        return np.concatenate([np.zeros((0, 6)), *self._readings])

    def _new_sensor(self, periods: int) -> SensorPeriods:
        place = self._place
        if place is None:
            return new_sensor_periods(periods)
        return new_sensor_periods(periods, place.reaction, place.frame)

    def torque_log(self) -> TorqueLog:
        """Return what happened in every torque period so far; needs `Drives.log_torques`."""
        none = self._new_periods(0)
        periods = TorquePeriods(*(np.concatenate(rows) for rows in zip(none, *self._logged)))
        return TorqueLog(
            start=0.0,
            t=periods.t,
            command_before=self._start,
            command=periods.command,
            interpolated=self.drives.interpolation is not Interpolation.HOLD,
            qdot=periods.qdot,
            torque_begin=self._measured(periods.tau, periods.qdot_begin),
            torque_end=self._measured(periods.tau, periods.qdot),
            external=periods.external,
        )

    def _measured(self, tau: Floats, qdot: Floats) -> Floats:
        """Return what the torque sensors measure for torques of the motors, at speeds of the joints."""
        return tau - (self.drives.friction.torque(qdot) if self.drives.friction else 0.0)

    def _joints(self) -> tuple[Floats, Floats]:
        y = self.session.state
        return y[self._at_q], y[self._n_q + self._at_u]

    def _set_law(self, command: Command, period: float) -> None:
        """Set the control law to a command, with the damping for the present posture; Eq. (A10)."""
        q, _ = self._joints()
        M = eliminate_base(self.arm.dynamics(q, self._at_rest, self._gravity).M, self.arm.floating)
        law = self._law
        law.stiffness[:], law.tau_ff[:] = command.stiffness, command.tau_ff
        self._task.active[0] = int(command.cartesian is not None)
        if command.cartesian is not None:
            self._set_task(command.cartesian, M, q)
        else:
            law.D[:] = damping_matrix(M, command.stiffness, command.damping_ratio)
        if period != law.period:
            self._law = law._replace(period=period)
            self._bind()

    def _set_task(self, asked: CartesianImpedance, M: Floats, q: Floats) -> None:
        """Set the Cartesian law, with the damping for the present posture."""
        task, design = self._task, design_cartesian(self.arm, asked, M, q)
        task.axes[0] = BASE_AXES if asked.in_base_axes else TOOL_AXES
        task.link[0], task.frame[:] = asked.link, asked.frame
        task.stiffness[:], task.null_stiffness[:] = asked.stiffness, asked.null_stiffness
        task.D[:], task.null_D[:] = design.D, design.null_D

    def _set_course(self, command: Command) -> None:
        """Set where the command begins and ends in this cycle, with the speeds there.

        A command that holds a position, as after a fallback, acts at once. One that is repeated, because the next one
        was refused, has no speed at its end.
        """
        law, speed = self._law, command.qdot
        chosen = self.drives.interpolation if command.mode is RobotMode.COMMAND else Interpolation.HOLD
        if chosen is Interpolation.CUBIC and speed is None:
            chosen = Interpolation.LINEAR
        law.q_begin[:], law.v_begin[:] = law.q_end, law.v_end
        law.q_end[:], law.v_end[:] = command.q, 0.0
        if speed is not None and command is not self._command:
            law.v_end[:] = speed
        self._cycle.interpolation, self._command = INTERPOLATION_CODES[chosen], command

    def _new_periods(self, periods: int) -> TorquePeriods:
        """Return memory for the torque periods of a cycle."""
        command, qdot_begin, qdot, tau, external = np.zeros((5, periods, self.arm.joints))
        return TorquePeriods(
            t=np.zeros(periods),
            command=command,
            qdot_begin=qdot_begin,
            qdot=qdot,
            tau=tau,
            external=external,
            work=self._work,
        )

    def _bind(self) -> None:
        """Pass arm, law and session to the kernel."""
        self._advance = self.session.controlled_advance(
            follow_command, self.arm.model, self.arm.motion, self._law, self._task, self._cycle,
            self._at_q, self._at_u, self._q, self._qdot, self._tau, self._moved, self._periods, self._sensor,
        )  # fmt: skip

    def _new_law(self) -> ImpedanceLaw:
        """Return the control law without a command."""
        n, limits = self.arm.joints, self.limits
        return ImpedanceLaw(
            q_cmd=np.zeros(n),
            q_begin=np.zeros(n),
            v_begin=np.zeros(n),
            q_end=self._start.copy(),
            v_end=np.zeros(n),
            stiffness=np.zeros(n),
            D=np.zeros((n, n)),
            tau_ff=np.zeros(n),
            external=np.zeros(n),
            max_torque=np.array(limits.torque, float),
            max_speed=np.array(limits.speed, float),
            gravity=self._gravity,
            compensation=COMPENSATION_CODES[self.drives.compensation],
            first=0 if self.arm.floating else 6,
            period=self._period,
            u=np.zeros(6 + n),
            zeros=np.zeros(6 + n),
            M=np.zeros((6 + n, 6 + n)),
            L=np.zeros((6 + n, 6 + n)),
            h=np.zeros(6 + n),
            weight=np.zeros(6 + n),
            a=np.zeros(6 + n),
            column=np.zeros(6 + n),
        )

    def _external(self) -> Floats:
        """Return the torques that the joints bear because of the surroundings: what the arm pushes with; Eq. (A19)."""
        self.session.evaluate()
        self._read_loads()
        return self._loads.copy()


def design_cartesian(arm: Arm, asked: CartesianImpedance, M: Floats, q: Floats) -> TaskDesign:
    """Return the damping of a Cartesian impedance at joint positions, with the effective mass matrix M there."""
    R_LT, p_LT = asked.frame[:9].reshape(3, 3), asked.frame[9:]
    J = arm.link_jacobian(q, asked.link, p_LT)
    if not asked.in_base_axes:
        R_BT = arm.motion.R[asked.link].reshape(3, 3) @ R_LT
        J = np.vstack([R_BT.T @ J[:3], R_BT.T @ J[3:]])
    return design_task(
        M, J, asked.stiffness, asked.damping_ratio, asked.null_stiffness, asked.null_damping_ratio
    )


def new_task_law(joints: int) -> TaskLaw:
    """Return a Cartesian law that is not in force."""
    n = joints
    return TaskLaw(
        active=np.zeros(1, np.int64),
        axes=np.zeros(1, np.int64),
        link=np.ones(1, np.int64),
        frame=np.array([*np.eye(3).ravel(), 0.0, 0.0, 0.0]),
        stiffness=np.zeros(6),
        D=np.zeros((6, 6)),
        null_stiffness=np.zeros(n),
        null_D=np.zeros((n, n)),
        commanded=np.zeros(12),
        J=np.zeros((6, n)),
        MJ=np.zeros((6, n)),
        mobility=np.zeros((6, 6)),
        factor=np.zeros((6, 6)),
        wrench=np.zeros(6),
        rate=np.zeros(6),
        inner=np.zeros(n),
        speed=np.zeros(n),
    )
