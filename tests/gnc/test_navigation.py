"""Navigation in a run: consistency of the filters with the true motion, latency, field of view, drop-outs."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve_discrete_are
from scipy.stats import chi2
from tests.gnc.chasers import MASS, box_of_thrusters, chaser, controller

from softdock.dynamics.session import Session
from softdock.orbit.relative import clohessy_wiltshire, transfer_impulses
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import prepare, simulate
from softdock.spatial.rotations import matrix_from_quaternion

RUNS = 200
SENSOR = {"rate": 10.0, "noise": 0.01, "angle_noise": 0.003}
GYRO = {"noise": 1e-4, "random_walk": 1e-6, "bias": (2e-4, -1e-4, 1e-4)}
FILTER = {"drift": 2e-5, "position": 0.1, "speed": 0.02, "angle": 0.02, "bias": 2e-4}


def navigation(**sensor: Any) -> dict[str, Any]:
    return {"sensor": SENSOR | sensor, "gyro": GYRO, "filter": FILTER}


def errors_at_sample(session: Session, instant: float) -> tuple[np.ndarray, np.ndarray]:
    """Advance to a sample; return true minus estimated motion of the centre of mass in H, and attitude and bias, in T.

    A call of `advance` executes the sample at its end in the next call: the true motion is that before the sample.
    """
    controller, filters = session.system.gnc.controllers[0], session.system.gnc.navigation_states[0]
    session.advance(instant)
    base, hill = (session.system.motions[k] for k in (controller.link, controller.fixed_frame))
    R_NB, R_NH = base.R_NB.reshape(3, 3).copy(), hill.R_NB.reshape(3, 3)
    p = R_NH.T @ base.p_NB
    v = R_NH.T @ R_NB @ base.V[3:] - np.cross(hill.V[:3], p)
    R_HB = R_NH.T @ R_NB
    session.advance(instant + 1e-6)
    R = matrix_from_quaternion(filters.q).T @ R_HB
    angles = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return np.concatenate([p, v]) - filters.x, np.concatenate([angles, filters.gyro_bias - filters.bias])


def seeded_runs(scenario: MultibodyScenario, count: int) -> Iterator[Session]:
    """Yield runs that differ in their random numbers after the first sample, without preparing each of them."""
    prepared = prepare(scenario)
    for seed in range(count):
        session = prepared.begin()  # type: ignore[union-attr]
        session.unshare_model()
        session.system.gnc.controllers[0].seed = seed
        yield session


@pytest.mark.parametrize("case", ["drift", "latency", "approach", "delay"])
def test_filters_are_consistent_with_the_true_motion(case: str) -> None:
    """The mean of e^T P^-1 e over 200 seeds, in orbit, is within its 95 % band.

    The body turns, so that errors of the attitude and the arm of 1.5 m from the centre of mass to the sensor mix. The
    pulses of an approach change position and velocity, and the angle that the gyro measures, by their own times.
    """
    flies = case in (
        "approach",
        "delay",
    )  # thrust acts along the estimated attitude: `drift` accounts for its error
    rate = 2.0 if flies else 4.0
    gnc = controller(
        mode="approach" if flies else "drift", rate=rate, target={"body": "hill"},
        tip={"body": "chaser", "at": (0.0, 0.0, 1.5)},
        thrusters=box_of_thrusters(delay=0.45 if case == "delay" else 0.0),
        guidance={"min_speed": 0.05, "max_speed": 0.3, "time_constant": 20.0, "acceleration": 0.02},
        translation={"bandwidth": 0.15}, attitude={"bandwidth": 0.2},
        navigation={
            "sensor": SENSOR | {"rate": rate, "latency": 0.25 if case == "latency" else 0.0}, "gyro": GYRO,
            "filter": FILTER | {"drift": 2e-4 if flies else 1e-9},
        },
    )  # fmt: skip
    velocity = (0.0, 0.0, 0.0) if flies else (0.1, 0.0, 0.2)
    start = {"position": (0.3, 0.0, -5.0), "velocity": velocity, "rate": (0.01, 0.005, -0.004)}
    scenario = chaser(gnc, start, duration=10.0, orbit={"altitude": "500 km"}, record={"rate": 0.0})
    squares, attitude, rng = [], [], np.random.default_rng(1)
    for session in seeded_runs(scenario, RUNS):
        filters = session.system.gnc.navigation_states[0]
        filters.gyro_bias[:] = FILTER["bias"] * rng.normal(size=3)
        e, a = errors_at_sample(session, 9.5)
        squares.append(e @ np.linalg.solve(filters.P, e))
        attitude.append(a @ np.linalg.solve(filters.P_attitude, a))
    low, high = chi2.ppf(0.025, 6 * RUNS) / RUNS, chi2.ppf(0.975, 6 * RUNS) / RUNS
    assert low < np.mean(squares) < high
    assert low < np.mean(attitude) < high


def test_latency_counts_the_rotation_of_the_port() -> None:
    """6 m from a target that turns at 0.03 rad/s the port moves by 90 mm within the latency; the noise is 3 mm."""
    gnc = controller(
        rate=4.0, mode="drift", target={"body": "target", "at": (0.0, 0.0, -1.0)},
        navigation=navigation(rate=4.0, latency=0.5, noise=0.003) | {"filter": FILTER | {"drift": 1e-6}},
    )  # fmt: skip
    target = {
        "mass": 1e3,
        "inertia": (800.0, 800.0, 800.0),
        "joint": {"type": "free", "rate": (0.0, 0.03, 0.0)},
    }
    scenario = chaser(gnc, {"position": (0.0, 0.0, -7.0)}, duration=20.0, bodies={"target": target})
    result = simulate(scenario)
    late = result.history.time > 10.0
    error, sigma = (
        result.history.channels[f"chaser.{k}"].values for k in ("position_estimate_error", "position_sigma")
    )
    assert (error[late] < 3.0 * sigma[late]).all()
    assert sigma[late].max() < 0.01
    # In the port, which turns, the chaser moves at 0.18 m/s.
    assert result.history.channels["chaser.speed_estimate_error"].values[late].max() < 0.01


def test_a_sensor_without_noise_at_range_zero_gives_finite_estimates() -> None:
    """Two exact measurements between two samples: the second has nothing to correct."""
    sensor = {"rate": 20.0, "noise_per_range": 0.01, "angle_noise_per_range": 0.01}
    result = simulate(chaser(controller(mode="drift", navigation={"sensor": sensor}), duration=3.0))
    for field in ("position_sigma", "angle_sigma", "position_estimate_error", "angle_estimate_error"):
        assert np.isfinite(result.history.channels[f"chaser.{field}"].values).all()


def test_covariances_of_a_run_converge_to_the_riccati_solution() -> None:
    """Sensor at the centre of mass: after 60 s the covariance is that of SciPy's solution, after its update."""
    gnc = controller(
        mode="drift", rate=2.0, target={"body": "hill"},
        navigation={"sensor": SENSOR | {"rate": 2.0}, "gyro": GYRO, "filter": FILTER | {"drift": 1e-2}},
    )  # fmt: skip
    scenario = chaser(gnc, {"position": (0.0, 0.0, -5.0)}, duration=60.0, orbit={"altitude": "500 km"})
    session = prepare(scenario).begin()  # type: ignore[union-attr]
    session.advance(60.0)
    A, dt = clohessy_wiltshire(scenario.orbit.mean_motion, 0.5), 0.5  # type: ignore[union-attr]
    H = np.hstack([np.eye(3), np.zeros((3, 3))])
    Q = 1e-2**2 * np.kron([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]], np.eye(3))
    prior = solve_discrete_are(A.T, H.T, Q, SENSOR["noise"] ** 2 * np.eye(3))
    gain = prior @ H.T @ np.linalg.inv(H @ prior @ H.T + SENSOR["noise"] ** 2 * np.eye(3))
    np.testing.assert_allclose(
        session.system.gnc.navigation_states[0].P, prior - gain @ H @ prior, rtol=1e-6, atol=1e-12
    )


def test_estimated_deviation_of_the_tip_is_that_of_its_error() -> None:
    """The tip, which is measured, is more certain than the centre of mass 3 m behind it."""
    gnc = controller(
        mode="drift", rate=5.0, tip={"body": "chaser", "at": (0.0, 0.0, 3.0)}, navigation=navigation(angle_noise=0.02)
    )  # fmt: skip
    squares = []
    for session in seeded_runs(chaser(gnc, duration=2.0), 60):
        session.advance(2.0)
        records = session.system.gnc
        filters, error = records.navigation_states[0], records.controller_states[0].estimate_errors[0]
        squares.append((error / filters.tip_sigma) ** 2)
    assert np.mean(squares) == pytest.approx(1.0, abs=4 * math.sqrt(2 / (3 * 60)))
    assert np.trace(filters.P[:3, :3]) > 2.0 * filters.tip_sigma**2


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


def count_lost_measurements(**changes: Any) -> tuple[int, int]:
    gnc = controller(mode="drift", navigation=navigation(**changes))
    session = prepare(chaser(gnc, {"position": (0.0, 2.0, -5.0)}, duration=100.0)).begin()  # type: ignore[union-attr]
    session.advance(100.0)
    filters = session.system.gnc.navigation_states[0]
    return int(filters.lost), int(filters.sample)


def test_angle_bias_of_the_sensor_turns_the_body_by_the_negative_bias() -> None:
    bias = (0.02, -0.01, 0.015)
    sensor = navigation(angle_bias=bias, angle_noise=1e-4, noise=1e-4)
    result = simulate(chaser(controller(translation=None, navigation=sensor), duration=60.0))
    angles = [2 * math.asin(result.history.channels[f"chaser.q{k}"].values[-1]) for k in "xyz"]
    np.testing.assert_allclose(angles, [-x for x in bias], atol=1e-3)


def test_noise_of_the_attitude_grows_with_range() -> None:
    """At 10 m a noise of 1 mrad/m is one of 10 mrad: in the filter, and in the error of the estimate."""

    def flown(**sensor: float) -> tuple[float, float]:
        gnc = controller(mode="drift", navigation=navigation(**sensor))
        result = simulate(chaser(gnc, {"position": (0.0, 0.0, -10.0)}, duration=5.0))
        names = ("chaser.angle_sigma", "chaser.angle_estimate_error")
        return tuple(result.history.channels[name].values[-1] for name in names)  # type: ignore[return-value]

    grown = flown(angle_noise=0.0, angle_noise_per_range=1e-3)
    assert grown == pytest.approx(flown(angle_noise=0.01), rel=1e-9)


def test_measurements_are_lost_by_chance_and_out_of_view() -> None:
    count, total = count_lost_measurements(drop_out=0.3)
    assert total in (1000, 1001)
    assert abs(count - 300) < 4 * math.sqrt(210)
    assert count_lost_measurements(field_of_view=math.atan(0.4) + 1e-3)[0] == 0
    count, total = count_lost_measurements(field_of_view=math.atan(0.4) - 1e-3)
    assert count == total


def test_same_seed_gives_the_same_bits() -> None:
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


@pytest.mark.parametrize(("drop_out", "says"), [(0.9, True), (0.1, False)])
def test_sensor_that_loses_most_of_its_measurements_gives_a_warning(drop_out: float, says: bool) -> None:
    gnc = controller(navigation=navigation(drop_out=drop_out))
    result = simulate(chaser(gnc, {"position": (0.0, 0.0, -6.0)}))
    lost = int(result.history["chaser.lost_measurements"][-1])
    expected = f"The sensor of 'chaser' lost {lost} of 100 measurements"
    assert [warning.startswith(expected) for warning in result.warnings] == [True] * says
    assert (expected in result.summary()) == says


def test_warnings_and_propellant_need_no_recorded_motion() -> None:
    gnc = controller(navigation=navigation(drop_out=0.9))
    result = simulate(chaser(gnc, {"position": (0.0, 0.0, -6.0)}, record={"all": False}))
    assert any("lost" in warning for warning in result.warnings)
    assert result.metrics["propellant"] == result.history["chaser.propellant"][-1] > 0.0
    assert "chaser.x" not in result.history.channels


def test_straight_transfer_moves_at_constant_speed_to_its_point() -> None:
    gnc = controller(mode="transfer", transfer={"to": (1.0, 0.0, -4.0), "duration": 50.0, "path": "straight"})
    result = simulate(chaser(gnc, {"position": (0.0, 0.0, -6.0)}, duration=80.0))
    t, x, z = result.history.time, *(result.history.channels[f"chaser.{k}"].values for k in "xz")
    middle = (t > 25.0) & (t < 50.0)
    np.testing.assert_allclose(x[middle], t[middle] / 50.0, atol=0.01)
    assert (x[-1], z[-1]) == (pytest.approx(1.0, abs=1e-3), pytest.approx(-4.0, abs=1e-3))
    assert result.history.channels["chaser.mode"].values[-1] == 2
