"""Errors that one step of the time integration may have, from the plain data of a scenario."""

from collections.abc import Mapping
from typing import Any

ACCURACY_UNITS = {"length": "m", "angle": "rad", "speed": "m/s", "rate": "rad/s"}
"""SI units of the error tolerances of a step."""


def step_errors(definition: Mapping[str, Any]) -> dict[str, float]:
    """Return the error that a step may have, by the SI unit of the quantity; empty where motion is solved exactly."""
    if definition.get("method") == "published":  # fixed steps of a station
        return {}
    integrator = definition.get("integrator")
    accuracy = (integrator if isinstance(integrator, Mapping) else definition).get("accuracy")
    if not isinstance(accuracy, Mapping):
        return {}
    return {
        unit: float(accuracy[name])
        for name, unit in ACCURACY_UNITS.items()
        if isinstance(accuracy.get(name), int | float)
    }
