"""Free vibration of a structure after an impulse: linear motion of base and modes, propagated exactly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import expm

from softdock.errors import InputError
from softdock.flexible.modes import BaseModes
from softdock.flexible.welding import finite_numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class FreeVibration:
    """Motion of base and modes over time; small angles, no external forces."""

    modes: BaseModes
    time: Floats
    """Shape (times,) [s]."""
    motion: Floats
    """Spatial velocity of the base, angular part first, shape (times, 6) [rad/s, m/s]."""
    modal: Floats
    """Modal coordinates, shape (times, modes) [sqrt(kg) m]."""
    modal_rate: Floats
    """Modal rates, shape (times, modes) [sqrt(kg) m/s]."""
    energy: Floats
    """Kinetic and elastic energy of structure and docked body, shape (times,) [J]."""

    def deflection(self, node: str) -> Floats:
        """Return rotation [rad] and translation [m] of a node relative to the base, shape (times, 6)."""
        return np.asarray(self.modal @ self.modes.shapes[self.modes.node(node)].T)


def propagate_free_vibration(
    modes: BaseModes,
    *,
    motion: ArrayLike,
    modal_rate: ArrayLike,
    end: float,
    step: float,
    modal: ArrayLike | None = None,
    damping: float = 0.0,
    body: Floats | None = None,
) -> FreeVibration:
    """Propagate the free vibration from a spatial velocity of the base and modal rates; Eqs. (F35)-(F37).

    `body` is the 6x6 inertia about the base of a rigid body docked to it, `damping` the damping ratio of every
    mode of the clamped structure. Times are 0, `step`, ... up to `end` [s]; each step is exact.
    """
    count = modes.frequency.size
    V = finite_numbers("motion", motion, 6)
    q = np.zeros(count) if modal is None else finite_numbers("modal", modal, count)
    rate = finite_numbers("modal_rate", modal_rate, count)
    if not (step > 0.0 and end >= step):
        raise InputError("must be above 0 s and at most `end`.", field="step", given=f"{step:g} s")
    if not 0.0 <= damping < 1.0:
        raise InputError("must be at least 0 and below 1.", field="damping", given=f"{damping:g}")
    M = modes.inertia if body is None else modes.inertia + body
    L = modes.participation
    momentum = M @ V + L @ rate  # constant: there are no external forces
    states = np.empty((int(np.floor(end / step * (1.0 + 1e-12))) + 1, 2 * count))
    states[0] = np.concatenate([q, rate])
    transition = expm(_state_matrix(modes, M, damping) * step)  # Eq. (F37)
    for i in range(1, states.shape[0]):
        states[i] = transition @ states[i - 1]
    q_t, rate_t = states[:, :count], states[:, count:]
    V_t = np.asarray(np.linalg.solve(M, (momentum - rate_t @ L.T).T).T, float)  # Eq. (F35)
    return FreeVibration(
        modes=modes,
        time=np.asarray(step * np.arange(states.shape[0]), float),
        motion=V_t,
        modal=q_t,
        modal_rate=rate_t,
        energy=_energy(modes, M, V_t, q_t, rate_t),
    )


def _state_matrix(modes: BaseModes, M: Floats, damping: float) -> Floats:
    """Return A of d/dt (q, qdot) = A (q, qdot) without the base's motion, shape (2 modes, 2 modes); Eq. (F36)."""
    count, L, omega = modes.frequency.size, modes.participation, 2.0 * np.pi * modes.frequency
    reduced = np.eye(count) - L.T @ np.linalg.solve(M, L)
    A = np.zeros((2 * count, 2 * count))  # Eq. (F36)
    A[:count, count:] = np.eye(count)
    A[count:, :count] = -np.linalg.solve(reduced, np.diag(omega**2))
    A[count:, count:] = -np.linalg.solve(reduced, np.diag(2.0 * damping * omega))
    return A


def _energy(modes: BaseModes, M: Floats, V: Floats, q: Floats, rate: Floats) -> Floats:
    """Return kinetic plus elastic energy at every time, shape (times,) [J]."""
    omega = 2.0 * np.pi * modes.frequency
    diagonal = 0.5 * (
        np.einsum("ti,ij,tj->t", V, M, V) + (rate**2).sum(axis=1) + ((omega * q) ** 2).sum(axis=1)
    )
    return np.asarray(diagonal + np.einsum("ti,ik,tk->t", V, modes.participation, rate))
