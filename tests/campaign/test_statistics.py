"""Statistics: closed forms, known functions, and limits."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from softdock.campaign.distributions import Uniform
from softdock.campaign.sampling import Sampler
from softdock.campaign.sizing import find_spring, size_spring
from softdock.campaign.statistics import (
    capture_envelope,
    quantile_interval,
    quantiles,
    rank_correlation,
    sobol_indices,
    wilson,
)


@given(runs=st.integers(1, 10_000), data=st.data(), confidence=st.floats(0.5, 0.999))
@settings(deadline=None)
def test_wilson_is_the_interval_of_scipy(runs: int, data: st.DataObject, confidence: float) -> None:
    successes = data.draw(st.integers(0, runs))
    low, high = wilson(successes, runs, confidence)
    expected = stats.binomtest(successes, runs).proportion_ci(confidence, method="wilson")
    assert low == pytest.approx(expected.low, abs=1e-12)
    assert high == pytest.approx(expected.high, abs=1e-12)
    assert 0.0 <= low <= successes / runs <= high <= 1.0


def test_wilson_interval_without_runs_is_0_to_1() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


def test_quantiles_leave_out_values_that_are_not_finite() -> None:
    assert quantiles([1.0, math.nan, 3.0, math.inf], (0.0, 0.5, 1.0)) == [1.0, 2.0, 3.0]
    assert quantiles([math.nan]) == []


def test_intervals_of_quantiles_agree_with_tables() -> None:
    """Ten values: the second and the ninth enclose the median with 97.9 %, the next ones with 89 % only."""
    values = np.arange(1.0, 11.0)[::-1]
    assert quantile_interval(values, 0.5) == (2.0, 9.0)
    assert quantile_interval(values, 0.5, 0.89) == (3.0, 8.0)
    assert quantile_interval([], 0.5) == (None, None)


@pytest.mark.parametrize(("share", "runs"), [(0.99, 368), (0.95, 72), (0.5, 6)])
def test_an_interval_has_an_upper_end_with_enough_runs(share: float, runs: int) -> None:
    """The largest of n values is above a quantile with a probability of 1 - share^n."""
    assert share**runs <= 0.025 < share ** (runs - 1)
    assert quantile_interval(np.arange(runs), share)[1] == runs - 1
    assert quantile_interval(np.arange(runs - 1), share)[1] is None


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_intervals_of_quantiles_cover_the_true_value(share: float) -> None:
    rng, true, rounds = np.random.default_rng(4), -math.log(1.0 - share), 2000
    inside = 0
    for _ in range(rounds):
        low, high = quantile_interval(rng.exponential(size=120), share)
        inside += (low is None or low <= true) and (high is None or true <= high)
    assert inside / rounds >= 0.95 - 3.0 * math.sqrt(0.95 * 0.05 / rounds)


def test_rank_correlation_of_a_monotone_relation_is_1() -> None:
    x = np.linspace(0.1, 2.0, 50)
    falling = rank_correlation("x", x, "y", 1.0 / x)
    assert falling is not None
    assert falling.coefficient == pytest.approx(-1.0)
    assert rank_correlation("x", x, "y", np.ones(50)) is None
    assert rank_correlation("x", x[:3], "y", x[:3]) is None
    with_gaps = rank_correlation("x", x, "y", np.where(x > 1.0, x, math.nan))
    assert with_gaps is not None
    assert with_gaps.runs == int((x > 1.0).sum())


def test_sobol_indices_of_the_ishigami_function_have_closed_forms() -> None:
    """Ishigami and Homma (1990), a = 7, b = 0.1: closed forms of all indices."""
    a, b = 7.0, 0.1
    variance = 0.5 * (1 + b * math.pi**4 / 5) ** 2 + a**2 / 8 + b**2 * math.pi**8 * (1 / 18 - 1 / 50)
    first = np.array([0.5 * (1 + b * math.pi**4 / 5) ** 2, a**2 / 8, 0.0]) / variance
    both = b**2 * math.pi**8 * (1 / 18 - 1 / 50) / variance
    total = first + np.array([both, 0.0, both])

    names = ("x1", "x2", "x3")
    base = 4096
    sampler = Sampler("saltelli", 1, 5 * base, tuple((name, 1) for name in names))
    u = sampler.points(0, 5 * base)
    x1, x2, x3 = (Uniform(-math.pi, math.pi).at(u[:, k : k + 1]) for k in range(3))
    y = np.sin(x1) + a * np.sin(x2) ** 2 + b * x3**4 * np.sin(x1)
    found = sobol_indices(names, y)
    assert found is not None
    tolerance = 3.0 / math.sqrt(base)  # of a random design; Sobol' points do better
    assert np.abs(found.first - first).max() < tolerance
    assert np.abs(found.total - total).max() < tolerance
    assert found.first_interval.shape == (3, 2)

    rows = y.reshape(base, 5)
    functions = {"f_A": rows[None, :, 0], "f_B": rows[None, :, 1], "f_AB": rows[:, 2:].T[:, None, :]}
    peer = stats.sobol_indices(func=functions, n=base)
    assert np.allclose(found.first, np.ravel(peer.first_order), atol=1e-10)
    assert np.allclose(found.total, np.ravel(peer.total_order), atol=1e-10)

    y[3] = math.nan
    incomplete = sobol_indices(names, y)
    assert incomplete is not None
    assert (incomplete.complete, incomplete.left_out) == (base - 1, 1)


def test_the_capture_envelope_counts_every_run_once() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.random(1000), rng.random(1000)
    success = x + y < 1.0
    envelope = capture_envelope(x, y, success, cells=4)
    assert envelope.runs.sum() == 1000
    assert envelope.successes.sum() == success.sum()
    assert envelope.share[0, 0] == 1.0
    assert envelope.share[3, 3] == 0.0
    assert np.all(envelope.low <= np.nan_to_num(envelope.share))
    assert np.all(envelope.high >= np.nan_to_num(envelope.share))


def test_a_sized_spring_stores_the_energy_within_its_stroke() -> None:
    energies = np.array([0.1, 2.56, math.nan, 0.5])
    size = size_spring("bumper", "12.7 mm", np.arange(4), energies)
    assert not size.turning
    assert list(size.runs) == [0, 1, 3]
    worst = size.by_quantile((1.0,))[0]
    assert worst["stiffness"] == pytest.approx(31.7e3, rel=2e-3)  # 2.56 J in 12.7 mm
    assert 0.5 * worst["stiffness"] * size.stroke**2 == pytest.approx(2.56)
    assert worst["excess"] == 0.0
    for row in size.by_quantile((0.5, 0.9)):
        stored = 0.5 * row["stiffness"] * size.stroke**2
        assert stored * (1.0 + row["excess"]) == pytest.approx(2.56)


def test_a_stroke_in_degrees_gives_a_torsion_spring() -> None:
    size = size_spring("pantograph", "5 deg", [0], [1.0])
    assert size.turning
    assert size.stiffnesses[0] == pytest.approx(2.0 / math.radians(5.0) ** 2)


@pytest.mark.parametrize(
    ("stroke", "turning", "sentence"),
    [
        ("5 kg", None, "must be a length or an angle, for example '12.7 mm' or '5 deg'"),
        ("5 deg", False, "must be a length, for example '12.7 mm': the spring slides"),
        ("5 mm", True, "must be an angle, for example '5 deg': the spring turns"),
        ("-1 mm", None, "must be above 0"),
        ("0 mm", None, "must be above 0"),
    ],
)
def test_a_stroke_of_another_kind_or_not_above_0_is_refused(
    stroke: str, turning: bool | None, sentence: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        size_spring("x", stroke, [0], [1.0], turning)


SPRINGS = {
    "bodies": {
        "slide": {"joint": {"type": "prismatic"}},
        "hinge": {"joint": {"type": "universal"}},
        "table": {"joint": {"type": "planar"}},
    },
    "springs": {
        "axial-spring": {"joint": "slide", "axis": None},
        "bend": {"joint": "hinge", "axis": None},
        "twist": {"joint": "table", "axis": 2},
    },
}


@pytest.mark.parametrize(
    ("metric", "turning"),
    [
        ("spring_energy_max_axial_spring", False),
        ("spring_energy_max_bend", True),
        ("spring_energy_max_twist", True),
        ("spring_energy_max_other", None),
        ("kinetic_energy_before", None),
    ],
)
def test_the_joint_decides_whether_a_spring_turns(metric: str, turning: bool | None) -> None:
    found = find_spring(SPRINGS, metric)
    assert (None if found is None else found.turning) is turning
    assert find_spring({}, metric) is None
    assert find_spring({"springs": {"bend": 3}, "bodies": []}, metric) is None


def test_a_torsion_spring_needs_an_angle() -> None:
    """k = 2 E / s^2 in N m/rad."""
    size = size_spring("bend", "5 deg", [0], [0.1], True)
    assert size.turning
    assert size.stiffnesses == pytest.approx([0.2 / math.radians(5.0) ** 2])
    assert size_spring("bend", 0.1, [0], [0.1], True).turning
    assert not size_spring("push", 0.1, [0], [0.1], False).turning
    with pytest.raises(ValueError, match=r"an angle.*the spring turns"):
        size_spring("bend", "10 mm", [], [], True)
    with pytest.raises(ValueError, match=r"a length.*the spring slides"):
        size_spring("push", "5 deg", [], [], False)
