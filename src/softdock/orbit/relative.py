"""Relative motion of a chaser and a target on an orbit, in the Hill frame.

Hill frame H: x along the velocity of a circular orbit (V-bar), y against the orbit's angular momentum, z to the
Earth (R-bar). Its angular velocity on a circular orbit is (0, -n, 0) for the mean motion n.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.errors import InputError
from softdock.orbit.kernels import write_transition

Floats = NDArray[np.float64]
MAX_CONDITION = (
    1e8  # of the map from an impulse to a position; beyond, impulses have no correct digits to speak of
)


def hill_axes(position: ArrayLike, velocity: ArrayLike) -> tuple[Floats, Floats]:
    """Return R_NH and the angular velocity w_NH_H [rad/s] for an unperturbed orbit's state in N; Eq. (O11)."""
    p, v = np.asarray(position, float), np.asarray(velocity, float)
    h = np.cross(p, v)
    if not np.linalg.norm(h) > 0.0:
        raise InputError("must not point along the radius.", field="velocity", given=str(velocity))
    z = -p / np.linalg.norm(p)
    y = -h / np.linalg.norm(h)
    R_NH = np.column_stack([np.cross(y, z), y, z])
    return R_NH, np.array([0.0, -np.linalg.norm(h) / (p @ p), 0.0])  # Eq. (O11)


def clohessy_wiltshire(mean_motion: float, time: float) -> Floats:
    """Return the 6x6 state transition matrix of position and velocity in H over a time [s], circular orbit; Eq. (O13).

    Linearised for offsets small compared to the orbit's radius; mean motion [rad/s].
    """
    out = np.empty((6, 6))
    write_transition(float(mean_motion), float(time), out)
    return out


def transfer_impulses(
    mean_motion: float, start: ArrayLike, position: ArrayLike, time: float
) -> tuple[Floats, Floats]:
    """Return the two velocity changes in H [m/s] of a transfer to rest at a position [m] in a time [s]; Eq. (K1).

    `start` is position and velocity before the first impulse, shape (6,). Raises InputError for times near a multiple
    of half a period, after which the out-of-plane position, or all positions, do not depend on the first impulse.
    """
    x, end = np.asarray(start, float), np.asarray(position, float)
    if not (time > 0.0 and np.isfinite(time)):
        raise InputError("must be above 0 s.", field="time", given=f"{time:g} s")
    transition = clohessy_wiltshire(mean_motion, time)
    to_position = transition[:3, 3:]
    if np.linalg.cond(to_position) > MAX_CONDITION:
        raise InputError(
            "leaves a direction that the first impulse does not reach: choose a time away from multiples "
            "of half the orbital period.",
            field="time",
            given=f"{time:g} s",
        )
    v = np.linalg.solve(to_position, end - transition[:3, :3] @ x[:3])  # Eq. (K1)
    arrival = transition[3:, :3] @ x[:3] + transition[3:, 3:] @ v
    return v - x[3:], -arrival
