"""Orbits, gravity and relative motion: conservation laws, closed forms and precision."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from tests.orbit.reference_orbits import (
    differential_gravity,
    gravity,
    gravity_gradient,
    gravity_gradient_torque,
    propagate,
    relative_motion,
)

from softdock.errors import InputError
from softdock.orbit.kepler import J2, MU, RADIUS, Orbit, eccentric_anomaly, mean_motion
from softdock.orbit.relative import clohessy_wiltshire, hill_axes, transfer_impulses

LEO = Orbit(altitude="500 km", inclination="28.5 deg", ascending_node="40 deg", anomaly="10 deg")
OVAL = Orbit(altitude="400 km", eccentricity=0.3, inclination="51.6 deg", perigee="70 deg", anomaly="20 deg")


def energy(p: np.ndarray, v: np.ndarray) -> np.ndarray:
    return (v * v).sum(axis=-1) / 2.0 - MU / np.linalg.norm(p, axis=-1)


@pytest.mark.plain_python
def test_orbit_of_the_station_paper_has_its_mean_motion_and_speed() -> None:
    assert mean_motion(6878e3) == pytest.approx(1.1068e-3, rel=1e-4)
    p, v = LEO.state()
    assert np.linalg.norm(v) == pytest.approx(7612.7, rel=1e-4)
    assert np.linalg.norm(p) == pytest.approx(RADIUS + 500e3, rel=1e-15)


@pytest.mark.plain_python
@pytest.mark.parametrize("orbit", [LEO, OVAL], ids=["circular", "oval"])
def test_energy_and_angular_momentum_are_conserved_over_ten_orbits(orbit: Orbit) -> None:
    p0, v0 = orbit.state()
    times = np.linspace(0.0, 10.0 * orbit.period, 41)
    p, v = propagate(p0, v0, times)
    np.testing.assert_allclose(energy(p, v), energy(p0, v0), rtol=1e-9)
    np.testing.assert_allclose(
        np.cross(p, v),
        np.broadcast_to(np.cross(p0, v0), p.shape),
        atol=1e-9 * np.linalg.norm(np.cross(p0, v0)),
    )


@pytest.mark.plain_python
@pytest.mark.parametrize("orbit", [LEO, OVAL], ids=["circular", "oval"])
def test_integration_agrees_with_keplers_equation(orbit: Orbit) -> None:
    times = np.linspace(0.0, 1.3 * orbit.period, 8)
    p, v = propagate(*orbit.state(), times)
    for i, t in enumerate(times):
        exact_p, exact_v = orbit.state(float(t))
        np.testing.assert_allclose(p[i], exact_p, atol=1e-9 * np.linalg.norm(exact_p))
        np.testing.assert_allclose(v[i], exact_v, atol=1e-9 * np.linalg.norm(exact_v))


@pytest.mark.plain_python
@pytest.mark.parametrize("e", [0.0, 0.1, 0.9, 0.999])
def test_solution_satisfies_keplers_equation(e: float) -> None:
    for M in np.linspace(-20.0, 20.0, 83):
        E = eccentric_anomaly(float(M), e)
        assert E - e * math.sin(E) == pytest.approx(M, abs=1e-14 * (1.0 + abs(M)))


@pytest.mark.plain_python
def test_j2_rotates_the_node_at_the_known_rate() -> None:
    """Secular rate -3/2 J2 n (R/p)^2 cos i, to the first order in J2."""
    orbit = Orbit(altitude="700 km", inclination="60 deg")
    revolutions = 10
    p, v = propagate(*orbit.state(), [0.0, revolutions * orbit.period], j2=True, rtol=1e-10)
    h = np.cross(p, v)
    node = np.arctan2(h[:, 0], -h[:, 1])
    expected = (
        -1.5 * J2 * orbit.mean_motion * (RADIUS / orbit.semi_major_axis) ** 2 * math.cos(orbit.inclination)
    )
    found = (node[1] - node[0]) / (revolutions * orbit.period)
    assert found == pytest.approx(expected, rel=0.02)  # short-period terms: J2 / (2 pi revolutions J2) of it


def exact_difference(p: np.ndarray, d: np.ndarray, j2: bool) -> np.ndarray:
    """Return the difference of the two accelerations, computed with 60 digits."""

    def at(x: list[Decimal]) -> list[Decimal]:
        r = sum(c * c for c in x).sqrt()  # type: ignore[union-attr]
        a = [-Decimal(MU) / r**3 * c for c in x]
        if j2:
            k = Decimal("-1.5") * Decimal(J2) * Decimal(MU) * Decimal(RADIUS) ** 2 / r**5
            a = [b + k * (1 - 5 * x[2] * x[2] / r**2) * c for b, c in zip(a, x)]
            a[2] += k * 2 * x[2]
        return a

    with localcontext(prec=60):
        one = [Decimal(float(c)) for c in p]
        two = [c + Decimal(float(o)) for c, o in zip(one, d)]
        return np.array([float(b - a) for a, b in zip(at(one), at(two))])


@pytest.mark.plain_python
@pytest.mark.parametrize("j2", [False, True])
@pytest.mark.parametrize("size", [1e-9, 1e-6, 1.0, 1e3, 1e6])
def test_differential_gravity_has_full_precision(size: float, j2: bool) -> None:
    """From a nanometre to a thousand kilometres, to round-off; direct subtraction loses all digits at a micrometre."""
    rng = np.random.default_rng(7)
    for _ in range(5):
        p = 7.0e6 * rng.normal(size=3) / math.sqrt(3.0) + np.array([0.0, 6.0e6, 0.0])
        d = size * rng.normal(size=3)
        exact = exact_difference(p, d, j2)
        found = differential_gravity(p, d, j2=j2)
        np.testing.assert_allclose(found, exact, atol=2e-14 * np.linalg.norm(exact), rtol=0.0)
    if size == 1e-6:
        plain = gravity(p + d, j2=j2) - gravity(p, j2=j2)
        assert np.linalg.norm(plain - exact) > 1e-4 * np.linalg.norm(exact)


@pytest.mark.plain_python
def test_gravity_gradient_is_the_derivative_of_gravity() -> None:
    p = LEO.state()[0]
    d = np.array([1e-3, -2e-3, 1.5e-3])
    np.testing.assert_allclose(gravity_gradient(p) @ d, differential_gravity(p, d), rtol=1e-8)


@pytest.mark.plain_python
def test_hill_axes_point_ahead_and_to_the_earth() -> None:
    p, v = LEO.state()
    R, w = hill_axes(p, v)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(R.T @ v, [np.linalg.norm(v), 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(R.T @ p, [0.0, 0.0, -np.linalg.norm(p)], atol=1e-8)
    assert w[1] == pytest.approx(-LEO.mean_motion, rel=1e-14)


@pytest.mark.plain_python
def test_clohessy_wiltshire_solves_its_equations() -> None:
    """Two transitions compose to one, and the derivative at zero is the matrix of the equations."""
    n, h = 1.1e-3, 1e-3
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    A[3, 5], A[4, 1], A[5, 2], A[5, 3] = 2 * n, -n * n, 3 * n * n, -2 * n
    difference = (clohessy_wiltshire(n, h) - clohessy_wiltshire(n, -h)) / (2 * h)
    np.testing.assert_allclose(difference, A, atol=1e-12)
    np.testing.assert_allclose(
        clohessy_wiltshire(n, 700.0) @ clohessy_wiltshire(n, 1500.0),
        clohessy_wiltshire(n, 2200.0),
        rtol=1e-9,
        atol=1e-9,
    )


@pytest.mark.plain_python
def test_relative_motion_resolves_micrometres() -> None:
    """Relative motion from 1 um and 1 nm/s, through one orbit, against the closed form; nonlinear terms are 1e-13."""
    start = np.array([1e-6, -0.7e-6, 0.4e-6, 1e-9, 0.5e-9, -0.8e-9])
    times = np.linspace(0.0, LEO.period, 9)
    p, v = relative_motion(LEO.state(), (start[:3], start[3:]), times)
    for i, t in enumerate(times):
        exact = clohessy_wiltshire(LEO.mean_motion, float(t)) @ start
        reach = np.linalg.norm(exact[:3]) + 1e-6
        np.testing.assert_allclose(p[i], exact[:3], atol=1e-9 * reach)
        np.testing.assert_allclose(v[i], exact[3:], atol=1e-9 * reach * LEO.mean_motion)
    # Subtracting two orbits instead loses it: round-off of 7000 km is a nanometre, and grows.
    R, w = hill_axes(*LEO.state())
    p0, v0 = LEO.state()
    other = (p0 + R @ start[:3], v0 + R @ (start[3:] + np.cross(w, start[:3])))
    lost = propagate(*other, [0.0, LEO.period])[0][1] - propagate(p0, v0, [0.0, LEO.period])[0][1]
    assert np.linalg.norm(R.T @ lost - exact[:3]) > 1e-3 * np.linalg.norm(exact[:3])


@pytest.mark.plain_python
@pytest.mark.parametrize("orbit", [LEO, OVAL], ids=["circular", "oval"])
@pytest.mark.parametrize("j2", [False, True])
def test_relative_motion_is_exact_at_large_distances(orbit: Orbit, j2: bool) -> None:
    """At 20 km, where subtraction works: compared with two separately integrated orbits."""
    p0, v0 = orbit.state()
    R, w = hill_axes(p0, v0)
    p_H, v_H = np.array([2e4, -1e4, 5e3]), np.array([1.0, 3.0, -2.0])
    t = [0.0, 0.4 * orbit.period]
    found = relative_motion((p0, v0), (p_H, v_H), t, j2=j2)[0][1]
    one, one_v = (x[1] for x in propagate(p0, v0, t, j2=j2))
    two = propagate(p0 + R @ p_H, v0 + R @ (v_H + np.cross(w, p_H)), t, j2=j2)[0][1]
    exact = hill_axes(one, one_v)[0].T @ (two - one)
    np.testing.assert_allclose(found, exact, atol=1e-9 * np.linalg.norm(one))


@pytest.mark.plain_python
def test_gravity_gradient_torque_is_the_moment_of_gravity() -> None:
    """Four masses on arms of a metre, against the exact pull on each; the next term is 1 m / 7000 km."""
    p = LEO.state()[0]
    arms = np.array([[1.0, 0.2, 0.0], [-1.0, -0.2, 0.0], [0.0, 0.5, 0.7], [0.0, -0.5, -0.7]])
    masses = np.array([3.0, 3.0, 2.0, 2.0])
    inertia = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms))
    exact = sum(m * np.cross(a, differential_gravity(p, a)) for m, a in zip(masses, arms))
    np.testing.assert_allclose(gravity_gradient_torque(p, inertia), exact, rtol=1e-6)


def test_invalid_orbits_are_refused() -> None:
    with pytest.raises(InputError, match=r"(?i)intersects the Earth"):
        Orbit(altitude="-10 km")
    with pytest.raises(InputError, match="intersects the Earth"):
        mean_motion(6.0e6)
    with pytest.raises(InputError, match="must not point along the radius"):
        hill_axes([7.0e6, 0.0, 0.0], [1.0, 0.0, 0.0])
    with pytest.raises(InputError, match=r"(?i)below 1"):
        Orbit(altitude="500 km", eccentricity=1.0)


@pytest.mark.plain_python
def test_two_impulses_reach_their_point_and_rest_there() -> None:
    """A hop along V-bar from -100 m to -20 m in a third of an orbit, propagated without linearisation."""
    n = LEO.mean_motion
    time = 2.0 * np.pi / n / 3.0
    start = np.array([-100.0, 5.0, 3.0, 0.01, -0.02, 0.005])
    first, second = transfer_impulses(n, start, [-20.0, 0.0, 0.0], time)
    x = start + np.concatenate([np.zeros(3), first])
    end = clohessy_wiltshire(n, time) @ x + np.concatenate([np.zeros(3), second])
    np.testing.assert_allclose(end, [-20.0, 0, 0, 0, 0, 0], atol=1e-10)
    p, v = relative_motion(LEO.state(), (x[:3], x[3:]), [0.0, time])
    # Neglected terms of second order: offset squared over the radius of the orbit, times those of the motion.
    assert np.linalg.norm(p[-1] - [-20.0, 0.0, 0.0]) < 10 * 100.0**2 / 6.8e6
    assert np.linalg.norm(v[-1] + second) < 10 * n * 100.0**2 / 6.8e6


@pytest.mark.plain_python
def test_impulses_of_a_radial_hop_equal_the_closed_form() -> None:
    """Half an orbit along V-bar: two equal radial impulses of n dx / 4."""
    n = LEO.mean_motion
    first, second = transfer_impulses(n, [-100.0, 0, 0, 0, 0, 0], [0.0, 0.0, 0.0], 0.9999 * np.pi / n)
    np.testing.assert_allclose(first, [0.0, 0.0, n * 100.0 / 4.0], atol=2e-3 * n * 100.0)
    np.testing.assert_allclose(second, [0.0, 0.0, n * 100.0 / 4.0], atol=2e-3 * n * 100.0)


@pytest.mark.parametrize("halves", [1.0, 2.0])
def test_transfers_over_multiples_of_half_a_period_are_refused(halves: float) -> None:
    with pytest.raises(InputError, match="half the orbital period"):
        transfer_impulses(
            LEO.mean_motion, [-100.0, 1.0, 0, 0, 0, 0], [0.0, 0, 0], halves * np.pi / LEO.mean_motion
        )
