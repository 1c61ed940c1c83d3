"""Generated mechanisms: scenarios as dictionaries, with exact peaks where there is a closed form."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.accuracy.friction_cases import belt, pushed_block, rolling_ball, several_axes
from tests.accuracy.limit_cases import crushed_core, limited_drive, locked_drive, tethered
from tests.accuracy.mechanisms import Peak, Scenario, ball, cube, random_load, random_pulses
from tests.accuracy.oscillator import impact_peak, peak_under_pulses

DAMPING_RATIOS = (0.001, 0.005, 0.02, 0.1, 0.5)


@dataclass(frozen=True)
class Case:
    """A mechanism, and its exact peaks [N, N m] where they are known."""

    family: str
    seed: int
    scenario: Scenario
    exact: dict[Peak, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Family and seed."""
        return f"{self.family}-{self.seed}"


def pulsed(rng: random.Random, kind: str) -> tuple[Scenario, dict[Peak, float]]:
    """Return two bodies in free flight that an element connects, one of them pushed by pulses."""
    while True:
        m_1, m_2, k = 10 ** rng.uniform(1, 3.7), 10 ** rng.uniform(1, 3.7), 10 ** rng.uniform(3.5, 7)
        reduced = m_1 * m_2 / (m_1 + m_2)
        if math.sqrt(k / reduced) < 300.0:
            break
    c = 2.0 * rng.choice(DAMPING_RATIOS) * math.sqrt(k * reduced)
    force, duration = rng.choice([0.1, 1.0, 10.0, 100.0, 1000.0]), rng.uniform(2.0, 6.0)
    pulses = random_pulses(rng, force, duration)
    drift = {"type": "free", "velocity": [0.03, 0.0, 0.0]}
    spin = {} if kind == "weld" else {"rate": [0.0, 0.0, 0.002]}
    scenario: Scenario = {
        "duration": duration,
        "bodies": {"servicer": cube(m_1, **drift, **spin)},
        "loads": {
            "thruster": {
                "body": "client",
                "force": [0.0, 0.0, force],
                "pulses": [{"start": s, "duration": d, "scale": f / force} for s, d, f in pulses],
            }
        },
    }
    if kind in ("spring", "drive"):
        scenario["bodies"]["client"] = {**cube(m_2, type="prismatic", axis="z"), "parent": "servicer"}
        law = {"joint": "client", "stiffness": k, "damping": c}
        scenario[f"{kind}s"] = {"link": law | ({"target": 0.0} if kind == "drive" else {})}
    else:
        scenario["bodies"]["client"] = cube(m_2, position=[0.0, 0.0, 1.0], **drift, **spin)
        law = {"a": {"body": "servicer"}, "b": {"body": "client"}, "stiffness": k, "damping": c}
        more = (
            {"length": 1.0}
            if kind == "strut"
            else {"active": True, "angular_stiffness": k, "angular_damping": c}
        )
        scenario[f"{kind}s"] = {"link": law | more}
    scaled = [(s, d, f * reduced / m_2) for s, d, f in pulses]
    peak = peak_under_pulses(k, c, reduced, scaled, duration)
    return scenario, {("link", "force"): peak} if pulses else {}


def struck_stop(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a slider on a free body that strikes an end stop once."""
    m_1, m_2, speed = 10 ** rng.uniform(1, 3.7), 10 ** rng.uniform(-1, 3), 10 ** rng.uniform(-3, 0)
    reduced = m_1 * m_2 / (m_1 + m_2)
    rate = 10 ** rng.uniform(1, 3.5)
    k, c = reduced * rate**2, 2.0 * rng.choice([0.0, 0.05, 0.3, 2.0]) * reduced * rate
    gap = 0.2 * speed
    scenario: Scenario = {
        "duration": 0.5,
        "bodies": {
            "servicer": cube(m_1, type="free", velocity=[0.03, 0.0, 0.0]),
            "slider": {**cube(m_2, type="prismatic", axis="z", speed=speed), "parent": "servicer"},
        },
        "stops": {"end": {"joint": "slider", "upper": gap, "stiffness": k, "damping": c}},
    }
    return scenario, {("end", "force"): impact_peak(k, c, reduced, speed)}


def friction_slider(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a slider with dry friction under a load below or above it: it holds, or it slides."""
    limit, mass = 10 ** rng.uniform(-1, 2), 10 ** rng.uniform(-0.5, 3)
    share = rng.choice([rng.uniform(0.05, 0.95), rng.uniform(1.05, 3.0)])
    start = rng.uniform(0.0, 0.5)
    scenario: Scenario = {
        "duration": 3.0,
        "bodies": {"slider": cube(mass, type="prismatic", axis="z")},
        "springs": {"guide": {"joint": "slider", "friction": limit}},
        "loads": {
            "push": {
                "body": "slider",
                "force": [0.0, 0.0, share * limit],
                "pulses": [{"start": start, "duration": rng.uniform(0.1, 2.0)}],
            }
        },
    }
    return scenario, {("guide", "force"): limit * min(share, 1.0)}


def preloaded_slider(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a slider with friction, spring, stop and changing load."""
    mass, rate = 10 ** rng.uniform(-0.5, 3), 10 ** rng.uniform(0, 2)
    k = mass * rate**2
    stop = 10 ** rng.uniform(0.3, 1.5) * rate
    reach = 10 ** rng.uniform(-3, -1)
    force = k * reach
    scenario: Scenario = {
        "duration": min(5.0, 60.0 / rate),
        "bodies": {"slider": cube(mass, type="prismatic", axis="z", position=rng.uniform(-1, 1) * reach)},
        "springs": {
            "spring": {
                "joint": "slider",
                "stiffness": k,
                "damping": 2.0 * rng.choice([0.0, 0.01, 0.1]) * mass * rate,
                "friction": rng.choice([0.02, 0.1, 0.5]) * force,
            }
        },
        "stops": {
            "end": {
                "joint": "slider",
                "upper": rng.uniform(0.1, 1.2) * reach,
                "stiffness": mass * stop**2,
                "damping": 2.0 * rng.choice([0.0, 0.05, 0.3]) * mass * stop,
            }
        },
        "loads": {
            "push": {
                "body": "slider",
                "force": [0.0, 0.0, rng.uniform(0.2, 1.5) * force],
                "table": [[0.0, 0.0], [10.0 / rate, 1.0], [20.0 / rate, -1.0], [40.0 / rate, 0.5]],
            }
        },
    }
    return scenario, {}


def geared_drive(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a drive with backlash, friction and limits that moves a body on an arm."""
    mass, turning = 10 ** rng.uniform(-0.5, 2), rng.random() < 0.5
    inertia = 0.3 * mass + 0.04 * mass if turning else mass
    rate = 10 ** rng.uniform(0.7, 2.3)
    k, target = inertia * rate**2, rng.uniform(-0.3, 0.3)
    drive: Scenario = {
        "joint": "arm",
        "target": target,
        "rate": rng.uniform(0.05, 0.5),
        "stiffness": k,
        "damping": 2.0 * rng.choice([0.02, 0.2, 0.7]) * inertia * rate,
        "backlash": rng.choice([0.0, 10 ** rng.uniform(-4, -2)]),
    }
    if rng.random() < 0.6:
        drive |= {"profile": "trapezoidal", "acceleration": rng.uniform(0.5, 5.0)}
    if rng.random() < 0.5:
        drive["friction"] = rng.uniform(0.05, 1.0) * inertia
    if rng.random() < 0.4:
        drive["max_force"] = rng.uniform(1.0, 6.0) * inertia
    axis = [1.0, 0.0, 0.0] if turning else [0.0, 0.0, 1.0]
    joint = {"type": "revolute" if turning else "prismatic", "axis": axis}
    body = {**cube(mass, **joint), "parent": "base", "centre_of_mass": [0.0, 0.2, 0.0]}
    size = 10 ** rng.uniform(-1, 0.7) * inertia
    scenario: Scenario = {
        "duration": 3.0,
        "bodies": {"base": cube(10 ** rng.uniform(1, 3), type="free"), "arm": body},
        "drives": {"motor": drive},
        "loads": {
            "push": {
                "body": "arm",
                "at": [0.0, 0.3, 0.0],
                "force": [0.0, 0.0, size],
                "pulses": [
                    {"start": s, "duration": d, "scale": f} for s, d, f in random_pulses(rng, 1.0, 2.5)
                ],
            }
        },
    }
    return scenario, {}


def coupling(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a plug that flies into a socket, is guided and strikes the end of its stroke."""
    mass, stroke = 10 ** rng.uniform(0.3, 3), rng.uniform(5e-3, 30e-3)
    rate = 10 ** rng.uniform(1.3, 2.7)
    limit, speed = rng.uniform(0.5e-3, 2e-3), 10 ** rng.uniform(-2.3, -0.7)
    law: Scenario = {
        "plug": {"body": "tool"},
        "socket": {"body": "client"},
        "stroke": stroke,
        "limits": {"lateral": limit, "angle": 0.02},
        "spring": {"stiffness": rng.choice([0.0, 1e-3]) * mass * rate**2, "preload": rng.uniform(0.0, 5.0)},
        "guidance": {
            "stiffness": 0.3 * mass * rate**2,
            "damping": 0.1 * mass * rate,
            "angular_stiffness": mass,
        },
        "end_stop": {
            "stiffness": mass * rate**2,
            "damping": 2.0 * rng.choice([0.02, 0.2, 1.5]) * mass * rate,
        },
    }
    if rng.random() < 0.5:
        law["seal"] = {"friction": rng.uniform(0.1, 10.0), "start": 0.3 * stroke}
    if rng.random() < 0.4:
        law["latch"] = {"force": rng.uniform(1.0, 30.0), "width": 2e-3}
    angle = 2.0 * math.pi * rng.random()
    offset = rng.uniform(0.0, 0.8) * limit
    place = [offset * math.cos(angle), offset * math.sin(angle), -0.1 * speed]
    scenario: Scenario = {
        "duration": 0.4 + 3.0 * stroke / speed,
        "bodies": {
            "client": cube(10 ** rng.uniform(1, 3.5), type="free"),
            "tool": cube(mass, type="free", position=place, velocity=[0.0, 0.0, speed]),
        },
        "couplings": {"plug": law},
        "loads": {"push": {"body": "tool", "force": [0.0, 0.0, rng.choice([0.0, 1.0, 20.0])]}},
    }
    return scenario, {}


def random_joint(rng: random.Random) -> Scenario:
    """Return a moving joint of any type at a random pose."""
    at = [rng.uniform(-0.3, 0.3) for _ in range(3)]
    axis = [rng.uniform(-1.0, 1.0) for _ in range(3)]
    rates = [rng.uniform(-0.3, 0.3) for _ in range(3)]
    match kind := rng.choice(["prismatic", "prismatic", "revolute", "revolute", "universal", "spherical"]):
        case "prismatic":
            motion = {"axis": axis, "speed": rng.choice([0.0, rng.uniform(-0.2, 0.2)])}
        case "revolute":
            motion = {"axis": axis, "rate": rng.choice([0.0, rng.uniform(-0.3, 0.3)])}
        case "universal":
            motion = {"rates": rates[:2]}
        case _:
            motion = {"rate": rates}
    return {"type": kind, "at": at, **motion}


def tree(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a random mechanism: up to four bodies in trees, with springs, stops, drives, welds, struts and loads."""
    scenario: Scenario = {"duration": rng.uniform(1.5, 3.0), "bodies": {}}
    groups: dict[str, Scenario] = {
        key: {} for key in ("springs", "stops", "drives", "welds", "struts", "loads")
    }
    parent = None
    if rng.random() < 0.6:
        scenario["bodies"]["craft"] = cube(
            rng.choice([50.0, 500.0, 3000.0]),
            type="free",
            velocity=[rng.uniform(-0.05, 0.05) for _ in range(3)],
        )
        parent = "craft"
    for i in range(rng.randint(1, 4)):
        name, mass, joint = f"body-{i}", 10 ** rng.uniform(-0.5, 1.5), random_joint(rng)
        body = {"mass": mass, "inertia": [0.02 * mass] * 3, "joint": joint}
        body["centre_of_mass"] = [rng.uniform(-0.1, 0.1) for _ in range(3)]
        if parent is not None:
            body["parent"] = parent
        scenario["bodies"][name] = body
        inertia = mass if joint["type"] == "prismatic" else 0.03 * mass
        add_joint_elements(rng, groups, name, joint["type"], inertia)
        if rng.random() < 0.4:
            groups["loads"][f"load-{i}"] = random_load(rng, name)
        if rng.random() < 0.6:
            parent = name
    names = list(scenario["bodies"])
    if len(names) > 1 and rng.random() < 0.4:
        add_connection(rng, groups, names)
    return scenario | {key: group for key, group in groups.items() if group}, {}


def add_joint_elements(
    rng: random.Random, groups: dict[str, Scenario], name: str, kind: str, inertia: float
) -> None:
    """Add springs, stops and drives along a joint."""
    if rng.random() < 0.7:
        rate, ratio = 10 ** rng.uniform(0, 2), rng.choice([0.005, 0.05, 0.5, 2.0])
        spring = {"joint": name, "stiffness": inertia * rate**2, "damping": 2 * ratio * inertia * rate}
        if rng.random() < 0.3:
            spring["exponential"] = {"reference": rng.uniform(0.02, 0.2), "exponent": 4.0}
        if rng.random() < 0.3:
            spring["friction"] = inertia * 10 ** rng.uniform(-3, 0)
        groups["springs"][f"spring-{name}"] = spring
    if rng.random() < 0.6:
        rate = 10 ** rng.uniform(1.5, 3.2)
        law = {"stiffness": inertia * rate**2, "damping": 2 * rng.choice([0, 0.05, 0.3, 2]) * inertia * rate}
        if kind in ("universal", "spherical"):
            limits = {"limit": rng.choice([0.02, 0.05, 0.2])}
        else:
            limits = {"lower": rng.choice([0.0, -0.02, -0.1]), "upper": rng.choice([0.03, 0.1])}
        groups["stops"][f"stop-{name}"] = {"joint": name, **law, **limits}
    elif kind in ("prismatic", "revolute") and rng.random() < 0.7:
        rate = 10 ** rng.uniform(0.7, 2)
        groups["drives"][f"drive-{name}"] = {
            "joint": name,
            "target": rng.uniform(-0.2, 0.2),
            "rate": rng.uniform(0.3, 0.6),
            "stiffness": inertia * rate**2,
            "damping": 2 * rng.choice([0.05, 0.5]) * inertia * rate,
            "backlash": rng.choice([0.0, 0.0, 10 ** rng.uniform(-4, -2.5)]),
        }


def add_connection(rng: random.Random, groups: dict[str, Scenario], names: list[str]) -> None:
    """Connect two bodies by a weld or a strut."""
    a, b = rng.sample(names, 2)
    rate = 10 ** rng.uniform(0.5, 2)
    ends = {"a": {"body": a}, "b": {"body": b}}
    damping = 2 * rng.choice([0.005, 0.05, 0.5]) * rate
    if rng.random() < 0.6:
        law = {"stiffness": rate**2, "angular_stiffness": 0.01 * rate**2, "damping": damping}
        groups["welds"]["weld"] = ends | law | {"angular_damping": 0.01 * damping, "active": True}
    else:
        law = {"stiffness": rate**2, "damping": damping, "length": rng.uniform(0.05, 0.4)}
        groups["struts"]["strut"] = ends | law


def struck_surface(rng: random.Random) -> tuple[Scenario, dict[Peak, float]]:
    """Return a ball, free or on a sprung slider of a craft, that strikes a plate, a cone or a ball of a free body."""
    radius, mass, other = rng.uniform(0.01, 0.1), 10 ** rng.uniform(-0.3, 3), 10 ** rng.uniform(1, 3.5)
    speed, offset = 10 ** rng.uniform(-2.5, -0.3), rng.uniform(0.0, 0.5) * radius
    stiffness = 10 ** rng.uniform(8.5, 10)
    kind = rng.choice(["plate", "cone", "ball"])
    size = 4.0 * radius
    profile: list[Any] = {
        "plate": [[-size, 0.0], [-size, size], [0.0, size], [0.0, 0.0]],
        "cone": [[0.0, 0.0], [-0.5 * size, size], [-size, size], [-size, 0.0]][::-1],
        "ball": ball(size),
    }[kind]
    height = {"plate": 0.0, "cone": 0.0, "ball": size}[kind] + radius
    slides = rng.random() < 0.5
    velocity = [rng.uniform(-0.3, 0.3) * speed, rng.uniform(-0.3, 0.3) * speed, -speed]
    place = {"position": [offset, 0.0, height + 0.05 * speed], "velocity": velocity}
    bodies = {"target": cube(other, type="free")}
    scenario: Scenario = {"duration": 0.5, "bodies": bodies}
    if slides:
        rate = 10 ** rng.uniform(0.5, 1.7)
        bodies["craft"] = cube(10 ** rng.uniform(1, 3.5), type="free", **place)
        bodies["ball"] = {**cube(mass, type="prismatic", axis="z"), "parent": "craft"}
        spring = {"joint": "ball", "stiffness": mass * rate**2, "damping": 0.1 * mass * rate}
        scenario["springs"] = {"buffer": spring}
    else:
        bodies["ball"] = {
            "mass": mass,
            "inertia": [0.4 * mass * radius**2] * 3,
            "joint": {"type": "free", **place},
        }
    layer = {
        "stiffness": stiffness,
        "damping": rng.choice([0.0, 1e-3, 1e-2]) * stiffness,
        "damping_depth": 1e-4,
    }
    friction = rng.choice([{}, {"friction": {"coefficient": rng.uniform(0.05, 0.5)}}])
    scenario["surfaces"] = {
        "a": {"body": "target", "profile": profile},
        "b": {"body": "ball", "profile": ball(radius)},
    }
    scenario["contacts"] = {"touch": {"a": "a", "b": "b", "layer": layer, **friction}}
    return scenario, {}


FAMILIES: dict[str, Callable[[random.Random], tuple[Scenario, dict[Peak, float]]]] = {
    "spring": lambda rng: pulsed(rng, "spring"),
    "drive": lambda rng: pulsed(rng, "drive"),
    "weld": lambda rng: pulsed(rng, "weld"),
    "strut": lambda rng: pulsed(rng, "strut"),
    "stop": struck_stop,
    "friction": friction_slider,
    "preload": preloaded_slider,
    "backlash": geared_drive,
    "coupling": coupling,
    "contact": struck_surface,
    "tree": tree,
    "several": several_axes,
    "belt": belt,
    "block": pushed_block,
    "ball": rolling_ball,
    "limits": limited_drive,
    "locked": locked_drive,
    "tether": tethered,
    "crush": crushed_core,
}


def case(family: str, seed: int) -> Case:
    """Return the case of a family with a seed."""
    scenario, exact = FAMILIES[family](random.Random(f"{family} {seed}"))
    return Case(family, seed, scenario | {"record": {"rate": 0.0}}, exact)
