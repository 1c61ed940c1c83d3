"""Benchmark of forward dynamics of a floating arm against MuJoCo and Pinocchio, and of start-up time.

All engines use the same arm: a free base and a chain of hinges with random axes and inertias, no contacts. Softdock
runs in a compiled loop, `mj_step` in MuJoCo's loop over steps. `mj_forward` and `aba` have no such loop: they are
called from Python, and the time of a nearly empty call of the same library is subtracted. Engines alternate in
rounds of a millisecond; the shortest of many rounds counts, because other load on the machine only adds time.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from softdock.assembly.arrays import Assembly
from softdock.assembly.assembler import assemble
from softdock.bench.entry_points import repeat_derivative
from softdock.bench.measurement import Row, compare, elapsed_time, row, shortest_time, shortest_times
from softdock.dynamics.settings import Settings, StepTolerances
from softdock.dynamics.simulation import Simulation
from softdock.dynamics.system_records import system_records
from softdock.model.mjcf import to_mjcf
from softdock.model.system import Body, System
from softdock.presentation.progress import Progress
from softdock.tree.joints import Free, Revolute

HINGES = 7
SIZES = (5, 13, 20, 30, 60)  # degrees of freedom; up to five with a fixed base, the others floating
CALLS, ROUNDS = 500, 200
OUR_CALLS = 2000  # about the same duration as CALLS of the peers
AIM = 5.0  # times faster than a peer
WARM_AIM = 0.45  # s
COMMAND = "softdock run"
WARM_SCENARIO = "assist-soft-docking"
TRAJECTORY, MAX_ERROR = 10.0, 1e-6  # s, rad: duration of the trajectory and largest error of both engines

_RUN = [sys.executable, "-c", "from softdock.cli import main; main()", "run", WARM_SCENARIO, "--json"]

Task = Callable[[], float]
"""Runs some evaluations and returns the time of one [s]."""


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    rows = []
    for i, size in enumerate(SIZES):
        progress(f"{size} degrees of freedom", 0.1 * i)
        rows += _evaluation(size)
    progress("trajectory", 0.6)
    rows += _trajectory()
    progress("warm start", 0.7)
    rows.append(_warm_start())
    progress("first run", 0.9)
    rows.append(_first_run())
    return rows


def arm(hinges: int, floating: bool = True) -> System:
    """Return a chain of hinges with random initial rates, on a free base or on the ground."""
    rng = np.random.default_rng(12)

    def solid() -> dict[str, Any]:
        small = rng.uniform(0.02, 0.04, 3)
        return {
            "mass": rng.uniform(1.0, 3.0),
            "centre_of_mass": tuple(rng.uniform(-0.1, 0.1, 3)),
            "inertia": tuple(small),
        }

    bodies = {"base": Body(**solid(), joint=Free(rate=(0.2, -0.1, 0.3)))} if floating else {}
    for i in range(hinges):
        parent = f"link{i - 1}" if i else ("base" if floating else "world")
        hinge = Revolute(
            at=(0.0, 0.1, 0.3),
            axis=tuple(rng.normal(size=3)),
            angle=rng.uniform(-1, 1),
            rate=rng.uniform(-1, 1),
        )
        bodies[f"link{i}"] = Body(**solid(), parent=parent, joint=hinge)
    return System(bodies=bodies)


def _evaluation(size: int) -> list[Row]:
    floating = size > 5
    system = arm(size - 6 if floating else size, floating)
    tasks: dict[str, Task] = {"softdock": _our_task(assemble(system))}
    tasks |= _mujoco_tasks(system) | _pinocchio_tasks(system)
    best = dict(zip(tasks, shortest_times(*tasks.values(), rounds=ROUNDS)))
    ours = best.pop("softdock")
    name = f"one forward-dynamics evaluation, {size} degrees of freedom"
    if not best:
        return [row(name, ours, "s")]
    measured = row(name, ours, "s", AIM if size == HINGES + 6 else None)
    return [compare(measured, peer, seconds, seconds / ours) for peer, seconds in best.items()]


def _our_task(assembly: Assembly) -> Task:
    system = system_records(assembly)
    y, dy = assembly.y.copy(), np.zeros_like(assembly.y)
    repeat_derivative(system, y, dy, 1)

    def seconds(count: int) -> float:
        return elapsed_time(lambda: repeat_derivative(system, y, dy, count))

    overhead = min(seconds(0) for _ in range(ROUNDS))  # of the call from Python
    return lambda: (seconds(OUR_CALLS) - overhead) / OUR_CALLS


def _mujoco_tasks(system: System) -> dict[str, Task]:
    try:
        import mujoco
    except ImportError:
        return {}
    model = mujoco.MjModel.from_xml_string(to_mjcf(system).text)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model.opt.timestep = 1e-9  # keeps the state constant while the evaluation is repeated
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)

    def step() -> float:
        return elapsed_time(lambda: mujoco.mj_step(model, data, nstep=CALLS)) / CALLS

    forward = _python_call_task(
        lambda: mujoco.mj_forward(model, data), lambda: mujoco.mj_checkPos(model, data)
    )
    version = mujoco.__version__
    return {f"MuJoCo {version} mj_forward": forward, f"MuJoCo {version} mj_step (Euler)": step}


def _pinocchio_tasks(system: System) -> dict[str, Task]:
    try:
        import pinocchio as pin
    except ImportError:
        return {}
    model, q, v = _pinocchio_arm(pin, system)
    data, tau = model.createData(), np.zeros(model.nv)
    task = _python_call_task(
        lambda: pin.aba(model, data, q, v, tau), lambda: pin.squaredDistance(model, q, q)
    )
    return {f"Pinocchio {pin.__version__} aba": task}


def _pinocchio_arm(pin: Any, system: System) -> tuple[Any, Any, Any]:
    model = pin.Model()
    model.gravity = pin.Motion.Zero()
    q: list[float] = []
    v: list[float] = []
    joint = 0
    for name, body in system.bodies.items():
        if isinstance(body.joint, Free):
            joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), name)
            q, v = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, *body.joint.rate]
        else:
            assert isinstance(body.joint, Revolute)
            hinge = pin.JointModelRevoluteUnaligned(
                np.array(body.joint.axis) / np.linalg.norm(body.joint.axis)
            )
            joint = model.addJoint(joint, hinge, pin.SE3(np.eye(3), np.array(body.joint.at)), name)
            q.append(body.joint.angle)
            v.append(body.joint.rate)
        inertia = pin.Inertia(body.mass, np.array(body.centre_of_mass), body.inertia_matrix())
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return model, np.array(q), np.array(v)


def _python_call_task(work: Callable[[], Any], empty: Callable[[], Any]) -> Task:
    """Return a task that measures the time of one call minus the shortest time of a nearly empty one."""

    def seconds(call: Callable[[], Any]) -> float:
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        return (time.perf_counter() - start) / CALLS

    quickest = np.inf

    def task() -> float:
        nonlocal quickest
        quickest = min(quickest, seconds(empty))
        return seconds(work) - quickest

    return task


def _trajectory() -> list[Row]:
    """Return the time to integrate a tumbling arm with no coordinate error above MAX_ERROR."""
    system = arm(HINGES)
    assembly = assemble(system)
    n_q = int(assembly.world[0].n_q)

    def ours(accuracy: float) -> Any:
        same = StepTolerances(length=accuracy, angle=accuracy, speed=accuracy, rate=accuracy)
        return Simulation(assembly=assembly, settings=Settings(duration=TRAJECTORY, accuracy=same)).run()

    exact = ours(1e-13).state[:n_q]
    accuracy = next(
        a
        for a in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10)
        if _largest_difference(ours(a).state[:n_q], exact) <= MAX_ERROR
    )
    our_seconds = shortest_time(lambda: ours(accuracy), 40)
    name = f"{TRAJECTORY:g} s of a tumbling arm of 13 degrees of freedom, error below {MAX_ERROR:g}"
    try:
        import mujoco
    except ImportError:
        return [row(name, our_seconds, "s")]
    model = mujoco.MjModel.from_xml_string(to_mjcf(system).text)
    data = mujoco.MjData(model)

    def theirs(step: float) -> Any:
        model.opt.timestep = step
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_step(model, data, nstep=round(TRAJECTORY / step))
        return data.qpos

    step = next(
        h
        for h in (0.04, 0.02, 0.01, 0.005, 0.002, 0.001)
        if _largest_difference(theirs(h), exact) <= MAX_ERROR
    )
    peer_seconds = shortest_time(lambda: theirs(step), 40)
    peer = f"MuJoCo {mujoco.__version__} RK4, step {step:g} s"
    return [compare(row(name, our_seconds, "s", AIM), peer, peer_seconds, peer_seconds / our_seconds)]


def _largest_difference(q: Any, exact: Any) -> float:
    """Return the largest difference of two sets of positions; a quaternion and its negative are equal."""
    other = np.array(q)
    other[3:7] *= np.sign(other[3:7] @ exact[3:7])
    return float(np.abs(other - exact).max())


def _warm_start() -> Row:
    seconds = shortest_time(_run_command, 4)
    return row(f"{COMMAND} {WARM_SCENARIO}, the whole command", seconds, "s", WARM_AIM)


def _first_run() -> Row:
    """Run a scenario with empty caches, as right after installation."""
    with tempfile.TemporaryDirectory() as folder:
        seconds = elapsed_time(lambda: _run_command(SOFTDOCK_CACHE_DIR=folder))
    return row(f"first {COMMAND} {WARM_SCENARIO}, empty caches", seconds, "s", WARM_AIM)


def _run_command(**environment: str) -> None:
    subprocess.run(_RUN, env={**os.environ, **environment}, capture_output=True, check=True)
