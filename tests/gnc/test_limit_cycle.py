"""Limit cycles of thrusters with shortest pulses against the closed form, Eq. (K35); drift without firing."""

import math
from typing import Any

import numpy as np
import pytest
from tests.gnc.chasers import G0, INERTIA, box_of_thrusters, chaser, controller

from softdock.gnc.kernels.control import DRIFT, axis_in_pulses, band_side
from softdock.simulation import simulate

FORCE, ARM, BANDWIDTH = 10.0, 1.0, 0.1
CYCLES = 12  # of the slowest axis, with its transient
SAMPLE = [(0.005, 0.1, 10), (0.01, 0.1, 5), (0.02, 0.1, 10), (0.05, 0.5, 10), (0.1, 0.5, 1), (0.1, 2, 5)]
OTHERS = [
    (0.005, 0.5, 1), (0.005, 2, 20), (0.01, 0.5, 20), (0.02, 0.5, 1), (0.02, 2, 5), (0.05, 0.2, 5), (0.05, 0.5, 1),
    (0.05, 1, 5), (0.05, 2, 10), (0.1, 0.2, 5), (0.1, 0.5, 5), (0.1, 1, 2), (0.1, 1, 5), (0.1, 2, 1),
]  # fmt: skip
"""Shortest pulse [s], dead band [deg], samples per second."""
SETTINGS = SAMPLE + [pytest.param(*one, marks=pytest.mark.long) for one in OTHERS]


def couples(**common: Any) -> dict[str, Any]:
    """Return two thrusters for a torque about each axis in each direction."""
    out: dict[str, Any] = {}
    for axis in range(3):
        for sign in (1.0, -1.0):
            for side in (1.0, -1.0):
                at, direction = [0.0] * 3, [0.0] * 3
                at[(axis + 1) % 3], direction[(axis + 2) % 3] = side * ARM, side * sign
                out[f"t{len(out)}"] = {"at": at, "direction": direction, "thrust": FORCE, **common}
    return out


@pytest.mark.parametrize("noise", [0.0, 0.02])
@pytest.mark.parametrize(("shortest", "band", "rate"), SETTINGS)
def test_couples_come_at_the_rate_of_the_closed_form(
    shortest: float, band: float, rate: float, noise: float
) -> None:
    """Three axes, each from another rate; also with dead bands narrower than the borders of the linear law allow."""
    width = math.radians(band)
    steps = [2.0 * ARM * FORCE * shortest / J for J in INERTIA]
    duration = CYCLES * 8.0 * width / min(steps)
    thrusters = couples(minimum_on_time=shortest, noise=noise)
    gnc = controller(
        mode="stabilise", rate=float(rate), translation=None, thrusters=thrusters,
        attitude={"bandwidth": BANDWIDTH, "dead_band": width}, seed=1,
    )  # fmt: skip
    start = {"rate": tuple(part * step for part, step in zip((0.3, -0.2, 1.3), steps))}
    channels = [f"chaser/{name}.firings" for name in thrusters]
    result = simulate(
        chaser(gnc, start, duration=duration, record={"rate": 100.0 / duration, "also": channels})
    )
    history = result.history
    first = int(history.time.searchsorted(0.25 * duration))
    fired = sum(history[name][-1] - history[name][first] for name in channels) / 2.0
    expected = sum(step / (4.0 * width) for step in steps) * (history.time[-1] - history.time[first])
    assert fired == pytest.approx(expected, rel=0.2)
    # The error is that of the border, of all axes together, and what a drift adds in the time of one sample.
    assert history["chaser.angle_error"][first:].max() < math.sqrt(3.0) * (width + DRIFT * max(steps) / rate)


def test_a_transfer_with_shortest_pulses_drifts() -> None:
    """Without dead bands of its own an axis has two pulses in 2 pi over its bandwidth, of at most four thrusters."""
    bandwidths, shortest, thrust = (0.05, 0.1), 0.005, 22.0
    gnc = controller(
        mode="transfer", target={"body": "hill"}, transfer={"to": (-20, 0, 0), "duration": 1200.0},
        translation={"bandwidth": bandwidths[0]}, attitude={"bandwidth": bandwidths[1]},
        thrusters=box_of_thrusters(minimum_on_time=shortest),
    )  # fmt: skip
    scenario = chaser(
        gnc, {"position": (-100, 0, 0)}, duration=1150.0, orbit={"altitude": "500 km"}, record={"rate": 0.1}
    )
    history = simulate(scenario).history
    first = int(history.time.searchsorted(300.0))
    used = history["chaser.propellant"][-1] - history["chaser.propellant"][first]
    pulses = 3 * sum(bandwidths) / math.pi * (history.time[-1] - history.time[first])
    assert used < pulses * 4 * thrust * shortest / (220.0 * G0)


GAINS = np.array([[0.01, 0.0, 0.0, 0.16, 0.0, 0.0]])
PULSE = (0.05, 20.0)  # time until pulses act, longest over shortest


def acceleration(x: float, v: float, step: float, backlog: list[float], demand: float = 0.0) -> float:
    return axis_in_pulses(GAINS, 0, demand, 0.01, step, PULSE, 0.1, backlog, x, v)


@pytest.mark.plain_python
def test_a_drift_is_turned_once_at_the_border_and_left_alone_before() -> None:
    step, backlog = 0.002, [0.0]
    assert acceleration(0.009, 0.001, step, backlog) == 0.0
    assert acceleration(0.011, 0.001, step, backlog) * 0.1 == pytest.approx(-step)
    assert acceleration(0.011, 0.001, step, backlog) == 0.0  # the pulse may not act yet
    assert acceleration(-0.009, -0.001, step, backlog) == 0.0
    assert acceleration(-0.011, -0.0015, step, backlog) * 0.1 == pytest.approx(0.0015 + 0.5 * step)


@pytest.mark.plain_python
def test_demands_below_a_shortest_pulse_add_up_and_those_above_pass() -> None:
    step, backlog = 0.002, [0.0]
    changes = [0.1 * acceleration(0.1, -0.001, step, backlog, demand=-0.005) for _ in range(40)]
    assert set(changes) == {0.0, -step}
    assert sum(changes) == pytest.approx(-40 * 0.1 * 0.005, abs=step)
    assert acceleration(0.1, -0.001, step, [0.0], demand=-0.05) == pytest.approx(-0.05)
    assert acceleration(0.1, 0.0, 0.0, [0.0], demand=-1e-9) == -1e-9  # no shortest pulse


@pytest.mark.plain_python
def test_no_state_is_beyond_both_borders() -> None:
    for x in (-0.03, -0.01, 0.0, 0.01, 0.03):
        for v in (-0.05, -0.001, 0.0, 0.001, 0.05):
            assert band_side(0.01, 0.16, 0.0, 0.002, x, v) == -band_side(0.01, 0.16, 0.0, 0.002, -x, -v)
