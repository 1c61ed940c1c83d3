"""Scenario files of kind `chain`: rejected input and messages."""

import pytest

from softdock.errors import InputError
from softdock.scenario.loading import from_data
from softdock.simulation import simulate

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


def test_plain_data_give_the_same_scenario():
    scenario = from_data(GOOD)
    assert from_data(scenario.to_data()) == scenario
