"""Robots to try things on, as URDF text."""

from importlib import resources
from pathlib import Path

import numpy as np

from softdock.assembly.assembler import assemble
from softdock.dynamics.settings import Settings
from softdock.dynamics.simulation import Simulation
from softdock.model.joints import Fixed, Free
from softdock.model.system import System
from softdock.robot.arm import Arm, arm_of
from softdock.robot.bodies import bodies_of, body_name, limits_of
from softdock.robot.link import Command
from softdock.robot.simulated import Drives, SimulatedRobot
from softdock.robot.urdf import Description, read_urdf

LWR = Path(str(resources.files("softdock.robot") / "bundled" / "lwr4plus.urdf"))
GRAVITY = np.array([0.0, 0.0, -9.81])
BENT = np.radians([0.0, 30.0, 0.0, -60.0, 0.0, 90.0, 0.0])

LINK = """<link name="{name}"><inertial><origin xyz="{x} {y} 0.1" rpy="0.3 -0.2 {y}"/><mass value="{mass}"/>
<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial></link>"""
JOINT = """<joint name="{name}" type="{kind}"><origin xyz="0.1 0 0.3" rpy="0.4 0.5 -0.6"/><parent link="{parent}"/>
<child link="{child}"/><axis xyz="{axis}"/><limit lower="-2" upper="2" effort="50" velocity="3"/></joint>"""


def branched() -> str:
    """Two fingers on a sliding, a turning and an endless joint, with a fixed plate between."""
    links = "".join(
        LINK.format(name=name, x=0.1 * i, y=-0.2 * i, mass=1.0 + i)
        for i, name in enumerate(("base", "slide", "turn", "plate", "left", "right"))
    )
    joints = "".join(
        JOINT.format(name=f"j_{child}", kind=kind, parent=parent, child=child, axis=axis)
        for child, kind, parent, axis in (
            ("slide", "prismatic", "base", "0.6 0 0.8"),
            ("turn", "continuous", "slide", "0 1 0"),
            ("plate", "fixed", "turn", "1 0 0"),
            ("left", "revolute", "plate", "0 0 -1"),
            ("right", "revolute", "plate", "1 2 2"),
        )
    )
    return f'<robot name="branched">{links}{joints}</robot>'


def arm(robot: Description, mount: Fixed | Free | None = None) -> Arm:
    bodies = bodies_of(robot, mount=mount)
    return arm_of(bodies, body_name(robot.root), [body_name(j.child) for j in robot.moving])


def simulated(start=BENT, gravity=GRAVITY, mount=None, duration=60.0, **drives) -> SimulatedRobot:
    robot = read_urdf(LWR)
    bodies = bodies_of(robot, start=start, mount=mount)
    system = System(bodies=bodies, gravity=tuple(gravity))
    simulation = Simulation(assembly=assemble(system), settings=Settings(duration=duration, record_rate=0.0))
    model = arm_of(bodies, "base", [body_name(j.child) for j in robot.moving])
    limits = drives.pop("limits", limits_of(robot))
    return SimulatedRobot(simulation, model, Drives(limits=limits, gravity=tuple(gravity), **drives))


def command(q, stiffness=200.0, ratio=0.7, tau_ff=0.0) -> Command:
    ones = np.ones(len(q))
    return Command(
        q=np.asarray(q, float), stiffness=stiffness * ones, damping_ratio=ratio * ones, tau_ff=tau_ff * ones
    )
