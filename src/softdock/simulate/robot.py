"""Run a scenario of kind `robot`: an experiment drives a simulated arm through a link."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem
from softdock.model.joints import quaternion
from softdock.result import Channel, Event, History, Result
from softdock.robot.arm import Arm, build_arm
from softdock.robot.bodies import body_name, joint_limits
from softdock.robot.experiment import Experiment, Log
from softdock.robot.impedance import Compensation, check_sampling
from softdock.robot.link import Limits
from softdock.robot.link_local import LocalLink
from softdock.robot.plan import Move, Pace, Planner
from softdock.robot.simulated_robot import Drives, Friction, SimulatedRobot
from softdock.robot.trajectory import Bounds
from softdock.robot.urdf import Description
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.robot import RobotScenario, spread
from softdock.simulate.multibody import PreparedMultibody
from softdock.simulate.real_time import RealTime
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_quaternion

Floats = NDArray[np.float64]
MAX_DURATION = 86400.0  # [s], one day; of a robot without an experiment
AT_REST = 1e-3
"""Speed over the highest speed below which a joint is at rest."""
PUSHING = 0.01
"""Share of the largest external torque of the run above which the arm pushes."""


class PreparedRobot:
    """An experiment with a robot, prepared to run."""

    def __init__(self, scenario: RobotScenario) -> None:
        self.scenario = scenario
        self.setup = Setup(scenario)

    def simulate(self, real_time: RealTime | None = None, *, for_prediction: bool = False) -> Result:
        """Run the experiment and return what happened."""
        # A simulated arm may be as soft as its scenario says; a robot behind a link may not.
        experiment = replace(self.setup.experiment(), low_impedance=True)
        prepared = self.setup.prepare(experiment.plan.duration)
        robot = self.setup.robot(prepared)
        with LocalLink(robot, self.scenario.control.period) as link:
            log = experiment.run(link)
        return add_log(prepared.result(robot.session.finish()), self.setup, log)

    def predict(self) -> None:
        """Return None: no theory covers experiments with robots."""
        return


def simulated_robot(scenario: RobotScenario) -> SimulatedRobot:
    """Return the robot of a scenario at its start, without an experiment, to be commanded through a link."""
    setup = Setup(scenario)
    return setup.robot(setup.prepare(MAX_DURATION, record=False))


class Setup:
    """Model of the arm, its limits and the whole system of a scenario."""

    def __init__(self, scenario: RobotScenario) -> None:
        self.scenario = scenario
        self.whole: MultibodyScenario = scenario.whole()
        self.description: Description = scenario.read_arm()
        moving = [body_name(joint.child) for joint in self.description.moving]
        self.arm: Arm = build_arm(self.whole.at_start().bodies, body_name(self.description.root), moving)
        # The arm's order of joints is that of the simulation; the file's may differ where the tree has branches.
        self.order = [moving.index(name) for name in self.arm.bodies]
        self.joints = [body_name(self.description.moving[i].name) for i in self.order]
        n = self.arm.joints
        self.stiffness = spread(scenario.control.stiffness, n)[self.order]
        self.damping_ratio = spread(scenario.control.damping_ratio, n)[self.order]
        self.start = self._ordered(scenario.arm.start or (0.0,) * n)
        self.limits = self._limits()

    def _ordered(self, values: tuple[float, ...]) -> Floats:
        return np.asarray(values, float)[self.order]

    def _limits(self) -> Limits:
        limits = joint_limits(self.description)
        chosen = {
            key: getattr(limits, key)[self.order]
            for key in ("q_min", "q_max", "speed", "torque", "stiffness")
        }
        chosen["stiffness"] = np.maximum(chosen["stiffness"], self.stiffness)
        return Limits(**chosen, hold_stiffness=self.stiffness)

    @property
    def tool(self) -> tuple[str, Pose]:
        """Frame whose origin follows straight lines: a body and the pose of the frame on it."""
        tool = self.scenario.tool
        if tool is None:
            return body_name(self.description.ordered()[-1].child), Pose.identity()
        if tool.body not in self.arm.assembly.placed:
            raise InputError(
                Problem(
                    message="The tool must be a link of the arm or be fixed to one.",
                    field="tool.body",
                    given=tool.body,
                )
            )
        return tool.body, tool.pose()

    def experiment(self) -> Experiment:
        """Plan the moves; raises InputError for unreachable goals and unstable control."""
        s = self.scenario
        self._check_sampling(self.start)
        planner = Planner(self.arm, self.tool, self.limits, self._pace(), s.control.period, self.start)
        plan = planner.plan([self._move(i) for i in range(len(s.moves))])
        for _, end, _ in plan.moves:
            self._check_sampling(plan.q[max(0, round(end / plan.period) - 1)])
        cycles = round((s.duration or plan.duration) / plan.period)
        final = np.repeat(plan.q[-1:], max(0, cycles - len(plan.q)), axis=0)
        plan = replace(plan, q=np.concatenate([plan.q, final])[:cycles])
        return Experiment(plan=plan, stiffness=self.stiffness, damping_ratio=self.damping_ratio)

    def _check_sampling(self, q: Floats) -> None:
        """Raise InputError for a stiffness that sampled control cannot damp in this posture."""
        check_sampling(
            self.arm.effective_mass_matrix(q),
            self.stiffness,
            self.damping_ratio,
            self.scenario.control.torque_period,
            tuple(self.joints),
        )

    def prepare(self, duration: float, record: bool = True) -> PreparedMultibody:
        """Return the whole system, prepared for a run of a duration [s]."""
        whole = self.whole.model_copy(update={"duration": duration})
        if not record:
            whole = whole.model_copy(update={"record": whole.record.model_copy(update={"rate": 0.0})})
        prepared = PreparedMultibody(whole)
        prepared.check_start()
        return prepared

    def robot(self, prepared: PreparedMultibody) -> SimulatedRobot:
        """Return the simulated robot at its start."""
        drives = Drives(
            limits=self.limits,
            torque_period=self.scenario.control.torque_period,
            compensation=Compensation(self.scenario.control.compensation),
            gravity=self.scenario.gravity,
            friction=self._friction(),
        )
        return SimulatedRobot(prepared.simulation, self.arm, drives)

    def _friction(self) -> Friction | None:
        joints = [self.description.moving[i] for i in self.order]
        viscous, coulomb = (np.array([getattr(j, key) for j in joints]) for key in ("damping", "friction"))
        if not viscous.any() and not coulomb.any():
            return None
        return Friction(viscous=viscous, coulomb=coulomb, speed=self.scenario.friction_speed)

    def _pace(self) -> Pace:
        p = self.scenario.pace
        return Pace(
            line=Bounds(speed=p.speed, acceleration=p.acceleration, jerk=p.jerk),
            attitude=Bounds(speed=p.turn_rate, acceleration=p.turn_acceleration, jerk=p.turn_jerk),
            joint=Bounds(speed=p.joint_speed, acceleration=p.joint_acceleration, jerk=p.joint_jerk),
        )

    def _move(self, i: int) -> Move:
        m = self.scenario.moves[i]
        return Move(
            joints=None if m.joints is None else self._ordered(m.joints),
            to=None if m.to is None else np.asarray(m.to, float),
            by=None if m.by is None else np.asarray(m.by, float),
            R=None if m.attitude is None else matrix_from_quaternion(quaternion(m.attitude)),
            start=m.start,
            duration=m.duration,
            wait=m.wait,
        )


def add_log(base: Result, setup: Setup, log: Log) -> Result:
    """Add the log of an experiment to a result: channels, metrics and refusals."""
    refusals = tuple(
        Event(time=t, name="command-refused", message=refusal.value) for t, refusal in log.refusals
    )
    events = tuple(sorted([*base.events, *refusals], key=lambda event: event.time))
    metrics, units = _metrics(setup, log)
    message = base.message
    if log.refused:
        message += f" The robot refused {log.refused} commands: {log.refusals[0][1].value}"
    return replace(
        base,
        scenario=setup.scenario.name,
        message=message,
        metrics={**base.metrics, **metrics},
        units={**base.units, **units},
        events=events,
        history=_history(base.history, setup, log),
    )


def _history(history: History, setup: Setup, log: Log) -> History:
    """Add the log to a history: the command in force at each instant and the last measured values."""
    if not len(log.t):
        return history
    commanded = np.minimum(np.searchsorted(log.t, history.time - 1e-9), len(log.t) - 1)
    measured = np.maximum(np.searchsorted(log.t, history.time + 1e-9, side="right") - 1, 0)
    channels = dict(history.channels)
    for k, (name, joint) in enumerate(zip(setup.joints, setup.order)):
        rotary = setup.description.moving[joint].motion.is_rotary
        angle, torque = ("rad", "N*m") if rotary else ("m", "N")
        position = history[f"{setup.arm.bodies[k]}.joint"]
        channels[f"{name}.position"] = Channel(values=position, unit=angle)
        for what, values, unit, row in (
            ("command", log.command, angle, commanded),
            ("torque", log.tau_measured, torque, measured),
            ("external_torque", log.tau_external, torque, measured),
        ):
            channels[f"{name}.{what}"] = Channel(values=values[row, k], unit=unit)
        channels[f"{name}.difference"] = Channel(
            values=channels[f"{name}.command"].values - position, unit=angle
        )
    return History(time=history.time, channels=channels)


def _metrics(setup: Setup, log: Log) -> tuple[Mapping[str, float | int | None], Mapping[str, str]]:
    """Return tracking errors, peak torques, used shares of the limits and the static residual, with units."""
    metrics: dict[str, float | int | None] = {}
    units: dict[str, str] = {}
    for k, name in enumerate(setup.joints):
        rotary = setup.description.moving[setup.order[k]].motion.is_rotary
        flat = name.replace("-", "_")
        for what, values, unit in (
            ("tracking_error_max", log.command[:, k] - log.q[:, k], "rad" if rotary else "m"),
            ("peak_torque", log.tau_measured[:, k], "N*m" if rotary else "N"),
            ("peak_external_torque", log.tau_external[:, k], "N*m" if rotary else "N"),
        ):
            metrics[f"{what}_{flat}"] = float(np.abs(values).max(initial=0.0))
            units[f"{what}_{flat}"] = unit
    metrics["torque_used"] = float(np.abs(log.tau_measured / setup.limits.torque).max(initial=0.0))
    metrics["speed_used"] = float(np.abs(log.qdot / setup.limits.speed).max(initial=0.0))
    metrics["static_residual"] = static_residual(setup, log)
    metrics["refused_commands"] = log.refused
    return metrics, units


def static_residual(setup: Setup, log: Log) -> float | None:
    """Return the relative residual of static equilibrium where the arm pushes at rest; None if it never does.

    At rest the joint torques balance gravity and the contact force: tau = g(q) + J^T f; Eq. (A19).
    """
    pushing = np.linalg.norm(log.tau_external, axis=1)
    resting = (np.abs(log.qdot) < AT_REST * setup.limits.speed).all(axis=1)
    rows = np.flatnonzero(resting & (pushing > PUSHING * pushing.max(initial=0.0)))
    if not len(rows):
        return None
    row = rows[np.argmax(pushing[rows])]
    gravity = setup.arm.X_NB.R.T @ np.asarray(setup.scenario.gravity)
    contact_torque = log.tau_measured[row] - setup.arm.gravity_torque(log.q[row], gravity)
    return float(np.linalg.norm(contact_torque - log.tau_external[row]) / pushing[row])
