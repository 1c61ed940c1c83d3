"""Guidance, navigation and control: design of gains and filters, and the kernels that execute them in a run."""

from softdock.gnc.design import (
    bandwidth_gains,
    regulator_gains,
    sampled_plant,
    solve_riccati,
    spectral_radius,
    steady_covariance,
)

__all__ = [
    "bandwidth_gains",
    "regulator_gains",
    "sampled_plant",
    "solve_riccati",
    "spectral_radius",
    "steady_covariance",
]
