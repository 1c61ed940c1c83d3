"""Softdock and MuJoCo on the same gimballed probe and drogue, and the wall times of the bundled dockings.

The comparison is cut out of the bundled scenario: springs made linear, no stops, no fingers, because these mean the
same in both engines. It begins shortly before the first contact. Each engine runs as coarsely as keeps its tip within
a tenth of a millimetre of its own refined path.
"""

import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem
from softdock.report import Progress
from softdock.scenario import from_data, load
from softdock.scenario.multibody import AccuracyModel, MultibodyScenario
from softdock.simulate import simulate
from softdock.simulate.multibody import PreparedMultibody

Floats = NDArray[np.float64]
Row = dict[str, Any]

SCENARIO, PASSIVE, RIGID = "assist-soft-docking", "assist-passive", "assist-rigid-probe"
ACCURACIES = (0.01, 0.1, 1.0, 10.0)
"""Times the default, in the table of the theory page."""
TIP, PORT = "nose", "drogue"
SPRINGS = {"bumper-spring": 8e3, "gimbal-spring": 4.0}
"""[N/m, N m/rad] Linear, and so stiff that bumper and gimbal stay about within the range of the mechanism."""
RUN_UP = 20e-3  # m before the first contact
DURATION = 6.0  # s: insertion, bottom contact and the way out again
RATE = 100.0  # samples of the tip per second
CONVERGED = 1e-4  # m
LOOSER = (100.0, 10.0, 1.0)
"""Times the default accuracy of Softdock, tried in this order."""
TIGHTER = 0.01
"""Times the default accuracy: what Softdock's path is measured against."""
STEPS = (2e-3, 1e-3, 0.5e-3, 0.25e-3, 0.125e-3)
"""[s] Of MuJoCo, tried in this order; refined: half of it."""
QUARTERED = 1.0 / 16.0
"""Times the resolved force: the size of cells goes with its fourth root, both ways."""
ROUNDS, PATIENCE = 9, 8.0
"""Runs that are timed, and the seconds after which no further one is begun."""
AIM_RATIO, AIM_WALL = 100.0, 0.03  # s


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    try:
        import mujoco
    except ImportError:
        raise InputError(Problem(message="This benchmark needs MuJoCo.", hint="pip install mujoco")) from None
    progress("nominal docking", 0.0)
    whole = cast(MultibodyScenario, load(SCENARIO))
    rows = [
        row for name in (SCENARIO, PASSIVE) for row in _nominal(name, cast(MultibodyScenario, load(name)))
    ]
    rows += _nominal("gimballed probe without fingers", _scenario(_without_fingers(whole), whole))
    progress("Softdock: tolerance", 0.2)
    case = comparison()
    looser, ours, our_error = _loosest(case)
    finer_cells = path(_with_cells(_with_accuracy(case, looser), QUARTERED))
    progress("MuJoCo: step", 0.3)
    peer, theirs, their_error = _longest(case)
    progress("MuJoCo: wedges", 0.6)
    finer_wedges = _refined(peer).run(RATE, TIP, PORT)
    progress("both engines in turn", 0.8)
    simulation = PreparedMultibody(_with_accuracy(case, looser)).simulation
    seconds = _best_in_turn(simulation.run, lambda: peer.run(RATE, TIP, PORT))
    progress("done", 1.0)
    label = f"MuJoCo {mujoco.__version__}, {peer.wedges} wedges, step {1e3 * peer.resolution.step:g} ms"
    rows += [
        _speed(
            f"simulated per wall time, accuracy {looser:g} times the default", case.duration, seconds, label
        ),
        _error("tip, change when time is refined", our_error, their_error, label),
    ]
    bottom = int(np.argmax(ours[:, 2]))
    for part, end in (("until the bottom", bottom), ("whole run", len(ours))):
        changes = _distance(ours[:end], finer_cells[:end]), _distance(theirs[:end], finer_wedges[:end])
        rows.append(_error(f"tip, change when surfaces are refined, {part}", *changes, label))
    for part, end in (("until the bottom", bottom), ("whole run", len(ours))):
        apart = _distance(ours[:end], theirs[:end])
        rows.append({"name": f"tip, distance to MuJoCo's, {part}", "value": apart, "unit": "m"})
    return rows


def comparison() -> MultibodyScenario:
    """Return the docking that both engines can run: linear springs, no stops, no fingers, no events."""
    whole = cast(MultibodyScenario, load(SCENARIO))
    data = _without_fingers(whole)
    data["springs"] = {
        name: data["springs"][name] | {"stiffness": stiffness, "exponential": None}
        for name, stiffness in SPRINGS.items()
    }
    data["stops"] = {}
    tip = [f"{TIP}.{axis} in {PORT}" for axis in "xyz"]
    data["record"] = {"rate": RATE, "contact_steps": False, "also": tip}
    data["duration"] = DURATION
    return _moved_close(_scenario(data, whole))


def _without_fingers(whole: MultibodyScenario) -> dict[str, Any]:
    """Return a scenario's data without what drives move, and without events."""
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
    for group in ("drives", "events", "outcomes", "metrics"):
        data[group] = [] if group == "outcomes" else {}
    return data


def path(scenario: MultibodyScenario) -> Floats:
    """Return the path of the tip in the port's frame, shape (samples, 3) [m]."""
    channels = simulate(scenario).history.channels
    return np.column_stack([channels[f"{TIP}.{axis} in {PORT}"].values for axis in "xyz"])


def _moved_close(scenario: MultibodyScenario) -> MultibodyScenario:
    """Return the scenario with the chaser so far ahead on its way that contact begins after the run-up."""
    whole = cast(MultibodyScenario, load(SCENARIO))
    prepared = PreparedMultibody(scenario.model_copy(update={"duration": whole.duration}))
    touch, approach, system = prepared.first_contact(), scenario.approach, prepared.assembly.system
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
    lines = [
        "| scenario | accuracy | evaluations | peak contact force [N] | opening time [s] | energy residual |"
    ]
    lines.append("|---|---|---|---|---|---|")
    for name in (SCENARIO, PASSIVE, RIGID):
        for looser in ACCURACIES:
            result = simulate(_with_accuracy(cast(MultibodyScenario, load(name)), looser))
            metrics, opening = result.metrics, result.metrics["opening_time"]
            times = "default" if looser == 1.0 else f"{looser:g} times"
            lines.append(
                f"| `{name}` | {times} | {result.timing.evaluations} | {metrics['peak_contact_force']:.3f} "
                f"| {'-' if opening is None else f'{opening:.5f}'} | {result.audit.energy_residual:.1e} |"
            )
    return "\n".join(lines)


def _scenario(data: dict[str, Any], like: MultibodyScenario) -> MultibodyScenario:
    return cast(MultibodyScenario, from_data(data, like.name, like.directory))


def _with_accuracy(scenario: MultibodyScenario, looser: float) -> MultibodyScenario:
    data = scenario.to_data()
    data["integrator"]["accuracy"] = {
        key: looser * value for key, value in AccuracyModel().model_dump().items()
    }
    return _scenario(data, scenario)


def _with_cells(scenario: MultibodyScenario, times_force: float) -> MultibodyScenario:
    data = scenario.to_data()
    for contact in data["contacts"].values():
        contact["resolved_force"] *= times_force
    return _scenario(data, scenario)


def _loosest(case: MultibodyScenario) -> tuple[float, Floats, float]:
    """Return the loosest accuracy at which the tip is converged, its path and its error [m]."""
    refined = path(_with_accuracy(case, TIGHTER))
    for looser in LOOSER:
        ours = path(_with_accuracy(case, looser))
        error = _distance(ours, refined)
        if error <= CONVERGED:
            break
    return looser, ours, error


def _longest(case: MultibodyScenario) -> tuple[Any, Floats, float]:
    """Return MuJoCo with the longest step at which the tip is converged, its path and its error [m]."""
    from softdock.bench.docking_mujoco import Peer, Resolution

    peer = Peer(case, Resolution(step=STEPS[0]))
    theirs = peer.run(RATE, TIP, PORT)
    for step in STEPS:
        finer = Peer(case, Resolution(step=step / 2.0))
        refined = finer.run(RATE, TIP, PORT)
        error = _distance(theirs, refined)
        if error <= CONVERGED or step == STEPS[-1]:
            break
        peer, theirs = finer, refined
    return peer, theirs, error


def _refined(peer: Any) -> Any:
    """Return the same MuJoCo with twice the wedges both ways."""
    from softdock.bench.docking_mujoco import Peer, Resolution

    r = peer.resolution
    return Peer(peer.scenario, Resolution(step=r.step, wedges=2 * r.wedges, chord=r.chord / 4.0))


def _nominal(name: str, scenario: MultibodyScenario) -> list[Row]:
    """Time a scenario at its own accuracy: the run alone, and all of `simulate`."""
    result = simulate(scenario)
    simulation = PreparedMultibody(scenario).simulation
    alone, whole = _best_in_turn(simulation.run, lambda: simulate(scenario))
    what = f"{name}, {result.timing.simulated_s:g} s, {result.outcome}"
    return [
        {"name": f"{what}: the run alone", "value": alone, "unit": "s", "aim": AIM_WALL},
        {"name": f"{what}: simulate()", "value": whole, "unit": "s", "aim": AIM_WALL},
    ]


def _speed(name: str, simulated: float, seconds: list[float], label: str) -> Row:
    ours, theirs = (simulated / s for s in seconds)
    return {
        "name": name, "value": ours, "unit": "1", "peer": label, "peer_value": theirs,
        "ratio": ours / theirs, "aim": AIM_RATIO,
    }  # fmt: skip


def _error(name: str, ours: float, theirs: float, label: str) -> Row:
    return {
        "name": name, "value": ours, "unit": "m", "peer": label, "peer_value": theirs,
        "ratio": theirs / max(ours, 1e-12), "aim": CONVERGED,
    }  # fmt: skip


def _distance(a: Floats, b: Floats) -> float:
    """Return the largest distance [m] of two paths at the same instant."""
    return float(np.linalg.norm(a - b, axis=1).max())


def _best_in_turn(*tasks: Callable[[], Any]) -> list[float]:
    """Return the shortest wall time [s] of each task; they take turns, so that the same load meets all."""
    best = [np.inf] * len(tasks)
    begin = time.perf_counter()
    for _ in range(ROUNDS):
        for i, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            best[i] = min(best[i], time.perf_counter() - start)
        if time.perf_counter() - begin > PATIENCE:
            break
    return best
