"""Latch: energy, continuity, limits, and the paper's example."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softdock.errors import InputError
from softdock.theory import latch
from softdock.theory.latch import WedgeBehaviour

PAPER = {"stiffness": 100.0, "angle": np.pi / 4, "tip_length": 0.02, "effective_mass": 15 * 17 / 32}


@settings(deadline=None)
@given(st.floats(0.1, 1.4), st.floats(0.0, 0.7), st.floats(0.01, 0.99))
def test_latch_closes_if_and_only_if_the_speed_exceeds_the_minimum(angle, friction_angle, fraction):
    if latch.wedge_behaviour(angle, friction_angle) is WedgeBehaviour.JAMS:
        assert latch.minimum_speed(100.0, angle, 0.02, 8.0, friction_angle) == np.inf
        return
    K = latch.wedge_stiffness(100.0, angle, friction_angle)
    v = latch.minimum_speed(100.0, angle, 0.02, 8.0, friction_angle)
    w = latch.latch_frequency(K.inward, 8.0)
    assert 0.5 * 8.0 * v**2 == pytest.approx(0.5 * K.inward * 0.02**2, rel=1e-13)  # energy of the insertion
    assert np.isnan(latch.latch_time(fraction * v, w, 0.02))
    assert latch.latch_time(v / fraction, w, 0.02) < 0.5 * np.pi / w
    assert latch.largest_insertion(fraction * v, w, 0.02) == pytest.approx(fraction * 0.02, rel=1e-13)
    assert K.outward <= K.elastic * (1 + 1e-15) <= K.inward * (1 + 2e-15)


def test_friction_decides_on_the_behaviour_of_a_wedge():
    deg = np.pi / 180
    assert latch.wedge_behaviour(45 * deg) is WedgeBehaviour.SLIDES
    assert latch.wedge_behaviour(10 * deg, 11 * deg) is WedgeBehaviour.HOLDS
    assert latch.wedge_behaviour(60 * deg, 31 * deg) is WedgeBehaviour.JAMS
    codes = latch.wedge_behaviour(np.array([45, 10, 60]) * deg, np.array([0, 11, 31]) * deg)
    assert codes.tolist() == [0, 1, 2]
    assert latch.wedge_stiffness(100.0, 60 * deg, 31 * deg).inward == np.inf
    assert latch.wedge_stiffness(100.0, 10 * deg, 11 * deg).outward < 0.0
    assert all(w.sentence.endswith(".") for w in WedgeBehaviour)


@pytest.mark.parametrize("friction_angle", [0.0, 0.1, 0.4, 0.9])
@pytest.mark.parametrize("speed", [0.03, 0.2])
def test_history_is_continuous_and_its_rate_is_its_derivative(speed, friction_angle):
    angle = 0.6
    K = latch.wedge_stiffness(100.0, angle, friction_angle)
    w_in, w_out = latch.latch_frequency(K.inward, 8.0), np.sqrt(max(K.outward, 0.0) / 8.0)
    t = np.linspace(-0.1, 3.0, 20001)
    x = latch.insertion(t, speed, w_in, w_out, 0.02)
    v = latch.insertion_velocity(t, speed, w_in, w_out, 0.02)
    h = t[1] - t[0]
    assert np.max(np.abs(np.diff(x))) <= speed * h * (1 + 1e-9)
    smooth = np.abs(np.diff(v)) < 2.0 * h * speed * max(w_in, w_out)
    slope = np.diff(x)[smooth] / h
    middle = 0.5 * (v[1:] + v[:-1])[smooth]
    assert np.max(np.abs(slope - middle)) <= speed * max(w_in, w_out) * h  # trapezoid, kinks included
    assert np.max(x) <= 0.02 * (1 + 1e-15)


def test_return_speed_is_the_ratio_of_the_tangents():
    angle, phi = 0.7, 0.2
    K = latch.wedge_stiffness(100.0, angle, phi)
    w_in, w_out = (latch.latch_frequency(k, 8.0) for k in (K.inward, K.outward))
    leaving = latch.insertion_velocity(100.0, 0.03, w_in, w_out, 0.02)
    assert leaving == pytest.approx(-0.03 * np.sqrt(np.tan(angle - phi) / np.tan(angle + phi)), rel=1e-14)


def test_speed_to_reach_at_a_quarter_period_is_the_minimum():
    w = latch.latch_frequency(latch.wedge_stiffness(100.0, np.pi / 4).inward, PAPER["effective_mass"])
    least = latch.minimum_speed(**PAPER)
    assert latch.speed_to_reach(0.02, 0.5 * np.pi / w, w) == pytest.approx(least, rel=1e-14)
    assert latch.latch_time(least, w, 0.02) == pytest.approx(0.5 * np.pi / w, rel=1e-7)


def test_minimum_speed_behind_an_impact_depends_on_the_velocity_ratio():
    behind = latch.minimum_speed_behind_impact(0.07, np.array([0.0, 0.5, 1.0, 1.7]))
    assert behind.tolist() == [0.07, 0.14, np.inf, np.inf]


def test_example_of_the_paper_is_reproduced():
    assert latch.minimum_speed(**PAPER) == pytest.approx(0.070849, abs=5e-7)
    w = latch.latch_frequency(100.0, PAPER["effective_mass"])
    assert latch.largest_insertion(0.07, w, 0.02) == pytest.approx(0.01976, abs=5e-6)
    assert np.isnan(latch.latch_time(0.07, w, 0.02))
    assert latch.latch_time(0.071, w, 0.02) > 0.0


def test_invalid_parameters_are_refused():
    for bad in ({"angle": 0.0}, {"angle": np.pi / 2}, {"friction_angle": -0.1}, {"stiffness": 0.0}):
        with pytest.raises(InputError):
            latch.minimum_speed(**{**PAPER, **bad})
