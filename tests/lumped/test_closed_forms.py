"""Chains with closed-form solutions: restitution, rest, wedge with friction, limits of the theory."""

from dataclasses import replace

import numpy as np
import pytest

from softdock.lumped.chain import Chain, Pad, Wedge
from softdock.lumped.chain_run import ChainOutcome, run_chain
from softdock.theory import latch, rmi
from softdock.theory.restitution import kelvin_voigt_restitution

EPS = np.finfo(float).eps
TWO = Chain(chaser_masses=(3.0,), target_masses=(2.0,), speed=0.1, pad=Pad(stiffness=500.0))
MU = 3.0 * 2.0 / 5.0


@pytest.mark.plain_python
@pytest.mark.parametrize("zeta", [0.0, 0.05, 0.3, 0.9, 1.0, 2.0])
def test_restitution_of_a_damped_contact(zeta):
    damping = 2.0 * zeta * np.sqrt(500.0 * MU)
    run = run_chain(
        replace(TWO, pad=Pad(stiffness=500.0, damping=damping)), end_time=1.0, impacts=1, rate=10.0
    )
    v = run.velocities_after
    e = kelvin_voigt_restitution(zeta)
    assert (v[1] - v[0]) / 0.1 == pytest.approx(e, rel=1e-12)
    assert run.impulse == pytest.approx((1 + e) * MU * 0.1, rel=1e-12)
    if zeta == 0.0:
        assert run.peak_force == pytest.approx(0.1 * np.sqrt(500.0 * MU), rel=1e-13)
        assert run.separation_time == pytest.approx(np.pi / np.sqrt(500.0 / MU), rel=1e-13)


@pytest.mark.plain_python
def test_body_that_is_pressed_against_a_wall_comes_to_rest():
    """The rear mass pushes the front mass: decreasing rebounds, then rest, then separation."""
    chain = Chain(
        chaser_masses=(50.0, 1.0),
        target_masses=(100.0,),
        chaser_stiffness=(500.0,),
        speed=0.1,
        restitution=0.4,
    )
    run = run_chain(chain, end_time=0.3)
    assert run.outcome is ChainOutcome.RESTING
    assert 10 < run.impacts < 60  # 0.4 to the power 23 is 1e-9
    assert run.events[-1][1] == "settle"
    later = run_chain(chain, end_time=3.0)
    assert later.outcome is ChainOutcome.SEPARATED
    assert "part" in [name for _, name in later.events]
    assert later.energy_error <= 1e-12 * later.energy_scale


@pytest.mark.plain_python
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_impulsive_impact_equals_theory_to_rounding(e):
    m = (17.0, 2.0, 1.5, 15.0)
    chain = Chain(
        chaser_masses=m[:2],
        target_masses=m[2:],
        chaser_stiffness=(1000.0,),
        target_stiffness=(200.0,),
        speed=0.05,
        restitution=e,
    )
    run = run_chain(chain, end_time=0.1, impacts=1)
    expected = rmi.predict_impact(*m, speed=0.05, restitution=e)
    np.testing.assert_allclose(run.velocities_after, expected.velocities_after, atol=8 * EPS * 0.05)
    assert run.impulse == pytest.approx(expected.impulse, rel=8 * EPS)


def wedge(friction_angle=0.0, angle=0.6):
    return Wedge.of(stiffness=100.0, angle=angle, tip_length=0.02, friction_angle=friction_angle)


@pytest.mark.plain_python
@pytest.mark.parametrize("friction_angle", [0.0, 0.1, 0.4])
def test_wedge_between_two_bodies_follows_the_closed_form(friction_angle):
    w = wedge(friction_angle)
    m = 15.0 * 17.0 / 32.0
    w_in, w_out = np.sqrt(w.inward / m), np.sqrt(w.outward / m)
    chain = Chain(chaser_masses=(15.0,), target_masses=(17.0,), speed=0.8 * w_in * 0.02, wedge=w)
    run = run_chain(chain, end_time=2.0, rate=20.0)
    expected = latch.insertion(run.time, chain.speed, w_in, w_out, 0.02)
    np.testing.assert_allclose(run.overlap, expected, atol=1e-14)
    assert run.outcome is ChainOutcome.NOT_LATCHED
    assert run.deepest == pytest.approx(0.8 * 0.02, rel=1e-13)
    fast = run_chain(replace(chain, speed=1.01 * w_in * 0.02), end_time=2.0, rate=20.0)
    assert fast.outcome is ChainOutcome.LATCHED
    assert fast.latch_time == pytest.approx(latch.latch_time(1.01 * w_in * 0.02, w_in, 0.02), rel=1e-12)


@pytest.mark.plain_python
def test_self_locking_and_jamming_wedges():
    chain = Chain(chaser_masses=(15.0,), target_masses=(17.0,), speed=0.02, wedge=wedge(0.7))
    held = run_chain(chain, end_time=5.0)
    assert held.outcome is ChainOutcome.HELD
    assert np.ptp(held.velocities[-1]) <= 4 * EPS * 0.02  # they move together
    assert held.energy_error <= 1e-14 * held.energy_scale
    jammed = run_chain(replace(chain, wedge=wedge(0.98)), end_time=5.0)
    assert jammed.outcome is ChainOutcome.JAMMED
    assert jammed.time[-1] == 0.0


@pytest.mark.plain_python
def test_a_stuck_wedge_slides_again_when_the_rear_body_pushes():
    """Light probe with a heavy body on a soft spring: the probe stops, sticks, and is pushed in later."""
    chain = Chain(
        chaser_masses=(50.0, 0.5),
        target_masses=(60.0,),
        chaser_stiffness=(50.0,),
        speed=0.1,
        wedge=wedge(0.3),
    )
    run = run_chain(chain, end_time=5.0)
    names = [name for _, name in run.events]
    assert names[:3] == ["touch", "turn", "slip_in"]
    assert run.energy_error <= 1e-13 * run.energy_scale


def least_latching_speed(chain, low, high):
    """Return the smallest speed that latches, by bisection; the insertion increases with the speed."""
    for _ in range(30):
        middle = 0.5 * (low + high)
        run = run_chain(replace(chain, speed=middle), end_time=20.0, rate=1.0)
        low, high = (low, middle) if run.outcome is ChainOutcome.LATCHED else (middle, high)
    return high


M = (13.0, 2.0, 2.0, 15.0)
MULTIBODY = Chain(chaser_masses=M[:2], target_masses=M[2:], speed=1.0, wedge=wedge())
SLOW = latch.minimum_speed(100.0, 0.6, 0.02, rmi.system_effective_mass(*M))
FAST = latch.minimum_speed(100.0, 0.6, 0.02, rmi.interface_effective_mass(*M[1:3]))


def with_springs(ratio, **changes):
    """Return the multibody latch with internal springs `ratio` times as stiff as the wedge."""
    k = (ratio * MULTIBODY.wedge.inward,)
    return replace(MULTIBODY, chaser_stiffness=k, target_stiffness=k, **changes)


def test_slow_latch_limit_converges_with_the_stiffness_ratio():
    ratios = np.array([50.0, 200.0, 800.0])
    errors = [abs(least_latching_speed(with_springs(r), 0.5 * SLOW, 2 * SLOW) / SLOW - 1) for r in ratios]
    order = -np.diff(np.log(errors)) / np.diff(np.log(ratios))
    assert errors[-1] < 2.0 / ratios[-1]
    assert np.all(np.abs(order - 1.0) < 0.3)


def test_fast_latch_limit_converges_with_the_stiffness_ratio():
    ratios = np.array([1 / 50.0, 1 / 200.0, 1 / 800.0])
    errors = []
    for ratio in ratios:
        chain = with_springs(ratio)
        low, high = 0.5 * FAST, 1.5 * FAST
        for _ in range(30):
            middle = 0.5 * (low + high)
            run = run_chain(replace(chain, speed=middle), end_time=20.0, impacts=1, rate=1.0)
            # First insertion only: before the probe first comes to rest.
            turned = any(name == "turn" for _, name in run.events)
            latched = run.outcome is ChainOutcome.LATCHED and not turned
            low, high = (low, middle) if latched else (middle, high)
        errors.append(abs(high / FAST - 1))
    order = np.diff(np.log(errors)) / np.diff(np.log(ratios))
    assert errors[-1] < 10.0 * ratios[-1]
    assert np.all(np.abs(order - 1.0) < 0.2)


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_latch_after_an_impact_converges_to_its_limit(e):
    e_star = rmi.ratio_star(rmi.effective_mass_ratio(*M), e)
    limit = latch.minimum_speed_behind_impact(SLOW, e_star)
    ratios = np.array([1e2, 1e4, 1e6])
    errors = []
    for ratio in ratios:
        least = least_latching_speed(with_springs(ratio, restitution=e), 0.3 * limit, 2 * limit)
        errors.append(abs(least / limit - 1))
    assert np.all(np.array(errors) < 2.0 / np.sqrt(ratios))  # amplitude of the internal oscillation


def test_impact_that_separates_the_systems_prevents_latching():
    heavy = (1.0, 14.0, 14.0, 1.0)
    assert rmi.ratio_star(rmi.effective_mass_ratio(*heavy), 1.0) > 1.0
    chain = replace(with_springs(1e4, restitution=1.0), chaser_masses=heavy[:2], target_masses=heavy[2:])
    for speed in (SLOW, 10 * SLOW):
        run = run_chain(replace(chain, speed=speed), end_time=5.0)
        assert run.outcome is ChainOutcome.NOT_LATCHED


def test_released_contact_resumes_without_a_jump():
    """A body on a stiff spring returns to an overdamped pad before the pad has recovered."""
    chain = Chain(
        chaser_masses=(6.0, 1.0),
        target_masses=(1.5,),
        chaser_stiffness=(4700.0,),
        speed=0.1,
        pad=Pad(stiffness=50.0, damping=17.6),
    )
    run = run_chain(chain, end_time=3.0, rate=5000.0)
    names = [name for _, name in run.events]
    assert "press_again" in names
    when = run.events[names.index("press_again")][0]
    near = np.abs(run.force[np.abs(run.time - when) < 1e-12])
    assert near.max() <= 1e-10 * run.peak_force
    assert run.energy_error <= 1e-13 * run.energy_scale
