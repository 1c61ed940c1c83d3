"""Design of impedance control: damping of joints and of a task frame for a stiffness, and the limit of sampling."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError

Floats = NDArray[np.float64]
TASK_LENGTH = 0.3
"""Converts angular to linear mobility [m]; about the length from wrist to elbow."""
LEAST_MOBILITY = 1e-4
"""Smallest mobility in the design of the damping, relative to the largest one: the inertia grows to 10,000 times."""
NULL_TOLERANCE = 1e-6
"""By which an eigenvalue may exceed 1: a null space without stiffness has a double root at 1, up to rounding."""


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


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskDesign:
    """Stiffness and damping of a Cartesian impedance in one posture; six-vectors angular part first."""

    D: Floats
    """(6, 6) damping of the task frame, in the axes of its stiffness."""
    null_D: Floats
    """(joints, joints) damping of the null space."""
    K_joints: Floats
    """(joints, joints) torques per joint displacement of the whole law."""
    D_joints: Floats
    """(joints, joints) the same per joint speed."""


def design_task(
    M: Floats,
    J: Floats,
    stiffness: Floats,
    ratio: Floats,
    null_stiffness: Floats,
    null_ratio: Floats,
) -> TaskDesign:
    """Return the damping of a Cartesian impedance; `J` (6, joints) in the axes of the stiffness; Eqs. (A30)-(A33).

    The effective inertia of the task frame is bounded next to singular postures, where it is infinite.
    """
    MJ = np.linalg.solve(M, J.T)
    scale = np.array([1.0 / TASK_LENGTH] * 3 + [1.0] * 3)  # turns mobilities into 1/kg
    values, vectors = np.linalg.eigh(J @ MJ / np.outer(scale, scale))
    mobility = np.maximum(values, LEAST_MOBILITY * values[-1])
    inertia = (vectors / mobility) @ vectors.T / np.outer(scale, scale)
    D = damping_matrix(inertia, stiffness, ratio)
    null_D = damping_matrix(M, null_stiffness, null_ratio)
    projector = np.eye(len(M)) - MJ @ inertia @ J
    return TaskDesign(
        D=D,
        null_D=null_D,
        K_joints=(J.T * stiffness) @ J + projector.T * null_stiffness,
        D_joints=J.T @ D @ J + projector.T @ null_D @ projector,
    )


def check_sampling(
    M: Floats, stiffness: Floats, ratio: Floats, period: float, names: tuple[str, ...]
) -> None:
    """Raise InputError if sampling the torque with this period [s] makes the closed loop unstable; Eq. (A13)."""
    worst = unstable_joint(M, np.diag(stiffness), damping_matrix(M, stiffness, ratio), period)
    if worst is not None:
        raise InputError(
            f"Unstable control: a torque period of {period * 1e3:g} ms is too long for the stiffness of "
            f"joint '{names[worst]}'.",
            field="control.stiffness",
            hint="Lower the stiffness, or shorten control.torque_period.",
        )


def check_task_sampling(M: Floats, design: TaskDesign, period: float, names: tuple[str, ...]) -> None:
    """Raise InputError if sampling with this period [s] makes a Cartesian impedance unstable; Eq. (A13)."""
    worst = unstable_joint(M, design.K_joints, design.D_joints, period, NULL_TOLERANCE)
    if worst is not None:
        raise InputError(
            f"Unstable control: a torque period of {period * 1e3:g} ms is too long for this Cartesian stiffness; "
            f"joint '{names[worst]}' would oscillate with increasing amplitude.",
            field="control.cartesian",
            hint="Lower stiffness and angular_stiffness or damping_ratio, or shorten control.torque_period.",
        )


def unstable_joint(M: Floats, K: Floats, D: Floats, period: float, tolerance: float = 1e-9) -> int | None:
    """Return the joint that moves most in an unstable mode of a sampled control; None if it is stable; Eq. (A13)."""
    n = len(M)
    half = 0.5 * period**2
    MK, MD = np.linalg.solve(M, K), np.linalg.solve(M, D)
    step = np.block(
        [
            [np.eye(n) - half * MK, period * np.eye(n) - half * MD],
            [-period * MK, np.eye(n) - period * MD],
        ]
    )
    values, vectors = np.linalg.eig(step)
    worst = int(np.argmax(np.abs(values)))
    if np.abs(values[worst]) <= 1.0 + tolerance:
        return None
    return int(np.argmax(np.abs(vectors[n:, worst]) * np.sqrt(np.diag(M))))
