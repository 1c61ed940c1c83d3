"""What the weld impulse does to a station at rest, before anything is run."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softdock.flexible import motion_about, rigid_inertia, weld
from softdock.scenario.station import StationScenario

if TYPE_CHECKING:
    from softdock.flexible import BaseModes


def predict_docking(scenario: StationScenario) -> Mapping[str, Any]:
    """Return the change of the station's angular rate [rad/s] with the modes kept, with none and with all of them.

    `delta_rate_simulated` stands beside what the run in time finds.
    """
    kept = scenario.flexible().find_modes(scenario.directory)
    every = replace(kept.lowest(0), inertia=kept.limit)  # with all modes an impulse feels this
    jump = delta_rate(scenario, kept)
    return {
        "delta_rate_rigid": delta_rate(scenario, kept.lowest(0)),
        "delta_rate": jump,
        "delta_rate_all_modes": delta_rate(scenario, every),
        "delta_rate_simulated": jump,
        "modes": kept.frequency.size,
        "residual_inertia": kept.residual,
    }


def delta_rate(scenario: StationScenario, modes: "BaseModes") -> float:
    """Return the change of the station's angular rate by the weld impulse on a station at rest [rad/s]; Eq. (F19)."""
    v = scenario.visitor
    return weld(
        modes,
        body=rigid_inertia(v.mass, np.asarray(v.centre), np.diag(v.inertia)),
        body_motion=motion_about(v.centre, scenario.velocity()),
    ).delta_rate
