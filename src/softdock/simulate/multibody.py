"""Run a scenario of kind `multibody`."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softdock.assembly.contacts import refuse_overlap
from softdock.assembly.interfaces import interface_records, refuse_stuck_pins
from softdock.dynamics.kernels.tree import copied
from softdock.dynamics.session import LOST_INERTIA, Ending, Run, Session
from softdock.dynamics.settings import Accuracy, Method, Settings
from softdock.dynamics.simulation import Simulation
from softdock.result import Audit, Channel, Event, History, Result, Timing
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulate.pattern import Pattern, Recorded, pattern_of
from softdock.simulate.real_time import RealTime, run_in_frames
from softdock.simulate.validity import judge
from softdock.simulate.zones import WithZones

DIVERGED = 0.5
"""Energy gained from nowhere, relative to all that took part, from which on a run has diverged."""


def run(scenario: MultibodyScenario) -> Result:
    """Run the scenario and return what happened."""
    pattern = pattern_of(scenario)
    simulation = _simulation(scenario, pattern)
    session = simulation.begin()
    _refuse(scenario, simulation, session)
    session.advance(scenario.duration)
    return _result(scenario, session.finish(), pattern)


def run_real_time(scenario: MultibodyScenario, how: RealTime) -> Result:
    """Run the scenario in frames that keep time with the clock, and tell how they did."""
    pattern = pattern_of(scenario)
    simulation = prepare(scenario)
    session = replace(simulation, settings=how.settings(simulation.settings)).begin()
    frames = run_in_frames(session, scenario.duration, how)
    result = _result(scenario, session.finish(), pattern)
    timing = replace(
        result.timing,
        frame_s=frames.frame,
        frames=len(frames.wall),
        missed_frames=frames.missed,
        worst_frame_s=frames.worst,
    )
    return replace(result, timing=timing)


def prepare(scenario: MultibodyScenario) -> Simulation:
    """Return the scenario as a simulation that is ready to run."""
    simulation = _simulation(scenario, pattern_of(scenario))
    _refuse(scenario, simulation)
    return simulation


def result_of(scenario: MultibodyScenario, run: Run) -> Result:
    """Return a finished run as a result: outcome, metrics, audit and history."""
    return _result(scenario, run, pattern_of(scenario))


def _refuse(scenario: MultibodyScenario, simulation: Simulation, session: Session | None = None) -> None:
    """Raise `InputError` where something is inside something else at the start."""
    refuse_overlap(scenario, simulation.depths_at_start(session))
    refuse_stuck_pins(scenario, simulation.assembly, simulation.interfaces, simulation.pins)


def _simulation(scenario: MultibodyScenario, pattern: Pattern) -> Simulation:
    assembly = pattern.assemble(scenario)
    pairs, contact_pairs = pattern.pairs(scenario, assembly)
    interfaces, pins = interface_records(scenario, assembly)
    return Simulation(
        assembly=assembly,
        settings=_settings(scenario),
        channels=pattern.channels(scenario, assembly),
        events=copied(pattern.events),
        actions=pattern.actions(scenario, assembly),
        pairs=pairs,
        contact_pairs=contact_pairs,
        interfaces=interfaces,
        pins=pins,
        watched=pattern.watched,
    )


def _settings(scenario: MultibodyScenario) -> Settings:
    integrator, record = scenario.integrator, scenario.record
    return Settings(
        duration=scenario.duration,
        method=Method(integrator.method),
        step=integrator.step,
        accuracy=Accuracy(**integrator.accuracy.model_dump()),
        max_step=integrator.max_step or np.inf,
        max_steps=integrator.max_steps,
        record_rate=record.rate,
        record_contact=record.contact_steps,
        max_rows=record.max_rows,
    )


def _result(scenario: MultibodyScenario, run: Run, pattern: Pattern) -> Result:
    names = list(scenario.events)
    events = tuple(
        Event(time=t, name=names[i], message=scenario.events[names[i]].message) for t, i in run.log
    )
    outcome, message = _outcome(scenario, run, events)
    valid, warnings = judge(scenario, run)
    return Result(
        scenario=scenario.name,
        outcome=outcome,
        message=message,
        completed=_is_complete(run),
        valid=valid,
        warnings=warnings,
        metrics=_metrics(scenario, run, pattern, events),
        audit=_audit(scenario, run),
        timing=Timing(simulated_s=run.time, wall_s=0.0, steps=run.steps, evaluations=run.evaluations),
        history=History(time=run.history[:, 0], channels=_channels(scenario, run, pattern)),
        events=events,
        units=pattern.units,
    )


def _is_complete(run: Run) -> bool:
    """Tell whether the run reached its end, and did not diverge on its way."""
    return run.ending in (Ending.TIME_REACHED, Ending.STOPPED) and run.conservation.energy_gain <= DIVERGED


def _channels(scenario: MultibodyScenario, run: Run, pattern: Pattern) -> Mapping[str, Channel]:
    recorded = Recorded(run.history, pattern.labels)
    return WithZones(recorded, scenario, pattern.zones) if pattern.zones else recorded


def _outcome(scenario: MultibodyScenario, run: Run, events: tuple[Event, ...]) -> tuple[str, str]:
    if run.ending not in (Ending.TIME_REACHED, Ending.STOPPED):
        reason = f" {LOST_INERTIA}" if run.lost_inertia else ""
        return run.ending.name.lower(), f"{run.ending.value} It ended at {run.time:.6g} s.{reason}"
    if not _is_complete(run):
        return "diverged", (
            "The run diverged: bodies gained energy that nothing gave them, so that its numbers mean nothing. "
            "Take smaller steps, or leave `integrator.step` out."
        )
    happened = {event.name for event in events}
    for outcome in scenario.outcomes:
        if happened.issuperset(outcome.happened) and happened.isdisjoint(outcome.not_happened):
            return outcome.name, outcome.message
    if run.ending is Ending.STOPPED and run.stop_event is not None:
        name = list(scenario.events)[run.stop_event]
        return name.replace("-", "_").lower(), scenario.events[
            name
        ].message or f"The event {name!r} stopped the run."
    return "completed", f"The run reached its end time of {run.time:g} s."


def _metrics(
    scenario: MultibodyScenario, run: Run, pattern: Pattern, events: tuple[Event, ...]
) -> Mapping[str, float | None]:
    times = {event.name: event.time for event in reversed(events)}
    largest, smallest = run.peaks["largest"], run.peaks["smallest"]
    metrics: dict[str, float | None] = {name: float(largest[i]) for name, i in pattern.peaks.items()}
    if pattern.touching:
        metrics["peak_contact_force"] = max(
            metrics[f"peak_contact_force_{n.replace('-', '_')}"] for n in pattern.touching
        )  # type: ignore[type-var]
    for name, structure in scenario.structures.items():
        kept, flat = structure.find_modes(scenario.directory), name.replace("-", "_")
        metrics[f"modes_{flat}"] = kept.frequency.size
        metrics[f"residual_{flat}"] = kept.residual
    for name, measure in pattern.measures.items():
        i, end = measure.channel, times.get(measure.end)
        if measure.how == "start":
            metrics[name] = float(run.history[0, 1 + i])
        elif measure.how:
            metrics[name] = float({"max": largest, "min": smallest, "final": run.final}[measure.how][i])
        elif measure.begin:
            begin = times.get(measure.begin)
            metrics[name] = None if begin is None or end is None else end - begin
        else:
            metrics[name] = end
    return metrics


def _audit(scenario: MultibodyScenario, run: Run) -> Audit:
    """Largest relative errors during the run; None for momentum where the ground, gravity or a load takes part."""
    found = run.conservation
    closed = found.floating and not scenario.loads and not any(scenario.gravity) and scenario.orbit is None
    return Audit(
        linear_momentum_drift=found.linear_momentum_drift if closed else None,
        angular_momentum_drift=found.angular_momentum_drift if closed else None,
        energy_residual=found.energy_residual,
    )
