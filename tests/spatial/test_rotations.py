"""Rotations: group properties, round trips, agreement with SciPy and between the NumPy and kernel forms."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from tests.spatial.cases import EPS, Floats, plain, quaternions, rotations, unit_vectors, vectors

from softdock.spatial import kernels
from softdock.spatial import rotations as r

pytestmark = pytest.mark.plain_python

angles = st.floats(-math.pi, math.pi)
CLOSE = 50 * EPS  # of products of a few numbers up to one


def scipy_rotation(q: Floats) -> Rotation:
    return Rotation.from_quat(q, scalar_first=True)


def equal_quaternions(p: Floats, q: Floats, tolerance: float = CLOSE) -> bool:
    """Return whether two quaternions are the same rotation, as q and -q are."""
    return min(np.abs(p - q).max(), np.abs(p + q).max()) <= tolerance


@plain
@given(vectors, vectors)
def test_all_forms_of_the_cross_product_agree(a, b):
    scale = 1.0 + np.linalg.norm(a) * np.linalg.norm(b)
    assert np.array_equal(r.cross(a, b), np.cross(a, b))
    assert np.abs(r.skew(a) @ b - np.cross(a, b)).max() <= 4 * EPS * scale
    assert np.array_equal(r.skew(a).T, -r.skew(a))


@plain
@given(quaternions, quaternions)
def test_quaternion_products_are_matrix_products(p, q):
    product = r.quaternion_product(p, q)
    assert np.linalg.norm(product) == pytest.approx(1.0, abs=CLOSE)
    both = r.matrix_from_quaternion(p) @ r.matrix_from_quaternion(q)
    assert r.matrix_from_quaternion(product) == pytest.approx(both, abs=CLOSE)
    assert equal_quaternions(product, (scipy_rotation(p) * scipy_rotation(q)).as_quat(scalar_first=True))


@plain
@given(quaternions)
def test_matrices_from_quaternions_are_rotations(q):
    R = r.matrix_from_quaternion(q)
    assert pytest.approx(np.eye(3), abs=CLOSE) == R @ R.T
    assert np.linalg.det(R) == pytest.approx(1.0, abs=CLOSE)
    assert pytest.approx(scipy_rotation(q).as_matrix(), abs=CLOSE) == R
    assert r.matrix_from_quaternion(3.0 * q) == pytest.approx(R, abs=CLOSE)


def test_matrices_of_many_quaternions_equal_single_ones():
    q = np.random.default_rng(7).normal(size=(4, 5))
    q /= np.linalg.norm(q, axis=0)
    together = r.matrix_from_quaternion(q)
    assert together.shape == (3, 3, 5)
    for k in range(5):
        assert np.array_equal(together[..., k], r.matrix_from_quaternion(q[:, k]))


@plain
@given(quaternions)
def test_quaternion_of_a_matrix_is_the_original_one(q):
    """Where two components are the largest, rounding decides which of q and -q is returned."""
    R = r.matrix_from_quaternion(q)
    for found in (r.quaternion_from_matrix(R), r.nearest_quaternion(R)):
        assert equal_quaternions(found, q)
    assert r.quaternion_from_matrix(R)[np.abs(q).argmax()] >= 0.0
    assert r.nearest_quaternion(R)[0] >= 0.0


@pytest.mark.parametrize("q", [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0.6, 0.8)])
def test_quaternions_of_half_turns_are_found(q):
    R = r.matrix_from_quaternion(np.array(q, float))
    for found in (r.quaternion_from_matrix(R), r.nearest_quaternion(R)):
        assert equal_quaternions(found, np.array(q))


@plain
@given(rotations, st.lists(st.floats(-1e-6, 1e-6), min_size=9, max_size=9))
def test_nearest_quaternion_agrees_with_the_polar_decomposition(R, errors):
    M = R + np.array(errors).reshape(3, 3)
    U, _, V = np.linalg.svd(M)
    assert r.matrix_from_quaternion(r.nearest_quaternion(M)) == pytest.approx(U @ V, abs=1e-11)


@plain
@given(unit_vectors, st.floats(0.0, math.pi))
def test_rotation_vectors_convert_into_matrices_and_back(axis, angle):
    vector = angle * axis
    R, expected = r.matrix_from_rotation_vector(vector), Rotation.from_rotvec(vector)
    assert pytest.approx(expected.as_matrix(), abs=CLOSE) == R
    assert equal_quaternions(r.quaternion_from_rotation_vector(vector), expected.as_quat(scalar_first=True))
    assert equal_quaternions(r.quaternion_from_axis_angle(axis, angle), expected.as_quat(scalar_first=True))
    assume(angle < math.pi - 1e-6)  # at half a turn the axis may point either way
    back = r.rotation_vector_from_matrix(R)
    assert back == pytest.approx(vector, abs=CLOSE)
    assert np.array(kernels.rotation_vector_from_matrix(R.ravel())) == pytest.approx(back, abs=CLOSE)


@plain
@given(angles, angles, angles)
def test_roll_pitch_yaw_are_about_fixed_axes(roll, pitch, yaw):
    q = r.quaternion_from_roll_pitch_yaw(roll, pitch, yaw)
    expected = Rotation.from_euler("xyz", [roll, pitch, yaw])
    assert equal_quaternions(q, expected.as_quat(scalar_first=True))


@plain
@given(angles)
def test_rotations_about_coordinate_axes_agree_with_scipy(angle):
    for axis, R in (("x", r.matrix_about_x(angle)), ("z", r.matrix_about_z(angle))):
        assert pytest.approx(Rotation.from_euler(axis, angle).as_matrix(), abs=CLOSE) == R


@plain
@given(unit_vectors)
def test_smallest_rotation_turns_z_to_the_given_axis(axis):
    R = r.matrix_from_z_to(axis)
    z = np.array([0.0, 0.0, 1.0])
    close = CLOSE / (1.0 + axis[2]) if axis[2] > -0.99 else 1e-4  # both forms divide by 1 + z
    assert R @ z == pytest.approx(axis, abs=1e-6)  # 1e-6: a vector within 1e-12 of -z counts as -z
    assert pytest.approx(np.eye(3), abs=close) == R @ R.T
    sine = np.linalg.norm(np.cross(z, axis))
    angle = np.linalg.norm(r.rotation_vector_from_matrix(R))
    assert angle == pytest.approx(math.atan2(sine, axis[2]), abs=1e-4 if axis[2] < -0.99 else 1e-7)
    q = r.quaternions_from_z_to(axis[None])[0]
    assert r.matrix_from_quaternion(q) == pytest.approx(R, abs=close)


@plain
@given(rotations, rotations, vectors)
def test_kernels_are_the_matrix_operations(A, B, v):
    scale = EPS * 8 * (1.0 + np.linalg.norm(v))
    a, b = kernels.unpack_matrix(A.ravel()), kernels.unpack_matrix(B.ravel())
    assert np.array(kernels.matrix_product(a, b)) == pytest.approx((A @ B).ravel(), abs=CLOSE)
    assert np.array_equal(kernels.transpose(a), A.T.ravel())
    assert np.array(kernels.rotate(a, *v)) == pytest.approx(A @ v, abs=scale)
    assert np.array(kernels.rotate_inverse(a, *v)) == pytest.approx(A.T @ v, abs=scale)
    assert np.array(kernels.rotate_inverse(a, *kernels.rotate(a, *v))) == pytest.approx(v, abs=4 * scale)


@plain
@given(quaternions, vectors)
def test_rates_of_quaternions_and_angular_velocities_are_inverse(q, w):
    rate = np.array(kernels.quaternion_rate(*q, *w))
    scale = CLOSE * (1.0 + np.linalg.norm(w))
    assert rate == pytest.approx(0.5 * r.quaternion_product(q, np.array([0.0, *w])), abs=scale)
    assert np.array(kernels.angular_velocity(*q, *rate)) == pytest.approx(w, abs=scale)


@plain
@given(unit_vectors, st.floats(0.0, 3.0), vectors)
def test_inverse_left_jacobian_gives_the_rate_of_the_rotation_vector(axis, angle, w):
    """J^-1 w is the rate of the rotation vector at the angular velocity w, by a central difference."""
    e, h = angle * axis, 1e-4
    K = r.skew(e)
    rate = w - 0.5 * K @ w + kernels.inverse_left_jacobian_factor(*e) * K @ K @ w
    R = r.matrix_from_rotation_vector(e)
    ahead, behind = (
        r.rotation_vector_from_matrix(r.matrix_from_rotation_vector(s * h * w) @ R) for s in (1, -1)
    )
    assume(np.linalg.norm(ahead - behind) < 1.0)  # not across half a turn
    assert (ahead - behind) / (2 * h) == pytest.approx(rate, abs=1e-3 * (1.0 + np.linalg.norm(w) ** 3))
