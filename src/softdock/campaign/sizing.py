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
    """Energy that the spring must store in every run with a finite value [J]."""
    runs: Array
    """Numbers of those runs."""
    at_stop: int = 0
    """Number of runs whose stroke ended at a stop; what the stop took is in the energies, at most."""
    verified: float | None = None
    """Stiffness with which the spring holds in all runs that were repeated with it; None without repetitions."""

    @property
    def stiffnesses(self) -> Array:
        """Stiffness per run [N/m or N m/rad]: k = 2 E / s², since E = k s² / 2."""
        return 2.0 * self.energies / self.stroke**2

    def by_quantile(self, shares: tuple[float, ...] = SHARES) -> list[dict[str, Any]]:
        """Return for each share of runs the energy quantile [J], the stiffness that stores it, and the excess.

        The excess is the relative amount by which the largest energy exceeds the capacity of that spring. Only the
        stiffness for all runs is verified by repeating runs; the others are estimates.
        """
        if not self.energies.size:
            return []
        verified = None if self.verified is None else 0.5 * self.verified * self.stroke**2
        largest, rows = verified or float(self.energies.max()), []
        for share in shares:
            energy = float(np.quantile(self.energies, share, method="higher"))  # the energy of a run
            energy = largest if share == 1.0 else min(energy, largest)
            excess = largest / energy - 1.0 if energy > 0.0 else 0.0
            rows.append(
                {
                    "share": share,
                    "energy": energy,
                    "stiffness": 2.0 * energy / self.stroke**2,
                    "excess": excess,
                    "verified": share == 1.0 and self.verified is not None,
                }
            )
        return rows


def size_spring(
    name: str, stroke: Any, runs: ArrayLike, energies: ArrayLike, turning: bool | None = None
) -> SpringSize:
    """Return the size of a spring from the largest stored energy of every run [J].

    The stroke is a length or an angle as text with a unit, or a number in SI. `turning` says whether the spring is a
    torsion spring, which needs an angle; None where that is unknown. Raises ValueError.
    """
    value, turning = _parse_stroke(stroke, turning)
    if value <= 0.0:
        raise ValueError("must be above 0")
    known = np.isfinite(np.asarray(energies, float))
    return SpringSize(
        name, value, turning, np.asarray(energies, float)[known], np.asarray(runs, np.int64)[known]
    )


def _parse_stroke(stroke: Any, turning: bool | None) -> tuple[float, bool]:
    """Return a stroke [m or rad] and whether it is an angle; a number without unit is a length if it may be both."""
    allowed = {False: "a length, for example '12.7 mm'", True: "an angle, for example '5 deg'"}
    for angle in (False, True) if turning is None else (turning,):
        try:
            return parse_quantity(stroke, "rad" if angle else "m"), angle
        except ValueError:
            continue
    if turning is None:
        raise ValueError("must be a length or an angle, for example '12.7 mm' or '5 deg'")
    raise ValueError(f"must be {allowed[turning]}: the spring {'turns' if turning else 'slides'}")
