"""Prediction of docking with a station: the weld impulse on a station at rest."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.flexible.welding import WeldImpulse, motion_about, weld
from softdock.scenario.station import StationScenario
from softdock.spatial.inertia import rigid_inertia_matrix

if TYPE_CHECKING:
    from softdock.flexible.modes import BaseModes


def predict_docking(scenario: StationScenario) -> Mapping[str, Any]:
    """Return the change of the station's angular rate [rad/s] with the modes kept, with none and with all of them.

    `delta_rate_simulated` is the prediction for the metric of that name of a run. The impulse [N s] and the angular
    impulse [N m s] of docking, with the modes kept, are those at the docking port.
    """
    if scenario.method == "published":
        return predict_published(scenario)
    kept = scenario.flexible().find_modes(scenario.directory)
    all_modes = replace(kept.lowest(0), inertia=kept.rigid_part_inertia)  # articulated inertia with all modes
    welded = weld_visitor(scenario, kept)
    predicted = welded.delta_rate
    force = welded.impulse[3:]
    moment = welded.impulse[:3] - np.cross(scenario.visitor.port, force)
    return {
        "delta_rate_rigid": delta_rate(scenario, kept.lowest(0)),
        "delta_rate": predicted,
        "delta_rate_all_modes": delta_rate(scenario, all_modes),
        "delta_rate_simulated": predicted,
        "delta_velocity": float(np.linalg.norm(welded.motion[3:])),
        "docking_impulse": float(np.linalg.norm(force)),
        "docking_angular_impulse": float(np.linalg.norm(moment)),
        "docking_loss": welded.loss,
        "modes": kept.frequency.size,
        "residual_inertia": kept.residual,
    }


def predict_published(scenario: StationScenario) -> Mapping[str, Any]:
    """Return the same for the paper's own docking equations with free-free modes; Eqs. (F82)-(F84)."""
    from softdock.flexible.published import published_docking
    from softdock.scenario.station_modes import published_modes

    _, docked = published_modes(scenario)
    v = scenario.visitor
    body_motion = motion_about(v.centre, scenario.velocity())
    impulse = published_docking(docked, motion=np.zeros(6), body_motion=body_motion)
    rigid = np.linalg.solve(docked.total_inertia, docked.body @ body_motion)
    change = float(np.linalg.norm(impulse.base_motion[:3]))
    force = impulse.impulse[3:]
    moment = impulse.impulse[:3] - np.cross(v.port, force)
    return {
        "delta_rate_rigid": float(np.linalg.norm(rigid[:3])),
        "delta_rate": change,
        "delta_rate_simulated": change,
        "delta_velocity": float(np.linalg.norm(impulse.base_motion[3:])),
        "docking_impulse": float(np.linalg.norm(force)),
        "docking_angular_impulse": float(np.linalg.norm(moment)),
        "docking_loss": impulse.loss,
        "modes": docked.frequency.size,
    }


def delta_rate(scenario: StationScenario, modes: "BaseModes") -> float:
    """Return the change of the station's angular rate by the weld impulse on a station at rest [rad/s]; Eq. (F19)."""
    return weld_visitor(scenario, modes).delta_rate


def weld_visitor(scenario: StationScenario, modes: "BaseModes") -> WeldImpulse:
    """Return the weld impulse of the visitor on a station at rest, about its base."""
    v = scenario.visitor
    return weld(
        modes,
        body=rigid_inertia_matrix(v.mass, np.asarray(v.centre), np.diag(v.inertia)),
        body_motion=motion_about(v.centre, scenario.velocity()),
    )
