"""What a run needs at its start: settings for the kernels, sizes of its memory, accuracies."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.contact.pair import ContactPair
from softdock.dynamics.kernels.channels.channels import LARGEST, PEAK, SMALLEST
from softdock.dynamics.kernels.integration.stepping import StepMethod
from softdock.dynamics.kernels.recording.run_data import PROGRESS, RUN_SETTINGS
from softdock.dynamics.kernels.run.run_start import START_POINT
from softdock.dynamics.kernels.search.events import EVENT_STATE
from softdock.dynamics.kernels.search.windows import WINDOW_STATE, WindowStage
from softdock.dynamics.settings import Method, Settings, StepTolerances
from softdock.dynamics.system_arrays import SystemArrays
from softdock.geometry.profile import Profile
from softdock.geometry.profile_arrays import described_rows
from softdock.geometry.solids.solid import Solid
from softdock.native.argument_types import Sizes
from softdock.native.simd import LANES
from softdock.tree.indices import StateKind
from softdock.tree.kernels.tree import records

Floats = NDArray[np.float64]
FIRST_METHODS = {
    Method.AUTOMATIC: StepMethod.DORMAND_PRINCE,
    Method.DORMAND_PRINCE: StepMethod.DORMAND_PRINCE,
    Method.BOGACKI_SHAMPINE: StepMethod.BOGACKI_SHAMPINE,
    Method.ROSENBROCK: StepMethod.ROSENBROCK,
    Method.RUNGE_KUTTA_4: StepMethod.RUNGE_KUTTA_4,
}
"""Methods of the first step."""
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


def has_stiff_elements(a: SystemArrays) -> bool:
    """Return whether some element may be so stiff that implicit steps pay while nothing touches."""
    return bool(a.elements.view(np.ndarray)["stiff"].any())


def run_settings(arrays: SystemArrays, settings: Settings, watched: int, searched: int) -> np.recarray:
    """Return the settings of a run for the kernels."""
    out = records(1, RUN_SETTINGS)
    s = out.view(np.ndarray)
    s["automatic"] = settings.method is Method.AUTOMATIC
    s["allow_implicit"] = supports_implicit_steps(arrays) and _speeds(arrays) <= MAX_IMPLICIT_STATES
    s["stiff_elements"] = has_stiff_elements(arrays)
    s["duration"] = settings.duration
    s["fixed_step"] = settings.step or 0.0
    for kind in ("force", "length", "angle"):
        s[f"{kind}_accuracy"] = getattr(settings.accuracy, kind)
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


def accuracies(a: SystemArrays, accuracy: StepTolerances) -> Floats:
    """Return the error of every state that is allowed in one step; 0 where it depends on the momentum of the system."""
    allowed = np.zeros(len(StateKind))
    allowed[StateKind.LENGTH], allowed[StateKind.ANGLE] = accuracy.length, accuracy.angle
    allowed[StateKind.SPEED], allowed[StateKind.RATE] = accuracy.speed, accuracy.rate
    allowed[StateKind.QUATERNION] = 0.5 * accuracy.angle
    out = allowed[a.state_kinds]
    out[a.state_kinds == StateKind.MODAL] = accuracy.length * a.modal_scales
    out[a.state_kinds == StateKind.MODAL_RATE] = accuracy.speed * a.modal_scales
    return out


def start_points(pairs: Sequence[ContactPair]) -> np.recarray:
    """Return for every pair a point of surface A whose depth below surface B is checked at the start."""
    out = records(len(pairs), START_POINT)
    for record, pair in zip(out.view(np.ndarray), pairs):
        surface_A, surface_B = pair.shapes
        if isinstance(surface_A, Profile) and isinstance(surface_B, Profile):
            z, r = surface_A.segments[0].point(0.5)
            record["place"] = (r, 0.0, z)
            record["first"], record["last"] = described_rows(surface_B)
        elif isinstance(surface_A, Solid):
            record["place"] = surface_A.vertices[0]
    return out
