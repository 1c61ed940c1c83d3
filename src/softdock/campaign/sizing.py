"""Sizing of linear springs by the energy that they store in the runs of a campaign (ASSIST, Figure 15)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softdock.quantities.units import parse_quantity
from softdock.result import Array

SHARES = (0.5, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class SpringSize:
    """Stiffness with which a linear spring stores the energies of a campaign within its stroke."""

    name: str
    stroke: float
    """m, or rad for a torsion spring."""
    turning: bool
    energies: Array
    """Largest stored energy of every run with a finite value [J]."""
    runs: Array
    """Numbers of those runs."""

    @property
    def stiffnesses(self) -> Array:
        """Stiffness per run [N/m or N m/rad]: k = 2 E / s², since E = k s² / 2."""
        return 2.0 * self.energies / self.stroke**2

    def by_quantile(self, shares: tuple[float, ...] = SHARES) -> list[dict[str, float]]:
        """Return for each share of runs the energy quantile [J], the stiffness that stores it, and the excess.

        The excess is the relative amount by which the largest energy exceeds the capacity of that spring.
        """
        if not self.energies.size:
            return []
        largest, rows = float(self.energies.max()), []
        for share in shares:
            energy = float(np.quantile(self.energies, share, method="higher"))  # the energy of a run
            excess = largest / energy - 1.0 if energy > 0.0 else 0.0
            rows.append(
                {
                    "share": share,
                    "energy": energy,
                    "stiffness": 2.0 * energy / self.stroke**2,
                    "excess": excess,
                }
            )
        return rows


def size_spring(name: str, stroke: Any, runs: ArrayLike, energies: ArrayLike) -> SpringSize:
    """Return the size of a spring from the largest stored energy of every run [J].

    The stroke is a length or an angle as text with a unit, or a number in metres. Raises ValueError.
    """
    turning = False
    try:
        value = parse_quantity(stroke, "m")
    except ValueError:
        try:
            value, turning = parse_quantity(stroke, "rad"), True
        except ValueError:
            raise ValueError("must be a length or an angle, for example '12.7 mm' or '5 deg'") from None
    if value <= 0.0:
        raise ValueError("must be above 0")
    known = np.isfinite(np.asarray(energies, float))
    return SpringSize(
        name, value, turning, np.asarray(energies, float)[known], np.asarray(runs, np.int64)[known]
    )
