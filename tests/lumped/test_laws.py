"""Conservation laws and invariances of random chains."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from lumped.chains import chains, reference
from softdock.lumped.chain import Chain, Pad
from softdock.lumped.chain_run import ChainOutcome, run_chain

EPS = np.finfo(float).eps
every_chain = settings(deadline=None, max_examples=60)


def rounding_bound(run):
    """Return the relative rounding error of the conservation check: about 20 terms per step and mass."""
    return 100 * EPS * (1 + run.steps) * len(run.chain.mass)


@every_chain
@given(chains())
def test_momentum_and_energy_balance(chain):
    run = run_chain(chain, end_time=1.0)
    assert run.momentum_error <= rounding_bound(run) * run.momentum_scale
    assert run.energy_error <= rounding_bound(run) * run.energy_scale


@every_chain
@given(chains(contact="impulse"))
def test_momentum_and_energy_balance_with_impulses(chain):
    run = run_chain(chain, end_time=1.0)
    assert run.momentum_error <= rounding_bound(run) * run.momentum_scale
    assert run.energy_error <= rounding_bound(run) * run.energy_scale


@every_chain
@given(chains())
def test_energy_is_never_created_and_the_contact_force_is_never_tensile(chain):
    run = run_chain(chain, end_time=1.0)
    assert np.all(np.diff(run.dissipated) >= -rounding_bound(run) * run.energy_scale)
    assert np.all(run.force >= -1e-12 * max(run.peak_force, 1e-300))
    assert np.all(np.diff(run.time) >= 0.0)


@every_chain
@given(chains(anchored=False))
def test_mirrored_chain_has_the_mirrored_motion(chain):
    mirrored = Chain(
        chaser_masses=chain.target_masses[::-1],
        target_masses=chain.chaser_masses[::-1],
        chaser_stiffness=chain.target_stiffness[::-1],
        target_stiffness=chain.chaser_stiffness[::-1],
        chaser_damping=chain.target_damping[::-1],
        target_damping=chain.chaser_damping[::-1],
        speed=chain.speed,
        gap=chain.gap,
        pad=chain.pad,
    )
    one, other = run_chain(chain, end_time=0.5), run_chain(mirrored, end_time=0.5)
    assert other.outcome is one.outcome
    # Velocities from the common centre of mass change sign and order.
    v = one.velocities[-1] - chain.frame_velocity
    w = other.velocities[-1] - mirrored.frame_velocity
    np.testing.assert_allclose(w[::-1], -v, atol=sensitivity(one) * chain.speed)


@every_chain
@given(chains())
def test_scaling_of_mass_length_and_time(chain):
    m, x, t = 3.0, 0.25, 7.0
    k, d = m / t**2, m / t
    pad = Pad(stiffness=k * chain.pad.stiffness, damping=d * chain.pad.damping)
    scaled = replace(
        chain,
        chaser_masses=tuple(m * v for v in chain.chaser_masses),
        target_masses=tuple(m * v for v in chain.target_masses),
        chaser_stiffness=tuple(k * v for v in chain.chaser_stiffness),
        target_stiffness=tuple(k * v for v in chain.target_stiffness),
        chaser_damping=tuple(d * v for v in chain.chaser_damping),
        target_damping=tuple(d * v for v in chain.target_damping),
        speed=chain.speed * x / t,
        gap=chain.gap * x,
        pad=pad,
    )
    one, other = run_chain(chain, end_time=0.5), run_chain(scaled, end_time=0.5 * t)
    tolerance = sensitivity(one) * chain.speed
    np.testing.assert_allclose(other.velocities[-1] * t / x, one.velocities[-1], atol=tolerance)
    assert other.peak_force == pytest.approx(one.peak_force * m * x / t**2, rel=sensitivity(one))


@every_chain
@given(chains(anchored=False))
def test_galilean_boost_does_not_change_relative_motion(chain):
    boosted = replace(chain, target_velocity=5.0)
    one, other = run_chain(chain, end_time=0.5), run_chain(boosted, end_time=0.5)
    tolerance = sensitivity(one) * chain.speed + 8 * EPS * 5.0
    np.testing.assert_allclose(other.velocities[-1], one.velocities[-1] + 5.0, atol=tolerance)


@settings(deadline=None, max_examples=20)
@given(chains(most=3))
def test_result_agrees_with_a_general_integrator(chain):
    chain = replace(chain, gap=max(chain.gap, 1e-3))
    run = run_chain(chain, end_time=0.3)
    positions, velocities = reference(chain, 0.3)
    tolerance = 1e-7 * chain.speed * (1 + run.impacts)  # tolerance of the integrator times its steps
    np.testing.assert_allclose(run.velocities[-1], velocities, atol=tolerance)
    np.testing.assert_allclose(run.positions[-1], positions, atol=tolerance)


def test_record_does_not_change_the_result():
    chain = Chain(
        chaser_masses=(17.0, 2.0),
        target_masses=(1.5, 15.0),
        chaser_stiffness=(1000.0,),
        target_stiffness=(200.0,),
        speed=0.05,
        pad=Pad(stiffness=15000.0, damping=20.0),
    )
    coarse = run_chain(chain, end_time=1.0, rate=10.0)
    fine = run_chain(chain, end_time=1.0, rate=1e5)
    assert np.array_equal(coarse.velocities[-1], fine.velocities[-1])
    # An earlier end does not change the rows recorded before it.
    half = run_chain(chain, end_time=0.5, rate=1e5)
    shared = np.searchsorted(fine.time, 0.4)
    assert np.array_equal(half.velocities[:shared], fine.velocities[:shared])


@pytest.mark.plain_python
def test_late_contact_has_the_time_of_the_closed_form():
    chain = Chain(chaser_masses=(1.0,), target_masses=(1.0,), speed=0.1, gap=1.0, pad=Pad(stiffness=100.0))
    assert run_chain(chain, end_time=5.0).outcome is ChainOutcome.NO_CONTACT
    run = run_chain(chain, end_time=20.0, rate=10.0)
    assert run.touch_time == pytest.approx(10.0, rel=4 * EPS)
    assert run.separation_time - run.touch_time == pytest.approx(np.pi / np.sqrt(200.0), rel=1e-13)
    assert run.outcome is ChainOutcome.SEPARATED


def sensitivity(run):
    """Return the relative tolerance after impacts: rounding of event times, amplified by each impact."""
    return 1e-11 * 4.0 ** min(run.impacts, 12)
