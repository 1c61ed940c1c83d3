"""Energy and momentum of a state, and the results of the conservation check of a run."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


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


def read_check(summary: Mapping[str, Any]) -> Conservation:
    """Return the largest errors of a run from its summary."""
    residual = summary["energy_residual"]
    return Conservation(
        energy_residual=None if math.isnan(residual) else residual,
        energy_gain=summary["energy_gain"],
        linear_momentum_drift=summary["linear_momentum_drift"],
        angular_momentum_drift=summary["angular_momentum_drift"],
        gross_work=summary["gross_work"],
        floating=bool(summary["floating"]),
    )
