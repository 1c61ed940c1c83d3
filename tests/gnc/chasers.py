"""Scenarios with a controlled chaser."""

import itertools
from typing import Any

from softdock.scenario.multibody import MultibodyScenario

MASS, INERTIA = 1000.0, (500.0, 600.0, 700.0)
G0 = 9.80665


def box_of_thrusters(**common: Any) -> dict[str, Any]:
    """Return three thrusters at each corner of a box of 2 m, 22 N each unless given otherwise."""
    out: dict[str, Any] = {}
    for corner in itertools.product((-1.0, 1.0), repeat=3):
        for axis in range(3):
            direction = [0.0, 0.0, 0.0]
            direction[axis] = -corner[axis]
            out[f"t{len(out)}"] = {"at": corner, "direction": direction, "thrust": 22.0, **common}
    return out


def controller(**fields: Any) -> dict[str, Any]:
    """Return a controller that holds its position relative to the world."""
    standard = {
        "rate": 10.0,
        "mode": "hold",
        "target": {"body": "world"},
        "translation": {"bandwidth": 0.3},
        "attitude": {"bandwidth": 0.5},
        "thrusters": box_of_thrusters(),
    }
    return standard | fields


def chaser(
    gnc: dict[str, Any], joint: dict[str, Any] | None = None, duration: float = 10.0, **fields: Any
) -> MultibodyScenario:
    """Return a scenario with one controlled free body."""
    body = {"mass": MASS, "inertia": INERTIA, "joint": {"type": "free", **(joint or {})}}
    return MultibodyScenario.model_validate(
        {
            "duration": duration,
            "record": {"rate": 10.0},
            **fields,
            "bodies": {"chaser": body, **fields.get("bodies", {})},
            "gnc": {"chaser": gnc},
        }
    )
