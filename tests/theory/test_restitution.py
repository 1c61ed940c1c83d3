"""Restitution of a spring and damper: limits, equation of motion, and tabulated values."""

import numpy as np
import pytest
from scipy.linalg import expm

from softdock.errors import InputError
from softdock.theory.restitution import (
    Release,
    damping_ratio,
    kelvin_voigt_restitution,
    layer_impact,
    ramp_restitution,
)

EPS = np.finfo(float).eps


def test_restitution_falls_from_one_with_the_damping_ratio():
    for release in Release:
        assert kelvin_voigt_restitution(0.0, release) == 1.0
        e = kelvin_voigt_restitution(np.linspace(0.0, 5.0, 501), release)
        assert np.all(np.diff(e) <= 0.0)
    assert kelvin_voigt_restitution(1.0) == pytest.approx(np.exp(-2.0), rel=1e-15)
    assert kelvin_voigt_restitution(1.0, Release.ZERO_PENETRATION) == 0.0


def test_restitution_is_smooth_across_critical_damping():
    """The second derivative is continuous and at critical damping has the value 116/45 exp(-2) of the series."""
    zeta = 1.0 + np.linspace(-3e-5, 3e-5, 601)
    assert np.ptp(np.diff(kelvin_voigt_restitution(zeta))) < 1e-11
    step = 1e-4
    zeta = 1.0 + step * np.arange(-30, 31)
    second = np.diff(kelvin_voigt_restitution(zeta), 2) / step**2
    # The third derivative is -0.88; 1 - zeta^2 is rounded to EPS, hence e to EPS / step.
    allowed = np.abs(zeta[1:-1] - 1.0) + EPS / step**3
    assert np.all(np.abs(second - 116.0 / 45.0 * np.exp(-2.0)) < allowed)


@pytest.mark.parametrize("zeta", [0.01, 0.1, 0.3, 0.9, 1.5, 4.0])
def test_release_at_zero_force_satisfies_the_equation_of_motion(zeta):
    e = kelvin_voigt_restitution(zeta)
    A = np.array([[0.0, 1.0], [-1.0, -2.0 * zeta]])  # unit mass and stiffness
    time = -np.log(e) / zeta  # e = exp(-zeta omega t) at the release
    s, rate = expm(A * time) @ np.array([0.0, 1.0])
    assert s + 2.0 * zeta * rate == pytest.approx(0.0, abs=1e-13)
    assert rate == pytest.approx(-e, rel=1e-11)


@pytest.mark.parametrize(
    ("zeta", "at_penetration", "at_force"), [(0.1, 0.7293, 0.7441), (0.3, 0.3723, 0.4510)]
)
def test_restitution_has_the_tabulated_values(zeta, at_penetration, at_force):
    assert kelvin_voigt_restitution(zeta, Release.ZERO_PENETRATION) == pytest.approx(at_penetration, abs=1e-4)
    assert kelvin_voigt_restitution(zeta) == pytest.approx(at_force, abs=1e-4)


def test_damping_ratio_of_a_mass_and_invalid_parameters():
    assert damping_ratio(100.0, 20.0, 1.0) == 1.0
    with pytest.raises(InputError):
        kelvin_voigt_restitution(-0.1)
    with pytest.raises(InputError):
        damping_ratio(0.0, 1.0, 1.0)


def test_ramp_law_solves_its_equation():
    av = np.array([1e-6, 1e-4, 0.9e-3, 1.1e-3, 0.01, 0.25, 1.0, 5.0, 20.0])
    e = ramp_restitution(1.0, av)
    assert av * (1.0 + e) == pytest.approx(np.log1p(av) - np.log1p(-av * e), rel=1e-6)
    assert np.all(np.diff(e) < 0.0)
    assert ramp_restitution(2.0, 0.0) == 1.0
    assert ramp_restitution(0.5, 0.5) == pytest.approx(0.85685, abs=1e-5)  # published for a flat punch


@pytest.mark.parametrize("shallow", [0.5, 0.999, 1.001, 5.0])
def test_restitution_is_continuous_at_the_damping_depth(shallow):
    """The law for deep impacts equals the closed form at the damping depth."""
    base = {"speed": 0.1, "effective_mass": 1.0, "damping_factor": 4.0}
    depth = layer_impact(**base, stiffness=1e8, damping_depth=1.0).depth
    impact = layer_impact(**base, stiffness=1e8, damping_depth=depth / shallow)
    closed = ramp_restitution(4.0, 0.1)
    assert impact.is_closed_form == (shallow < 1.0)
    if shallow < 1.1:
        assert impact.restitution == pytest.approx(closed, abs=1e-4)
        assert impact.depth == pytest.approx(depth, rel=1e-5)
    else:
        assert impact.restitution > closed  # damping is constant beyond the damping depth


def test_deep_impact_has_the_restitution_of_a_constant_damper():
    """Far beyond the damping depth the stress is c s + d0 v, with constant damping."""
    weak = [
        1.0 - layer_impact(
            speed=0.1, effective_mass=1.0, stiffness=1e8, damping_factor=d0 / s0, damping_depth=s0
        ).restitution
        for d0, s0 in ((1e-6, 1e-6), (2e-6, 1e-6), (1e-6, 1e-7))
    ]  # fmt: skip
    assert weak[1] == pytest.approx(2.0 * weak[0], rel=0.02)
    assert weak[2] == pytest.approx(weak[0], rel=0.02)
