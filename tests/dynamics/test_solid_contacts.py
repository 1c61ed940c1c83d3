"""Runs with contacts between solids of any shape."""

from typing import Any

import pytest

from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate

GROOVE = {
    "extrusion": {
        "outline": [(-0.05, -0.04), (0.05, -0.04), (0.05, 0.0), (0.03, 0.0), (0.0, -0.03), (-0.03, 0.0)],
        "height": 0.1,
    }
}
LAYER = {"stiffness": 2e9, "damping": 4e5, "damping_depth": 1e-4}
G = 9.81


def run(data: dict[str, Any]) -> Result:
    """Simulate a scenario of kind multibody."""
    return simulate(
        MultibodyScenario.model_validate({"softdock": 1, "kind": "multibody", "title": "test"} | data)
    )


def ball(
    mass: float, position: tuple[float, ...], velocity: tuple[float, ...] = (0.0, 0.0, 0.0)
) -> dict[str, Any]:
    """Return a free ball of 10 mm radius."""
    inertia = 0.4 * mass * 0.01**2
    return {
        "mass": mass,
        "inertia": [inertia] * 3,
        "joint": {"type": "free", "position": position, "velocity": velocity},
    }


def test_ball_at_rest_in_a_groove_carries_its_weight() -> None:
    """It falls 0.3 mm, is damped and rests: each wall pushes with m g / sqrt 2, the sum is the weight within 0.01 %."""
    result = run(
        {
            "duration": 1.5,
            "gravity": [0.0, -G, 0.0],
            "bodies": {"ball": ball(0.5, (1e-4, -0.0156, 0.05))},
            "surfaces": {
                "groove": {"body": "world", "solid": GROOVE},
                "ball": {"body": "ball", "solid": {"sphere": {"radius": 0.01}}},
            },
            "contacts": {
                "touch": {"a": "groove", "b": "ball", "layer": LAYER, "friction": {"coefficient": 0.2}}
            },
            "metrics": {"end": "final touch.force"},
        }
    )
    assert result.valid != "no"
    assert result.metrics["end"] == pytest.approx(0.5 * G, rel=1e-4)


def test_elastic_bounce_on_an_edge_keeps_its_energy() -> None:
    """A ball bounces off the edge of a box: the residual of the energy is below 1e-5."""
    result = run(
        {
            "duration": 0.05,
            "bodies": {"ball": ball(0.5, (0.0271, 0.0, 0.0273), (-0.05, 0.0, -0.05))},
            "surfaces": {
                "box": {"body": "world", "solid": {"box": {"size": [0.04, 0.04, 0.04]}}},
                "ball": {"body": "ball", "solid": {"sphere": {"radius": 0.01}}},
            },
            "contacts": {"touch": {"a": "box", "b": "ball", "layer": {"stiffness": 2e9}}},
        }
    )
    assert result.metrics["peak_contact_force"] > 1.0
    assert abs(result.audit.energy_residual) < 1e-5


def test_fast_ball_does_not_tunnel_through_a_thin_plate() -> None:
    """At 1 m/s a heavy ball ends in a plate of 2 mm or bounces off it; it never passes in silence."""
    result = run(
        {
            "duration": 0.1,
            "bodies": {"ball": ball(5.0, (0.0, 0.0, 0.02), (0.0, 0.0, -1.0))},
            "surfaces": {
                "plate": {"body": "world", "solid": {"box": {"size": [0.1, 0.1, 0.002]}}},
                "ball": {"body": "ball", "solid": {"sphere": {"radius": 0.01}}},
            },
            "contacts": {"touch": {"a": "plate", "b": "ball", "layer": {"stiffness": 1e9}}},
            "metrics": {"end": "final ball.z"},
        }
    )
    assert result.outcome == "penetrated" or result.metrics["end"] > 0.0


def test_zones_of_a_solid_share_the_force() -> None:
    """The walls of the groove are faces 4 and 5; together they carry all, each half."""
    surfaces = {
        "groove": {
            "body": "world",
            "solid": GROOVE,
            "zones": {"right": {"faces": [4]}, "left": {"box": [[-0.05, -0.04, 0.0], [0.0, 0.0, 0.1]]}},
        },
        "ball": {"body": "ball", "solid": {"sphere": {"radius": 0.01}}},
    }
    result = run(
        {
            "duration": 0.3,
            "gravity": [0.0, -G, 0.0],
            "bodies": {"ball": ball(0.5, (0.0, -0.0157, 0.05))},
            "surfaces": surfaces,
            "contacts": {"touch": {"a": "groove", "b": "ball", "layer": LAYER}},
            "metrics": {
                "right": "final touch/right.fy",
                "left": "final touch/left.fy",
                "face": "final touch/5.fy",
                "all": "final touch.fy",
            },
        }
    )
    right, left, face, both = (result.metrics[name] for name in ("right", "left", "face", "all"))
    assert right + left == pytest.approx(both, rel=1e-12)
    assert right == pytest.approx(left, rel=1e-2)
    assert left == face
