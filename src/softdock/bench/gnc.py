"""Benchmark of controllers: two craft under attitude feedback against Basilisk, and the time of a bundled approach.

Both craft have a rigid hub with three reaction wheels and a controller of 10 Hz with proportional-derivative feedback
of attitude and rate. All principal inertias are equal, because the feedback of Basilisk has one gain for all axes.
Nothing touches, and both programs record the motion once a second.
"""

from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softdock.bench.docking import time_nominal
from softdock.bench.measurement import Row, compare, elapsed_time, row, shortest_times
from softdock.presentation.progress import Progress
from softdock.scenario.loading import bundled, load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.simulation.multibody import PreparedMultibody

Floats = NDArray[np.float64]

CRAFT = {
    "chaser": ((0.0, 0.0, -20.0), (1.0, 2.0, -1.0), 0.3),
    "target": ((0.0, 0.0, 0.0), (-2.0, 1.0, 1.0), 0.2),
}
"""Position [m], axis and angle [rad] of the attitude at the start, by name."""
RATE_AT_START = (0.002, -0.001, 0.003)  # rad/s, body axes
MASS, INERTIA = 750.0, 800.0  # kg, kg m2: with the wheels, about each axis
WHEEL_MASS, WHEEL_INERTIA = 5.0, 0.16  # kg, kg m2: about the axis; half of it across
MAX_TORQUE, MAX_MOMENTUM = 10.0, 500.0  # N m, N m s: not reached
BANDWIDTH, DAMPING = 0.1, 0.9  # rad/s, 1
SAMPLES, RECORDS = 10.0, 1.0  # Hz
DURATION = 600.0  # s
AIM_RATIO, AIM_CAMPAIGN = 3.0, 50.0  # speed relative to Basilisk; time of the campaign [s]
APPROACH, AIM_APPROACH = "assist-approach", 0.2  # s
MAX_ROUNDS, TIME_LIMIT = 7, 20.0
"""Number of timed rounds, and the time after which no further round starts [s]."""
WITHOUT_PEER = "Basilisk is not installed (pip install bsk): Softdock alone"


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    progress("two craft", 0.0)
    return [*_two_craft(progress), *_approach(progress)]


def run_long(progress: Progress, /) -> list[Row]:
    """Measure the bundled campaign of approaches on two cores, if there is one."""
    from softdock.bench.campaign import measure
    from softdock.campaign.loading import campaign_names, read_campaign
    from softdock.campaign.runner import ExecutionOptions
    from softdock.campaign.workers import Backend

    if APPROACH not in campaign_names():
        return []
    plan = read_campaign(APPROACH)
    progress(f"{plan.runs} runs of campaign {APPROACH}", 0.8)
    wall = measure(plan, ExecutionOptions(Backend.THREADS, 2)).wall
    return [row(f"{plan.runs} runs of campaign {APPROACH}, 2 threads", wall, "s", AIM_CAMPAIGN)]


def two_craft(duration: float) -> MultibodyScenario:
    """Return the scenario of both craft for a duration [s]."""
    bodies: dict[str, Any] = {}
    for name, (position, axis, angle) in CRAFT.items():
        joint = {
            "type": "free",
            "position": position,
            "attitude": {"axis": axis, "angle": angle},
            "rate": RATE_AT_START,
        }
        hub = INERTIA - 2.0 * WHEEL_INERTIA  # each axis has one wheel along and two across
        bodies[name] = {"mass": MASS - 3.0 * WHEEL_MASS, "inertia": (hub,) * 3, "joint": joint}
        for i, letter in enumerate("xyz"):
            across = [0.5 * WHEEL_INERTIA] * 3
            across[i] = WHEEL_INERTIA
            wheel = {"mass": WHEEL_MASS, "inertia": across, "parent": name}
            bodies[f"{name}-{letter}"] = wheel | {"joint": {"type": "revolute", "axis": letter}}
    return MultibodyScenario.model_validate(
        {
            "duration": duration,
            "bodies": bodies,
            "gnc": {name: _controller(name) for name in CRAFT},
            "record": {"rate": RECORDS, "contact_steps": False, "peaks": False, "loads": False},
        }
    )


def _controller(name: str) -> dict[str, Any]:
    """Return a controller that turns a craft to the axes of the world by means of its wheels."""
    limits = {"max_torque": MAX_TORQUE, "max_momentum": MAX_MOMENTUM}
    return {
        "rate": SAMPLES,
        "mode": "hold",
        "target": {"body": "world"},
        "attitude": {"bandwidth": BANDWIDTH, "damping": DAMPING},
        "wheels": {letter: {"body": f"{name}-{letter}", **limits} for letter in "xyz"},
    }


def rotation_vectors(scenario: MultibodyScenario) -> Floats:
    """Return the rotation vectors of both craft [rad], shape (samples, craft, 3)."""
    channels = simulate(scenario, with_prediction=False).history.channels
    out = []
    for name in CRAFT:
        w, *v = (channels[f"{name}.q{k}"].values for k in "wxyz")
        vector = np.stack(v, axis=1)
        size = np.linalg.norm(vector, axis=1)
        angle = 2.0 * np.arctan2(size, w)
        out.append(vector * (angle / np.maximum(size, 1e-300))[:, None])
    return np.stack(out, axis=1)


def _two_craft(progress: Progress) -> list[Row]:
    scenario = two_craft(DURATION)
    simulation = PreparedMultibody(scenario).simulation
    ours = partial(elapsed_time, simulation.run)
    name = f"two craft, attitude feedback at {SAMPLES:g} Hz, {DURATION:g} s: simulated per wall time"
    try:
        from softdock.bench.gnc_basilisk import TwoCraft, version
    except ImportError:
        (alone,) = shortest_times(ours, rounds=MAX_ROUNDS, limit=TIME_LIMIT)
        return [row(f"{name}. {WITHOUT_PEER}", DURATION / alone, "1")]
    progress("both programs in turn", 0.1)
    wheels, torque = TwoCraft(DURATION, wheels=True), TwoCraft(DURATION, wheels=False)
    seconds = shortest_times(ours, wheels.run, torque.run, rounds=MAX_ROUNDS, limit=TIME_LIMIT)
    progress("difference of both programs", 0.6)
    label = f"Basilisk {version()}, RK4, step {1.0 / SAMPLES:g} s"
    apart = np.linalg.norm(rotation_vectors(scenario) - wheels.rotation_vectors(), axis=2).max()
    return [
        _speed(f"{name}, wheels", seconds[0], seconds[1], f"{label}, wheels"),
        _speed(f"{name}, wheels; peer without", seconds[0], seconds[2], f"{label}, external torque"),
        row("two craft: largest difference of the attitude to Basilisk", apart, "rad"),
    ]


def _speed(name: str, ours: float, theirs: float, label: str) -> Row:
    return compare(row(name, DURATION / ours, "1", AIM_RATIO), label, DURATION / theirs, theirs / ours)


def _approach(progress: Progress) -> list[Row]:
    """Time the bundled approach: the run only, and `simulate` as a whole."""
    if APPROACH not in {scenario.name for scenario in bundled()}:
        return []
    progress(APPROACH, 0.7)
    return time_nominal(APPROACH, cast(MultibodyScenario, load(APPROACH)), AIM_APPROACH)
