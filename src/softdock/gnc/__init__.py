"""Guidance, navigation and control: design of gains and filters, and the kernels that execute them in a run."""

from softdock.gnc.design import (
    bandwidth_gains,
    regulator_gains,
    sampled_plant,
    solve_riccati,
    spectral_radius,
    steady_covariance,
)
from softdock.gnc.slosh import SloshPendulum, SloshSpring, slosh_pendulum, slosh_spring

__all__ = [
    "SloshPendulum",
    "SloshSpring",
    "bandwidth_gains",
    "regulator_gains",
    "sampled_plant",
    "slosh_pendulum",
    "slosh_spring",
    "solve_riccati",
    "spectral_radius",
    "steady_covariance",
]
