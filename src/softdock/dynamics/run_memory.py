"""What a run needs at its start: settings for the kernels, sizes of its memory, tolerances."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.conservation import EnergyAndMomentum
from softdock.dynamics.kernels.channels.channels import LARGEST, PEAK, SMALLEST
from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.dynamics.kernels.integration.force_errors import INERTIA
from softdock.dynamics.kernels.integration.stepping import StepMethod
from softdock.dynamics.kernels.recording.run_data import PROGRESS, RUN_SETTINGS
from softdock.dynamics.kernels.search.events import EVENT_STATE
from softdock.dynamics.kernels.search.windows import WINDOW_STATE, WindowStage
from softdock.dynamics.settings import Method, Settings, StepTolerances
from softdock.dynamics.system_arrays import SystemArrays
from softdock.elements.declaration import ElementKind, RunStart
from softdock.elements.registry import ELEMENT_KINDS
from softdock.native.argument_types import Sizes
from softdock.native.simd import LANES
from softdock.tree.indices import StateKind
from softdock.tree.kernels.dynamics import tile_index
from softdock.tree.kernels.tree import FREE, GROUND, records

Floats = NDArray[np.float64]
# Of the energy that an error of the speed by its tolerance changes: the error of an energy in a step. The energy
# balance shows errors of the motion only where those of the energies are smaller; it costs 2 % more steps.
ENERGY_ACCURACY = 0.01
MIN_SPEED_SCALE = 1e-3  # [m/s]; speed scale of systems that start at rest
FIRST_METHODS = {
    Method.AUTOMATIC: StepMethod.DORMAND_PRINCE,
    Method.DORMAND_PRINCE: StepMethod.DORMAND_PRINCE,
    Method.BOGACKI_SHAMPINE: StepMethod.BOGACKI_SHAMPINE,
    Method.ROSENBROCK: StepMethod.ROSENBROCK,
    Method.RUNGE_KUTTA_4: StepMethod.RUNGE_KUTTA_4,
}
"""Methods of the first step."""
MOMENTUM_ACCURACY = 0.01  # tolerance of the momentum of a free tree, as a fraction of the tolerance of speeds
MAX_IMPLICIT_STATES = 64  # momenta and speeds; beyond, linear equations cost more than longer steps save


def initial_event_states(events: np.recarray) -> np.recarray:
    """Return the states of events at the start of a run."""
    states, constants = records(len(events), EVENT_STATE), events.view(np.ndarray)
    out = states.view(np.ndarray)
    out["armed"] = out["fresh"] = constants["armed"]
    out["closed"] = constants["opens_later"]
    return states


def initial_window_states(windows: np.recarray) -> np.recarray:
    """Return the states of windows at the start of a run."""
    states = records(len(windows), WINDOW_STATE)
    out = states.view(np.ndarray)
    later = windows.view(np.ndarray)["opens_later"] == 1
    out["stage"] = np.where(later, WindowStage.NOT_YET_OPEN, WindowStage.OPEN)
    out["until"], out["opened"] = math.inf, -1.0
    return states


def initial_peaks(channels: np.recarray) -> np.recarray:
    """Return the peaks of channels at the start of a run."""
    peaks, constants = records(len(channels), PEAK), channels.view(np.ndarray)
    out, sides = peaks.view(np.ndarray), constants["track"] | constants["reaction"]
    out["track"] = constants["track"]
    out["largest"] = np.where(sides & LARGEST, -np.inf, np.inf)
    out["smallest"] = np.where(sides & SMALLEST, np.inf, -np.inf)
    out["t_largest"] = out["t_smallest"] = -np.inf
    return peaks


def history_rows(settings: Settings, channels: int, has_contacts: bool) -> int:
    """Return the number of rows of the history for which there is memory."""
    # Rows of contact steps and of peaks come in addition to the samples; memory that is not written costs nothing.
    many = settings.record_peaks or (settings.record_contact and has_contacts)
    rows = min(
        settings.max_rows, 4 + int(settings.duration * settings.record_rate) + (50_000 if many else 1_000)
    )
    return rows if channels else 1


def supports_implicit_steps(a: SystemArrays) -> bool:
    """Return whether implicit steps apply to a system: they do not support locks and flexible structures."""
    return len(a.flexible.appendages) == a.lock_count == 0 < _speeds(a)


def _speeds(a: SystemArrays) -> int:
    """Return the number of momenta and speeds."""
    return int(a.world.view(np.ndarray)["n_u"][0])


def linear_sizes(a: SystemArrays, contacts: int, more: int = 0) -> Sizes:
    """Return the sizes of the linear equations of implicit steps, 0 where they do not apply.

    `contacts` is the number of pairs and interfaces, `more` a number of connections in addition to those of the system.
    """
    connections = contacts + int(a.elements.view(np.ndarray)["connection"].sum()) + more
    if not supports_implicit_steps(a):
        return {"speeds": 0, "width": 0, "linear links": 0, "connections": connections}
    speeds = _speeds(a)
    width = -(-speeds // LANES) * LANES
    return {"speeds": speeds, "width": width, "linear links": len(a.links), "connections": connections}


def run_settings(arrays: SystemArrays, settings: Settings, watched: int, searched: int) -> np.recarray:
    """Return the settings of a run for the kernels."""
    out = records(1, RUN_SETTINGS)
    s = out.view(np.ndarray)
    s["automatic"] = settings.method is Method.AUTOMATIC
    s["allow_implicit"] = supports_implicit_steps(arrays) and _speeds(arrays) <= MAX_IMPLICIT_STATES
    s["stiff_elements"] = bool(arrays.elements.view(np.ndarray)["stiff"].any())
    s["duration"] = settings.duration
    s["fixed_step"] = settings.step or 0.0
    s["force_accuracy"] = settings.accuracy.force
    s["any_connection"] = bool(arrays.elements.view(np.ndarray)["connection"].any())
    s["speed_tolerance"] = settings.accuracy.speed, settings.accuracy.rate
    s["max_step"] = min(settings.max_step, settings.duration)
    s["min_step"] = 1e-14 * settings.duration
    s["max_steps"] = settings.max_steps
    s["record_period"] = 1.0 / settings.record_rate if settings.record_rate > 0.0 else 0.0
    s["record_contact"] = settings.record_contact
    s["watched"], s["searched"] = watched, searched
    s["record_peaks"] = (
        settings.record_peaks
        and settings.max_rows > 1
        and (settings.record_rate > 0.0 or settings.record_contact)
    )
    return out


def initial_progress(settings: Settings) -> np.recarray:
    """Return the progress of a run at its start."""
    progress = records(1, PROGRESS)
    s = progress.view(np.ndarray)
    s["method"] = FIRST_METHODS[settings.method]
    s["pending_event"] = s["stop_event"] = s["captured_event"] = s["reached_axis"] = -1
    return progress


def tolerances(a: SystemArrays, accuracy: StepTolerances, start: EnergyAndMomentum) -> Floats:
    """Return the tolerance of every state; that of energies follows from the tolerance of speeds.

    Energies need error control of their own: the end stop of a coupling still dissipates after its release, while it
    exerts no force.
    """
    links, world = a.links.view(np.ndarray), a.world.view(np.ndarray)  # field access is ten times faster
    root, own = links["root"], links["own"]
    n_q = int(world["n_q"][0])
    mass = own[:, 0].sum()
    momentum = max(start.momentum_scale, math.sqrt(2.0 * mass * abs(start.stored)), MIN_SPEED_SCALE * mass)
    allowed = np.full(len(StateKind), ENERGY_ACCURACY * accuracy.speed * momentum)
    allowed[StateKind.LENGTH], allowed[StateKind.ANGLE] = accuracy.length, accuracy.angle
    allowed[StateKind.SPEED], allowed[StateKind.RATE] = accuracy.speed, accuracy.rate
    allowed[StateKind.QUATERNION] = 0.5 * accuracy.angle
    out = allowed[a.state_kinds]
    if a.modal_scales.size:
        out[a.state_kinds == StateKind.MODAL] = accuracy.length * a.modal_scales
        out[a.state_kinds == StateKind.MODAL_RATE] = accuracy.speed * a.modal_scales
    for kind, elements, laws, _ in records_by_kind(a):
        kind.set_tolerances(elements, laws, out)
    for i in np.flatnonzero(links["kind"] == FREE):
        # Speeds and rates times the inertia of the whole tree, and finer: nothing damps an error of its momentum. The
        # torque of a contact has an error of its force times a lever, so that the moment has one of the momentum times
        # the radius of gyration.
        at = n_q + links["at_u"][i]
        tree = own[root == root[i]]
        mass = tree[:, 0].sum()
        inertia = max(tree[:, 4:7].sum() / 3.0, 1e-12)
        lever = math.sqrt(inertia / mass)
        out[at : at + 3] = MOMENTUM_ACCURACY * (accuracy.rate * inertia + accuracy.speed * mass * lever)
        out[at + 3 : at + 6] = MOMENTUM_ACCURACY * accuracy.speed * mass
    return out


def set_run_start(
    system: SystemRecords,
    state_kinds: NDArray[np.int64],
    tolerance: Floats,
    axis_errors: Floats,
    accuracy: StepTolerances,
) -> None:
    """Set what the data of elements have from tolerances and inertias; expects that the system has been evaluated."""
    elements, run = system.elements.view(np.ndarray), None
    if not len(elements):
        return
    n_q = int(system.world.view(np.ndarray)["n_q"][0])
    run = RunStart(
        n_q=n_q,
        tolerance=tolerance,
        mobility=_joint_mobility(system),
        speed=accuracy.speed,
        length=accuracy.length,
    )
    mobility = run.mobility[: len(axis_errors)]
    with np.errstate(divide="ignore"):
        axis_errors[:, INERTIA] = np.where(mobility > 0.0, 1.0 / mobility, 0.0)
    _set_inertias(system, state_kinds, run)
    elements, data = system.elements.view(np.ndarray), system.element_data.view(np.ndarray)
    for kind, own, laws, _ in records_by_kind(system):
        if len(own):
            rows = np.flatnonzero(elements["kind"] == own["kind"][0])
            changed = data[rows]
            kind.set_run_start(own, laws, changed, run)
            data[rows] = changed


def _set_inertias(system: SystemRecords, state_kinds: NDArray[np.int64], run: RunStart) -> None:
    """Set mass and inertia that every element moves: along its joint, or of the bodies that it connects; Eq. (M141).

    The latter are those of all that a body carries, as if joints farther out were locked.
    """
    elements, data = system.elements.view(np.ndarray), system.element_data.view(np.ndarray)
    links = system.links.view(np.ndarray)
    carried = np.stack([links["own"][:, 0], links["own"][:, 4:7].sum(axis=1) / 3.0], axis=1)
    for i in range(len(links) - 1, 0, -1):
        if links["parent"][i] >= 0:
            carried[links["parent"][i]] += carried[i]
    grounded = links["kind"] == GROUND
    with np.errstate(divide="ignore"):
        per = np.where(grounded[:, None], 0.0, 1.0 / carried)
    for i, element in enumerate(elements):
        at, rows = element["at_u"], element["rows"]
        if at >= 0:
            most = max(run.mobility[at : at + rows].max(), np.finfo(float).tiny)
            data["inertia"][i, int(state_kinds[run.n_q + at] == StateKind.RATE)] = 1.0 / most
        elif element["connection"]:
            data["inertia"][i] = 1.0 / (per[element["a"]] + per[element["b"]])


def records_by_kind(
    system: SystemArrays | SystemRecords,
) -> Iterator[tuple[ElementKind, NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Yield every kind of element with its records, laws and states; the latter are empty where it has none."""
    elements, none = system.elements.view(np.ndarray), np.empty(0)
    for number, (name, kind) in enumerate(ELEMENT_KINDS.items()):
        laws, states = getattr(system.laws, name, none), getattr(system.states, name, none)
        yield kind, elements[elements["kind"] == number], laws.view(np.ndarray), states.view(np.ndarray)


def _joint_mobility(system: SystemRecords) -> Floats:
    """Return the acceleration along each joint axis per force [1/kg or 1/(kg m2)], zero for momenta.

    All joints and free bases may move. Expects inertias as Eq. (M11) leaves them: for each group of axes, which is
    eliminated after all later ones, the negative inverse of its diagonal tile and the tiles of earlier groups.
    """
    groups, tiles = system.groups.view(np.ndarray), system.tile_inertias.view(np.ndarray)["H"]
    inverse = np.zeros((0, 0))
    for g in range(len(groups)):
        own = -tiles[tile_index(g, g)]
        earlier = np.hstack([tiles[tile_index(g, i)] for i in range(g)]) if g else np.zeros((LANES, 0))
        response = (
            own @ earlier @ inverse
        )  # motion of the group by forces on earlier groups, with the sign reversed
        inverse = np.block([[inverse, -response.T], [-response, own + response @ earlier.T @ own]])
    out = np.zeros(int(system.world.view(np.ndarray)["n_u"][0]))
    for g, group in enumerate(groups):
        count = group["count"]
        out[group["at_u"][:count]] = np.diagonal(inverse)[LANES * g : LANES * g + count]
    return out
