"""Benchmark of robot links: a published case with a delayed force, and one minute at 1 kHz between two processes."""

import json
import math
import re
import signal
import subprocess
import sys
import time

import numpy as np

from softdock.bench.measurement import Row, row
from softdock.errors import RunError
from softdock.presentation.progress import Progress
from softdock.robot.hardware_in_the_loop import HybridImpact
from softdock.robot.link import Command, JointLimits, RobotState, monitor
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import RobotServer
from softdock.robot.simulated_network import Conditions, SimulatedNetwork
from softdock.robot.udp import connect

MASS, SPEED, STIFFNESS = 300.0, 5e-3, 106.59e3  # kg, m/s, N/m
PUBLISHED = {  # DOI 10.1061/JAEEEZ.ASENG-6727: damping ratio -> delay [s] -> restitution
    0.0: {0.0: 1.0000, 3.0e-3: 1.0928, 3.5e-3: 1.1090, 4.0e-3: 1.1255},
    0.1: {0.0: 0.7292, 3.0e-3: 0.7973, 3.5e-3: 0.8093, 4.0e-3: 0.8216},
}
DURATION, PERIOD = 60.0, 1e-3  # s
SERVE = "from softdock.cli import main; main()"


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    progress("delayed forces", 0.0)
    name = "restitution, damping ratio {:g}, force {:g} ms late (aim: published)"
    rows = [
        row(name.format(zeta, delay * 1e3), restitution(zeta, delay), "1", published)
        for zeta, cases in PUBLISHED.items()
        for delay, published in cases.items()
    ]
    worst = max(abs(one["value"] - one["aim"]) for one in rows)
    rows.append(row("largest difference to the published values", worst, "1", 1e-3))
    rows += _measure_udp(progress)
    return rows


def restitution(zeta: float, delay: float) -> float:
    """Return the restitution through a link with a delay of two cycles [s]."""
    stage = LinearStage(stiffness=STIFFNESS, damping=2.0 * zeta * math.sqrt(STIFFNESS * MASS))
    server = RobotServer(stage, delay / 2.0 or PERIOD)
    with RemoteLink(SimulatedNetwork(server, Conditions(delay=delay / 2.0)).transport()) as link:
        return HybridImpact(mass=MASS, speed=SPEED).restitution(link)


def _measure_udp(progress: Progress) -> list[Row]:
    command = [sys.executable, "-c", SERVE, "robot", "serve", "joints", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        message = process.stderr.readline()
        match = re.search(r"listens on ([\d.]+):(\d+)", message)
        if match is None:
            process.kill()
            raise RunError(f"the simulated robot did not start: {message.strip()}")
        with connect(match[1], int(match[2])) as link:
            start = time.perf_counter()
            while (elapsed := time.perf_counter() - start) < DURATION:
                progress("a minute at 1 kHz", 0.1 + 0.9 * elapsed / DURATION)
                for _ in range(500):
                    link.cycle(monitor(link.limits.joints))
        process.send_signal(signal.SIGINT)
        served = json.loads(process.communicate()[0])
    states, latency = link.statistics.states.to_json(), link.statistics.latency
    what = f"{DURATION:g} s at 1 kHz over UDP:"
    return [
        row(f"{what} states received", states["received"], "1"),
        row(f"{what} states lost", states["lost"], "1", 0),
        row(f"{what} latency there and back, median", latency.percentile(0.5), "s"),
        row(f"{what} latency there and back, p99", latency.percentile(0.99), "s"),
        row(f"{what} jitter of states", link.statistics.interval.deviation, "s"),
        row(f"{what} robot's late cycles", served["late_cycles"], "1"),
        row(f"{what} robot's longest cycle", served["worst_cycle_s"], "s"),
        row(f"{what} times the robot fell back", served["fallbacks"], "1", 0),
    ]


class LinearStage:
    """A stiff position-controlled stage that pushes a sample: x > 0 presses with k x + c xdot.

    Its one joint slides [m] and reaches every commanded position at the end of the cycle, at constant speed.
    The force is the mean over the last cycle, as a sensor with a filter of that length gives it.
    """

    def __init__(self, *, stiffness: float, damping: float = 0.0, speed_limit: float = 1.0) -> None:
        one = np.ones(1)
        self._limits = JointLimits(
            q_min=-one,
            q_max=one,
            speed=speed_limit * one,
            torque=1e6 * one,
            stiffness=1e9 * one,
            min_stiffness=0.0 * one,  # position-controlled: stiffness and damping of commands have no effect
            min_damping_ratio=0.0,
        )
        self._k, self._c = stiffness, damping
        self._t, self._x, self._v, self._force = 0.0, 0.0, 0.0, 0.0

    @property
    def limits(self) -> JointLimits:
        """JointLimits of position, speed, force and stiffness."""
        return self._limits

    def advance(self, command: Command, duration: float) -> None:
        """Move to the commanded position within a duration [s]."""
        start, end = self._x, float(command.q[0])
        self._v = (end - start) / duration
        self._force = _mean_force(start, end, self._v, self._k, self._c)
        self._x = end
        self._t += duration

    def state(self) -> RobotState:
        """Return the measured state; torques are forces [N] on the stage."""
        force = np.array([-self._force])
        return RobotState(
            t=self._t,
            q=np.array([self._x]),
            qdot=np.array([self._v]),
            tau_measured=force,
            tau_external=force.copy(),
        )


def _mean_force(start: float, end: float, v: float, k: float, c: float) -> float:
    """Return the mean of k x + c v [N] over a straight path; the force is 0 where x < 0."""
    low, high = max(min(start, end), 0.0), max(start, end)
    if high <= 0.0:
        return 0.0
    share = (high - low) / abs(end - start) if end != start else 1.0
    return share * (0.5 * k * (low + high) + c * v)
