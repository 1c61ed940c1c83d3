"""Robots, real or simulated: arms, joint stiffness control, and the links that experiments speak to."""


def warm_up() -> None:
    """Compile or load all kernels of this room by one evaluation of a small arm."""
    import numpy as np

    from softdock.multibody.assemble import assemble
    from softdock.multibody.joints import Revolute
    from softdock.multibody.run import Simulation
    from softdock.multibody.settings import Settings
    from softdock.multibody.system import Body, System
    from softdock.robot.arm import arm_of
    from softdock.robot.link import Command, Limits
    from softdock.robot.simulated import Drives, SimulatedRobot

    system = System(bodies={"link": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Revolute())})
    simulation = Simulation(assembly=assemble(system), settings=Settings(duration=1.0, record_rate=0.0))
    one = np.ones(1)
    limits = Limits(q_min=-one, q_max=one, speed=one, torque=one, stiffness=one)
    robot = SimulatedRobot(simulation, arm_of(system.bodies, "link", ["link"]), Drives(limits=limits))
    robot.advance(Command(q=one, stiffness=one, damping_ratio=one, tau_ff=one), 1e-3)
    robot.state()
    robot.arm.pose(one, "link")
