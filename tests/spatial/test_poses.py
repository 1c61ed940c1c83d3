"""Poses: group properties, points, vectors, motions and wrenches."""

import numpy as np
import pytest
from hypothesis import given
from tests.spatial.cases import motions, plain, poses, vectors

from softdock.spatial.poses import Pose
from softdock.spatial.vectors import (
    inverse_motion_transform,
    motion_shift,
    motion_through,
    point_velocity,
    wrench_of_force,
)

pytestmark = pytest.mark.plain_python

CLOSE = 1e-11  # lengths of 50 m and products of them, in double precision


def homogeneous(X: Pose) -> np.ndarray:
    return np.block([[X.R, X.p[:, None]], [np.zeros(3), 1.0]])


@plain
@given(poses, poses, poses)
def test_poses_form_a_group(A, B, C):
    assert homogeneous(A @ B) == pytest.approx(homogeneous(A) @ homogeneous(B), abs=CLOSE)
    assert homogeneous((A @ B) @ C) == pytest.approx(homogeneous(A @ (B @ C)), abs=CLOSE)
    assert homogeneous(A @ A.inverse()) == pytest.approx(np.eye(4), abs=CLOSE)
    assert homogeneous((A @ B).inverse()) == pytest.approx(homogeneous(B.inverse() @ A.inverse()), abs=CLOSE)
    assert homogeneous(A.relative(B)) == pytest.approx(homogeneous(A.inverse() @ B), abs=CLOSE)
    assert np.array_equal(homogeneous(Pose.identity() @ A), homogeneous(A))


@plain
@given(poses, poses, vectors, vectors)
def test_points_and_vectors_transform_with_poses(A, B, p, q):
    assert (A @ B).point(p) == pytest.approx(A.point(B.point(p)), abs=CLOSE)
    assert A.inverse().point(A.point(p)) == pytest.approx(p, abs=CLOSE)
    assert A.vector(p - q) == pytest.approx(A.point(p) - A.point(q), abs=CLOSE)
    assert A.points(np.stack([p, q])) == pytest.approx(np.stack([A.point(p), A.point(q)]), abs=CLOSE)


@plain
@given(poses, poses, motions, motions)
def test_motions_and_wrenches_keep_their_power(A, B, V, W):
    assert (A @ B).motion(V) == pytest.approx(A.motion(B.motion(V)), abs=100 * CLOSE)
    assert (A @ B).wrench(W) == pytest.approx(A.wrench(B.wrench(W)), abs=100 * CLOSE)
    assert A.motion(V) @ A.wrench(W) == pytest.approx(
        V @ W, abs=1e4 * CLOSE
    )  # power does not depend on the frame
    X = inverse_motion_transform(A)
    assert X @ A.motion(V) == pytest.approx(V, abs=100 * CLOSE)
    assert pytest.approx(A.wrench(W), abs=100 * CLOSE) == X.T @ W


@plain
@given(poses, vectors, motions)
def test_velocity_of_a_point_does_not_depend_on_the_frame(X, p, V):
    at_p = point_velocity(V, p)
    assert X.vector(at_p) == pytest.approx(point_velocity(X.motion(V), X.point(p)), abs=100 * CLOSE)
    assert motion_through(p, at_p, V[:3]) == pytest.approx(V, abs=CLOSE)
    assert motion_shift(p) @ V == pytest.approx(np.concatenate([V[:3], at_p]), abs=CLOSE)


@plain
@given(poses, vectors, vectors)
def test_wrench_of_a_force_transforms_with_the_force(X, p, f):
    W = wrench_of_force(p, f)
    assert X.wrench(W) == pytest.approx(wrench_of_force(X.point(p), X.vector(f)), abs=100 * CLOSE)
