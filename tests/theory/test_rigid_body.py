"""Closed forms of rigid bodies and springs satisfy their differential equations."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from softdock.errors import InputError
from softdock.theory import rigid_body as rb

EPS = np.finfo(float).eps
H = 1e-4  # step of central differences: error h^2/6 of the third derivative, and rounding eps/h


def central_difference(f, t):
    return (np.asarray(f(t + H)) - np.asarray(f(t - H))) / (2 * H)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)])
@pytest.mark.parametrize("rate", [(0.1, 1.5, 0.2), (-1.2, 0.3, 0.4), (0.2, -0.5, -1.4)])
def test_torque_free_rates_solve_eulers_equations(order, rate):
    inertia = np.array([1.0, 2.0, 2.7])[list(order)]
    assert rb.torque_free_rate(0.0, inertia, rate) == pytest.approx(rate, abs=1e-14)
    for t in (0.0, 0.7, 3.1, 20.0):
        w = rb.torque_free_rate(t, inertia, rate)
        need = -np.cross(w, inertia * w) / inertia  # Eq. (B1)
        assert central_difference(lambda s: rb.torque_free_rate(s, inertia, rate), t) == pytest.approx(
            need, abs=20 * H**2
        )
        assert inertia @ w**2 == pytest.approx(inertia @ np.square(rate), rel=1e-13)


def test_torque_free_rates_are_periodic():
    inertia, rate = (1.0, 2.0, 2.7), (0.1, 1.5, 0.2)
    period = rb.tumble_period(inertia, rate)
    assert rb.torque_free_rate(period, inertia, rate) == pytest.approx(rate, abs=1e-12)
    assert rb.torque_free_rate(period / 2, inertia, rate)[1] == pytest.approx(-1.5, abs=1e-12)


def test_equal_moments_are_refused():
    with pytest.raises(InputError, match="different"):
        rb.torque_free_rate(1.0, (1.0, 1.0, 2.0), (1.0, 1.0, 1.0))


def test_attitude_of_a_symmetric_top_is_the_integral_of_its_rate():
    axial, transverse, rate = 2.0, 1.2, np.array([0.3, -0.2, 1.5])
    nutation = (transverse - axial) / transverse * rate[2]
    for t in (0.0, 1.0, 4.0):
        R = rb.symmetric_top_attitude(t, axial, transverse, rate)
        spun = rb.rotation([0.0, 0.0, -nutation * t]) @ rate  # the rate circles the axis in the body
        W = R.T @ central_difference(lambda s: rb.symmetric_top_attitude(s, axial, transverse, rate), t)
        assert [W[2, 1], W[0, 2], W[1, 0]] == pytest.approx(spun, abs=20 * H**2)


@pytest.mark.parametrize("amplitude", [0.01, 1.0, 3.0])
def test_pendulum_conserves_energy_and_has_its_period(amplitude):
    w0 = 2.0
    period = rb.pendulum_period(w0, amplitude)
    assert rb.pendulum_angle(period, w0, amplitude) == pytest.approx(amplitude, rel=1e-12)
    assert rb.pendulum_angle(period / 4, w0, amplitude) == pytest.approx(0.0, abs=1e-12)
    t = 0.3 * period
    speed = float(central_difference(lambda s: rb.pendulum_angle(s, w0, amplitude), t))
    angle = rb.pendulum_angle(t, w0, amplitude)
    assert 0.5 * speed**2 == pytest.approx(w0**2 * (math.cos(angle) - math.cos(amplitude)), rel=1e-5)
    assert rb.pendulum_period(w0, 1e-6) == pytest.approx(math.pi)


@pytest.mark.parametrize("zeta", [0.0, 0.1, 1.0 - 1e-12, 1.0, 1.0 + 1e-12, 3.0])
def test_oscillator_solves_its_equation(zeta):
    w = 3.0
    assert rb.oscillator(0.0, w, zeta, 0.2, -0.4) == (pytest.approx(0.2), pytest.approx(-0.4))
    for t in (0.1, 1.0):
        x, v = rb.oscillator(t, w, zeta, 0.2, -0.4)
        rates = central_difference(lambda s: rb.oscillator(s, w, zeta, 0.2, -0.4), t)
        assert rates == pytest.approx([v, -2 * zeta * w * v - w * w * x], abs=100 * H**2)


def test_two_bodies_obey_the_force_of_their_spring():
    m, k, stretch, v = (2.0, 3.0), 5.0, 0.1, (0.4, -0.2)

    def motion(t):
        return np.array(rb.two_bodies(t, m, k, stretch, v))

    for t in (0.0, 0.9):
        acceleration = (motion(t + H) - 2 * motion(t) + motion(t - H)) / H**2
        force = k * (stretch + motion(t)[1] - motion(t)[0])
        assert m * acceleration == pytest.approx([force, -force], abs=1e3 * H**2 + 10 * EPS / H**2)


@pytest.mark.parametrize("exponent", [1.0, 2.5, 4.0])
def test_energy_of_an_exponential_spring_is_the_integral_of_its_force(exponent):
    law = (200.0, 0.01, exponent)
    done, _ = quad(lambda s: rb.exponential_spring_force(s, *law), 0.0, 0.03)
    assert rb.exponential_spring_energy(0.03, *law) == pytest.approx(done, rel=1e-10)
    stroke, duration = rb.exponential_spring_stroke(3.0, 0.5, *law)
    assert rb.exponential_spring_energy(stroke, *law) == pytest.approx(0.5 * 3.0 * 0.5**2, rel=1e-12)
    stiffest = rb.exponential_spring_force(stroke, *law) / stroke
    assert 0.5 * math.pi * math.sqrt(3.0 / stiffest) < duration < 0.5 * math.pi * math.sqrt(3.0 / 200.0)


def test_exponential_spring_without_growth_is_linear():
    stroke, duration = rb.exponential_spring_stroke(3.0, 0.5, 200.0, 1e6, 4.0)
    assert stroke == pytest.approx(0.5 * math.sqrt(3.0 / 200.0), rel=1e-12)
    assert duration == pytest.approx(0.5 * math.pi * math.sqrt(3.0 / 200.0), rel=1e-12)
