"""Prediction of docking with a station: the weld impulse on a station at rest."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.flexible import motion_about, weld
from softdock.scenario.station import StationScenario
from softdock.spatial.inertia import rigid_inertia_matrix

if TYPE_CHECKING:
    from softdock.flexible import BaseModes


def predict_docking(scenario: StationScenario) -> Mapping[str, Any]:
    """Return the change of the station's angular rate [rad/s] with the modes kept, with none and with all of them.

    `delta_rate_simulated` is the prediction for the metric of that name of a run.
    """
    kept = scenario.flexible().find_modes(scenario.directory)
    all_modes = replace(kept.lowest(0), inertia=kept.rigid_part_inertia)  # articulated inertia with all modes
    predicted = delta_rate(scenario, kept)
    return {
        "delta_rate_rigid": delta_rate(scenario, kept.lowest(0)),
        "delta_rate": predicted,
        "delta_rate_all_modes": delta_rate(scenario, all_modes),
        "delta_rate_simulated": predicted,
        "modes": kept.frequency.size,
        "residual_inertia": kept.residual,
    }


def delta_rate(scenario: StationScenario, modes: "BaseModes") -> float:
    """Return the change of the station's angular rate by the weld impulse on a station at rest [rad/s]; Eq. (F19)."""
    v = scenario.visitor
    return weld(
        modes,
        body=rigid_inertia_matrix(v.mass, np.asarray(v.centre), np.diag(v.inertia)),
        body_motion=motion_about(v.centre, scenario.velocity()),
    ).delta_rate
