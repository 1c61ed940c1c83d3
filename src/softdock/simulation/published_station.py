"""Run a docking with a flexible station by the station paper's own method: free-free modes, mean axes, fixed steps."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.flexible.mean_axes import MeanAxesModes
from softdock.flexible.published import (
    PublishedImpulse,
    PublishedMotion,
    PublishedState,
    centre_of_mass,
    propagate_published,
    published_docking,
    static_coordinates,
)
from softdock.orbit.kepler import MU
from softdock.prediction.station import predict_docking
from softdock.result import Audit, Channel, History, Result, RunEvent, Timing
from softdock.scenario.station import FREQUENCIES, StationScenario
from softdock.scenario.station_modes import published_modes
from softdock.spatial.rotations import (
    cross,
    matrix_from_quaternion,
    matrix_from_rotation_vector,
    quaternion_from_matrix,
)

Floats = NDArray[np.float64]
STAGES = 4
"""Evaluations per Runge-Kutta step."""
JUMP = 1e-6
"""Time between the last row before and the first one after the docking [s], as of all jumps in histories."""


class PreparedPublishedStation:
    """A docking by the paper's method, prepared to run."""

    def __init__(self, scenario: StationScenario) -> None:
        self.scenario = scenario

    @functools.cached_property
    def modes(self) -> tuple[MeanAxesModes, MeanAxesModes]:
        """Free-free modes of the station, and of station and visitor."""
        return published_modes(self.scenario)

    @functools.cached_property
    def prediction(self) -> Mapping[str, Any]:
        """Prediction of the docking of a station at rest."""
        return predict_docking(self.scenario)

    def simulate(self) -> Result:
        """Run the docking and return its result."""
        scenario, (alone, docked) = self.scenario, self.modes
        start = _start(scenario, alone)
        before = _propagate(scenario, alone, start, scenario.before)
        impulse, joined = _dock(scenario, alone, docked, before.end)
        after = _propagate(scenario, docked, joined, scenario.after)
        spans = (_Span(alone, before, 0.0), _Span(docked, after, scenario.before))
        delta_rate = np.linalg.norm(impulse.base_motion[:3] - _base_rate(alone, before.end))
        metrics = self._metrics(impulse, spans, float(delta_rate))
        units = scenario.metric_units()
        return Result(
            scenario=scenario.name,
            outcome="docked",
            message=(
                f"The visitor docked at {scenario.closing_rate:g} m/s; the angular rate of the station's base changed "
                f"by {metrics['delta_rate']:.4g} rad/s ({metrics['delta_rate_rigid']:.4g} as a rigid body), by the "
                f"published method with {metrics['modes']} free-free modes."
            ),
            metrics=metrics,
            units={name: unit for name, unit in units.items() if unit != "1"},
            audit=_audit(scenario, impulse, spans),
            timing=Timing(
                simulated_s=scenario.before + scenario.after,
                wall_s=0.0,
                steps=before.steps + after.steps,
                evaluations=STAGES * (before.steps + after.steps),
            ),
            history=_history(scenario, spans),
            events=(RunEvent(time=scenario.before, name="docking", message="The visitor docks."),),
            prediction=self.prediction,
        )

    def _metrics(
        self, impulse: PublishedImpulse, spans: "tuple[_Span, _Span]", delta_rate: float
    ) -> dict[str, Any]:
        scenario, (alone, docked) = self.scenario, self.modes
        metrics: dict[str, Any] = {"mass": float(alone.inertia[3, 3])}
        c, m = centre_of_mass(alone.inertia), alone.inertia[3, 3]
        J = alone.inertia[:3, :3] - m * (c @ c * np.eye(3) - np.outer(c, c))
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
            # Products of inertia as Table 2 prints them: the integral of x z dm, not the element of the matrix.
            metrics[f"inertia_{'xyz'[i]}{'xyz'[j]}"] = float(J[i, j] if i == j else -J[i, j])
        metrics |= {
            "closing_rate": scenario.closing_rate,
            **self.prediction,
            "delta_rate_simulated": delta_rate,
            "docking_loss": impulse.loss,
            "modes": docked.frequency.size,
            "modes_simulated": docked.frequency.size,
            "highest_frequency": float(docked.frequency[-1]),
            "static_coordinates": spans[0].motion.modal[0, :FREQUENCIES].tolist(),
        }
        for kind, modes in (("free", alone), ("docked", docked)):
            for i, f in enumerate(modes.frequency[:FREQUENCIES]):
                metrics[f"{kind}_frequency_{i + 1}"] = float(f)
        for key, node in zip("ab", scenario.points()):
            metrics[f"max_deflection_{key}"] = max(_largest(span.deflection(node)) for span in spans)
            metrics[f"max_deflection_{key}_from_base"] = max(_largest(span.from_base(node)) for span in spans)
        return metrics


@dataclass(frozen=True)
class _Span:
    """Motion before or after the docking."""

    modes: MeanAxesModes
    motion: PublishedMotion
    begin: float
    """Its beginning [s]."""

    def deflection(self, node: str) -> Floats:
        """Return the displacement of a node from its place in the mean axes, (times, 3) [m]; Eq. (F80)."""
        return np.asarray(self.motion.modal @ self.modes.shapes[self.modes.node(node), 3:].T)

    def from_base(self, node: str) -> Floats:
        """Return the same from its place in axes of the base, (times, 3) [m]; Eq. (F81)."""
        return np.asarray(self.motion.modal @ self.modes.from_base(node)[3:].T)


def _largest(displacement: Floats) -> float:
    return float(np.linalg.norm(displacement, axis=1).max())


def _start(scenario: StationScenario, alone: MeanAxesModes) -> PublishedState:
    """Return the start: at rest in the Hill frame, in equilibrium in its gravity gradient."""
    attitude, zero = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3)
    rest = np.zeros(alone.frequency.size)
    if scenario.orbit is None:
        return PublishedState(
            position=zero, velocity=zero, attitude=attitude, rate=zero, modal=rest, modal_rate=rest
        )
    radius, n = scenario.orbit.semi_major_axis, scenario.orbit.mean_motion
    gradient = n**2 * np.diag([-1.0, -1.0, 2.0])
    return PublishedState(
        position=np.array([0.0, 0.0, -radius]),
        velocity=np.array([n * radius, 0.0, 0.0]),
        attitude=attitude,
        rate=np.array([0.0, -n, 0.0]),
        modal=static_coordinates(alone, gradient),
        modal_rate=rest,
    )


def _propagate(
    scenario: StationScenario, modes: MeanAxesModes, start: PublishedState, duration: float
) -> PublishedMotion:
    step = scenario.published.step
    return propagate_published(
        modes,
        start,
        duration=duration,
        step=step,
        every=max(round(1.0 / (scenario.record_rate * step)), 1),
        damping=scenario.damping,
        gravity=0.0 if scenario.orbit is None else MU,
    )


def _base_rate(modes: MeanAxesModes, state: PublishedState) -> Floats:
    """Return the angular velocity of the base in station axes [rad/s]."""
    return np.asarray(state.rate + modes.base_shapes[:3] @ state.modal_rate)


def _dock(
    scenario: StationScenario, alone: MeanAxesModes, docked: MeanAxesModes, state: PublishedState
) -> tuple[PublishedImpulse, PublishedState]:
    """Return the docking, and the state of station and visitor after it; deflections do not jump."""
    R_NS = matrix_from_quaternion(state.attitude)
    c = centre_of_mass(alone.inertia)
    velocity = R_NS.T @ state.velocity
    motion = np.concatenate([state.rate, velocity - cross(state.rate, c)])  # of the mean axes, about the base
    modal_rate = alone.base_shapes @ state.modal_rate
    base = motion + modal_rate
    body_motion = base + np.concatenate([np.zeros(3), scenario.velocity()])
    overlap = docked.overlap(alone)
    impulse = published_docking(
        docked,
        motion=motion,
        body_motion=body_motion,
        modal=overlap @ state.modal_rate,
        energy=0.5 * float(state.modal_rate @ state.modal_rate),
    )
    # The visitor moves with the base, so that the mean axes of both differ from those of the station.
    moved = docked.body @ alone.base_shapes @ state.modal
    shift = np.asarray(np.linalg.solve(docked.total_inertia, moved), float)
    R_docked = R_NS @ matrix_from_rotation_vector(shift[:3])
    c_docked = centre_of_mass(docked.total_inertia)
    base_place = state.position - R_NS @ c + R_NS @ shift[3:]
    after = impulse.mean_motion
    return impulse, PublishedState(
        position=base_place + R_docked @ c_docked,
        velocity=R_docked @ (after[3:] + cross(after[:3], c_docked)),
        attitude=quaternion_from_matrix(R_docked),
        rate=after[:3],
        modal=overlap @ state.modal + docked.base_shapes.T @ moved,
        modal_rate=impulse.modal_rate,
    )


def _audit(scenario: StationScenario, impulse: PublishedImpulse, spans: tuple[_Span, _Span]) -> Audit:
    """Return the check of momentum in the docking and of the balance of the modal energy."""
    closing = scenario.visitor.mass * max(scenario.closing_rate, np.finfo(float).tiny)
    arm = float(np.linalg.norm(scenario.visitor.centre)) or 1.0
    worst, largest = 0.0, 0.0
    for span in spans:
        energy = span.motion.modal_energy(span.modes.frequency)
        residual = energy - energy[0] + span.motion.dissipated - span.motion.work
        worst, largest = max(worst, float(np.abs(residual).max())), max(largest, float(energy.max()))
    return Audit(
        linear_momentum_drift=float(np.linalg.norm(impulse.momentum_error[3:])) / closing,
        angular_momentum_drift=float(np.linalg.norm(impulse.momentum_error[:3])) / (closing * arm),
        energy_residual=worst / largest if largest > 0.0 else None,
    )


def _history(scenario: StationScenario, spans: tuple[_Span, _Span]) -> History:
    """Return poses of base and visitor, deflections and modal coordinates; rows before and after the docking."""
    time = np.concatenate([span.begin + span.motion.time for span in spans])
    time[spans[0].motion.time.size] += JUMP
    columns: dict[str, Channel] = {}
    for name, unit, values in _channels(scenario, spans):
        columns[name] = Channel(values=np.concatenate(values), unit=unit)
    return History(time=time, channels=columns)


def _channels(scenario: StationScenario, spans: tuple[_Span, _Span]) -> list[tuple[str, str, list[Floats]]]:
    """Return name, unit and values in both spans of every channel."""
    rows: list[tuple[str, str, list[Floats]]] = []
    base = [_base_pose(scenario, span) for span in spans]
    visitor = [_visitor_place(scenario, span, *pose) for span, pose in zip(spans, base)]
    for i, axis in enumerate("xyz"):
        rows.append((f"station.{axis}", "m", [p[:, i] for p, _ in base]))
        rows.append((f"visitor.{axis}", "m", [p[:, i] for p in visitor]))
        rates = [s.motion.rate + s.motion.modal_rate @ s.modes.base_shapes[:3].T for s in spans]
        rows.append((f"station.w{axis}", "rad/s", [w[:, i] for w in rates]))
    for i, part in enumerate("wxyz"):
        for body in ("station", "visitor"):
            rows.append((f"{body}.q{part}", "1", [q[:, i] for _, q in base]))
    for node in dict.fromkeys(scenario.points()):
        for label, moves in (
            ("", [s.deflection(node) for s in spans]),
            ("-from-base", [s.from_base(node) for s in spans]),
        ):
            prefix = f"tower/{node}{label}"
            rows += [(f"{prefix}.d{a}", "m", [d[:, i] for d in moves]) for i, a in enumerate("xyz")]
            rows.append((f"{prefix}.deflection", "m", [np.linalg.norm(d, axis=1) for d in moves]))
    rows += _drawn_modes(scenario, spans)
    for k in range(min(FREQUENCIES, spans[1].modes.frequency.size)):
        rows.append((f"tower.free_mode{k + 1}", "kg^0.5*m", [s.motion.modal[:, k] for s in spans]))
    return rows


def _drawn_modes(
    scenario: StationScenario, spans: tuple[_Span, _Span]
) -> list[tuple[str, str, list[Floats]]]:
    """Return the coordinates of the clamped modes that replays draw, fitted to the deflections from the base."""
    if scenario.has_imported_modes():
        return []
    drawn = scenario.drawn_flexible().find_modes(scenario.directory)
    shapes = drawn.shapes[:, 3:].reshape(-1, drawn.frequency.size)
    fitted = []
    for span in spans:
        moved = np.stack([span.modes.from_base(name)[3:] for name in drawn.names])
        weights = np.linalg.lstsq(shapes, moved.reshape(-1, moved.shape[-1]), rcond=None)[0]
        fitted.append(span.motion.modal @ weights.T)
    count = drawn.frequency.size
    return [(f"tower.mode{k + 1}", "kg^0.5*m", [q[:, k] for q in fitted]) for k in range(count)]


def _base_pose(scenario: StationScenario, span: _Span) -> tuple[Floats, Floats]:
    """Return place of the base from the reference orbit, (times, 3) [m], and its attitudes, (times, 4)."""
    motion, modes = span.motion, span.modes
    R = np.moveaxis(matrix_from_quaternion(motion.attitude.T), -1, 0)
    arm = motion.modal @ modes.base_shapes[3:].T - centre_of_mass(modes.total_inertia)
    place = motion.position + np.einsum("tij,tj->ti", R, arm)
    if scenario.orbit is not None:
        angle = scenario.orbit.mean_motion * (span.begin + motion.time)
        radius = scenario.orbit.semi_major_axis
        place = place - radius * np.stack([np.sin(angle), np.zeros_like(angle), -np.cos(angle)], axis=1)
    turned = motion.modal @ modes.base_shapes[:3].T  # small
    return place, _turned(motion.attitude, turned)


def _turned(attitude: Floats, angles: Floats) -> Floats:
    """Return unit quaternions (times, 4) followed by small rotations (times, 3) [rad] in the rotated axes."""
    w, v = attitude[:, :1], attitude[:, 1:]
    half = 0.5 * angles
    scalar = w - (v * half).sum(axis=1, keepdims=True)
    q = np.concatenate([scalar, v + w * half + np.cross(v, half)], axis=1)
    return np.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))


def _visitor_place(scenario: StationScenario, span: _Span, place: Floats, attitude: Floats) -> Floats:
    """Return places of the visitor's centre, (times, 3) [m]: it approaches along a line in station axes."""
    left = np.maximum(scenario.before - span.begin - span.motion.time, 0.0)
    R = np.moveaxis(matrix_from_quaternion(attitude.T), -1, 0)
    arm = np.asarray(scenario.visitor.centre) - left[:, None] * scenario.velocity()
    return np.asarray(place + np.einsum("tij,tj->ti", R, arm))
