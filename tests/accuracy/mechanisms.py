"""Parts of generated mechanisms: bodies, loads, profiles."""

import random
from typing import Any

Scenario = dict[str, Any]
Peak = tuple[str, str]
"""Name of a reaction, and `force` or `moment`."""


def cube(mass: float, **joint: Any) -> Scenario:
    """Return a body with the inertia of a cube of some density."""
    return {"mass": mass, "inertia": [0.3 * mass] * 3, "joint": joint}


def random_pulses(rng: random.Random, force: float, until: float) -> list[tuple[float, float, float]]:
    """Return one or two pulses of alternating sign as (start, duration, force)."""
    start, pulses = rng.uniform(0.1, 0.8), []
    for sign in (1.0, -1.0)[: rng.choice([1, 2])]:
        length = 10 ** rng.uniform(-2.5, -0.3)
        if start + length < until:
            pulses.append((start, length, sign * force))
        start += length + rng.uniform(0.1, 1.0)
    return pulses


def random_load(rng: random.Random, body: str) -> Scenario:
    """Return a load of two pulses on a body."""
    load = {
        "body": body,
        "at": [rng.uniform(-0.3, 0.3) for _ in range(3)],
        "force": [rng.uniform(-5, 5) for _ in range(3)],
        "torque": [rng.uniform(-0.05, 0.05) for _ in range(3)],
        "axes": rng.choice(["world", "body"]),
    }
    pulses = random_pulses(rng, 1.0, 1.4)
    return (
        load | {"pulses": [{"start": s, "duration": d, "scale": f} for s, d, f in pulses]} if pulses else load
    )


def ball(radius: float) -> list[Any]:
    """Return the profile of a sphere about the origin."""
    quarter = {"radius": radius, "turn": "right"}
    return [[-radius, 0.0], {"arc_to": [0.0, radius], **quarter}, {"arc_to": [radius, 0.0], **quarter}]
