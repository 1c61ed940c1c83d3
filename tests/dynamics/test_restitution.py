"""Restitution of a damped contact layer: prediction against simulation."""

import pytest
from tests.dynamics.test_validity import ball_profile, plate_profile

from softdock.model.surfaces import Contact, Layer, Surface
from softdock.model.system import Body
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.tree.joints import Fixed, Free

STIFFNESS = 1e9  # N/m3
SPEED = 0.1  # m/s


def simulate_bounce(damping, damping_depth, mass=1.0, radius=0.02):
    return MultibodyScenario(
        kind="multibody",
        duration=0.3,
        bodies={
            "plate": Body(mass=1.0, inertia=(1.0, 1.0, 1.0), joint=Fixed()),
            "ball": Body(
                mass=mass,
                inertia=(1e-3, 1e-3, 1e-3),
                joint=Free(position=(0.0, 0.0, -radius - 1e-5), velocity=(0.0, 0.0, SPEED)),
            ),
        },
        surfaces={
            "plate": Surface(body="plate", profile=plate_profile(0.05)),
            "ball": Surface(body="ball", profile=ball_profile(radius)),
        },
        contacts={
            "hit": Contact(
                a="plate",
                b="ball",
                layer=Layer(stiffness=STIFFNESS, damping=damping, damping_depth=damping_depth),
            )
        },
        metrics={"end": "final ball.vz"},
    )


@pytest.mark.parametrize("mass", [0.2, 5.0])
@pytest.mark.parametrize(
    ("damping", "depth", "closed"),
    [(1e6, 2e-3, True), (1e7, 2e-3, True), (1e8, 2e-3, True), (1e6, 5e-5, False), (1e7, 5e-5, False)],
)
def test_predicted_restitution_equals_the_simulated_one(damping, depth, closed, mass):
    result = simulate(simulate_bounce(damping, depth, mass))
    assert result.prediction is not None
    simulated = -result.metrics["end"] / SPEED
    assert result.prediction["restitution"] == pytest.approx(simulated, rel=2e-3)
    assert ("closed form (R21)" in result.prediction["restitution_source"]) == closed
    assert result.prediction["restitution"] < 0.99
    # of the ball alone, from its rebound speed
    assert result.prediction["velocities_after"]["ball"][2] == pytest.approx(result.metrics["end"], rel=2e-3)
    assert result.prediction["restitution_source"] in result.summary()


def test_without_damping_the_restitution_is_one():
    prediction = simulate(simulate_bounce(0.0, 0.0)).prediction
    assert prediction is not None
    assert prediction["restitution"] == 1.0
    assert "no damping" in prediction["restitution_source"]
