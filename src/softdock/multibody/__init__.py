"""Trees of bodies with joints, springs, drives and events."""


def warm_up() -> None:
    """Compile or load all kernels of this room by one short run."""
    from softdock.multibody.assemble import assemble
    from softdock.multibody.run import Simulation
    from softdock.multibody.settings import Settings
    from softdock.multibody.system import Body, System

    ball = Body(mass=1.0, inertia=(1.0, 1.0, 1.0))
    Simulation(assembly=assemble(System(bodies={"ball": ball})), settings=Settings(duration=1e-3)).run()
