"""Joint impedance control: a spring and damper between commanded and actual position of every joint."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError

Floats = NDArray[np.float64]


class Compensation(Enum):
    """Which part of its own dynamics the robot compensates."""

    NONE = "none"
    GRAVITY = "gravity"
    """Gravity torques."""
    DYNAMICS = "dynamics"
    """Gravity, Coriolis and centrifugal torques."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DecoupledModes:
    """Decoupled oscillators of an arm under joint stiffness: M = Q Q^T, K = Q diag(squares) Q^T."""

    Q: Floats
    squares: Floats
    """Squares of the angular frequencies [1/s2]."""

    def damping(self, ratio: Floats | float) -> Floats:
        """Return the damping matrix for the given damping ratios of the modes; Eq. (A10)."""
        each = 2.0 * np.broadcast_to(np.asarray(ratio, float), self.squares.shape) * np.sqrt(self.squares)
        return np.asarray((self.Q * each) @ self.Q.T)


def decoupled_modes(M: Floats, stiffness: Floats) -> DecoupledModes:
    """Diagonalise mass matrix and joint stiffness simultaneously; Eq. (A9)."""
    L = np.linalg.cholesky(M)
    half = np.linalg.solve(L, np.diag(np.sqrt(stiffness)))
    squares, U = np.linalg.eigh(half @ half.T)
    return DecoupledModes(Q=L @ U, squares=np.maximum(squares, 0.0))


def damping_matrix(M: Floats, stiffness: Floats, ratio: Floats) -> Floats:
    """Return the damping matrix of an arm for damping ratios of its joints (joints,).

    Equal ratios give every mode that ratio. Otherwise each mode has the mean over the joints,
    weighted by their share in the mode's kinetic energy; Eq. (A11).
    """
    modes = decoupled_modes(M, stiffness)
    if np.ptp(ratio) == 0.0:
        return modes.damping(float(ratio[0]))
    shape = np.linalg.inv(modes.Q).T  # mode shapes, mass-normalised
    share = np.abs(shape * (M @ shape))
    return modes.damping(ratio @ share / share.sum(axis=0))


def check_sampling(
    M: Floats, stiffness: Floats, ratio: Floats, period: float, names: tuple[str, ...]
) -> None:
    """Raise InputError if sampling the torque with this period [s] makes the closed loop unstable; Eq. (A13)."""
    n = len(M)
    D = damping_matrix(M, stiffness, ratio)
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
            f"Unstable control: a torque period of {period * 1e3:g} ms is too long for the stiffness of "
            f"joint '{joint}'.",
            field="control.stiffness",
            hint="Lower the stiffness, or shorten control.torque_period.",
        )
