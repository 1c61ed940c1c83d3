"""Librations of the Power Tower: closed forms against an integration of Euler's equations."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.documentation.quoted_numbers import assert_quoted
from tests.orbit.reference_orbits import gravity_gradient_torque

from softdock.errors import InputError
from softdock.orbit.kepler import MU
from softdock.theory.libration import equilibrium_pitch, pitch_period, roll_yaw

TABLE_2 = np.array([8.5620e7, 7.8819e7, 1.0718e7])
PRODUCT = 3.1455e5
RADIUS = (MU / 1.1068e-3**2) ** (1 / 3)
N = 1.1068e-3
W_NH = np.array([0.0, -N, 0.0])


def matrix(wxyz: np.ndarray) -> np.ndarray:
    """Return R_HB of a quaternion."""
    w, v = wxyz[0], wxyz[1:]
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K


def integrate_libration(
    inertia: np.ndarray, wxyz: list[float], w_HB: list[float], end: float, **options: object
):  # type: ignore[no-untyped-def]
    """Integrate the attitude on a circular orbit; the state is the quaternion of R_HB and w_NB in B."""

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        R, w = matrix(y[:4]), y[4:]
        up = R.T @ np.array([0.0, 0.0, -RADIUS])
        turn = np.linalg.solve(inertia, gravity_gradient_torque(up, inertia) - np.cross(w, inertia @ w))
        slip = w - R.T @ W_NH
        q = 0.5 * np.concatenate([[-y[1:4] @ slip], y[0] * slip + np.cross(y[1:4], slip)])
        return np.concatenate([q, turn])

    R = matrix(np.array(wxyz))
    start = np.concatenate([wxyz, np.array(w_HB) + R.T @ W_NH])
    return solve_ivp(rate, (0.0, end), start, method="DOP853", rtol=1e-11, atol=1e-14, **options)


def pitch_quaternion(angle: float) -> list[float]:
    return [math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0]


@pytest.mark.parametrize(("degrees", "published"), [(0.01, 3362.1), (10.0, 3387.9)])
def test_pitch_period_equals_the_closed_form(degrees: float, published: float) -> None:
    exact = pitch_period(N, TABLE_2, math.radians(degrees))
    assert exact == pytest.approx(published, rel=1e-4)

    def upright(_: float, y: np.ndarray) -> float:
        return float(y[2])

    run = integrate_libration(
        np.diag(TABLE_2), pitch_quaternion(math.radians(degrees)), [0, 0, 0], 2.2 * exact, events=upright
    )
    crossings = run.t_events[0]
    assert crossings[2] - crossings[0] == pytest.approx(exact, rel=1e-6)


def test_period_diverges_towards_90_degrees() -> None:
    small = pitch_period(N, TABLE_2)
    assert pitch_period(N, TABLE_2, math.radians(89.99)) > 5.0 * small
    assert pitch_period(N, TABLE_2, 1e-3) == pytest.approx(small * (1 + 1e-6 / 4), rel=1e-10)
    with pytest.raises(InputError, match="no restoring torque"):
        pitch_period(N, TABLE_2[::-1])


def test_roll_and_yaw_grow_at_the_rate_of_the_closed_form() -> None:
    found = roll_yaw(N, TABLE_2)
    assert found.growth / N == pytest.approx(0.763, rel=1e-3)
    assert 1.0 / found.growth / 60.0 == pytest.approx(19.7, rel=5e-3)
    assert_quoted("station", "roll and yaw grow by e in {} min", [1.0 / found.growth / 60.0])
    small = 1e-8
    run = integrate_libration(
        np.diag(TABLE_2), [1.0, small, 0.0, small], [0, 0, 0], 14.0 / found.growth, dense_output=True
    )
    # after eight e-foldings only the growing root remains
    one, two = (run.sol(k / found.growth) for k in (8.0, 12.0))
    assert math.log(two[3] / one[3]) / 4.0 == pytest.approx(1.0, rel=0.01)


def test_a_body_with_its_long_axis_down_and_pitch_largest_is_stable() -> None:
    assert roll_yaw(N, [8.0e7, 8.5e7, 1.0e7]).growth == 0.0


def test_gravity_gradient_torque_vanishes_at_the_equilibrium_pitch() -> None:
    angle = equilibrium_pitch(TABLE_2[0], TABLE_2[2], PRODUCT)
    assert abs(math.degrees(angle)) == pytest.approx(0.24, rel=5e-3)
    inertia = np.diag(TABLE_2)
    inertia[0, 2] = inertia[2, 0] = -PRODUCT  # the matrix has the negative products of inertia
    up = matrix(np.array(pitch_quaternion(angle))).T @ np.array([0.0, 0.0, -RADIUS])
    scale = np.abs(gravity_gradient_torque(np.array([0.0, 0.0, -RADIUS]), inertia)).max()
    assert np.abs(gravity_gradient_torque(up, inertia)).max() < 1e-10 * scale


def test_the_energy_integral_of_a_circular_orbit_is_constant_for_ten_orbits() -> None:
    """Kinetic energy relative to the Hill frame and its potential: 1/2 w'Jw - 1/2 n^2 y'Jy + 3/2 n^2 z'Jz."""
    J = np.diag([8.0e7, 8.5e7, 1.0e7])
    run = integrate_libration(
        J, [math.cos(0.2), math.sin(0.2) * 0.6, math.sin(0.2) * 0.8, 0.0], [1e-4, 2e-4, 0], 20 * math.pi / N
    )

    def constant(y: np.ndarray) -> float:
        R = matrix(y[:4] / np.linalg.norm(y[:4]))
        slip, side, down = y[4:] - R.T @ W_NH, R[1], R[2]
        return float(slip @ J @ slip - N**2 * side @ J @ side + 3 * N**2 * down @ J @ down) / 2.0

    values = np.array([constant(y) for y in run.y.T])
    assert np.ptp(values) < 1e-9 * N**2 * J.max()
