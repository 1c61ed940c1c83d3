"""Boxes with the mass properties of bodies that have no geometry."""

import numpy as np

from softdock.replay.scene import Floats

THINNEST = 0.08  # fraction of the longest side, so that rods and plates stay visible


def equivalent_box(mass: float, inertia: Floats) -> tuple[Floats, Floats] | None:
    """Return the sides [m] of the uniform box with this mass [kg] and inertia [kg m2], and its axes R_BP.

    For principal moments I1, I2, I3 a side is sqrt(6 (I2 + I3 - I1) / m). None for a body without inertia.
    """
    moments, axes = np.linalg.eigh(inertia)
    if mass <= 0.0 or moments[-1] <= 0.0:
        return None
    if np.allclose(inertia, np.diag(np.diagonal(inertia)), atol=1e-12 * moments[-1]):
        moments, axes = np.diagonal(inertia), np.eye(3)  # axes of the body where they are principal
    if np.linalg.det(axes) < 0.0:
        axes = axes * np.array([1.0, 1.0, -1.0])
    sides = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0))
    return np.maximum(sides, THINNEST * sides.max()), axes
