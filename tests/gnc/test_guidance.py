"""The reference of a controller: hold points, stop at the glide slope, transfers to a port that turns."""

import math

import numpy as np
import pytest
from tests.gnc.chasers import chaser, controller

from softdock.gnc.kernels.guidance import advance_distance
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import prepare, simulate

GLIDE = {"time_constant": 20.0, "min_speed": 0.02, "max_speed": 0.1, "acceleration": 0.01}


def values(result: Result, name: str) -> np.ndarray:
    return result.history.channels[name].values


def approach(start: float, *, speed: float = 0.0, **guidance: object) -> MultibodyScenario:
    """Return a chaser that begins an approach at a distance with a closing speed."""
    gnc = controller(mode="approach", guidance={**GLIDE, **guidance})
    joint = {"position": (0.0, 0.0, -start), "velocity": (0.0, 0.0, speed)}
    return chaser(gnc, joint, duration=90.0, metrics={"nearest": "min chaser.reference"})


@pytest.mark.parametrize("distance", [4.0, 4.001, 4.039])
def test_a_hold_point_just_outside_the_start_is_held(distance: float) -> None:
    """From within 1 % of the distance the reference returns to the hold point, waits and continues."""
    result = simulate(approach(4.0, end=3.0, holds=[{"distance": distance, "duration": 15.0}]))
    t, reference = result.history.time, values(result, "chaser.reference")
    waiting = t[reference == distance]
    assert waiting[-1] - waiting[0] == pytest.approx(15.0, abs=0.21)
    assert reference[-1] == 3.0


def test_start_within_the_gate_of_a_hold_point_returns_to_it() -> None:
    hold = {"distance": 5.0, "duration": 5.0, "gate": {"position": 1.5}}
    result = simulate(approach(4.0, end=3.0, holds=[hold]))
    assert values(result, "chaser.reference").max() == 5.0


def test_hold_point_far_behind_the_start_is_skipped() -> None:
    result = simulate(approach(4.0, end=3.0, holds=[{"distance": 5.0, "duration": 5.0}]))
    assert values(result, "chaser.reference").max() <= 4.0
    assert values(result, "chaser.reference")[-1] == 3.0


@pytest.mark.plain_python
@pytest.mark.parametrize(("acceleration", "speed"), [(0.001, 0.1), (0.01, 0.2), (1.0, 0.5)])
def test_speed_of_the_reference_jumps_only_at_the_stop_from_the_least_speed(
    acceleration: float, speed: float
) -> None:
    """Eq. (K5): its speed changes by at most a dt, except for the stop at the goal from the least speed."""
    dt, slowest, distance = 0.5, 0.02, 3.0
    speeds = [speed]
    while (distance, speed) != (0.0, 0.0) and len(speeds) < 10_000:
        distance, speed = advance_distance(distance, 0.0, 20.0, slowest, 0.1, acceleration, speed, dt)
        speeds.append(speed)
    assert (distance, speed) == (0.0, 0.0)
    changes = np.abs(np.diff(speeds))
    assert changes[:-1].max() <= acceleration * dt * (1 + 1e-12)
    assert changes[-1] <= slowest * (1 + 1e-6)


def test_a_reference_that_cannot_brake_passes_its_hold_point_and_returns() -> None:
    """From 0.2 m/s, 0.1 m before it, at 0.01 m/s2: it passes by (0.2^2 / 0.02 - 0.1) m = 1.9 m."""
    result = simulate(approach(5.1, speed=0.2, end=1.0, holds=[{"distance": 5.0, "duration": 300.0}]))
    nearest = result.metrics["nearest"]
    assert nearest == pytest.approx(5.0 - 1.9, abs=0.2 * 0.1)
    assert values(result, "chaser.reference")[-1] == 5.0


@pytest.mark.plain_python
def test_channels_of_controllers_have_their_first_value_at_the_start() -> None:
    corridor = {"radius": 0.5, "half_angle": 0.1}
    gnc = controller(mode="approach", guidance={**GLIDE, "corridor": corridor})
    scenario = chaser(
        gnc, {"position": (0.1, 0.0, -4.0)}, duration=1.0, record={"rate": 2.0},
        metrics={"margin": "min chaser.corridor", "offset": "min chaser.position_error"},
        events={"near": {"when": "chaser.reference < 1 m", "message": "The reference is near."}},
    )  # fmt: skip
    session = prepare(scenario).begin()  # type: ignore[union-attr]
    assert session.system.gnc.controller_states[0].corridor == pytest.approx(0.4 + 4.0 * math.tan(0.1))
    result = simulate(scenario)
    assert result.metrics["margin"] == pytest.approx(0.4 + 4.0 * math.tan(0.1), abs=0.06)
    assert values(result, "chaser.corridor")[0] == pytest.approx(0.4 + 4.0 * math.tan(0.1))
    assert values(result, "chaser.reference")[0] == pytest.approx(4.0, abs=0.02)
    assert result.metrics["offset"] > 0.09
    assert not result.events
    assert not any("near" in warning for warning in result.warnings)


@pytest.mark.parametrize("path", ["straight", "orbital"])
@pytest.mark.parametrize("rate", [(0.0, 0.004, 0.0), (0.002, 0.004, -0.001)])
def test_a_transfer_to_a_port_that_turns_ends_where_the_port_is_then(path: str, rate: tuple) -> None:
    """The reference has no jump: neither for a constant rate nor for the motion of an asymmetric body."""
    period, duration = 0.5, 200.0
    gnc = controller(
        rate=1.0 / period, mode="transfer", target={"body": "target", "at": (0.0, 0.0, -1.0)},
        transfer={"to": (0.0, 0.0, -8.0), "duration": duration, "path": path},
    )  # fmt: skip
    target = {"mass": 500.0, "inertia": (150.0, 220.0, 300.0), "joint": {"type": "free", "rate": rate}}
    scenario = chaser(
        gnc, {"position": (3.0, 2.0, -12.0)}, duration=duration + 20.0, bodies={"target": target},
        orbit={"altitude": "500 km"},
    )  # fmt: skip
    session = prepare(scenario).begin()  # type: ignore[union-attr]
    references, speeds, state = [], [], session.system.gnc.controller_states[0]
    for k in range(1, round((duration + 10.0) / period)):
        session.advance(k * period)
        references.append(state.p_ref.copy())
        speeds.append(state.v_ref.copy())
    means = 0.5 * np.add(speeds[1:], speeds[:-1])
    before_the_end = slice(0, round(duration / period) - 2)
    np.testing.assert_allclose(
        (np.diff(references, axis=0) / period)[before_the_end], means[before_the_end], atol=1e-3
    )
    steps = np.linalg.norm(np.diff(references, axis=0), axis=1)
    end = round(duration / period)
    fastest = steps[: end - 10].max()
    assert steps[end - 10 :].max() < 1.2 * fastest < 0.2
    np.testing.assert_allclose(references[-1], (0.0, 0.0, -8.0))


def test_pulses_and_lost_measurements_are_channels() -> None:
    sensor = {"rate": 4.0, "noise": 1e-3, "angle_noise": 1e-3, "drop_out": 0.25}
    gnc = controller(
        rate=2.0, navigation={"sensor": sensor}, translation={"bandwidth": 0.1}, attitude={"bandwidth": 0.1}
    )
    scenario = chaser(
        gnc, {"position": (0.3, 0.0, -4.0)}, duration=100.0,
        metrics={"pulses": "final chaser/t0.firings", "lost": "final chaser.lost_measurements"},
    )  # fmt: skip
    result = simulate(scenario)
    assert result.metrics["lost"] == pytest.approx(100.0, abs=4 * math.sqrt(400 * 0.25 * 0.75))
    on = values(result, "chaser/t0.on_time")
    fired = result.metrics["pulses"]
    assert fired > 0  # type: ignore[operator]
    assert np.count_nonzero(np.diff(on)) >= 0.5 * fired  # type: ignore[operator]
    assert fired == round(fired)  # type: ignore[arg-type]
