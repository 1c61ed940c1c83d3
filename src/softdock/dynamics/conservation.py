"""Energy and momentum of a state, and the results of the conservation check of a run."""

import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.dynamics.kernels.run import conservation as kernels
from softdock.dynamics.settings import StepTolerances

Floats = NDArray[np.float64]
ALLOWED = 100.0  # an energy error as large as that of an error of speeds by the accuracy has a residual of one percent
LARGEST = 1e9  # relative error of a run that is no longer finite


@dataclass(frozen=True, kw_only=True)
class EnergyAndMomentum:
    """Energy and momentum of a state relative to N."""

    angular_momentum: Floats
    """About N's origin."""
    linear_momentum: Floats
    kinetic: float
    stored: float
    dissipated: float
    work: float
    momentum_scale: float
    """Sum of the sizes of all momenta."""
    angular_momentum_scale: float

    @classmethod
    def from_record(cls, record: np.void) -> "EnergyAndMomentum":
        """Return the numbers that a kernel wrote."""
        return cls(
            angular_momentum=record["angular_momentum"].copy(),
            linear_momentum=record["momentum"].copy(),
            kinetic=float(record["kinetic"]),
            stored=float(record["elastic"] + record["weight"]),
            dissipated=float(record["dissipated"]),
            work=float(record["work"]),
            momentum_scale=float(record["momentum_scale"]),
            angular_momentum_scale=float(record["angular_momentum_scale"]),
        )

    @property
    def balance(self) -> float:
        """Conserved energy: kinetic + stored + dissipated - work [J]."""
        return self.kinetic + self.stored + self.dissipated - self.work


@dataclass(frozen=True, kw_only=True)
class Conservation:
    """Errors of energy and momentum during a run, relative to their scales."""

    energy_residual: float | None
    """Largest error of the energy balance; None where no energy took part."""
    energy_gain: float
    """Largest gain of energy; large in a run that diverges."""
    linear_momentum_drift: float
    angular_momentum_drift: float
    gross_work: float
    """Sum of the sizes of all work of drives and loads, relative to the centre of mass [J]."""
    floating: bool
    """Whether nothing connects any body to the ground."""


def read_check(system: SystemRecords, check: np.ndarray, accuracy: StepTolerances) -> Conservation:
    """Return the largest errors of a run relative to its scales; Eqs. (E2), (E3)."""
    own = system.links.view(np.ndarray)["own"]
    seen = dict(zip(kernels.CHECK.names or (), check[0].tolist()))
    mass, inertia = float(own[:, 0].sum()), float(own[:, 4:7].sum()) / 3.0
    scale = float(kernels.energy_scale(SimpleNamespace(**seen)))
    if not np.isfinite(scale):
        scale = LARGEST
    floor = 0.5 * mass * accuracy.speed**2 + float(seen["rounding"])
    floor += ALLOWED * accuracy.speed * math.sqrt(2.0 * mass * scale)
    whole = float(seen["energy_error"]) / (scale + floor) if scale > 0.0 else 0.0
    return Conservation(
        energy_residual=min(max(float(seen["energy_residual"]), whole), LARGEST) if scale > 0.0 else None,
        energy_gain=float(seen["energy_gain"]),
        linear_momentum_drift=_ratio(
            seen["momentum_error"], seen["largest_momentum"] + mass * accuracy.speed
        ),
        angular_momentum_drift=_ratio(
            seen["angular_momentum_error"], seen["largest_angular_momentum"] + inertia * accuracy.rate
        ),
        gross_work=float(seen["gross_work"]),
        floating=bool(seen["floating"]),
    )


def _ratio(error: float, scale: float) -> float:
    return min(float(error / scale), LARGEST) if scale > 0.0 else 0.0
