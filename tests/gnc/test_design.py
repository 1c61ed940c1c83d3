"""Gains: damped oscillator, linear-quadratic regulator against SciPy, stability of the sampled loop."""

import numpy as np
import pytest
from scipy.linalg import expm, solve_discrete_are

from softdock.errors import InputError
from softdock.gnc.design import (
    bandwidth_gains,
    delayed_radius,
    pulse_radius,
    regulator_gains,
    sampled_plant,
    solve_riccati,
    spectral_radius,
)

N = 1.1e-3  # [rad/s] mean motion of a low orbit


def hill_equations(n: float) -> np.ndarray:
    """Return the rate of position and velocity in H: x ahead, z to the Earth."""
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    A[3, 5], A[5, 3] = 2 * n, -2 * n
    A[4, 1], A[5, 2] = -(n**2), 3 * n**2
    return A


@pytest.mark.parametrize("n", [0.0, 1e-9, N, 0.02])
@pytest.mark.parametrize("t", [0.1, 8.0, 700.0])
def test_sampled_plant_is_the_matrix_exponential(n: float, t: float) -> None:
    big = np.zeros((9, 9))
    big[:6, :6], big[3:6, 6:] = hill_equations(n), np.eye(3)
    exact = expm(big * t)
    A, B = sampled_plant(n, t)
    np.testing.assert_allclose(A, exact[:6, :6], rtol=1e-11, atol=1e-12 * np.abs(exact).max())
    np.testing.assert_allclose(B, exact[:6, 6:], rtol=1e-11, atol=1e-12 * np.abs(exact).max())


def test_transition_is_continuous_at_the_switch_to_the_series() -> None:
    for n in (0.1999999, 0.2000001):
        big = np.zeros((9, 9))
        big[:6, :6], big[3:6, 6:] = hill_equations(n), np.eye(3)
        A, B = sampled_plant(n, 1.0)
        np.testing.assert_allclose(np.hstack([A, B]), expm(big)[:6], rtol=0, atol=3e-15)


@pytest.mark.parametrize("n", [0.0, N])
def test_regulator_equals_that_of_scipy(n: float) -> None:
    A, B = sampled_plant(n, 0.5)
    Q = np.diag([1 / 0.05**2] * 3 + [1 / 0.005**2] * 3)
    R = np.eye(3) / 0.01**2
    X = solve_discrete_are(A, B, Q, R)
    np.testing.assert_allclose(solve_riccati(A, B, Q, R), X, rtol=1e-8, atol=1e-9 * np.abs(X).max())
    K = np.linalg.solve(R + B.T @ X @ B, B.T @ X @ A)
    np.testing.assert_allclose(regulator_gains(A, B, Q, R), K, rtol=1e-8, atol=1e-9 * np.abs(K).max())
    assert spectral_radius(A, B, K) < 1.0


def test_steady_covariance_is_the_dual_problem() -> None:
    A, _ = sampled_plant(N, 1.0)
    H = np.hstack([np.eye(3), np.zeros((3, 3))])
    Q, R = np.diag([1e-6] * 3 + [1e-8] * 3), 1e-4 * np.eye(3)
    P = solve_riccati(A.T, H.T, Q, R)
    S = H @ P @ H.T + R
    after = P - P @ H.T @ np.linalg.solve(S, H @ P)
    np.testing.assert_allclose(A @ after @ A.T + Q, P, rtol=1e-9, atol=1e-15)


def test_uncontrollable_plant_is_refused() -> None:
    with pytest.raises(InputError, match="no stabilising solution"):
        regulator_gains(np.diag([2.0, 0.5]), np.array([[0.0], [1.0]]), np.eye(2), np.eye(1))


def test_bandwidth_gains_give_the_step_response_of_a_damped_oscillator() -> None:
    """Overshoot exp(-pi zeta / sqrt(1 - zeta^2)) and peak time pi / (w sqrt(1 - zeta^2)) of a damped oscillator."""
    w, zeta, dt = 0.2, 0.5, 1e-3
    A, B = sampled_plant(0.0, dt)
    K = bandwidth_gains(w, zeta)
    x, peak, t_peak = np.array([-1.0, 0, 0, 0, 0, 0]), -1.0, 0.0
    for k in range(int(40 / dt)):
        x = A @ x - B @ (K @ x)
        if x[0] > peak:
            peak, t_peak = x[0], (k + 1) * dt
    root = np.sqrt(1 - zeta**2)
    assert peak == pytest.approx(np.exp(-np.pi * zeta / root), rel=w * dt * 5)
    assert t_peak == pytest.approx(np.pi / (w * root), rel=w * dt * 5)


def test_a_bandwidth_near_the_sample_rate_is_unstable() -> None:
    A, B = sampled_plant(0.0, 1.0)
    # Jury criterion with zero-order hold and a period T: stable for kp T < 2 kd and kd T < 2 (kd = 2 zeta w).
    assert spectral_radius(A, B, bandwidth_gains(1.40, 0.7)) < 1.0
    assert spectral_radius(A, B, bandwidth_gains(1.45, 0.7)) > 1.0


def test_short_pulses_and_delays_lower_the_stable_bandwidth() -> None:
    """Limit of short pulses from Jury's criterion: 4 zeta w T + (w T)^2 = 4; without delay (K43) is a held command."""
    zeta, T = 0.7, 0.5
    limit = 2.0 * (np.sqrt(zeta**2 + 1.0) - zeta) / T
    assert pulse_radius(0.0, T, 0.0, bandwidth_gains(0.999 * limit, zeta)) < 1.0
    assert pulse_radius(0.0, T, 0.0, bandwidth_gains(1.001 * limit, zeta)) > 1.0
    gains = bandwidth_gains(0.9, zeta)
    assert delayed_radius(N, T, 0.0, gains) == pytest.approx(
        spectral_radius(*sampled_plant(N, T), gains), rel=1e-9
    )
    # A delay of a whole period is a held command of the sample before: the same loop with one more state.
    A, B = sampled_plant(N, T)
    augmented = np.block([[A, B], [np.zeros((3, 9))]])
    late = spectral_radius(
        augmented, np.vstack([np.zeros((6, 3)), np.eye(3)]), np.hstack([gains, np.zeros((3, 3))])
    )
    assert delayed_radius(N, T, T, gains) == pytest.approx(late, rel=1e-9)
