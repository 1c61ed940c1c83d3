"""Predictions of scenarios by theory, without a simulation."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softdock.scenario.construction import ScenarioLike
    from softdock.scenario.overrides import Overrides

UNITS = {
    "relative_velocity_before": "m/s",
    "oscillation_before": "m/s",
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
    "docking_impulse": "N*s",
    "docking_angular_impulse": "N*m*s",
    "delta_rate_simulated": "rad/s",
}
"""SI units of predictions by name; dimensionless numbers have no entry."""


def predict(scenario: "ScenarioLike", overrides: "Overrides | None" = None) -> Mapping[str, Any] | None:
    """Return what theory expects of a scenario, without a simulation.

    SI values by the names of a run's metrics; None where no theory applies. Arguments as for `simulate`.

    >>> from softdock import predict
    >>> prediction = predict("impact-a")
    >>> f"{1000 * prediction['relative_velocity_after']:.2f} mm/s"
    '40.29 mm/s'
    """
    from softdock.scenario.construction import as_scenario
    from softdock.scenario.kinds import KINDS

    checked = as_scenario(scenario, overrides)
    return KINDS[checked.kind].prepare(checked).predict()
