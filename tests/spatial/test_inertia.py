"""Inertias: ten numbers and matrices, change of frame, kinetic energy, agreement of the NumPy and kernel forms."""

import numpy as np
import pytest
from hypothesis import given
from tests.spatial.cases import inertias, motions, plain, poses, vectors

from softdock.spatial import inertia as i
from softdock.spatial import kernels
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_rotation_vector, skew
from softdock.spatial.vectors import inverse_motion_transform
from softdock.tree.kernels import fused_algebra

pytestmark = pytest.mark.plain_python

ROUNDING = 1e-13


@plain
@given(inertias)
def test_ten_numbers_and_matrix_convert_into_each_other(inertia):
    M = i.inertia_matrix(inertia)
    assert np.array_equal(M, M.T)
    assert np.array_equal(i.inertia_numbers(M), inertia)
    assert np.array_equal(i.symmetric_matrix(i.symmetric_entries(M[:3, :3])), M[:3, :3])


@plain
@given(vectors)
def test_rigid_inertia_obeys_the_parallel_axis_theorem(centre):
    J = np.diag([2.0, 3.0, 4.0])
    numbers, matrix = i.rigid_inertia(5.0, centre, J), i.rigid_inertia_matrix(5.0, centre, J)
    assert i.inertia_matrix(numbers) == pytest.approx(matrix, abs=ROUNDING * 5e3)
    point = i.inertia_from_second_moments(5.0 * np.outer(centre, centre))
    assert i.symmetric_matrix(numbers[4:]) == pytest.approx(J + point, abs=ROUNDING * 5e3)


@plain
@given(poses, inertias, motions)
def test_inertia_and_momentum_change_frame_consistently(X, inertia, V):
    """Momentum transforms as a wrench, the 6x6 matrix by congruence, and the kinetic energy is the same."""
    moved = i.transform_inertia(X, inertia)
    scale = ROUNDING * max(1.0, np.abs(inertia).max()) * 1e4
    T = inverse_motion_transform(X)
    assert i.inertia_matrix(moved) == pytest.approx(T.T @ i.inertia_matrix(inertia) @ T, abs=scale)
    h = i.momentum(inertia, V)
    moved_h = i.momentum(moved, X.motion(V))
    assert moved_h == pytest.approx(X.wrench(h), abs=100 * scale)
    energies = 0.5 * V @ h, 0.5 * X.motion(V) @ moved_h
    # Each of the six products has the error of the momentum times the velocity.
    assert energies[1] == pytest.approx(energies[0], abs=300 * scale * np.abs(X.motion(V)).max())
    assert energies[0] >= -scale * np.abs(V).max()
    assert np.array_equal(i.transform_inertia(Pose.identity(), inertia), inertia)


@plain
@given(inertias, motions)
def test_numpy_and_both_kernels_give_the_same_momentum(inertia, V):
    scale = ROUNDING * max(1.0, np.abs(inertia).max()) * 100
    expected = i.inertia_matrix(inertia) @ V
    assert i.momentum(inertia, V) == pytest.approx(expected, abs=scale)
    assert np.array(kernels.momentum(inertia, V)) == pytest.approx(expected, abs=scale)
    assert np.array(fused_algebra.times_inertia(inertia, V)) == pytest.approx(expected, abs=scale)


def test_stacked_arrays_give_the_results_of_single_ones():
    rng = np.random.default_rng(3)
    numbers, p = rng.normal(size=(4, 10)), rng.normal(size=(4, 3))
    R = np.array([matrix_from_rotation_vector(v) for v in rng.normal(size=(4, 3))])
    together = i.inertia_matrix(numbers), inverse_motion_transform(Pose(R=R, p=p)), skew(p)
    for k in range(4):
        one = i.inertia_matrix(numbers[k]), inverse_motion_transform(Pose(R=R[k], p=p[k])), skew(p[k])
        for a, b in zip(together, one):
            assert a[k] == pytest.approx(b, abs=1e-15)
