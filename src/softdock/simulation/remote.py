"""Carry out the experiment of a scenario on a robot behind a link, in real time."""

import time
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import InputError
from softdock.result import Audit, Channel, History, Result, Timing
from softdock.result.requirements import with_requirements
from softdock.robot.experiment import Log
from softdock.robot.fri_link import FriLink
from softdock.robot.link import Command, LinkLostError, Refusal, RobotLink, RobotState, approach
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_statistics import ClientStatistics
from softdock.robot.simulated_robot import SimulatedRobot
from softdock.robot.torque_log import TorqueLog
from softdock.scenario.robot import RobotScenario
from softdock.simulation.robot import Setup, simulated_robot
from softdock.simulation.robot_log import add_log

START_TOLERANCE = 0.02
"""Distance from the start at which an experiment may begin [rad]."""
UNLIMITED_STEPS = 10**15
"""Steps of a robot that is served until it is stopped."""
STIFFNESSES = [400.0 / 2**i for i in range(20)]
"""[N m/rad] Tried in this order for a robot without a scenario; the first that its joints allow is used."""


def run_on_robot(scenario: RobotScenario, connect: Callable[[], RobotLink]) -> Result:
    """Move the robot to the start, perform the moves and return what it reported.

    The plan is made for the period of the link, without a connection to the robot. A lost link and a robot that falls
    back to holding its position end the run; the log until then is returned.
    """
    with connect() as link:
        period, joints = link.period, link.limits.joints
    setup = Setup(_with_period(scenario, period))
    if setup.arm.joints != joints:
        message = f"The arm of the scenario has {setup.arm.joints} joints and the robot {joints}."
        raise InputError(message, field="arm.file", given=scenario.arm.file)
    for i, move in enumerate(scenario.moves):
        if move.grip or move.release:
            message = "A robot behind a link has no gripper that this protocol switches."
            raise InputError(message, field=f"moves.{i}.{'grip' if move.grip else 'release'}")
    experiment = setup.experiment()
    zero = np.zeros(setup.arm.joints)
    first = Command(q=setup.start, stiffness=setup.stiffness, damping_ratio=setup.damping_ratio, tau_ff=zero)
    with connect() as link:
        begun = approach(link, first, START_TOLERANCE)
        ending_link = EndingLink(link)
        started = time.perf_counter()
        log = experiment.run(ending_link)
        wall = time.perf_counter() - started
    log = replace(log, t=log.t - begun.t, refusals=tuple((t - begun.t, why) for t, why in log.refusals))
    base = _base(setup, log, ending_link, wall)
    result = with_requirements(setup.scenario, add_log(base, setup, log, TorqueLog.of_cycles(log)))
    if not isinstance(link, RemoteLink | FriLink):
        return result
    return with_link_metrics(result, link.statistics)


def served_robot(name: str) -> SimulatedRobot:
    """Return the robot of a scenario of kind robot, or a robot alone by its URDF file or bundled name."""
    from softdock.robot.bundled import bundled_robots
    from softdock.scenario.loading import load

    if name in bundled_robots() or name.lower().endswith(".urdf"):
        scenario = standalone_robot(name)
    else:
        loaded = load(name)
        if not isinstance(loaded, RobotScenario):
            message = "Only a scenario of kind robot has a robot to serve."
            raise InputError(message, field="kind", given=loaded.kind)
        scenario = loaded
    integrator = scenario.integrator.model_copy(update={"max_steps": UNLIMITED_STEPS})
    return simulated_robot(scenario.model_copy(update={"integrator": integrator}))


def standalone_robot(name_or_file: str) -> RobotScenario:
    """Return a scenario of a robot alone, fixed to the ground, without gravity."""
    from softdock.scenario.loading import from_data

    for stiffness in STIFFNESSES:
        data = {
            "kind": "robot",
            "arm": {"file": name_or_file},
            "control": {"stiffness": stiffness},
            "moves": [{"wait": 1.0}],
        }
        scenario = from_data(data, name=Path(name_or_file).stem)
        assert isinstance(scenario, RobotScenario)
        try:
            Setup(scenario).experiment()
        except InputError as error:
            if stiffness > STIFFNESSES[-1] and error.problems[0].field == "control.stiffness":
                continue
            raise
        return scenario
    raise AssertionError("the last stiffness returns or raises")


def _with_period(scenario: RobotScenario, period: float) -> RobotScenario:
    torque_period = min(scenario.control.torque_period, period)
    control = scenario.control.model_copy(update={"period": period, "torque_period": torque_period})
    return scenario.model_copy(update={"control": control})


class RemoteEnding(Enum):
    """Why an experiment behind a link ended before its plan did."""

    LINK_LOST = "link-lost"
    FELL_BACK = "fell-back"


class EndingLink:
    """A link that repeats its last state once it is lost or the robot fell back, so that the experiment ends."""

    def __init__(self, link: RobotLink) -> None:
        self._link = link
        self._last: RobotState | None = None
        self.end: RemoteEnding | None = None
        self.why = ""

    def cycle(self, command: Command) -> RobotState:
        """Send a command and return the state."""
        try:
            state = self._link.cycle(command)
        except LinkLostError as error:
            if self._last is None:
                raise
            self.end, self.why = RemoteEnding.LINK_LOST, str(error)
            return self._last
        if state.refusal is Refusal.FELL_BACK and self._last is not None:
            self.end, self.why = RemoteEnding.FELL_BACK, state.refusal.value
            return self._last
        self._last = state
        return state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._link, name)


def with_link_metrics(result: Result, statistics: ClientStatistics) -> Result:
    """Return a result with latency, jitter and losses of the link among its metrics."""
    metrics = {
        "link_latency_median": statistics.latency.percentile(0.5),
        "link_latency_p99": statistics.latency.percentile(0.99),
        "link_jitter": statistics.interval.deviation,
        "link_lost_share": statistics.states.to_json()["lost_share"],
    }
    units = {name: "s" for name in metrics if not name.endswith("share")}
    return replace(result, metrics={**result.metrics, **metrics}, units={**result.units, **units})


def _base(setup: Setup, log: Log, ending_link: EndingLink, wall: float) -> Result:
    span = float(log.t[-1]) if len(log.t) else 0.0
    done = f"The experiment was carried out on a robot behind a link, {span:.6g} s."
    channels = {
        f"{body}.joint": Channel(
            values=log.q[:, k],
            unit="rad" if setup.description.moving[setup.order[k]].motion.is_rotary else "m",
        )
        for k, body in enumerate(setup.arm.bodies)
    }
    return Result(
        scenario=setup.scenario.name,
        outcome="completed" if ending_link.end is None else ending_link.end.value,
        message=done
        if ending_link.end is None
        else f"{ending_link.why} What happened until {span:.6g} s is kept.",
        completed=ending_link.end is None,
        valid="unknown",
        metrics={},
        audit=Audit(linear_momentum_drift=None, angular_momentum_drift=None, energy_residual=None),
        timing=Timing(simulated_s=span, wall_s=wall, steps=len(log.t), evaluations=0),
        history=History(time=log.t, channels=channels),
        definition=setup.scenario.to_data(),
        directory=str(setup.scenario.directory.absolute()),
    )
