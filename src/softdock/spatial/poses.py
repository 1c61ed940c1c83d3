"""Poses of frames."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.spatial.rotations import cross

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Pose:
    """Pose X_AB of a frame B in a frame A."""

    R: Floats
    """Rotation R_AB, shape (3, 3): v_A = R_AB v_B."""
    p: Floats
    """Origin of B in A, shape (3,) [m]."""

    @classmethod
    def identity(cls) -> "Pose":
        """Return the pose of a frame in itself, one object for all frames."""
        return _IDENTITY

    def __matmul__(self, other: "Pose") -> "Pose":
        """Return X_AC from X_AB and X_BC."""
        if other is _IDENTITY:
            return self
        return Pose(R=self.R @ other.R, p=self.point(other.p))

    def inverse(self) -> "Pose":
        """Return X_BA."""
        return Pose(R=self.R.T, p=-self.R.T @ self.p)

    def relative(self, other: "Pose") -> "Pose":
        """Return X_BC from X_AB and X_AC; the difference of the origins is rounded once."""
        return Pose(R=self.R.T @ other.R, p=self.R.T @ (other.p - self.p))

    def point(self, p_B: Floats) -> Floats:
        """Return a point of B in A, shape (3,) [m]."""
        return np.asarray(self.p + self.R @ p_B)

    def points(self, p_B: Floats) -> Floats:
        """Return points of B in A, shape (..., 3) [m]."""
        return np.asarray(self.p + p_B @ self.R.T)

    def vector(self, v_B: Floats) -> Floats:
        """Return a free vector of B in A, shape (3,)."""
        return np.asarray(self.R @ v_B)

    def motion(self, V_B: Floats) -> Floats:
        """Return a motion vector about B's origin as one about A's origin in A, shape (6,)."""
        w = self.R @ V_B[:3]
        return np.concatenate([w, self.R @ V_B[3:] - cross(w, self.p)])

    def wrench(self, W_B: Floats) -> Floats:
        """Return a wrench or momentum about B's origin as one about A's origin in A, shape (6,)."""
        f = self.R @ W_B[3:]
        return np.concatenate([self.R @ W_B[:3] + cross(self.p, f), f])


_IDENTITY = Pose(R=np.eye(3), p=np.zeros(3))
_IDENTITY.R.flags.writeable = _IDENTITY.p.flags.writeable = False
