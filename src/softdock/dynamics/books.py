"""Momentum and energy of a state."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.entry_points import books, derivative
from softdock.dynamics.kernels.derivative import BOOKS, SystemRecords

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Books:
    """Momentum and energy of a state."""

    angular_momentum: Floats
    linear_momentum: Floats
    kinetic: float
    stored: float
    dissipated: float
    work: float
    momentum_scale: float
    angular_momentum_scale: float

    @property
    def balance(self) -> float:
        """What must stay constant: kinetic + stored + dissipated - work [J]."""
        return self.kinetic + self.stored + self.dissipated - self.work


def read_books(machine: SystemRecords, y: Floats, t: float) -> Books:
    """Evaluate a state and return its books."""
    out = np.zeros(BOOKS)
    derivative(machine, t, y, np.zeros(len(y)))
    books(machine, y, out)
    return books_of(out)


def books_of(out: Floats) -> Books:
    """Return the books that a kernel wrote as a row of numbers."""
    return Books(
        angular_momentum=out[:3].copy(),
        linear_momentum=out[3:6].copy(),
        kinetic=float(out[6]),
        stored=float(out[7]),
        dissipated=float(out[8]),
        work=float(out[9]),
        momentum_scale=float(out[10]),
        angular_momentum_scale=float(out[11]),
    )
