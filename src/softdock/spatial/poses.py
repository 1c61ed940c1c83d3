"""Cross products, quaternions and poses with NumPy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def product(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the product of two quaternions wxyz: first turn q, then turn p."""
    w, v = p[0], p[1:]
    return np.concatenate([[w * q[0] - v @ q[1:]], w * q[1:] + q[0] * v + cross(v, q[1:])])


def matrix(q: NDArray[np.float64]) -> Matrix:
    """Return the rotation matrix of a unit quaternion wxyz; of many, shape (4, n), as shape (3, 3, n)."""
    w, x, y, z = q.tolist() if q.ndim == 1 else q  # NumPy's own numbers take several times as long
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def cross(a: Sequence[float] | NDArray[np.float64], b: Sequence[float] | NDArray[np.float64]) -> Matrix:
    """Return the vector product of two vectors, shape (3,): the same as NumPy's, which takes ten times as long."""
    (x, y, z), (u, v, w) = a, b
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


@dataclass(frozen=True, kw_only=True)
class Pose:
    """A frame in another: rotation and origin."""

    R: Matrix
    p: NDArray[np.float64]

    def __matmul__(self, other: "Pose") -> "Pose":
        return Pose(R=self.R @ other.R, p=self.p + self.R @ other.p)
