"""Orbits about the Earth: two-body motion, gravity gradient, relative motion, simple disturbances."""

from softdock.orbit.disturbances import Plate, drag, solar_pressure
from softdock.orbit.gravity import differential_gravity, gravity, gravity_gradient_torque
from softdock.orbit.kepler import Orbit, mean_motion, propagate
from softdock.orbit.relative import clohessy_wiltshire, hill_axes, relative_motion, transfer_impulses

__all__ = [
    "Orbit",
    "Plate",
    "clohessy_wiltshire",
    "differential_gravity",
    "drag",
    "gravity",
    "gravity_gradient_torque",
    "hill_axes",
    "mean_motion",
    "propagate",
    "relative_motion",
    "solar_pressure",
    "transfer_impulses",
]
