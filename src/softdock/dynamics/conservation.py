"""What the conservation check of a run found, and what it needs at the start."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels import conservation as kernels
from softdock.dynamics.kernels.derivative import SystemRecords
from softdock.dynamics.kernels.elements import LOCK, STRUT, WELD
from softdock.dynamics.kernels.tree import FREE, GROUND

Floats = NDArray[np.float64]
UNSEEN = 1e-5  # m/s and rad/s; the default accuracy of speeds: slower motion than this is no motion
SLOW = 1e-2  # m/s; the energy of this speed is the least that the residual is related to while a run goes on

LARGEST = 1e9  # relative error of a run that is no longer finite


@dataclass(frozen=True, kw_only=True)
class Conservation:
    """Errors of energy and momentum during a run, relative to their scales."""

    energy_residual: float | None
    """Largest error of the energy balance; None where no energy took part."""
    energy_gain: float
    """The same where energy was gained: a run that diverges gains all that it has."""
    linear_momentum_drift: float
    angular_momentum_drift: float
    gross_work: float
    """Sum of the sizes of all work of drives and loads, seen from the centre of mass [J]."""


def new_check() -> Floats:
    """Return the memory of the check."""
    return np.zeros((3, kernels.COLUMNS))


def begin_check(check: Floats, links: np.recarray) -> None:
    """Take the present state as the start; forget what was seen before."""
    seen, mass = check[kernels.SEEN], _mass(links)
    check[kernels.START] = check[kernels.NOW]
    seen[:] = 0.0
    seen[kernels.FLOOR] = 0.5 * mass * SLOW**2


def read_check(check: Floats, links: np.recarray) -> Conservation:
    """Return the largest errors of a run relative to its scales; Eqs. (E2), (E3)."""
    seen, own = check[kernels.SEEN], links.view(np.ndarray)["own"]
    mass, inertia = _mass(links), float(own[:, 4:7].sum()) / 3.0
    scale = float(
        max(
            seen[kernels.LARGEST_KINETIC],
            seen[kernels.LARGEST_ELASTIC],
            seen[kernels.LARGEST_LOSS],
            seen[kernels.GROSS_WORK],
        )
    )
    if not np.isfinite(scale):
        scale = LARGEST
    floor = 0.5 * mass * UNSEEN**2 + float(seen[kernels.ROUNDING])
    whole = float(seen[kernels.ERROR]) / (scale + floor) if scale > 0.0 else 0.0
    return Conservation(
        energy_residual=min(max(float(seen[kernels.RESIDUAL]), whole), LARGEST) if scale > 0.0 else None,
        energy_gain=float(seen[kernels.GAIN]),
        linear_momentum_drift=_ratio(
            seen[kernels.MOMENTUM_ERROR], seen[kernels.MOMENTUM_MOST] + mass * UNSEEN
        ),
        angular_momentum_drift=_ratio(
            seen[kernels.ANGULAR_ERROR], seen[kernels.ANGULAR_MOST] + inertia * UNSEEN
        ),
        gross_work=float(seen[kernels.GROSS_WORK]),
    )


def is_floating(machine: SystemRecords) -> bool:
    """Tell whether nothing connects any body to the ground: then the centre of mass is free."""
    links, elements = machine.links.view(np.ndarray), machine.elements.view(np.ndarray)
    ground = links["kind"] == GROUND
    if not (links["kind"][links["root"][~ground]] == FREE).all() or ground[machine.appendages["link"]].any():
        return False
    between = elements[np.isin(elements["kind"], (STRUT, WELD, LOCK))]
    return not any(
        ground[records[side]].any()
        for records in (between, machine.pairs, machine.interfaces)
        for side in ("a", "b")
    )


def _mass(links: np.recarray) -> float:
    return float(links.view(np.ndarray)["own"][:, 0].sum())


def _ratio(error: float, scale: float) -> float:
    return min(float(error / scale), LARGEST) if scale > 0.0 else 0.0
