"""Random numbers, guidance and feedback laws: published values, moments, closed forms."""

import math

import numpy as np
import pytest

from softdock.gnc.kernels.control import CLOCK_TICKS, outside_band, rounded_on_time, wheel_torque
from softdock.gnc.kernels.guidance import advance_distance, corridor_margin, glide_slope_speed, passes_gate
from softdock.gnc.kernels.random_numbers import normal_pair, random_words, uniform_pair
from softdock.gnc.kernels.sensors import is_in_view, noise_at_range, walk_bias

pytestmark = pytest.mark.plain_python


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_random_words_are_those_of_the_published_generator(key: tuple, counter: tuple, words: tuple) -> None:
    """Known answers of threefry2x32, 20 rounds, of the Random123 library."""
    assert random_words(*key, *counter) == words


def test_normal_numbers_have_the_moments_of_the_distribution() -> None:
    count = 20_000
    x = np.array([normal_pair(7, 1, i) for i in range(count)])
    for k, exact in ((1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0)):
        spread = math.sqrt({1: 1, 2: 2, 3: 15, 4: 96}[k] / x.size)
        assert np.mean(x**k) == pytest.approx(exact, abs=4 * spread)
    assert np.mean(x[:, 0] * x[:, 1]) == pytest.approx(0.0, abs=4 / math.sqrt(count))


def test_streams_and_seeds_give_different_numbers() -> None:
    drawn = {uniform_pair(s, stream, i) for s in range(3) for stream in range(3) for i in range(3)}
    assert len(drawn) == 27
    assert all(0.0 < u < 1.0 for pair in drawn for u in pair)


def test_glide_slope_is_range_over_time_constant_within_limits() -> None:
    """Public rate command: range over 90 s between 0.075 and 0.5 m/s."""
    assert glide_slope_speed(18.0, 90.0, 0.075, 0.5) == pytest.approx(0.2)
    assert glide_slope_speed(1.0, 90.0, 0.075, 0.5) == 0.075
    assert glide_slope_speed(100.0, 90.0, 0.075, 0.5) == 0.5


def test_reference_follows_the_glide_slope_and_ends_at_the_goal() -> None:
    """From 20 to 4 m the distance falls exponentially; then at the least speed until the goal."""
    distance, speed, dt, times = 20.0, 0.0, 0.01, []
    while distance > 0.0 and len(times) < 40_000:
        distance, speed = advance_distance(distance, 0.0, 80.0, 0.05, 1.0, 1.0, speed, dt)
        times.append(distance)
    down = next(i for i, d in enumerate(times) if d <= 4.0) * dt
    assert down == pytest.approx(80.0 * math.log(20.0 / 4.0), abs=0.3)
    assert len(times) * dt - down == pytest.approx(4.0 / 0.05, abs=0.3)
    assert speed == 0.0


def test_reference_moves_outwards_to_a_goal_behind_it() -> None:
    distance, speed = advance_distance(3.0, 5.0, 10.0, 0.01, 0.1, 1.0, 0.0, 1.0)
    assert (distance, speed) == (pytest.approx(3.1), pytest.approx(-0.1))


def test_reference_limits_its_acceleration() -> None:
    _, speed = advance_distance(100.0, 0.0, 10.0, 0.1, 1.0, 0.02, 0.0, 0.5)
    assert speed == pytest.approx(0.01)


def test_corridor_and_gate() -> None:
    slope = math.tan(math.radians(10.0))
    assert corridor_margin(1.0, 0.0, 10.0, 0.1, slope) == pytest.approx(0.1 + 10.0 * slope - 1.0)
    assert corridor_margin(1.4, 1.4, 10.0, 0.1, slope) < 0.0
    assert corridor_margin(0.1, 0.0, -1.0, 0.1, slope) == 0.0
    gate = (0.1, 0.02, 0.05, 0.01)
    assert passes_gate(0.1, 0.02, 0.05, 0.01, gate)
    for k in range(4):
        assert not passes_gate(*(1.01 * g if i == k else g for i, g in enumerate(gate)), gate)


def test_field_of_view_and_noise() -> None:
    cosine = math.cos(math.radians(20.0))
    assert is_in_view(math.tan(math.radians(19.9)), 0.0, 1.0, cosine)
    assert not is_in_view(math.tan(math.radians(20.1)), 0.0, 1.0, cosine)
    assert not is_in_view(0.0, 0.0, -1.0, cosine)
    assert noise_at_range(0.003, 0.004, 1.0) == pytest.approx(0.005)


def test_dead_band_removes_small_errors() -> None:
    assert [outside_band(x, 0.5) for x in (-2.0, -0.5, 0.2, 0.5, 0.75)] == [-1.5, 0.0, 0.0, 0.0, 0.25]


def test_on_times_are_zero_or_at_least_the_shortest() -> None:
    rounded = [rounded_on_time(x, 0.02, 0.1) for x in (0.0, 0.014, 0.016, 0.05, 0.1)]
    assert rounded == pytest.approx([0, 0, 0.02, 0.05, 0.1], abs=0.1 / CLOCK_TICKS)
    assert rounded_on_time(1e-9, 0.0, 0.1) == 0.0
    assert rounded_on_time(0.05, 0.0, 0.1) == rounded_on_time(math.nextafter(0.05, 1.0), 0.0, 0.1)


def test_wheel_never_exceeds_its_momentum() -> None:
    rng, h, dt = np.random.default_rng(1), 0.0, 0.1
    for _ in range(2000):
        torque = wheel_torque(rng.normal(0.05, 1.0), h, 0.2, 1.0, dt)
        assert abs(torque) <= 0.2
        h += torque * dt
        assert abs(h) <= 1.0 + 1e-12
    assert wheel_torque(0.2, 1.5, 0.2, 1.0, dt) == -0.2  # beyond its limit it is slowed down


@pytest.mark.parametrize("steps", [10, 1000])
def test_random_walk_of_a_gyro_does_not_depend_on_its_rate(steps: int) -> None:
    """After 4 s the bias has the standard deviation of one second times the root of 4."""
    biases = np.zeros((200, 3))
    for seed, bias in enumerate(biases):
        for k in range(steps):
            walk_bias(bias, 1e-3, 4.0 / steps, seed, 4, 2 * k)
    assert biases.std() == pytest.approx(2e-3, rel=4.0 / math.sqrt(2 * biases.size))


def test_the_field_of_view_is_a_cone_without_end() -> None:
    """A point is in view if its direction is within the half-angle of the axis, at any distance."""
    rng = np.random.default_rng(4)
    for half_angle in np.radians([10.0, 45.0, 90.0, 120.0]):
        for point in rng.normal(size=(40, 3)):
            inside = math.acos(point[2] / math.sqrt(point @ point)) <= half_angle
            for distance in (1e-3, 1.0, 1e4):
                assert is_in_view(*(distance * point), math.cos(half_angle)) == inside
