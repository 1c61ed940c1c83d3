"""Run a scenario of kind `chain`: a chain of masses in one dimension."""

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from softdock.lumped.chain import Chain, Pad, Wedge
from softdock.lumped.chain_run import ChainOutcome, ChainRun, run_chain
from softdock.lumped.kernels.polynomial import ORDER
from softdock.lumped.kernels.rows import ROW_TIME
from softdock.model.member_kinds import ReactionKind
from softdock.prediction import UNITS as PREDICTION_UNITS
from softdock.prediction.chain import predict_chain
from softdock.result import Array, Audit, Channel, History, PeakReaction, Result, RunEvent, Timing
from softdock.scenario.chain import CONTACT, LATCH, LATCH_SPRING, ChainScenario
from softdock.simulation.reactions import reaction_metrics, sort_reactions
from softdock.simulation.real_time import RealTime
from softdock.simulation.row_times import after_jumps, space_rows

_EVENTS = {
    "touch": "The bodies touch.",
    "release": "The contact force has fallen to zero: the bodies let go.",
    "press_again": "The bodies press again before the contact had recovered.",
    "recovered": "The contact has recovered its shape.",
    "turn": "The probe comes to rest in the wedge.",
    "latch": "The latch closes.",
    "leave": "The probe leaves the wedge.",
    "slip_in": "The wedge slides in again.",
    "slip_out": "The wedge slides out.",
    "part": "The bodies part.",
    "settle": "The rebound has died out: the bodies rest against each other.",
}


class PreparedChain:
    """A chain of masses, prepared to run."""

    def __init__(self, scenario: ChainScenario) -> None:
        self.scenario = scenario
        self.chain = chain_of(scenario)

    @functools.cached_property
    def prediction(self) -> dict[str, Any]:
        """Prediction of theory."""
        return predict_chain(self.scenario, self._velocities_at_touch)

    def simulate(self, real_time: RealTime | None = None, *, for_prediction: bool = False) -> Result:
        """Run the chain and return its result."""
        return _run(self.scenario, self.chain, self.prediction)

    def predict(self) -> Mapping[str, Any] | None:
        """Return the prediction of theory; None where masses oscillate and do not touch within the duration."""
        touch = self._velocities_at_touch
        return self.prediction if touch is None or np.isfinite(touch).all() else None

    @functools.cached_property
    def _velocities_at_touch(self) -> Array | None:
        """Velocities of all masses where they first touch [m/s]; None if no mass moves within its chain."""
        if not self.scenario.has_internal_motion():
            return None
        free = replace(self.chain, pad=None, wedge=None, restitution=1.0)
        end = self.scenario.stop.time
        return run_chain(free, end_time=end, impacts=1, rate=1.0 / end).velocities_at_touch


def _run(scenario: ChainScenario, chain: Chain, prediction: dict[str, Any]) -> Result:
    done = run_chain(
        chain, end_time=scenario.stop.time, impacts=scenario.stop.impacts, rate=scenario.record.rate
    )
    reactions = _reactions(scenario, done)
    units = PREDICTION_UNITS | scenario.metric_units()
    return Result(
        scenario=scenario.name,
        outcome=done.outcome.identifier,
        message=done.outcome.value,
        metrics=_metrics(scenario, done, prediction) | reaction_metrics(reactions),
        audit=Audit(
            linear_momentum_drift=_relative(done.momentum_error, done.momentum_scale),
            angular_momentum_drift=None,
            energy_residual=_relative(done.energy_error, done.energy_scale),
        ),
        timing=Timing(
            simulated_s=float(done.time[-1]),
            wall_s=0.0,
            steps=done.steps,
            evaluations=done.steps * (ORDER + 1),
        ),
        history=_history(scenario, done),
        loads=reactions,
        units={name: unit for name, unit in units.items() if unit != "1"},
        events=tuple(RunEvent(time=t, name=name, message=_EVENTS[name]) for t, name in done.events),
        prediction=prediction,
    )


def chain_of(scenario: ChainScenario) -> Chain:
    """Return the scenario as the chain that runs."""
    contact, latch = scenario.contact, scenario.latch
    pad = wedge = None
    if contact is not None and contact.stiffness is not None:
        pad = Pad(stiffness=contact.stiffness, damping=scenario.contact_damping)
    if latch is not None:
        wedge = Wedge.of(
            stiffness=latch.stiffness,
            angle=latch.angle,
            tip_length=latch.tip_length,
            friction_angle=latch.angle_of_friction,
        )
    return Chain(
        chaser_masses=scenario.chaser.masses,
        target_masses=scenario.target.masses,
        chaser_stiffness=scenario.chaser.stiffness,
        target_stiffness=scenario.target.stiffness,
        chaser_damping=scenario.chaser.damping,
        target_damping=scenario.target.damping,
        anchored=scenario.target.anchored,
        speed=scenario.speed,
        target_velocity=scenario.target.velocity,
        chaser_velocities=scenario.chaser.velocities,
        target_velocities=scenario.target.velocities,
        chaser_deflections=scenario.chaser.deflections,
        target_deflections=scenario.target.deflections,
        gap=scenario.gap,
        pad=pad,
        restitution=None if contact is None else contact.restitution,
        wedge=wedge,
    )


def _relative(error: float, scale: float) -> float | None:
    """Return an error against its scale; None where nothing moves enough to have one."""
    return error / scale if scale > 0.0 else None


def _metrics(scenario: ChainScenario, done: ChainRun, prediction: Any) -> dict[str, Any]:
    chain = done.chain
    before, after = chain.velocities, done.velocities_after
    V_c, V_t = (after @ chain.system_weights).tolist()
    metrics: dict[str, Any] = {
        "relative_velocity_before": chain.speed,
        "oscillation_before": done.oscillation_at_touch if scenario.has_internal_motion() else 0.0,
        "relative_velocity_after": V_c - V_t,
        "chaser_velocity_after": V_c,
        "target_velocity_after": V_t,
        "velocities_after": after.tolist(),
        "effective_mass_ratio": prediction["effective_mass_ratio"],
        "impulse": done.impulse,
        "peak_contact_force": done.peak_force if chain.restitution is None else np.nan,
        "contact_duration": done.separation_time - done.touch_time,
        "impacts": done.impacts,
        "kinetic_energy_before": float(0.5 * chain.mass @ before**2),
        "kinetic_energy_after": float(0.5 * chain.mass @ after**2),
        "energy_dissipated": float(done.dissipated[-1]),
    }
    if chain.wedge is None:
        metrics["penetration_max"] = done.deepest
    else:
        metrics["insertion_max"] = done.deepest
        metrics["latch_time"] = done.latch_time - done.touch_time
        metrics["latched"] = done.outcome is ChainOutcome.LATCHED
        single = len(done.velocities[-1]) == 2 and not scenario.has_internal_motion()  # else an estimate
        if single and "minimum_speed" in prediction:
            metrics["minimum_speed"] = prediction["minimum_speed"]
    return metrics


def _reactions(scenario: ChainScenario, done: ChainRun) -> tuple[PeakReaction, ...]:
    """Return the reactions of springs, contact and latch; none of rigid impacts, whose force is not finite."""
    sizes, times = done.link_peaks
    reactions = [
        _reaction(name, "spring", float(sizes[link]), float(times[link]))
        for name, link in scenario.springs().items()
    ]
    if done.chain.restitution is None:
        reactions.append(_reaction(CONTACT, "contact", done.peak_force, done.t_peak_force))
    if done.chain.wedge is not None:
        reactions.append(_reaction(LATCH, "contact", done.peak_wedge_force, done.t_peak_wedge_force))
        reactions.append(_reaction(LATCH_SPRING, "spring", done.peak_latch_spring_force, done.t_deepest))
    return sort_reactions(reactions)


def _reaction(name: str, kind: ReactionKind, force: float, time: float) -> PeakReaction:
    return PeakReaction(name=name, kind=kind, peak_force=force, t_peak_force=time if force > 0.0 else None)


def _history(scenario: ChainScenario, done: ChainRun) -> History:
    """Return the recorded rows at distinct times."""
    needed = np.concatenate([done.work.peaks[:, ROW_TIME], [t for t, _ in done.events]])
    rows, time = space_rows(after_jumps(done.time), needed)
    return History(
        time=time,
        channels={
            name: Channel(values=channel.values[rows], unit=channel.unit)
            for name, channel in _channels(scenario, done).items()
        },
    )


def _channels(scenario: ChainScenario, done: ChainRun) -> dict[str, Channel]:
    """Return all channels at the recorded rows."""
    chain = done.chain
    V_c, V_t = (done.velocities @ chain.system_weights).T
    n = len(chain.chaser_masses)
    channels = {
        "chaser.velocity": Channel(values=V_c, unit="m/s"),
        "target.velocity": Channel(values=V_t, unit="m/s"),
        "relative_velocity": Channel(values=V_c - V_t, unit="m/s"),
    }
    for i in range(len(chain.mass)):
        name = f"chaser.{i + 1}" if i < n else f"target.{i - n + 1}"
        channels[f"{name}.velocity"] = Channel(values=done.velocities[:, i], unit="m/s")
        channels[f"{name}.displacement"] = Channel(values=done.positions[:, i], unit="m")
    channels["overlap" if chain.wedge is None else "insertion"] = Channel(values=done.overlap, unit="m")
    channels[f"{CONTACT}.force"] = Channel(values=np.minimum(done.force, done.peak_force), unit="N")
    for name, link in scenario.springs().items():
        channels[f"{name}.force"] = Channel(values=done.link_forces[:, link], unit="N")
    if chain.wedge is not None:
        channels[f"{LATCH}.force"] = Channel(
            values=np.clip(done.wedge_force, -done.peak_wedge_force, done.peak_wedge_force), unit="N"
        )
        channels[f"{LATCH_SPRING}.force"] = Channel(values=done.latch_spring_force, unit="N")
    channels["energy.kinetic"] = Channel(values=0.5 * done.velocities**2 @ chain.mass, unit="J")
    channels["energy.dissipated"] = Channel(values=done.dissipated, unit="J")
    return channels
