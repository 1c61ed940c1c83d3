"""Filters: consistency over many runs (NEES), covariance against the Riccati equation, closed forms of propagation."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.stats import chi2

from softdock.gnc.design import sampled_plant, solve_riccati
from softdock.gnc.entry_points import (
    propagate_covariance,
    propagate_state,
    update_attitude,
    update_position,
    write_attitude_transition,
)
from softdock.gnc.kernels.estimation import gyro_noise, white_acceleration_noise
from softdock.spatial.rotations import (
    matrix_from_quaternion,
    quaternion_from_rotation_vector,
    quaternion_product,
    skew,
)

RUNS = 200
N, DT = 1.1e-3, 1.0
SIGMA = np.array([0.02, 0.02, 0.03])
DENSITY = 1e-3


def without_arm() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return levers, cross-covariance and covariance of the attitude of a sensor at the centre of mass."""
    return np.zeros((3, 3)), np.zeros((6, 6)), np.eye(6)


def band(states: int) -> tuple[float, float]:
    """Return the 95 % band of the mean over all runs of the normalised estimation error squared."""
    count = RUNS * states
    return chi2.ppf(0.025, count) / RUNS, chi2.ppf(0.975, count) / RUNS


def translation_model() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    A, B = sampled_plant(N, DT)
    Q = np.empty((6, 6))
    white_acceleration_noise(DENSITY, DT, Q)
    return A, B, Q


def test_covariance_converges_to_the_riccati_solution() -> None:
    A, _, Q = translation_model()
    H = np.hstack([np.eye(3), np.zeros((3, 3))])
    x, P, row, work = np.zeros(6), np.eye(6), np.zeros(6), np.zeros((6, 6))
    levers, C, attitude = without_arm()
    for _ in range(400):
        update_position(np.zeros(3), np.eye(6), levers, SIGMA, x, P, C, attitude, row, work)
        propagate_covariance(A, P, Q, work)
    exact = solve_riccati(A.T, H.T, Q, np.diag(SIGMA**2))
    np.testing.assert_allclose(P, exact, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("latency", [0.0, 0.4])
def test_translation_filter_is_consistent(latency: float) -> None:
    """The mean of e^T P^-1 e over 200 runs with random accelerations and measurements is within its 95 % band."""
    rng = np.random.default_rng(3)
    A, B, Q = translation_model()
    root = np.linalg.cholesky(Q)
    back, _ = sampled_plant(N, -latency)
    squares, innovations = [], []
    for _ in range(RUNS):
        P, x = np.diag([1.0] * 3 + [0.01] * 3), np.zeros(6)
        truth = np.linalg.cholesky(P) @ rng.normal(size=6)
        row, work = np.zeros(6), np.zeros((6, 6))
        levers, C, attitude = without_arm()
        for _ in range(25):
            u = rng.normal(scale=0.01, size=3)
            truth = A @ truth + B @ u + root @ rng.normal(size=6)
            propagate_state(A, B, u, x, work)
            propagate_covariance(A, P, Q, work)
            z = (back @ truth)[:3] + SIGMA * rng.normal(size=3)
            innovations.append(update_position(z, back, levers, SIGMA, x, P, C, attitude, row, work))
        e = x - truth
        squares.append(e @ np.linalg.solve(P, e))
    low, high = band(6)
    assert low < np.mean(squares) < high
    count = 3 * len(innovations)
    assert abs(np.mean(innovations) - 3.0) < 3.0 * 3.0 * np.sqrt(2.0 / count)


def test_attitude_transition_is_the_matrix_exponential() -> None:
    for w in ([0.02, -0.01, 0.03], [0.4, 0.1, -0.7], [0.0, 0.0, 0.0], [1e-7, 0.0, 0.0]):
        F = np.zeros((6, 6))
        F[:3, :3], F[:3, 3:] = -skew(w), -np.eye(3)
        out = np.empty((6, 6))
        write_attitude_transition(*map(float, w), 0.5, out)
        np.testing.assert_allclose(out, expm(0.5 * F), atol=1e-14)


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return quaternion_product(q, quaternion_from_rotation_vector(v))


@pytest.mark.parametrize("latency", [0.0, 0.3])
def test_attitude_filter_is_consistent(latency: float) -> None:
    """A body turns at 1 deg/s; gyro with noise and drifting bias, attitude measured with noise."""
    rng = np.random.default_rng(5)
    white, walk, sigma, dt = 3e-4, 2e-5, np.array([0.004, 0.004, 0.008]), 0.5
    Q = np.empty((6, 6))
    gyro_noise(white, walk, dt, Q)
    w = np.array([0.01, -0.012, 0.008])
    squares = []
    for _ in range(RUNS):
        P = np.diag([0.05**2] * 3 + [2e-3**2] * 3)
        start = np.linalg.cholesky(P) @ rng.normal(size=6)
        q, bias = np.array([1.0, 0, 0, 0]), np.zeros(3)
        truth, true_bias = rotate(q, start[:3]), start[3:]
        F, row, state, work = np.empty((6, 6)), np.empty(6), np.empty(6), np.empty((6, 6))
        C = np.zeros((6, 6))
        for _ in range(30):
            a, b = rng.normal(size=3), rng.normal(size=3)
            step = walk * np.sqrt(dt)
            # Integral of bias and noise over the interval, with the correlation of a Wiener process.
            moved = true_bias * dt + step * dt * (0.5 * a + b / np.sqrt(12.0))
            angle = w * dt + moved + white * np.sqrt(dt) * rng.normal(size=3)
            true_bias = true_bias + step * a
            truth = rotate(truth, w * dt)
            estimated = angle / dt - bias
            q = rotate(q, estimated * dt)
            write_attitude_transition(*map(float, estimated), dt, F)
            propagate_covariance(F, P, Q, work)
            z = rotate(rotate(truth, -w * latency), sigma * rng.normal(size=3))
            update_attitude(z, estimated * latency, sigma, q, bias, P, C, row, state, work)
        R = matrix_from_quaternion(q).T @ matrix_from_quaternion(truth)
        angles = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        e = np.concatenate([angles, true_bias - bias])
        squares.append(e @ np.linalg.solve(P, e))
    low, high = band(6)
    assert low < np.mean(squares) < high


def test_considered_arm_equals_a_joint_filter_without_correction_of_the_attitude() -> None:
    """Both covariances are those of a filter of all twelve errors with a gain of zero in the rows of the attitude."""
    rng = np.random.default_rng(8)
    root = rng.normal(size=(12, 12))
    joint = root @ root.T / 12.0
    P, C, attitude = joint[:6, :6].copy(), joint[:6, 6:].copy(), joint[6:, 6:].copy()
    levers, back, x = rng.normal(size=(3, 3)), sampled_plant(N, -0.3)[0], np.zeros(6)
    z, expected = np.array([0.3, -0.2, 0.1]), np.zeros(6)
    for k in range(3):
        h = np.concatenate([back[k], levers[k], np.zeros(3)])
        s = h @ joint @ h + SIGMA[k] ** 2
        gain = np.concatenate([(joint @ h)[:6] / s, np.zeros(6)])
        expected = expected + gain[:6] * (z[k] - back[k] @ expected)
        keep = np.eye(12) - np.outer(gain, h)
        joint = keep @ joint @ keep.T + SIGMA[k] ** 2 * np.outer(gain, gain)
    update_position(z, back, levers, SIGMA, x, P, C, attitude, np.zeros(6), np.zeros((6, 6)))
    for found, exact in ((x, expected), (P, joint[:6, :6]), (C, joint[:6, 6:]), (attitude, joint[6:, 6:])):
        np.testing.assert_allclose(found, exact, atol=1e-12)


@pytest.mark.plain_python
def test_covariances_stay_positive_with_a_very_accurate_sensor() -> None:
    A, _, Q = translation_model()
    x, P, row, work = np.zeros(6), 1e6 * np.eye(6), np.zeros(6), np.zeros((6, 6))
    levers, C, attitude = without_arm()
    for _ in range(50):
        update_position(np.ones(3), np.eye(6), levers, np.full(3, 1e-6), x, P, C, attitude, row, work)
        assert np.linalg.eigvalsh(P).min() > -1e-9
        propagate_covariance(A, P, Q, work)
    np.testing.assert_array_equal(P, P.T)
    np.testing.assert_allclose(x[:3], 1.0, atol=1e-4)
