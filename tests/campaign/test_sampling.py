"""Sampling: a run does not depend on chunks or workers; samples follow their distributions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from softdock.campaign.distributions import Choice, TruncatedNormal, Uniform, Vector, correlated
from softdock.campaign.sampling import Sampler

METHODS = ("random", "latin-hypercube", "sobol", "saltelli")
GROUPS = (("approach.speed", 1), ("approach.offset", 2), ("approach.rate", 3), ("mass", 1))
RUNS = 96

DISTRIBUTIONS = [
    Uniform(-2.0, 3.0),
    Uniform(0.1, 10.0, logarithmic=True),
    TruncatedNormal(5.0, 2.0),
    TruncatedNormal(5.0, 2.0, 4.0, 6.0),
    TruncatedNormal(0.0, 1.0, 5.0, 9.0),
]


def kolmogorov(n: int) -> float:
    """Return the distance that a sample of n values exceeds once in a million times (Dvoretzky-Kiefer-Wolfowitz)."""
    return math.sqrt(math.log(2.0 / 1e-6) / (2.0 * n))


@pytest.mark.parametrize("method", METHODS)
@given(data=st.data(), seed=st.integers(0, 2**63 - 1))
@settings(deadline=None, max_examples=25)
def test_a_run_is_the_same_in_any_chunk(method: str, data: st.DataObject, seed: int) -> None:
    sampler = Sampler(method, seed, RUNS, GROUPS)
    start = data.draw(st.integers(0, RUNS - 1))
    stop = data.draw(st.integers(start + 1, RUNS))
    whole = Sampler(method, seed, RUNS, GROUPS).points(0, RUNS)
    assert np.array_equal(sampler.points(start, stop), whole[start:stop])
    assert whole.shape == (RUNS, 7)
    assert np.all((whole >= 0.0) & (whole < 1.0))


def test_seeds_give_different_points() -> None:
    for method in METHODS:
        one, two = (Sampler(method, seed, RUNS, GROUPS).points(0, RUNS) for seed in (1, 2))
        assert not np.any(np.all(one == two, axis=1))


def test_a_random_run_depends_on_seed_and_number_alone() -> None:
    """Neither the number of runs nor another dispersion changes it."""
    few = Sampler("random", 3, 10, GROUPS[:2]).points(4, 5)
    many = Sampler("random", 3, 10_000, (("another", 5), *GROUPS)).points(4, 5)
    assert np.array_equal(few, many[:, 5:8])


def test_a_sobol_run_does_not_depend_on_the_number_of_runs() -> None:
    few, many = (Sampler("sobol", 3, runs, GROUPS).points(0, 10) for runs in (10, 1000))
    assert np.array_equal(few, many)


def test_latin_hypercube_has_one_run_in_every_row_and_column() -> None:
    points = Sampler("latin-hypercube", 5, RUNS, GROUPS).points(0, RUNS)
    for column in (points * RUNS).astype(int).T:
        assert sorted(column) == list(range(RUNS))


def test_saltelli_differs_from_a_in_one_dispersion_only() -> None:
    design = Sampler("saltelli", 5, 60, GROUPS)
    a, b, *mixed = design.points(12, 18)
    columns = np.split(np.arange(7), np.cumsum([dims for _, dims in GROUPS])[:-1])
    for k, row in enumerate(mixed):
        expected = a.copy()
        expected[columns[k]] = b[columns[k]]
        assert np.array_equal(row, expected)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_values_follow_their_distribution(distribution: Uniform | TruncatedNormal) -> None:
    n = 20_000
    values = distribution.at(np.random.default_rng(1).random((n, 1)))
    if isinstance(distribution, Uniform):
        low, high = distribution.low, distribution.high
        law = stats.loguniform(low, high) if distribution.logarithmic else stats.uniform(low, high - low)
    else:
        m, s = distribution.mean, distribution.deviation
        law = stats.truncnorm((distribution.low - m) / s, (distribution.high - m) / s, m, s)
    assert stats.kstest(values, law.cdf).statistic < kolmogorov(n)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
@given(u=st.floats(0.0, 1.0, exclude_max=True), v=st.floats(0.0, 1.0, exclude_max=True))
@settings(deadline=None, max_examples=50)
def test_values_are_finite_and_within_limits(
    distribution: Uniform | TruncatedNormal, u: float, v: float
) -> None:
    one, two = distribution.at(np.array([[u], [v]]))
    assert math.isfinite(one)
    assert distribution.low <= one <= distribution.high
    rising = not (isinstance(distribution, TruncatedNormal) and distribution.low > distribution.mean)
    assert (one <= two) == (u <= v) or one == two or not rising


@pytest.mark.parametrize("size", [2, 3])
def test_vectors_have_the_given_length_and_no_preferred_direction(size: int) -> None:
    n = 20_000
    u = np.random.default_rng(2).random((n, size))
    vectors = Vector(Uniform(1.0, 2.0), size).at(u)
    assert np.allclose(np.linalg.norm(vectors, axis=1), Uniform(1.0, 2.0).at(u[:, :1]), rtol=1e-14)
    directions = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    # each component has mean 0 and variance 1/size; five standard errors
    assert np.abs(directions.mean(axis=0)).max() < 5.0 / math.sqrt(size * n)


def test_choices_occur_in_proportion_to_their_weights() -> None:
    n = 20_000
    values = Choice(("a", "b", "c"), (1.0, 0.0, 3.0)).at(np.random.default_rng(3).random((n, 1)))
    shares = np.bincount(values.astype(int), minlength=3) / n
    assert shares[1] == 0.0
    assert abs(shares[0] - 0.25) < 5.0 * math.sqrt(0.25 * 0.75 / n)


def test_correlated_coordinates_keep_their_marginals_and_get_the_correlation() -> None:
    n, r = 20_000, 0.8
    factor = np.linalg.cholesky(np.array([[1.0, r], [r, 1.0]]))
    u = correlated(np.random.default_rng(4).random((n, 2)), factor)
    assert stats.kstest(u[:, 1], "uniform").statistic < kolmogorov(n)
    spearman = 6.0 / math.pi * math.asin(r / 2.0)  # of a Gaussian copula
    assert abs(stats.spearmanr(u).statistic - spearman) < 5.0 / math.sqrt(n)
