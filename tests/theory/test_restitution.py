"""Restitution of a spring and damper: limits, then the equation of motion itself, then tabulated values."""

import numpy as np
import pytest
from scipy.linalg import expm

from softdock.errors import InputError
from softdock.theory.restitution import Release, damping_ratio, kelvin_voigt_restitution


def test_limits():
    for release in Release:
        assert kelvin_voigt_restitution(0.0, release) == 1.0
        e = kelvin_voigt_restitution(np.linspace(0.0, 5.0, 501), release)
        assert np.all(np.diff(e) <= 0.0)
    assert kelvin_voigt_restitution(1.0) == pytest.approx(np.exp(-2.0), rel=1e-15)
    assert kelvin_voigt_restitution(1.0, Release.ZERO_PENETRATION) == 0.0


def test_smooth_across_critical_damping():
    zeta = 1.0 + np.linspace(-3e-5, 3e-5, 601)
    e = kelvin_voigt_restitution(zeta)
    second = np.diff(e, 2) / (zeta[1] - zeta[0]) ** 2
    assert np.ptp(np.diff(e)) < 1e-11
    assert np.all(np.isfinite(second))


@pytest.mark.parametrize("zeta", [0.01, 0.1, 0.3, 0.9, 1.5, 4.0])
def test_released_at_zero_force_the_equation_of_motion_says_the_same(zeta):
    e = kelvin_voigt_restitution(zeta)
    A = np.array([[0.0, 1.0], [-1.0, -2.0 * zeta]])  # unit mass and stiffness
    time = -np.log(e) / zeta  # e = exp(-zeta omega t) at the release
    s, rate = expm(A * time) @ np.array([0.0, 1.0])
    assert s + 2.0 * zeta * rate == pytest.approx(0.0, abs=1e-13)
    assert rate == pytest.approx(-e, rel=1e-11)


@pytest.mark.parametrize(
    ("zeta", "at_penetration", "at_force"), [(0.1, 0.7293, 0.7441), (0.3, 0.3723, 0.4510)]
)
def test_known_values(zeta, at_penetration, at_force):
    assert kelvin_voigt_restitution(zeta, Release.ZERO_PENETRATION) == pytest.approx(at_penetration, abs=1e-4)
    assert kelvin_voigt_restitution(zeta) == pytest.approx(at_force, abs=1e-4)


def test_damping_ratio_and_bad_input():
    assert damping_ratio(100.0, 20.0, 1.0) == 1.0
    with pytest.raises(InputError):
        kelvin_voigt_restitution(-0.1)
    with pytest.raises(InputError):
        damping_ratio(0.0, 1.0, 1.0)
