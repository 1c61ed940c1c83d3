"""Scenario files of kind `chain`: rejected input and messages."""

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

from softdock.errors import InputError
from softdock.prediction import predict
from softdock.scenario.loading import from_data
from softdock.simulation import simulate
from softdock.theory import rmi

GOOD = {
    "kind": "chain",
    "speed": 0.05,
    "chaser": {"masses": [17, 2], "stiffness": [1000]},
    "target": {"masses": [1.5, 15], "stiffness": [200]},
    "contact": {"stiffness": 15000},
    "stop": {"time": 0.1},
}


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("chaser.stiffness", [], "needs 1 entry for 2 masses and has 0"),
        ("target.damping", [1.0, 2.0], "needs 1 entry for 2 masses and has 2"),
        ("target.anchored", True, "needs 2 entries for 2 masses and a wall and has 1"),
        ("chaser.masses", [], "at least 1"),
        ("chaser.masses", [0.0, 1.0], "above 0"),
        ("chaser.masses", [float("nan"), 1.0], "finite"),
        ("speed", "5 kg", "a speed is needed"),
        ("contact", {}, "either 'stiffness'"),
        ("contact", {"stiffness": 1.0, "restitution": 0.5}, "either 'stiffness'"),
        ("contact", {"stiffness": 1.0, "damping": 1.0, "damping_ratio": 0.1}, "together with 'damping'"),
        ("contact", {"restitution": 0.5, "damping": 1.0}, "together with a damping"),
        ("contact", {"restitution": 1.5}, "at most 1"),
        ("contact", None, "needs a 'contact', a 'latch' or both"),
        ("latch", {"stiffness": 1.0, "angle": "95 deg", "tip_length": 0.1}, "at most"),
        ("chaser.velocities", [0.05], "needs 2 entries, one for each mass, and has 1"),
        (
            "chaser.velocities",
            [0.05, 0.06],
            "give the centre of mass 0.05 m/s.*with 0.05 m/s for the last mass",
        ),
        ("target.velocities", [0.1, 0.0], "give it 0.00909090909 m/s; with -0.01 m/s"),
        ("target.deflections", [0.0, 0.0, 0.0], "needs 2 entries"),
        ("stop.impacts", 0, "at least 1"),
        ("record", {"rate": "1 GHz"}, "at most 1,000,000"),
    ],
)
def test_invalid_values_are_rejected(path, value, words):
    with pytest.raises(InputError, match=f"(?i){words}"):
        from_data(GOOD, overrides={path: value})


def test_damping_ratio_is_that_of_the_touching_bodies():
    scenario = from_data(GOOD, overrides={"contact.damping_ratio": 0.3, "stop.time": 1.0})
    result = simulate(scenario)
    assert result.prediction["restitution"] == pytest.approx(0.4510, abs=1e-4)
    stiff = from_data(
        GOOD, overrides={"contact.damping_ratio": 0.3, "contact.stiffness": 1.5e9, "record.rate": 1e4}
    )
    result = simulate(stiff)
    predicted = result.prediction["relative_velocity_after"]
    # First order in the duration: the damper of the contact also acts while the springs push.
    assert result.metrics["relative_velocity_after"] == pytest.approx(predicted, rel=1e-5)


def test_anchored_targets_and_longer_chains_are_accepted():
    wall = {"target": {"masses": [1.5, 15], "stiffness": [200, 300], "anchored": True}}
    result = simulate(from_data(GOOD | wall, overrides={"contact.stiffness": 1.5e8}))
    assert result.metrics["target_velocity_after"] == 0.0
    predicted = result.prediction["relative_velocity_after"]
    assert result.metrics["relative_velocity_after"] == pytest.approx(predicted, rel=1e-4)
    assert result.audit.linear_momentum_drift <= 1e-12
    long = {"chaser": {"masses": [5, 6, 6, 2], "stiffness": [1000, 1000, 1000]}}
    result = simulate(from_data(GOOD | long, overrides={"contact.stiffness": 1.5e8}))
    assert len(result.prediction["velocities_after"]) == len(result.metrics["velocities_after"]) == 6
    assert result.metrics["velocities_after"] == pytest.approx(
        result.prediction["velocities_after"], abs=1e-5
    )


OSCILLATING = {
    "chaser": {"masses": [17, 2], "stiffness": [1000], "damping": [3.0], "velocities": [0.049, 0.0585]}
    | {"deflections": [0.0, 2e-4]},
    "target": {"masses": [1.5, 15], "stiffness": [200], "velocity": 0.01, "velocities": [-0.02, 0.013]}
    | {"deflections": [1e-3, 0.0]},
    "speed": 0.04,
}


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_an_impact_of_oscillating_masses_follows_the_paper(restitution):
    """Free motion by a matrix exponential to the first touch, then Eqs. 13 and 16 of the paper."""
    data = GOOD | OSCILLATING | {"gap": 1e-3, "contact": {"restitution": restitution}}
    scenario = from_data(data, overrides={"stop.impacts": 1})
    m = np.array([17, 2, 1.5, 15.0])
    K = np.zeros((4, 4))
    D = np.zeros((4, 4))
    K[:2, :2] = 1000.0 * np.array([[1, -1], [-1, 1]])
    D[:2, :2] = 3.0 * np.array([[1, -1], [-1, 1]])
    K[2:, 2:] = 200.0 * np.array([[1, -1], [-1, 1]])
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-K / m[:, None], -D / m[:, None]]])
    start = np.array([0.0, 2e-4, 1e-3, 0.0, 0.049, 0.0585, -0.02, 0.013])
    gap = 1e-3 + start[1] - start[2]

    def overlap(t):
        y = expm(A * t) @ start
        return y[1] - y[2] - gap

    times = np.linspace(1e-5, 0.1, 2001)
    first = next(i for i, t in enumerate(times) if overlap(t) > 0.0)
    touch = brentq(overlap, times[first - 1], times[first], xtol=1e-15)
    v = (expm(A * touch) @ start)[4:]
    U = 0.04
    dU = (v[1] - v[2]) - U
    e_I = rmi.effective_mass_ratio(*m)
    expected = (1 - (1 + restitution) * e_I) * U - (1 + restitution) * e_I * dU
    result = simulate(scenario)
    assert abs(dU) > 0.02
    assert result.events[0].time == pytest.approx(touch, rel=1e-10)
    assert result.metrics["oscillation_before"] == pytest.approx(dU, rel=1e-10)
    assert result.metrics["relative_velocity_after"] == pytest.approx(expected, rel=1e-12)
    assert result.prediction["oscillation_before"] == pytest.approx(dU, rel=1e-10)
    assert result.prediction["relative_velocity_after"] == pytest.approx(expected, rel=1e-12)
    assert result.prediction["velocities_after"] == pytest.approx(
        result.metrics["velocities_after"], abs=1e-15
    )
    assert result.audit.linear_momentum_drift <= 1e-14
    assert result.audit.energy_residual <= 1e-13
    assert predict(scenario) == result.prediction


def test_internal_motion_of_anchored_targets_and_of_chains_that_do_not_touch():
    wall = {"masses": [1.5, 15], "stiffness": [200, 300], "anchored": True, "velocities": [0.05, -0.02]}
    data = GOOD | {"target": wall, "gap": 2e-3, "contact": {"restitution": 0.7}}
    result = simulate(from_data(data, overrides={"stop.impacts": 1, "stop.time": 2.0}))
    m, before = result.metrics, result.prediction
    assert m["relative_velocity_after"] == pytest.approx(before["relative_velocity_after"], rel=1e-12)
    assert m["oscillation_before"] == pytest.approx(before["oscillation_before"], rel=1e-12) != 0.0
    assert result.audit.linear_momentum_drift <= 1e-13
    assert predict(from_data(data, overrides={"stop.time": 1e-3})) is None
    uniform = from_data(GOOD, overrides={"chaser.velocities": [0.05, 0.05], "target.velocities": [0.0, 0.0]})
    assert not uniform.has_internal_motion()
    assert simulate(uniform).metrics == simulate(from_data(GOOD)).metrics


def test_the_history_begins_with_velocities_and_deflections():
    result = simulate(from_data(GOOD | OSCILLATING | {"gap": 1e-3}))
    row = {name: result.history[name][0] for name in result.history.channels}
    assert row["chaser.1.velocity"] == pytest.approx(0.049, abs=1e-16)
    assert row["chaser.2.velocity"] == pytest.approx(0.0585, abs=1e-16)
    assert row["target.1.displacement"] == 1e-3
    assert row["overlap"] == pytest.approx(-1e-3, abs=1e-18)
    assert row["relative_velocity"] == pytest.approx(0.04, abs=1e-16)
    assert row["target-spring-1.force"] == pytest.approx(0.2, rel=1e-14)
    assert row["chaser-spring-1.force"] == pytest.approx(-0.2 - 3.0 * 0.0095, rel=1e-12)


def test_plain_data_give_the_same_scenario():
    scenario = from_data(GOOD)
    assert from_data(scenario.to_data()) == scenario
