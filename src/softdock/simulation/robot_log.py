"""The log of an experiment in the result of a run: channels, metrics, refused commands and moves."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softdock.result import Channel, History, Result, RunEvent
from softdock.robot.experiment import Log
from softdock.robot.plan import Setpoints
from softdock.robot.torque_log import SAME_TIME, TorqueLog
from softdock.robot.triggered_moves import TriggeredMoves

if TYPE_CHECKING:
    from softdock.simulation.robot import Setup

AT_REST = 1e-3
"""Speed over the highest speed below which a joint is at rest."""
PUSHING = 0.01
"""Share of the largest external torque of the run above which the arm pushes."""


def add_log(
    base: Result, setup: "Setup", log: Log, torques: TorqueLog, moves: Setpoints | None = None
) -> Result:
    """Add the log of an experiment to a result: channels, metrics, refusals, and moves that were planned in the run."""
    refusals = [
        RunEvent(time=t, name="command-refused", message=refusal.value) for t, refusal in log.refusals
    ]
    executed = _move_events(setup, moves) if isinstance(moves, TriggeredMoves) else []
    events = tuple(sorted([*base.events, *refusals, *executed], key=lambda event: event.time))
    metrics, units = _metrics(setup, log, torques)
    message = base.message
    if log.refused:
        message += f" The robot refused {log.refused} commands: {log.refusals[0][1].value}"
    return replace(
        base,
        scenario=setup.scenario.name,
        message=message,
        metrics={**base.metrics, **metrics},
        units={**base.units, **units},
        events=events,
        history=_history(base.history, setup, torques),
    )


def _move_events(setup: "Setup", moves: TriggeredMoves) -> list[RunEvent]:
    """Return the starts of moves with a name, and the first times at which moves left the reach of the arm."""
    names = {i: move.name or str(i + 1) for i, move in enumerate(setup.scenario.moves)}
    started = [
        RunEvent(
            time=started.time,
            name=f"move-{names[started.move]}",
            message=f"The move {names[started.move]!r} starts.",
        )
        for started in moves.started
        if setup.scenario.moves[started.move].name
    ]
    unreachable = [
        RunEvent(
            time=missed.time,
            name="out-of-reach",
            message=f"Move {names[missed.move]!r} leaves the reach of the arm, which goes to the closest pose.",
        )
        for missed in moves.unreachable
    ]
    stopped = [
        RunEvent(
            time=felt.time,
            name="force-reached",
            message=f"Move {names[felt.move]!r} stops: the sensor measures more than "
            f"{setup.scenario.moves[felt.move].until_force:g} N.",
        )
        for felt in moves.stopped
    ]
    return [*started, *unreachable, *stopped]


def add_readings(result: Result, setup: "Setup", t: NDArray[np.float64], rows: NDArray[np.float64]) -> Result:
    """Add the readings of the force-torque sensor at times t to a result: the last one before each row of the history.

    The peaks are those of all readings.
    """
    if setup.scenario.force_sensor is None or not len(rows):
        return result
    force, moment = (np.linalg.norm(part, axis=1) for part in (rows[:, :3], rows[:, 3:]))
    values = np.column_stack([rows, force, moment])
    names = ["fx", "fy", "fz", "tx", "ty", "tz", "force", "moment"]
    at = np.maximum(np.searchsorted(t, result.history.time + SAME_TIME, side="right") - 1, 0)
    channels = {
        f"force_sensor.{name}": Channel(values=values[at, k].copy(), unit="N" if name[0] == "f" else "N*m")
        for k, name in enumerate(names)
    }
    metrics = {"peak_sensor_force": float(force.max()), "peak_sensor_moment": float(moment.max())}
    return replace(
        result,
        metrics={**result.metrics, **metrics},
        units={**result.units, "peak_sensor_force": "N", "peak_sensor_moment": "N*m"},
        history=replace(result.history, channels={**result.history.channels, **channels}),
    )


def _history(history: History, setup: "Setup", log: TorqueLog) -> History:
    """Add the log of joints that are recorded to a history.

    Rows have the commands in force, the last measured external torques, and of the torques mean and largest value since
    the row before: no torque period is missed, however few rows there are.
    """
    if not len(log.t):
        return history
    commands, external = log.commands_at(history.time), log.external_at(history.time)
    means, largest = log.torques_between(history.time)
    channels = dict(history.channels)
    for k, (name, joint) in enumerate(zip(setup.joints, setup.order)):
        if f"{setup.arm.bodies[k]}.joint" not in history.channels:  # `record.all` is false
            continue
        rotary = setup.description.moving[joint].motion.is_rotary
        angle, torque = ("rad", "N*m") if rotary else ("m", "N")
        position = history[f"{setup.arm.bodies[k]}.joint"]
        channels[f"{name}.position"] = Channel(values=position, unit=angle)
        for what, values, unit in (
            ("command", commands, angle),
            ("torque", means, torque),
            ("torque_peak", largest, torque),
            ("external_torque", external, torque),
        ):
            channels[f"{name}.{what}"] = Channel(values=values[:, k].copy(), unit=unit)
        channels[f"{name}.difference"] = Channel(
            values=channels[f"{name}.command"].values - position, unit=angle
        )
    return History(time=history.time, channels=channels)


def _metrics(
    setup: "Setup", log: Log, torques: TorqueLog
) -> tuple[Mapping[str, float | int | None], Mapping[str, str]]:
    """Return tracking errors, peak torques, used shares of the limits and the static residual, with units.

    Torques and speeds are the largest of all torque periods.
    """
    metrics: dict[str, float | int | None] = {}
    units: dict[str, str] = {}
    peaks = torques.peaks
    for k, name in enumerate(setup.joints):
        rotary = setup.description.moving[setup.order[k]].motion.is_rotary
        flat = name.replace("-", "_")
        for what, sizes, unit in (
            ("tracking_error_max", np.abs(log.command[:, k] - log.q[:, k]), "rad" if rotary else "m"),
            ("peak_torque", peaks[k : k + 1], "N*m" if rotary else "N"),
            ("peak_external_torque", np.abs(torques.external[:, k]), "N*m" if rotary else "N"),
        ):
            metrics[f"{what}_{flat}"] = float(sizes.max(initial=0.0))
            units[f"{what}_{flat}"] = unit
    metrics["torque_used"] = float((peaks / setup.limits.torque).max(initial=0.0))
    metrics["speed_used"] = float(np.abs(torques.qdot / setup.limits.speed).max(initial=0.0))
    metrics["static_residual"] = static_residual(setup, log)
    metrics["refused_commands"] = log.refused
    return metrics, units


def static_residual(setup: "Setup", log: Log) -> float | None:
    """Return the relative residual of static equilibrium where the arm pushes at rest; None if it never does.

    At rest the joint torques balance gravity and the contact force: tau = g(q) + J^T f; Eq. (A19).
    """
    pushing = np.linalg.norm(log.tau_external, axis=1)
    resting = (np.abs(log.qdot) < AT_REST * setup.limits.speed).all(axis=1)
    rows = np.flatnonzero(resting & (pushing > PUSHING * pushing.max(initial=0.0)))
    if not len(rows):
        return None
    row = rows[np.argmax(pushing[rows])]
    gravity = setup.arm.X_NB.R.T @ np.asarray(setup.scenario.gravity)
    contact_torque = log.tau_measured[row] - setup.arm.gravity_torque(log.q[row], gravity)
    return float(np.linalg.norm(contact_torque - log.tau_external[row]) / pushing[row])
