"""Robots and experiments shared by the tests of links."""

import numpy as np

from softdock.robot.link import Array, Command, JointLimits, RobotLink, RobotMode, RobotState
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import RobotServer
from softdock.robot.simple_robots import IndependentJoints
from softdock.robot.simulated_network import Conditions, SimulatedNetwork

JOINTS = 3
START = np.array([0.1, -0.2, 0.3])  # rad
IDEAL_CONDITIONS = Conditions()
"""A network without faults."""


def limits(joints: int = JOINTS) -> JointLimits:
    one = np.ones(joints)
    return JointLimits(
        q_min=-2.0 * one,
        q_max=2.0 * one,
        speed=1.5 * one,
        torque=50.0 * one,
        stiffness=2000.0 * one,
        hold_stiffness=500.0 * one,
    )


def robot(q: Array = START) -> IndependentJoints:
    return IndependentJoints(limits(len(q)), inertia=np.full(len(q), 0.5), q=q)


def command(q: Array, **changes: object) -> Command:
    one = np.ones(len(q))
    given = {"q": q, "stiffness": 800.0 * one, "damping_ratio": 0.7 * one, "tau_ff": 0.0 * one}
    return Command(**(given | changes))  # type: ignore[arg-type]


def serve_robot(
    conditions: Conditions = IDEAL_CONDITIONS, period: float = 1e-3, **options: float
) -> tuple[SimulatedNetwork, RemoteLink]:
    network = SimulatedNetwork(RobotServer(robot(), period, **options), conditions)
    return network, RemoteLink(network.transport())


def move_sinusoidally(
    link: RobotLink, cycles: int, amplitude: float = 0.2, frequency: float = 1.0
) -> list[RobotState]:
    """Move every joint sinusoidally from rest and return the states."""
    states = []
    for i in range(1, cycles + 1):
        angle = amplitude * 0.5 * (1.0 - np.cos(2.0 * np.pi * frequency * i * link.period))
        states.append(link.cycle(command(START + angle)))
        if states[-1].mode is RobotMode.MONITOR and i > 20:
            break
    return states
