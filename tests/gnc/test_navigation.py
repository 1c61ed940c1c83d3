"""Navigation in a run: consistency of the filters with the true motion, latency, field of view, drop-outs."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2
from tests.gnc.chasers import MASS, chaser, controller

from softdock.dynamics.session import Session
from softdock.orbit import clohessy_wiltshire, transfer_impulses
from softdock.simulation import prepare, simulate
from softdock.spatial.rotations import matrix_from_quaternion

RUNS = 60
SENSOR = {"rate": 10.0, "noise": 0.01, "angle_noise": 0.003}
GYRO = {"noise": 1e-4, "random_walk": 1e-6, "bias": (2e-4, -1e-4, 1e-4)}
FILTER = {"drift": 2e-5, "position": 0.1, "speed": 0.02, "angle": 0.02, "bias": 2e-4}


def navigation(**sensor: Any) -> dict[str, Any]:
    return {"sensor": SENSOR | sensor, "gyro": GYRO, "filter": FILTER}


def errors(session: Session) -> tuple[np.ndarray, np.ndarray]:
    """Return true minus estimated: position in the world (target: world), attitude and gyro bias."""
    nav = session.system.gnc.navigation[0]
    base = session.system.links[session.system.gnc.controllers[0].link]
    R = matrix_from_quaternion(nav.q).T @ base.R_NB.reshape(3, 3)
    angles = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    v = base.R_NB.reshape(3, 3) @ base.V[3:]
    return np.concatenate([base.p_NB - nav.x[:3], v - nav.x[3:]]), np.concatenate(
        [angles, nav.gyro_bias - nav.bias]
    )


@pytest.mark.parametrize("latency", [0.0, 0.25])
def test_filters_are_consistent_with_the_true_motion(latency: float) -> None:
    """Mean normalised estimation error squared over many seeds; errors just before the sample at 20 s.

    The true motion has no unknown acceleration, so that the filter of translation is a little too careful.
    """
    squares, attitude = [], []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        bias = tuple(2e-4 * rng.normal(size=3))
        gnc = controller(
            mode="drift", seed=seed, navigation=navigation(latency=latency) | {"gyro": GYRO | {"bias": bias}}
        )
        scenario = chaser(
            gnc,
            {"position": (0.3, 0.0, -5.0), "rate": (0.01, 0.005, -0.004)},
            duration=20.0,
            record={"rate": 0.0},
        )
        session = prepare(scenario).begin()  # type: ignore[union-attr]
        session.advance(19.95)  # the filter has the state of 19.9 s
        nav = session.system.gnc.navigation[0]
        e, a = errors(session)
        A = clohessy_wiltshire(0.0, 0.05)
        e = e - (A - np.eye(6)) @ nav.x
        squares.append(e @ np.linalg.solve(nav.P, e))
        # Attitude since the last sample: the true rate is known to the test only.
        base = session.system.links[session.system.gnc.controllers[0].link]
        a[:3] -= base.V[:3] * 0.05
        attitude.append(a @ np.linalg.solve(nav.P_attitude, a))
    low, high = chi2.ppf(0.025, 6 * RUNS) / RUNS, chi2.ppf(0.975, 6 * RUNS) / RUNS
    assert 0.6 * low < np.mean(squares) < high
    assert low < np.mean(attitude) < high


def test_the_loop_closes_with_sensors_and_filters() -> None:
    gnc = controller(
        mode="approach", target={"body": "target"},
        navigation=navigation(latency=0.1, drop_out=0.1, noise_per_range=1e-3),
        guidance={"time_constant": 40.0, "min_speed": 0.05, "max_speed": 0.3, "end": 1.0},
        translation={"bandwidth": 0.1, "dead_band": 0.005}, attitude={"bandwidth": 0.3},
    )  # fmt: skip
    scenario = chaser(
        gnc, {"position": (0.5, -0.3, -10.0), "attitude": {"axis": (1, 0, 0), "angle": 0.05}}, duration=200.0,
        bodies={"target": {"mass": 5000.0, "inertia": (4000.0, 4000.0, 4000.0)}}, orbit={"altitude": "500 km"},
        record={"rate": 1.0, "also": ["chaser.x in target", "chaser.y in target", "chaser.z in target"]},
    )  # fmt: skip
    result = simulate(scenario)
    channels = result.history.channels
    assert (
        np.hypot(
            channels["chaser.x in target"].values[-20:], channels["chaser.y in target"].values[-20:]
        ).max()
        < 0.03
    )
    assert channels["chaser.z in target"].values[-1] == pytest.approx(-1.0, abs=0.03)
    assert channels["chaser.position_estimate_error"].values[-20:].max() < 0.02
    assert channels["chaser.angle_estimate_error"].values[-20:].max() < 0.005


def test_a_bias_of_the_sensor_moves_the_body_by_the_bias() -> None:
    bias = (0.05, -0.02, 0.0)
    gnc = controller(
        mode="approach",
        navigation=navigation(bias=bias),
        guidance={"min_speed": 1e-9, "max_speed": 1e-9, "end": 5.0},
    )
    result = simulate(chaser(gnc, {"position": (0.0, 0.0, -5.0)}, duration=100.0, record={"rate": 1.0}))
    for name, offset in zip("xy", bias):
        mean = result.history.channels[f"chaser.{name}"].values[-40:].mean()
        assert mean == pytest.approx(-offset, abs=0.005)


def lost(**changes: Any) -> tuple[int, int]:
    gnc = controller(mode="drift", navigation=navigation(**changes))
    session = prepare(chaser(gnc, {"position": (0.0, 2.0, -5.0)}, duration=100.0)).begin()  # type: ignore[union-attr]
    session.advance(100.0)
    nav = session.system.gnc.navigation[0]
    return int(nav.lost), int(nav.sample)


def test_measurements_are_lost_by_chance_and_out_of_view() -> None:
    count, total = lost(drop_out=0.3)
    assert total in (1000, 1001)
    assert abs(count - 300) < 4 * math.sqrt(210)
    assert lost(field_of_view=math.atan(0.4) + 1e-3)[0] == 0
    count, total = lost(field_of_view=math.atan(0.4) - 1e-3)
    assert count == total


def test_same_seed_same_bits() -> None:
    def end(seed: int) -> list[float]:
        gnc = controller(mode="hold", navigation=navigation(latency=0.13, drop_out=0.1), seed=seed)
        channels = simulate(chaser(gnc, {"position": (0.0, 0.0, -5.0)}, duration=5.0)).history.channels
        return [float(channels[name].values[-1]) for name in ("chaser.x", "chaser.qx", "chaser.propellant")]

    assert end(3) == end(3)
    assert end(3) != end(4)


def test_transfer_along_an_orbital_trajectory_costs_its_two_impulses() -> None:
    """A hop along V-bar from 100 m to 20 m behind the target in a quarter of an orbit."""
    start, to = (-100.0, 0.0, 0.0), (-20.0, 0.0, 0.0)
    gnc = controller(
        rate=2.0, mode="transfer", target={"body": "hill"}, transfer={"to": to, "duration": 1400.0},
        translation={"bandwidth": 0.05, "damping": 1.0}, attitude={"bandwidth": 0.1, "damping": 1.0},
    )  # fmt: skip
    scenario = chaser(
        gnc, {"position": start}, duration=1600.0, orbit={"altitude": "500 km"},
        record={"rate": 0.1, "also": ["chaser.x in hill", "chaser.z in hill"]},
    )  # fmt: skip
    result = simulate(scenario)
    n = scenario.orbit.mean_motion  # type: ignore[union-attr]
    first, second = transfer_impulses(n, [*start, 0, 0, 0], to, 1400.0)
    channels, t = result.history.channels, result.history.time
    exact = np.array([clohessy_wiltshire(n, float(x)) @ [*start, *first] for x in t[t <= 1400.0]])
    # A critically damped loop follows a step of velocity with the largest error v / (e w).
    lag = 1.05 * np.linalg.norm(first) / (math.e * 0.05)
    for k, name in ((0, "chaser.x in hill"), (2, "chaser.z in hill")):
        followed = channels[name].values[t <= 1400.0]
        np.testing.assert_allclose(followed, exact[:, k], atol=lag)
        np.testing.assert_allclose(followed[20:], exact[20:, k], atol=0.02)
    assert channels["chaser.x in hill"].values[-1] == pytest.approx(-20.0, abs=0.01)
    used = channels["chaser.propellant"].values[-1] * 220.0 * 9.80665
    # The thrusters are along body axes: an impulse costs the sum of its components; feedback adds a little.
    least = MASS * (np.abs(first).sum() + np.abs(second).sum())
    assert least < used < 1.5 * least


def test_straight_transfer() -> None:
    gnc = controller(mode="transfer", transfer={"to": (1.0, 0.0, -4.0), "duration": 50.0, "path": "straight"})
    result = simulate(chaser(gnc, {"position": (0.0, 0.0, -6.0)}, duration=80.0))
    t, x, z = result.history.time, *(result.history.channels[f"chaser.{k}"].values for k in "xz")
    middle = (t > 25.0) & (t < 50.0)
    np.testing.assert_allclose(x[middle], t[middle] / 50.0, atol=0.01)
    assert (x[-1], z[-1]) == (pytest.approx(1.0, abs=1e-3), pytest.approx(-4.0, abs=1e-3))
    assert result.history.channels["chaser.mode"].values[-1] == 2
