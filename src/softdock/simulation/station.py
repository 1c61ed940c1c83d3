"""Run a scenario of kind `station`: aim the visitor, dock rigidly, simulate the vibration."""

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import assemble
from softdock.dynamics.impulse import ImpulseResponse
from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.dynamics.run_results import LOST_INERTIA, Ending
from softdock.dynamics.settings import Settings, StepTolerances
from softdock.dynamics.simulation import Simulation
from softdock.errors import InputError, RunError
from softdock.flexible.meshing import mesh
from softdock.flexible.modes import BaseModes, free_modes
from softdock.flexible.structure import Structure
from softdock.model.structures import Flexible, ModeChoice
from softdock.model.system import Body, System
from softdock.prediction.station import predict_docking
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.station import FREQUENCIES, READING_DELAY, StationScenario
from softdock.simulation.multibody import PreparedMultibody
from softdock.simulation.published_station import PreparedPublishedStation
from softdock.simulation.reactions import reaction_metrics
from softdock.simulation.real_time import RealTime
from softdock.spatial.inertia import rigid_inertia_matrix
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import (
    matrix_from_rotation_vector,
    quaternion_from_matrix,
    rotation_vector_from_matrix,
)
from softdock.spatial.vectors import point_velocity
from softdock.tree.joints import Free
from softdock.tree.kernels.tree import FREE

Floats = NDArray[np.float64]
FINE_ACCURACY = StepTolerances(length=1e-10, angle=1e-12, speed=1e-12, rate=1e-13)
"""For the motion before docking, which is slow and smooth."""
MAX_ITERATIONS = 12
"""Of aiming the visitor; each reduces the error to about a thousandth."""
AIM_TOLERANCE = 1e-9
"""[m or rad] Largest error of the pose of the visitor at the docking, and of its velocity times the time until then."""


class PreparedStation:
    """A docking with a flexible station, prepared to run."""

    def __init__(self, scenario: StationScenario) -> None:
        self.scenario = scenario

    @functools.cached_property
    def modes(self) -> BaseModes:
        """Modes of the station that take part in the impulse."""
        return self.scenario.flexible().find_modes(self.scenario.directory)

    @functools.cached_property
    def simulated(self) -> Flexible:
        """The station with the modes that are simulated in time."""
        return _with_simulated_modes(self.scenario.flexible(), self.modes, self.scenario)

    @functools.cached_property
    def multibody(self) -> PreparedMultibody:
        """The docking as a multibody system, its visitor aimed at the port; predictions do not need it."""
        return PreparedMultibody(as_multibody(self.scenario, self.simulated))

    @functools.cached_property
    def prediction(self) -> Mapping[str, Any]:
        """Prediction of the weld impulse."""
        return predict_docking(self.scenario)

    def simulate(self, real_time: RealTime | None = None, *, for_prediction: bool = False) -> Result:
        """Run the docking and return its result."""
        if self.scenario.method == "published":
            return PreparedPublishedStation(self.scenario).simulate()
        return _run(self)

    def predict(self) -> Mapping[str, Any]:
        """Return the effect of the weld impulse on a station at rest."""
        return self.prediction


def _run(docking: PreparedStation) -> Result:
    """Run the docking; the angular rate of the station is read just before and just after it."""
    scenario, prepared = docking.scenario, docking.multibody
    session = prepared.begin()
    rates = []
    joined = scenario.before + scenario.joined_after()
    for until in (scenario.before, joined + READING_DELAY):
        session.advance(until)
        rates.append(_rate(session.system))
    prepared.advance(session)
    result = prepared.result(session.finish())
    jump = float(np.linalg.norm(rates[1] - rates[0]))
    metrics = _metrics(docking, jump) | _deflections(scenario, result)
    demanded = scenario.requirement_metrics()
    units = scenario.metric_units() | {name: scenario.metric_unit(text) for name, text in demanded.items()}
    message = (
        f"The visitor docked at {scenario.closing_rate:g} m/s; the angular rate of the station changed by "
        f"{metrics['delta_rate']:.4g} rad/s ({metrics['delta_rate_rigid']:.4g} as a rigid body)."
    )
    metrics = {
        **reaction_metrics(result.loads),
        **metrics,
        **{name: result.metrics[name] for name in demanded},
    }
    return replace(
        result,
        outcome="docked" if result.completed else result.outcome,
        message=message if result.completed else result.message,
        metrics=metrics,
        metric_errors={name: error for name, error in result.metric_errors.items() if name in metrics},
        units={name: unit for name, unit in units.items() if unit != "1"},
    )


def as_multibody(scenario: StationScenario, simulated: Flexible | None = None) -> MultibodyScenario:
    """Return the docking as a scenario of kind `multibody`, its visitor aimed at the docking port."""
    flexible = scenario.flexible()
    if simulated is None:
        simulated = _with_simulated_modes(flexible, flexible.find_modes(scenario.directory), scenario)
    centre = mesh(scenario.members()).mass_properties().centre_of_mass - np.asarray(
        scenario.members().nodes[scenario.base_name()]
    )
    station = scenario.system(simulated, centre, Free(position=(1e3, 0.0, 0.0)))
    at_docking = _at_docking if scenario.crew else _alone_at_docking
    pose, motion = at_docking(station, scenario.before)
    return scenario.system(simulated, centre, _aim_visitor(scenario, pose, motion))


def _with_simulated_modes(flexible: Flexible, kept: BaseModes, scenario: StationScenario) -> Flexible:
    """Return the structure with the modes that are simulated in time."""
    if (
        scenario.model == "rigid"
        or kept.frequency.size == 0
        or kept.frequency[-1] <= scenario.simulated_below
    ):
        return flexible
    if isinstance(flexible.modes, ModeChoice) and flexible.modes.below is None:
        return flexible  # chosen by their effect on the base: few, and none may be omitted
    return flexible.model_copy(update={"modes": ModeChoice(below=scenario.simulated_below)})


def _at_docking(station: MultibodyScenario, before: float) -> tuple[Pose, Floats]:
    """Return the same as `_alone_at_docking` for a station whose crew moves before the docking."""
    prepared = PreparedMultibody(station)
    session = prepared.begin()
    session.advance(before)
    assembly = prepared.assembly
    return _pose_and_motion(ImpulseResponse(assembly, session.state.copy()), assembly.placed["station"].link)


def _alone_at_docking(station: MultibodyScenario, before: float) -> tuple[Pose, Floats]:
    """Return pose and motion in N (about N's origin) of the station's base at the time of docking."""
    alone = System(
        bodies={"station": station.bodies["station"]}, structures=station.structures, orbit=station.orbit
    )
    assembly = assemble(alone)
    settings = Settings(duration=before, record_rate=0.0, accuracy=FINE_ACCURACY)
    run = Simulation(assembly=assembly, settings=settings).run()
    if run.ending is not Ending.TIME_REACHED:
        reason = f" {LOST_INERTIA}" if run.lost_inertia else ""
        raise RunError(f"The station does not get as far as the docking. {run.ending.value}{reason}")
    return _pose_and_motion(ImpulseResponse(assembly, run.state), assembly.placed["station"].link)


def _pose_and_motion(impact: ImpulseResponse, link: int) -> tuple[Pose, Floats]:
    """Return pose and motion in N (about N's origin) of a link."""
    base = impact.motions[link]
    return Pose(R=base.R_NB.reshape(3, 3).copy(), p=base.p_NB.copy()), impact.motion[link].copy()


def _aim_visitor(scenario: StationScenario, pose: Pose, motion: Floats) -> Free:
    """Return the initial motion with which the visitor reaches the port with the required velocity.

    Fixed-point iteration: free motion is almost straight, so the error at the end is subtracted at the start.
    """
    v, before = scenario.visitor, scenario.before
    wanted_p = pose.point(np.asarray(v.centre))
    wanted_w = motion[:3]
    wanted_v = point_velocity(motion, wanted_p) + pose.vector(scenario.velocity())
    orbit = scenario.orbit.model_copy(update={"start": "world", "plates": {}}) if scenario.orbit else None
    p, w, u = wanted_p - wanted_v * before, wanted_w, wanted_v
    R_NB = matrix_from_rotation_vector(-wanted_w * before) @ pose.R
    for _ in range(MAX_ITERATIONS):
        joint = _free(R_NB, p, R_NB.T @ w, u)
        body = Body(mass=v.mass, inertia=v.inertia, joint=joint)
        assembly = assemble(System(bodies={"visitor": body}, orbit=orbit))
        settings = Settings(duration=before, record_rate=0.0, accuracy=FINE_ACCURACY)
        impact = ImpulseResponse(assembly, Simulation(assembly=assembly, settings=settings).run().state)
        reached, moving = _pose_and_motion(impact, assembly.placed["visitor"].link)
        missed_v = point_velocity(moving, reached.p) - wanted_v
        missed_w = moving[:3] - wanted_w
        missed_p, missed_turn = reached.p - wanted_p, rotation_vector_from_matrix(reached.R @ pose.R.T)
        missed = max(np.abs(missed_p).max(), np.abs(missed_turn).max(), before * np.abs(missed_v).max())
        if missed < AIM_TOLERANCE:
            return _free(*_in_start_frame(scenario, R_NB, p, w, u))
        u, p = u - missed_v, p - (missed_p - missed_v * before)
        w = w - missed_w
        R_NB = matrix_from_rotation_vector(-(missed_turn - missed_w * before)) @ R_NB
    raise RunError("The visitor cannot be aimed at the station: shorten `before`, or raise the closing rate.")


def _in_start_frame(
    scenario: StationScenario, R_NB: Floats, p: Floats, w: Floats, u: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return an initial motion in the world relative to the frame in which the orbit gives initial velocities."""
    orbit = scenario.orbit
    turning = orbit.rate() if orbit is not None and orbit.start == "hill" else np.zeros(3)
    return R_NB, p, R_NB.T @ (w - turning), u - np.cross(turning, p)


def _free(R: Floats, p: Floats, rate: Floats, velocity: Floats) -> Free:
    """Return a free joint with an initial pose, angular velocity in body axes [rad/s] and velocity [m/s]."""
    return Free(
        position=tuple(map(float, p)),
        attitude=tuple(map(float, quaternion_from_matrix(R))),
        velocity=tuple(map(float, velocity)),
        rate=tuple(map(float, rate)),
    )


def _rate(system: SystemRecords) -> Floats:
    """Return the angular velocity of the station in its own axes; its link is the first free one."""
    station = next(i for i, link in enumerate(system.links) if link.kind == FREE)
    return np.asarray(system.motions[station].V[:3]).copy()


def _deflections(scenario: StationScenario, result: Result) -> dict[str, float]:
    """Return the largest deflections; a rigid station has none."""
    rigid = scenario.model == "rigid"
    return {key: 0.0 if rigid else result.metrics[key] for key in ("max_deflection_a", "max_deflection_b")}


@functools.lru_cache(maxsize=8)
def _free_frequencies(structure: str) -> tuple[float, ...]:
    """Return the lowest elastic frequencies of a free structure [Hz]."""
    meshed = mesh(Structure.model_validate_json(structure))
    try:
        modes = free_modes(meshed, FREQUENCIES)
    except InputError:  # fewer than that exist
        modes = free_modes(meshed)
    return tuple(float(f) for f in modes.frequency)


def _metrics(docking: PreparedStation, jump: float) -> dict[str, Any]:
    """Return the metrics of station and impulse; `jump` is the simulated change of the angular rate [rad/s]."""
    scenario, kept, simulated = docking.scenario, docking.modes, docking.simulated
    members = scenario.members()
    properties = mesh(members).mass_properties()
    J = properties.inertia
    metrics: dict[str, Any] = {"mass": properties.mass}
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        # Products of inertia as Table 2 prints them: the integral of x z dm, not the element of the matrix.
        metrics[f"inertia_{'xyz'[i]}{'xyz'[j]}"] = float(J[i, j] if i == j else -J[i, j])
    metrics |= {
        "closing_rate": scenario.closing_rate,
        **docking.prediction,
        "delta_rate_simulated": jump,
        "modes": kept.frequency.size,
        "modes_simulated": simulated.find_modes(scenario.directory).frequency.size,
        "highest_frequency": float(kept.frequency[-1]) if kept.frequency.size else None,
        "residual_inertia": kept.residual,
    }
    v, empty = scenario.visitor, np.zeros(0)
    body = rigid_inertia_matrix(v.mass, np.asarray(v.centre), np.diag(v.inertia))
    coupled = kept.coupled_frequency() if kept.frequency.size else empty
    docked = kept.coupled_frequency(body) if kept.frequency.size else empty
    for i, free in enumerate(_free_frequencies(members.model_dump_json())):
        metrics[f"free_frequency_{i + 1}"] = free
        for kind, values in (("coupled", coupled), ("docked", docked)):
            metrics[f"{kind}_frequency_{i + 1}"] = float(values[i]) if i < values.size else None
    return metrics
