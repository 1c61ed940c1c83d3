"""Predictions of scenarios by theory, without a simulation."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softdock.scenario import ScenarioBase

UNITS = {
    "relative_velocity_before": "m/s",
    "relative_velocity_after": "m/s",
    "impulse": "N*s",
    "effective_mass_free": "kg",
    "effective_mass_locked": "kg",
    "closing_speed": "m/s",
    "point": "m",
    "t_first_contact": "s",
    "velocities_after": "m/s",
    "chaser_velocity_after": "m/s",
    "target_velocity_after": "m/s",
    "minimum_speed": "m/s",
    "minimum_speed_slow_latch": "m/s",
    "minimum_speed_fast_latch": "m/s",
    "insertion_max": "m",
    "latch_time": "s",
    "delta_rate_rigid": "rad/s",
    "delta_rate": "rad/s",
    "delta_rate_all_modes": "rad/s",
    "delta_rate_simulated": "rad/s",
}
"""SI units of predictions by name; dimensionless numbers have no entry."""


def predict(scenario: "ScenarioBase | str | os.PathLike[str]") -> Mapping[str, Any] | None:
    """Return the prediction for a scenario, given as object, bundled name or file.

    SI values by the names of a run's metrics; None for a scenario kind without a theory.
    """
    from softdock.scenario import KINDS, as_scenario

    scenario = as_scenario(scenario)
    return KINDS[scenario.kind].prepare(scenario).predict()
