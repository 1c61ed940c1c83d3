"""Benchmark of robot links: a published case with a delayed force, and one minute at 1 kHz between two processes."""

import json
import math
import re
import signal
import subprocess
import sys
import time

from softdock.bench.linear_stage import LinearStage
from softdock.bench.measurement import Row, row
from softdock.errors import RunError
from softdock.presentation.progress import Progress
from softdock.robot.hardware_in_the_loop import HybridImpact
from softdock.robot.link import monitor
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
    progress("done", 1.0)
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
        found = re.search(r"listens on ([\d.]+):(\d+)", message)
        if found is None:
            process.kill()
            raise RunError(f"the simulated robot did not start: {message.strip()}")
        with connect(found[1], int(found[2])) as link:
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
