"""Benchmark of robot links: a published case with a delayed force, and one minute at 1 kHz between two processes."""

import json
import math
import re
import signal
import subprocess
import sys
import time
from typing import Any

from softdock.bench.linear_stage import LinearStage
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


def run(progress: Progress, /) -> list[dict[str, Any]]:
    """Measure and return one row per quantity."""
    progress("delayed forces", 0.0)
    rows: list[dict[str, Any]] = [
        {
            "name": f"restitution, damping ratio {zeta:g}, force {delay * 1e3:g} ms late (aim: published)",
            "value": restitution(zeta, delay),
            "unit": "1",
            "aim": published,
        }
        for zeta, cases in PUBLISHED.items()
        for delay, published in cases.items()
    ]
    worst = max(abs(row["value"] - row["aim"]) for row in rows)
    rows.append(
        {"name": "largest difference to the published values", "value": worst, "unit": "1", "aim": 1e-3}
    )
    rows += _measure_udp(progress)
    progress("done", 1.0)
    return rows


def restitution(zeta: float, delay: float) -> float:
    """Return the restitution through a link with a delay of two cycles [s]."""
    stage = LinearStage(stiffness=STIFFNESS, damping=2.0 * zeta * math.sqrt(STIFFNESS * MASS))
    server = RobotServer(stage, delay / 2.0 or PERIOD)
    with RemoteLink(SimulatedNetwork(server, Conditions(delay=delay / 2.0)).transport()) as link:
        return HybridImpact(mass=MASS, speed=SPEED).restitution(link)


def _measure_udp(progress: Progress) -> list[dict[str, Any]]:
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
        {"name": f"{what} states received", "value": states["received"], "unit": "1"},
        {"name": f"{what} states lost", "value": states["lost"], "unit": "1", "aim": 0},
        {"name": f"{what} latency there and back, median", "value": latency.percentile(0.5), "unit": "s"},
        {"name": f"{what} latency there and back, p99", "value": latency.percentile(0.99), "unit": "s"},
        {"name": f"{what} jitter of states", "value": link.statistics.interval.deviation, "unit": "s"},
        {"name": f"{what} robot's late cycles", "value": served["late_cycles"], "unit": "1"},
        {"name": f"{what} robot's longest cycle", "value": served["worst_cycle_s"], "unit": "s"},
        {"name": f"{what} times the robot fell back", "value": served["fallbacks"], "unit": "1", "aim": 0},
    ]
