"""Benchmark of docking: Softdock and MuJoCo on the same gimballed probe and drogue, and times of bundled dockings.

The compared model is the bundled scenario with linear springs, without stops and fingers, so that it is the
same in both engines. It begins shortly before the first contact. Each engine uses the coarsest settings that keep the
tip within a tenth of a millimetre of its own refined path.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softdock.bench.measurement import Row, compare, elapsed_time, row, shortest_times
from softdock.errors import InputError
from softdock.presentation.numbers import MISSING, format_error
from softdock.presentation.progress import Progress
from softdock.presentation.tables import Table
from softdock.scenario.loading import from_data, load
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy
from softdock.simulation import simulate
from softdock.simulation.multibody import PreparedMultibody

Floats = NDArray[np.float64]

SCENARIO, PASSIVE, RIGID = "assist-soft-docking", "assist-passive", "assist-rigid-probe"
ACCURACIES = (0.01, 0.1, 1.0, 10.0)
"""Multiples of the default accuracy, in the table of the theory page."""
TIP, PORT = "nose", "drogue"
SPRINGS = {"bumper-spring": 8e3, "gimbal-spring": 4.0}
"""Linear stiffness [N/m, N m/rad] that keeps bumper and gimbal about within the range of the mechanism."""
RUN_UP = 20e-3  # m before the first contact
DURATION = 6.0  # s: insertion, contact with the bottom and exit
RATE = 100.0  # samples of the tip per second
MAX_ERROR = 1e-4  # m
COARSER_ACCURACIES = (100.0, 10.0, 1.0)
"""Multiples of Softdock's default accuracy, tried in this order."""
REFERENCE_ACCURACY = 0.01
"""Multiple of the default accuracy for the reference path of Softdock."""
STEPS = (2e-3, 1e-3, 0.5e-3, 0.25e-3, 0.125e-3)
"""Time steps of MuJoCo [s], tried in this order; refined: half of it."""
QUARTERED = 1.0 / 16.0
"""Factor of the resolved force that halves both sides of the cells (proportional to its fourth root)."""
MAX_ROUNDS, TIME_LIMIT = 9, 8.0
"""Number of timed rounds, and the time after which no further round starts [s]."""
AIM_RATIO, AIM_WALL = 100.0, 0.03
"""Aims: speed relative to that of MuJoCo, and time of each nominal docking [s]."""


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    try:
        import mujoco
    except ImportError:
        raise InputError("This benchmark needs MuJoCo.", hint="pip install mujoco") from None
    progress("nominal docking", 0.0)
    whole = cast(MultibodyScenario, load(SCENARIO))
    rows = [*time_nominal(SCENARIO, whole), *time_nominal(PASSIVE, cast(MultibodyScenario, load(PASSIVE)))]
    rows += time_nominal("gimballed probe without fingers", _scenario(_without_fingers(whole), whole))
    progress("Softdock: tolerance", 0.2)
    case = comparison()
    factor, ours, our_error = _coarsest_accuracy(case)
    finer_cells = path(_with_cells(_with_accuracy(case, factor), QUARTERED))
    progress("MuJoCo: step", 0.3)
    peer, theirs, their_error = _longest_step(case)
    progress("MuJoCo: wedges", 0.6)
    finer_wedges = _refined(peer).run(RATE, TIP, PORT)
    progress("both engines in turn", 0.8)
    simulation = PreparedMultibody(_with_accuracy(case, factor)).simulation
    seconds = _in_turn(simulation.run, lambda: peer.run(RATE, TIP, PORT))
    label = f"MuJoCo {mujoco.__version__}, {peer.wedges} wedges, step {1e3 * peer.resolution.step:g} ms"
    simulated, theirs_simulated = (case.duration / one for one in seconds)
    speed = row(f"simulated per wall time, accuracy {factor:g} times the default", simulated, "1", AIM_RATIO)
    rows += [
        compare(speed, label, theirs_simulated, simulated / theirs_simulated),
        _error("tip, change when time is refined", our_error, their_error, label),
    ]
    bottom = int(np.argmax(ours[:, 2]))
    for part, end in (("until the bottom", bottom), ("whole run", len(ours))):
        changes = _distance(ours[:end], finer_cells[:end]), _distance(theirs[:end], finer_wedges[:end])
        rows.append(_error(f"tip, change when surfaces are refined, {part}", *changes, label))
    for part, end in (("until the bottom", bottom), ("whole run", len(ours))):
        apart = _distance(ours[:end], theirs[:end])
        rows.append(row(f"tip, distance to MuJoCo's, {part}", apart, "m"))
    return rows


def comparison() -> MultibodyScenario:
    """Return the docking for both engines: linear springs, no stops, no fingers, no events."""
    whole = cast(MultibodyScenario, load(SCENARIO))
    data = _without_fingers(whole)
    data["springs"] = {
        name: data["springs"][name] | {"stiffness": stiffness, "exponential": None}
        for name, stiffness in SPRINGS.items()
    }
    data["stops"] = {}
    tip = [f"{TIP}.{axis} in {PORT}" for axis in "xyz"]
    data["record"] = {
        "rate": RATE, "contact_steps": False, "all": False, "also": tip, "peaks": False, "loads": False,
    }  # fmt: skip
    data["duration"] = DURATION
    return _advanced_to_contact(_scenario(data, whole))


def _without_fingers(whole: MultibodyScenario) -> dict[str, Any]:
    """Return a scenario's data without driven bodies and without events."""
    data = whole.to_data()
    driven = {drive["joint"] for drive in data["drives"].values()}
    data["bodies"] = {name: body for name, body in data["bodies"].items() if name not in driven}
    data["surfaces"] = {
        n: surface for n, surface in data["surfaces"].items() if surface["body"] not in driven
    }
    data["contacts"] = {
        n: c for n, c in data["contacts"].items() if {c["a"], c["b"]} <= set(data["surfaces"])
    }
    data["springs"] = {n: spring for n, spring in data["springs"].items() if spring["joint"] not in driven}
    for group in ("drives", "events", "outcomes", "metrics", "requirements"):
        data[group] = [] if group == "outcomes" else {}
    data["sources"] = {}  # they refer to the whole mechanism
    return data


def path(scenario: MultibodyScenario) -> Floats:
    """Return the path of the tip in the port's frame, shape (samples, 3) [m]."""
    channels = simulate(scenario).history.channels
    return np.column_stack([channels[f"{TIP}.{axis} in {PORT}"].values for axis in "xyz"])


def _advanced_to_contact(scenario: MultibodyScenario) -> MultibodyScenario:
    """Return the scenario with the chaser so far ahead on its way that contact begins after the run-up."""
    whole = cast(MultibodyScenario, load(SCENARIO))
    prepared = PreparedMultibody(scenario.model_copy(update={"duration": whole.duration}))
    touch, approach, system = prepared.first_contact(), scenario.approach, scenario.at_start()
    assert touch is not None
    assert approach is not None
    data, joint = scenario.to_data(), system.bodies[approach.chaser].joint
    ahead = touch.time - RUN_UP / approach.speed
    start = joint.model_dump(mode="json")
    start["position"] = [p + ahead * v for p, v in zip(start["position"], start["velocity"])]
    data["bodies"][approach.chaser]["joint"] = start
    data["approach"] = None
    return _scenario(data, scenario)


def accuracy_table() -> str:
    """Return the table of the theory page (Markdown): the bundled dockings at other accuracies."""
    header = (
        "scenario", "accuracy", "evaluations", "peak contact force [N]", "opening time [s]", "energy residual",
    )  # fmt: skip
    rows = []
    for name in (SCENARIO, PASSIVE, RIGID):
        for factor in ACCURACIES:
            result = simulate(_with_accuracy(cast(MultibodyScenario, load(name)), factor))
            metrics, opening = result.metrics, result.metrics["opening_time"]
            times = "default" if factor == 1.0 else f"{factor:g} times"
            rows.append(
                (
                    f"`{name}`",
                    times,
                    str(result.timing.evaluations),
                    f"{metrics['peak_contact_force']:.3f}",
                    MISSING if opening is None else f"{opening:.5f}",
                    format_error(result.audit.energy_residual),
                )
            )
    return Table(header=header, rows=rows).to_markdown()


def _scenario(data: dict[str, Any], like: MultibodyScenario) -> MultibodyScenario:
    return cast(MultibodyScenario, from_data(data, like.name, like.directory))


def _with_accuracy(scenario: MultibodyScenario, factor: float) -> MultibodyScenario:
    data = scenario.to_data()
    data["integrator"]["accuracy"] = {key: factor * value for key, value in Accuracy().model_dump().items()}
    return _scenario(data, scenario)


def _with_cells(scenario: MultibodyScenario, times_force: float) -> MultibodyScenario:
    data = scenario.to_data()
    for contact in data["contacts"].values():
        contact["resolved_force"] *= times_force
    return _scenario(data, scenario)


def _coarsest_accuracy(case: MultibodyScenario) -> tuple[float, Floats, float]:
    """Return the coarsest accuracy at which the tip is converged, its path and its error [m]."""
    refined = path(_with_accuracy(case, REFERENCE_ACCURACY))
    for factor in COARSER_ACCURACIES:
        ours = path(_with_accuracy(case, factor))
        error = _distance(ours, refined)
        if error <= MAX_ERROR:
            break
    return factor, ours, error


def _longest_step(case: MultibodyScenario) -> tuple[Any, Floats, float]:
    """Return the MuJoCo model with the longest step at which the tip is converged, its path and its error [m]."""
    from softdock.bench.docking_mujoco import Peer, Resolution

    peer = Peer(case, Resolution(step=STEPS[0]))
    theirs = peer.run(RATE, TIP, PORT)
    for step in STEPS:
        finer = Peer(case, Resolution(step=step / 2.0))
        refined = finer.run(RATE, TIP, PORT)
        error = _distance(theirs, refined)
        if error <= MAX_ERROR or step == STEPS[-1]:
            break
        peer, theirs = finer, refined
    return peer, theirs, error


def _refined(peer: Any) -> Any:
    """Return the MuJoCo model with twice as many wedges in both directions."""
    from softdock.bench.docking_mujoco import Peer, Resolution

    r = peer.resolution
    return Peer(peer.scenario, Resolution(step=r.step, wedges=2 * r.wedges, chord=r.chord / 4.0))


def time_nominal(name: str, scenario: MultibodyScenario, aim: float = AIM_WALL) -> list[Row]:
    """Time a scenario at its own accuracy: the run only, and `simulate` as a whole."""
    result = simulate(scenario)
    simulation = PreparedMultibody(scenario).simulation
    alone, whole = _in_turn(simulation.run, lambda: simulate(scenario))
    what = f"{name}, {result.timing.simulated_s:.4g} s, {result.outcome}"
    return [row(f"{what}: the run alone", alone, "s", aim), row(f"{what}: simulate()", whole, "s", aim)]


def _error(name: str, ours: float, theirs: float, label: str) -> Row:
    return compare(row(name, ours, "m", MAX_ERROR), label, theirs, theirs / max(ours, 1e-12))


def _distance(a: Floats, b: Floats) -> float:
    """Return the largest distance of two paths at the same time [m]."""
    return float(np.linalg.norm(a - b, axis=1).max())


def _in_turn(*tasks: Callable[[], Any]) -> list[float]:
    """Return the shortest wall time of each task [s]."""
    return shortest_times(
        *(partial(elapsed_time, task) for task in tasks), rounds=MAX_ROUNDS, limit=TIME_LIMIT
    )
