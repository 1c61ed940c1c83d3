"""Generated mechanisms with friction that sticks: joints of several axes, blocks and balls on a plate, belts."""

import math
import random
from typing import Any

from tests.accuracy.mechanisms import Peak, Scenario, ball, cube, random_load

GRAVITY = 9.81
GROUND: Scenario = {"mass": 1.0, "inertia": [1e-3] * 3, "joint": {"type": "fixed"}}


def several_axes(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return up to three bodies on joints, most of several axes, with friction, springs and loads."""
    bodies: Scenario = {}
    springs: Scenario = {}
    loads: Scenario = {}
    parent = None
    if rng.random() < 0.6:
        bodies["craft"], parent = cube(rng.choice([50.0, 500.0]), type="free"), "craft"
    for i in range(rng.randint(1, 3)):
        name, mass = f"body-{i}", 10 ** rng.uniform(-0.5, 1.5)
        kind = rng.choice(["universal", "spherical", "prismatic", "revolute"][: 4 if i else 2])
        rates = [rng.uniform(-0.5, 0.5) for _ in range(3)]
        motions: dict[str, Scenario] = {
            "universal": {"rates": rates[:2]},
            "spherical": {"rate": rates},
            "prismatic": {"axis": rates, "speed": rates[0]},
            "revolute": {"axis": rates, "rate": rates[0]},
        }
        place = [rng.uniform(-0.2, 0.2) for _ in range(3)]
        bodies[name] = {
            "mass": mass,
            "inertia": [0.02 * mass, 0.03 * mass, 0.025 * mass],
            "joint": {"type": kind, "at": place, **motions[kind]},
            "centre_of_mass": [rng.uniform(-0.1, 0.1) for _ in range(3)],
        } | ({} if parent is None else {"parent": parent})
        inertia, rate = (mass if kind == "prismatic" else 0.03 * mass), 10 ** rng.uniform(0, 1.5)
        spring: Scenario = {
            "joint": name,
            "stiffness": rng.choice([0.0, inertia * rate**2]),
            "damping": rng.choice([0.0, 0.1 * inertia * rate]),
            "friction": inertia * 10 ** rng.uniform(-1.5, 0.5),
        }
        if rng.random() < 0.4:
            spring["static_friction"] = spring["friction"] * rng.uniform(1.0, 1.6)
        springs[f"spring-{name}"] = spring
        if rng.random() < 0.7:
            loads[f"load-{i}"] = random_load(rng, name)
        if rng.random() < 0.6:
            parent = name
    scenario = {"duration": rng.uniform(1.5, 3.0), "bodies": bodies, "springs": springs}
    return scenario | ({"loads": loads} if loads else {}), {}


def plate_contact(scenario: Scenario, profile: list[Any], stiffness: float, friction: float) -> Scenario:
    """Add the contact of a body `mover` with a plate at z = 0, and gravity."""
    layer = {"stiffness": stiffness, "damping": 3e-3 * stiffness, "damping_depth": 1e-5}
    law = {"a": "floor", "b": "skin", "layer": layer, "friction": {"coefficient": friction}}
    return scenario | {
        "gravity": [0.0, 0.0, -GRAVITY],
        "surfaces": {
            "floor": {"body": "ground", "profile": [[-0.2, 0.0], [-0.2, 5.0], [0.0, 5.0], [0.0, 0.0]]},
            "skin": {"body": "mover", "profile": profile},
        },
        "contacts": {"touch": law},
    }


def pushed_block(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a flat block that rests on a plate and is pushed at its foot: it holds, or it slides."""
    mass, radius, height = 10 ** rng.uniform(-0.5, 2), 0.04, 0.05
    friction, share = rng.uniform(0.1, 0.5), rng.choice([rng.uniform(0.1, 0.9), rng.uniform(1.1, 2.0)])
    stiffness, angle = 10 ** rng.uniform(8.5, 10), rng.uniform(0.0, 2.0 * math.pi)
    depth, push = (
        mass * GRAVITY / (stiffness * math.pi * radius**2),
        share * friction * mass * GRAVITY,
    )
    mover: Scenario = {"mass": mass, "inertia": [2e-3 * mass] * 3}
    scenario: Scenario = {
        "duration": 2.0,
        "bodies": {
            "ground": GROUND,
            "mover": mover | {"joint": {"type": "free", "position": [0, 0, -depth]}},
        },
        "loads": {
            "push": {
                "body": "mover",
                "force": [push * math.cos(angle), push * math.sin(angle), 0.0],
                "pulses": [{"start": rng.uniform(0.0, 0.5), "duration": 0.5}],
            }
        },
    }
    foot = [[0.0, 0.0], [0.0, radius], [height, radius], [height, 0.0]]
    return plate_contact(scenario, foot, stiffness, friction), {}


def rolling_ball(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a ball on a plate that rolls, slides, spins, or all of it."""
    radius, stiffness = rng.uniform(0.02, 0.1), 10 ** rng.uniform(8.5, 9.7)
    most = 1e-7 * math.pi * radius * stiffness / GRAVITY  # 0.3 mm deep
    mass, speed = min(10 ** rng.uniform(-0.5, 1.5), most), rng.uniform(0.05, 0.5)
    depth = math.sqrt(mass * GRAVITY / (math.pi * radius * stiffness))
    rate = [0.0, rng.choice([0.0, 1.0, 3.0, -1.0]) * speed / radius, rng.choice([0.0, 5.0])]
    place = {"position": [0.0, 0.0, radius - depth], "velocity": [speed, 0.0, 0.0], "rate": rate}
    mover: Scenario = {
        "mass": mass,
        "inertia": [0.4 * mass * radius**2] * 3,
        "joint": {"type": "free", **place},
    }
    scenario = {"duration": 1.0, "bodies": {"ground": GROUND, "mover": mover}}
    return plate_contact(scenario, ball(radius), stiffness, rng.uniform(0.1, 0.5)), {}


def belt(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a slider on a belt that a spring holds back: stick-slip, or steady sliding where damping prevents it."""
    mass, rate, speed = 10 ** rng.uniform(-0.5, 1.5), 10 ** rng.uniform(0.3, 1.5), rng.uniform(0.02, 0.3)
    kinetic = mass * rng.uniform(0.3, 3.0)
    static = kinetic * rng.uniform(1.05, 2.0)
    spring = {
        "a": {"body": "ground", "at": [-1.0, 0.0, 0.0]},
        "b": {"body": "slider"},
        "stiffness": mass * rate**2,
        "damping": rng.choice([0.0, 0.05 * mass * rate]),
        "length": 1.0,
    }
    scenario: Scenario = {
        "duration": 6.0 * math.pi / rate + 2.0 * static / (mass * rate**2 * speed),
        "bodies": {
            "ground": GROUND,
            "belt": cube(100.0, type="prismatic", axis="x", speed=speed),
            "slider": {**cube(mass, type="prismatic", axis="x"), "parent": "belt"},
        },
        "drives": {"motor": {"joint": "belt", "follows": "speed", "target": speed, "damping": 1e5}},
        "springs": {"rub": {"joint": "slider", "friction": kinetic, "static_friction": static}},
        "struts": {"spring": spring},
    }
    return scenario, {}
