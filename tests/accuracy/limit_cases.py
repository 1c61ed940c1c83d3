"""Generated mechanisms whose elements have limits: motors, self-locking drives, tethers with reels, crushables."""

import random
from typing import Any

from tests.accuracy.mechanisms import Peak, Scenario, cube, random_pulses


def limited_drive(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a drive with limits of force and power, losses, friction and backlash that moves an arm under loads."""
    mass, turning = 10 ** rng.uniform(-0.5, 2), rng.random() < 0.5
    inertia = 0.34 * mass if turning else mass
    rate = 10 ** rng.uniform(0.7, 2.5)
    drive: Scenario = {
        "joint": "arm",
        "target": rng.uniform(-0.3, 0.3),
        "rate": rng.uniform(0.05, 0.5),
        "stiffness": inertia * rate**2,
        "damping": 2.0 * rng.choice([0.02, 0.2, 0.7]) * inertia * rate,
        "max_force": rng.uniform(0.5, 6.0) * inertia,
    }
    for chance, key, value in (
        (0.4, "max_power", rng.uniform(0.05, 1.0) * inertia),
        (0.4, "efficiency", rng.uniform(0.6, 0.95)),
        (0.5, "friction", rng.uniform(0.05, 1.0) * inertia),
        (0.3, "backlash", 10 ** rng.uniform(-4, -2)),
        (0.3, "viscous_friction", rng.uniform(0.1, 2.0) * inertia),
    ):
        if rng.random() < chance:
            drive[key] = value
    if "friction" in drive and rng.random() < 0.5:
        drive["static_friction"] = drive["friction"] * rng.uniform(1.0, 1.5)
    joint: Scenario = {"type": "revolute" if turning else "prismatic", "axis": "x" if turning else "z"}
    arm = {**cube(mass, **joint), "parent": "base", "centre_of_mass": [0.0, 0.2, 0.0]}
    pulses = random_pulses(rng, 1.0, 2.5) or [(0.1, 1.0, 1.0)]
    push: dict[str, Any] = {
        "body": "arm",
        "at": [0.0, 0.3, 0.0],
        "force": [0.0, 0.0, 10 ** rng.uniform(-1, 1) * inertia],
        "pulses": [{"start": s, "duration": d, "scale": f} for s, d, f in pulses],
    }
    scenario: Scenario = {
        "duration": 3.0,
        "bodies": {"base": cube(10 ** rng.uniform(1, 3), type="free"), "arm": arm},
        "drives": {"motor": drive},
        "loads": {"push": push},
    }
    return scenario, {}


def locked_drive(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return the same with a self-locking transmission."""
    scenario, exact = limited_drive(rng)
    scenario["drives"]["motor"]["self_locking"] = True
    return scenario, exact


def tethered(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return up to four bodies in a row on tethers, half of these with reels, that fly apart."""
    bodies: Scenario = {"a": cube(10 ** rng.uniform(1, 3), type="free")}
    tethers: Scenario = {}
    previous, z = "a", 0.0
    for i in range(rng.randint(1, 3)):
        name, mass, length = f"b-{i}", 10 ** rng.uniform(0, 3), rng.uniform(1.0, 5.0)
        rate, z = 10 ** rng.uniform(0.3, 1.8), z + length * rng.uniform(0.8, 0.999)
        velocity = [rng.uniform(-0.2, 0.2), rng.uniform(-0.1, 0.1), rng.uniform(0.0, 0.6)]
        place = [rng.uniform(-0.1, 0.1), 0.0, z]
        bodies[name] = cube(mass, type="free", position=place, velocity=velocity)
        tethers[f"line-{i}"] = {
            "a": {"body": previous},
            "b": {"body": name, "at": [0.0, 0.0, -0.1]},
            "stiffness": mass * rate**2,
            "damping": 2.0 * rng.choice([0.0, 0.02, 0.3]) * mass * rate,
            "length": length,
        }
        if rng.random() < 0.5:
            reel = {"speed": rng.uniform(0.05, 0.4), "force_limit": mass * rate * rng.uniform(0.02, 1.0)}
            tethers[f"line-{i}"]["reel"] = reel | {"target": length * rng.uniform(0.5, 1.2)}
        previous = name
    return {"duration": rng.uniform(3.0, 8.0), "bodies": bodies, "tethers": tethers}, {}


def crushed_core(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a leg that crushes a core, with or without spring, friction, stop and load."""
    mass, speed, base = 10 ** rng.uniform(0, 3), 10 ** rng.uniform(-1.5, 0.8), 10 ** rng.uniform(1, 3.5)
    energy = 0.5 * mass * base / (mass + base) * speed**2
    stroke = 10 ** rng.uniform(-2.3, -1)
    plateau = energy / stroke * 10 ** rng.uniform(-0.6, 0.8)
    core: Scenario = {"joint": "leg", "upper": 0.01, "plateau": plateau, "stroke": stroke}
    if rng.random() < 0.5:
        core["rebound_stiffness"] = plateau / stroke * 10 ** rng.uniform(1, 3.5)
    leg = {**cube(mass, type="prismatic", axis="z", speed=speed), "parent": "base"}
    scenario: Scenario = {
        "duration": (0.1 + 4.0 * stroke) / speed,
        "bodies": {"base": cube(base, type="free"), "leg": leg},
        "crushables": {"core": core},
    }
    if rng.random() < 0.5:
        rate, friction = 10 ** rng.uniform(0, 2), rng.choice([0.0, plateau * rng.uniform(0.01, 0.3)])
        law = {"stiffness": mass * rate**2, "damping": 0.1 * mass * rate, "friction": friction}
        scenario["springs"] = {"buffer": {"joint": "leg", **law}}
    if rng.random() < 0.5:
        end = 0.01 + stroke * rng.uniform(0.3, 1.1)
        scenario["stops"] = {"end": {"joint": "leg", "upper": end, "stiffness": 1e3 * plateau / stroke}}
    if rng.random() < 0.5:
        pulse = {"start": rng.uniform(0.0, 0.05 / speed), "duration": stroke / speed * rng.uniform(0.5, 3.0)}
        force = [0.0, 0.0, plateau * rng.uniform(0.1, 1.5)]
        scenario["loads"] = {"push": {"body": "leg", "force": force, "pulses": [pulse]}}
    return scenario, {}
