"""Peak loads of random mechanisms with springs, stops and loads, compared with runs of thousandfold accuracy."""

import random

import pytest

from softdock import simulate
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.run_settings import Accuracy, Integrator

FINE = Accuracy(length=1e-9, angle=1e-9, speed=1e-8, rate=1e-8)
SMALL_FORCE, SMALL_MOMENT = 1.0, 0.1  # [N], [N m]; errors of smaller loads are relative to these


def random_joint(rng: random.Random) -> dict:
    """Return a moving joint of any type."""
    at = [rng.uniform(-0.3, 0.3) for _ in range(3)]
    rates = [rng.uniform(-0.4, 0.4) for _ in range(3)]
    match kind := rng.choice(["prismatic", "prismatic", "revolute", "universal", "spherical"]):
        case "prismatic":
            motion = {"axis": rng.choice("xyz"), "speed": rng.choice([0.0, rng.uniform(-0.3, 0.3)])}
        case "revolute":
            motion = {"axis": rng.choice("xyz"), "rate": rng.choice([0.0, rng.uniform(-0.5, 0.5)])}
        case "universal":
            motion = {"rates": rates[:2]}
        case _:
            motion = {"rate": rates}
    return {"type": kind, "at": at, **motion}


def random_stop(rng: random.Random, joint: str, kind: str, inertia: float) -> dict:
    """Return a stop of some kilohertz at most, undamped to overdamped."""
    rate = 10 ** rng.uniform(1.5, 3.5)
    law = {"stiffness": inertia * rate**2, "damping": 2 * rng.choice([0, 0.05, 0.3, 2]) * inertia * rate}
    if kind in ("universal", "spherical"):
        limits = {"limit": rng.choice([0.02, 0.05, 0.2])}
    else:
        limits = {"lower": rng.choice([0.0, -0.02, -0.1]), "upper": rng.choice([0.03, 0.1])}
    return {"joint": joint, **law, **limits}


def mechanism(seed: int) -> dict:
    """Return the parts of a random mechanism: one to four bodies in trees on the ground or on a free craft."""
    rng = random.Random(seed)
    bodies, springs, stops, loads = {}, {}, {}, {}
    parent = None
    if rng.random() < 0.4:
        drift = {"velocity": [rng.uniform(-0.05, 0.05) for _ in range(3)]}
        bodies["craft"] = {
            "mass": rng.choice([50, 500, 3000]),
            "inertia": [200] * 3,
            "joint": {"type": "free", **drift},
        }
        parent = "craft"
    for i in range(rng.randint(1, 4)):
        name, mass, joint = f"body-{i}", 10 ** rng.uniform(-0.5, 1.5), random_joint(rng)
        centre = [rng.uniform(-0.1, 0.1) for _ in range(3)]
        bodies[name] = {"mass": mass, "centre_of_mass": centre, "inertia": [0.02 * mass] * 3, "joint": joint}
        if parent is not None:
            bodies[name]["parent"] = parent
        inertia = mass if joint["type"] == "prismatic" else 0.03 * mass
        if rng.random() < 0.8:
            rate, ratio = 10 ** rng.uniform(0, 1.7), rng.choice([0.01, 0.1, 1, 3])
            spring = {"joint": name, "stiffness": inertia * rate**2, "damping": 2 * ratio * inertia * rate}
            springs[f"spring-{i}"] = spring
        if rng.random() < 0.85:
            stops[f"stop-{i}"] = random_stop(rng, name, joint["type"], inertia)
        if rng.random() < 0.3:
            force = [rng.uniform(-5, 5) for _ in range(3)]
            table = [[0, rng.choice([0, 1])], [rng.uniform(0.3, 1.5), 1], [rng.uniform(1.6, 2.5), -1]]
            loads[f"load-{i}"] = {"body": name, "force": force, "table": table}
        if rng.random() < 0.6:
            parent = name
    return {"bodies": bodies, "springs": springs, "stops": stops, "loads": loads}


def run(seed: int, integrator: Integrator):
    """Simulate a mechanism for three seconds, without history."""
    parts = mechanism(seed)
    return simulate(MultibodyScenario(duration=3.0, integrator=integrator, record={"rate": 0.0}, **parts))


@pytest.mark.parametrize("seed", range(24))
def test_peak_loads_are_those_of_a_fine_run(seed):
    fine = run(seed, Integrator(method="dormand-prince", accuracy=FINE))
    exact = {load.name: load for load in fine.loads}
    for method in ("automatic", "rosenbrock"):
        result = run(seed, Integrator(method=method))
        assert result.valid == "yes"
        for load in result.loads:
            one = exact[load.name]
            if load.peak_force is not None:
                assert load.peak_force == pytest.approx(one.peak_force, rel=0.02, abs=0.02 * SMALL_FORCE), (
                    load.name
                )
            if load.peak_moment is not None:
                moment = pytest.approx(one.peak_moment, rel=0.02, abs=0.02 * SMALL_MOMENT)
                assert load.peak_moment == moment, load.name
