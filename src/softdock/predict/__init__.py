"""Predictions of scenarios by theory, without a simulation."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from softdock.scenario import ScenarioBase

# Modules by scenario kind, imported on first use.
PREDICTORS = {
    "chain": "softdock.predict.chain",
    "multibody": "softdock.predict.multibody",
    "station": "softdock.predict.station",
}

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


class Predictor(Protocol):
    """A module that predicts one kind of scenario."""

    def predict(self, scenario: "ScenarioBase", /) -> Mapping[str, Any]:
        """Return the prediction: SI values by the names of a run's metrics."""


def predict(scenario: "ScenarioBase | str | os.PathLike[str]") -> Mapping[str, Any] | None:
    """Return the prediction for a scenario, given as object, bundled name or file.

    SI values by the names of a run's metrics; None for a scenario kind without a theory.
    """
    if isinstance(scenario, str | os.PathLike):
        from softdock.scenario import load

        scenario = load(scenario)
    if scenario.kind not in PREDICTORS:
        return None
    return cast(Predictor, import_module(PREDICTORS[scenario.kind])).predict(scenario)
