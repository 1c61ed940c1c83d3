"""Random rotations, poses, vectors and inertias."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from softdock.spatial.inertia import rigid_inertia
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_quaternion

Floats = NDArray[np.float64]
EPS = float(np.finfo(float).eps)
plain = settings(deadline=None, max_examples=50)
components = st.floats(-10.0, 10.0, allow_subnormal=False)


def arrays(*shape: int) -> st.SearchStrategy[Floats]:
    count = int(np.prod(shape))
    return st.lists(components, min_size=count, max_size=count).map(lambda v: np.array(v).reshape(shape))


vectors, motions = arrays(3), arrays(6)
unit_vectors = vectors.filter(lambda v: np.linalg.norm(v) > 1e-3).map(lambda v: v / np.linalg.norm(v))
quaternions = arrays(4).filter(lambda q: np.linalg.norm(q) > 1e-3).map(lambda q: q / np.linalg.norm(q))
rotations = quaternions.map(matrix_from_quaternion)
poses = st.builds(lambda R, p: Pose(R=R, p=p), rotations, vectors)


def _inertia(mass: float, centre: Floats, A: Floats) -> Floats:
    second = A @ A.T  # any second moments of a mass distribution are positive semidefinite
    return rigid_inertia(mass, centre, np.trace(second) * np.eye(3) - second)


inertias = st.builds(_inertia, st.floats(0.1, 100.0), vectors, arrays(3, 3))
