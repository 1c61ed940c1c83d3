"""Confidence and tolerance bounds: SciPy, closed forms, coverage, and the equivalence of both statements."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from softdock.campaign.statistics import (
    clopper_pearson,
    fewest_runs,
    lower_bound,
    runs_for_half_width,
    runs_to_decide,
    tolerance_bound,
    tolerance_rank,
    upper_bound,
    wilson,
)

SHARES = st.floats(0.5, 0.999)
CONFIDENCES = st.floats(0.5, 0.999)


@given(runs=st.integers(1, 10_000), data=st.data(), confidence=CONFIDENCES)
@settings(deadline=None)
def test_clopper_pearson_is_the_exact_interval_of_scipy(
    runs: int, data: st.DataObject, confidence: float
) -> None:
    successes = data.draw(st.integers(0, runs))
    expected = stats.binomtest(successes, runs).proportion_ci(confidence, method="exact")
    assert clopper_pearson(successes, runs, confidence) == pytest.approx(
        (expected.low, expected.high), abs=1e-9
    )


@given(runs=st.integers(1, 5000), data=st.data(), confidence=CONFIDENCES)
@settings(deadline=None)
def test_at_a_bound_the_observation_is_as_improbable_as_the_confidence_allows(
    runs: int, data: st.DataObject, confidence: float
) -> None:
    """Eq. (Q9): P(at least k | p_L) = 1 - C and P(at most k | p_U) = 1 - C."""
    successes = data.draw(st.integers(0, runs))
    low, high = lower_bound(successes, runs, confidence), upper_bound(successes, runs, confidence)
    if successes > 0:
        assert stats.binom.sf(successes - 1, runs, low) == pytest.approx(1.0 - confidence, abs=1e-9)
    if successes < runs:
        assert stats.binom.cdf(successes, runs, high) == pytest.approx(1.0 - confidence, abs=1e-9)


def test_bounds_without_runs_are_0_and_1() -> None:
    assert (lower_bound(0, 0, 0.95), upper_bound(0, 0, 0.95)) == (0.0, 1.0)
    assert clopper_pearson(0, 0) == (0.0, 1.0)


@given(runs=st.integers(1, 3000), data=st.data(), share=SHARES, confidence=CONFIDENCES)
@settings(deadline=None)
def test_a_probability_is_shown_exactly_where_the_tolerance_bound_complies(
    runs: int, data: st.DataObject, share: float, confidence: float
) -> None:
    complying = data.draw(st.integers(max(0, math.floor(share * runs) - 2), runs))
    shown = lower_bound(complying, runs, confidence)
    if abs(shown - share) > 1e-9:  # rounding decides at equality
        assert (shown >= share) == (tolerance_rank(runs, share, confidence) <= complying)


@given(share=SHARES, confidence=CONFIDENCES)
@settings(deadline=None)
def test_the_smallest_number_of_runs_is_that_of_wilks(share: float, confidence: float) -> None:
    needed = fewest_runs(share, confidence)
    for runs, enough in ((needed, True), (needed - 1, False)):
        if runs and abs(1.0 - share**runs - confidence) > 1e-9:  # rounding decides at equality
            assert (tolerance_rank(runs, share, confidence) <= runs) == enough


def test_sample_sizes_agree_with_published_ones() -> None:
    """First and second order of Wilks: 59 and 93 runs for 95 %/95 %, 299 and 473 for 99 %/95 %."""
    assert (fewest_runs(0.95, 0.95), fewest_runs(0.99, 0.95)) == (59, 299)
    assert tolerance_rank(93, 0.95, 0.95) == 92
    assert tolerance_rank(92, 0.95, 0.95) == 92
    assert tolerance_rank(473, 0.99, 0.95) == 472
    assert tolerance_rank(472, 0.99, 0.95) == 472


@pytest.mark.parametrize(
    "draw", [np.random.Generator.standard_exponential, np.random.Generator.standard_normal]
)
def test_the_tolerance_bound_covers_at_least_as_often_as_stated(draw) -> None:
    rng, campaigns, runs, share, confidence = np.random.default_rng(4), 4000, 120, 0.9, 0.95
    exact = {"standard_exponential": stats.expon, "standard_normal": stats.norm}[draw.__name__].ppf(share)
    covered = np.mean(
        [tolerance_bound(draw(rng, runs), share, confidence) >= exact for _ in range(campaigns)]
    )
    rank = tolerance_rank(runs, share, confidence)
    expected = stats.binom.cdf(rank - 1, runs, share)
    assert expected >= confidence
    assert covered == pytest.approx(expected, abs=4.0 * math.sqrt(expected * (1.0 - expected) / campaigns))


def test_too_few_values_have_no_tolerance_bound() -> None:
    assert tolerance_bound(np.arange(298.0), 0.99) is None
    assert tolerance_bound(np.arange(299.0), 0.99) == 298.0
    assert tolerance_bound([*np.arange(58.0), math.nan], 0.95) is None
    assert tolerance_bound([], 0.5) is None


@given(runs=st.integers(1, 2000), failures=st.integers(0, 30), share=SHARES, confidence=CONFIDENCES)
@settings(deadline=None)
def test_the_estimated_number_of_runs_is_the_smallest_that_decides(
    runs: int, failures: int, share: float, confidence: float
) -> None:
    successes = max(runs - failures, 0)
    rate, needed = successes / runs, runs_to_decide(successes, runs, share, confidence)
    if needed is None:
        assert rate == pytest.approx(share, abs=2e-3)
        return

    def decided(count: int) -> bool:
        low, high = (bound(rate * count, count, confidence) for bound in (lower_bound, upper_bound))
        return low >= share or high < share

    assert decided(needed)
    assert needed == runs or not decided(needed - 1)


def test_runs_to_decide_where_all_comply_are_those_of_wilks() -> None:
    assert runs_to_decide(100, 100, 0.99, 0.95) == fewest_runs(0.99, 0.95)
    assert runs_to_decide(0, 0, 0.99, 0.95) is None
    assert runs_to_decide(99, 100, 0.99, 0.95) is None


@given(runs=st.integers(1, 100_000), data=st.data(), confidence=st.floats(0.8, 0.99))
@settings(deadline=None)
def test_the_number_of_runs_for_a_half_width_is_the_smallest(
    runs: int, data: st.DataObject, confidence: float
) -> None:
    """The half-width of Wilson's interval falls with the runs, by more than 1 / (2 runs + 2 z^2) of it per run."""
    successes = data.draw(st.integers(0, runs))
    low, high = wilson(successes, runs, confidence)
    half_width, small = (high - low) / 2.0, 1e-9
    assert runs_for_half_width(successes / runs, half_width * (1.0 + small), confidence) == runs
    assert runs_for_half_width(successes / runs, half_width * (1.0 - small), confidence) == runs + 1


def test_the_half_width_of_a_certain_success_has_a_closed_form() -> None:
    """Of n successes it is z^2 / (2 (n + z^2))."""
    z = stats.norm.ppf(0.975)
    assert runs_for_half_width(1.0, 0.01, 0.95) == math.ceil(z * z / 0.02 - z * z)
