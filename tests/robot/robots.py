"""Robots for tests, from URDF."""

from importlib import resources
from pathlib import Path

import numpy as np

from softdock.assembly.assembler import assemble
from softdock.dynamics.settings import Settings
from softdock.dynamics.simulation import Simulation
from softdock.model.system import System
from softdock.robot.arm import Arm, build_arm
from softdock.robot.bodies import body_name, build_bodies, joint_limits
from softdock.robot.link import Command
from softdock.robot.simulated_robot import Drives, SimulatedRobot
from softdock.robot.urdf import Description, read_urdf
from softdock.tree.joints import Fixed, Free

LWR = Path(str(resources.files("softdock.robot") / "bundled" / "lwr4plus.urdf"))
GRAVITY = np.array([0.0, 0.0, -9.81])
BENT = np.radians([0.0, 30.0, 0.0, -60.0, 0.0, 90.0, 0.0])

LINK = """<link name="{name}"><inertial><origin xyz="{x} {y} 0.1" rpy="0.3 -0.2 {y}"/><mass value="{mass}"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial></link>"""
JOINT = """<joint name="{name}" type="{kind}"><origin xyz="0.1 0 0.3" rpy="0.4 0.5 -0.6"/><parent link="{parent}"/>
<child link="{child}"/><axis xyz="{axis}"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint>"""


def branched() -> str:
    """Return two fingers on a prismatic, a revolute and a continuous joint, with a fixed plate."""
    return _robot(
        "branched",
        ("slide", "prismatic", "base", "0.6 0 0.8"),
        ("turn", "continuous", "slide", "0 1 0"),
        ("plate", "fixed", "turn", "1 0 0"),
        ("left", "revolute", "plate", "0 0 -1"),
        ("right", "revolute", "plate", "1 2 2"),
    )


def telescopic() -> str:
    """Return an arm whose reach changes: a prismatic joint between two revolute ones."""
    return _robot(
        "telescopic",
        ("shoulder", "revolute", "base", "0 1 0"),
        ("boom", "prismatic", "shoulder", "1 0 0"),
        ("wrist", "revolute", "boom", "0.6 0 0.8"),
    )


def _robot(title: str, *moving: tuple[str, str, str, str]) -> str:
    """Return a robot with a link for every joint: name, type, parent and axis."""
    links = "".join(
        LINK.format(name=name, x=0.1 * i, y=-0.2 * i, mass=1.0 + i)
        for i, name in enumerate(["base", *(child for child, *_ in moving)])
    )
    joints = "".join(
        JOINT.format(name=f"j_{child}", kind=kind, parent=parent, child=child, axis=axis)
        for child, kind, parent, axis in moving
    )
    return f'<robot name="{title}">{links}{joints}</robot>'


def arm(robot: Description, mount: Fixed | Free | None = None) -> Arm:
    bodies = build_bodies(robot, mount=mount)
    return build_arm(bodies, body_name(robot.root), [body_name(j.child) for j in robot.moving])


def simulated_arm(start=BENT, gravity=GRAVITY, mount=None, duration=60.0, **drives) -> SimulatedRobot:
    robot = read_urdf(LWR)
    bodies = build_bodies(robot, start=start, mount=mount)
    system = System(bodies=bodies, gravity=tuple(gravity))
    simulation = Simulation(assembly=assemble(system), settings=Settings(duration=duration, record_rate=0.0))
    model = build_arm(bodies, "base", [body_name(j.child) for j in robot.moving])
    limits = drives.pop("limits", joint_limits(robot))
    return SimulatedRobot(simulation, model, Drives(limits=limits, gravity=tuple(gravity), **drives))


def command(q, stiffness=200.0, ratio=0.7, tau_ff=0.0) -> Command:
    ones = np.ones(len(q))
    return Command(
        q=np.asarray(q, float), stiffness=stiffness * ones, damping_ratio=ratio * ones, tau_ff=tau_ff * ones
    )
