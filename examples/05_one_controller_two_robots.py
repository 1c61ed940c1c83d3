"""05: One controller, two robots: the same moves on a simulated arm and on an arm at the other end of a UDP link.

The controller accesses its robot only through a link. Here the remote arm is simulated as well, behind real sockets and
two milliseconds of delay each way; give `connect` the address of your own robot instead.
"""

import threading

import numpy as np

import softdock
from softdock.recording import compare
from softdock.robot.link_server import RobotServer
from softdock.robot.simulated_network import Conditions
from softdock.robot.udp import UdpServer, connect
from softdock.scenario.robot import RobotScenario
from softdock.simulation.remote import run_on_robot
from softdock.simulation.robot import simulated_robot

BENT = np.radians([0.0, 30.0, 0.0, -60.0, 0.0, 90.0, 0.0])  # rad
CYCLE, DELAY = 0.005, 0.002  # s


def reach() -> RobotScenario:
    return RobotScenario(
        arm={"file": "lwr4plus", "start": tuple(BENT)},
        gravity=(0.0, 0.0, -9.81),
        control={"period": CYCLE, "stiffness": 200.0, "interpolation": "hold"},  # as a link does
        moves=(
            {"joints": tuple(BENT + 0.1), "duration": 1.5, "wait": 0.2},
            {"joints": tuple(BENT), "duration": 1.5},
        ),
    )


def main() -> None:
    scenario = reach()
    here = softdock.simulate(scenario)

    # As `softdock robot serve`: a robot behind the protocol, which holds its position after a second without commands.
    server = RobotServer(simulated_robot(scenario), CYCLE, timeout=1.0)
    stop = threading.Event()
    with UdpServer(server, port=0, conditions=Conditions(delay=DELAY)) as robot:
        thread = threading.Thread(target=robot.run, args=(lambda: not stop.is_set(),))
        thread.start()
        try:
            there = run_on_robot(scenario, lambda: connect(*robot.address))  # what `softdock robot run` does
        finally:
            stop.set()
            thread.join()

    both = compare(here, there)
    late = -both.alignment.offset
    print(f"The remote arm was {late * 1e3:.1f} ms late; of that, the way there and back took "
          f"{there.metrics['link_latency_median'] * 1e3:.1f} ms.")  # fmt: skip
    for name, joint in both.joints.items():
        print(f"{name}: {joint['angle'].largest:.4f} rad, {joint['torque'].largest:.2f} N m apart at most")

    # The link has its delay, and the same arm with the same control has the same motion.
    assert there.metrics["refused_commands"] == 0
    assert there.metrics["link_latency_median"] >= 2 * DELAY
    assert late > 2 * DELAY
    assert (
        max(joint["angle"].deviation for joint in both.joints.values()) < 0.01
    )  # even where the machine stalls


if __name__ == "__main__":
    main()
