"""Rows of histories: distinct times, jumps, defaults of robots, and histories at even times."""

import numpy as np
import pytest

import softdock
from softdock.errors import InputError
from softdock.result import Channel, History
from softdock.scenario.loading import from_data
from softdock.simulation.row_times import AFTER_JUMP, ROW_SPACING, after_jumps, space_rows

STRUCK = {
    "kind": "multibody",
    "duration": 0.4,
    "bodies": {"cart": {"mass": 2, "joint": {"type": "prismatic", "axis": "x", "speed": 0.3}}},
    "stops": {"buffer": {"joint": "cart", "upper": 0.03, "stiffness": 5000, "damping": 100}},
    "springs": {"latch": {"joint": "cart", "stiffness": 900, "rest": 0.06, "active": False}},
    "events": {"caught": {"when": "cart.joint > 0.02", "then": [{"enable": "latch"}]}},
}


@pytest.mark.parametrize(
    "name", ["impact-a", "impact-d", "latch-paper", "latch-multibody", "probe-retraction", "pins-4"]
)
def test_rows_of_histories_are_a_microsecond_apart(name):
    time = softdock.simulate(name).history.time
    assert np.diff(time).min() >= ROW_SPACING


def test_a_jump_lies_between_two_rows_and_its_peak_has_a_row():
    """A damped buffer pushes with c v at once: 30 N; a spring is switched on with 900 N/m over 40 mm: 36 N."""
    result = softdock.simulate(from_data(STRUCK, "struck"))
    h = result.history
    assert np.diff(h.time).min() >= ROW_SPACING
    caught = result.events[0].time
    row = int(np.searchsorted(h.time, caught))
    assert h.time[row] == caught
    assert h["latch.force"][row] == 0.0
    assert h.time[row + 1] == caught + AFTER_JUMP
    assert abs(h["latch.force"][row + 1]) == pytest.approx(900 * 0.04, rel=1e-3)
    for load in result.loads:
        if load.t_peak_force is not None and f"{load.name}.force" in h:
            at = int(np.searchsorted(h.time, load.t_peak_force))
            assert h.time[at] == load.t_peak_force
            assert abs(h[f"{load.name}.force"][at]) == load.peak_force
    assert result.metrics == softdock.simulate(from_data(STRUCK, "struck"), {"record.rate": 7}).metrics


def test_rows_that_are_too_close_are_left_out_unless_needed():
    """Random times with gaps from 1 ns to 10 us: needed rows stay, others give way, none moves far."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        time = np.cumsum(10.0 ** rng.uniform(-9.0, -5.0, 300)) + 40.0
        needed = time[rng.random(300) < 0.1]
        rows, times = space_rows(time, needed)
        assert np.diff(times).min() >= ROW_SPACING
        assert set(needed) <= set(time[rows])
        free = ~np.isin(time[rows], [*needed, time[0], time[-1]])
        np.testing.assert_array_equal(times[free], time[rows][free])
        assert np.abs(times - time[rows]).max() < 20 * ROW_SPACING
        # The last row that is kept before a row that is left out, or the next one, is closer than the spacing.
        gaps = np.abs(time[:, None] - times).min(axis=1)
        assert gaps.max() <= ROW_SPACING


def test_rows_after_a_jump_are_later_and_the_last_of_several_is_kept():
    time = np.array([0.0, 1.0, 1.0, 1.0, 2.0])
    rows, times = space_rows(after_jumps(time), np.array([]))
    assert rows.tolist() == [0, 1, 3, 4]
    assert times == pytest.approx([0.0, 1.0, 1.0 + AFTER_JUMP, 2.0], abs=1e-12)


def test_a_robot_with_its_own_rate_keeps_the_defaults_of_robots():
    """Every step in contact is one row or more per torque period, 9 times as many as samples in the berthing."""
    scenario = softdock.load("assist-arm-berthing")
    assert scenario.record.rate == 50.0
    assert not scenario.record.contact_steps
    assert not scenario.record.peaks
    asked = softdock.load("assist-arm-berthing", ["record.contact_steps=true"])
    assert asked.record.contact_steps
    result = softdock.simulate(softdock.load("assist-arm-berthing", ["duration=21 s"]))
    assert len(result.history.time) <= 21 * 50 + 1 + len(result.events)


def even(**channels: tuple[list[float], str]) -> History:
    first = next(iter(channels.values()))[0]
    return History(
        time=np.arange(len(first), dtype=float),
        channels={name: Channel(values=np.array(v), unit=unit) for name, (v, unit) in channels.items()},
    )


def test_resampling_interpolates_numbers_and_keeps_flags():
    history = even(
        position=([0.0, 1.0, 4.0, 4.0], "m"),
        mode=([0.0, 2.0, 2.0, 5.0], "1"),
        ratio=([0.0, 0.5, 1.0, 0.0], "1"),
        gap=([1.0, np.nan, 3.0, 4.0], "m"),
    )
    for rate in (2.0, "2 Hz", "0.002 kHz"):
        found = history.resample(rate)
        assert found.time == pytest.approx(np.arange(7) / 2)
        assert found.units == history.units
        assert found["position"] == pytest.approx([0, 0.5, 1, 2.5, 4, 4, 4])
        assert found["mode"].tolist() == [0, 0, 2, 2, 2, 2, 5]
        assert found["ratio"] == pytest.approx([0, 0.25, 0.5, 0.75, 1, 0.5, 0])
        np.testing.assert_allclose(found["gap"], [1, np.nan, np.nan, np.nan, 3, 3.5, 4])


def test_resampling_at_the_rate_of_the_record_gives_its_samples():
    history = softdock.simulate("impact-a").history
    found = history.resample("100 Hz")
    np.testing.assert_allclose(np.diff(found.time), 0.01, rtol=1e-9)
    assert found.time[-1] == pytest.approx(history.time[-1], abs=0.01)
    common = np.isin(np.round(found.time, 9), np.round(history.time, 9))
    at = np.searchsorted(np.round(history.time, 9), np.round(found.time[common], 9))
    np.testing.assert_allclose(found["chaser.velocity"][common], history["chaser.velocity"][at], rtol=1e-6)


@pytest.mark.parametrize("rate", [0.0, -5.0, "50 m", "often", 1e12, float("nan")])
def test_resampling_refuses_what_is_no_rate(rate):
    with pytest.raises(InputError, match="rate"):
        softdock.simulate("impact-a").history.resample(rate)
