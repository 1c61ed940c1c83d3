"""07: Your own controller, in Python: the same class flies a simulated servicer here and one behind a UDP link.

A servicer with an arm moves to a point, turns to an attitude and stretches its arm, by feedback of what it measures.
The arm's motor acts against the hub, which the feedback of the attitude compensates.
"""

import threading

import numpy as np

from softdock import (
    Actuation,
    Body,
    ControlInterface,
    Free,
    Measurement,
    Revolute,
    Scenario,
    UserController,
    Wrench,
    simulate,
)
from softdock.robot.link_server import RobotServer
from softdock.robot.udp import UdpServer, connect
from softdock.simulation.control_link import ServedSystem, control_over_link

MASS, INERTIA = 50.0, 10.0  # kg, kg m2: of the hub
ARM_MASS, ARM_INERTIA = 0.5, 0.05  # kg, kg m2
OFFSET, ANGLE, STRETCHED = 0.4, 0.2, 1.0  # m, rad, rad
BANDWIDTH, DAMPING = 3.0, 0.8  # rad/s, 1
PERIOD, DURATION = 0.01, 3.0  # s


class Servicer(UserController):
    """Feedback of position, attitude and joint angle: every axis is a damped oscillator."""

    period = PERIOD
    interface = ControlInterface(bodies=("servicer",), joints=("arm",))

    def sample(self, measurement: Measurement) -> Actuation:
        hub, arm = measurement.bodies["servicer"], measurement.joints["arm"]
        k, d = BANDWIDTH**2, 2.0 * DAMPING * BANDWIDTH
        force = -MASS * (k * hub.p + d * hub.v)  # in the world, to its origin
        turn = 2.0 * np.sign(hub.wxyz[0]) * hub.wxyz[1:]  # rotation vector of a small angle, body axes
        return Actuation(
            wrenches={"servicer": Wrench(force=hub.R_NB.T @ force, torque=-INERTIA * (k * turn + d * hub.w))},
            efforts={"arm": ARM_INERTIA * (k * (STRETCHED - arm.position) - d * arm.speed)},
        )


def scenario(duration: float) -> Scenario:
    start = Free(position=(0.0, OFFSET, 0.0), attitude={"axis": "z", "angle": ANGLE})
    hub = Body(mass=MASS, inertia=(INERTIA,) * 3, joint=start)
    arm = Body(mass=ARM_MASS, inertia=(ARM_INERTIA,) * 3, parent="servicer", joint=Revolute(axis="x"))
    return Scenario(duration=duration, record={"rate": 100.0}, bodies={"servicer": hub, "arm": arm})


def oscillator(start: float, t: np.ndarray) -> np.ndarray:
    root = np.sqrt(1.0 - DAMPING**2)
    phase = BANDWIDTH * root * t
    decay = np.exp(-DAMPING * BANDWIDTH * t)
    return start * decay * (np.cos(phase) + DAMPING / root * np.sin(phase))


def main() -> None:
    here = simulate(scenario(DURATION), controller=Servicer())

    # At the other end of a link: here a simulated servicer again, behind real sockets.
    system, stop = ServedSystem(scenario(duration=1000.0), Servicer.interface), threading.Event()
    server = RobotServer(system, PERIOD, timeout=1.0)
    with UdpServer(server, port=0) as robot:
        thread = threading.Thread(target=robot.run, args=(lambda: not stop.is_set(),))
        thread.start()
        try:
            there = control_over_link(Servicer(), lambda: connect(*robot.address), DURATION)
        finally:
            stop.set()
            thread.join()

    for name, run in (("in this process", here), ("over UDP", there)):
        t, history = run.history.time, run.history
        error = np.abs(history["servicer.y"] - oscillator(OFFSET, t)).max()
        print(f"{name}: {1e3 * error:.1f} mm from the damped oscillator at most, "
              f"arm at {history['arm.joint'][-1]:.3f} rad")  # fmt: skip
        assert abs(history["arm.joint"][-1] - STRETCHED) < 0.02
        # A sample acts one period late at most, over the link some periods.
        assert error < (1.0 if run is here else 10.0) * PERIOD * BANDWIDTH * OFFSET
    # The work of the commands is accounted for.
    assert here.audit.energy_residual < 1e-6


if __name__ == "__main__":
    main()
