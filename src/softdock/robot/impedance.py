"""Joint impedance control: every joint a spring and damper towards where it is told to be."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem

Floats = NDArray[np.float64]


class Compensation(Enum):
    """Which part of its own dynamics the robot makes up for."""

    NONE = "none"
    GRAVITY = "gravity"
    """Its weight."""
    DYNAMICS = "dynamics"
    """Its weight and what the speeds of its joints need (Coriolis and centrifugal)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Modes:
    """An arm under joint stiffness as decoupled oscillators: M = Q Q^T, K = Q diag(squares) Q^T."""

    Q: Floats
    squares: Floats
    """Squares of the angular frequencies [1/s2]."""

    def damping(self, ratio: Floats | float) -> Floats:
        """Return the damping matrix that gives the modes their share of critical damping; Eq. (A10)."""
        each = 2.0 * np.broadcast_to(np.asarray(ratio, float), self.squares.shape) * np.sqrt(self.squares)
        return np.asarray((self.Q * each) @ self.Q.T)


def modes_of(M: Floats, stiffness: Floats) -> Modes:
    """Diagonalise mass matrix and joint stiffness together; Eq. (A9)."""
    L = np.linalg.cholesky(M)
    half = np.linalg.solve(L, np.diag(np.sqrt(stiffness)))
    squares, U = np.linalg.eigh(half @ half.T)
    return Modes(Q=L @ U, squares=np.maximum(squares, 0.0))


def damping_of(M: Floats, stiffness: Floats, ratio: Floats) -> Floats:
    """Return the damping matrix of an arm; ratios that differ belong to the joints that dominate a mode.

    One ratio for all joints gives every mode that ratio. With several, each mode takes the mean over the joints,
    weighted by their share in the mode's kinetic energy; Eq. (A11).
    """
    modes = modes_of(M, stiffness)
    if np.ptp(ratio) == 0.0:
        return modes.damping(float(ratio[0]))
    shape = np.linalg.inv(modes.Q).T  # mode shapes, mass-normalised
    share = np.abs(shape * (M @ shape))
    return modes.damping(ratio @ share / share.sum(axis=0))


def check_sampling(
    M: Floats, stiffness: Floats, ratio: Floats, period: float, names: tuple[str, ...]
) -> None:
    """Refuse a stiffness that torques held for a period would turn into a growing oscillation; Eq. (A13)."""
    n = len(M)
    D = damping_of(M, stiffness, ratio)
    inverse = np.linalg.inv(M)
    half = 0.5 * period**2
    step = np.block(
        [
            [np.eye(n) - half * inverse * stiffness, period * np.eye(n) - half * inverse @ D],
            [-period * inverse * stiffness, np.eye(n) - period * inverse @ D],
        ]
    )
    values, vectors = np.linalg.eig(step)
    worst = int(np.argmax(np.abs(values)))
    if np.abs(values[worst]) > 1.0 + 1e-9:
        joint = names[int(np.argmax(np.abs(vectors[n:, worst]) * np.sqrt(np.diag(M))))]
        raise InputError(
            Problem(
                message=f"The arm would swing up: held for {period * 1e3:g} ms, the torque of '{joint}' comes too late "
                "for its stiffness.",
                field="control.stiffness",
                hint="Lower the stiffness, or shorten control.torque_period.",
            )
        )
