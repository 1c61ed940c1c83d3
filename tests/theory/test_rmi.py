"""Laws and closed forms of the impact theory, then the paper's numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softdock.errors import InputError
from softdock.theory import rmi

EPS = np.finfo(float).eps
masses = st.floats(1e-3, 1e6)
speeds = st.floats(-10.0, 10.0)
restitutions = st.floats(0.0, 1.0)
TABLE = {  # masses m1 to m4 [kg] of Table 1, relative velocity after by Eq. 18 as printed, its last digit
    "A": ((17.0, 2.0, 1.5, 15.0), 0.0403, 1e-4),
    "B": ((10.0, 10.0, 10.0, 10.0), 0.0, 1e-12),
    "C": ((5.0, 50.0, 10.0, 100.0), 0.02728, 1e-5),
    "D": ((100.0, 20.0, 10.0, 200.0), 0.0413, 1e-4),
}


@settings(deadline=None)
@given(masses, masses, masses, masses, speeds, restitutions, speeds, speeds)
def test_momentum_is_conserved_and_energy_is_not_created(
    m1, m2, m3, m4, speed, e, oscillation, target_velocity
):
    after = rmi.predict_impact(
        m1, m2, m3, m4, speed=speed, restitution=e, oscillation=oscillation, target_velocity=target_velocity
    )
    m = np.array([m1, m2, m3, m4])
    V_c = target_velocity + speed
    before = np.array([V_c - m2 * oscillation / m1, V_c + oscillation, target_velocity, target_velocity])
    scale = m @ np.abs(before) + m @ np.abs(after.velocities_after)
    assert (
        abs(m @ (after.velocities_after - before)) <= 16 * EPS * scale + m.sum() * np.finfo(float).tiny
    )  # tiny: underflow
    lost = 0.5 * m @ (before**2 - after.velocities_after**2)
    approach = speed + oscillation
    exact = 0.5 * rmi.interface_effective_mass(m2, m3) * (1 - e**2) * approach**2
    energies = m @ before**2 + m @ after.velocities_after**2
    assert abs(lost - exact) <= 32 * EPS * energies + m.sum() * np.finfo(float).tiny


@settings(deadline=None)
@given(masses, masses, masses, masses, speeds, restitutions)
def test_all_forms_of_the_velocity_after_impact_agree(m1, m2, m3, m4, speed, e):
    after = rmi.predict_impact(m1, m2, m3, m4, speed=speed, restitution=e)
    v = after.velocities_after
    tolerance = 64 * EPS * abs(speed) + 1e-300  # the latter for denormal speeds
    of_systems = (m1 * v[0] + m2 * v[1]) / (m1 + m2) - (m3 * v[2] + m4 * v[3]) / (m3 + m4)
    of_velocities = after.chaser_velocity_after - after.target_velocity_after
    of_ratio = rmi.relative_velocity_after(after.effective_mass_ratio_star, speed=speed)
    of_impulse = speed - after.impulse / rmi.system_effective_mass(m1, m2, m3, m4)
    for other in (of_systems, of_velocities, of_ratio, of_impulse):
        assert abs(after.relative_velocity_after - other) <= tolerance


@settings(deadline=None)
@given(masses, masses, masses, masses, st.floats(1e-3, 1e3))
def test_result_depends_on_mass_ratios_only_and_is_symmetric(m1, m2, m3, m4, factor):
    e_I = rmi.effective_mass_ratio(m1, m2, m3, m4)
    assert 0.0 < e_I <= 1.0 + rmi.ROUND_OFF
    assert rmi.effective_mass_ratio(m4, m3, m2, m1) == pytest.approx(e_I, rel=8 * EPS)
    scaled = rmi.effective_mass_ratio(*(factor * m for m in (m1, m2, m3, m4)))
    assert scaled == pytest.approx(e_I, rel=16 * EPS)
    assert rmi.ratio_from_mass_ratios(*rmi.mass_ratios(m1, m2, m3, m4)) == pytest.approx(e_I, rel=32 * EPS)


@settings(deadline=None)
@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), restitutions)
def test_zero_velocity_locus_makes_the_velocity_zero(first, second, e):
    """e*_I is monotone in each mass ratio, so that it is 1 somewhere if and only if its difference changes sign."""
    names = ("interface", "chaser", "target")
    largest = 1e6  # beyond it digits are lost on the way back
    for asked in names:
        known = dict(zip([n for n in names if n != asked], (first, second)))

        def difference(ratio, known=known, asked=asked):
            ratios = {**known, asked: ratio}
            return rmi.ratio_star(rmi.ratio_from_mass_ratios(**ratios), e) - 1.0

        third = rmi.zero_velocity_ratio(**known, restitution=e)
        if third <= largest:
            assert difference(third) == pytest.approx(0.0, abs=1e-6)
        else:  # NaN, or too large
            ends = difference(0.0), difference(largest)
            assert ends[0] * ends[1] > 0.0 or min(map(abs, ends)) < 1e-6, asked


def test_special_cases_are_limits_of_the_general_one():
    li, lc = np.meshgrid(np.geomspace(0.01, 100, 21), np.geomspace(0.01, 100, 21))
    three = ((lc + 1) * li + 1) / ((li + 1) * (lc + 1))  # the paper's Eq. 27
    np.testing.assert_allclose(rmi.ratio_from_mass_ratios(li, lc, 0.0), three, rtol=8 * EPS)
    lt = lc
    corrected = (li + lt + 1) / ((li + 1) * (lt + 1))  # the paper's Eq. 28, corrected
    np.testing.assert_allclose(rmi.ratio_from_mass_ratios(li, 0.0, lt), corrected, rtol=8 * EPS)
    np.testing.assert_allclose(rmi.ratio_from_mass_ratios(li, 0.0, 1e12), 1 / (li + 1), rtol=2e-10)
    np.testing.assert_allclose(
        rmi.ratio_from_mass_ratios(li, lc, lc), rmi.ratio_equal_mass_ratios(lc), rtol=1e-14
    )
    np.testing.assert_allclose(
        rmi.ratio_from_mass_ratios(li, lc, 1e12), rmi.ratio_fixed_wall(li, lc), rtol=2e-8
    )


def test_locus_equals_the_papers_equation_33():
    lt, c = 0.4, 3.0
    li = rmi.zero_velocity_ratio(chaser=c, target=lt)
    assert li * (c + 1) * (1 - lt) + (1 - c) * (lt + 1) == pytest.approx(0.0, abs=16 * EPS)
    assert np.isnan(rmi.zero_velocity_ratio(chaser=3.0, target=2.0))
    assert np.isnan(rmi.zero_velocity_ratio(chaser=1.0, target=1.0))


def test_five_regimes_are_distinguished():
    R = rmi.Regime
    assert [rmi.regime(e) for e in (0.0, 1.0, 0.5, 0.2, 0.8)] == list(R)
    codes = rmi.regime(np.array([0.0, 1.0, 0.5, 0.2, 0.8]))
    assert codes.dtype == np.int8
    assert codes.tolist() == [1, 2, 3, 4, 5]
    assert rmi.regime(0.8, restitution=0.0) is R.CLOSING
    assert rmi.regime(0.8, restitution=0.25) is R.MATCHED
    assert R.CLOSING.identifier == "closing"
    assert all(r.sentence.endswith(".") for r in R)
    assert rmi.predict_impact(0, 3, 7, 0, speed=0.1).regime is R.RIGID_BODIES


@pytest.mark.parametrize("case", TABLE)
def test_velocities_equal_table_1_of_the_paper(case):
    m, printed, last_digit = TABLE[case]
    after = rmi.predict_impact(*m, speed=0.05)
    assert abs(after.relative_velocity_after - printed) < last_digit  # C is truncated in print, not rounded


def test_many_predictions_have_the_same_bits_as_single_ones():
    rng = np.random.default_rng(1)
    m = rng.uniform(0.1, 100.0, (4, 2 * rmi.BLOCK + 17))
    speed, e = rng.uniform(-1, 1, m.shape[1]), rng.uniform(0, 1, m.shape[1])
    many = rmi.predict_many(*m, speed=speed, restitution=e)
    single = rmi.predict_impact(*m, speed=speed, restitution=e)
    assert np.array_equal(many.effective_mass_ratio, single.effective_mass_ratio)
    assert np.array_equal(many.relative_velocity_after, single.relative_velocity_after)
    grid = rmi.predict_many(m[0, :5, None], 2.0, m[2, :7], 3, speed=0.1)
    assert grid.effective_mass_ratio.shape == (5, 7)
    assert grid.effective_mass_ratio[4, 6] == rmi.effective_mass_ratio(m[0, 4], 2.0, m[2, 6], 3)


BAD = [-1.0, float("nan"), -float("inf"), "17 kg", None, True, [1.0, -2.0], 1j]


@pytest.mark.parametrize("bad", BAD, ids=repr)
@pytest.mark.parametrize("which", ["m1", "m2", "m3", "m4"])
@pytest.mark.parametrize("function", [rmi.predict_impact, rmi.predict_many])
def test_bad_masses_are_refused_by_name(function, which, bad):
    good = {"m1": 1.0, "m2": 1.0, "m3": 1.0, "m4": 1.0, "speed": 0.1}
    with pytest.raises(InputError) as refusal:
        function(**{**good, which: bad})
    assert refusal.value.problems[0].field == which


@pytest.mark.parametrize("which", ["m1", "m2", "m3", "m4"])
def test_many_predictions_refuse_walls_by_name(which):
    good = {"m1": 1.0, "m2": 1.0, "m3": 1.0, "m4": 1.0, "speed": 0.1}
    with pytest.raises(InputError, match="finite") as refusal:
        rmi.predict_many(**{**good, which: np.inf})
    assert refusal.value.problems[0].field == which


WALLS = [{"m1"}, {"m4"}, {"m1", "m4"}, {"m2"}, {"m3"}, {"m1", "m3"}, {"m1", "m2"}, {"m2", "m4"}, {"m3", "m4"}]


@pytest.mark.parametrize("walls", WALLS, ids=sorted)
def test_a_wall_is_the_limit_of_a_large_mass(walls):
    rng = np.random.default_rng(len(walls))
    for _ in range(50):
        m = dict(zip(("m1", "m2", "m3", "m4"), rng.uniform(0.1, 100.0, 4)))
        rest = {"speed": rng.uniform(0.01, 1.0), "restitution": rng.uniform(0.0, 1.0), "target_velocity": 0.3}
        wall = rmi.predict_impact(**(m | dict.fromkeys(walls, np.inf)), **rest)
        large = rmi.predict_impact(**(m | dict.fromkeys(walls, 1e14)), **rest)
        for name in ("effective_mass_ratio", "impulse", "relative_velocity_after", "velocities_after"):
            found, limit = getattr(wall, name), getattr(large, name)
            assert np.isfinite(found).all()
            np.testing.assert_allclose(found, limit, rtol=1e-9, atol=1e-9)
    with pytest.raises(InputError, match="must be finite"):
        rmi.predict_impact(1.0, np.inf, np.inf, 1.0, speed=0.1)


def test_oscillating_bodies_keep_momentum_and_restitution():
    """With the oscillation in the chaser, or in the target where the chaser is a single mass; Eq. 13 of the paper."""
    rng = np.random.default_rng(7)
    for single_chaser in (False, True):
        m = rng.uniform(0.1, 100.0, (4, 100))
        m[0] *= not single_chaser
        U, dU, e = rng.uniform(0.1, 1.0, 100), rng.uniform(-0.05, 1.0, 100), rng.uniform(0.0, 1.0, 100)
        after = rmi.predict_impact(*m, speed=U, restitution=e, oscillation=dU, target_velocity=0.2)
        v = after.velocities_after.T
        V_c, V_t = ((m[a : a + 2] * v[a : a + 2]).sum(0) / m[a : a + 2].sum(0) for a in (0, 2))
        np.testing.assert_allclose(V_c - V_t, after.relative_velocity_after, atol=1e-13)
        np.testing.assert_allclose(V_c, after.chaser_velocity_after, atol=1e-13)
        np.testing.assert_allclose((m * v).sum(0), m[:2].sum(0) * U + m.sum(0) * 0.2, rtol=1e-12)
        np.testing.assert_allclose(
            v[2] - v[1], e * (U + dU), atol=1e-13
        )  # Newton's law at the touching bodies
        expected = np.where(after.relative_velocity_after > 0.0, rmi.Regime.CLOSING, rmi.Regime.PARTING)
        assert np.array_equal(after.regime, expected)
    with pytest.raises(InputError, match="rear mass"):
        rmi.predict_impact(0.0, 1.0, 1.0, 0.0, speed=0.1, oscillation=0.01)


def test_zero_velocity_ratios_of_walls_are_limits():
    for known in ({"interface": 0.3, "target": np.inf}, {"chaser": 0.2, "target": np.inf}):
        far = {name: 1e14 if np.isinf(value) else value for name, value in known.items()}
        ratio = rmi.zero_velocity_ratio(**known)
        assert ratio == pytest.approx(rmi.zero_velocity_ratio(**far), rel=1e-12)
        missing = ({"interface", "chaser", "target"} - set(known)).pop()
        ratios = {**known, missing: ratio}
        e_I = rmi.ratio_from_mass_ratios(ratios["interface"], ratios["chaser"], ratios["target"])
        assert e_I == pytest.approx(0.5, rel=1e-14)
        assert e_I == pytest.approx(rmi.ratio_fixed_wall(ratios["interface"], ratios["chaser"]), rel=1e-14)


@pytest.mark.parametrize("function", [rmi.predict_impact, rmi.predict_many])
def test_bad_restitution_and_speed_are_refused(function):
    for bad in (
        {"restitution": 1.1},
        {"restitution": -0.1},
        {"speed": np.inf},
        {"speed": "fast"},
        {"m2": 0.0},
    ):
        with pytest.raises(InputError):
            function(**{"m1": 1.0, "m2": 1.0, "m3": 1.0, "m4": 1.0, "speed": 0.1, **bad})
    with pytest.raises(InputError, match="too large"):
        function(1e308, 1e308, 1.0, 1.0, speed=0.1)
    with pytest.raises(InputError):
        rmi.zero_velocity_ratio(interface=1.0)
