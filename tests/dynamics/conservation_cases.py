"""Runs that are right and runs that are wrong, and what the conservation check says of each.

`python tests/dynamics/conservation_cases.py` prints the table of `docs/theory/conservation.md`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.dynamics.kernels.tree import FREE, GROUND
from softdock.dynamics.run_results import Run
from softdock.dynamics.session import Session
from softdock.result import Audit
from softdock.scenario import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.multibody import PreparedMultibody

STILL, BRISK, ORBITAL = (0.0, 0.0, 0.0), (0.0, 20.0, 0.0), (0.0, 7000.0, 0.0)  # m/s: common drift
WRONG = 5e-3
"""Error of velocities, relative to the largest one until then, from which on a run is wrong: one percent of energy."""
TIGHT = {
    "method": "dormand-prince",
    "accuracy": {"length": 1e-10, "angle": 1e-10, "speed": 1e-10, "rate": 1e-10},
}
BALL = [
    [-0.01, 0.0],
    {"arc_to": [0.0, 0.01], "radius": 0.01, "turn": "right"},
    {"arc_to": [0.01, 0.0], "radius": 0.01, "turn": "right"},
]
PLATE = [[0.0, 0.0], [0.0, 0.1], [0.02, 0.1], [0.02, 0.0]]
SOLID = {"mass": 1.0, "inertia": [1e-3, 1e-3, 1e-3]}


@dataclass(frozen=True)
class Case:
    """A run, and whether its answer is right."""

    name: str
    build: Callable[..., dict[str, Any]]
    options: dict[str, Any]
    right: bool
    seen: bool = True
    """False for what energy and momentum cannot show."""
    instants: int = 20
    """At which velocities are compared."""
    links: int | None = None
    """Number of bodies, the first ones, whose velocities are compared; all where left out."""

    def scenario(self) -> MultibodyScenario:
        return _scenario(self.build(**self.options))

    def reference(self) -> MultibodyScenario:
        """Return the same without drift and with high accuracy; velocities from the centre of mass are the same."""
        return _scenario(self.build(**{**self.options, "drift": STILL, "integrator": TIGHT}))

    def run(self) -> tuple[Audit, np.ndarray]:
        """Run the case; return what the check found, and velocities."""
        done, velocities = _run(self.scenario(), self.instants)
        return PreparedMultibody(self.scenario()).result(done).audit, velocities

    def error(self, velocities: np.ndarray) -> float:
        """Return the largest error of velocities relative to the largest one until then; linear and angular apart."""
        _, true = _run(self.reference(), self.instants)
        if not np.isfinite(velocities).all():
            return np.inf
        worst = 0.0
        for k in (0, 3):
            wrong = np.linalg.norm((velocities - true)[:, : self.links, k : k + 3], axis=(1, 2))
            scale = np.maximum.accumulate(np.linalg.norm(true[:, : self.links, k : k + 3], axis=(1, 2)))
            if scale[-1] > 1e-6:
                worst = max(worst, float((wrong / np.maximum(scale, 1e-3 * scale[-1])).max()))
        return worst


def _scenario(data: dict[str, Any]) -> MultibodyScenario:
    return load(*data["bundled"]) if "bundled" in data else MultibodyScenario.model_validate(data)


def _run(scenario: MultibodyScenario, instants: int) -> tuple[Run, np.ndarray]:
    session = PreparedMultibody(scenario).begin()
    velocities = []
    for k in range(instants):
        session.advance(scenario.duration * (k + 1) / instants)
        velocities.append(_velocities(session))
    return session.finish(), np.array(velocities)


def _velocities(session: Session) -> np.ndarray:
    """Angular velocity and velocity of the origin of each link in N; of floating systems from the centre of mass."""
    session.values()
    links = session.system.links
    rows, P, mass = [], np.zeros(3), 0.0
    for link in links:
        if link.kind == GROUND:
            continue
        base = links[link.root]
        R = base.R_NB.reshape(3, 3)
        w, v = link.V[:3], link.V[3:] + np.cross(link.V[:3], link.p)
        rows.append(np.concatenate([R @ w, R @ v]))
        if link.kind == FREE:
            at = int(session.system.world[0].n_q) + link.at_u + 3
            P, mass = P + session.state[at : at + 3], mass + base.total[0]
    if session.system.world[0].floating:
        rows = [row - np.concatenate([np.zeros(3), P / mass]) for row in rows]
    return np.array(rows)


def fixed(step: float, method: str = "rk4") -> dict[str, Any]:
    return {"method": method, "step": step}


def loose(error: float, method: str = "automatic") -> dict[str, Any]:
    return {
        "method": method,
        "accuracy": {"length": error, "angle": error, "speed": error, "rate": error},
    }


def free(position=(0, 0, 0), velocity=(0, 0, 0), **more):
    return {"type": "free", "position": list(position), "velocity": list(velocity), **more}


def collision(drift=STILL, speed=0.2, damping=0.0, **more):
    """Two balls of 1 kg that meet, under a common drift."""
    start = np.array([-0.03, 0.004, 0.0])
    bodies = {
        "a": {**SOLID, "joint": free(velocity=drift)},
        "b": {**SOLID, "joint": free(start, np.add(drift, [speed, 0, 0]))},
    }
    return {
        "bodies": {**bodies, **more.pop("bodies", {})},
        "surfaces": {name: {"body": name, "profile": BALL} for name in "ab"},
        "contacts": {
            "touch": {
                "a": "a",
                "b": "b",
                "layer": {"stiffness": 1e9, "damping": damping, "damping_depth": 1e-4},
                "resolved_force": 0.1,
            }
        },
        "duration": 0.2,
        **more,
    }


def pair(drift=STILL, stiffness=400.0, **more):
    """Two bodies on a spring, stretched at the start, under a common drift: 4.5 Hz."""
    return {
        "bodies": {
            "a": {**SOLID, "joint": free(velocity=drift)},
            "b": {**SOLID, "joint": free([1.1, 0, 0], drift)},
        },
        "struts": {"spring": {"a": {"body": "a"}, "b": {"body": "b"}, "stiffness": stiffness, "length": 1.0}},
        "duration": 4.0,
        **more,
    }


def drop(drift=STILL, damping=0.0, **more):
    """A ball that falls on a plate of the ground and bounces."""
    return {
        "bodies": {"ball": {**SOLID, "joint": free([0.0, 0.0, -0.03])}},
        "surfaces": {
            "plate": {"body": "world", "profile": PLATE},
            "ball": {"body": "ball", "profile": BALL},
        },
        "contacts": {
            "touch": {
                "a": "plate", "b": "ball", "layer": {"stiffness": 1e9, "damping": damping, "damping_depth": 1e-4},
                "resolved_force": 0.1,
            }
        },
        "gravity": [0, 0, 9.81],
        "duration": 0.3,
        **more,
    }  # fmt: skip


def oscillator(drift=STILL, **more):
    """A mass on a spring to the ground, 3.2 Hz."""
    return {
        "bodies": {"mass": {**SOLID, "joint": {"type": "prismatic", "axis": "z", "position": 0.1}}},
        "springs": {"spring": {"joint": "mass", "stiffness": 400.0}},
        "duration": 6.0,
        **more,
    }


def slide(drift=STILL, **more):
    """A drive that moves a mass from rest to rest."""
    return {
        "bodies": {"mass": {**SOLID, "joint": {"type": "prismatic", "axis": "z"}}},
        "drives": {
            "motor": {"joint": "mass", "target": 0.3, "rate": 0.3, "stiffness": 900.0, "damping": 20.0}
        },
        "duration": 4.0,
        **more,
    }


def slew(drift=STILL, **more):
    """An arm on a free base that a drive moves from rest to rest."""
    return {
        "bodies": {
            "base": {"mass": 20.0, "inertia": [2, 2, 2], "joint": free(velocity=drift)},
            "arm": {
                "mass": 3.0, "inertia": [0.1, 0.1, 0.1], "centre_of_mass": [0.5, 0, 0], "parent": "base",
                "joint": {"type": "revolute", "axis": "z", "at": [0.3, 0, 0]},
            },
        },
        "drives": {"motor": {"joint": "arm", "target": 1.0, "rate": 1.0, "stiffness": 200.0, "damping": 30.0}},
        "duration": 4.0,
        **more,
    }  # fmt: skip


def thrust(drift=STILL, **more):
    """A thruster beside the centre of mass: a pulse, and its counter-pulse."""
    return {
        "bodies": {
            "craft": {"mass": 100.0, "inertia": [9, 8, 7], "joint": free(velocity=drift)},
            "boom": {
                "mass": 2.0, "inertia": [0.1, 0.1, 0.1], "centre_of_mass": [0.5, 0, 0], "parent": "craft",
                "joint": {"type": "revolute", "axis": "z", "at": [1, 0, 0]},
            },
        },
        "springs": {"hinge": {"joint": "boom", "stiffness": 4.0, "damping": 0.2}},
        "loads": {
            "thruster": {
                "body": "craft", "at": [0, 0.5, 0], "force": [20, 0, 0],
                "pulses": [{"start": 1, "duration": 0.5}, {"start": 3, "duration": 0.5, "scale": -1}],
            }
        },
        "duration": 6.0,
        **more,
    }  # fmt: skip


def tumble(drift=STILL, rate=(0.3, 0.3, 2.0), **more):
    """A body that tumbles, with its origin beside its centre of mass."""
    return {
        "bodies": {
            "body": {
                "mass": 10.0, "inertia": [1, 2, 3], "centre_of_mass": [0.1, 0.2, 0],
                "joint": free(velocity=drift, rate=list(rate)),
            }
        },
        "duration": 12.0,
        **more,
    }  # fmt: skip


def docking(drift=STILL, integrator=None):
    """The bundled soft docking."""
    edits = {"integrator.method": "automatic"}
    for key, value in (integrator or {}).get("accuracy", {}).items():
        edits[f"integrator.accuracy.{key}"] = value
    return {"bundled": (DOCKING, edits)}


PUSH = {"push": {"body": "a", "force": [0, 5, 0], "axes": "world"}}
PULL = {"pull": {"body": "a", "force": [0, 0.01, 0], "axes": "world"}}
LATER = {
    "push": {"body": "a", "force": [0, 50, 0], "axes": "world", "pulses": [{"start": 0.15, "duration": 1}]}
}
BACK = {"back": {"when": "time > 2 s", "then": [{"drive": "motor", "target": 0.0}]}}
OIL = {"oil": {"joint": "mass", "damping": 200.0}}
HEAVY = {
    name: {"mass": 1000.0, "inertia": [1, 1, 1], "joint": free([0, 0, at], [0, 0, speed])}
    for name, at, speed in (("up", 9, 20), ("down", -9, -20))
}
FALL = [0, 0, -9.81]
DOCKING = "assist-soft-docking"
COARSE = fixed(5e-3)

CASES = [
    Case("drive from rest to rest", slide, {}, True),
    Case("drive there and back", slide, {"events": BACK}, True),
    Case("drive against a damper", slide, {"springs": OIL}, True),
    Case("arm slew on a free base", slew, {}, True),
    Case("arm slew on a free base, drift 20 m/s", slew, {"drift": BRISK}, True),
    Case("arm slew on a free base, drift 7 km/s, fine accuracy", slew,
         {"drift": ORBITAL, "integrator": loose(1e-9)}, True),
    Case("thruster pulse and counter-pulse", thrust, {}, True),
    Case("thruster pulse and counter-pulse, drift 20 m/s", thrust, {"drift": BRISK}, True),
    Case("thruster pulse and counter-pulse, drift 7 km/s, fine accuracy", thrust,
         {"drift": ORBITAL, "integrator": loose(1e-9)}, True),
    Case("collision", collision, {}, True),
    Case("collision with damping", collision, {"damping": 1e6}, True),
    Case("collision, drift 20 m/s", collision, {"drift": BRISK}, True),
    Case("collision, drift 7 km/s", collision, {"drift": ORBITAL}, True),
    Case("collision with damping, drift 7 km/s", collision, {"drift": ORBITAL, "damping": 1e6}, True),
    Case("collision at 2 mm/s", collision, {"speed": 0.002, "duration": 20.0}, True),
    Case("collision under a load", collision, {"loads": PULL}, True),
    Case("collision, fixed steps of 0.1 ms", collision, {"integrator": fixed(1e-4)}, True),
    Case("two bodies on a spring", pair, {}, True),
    Case("two bodies on a spring, drift 7 km/s", pair, {"drift": ORBITAL}, True),
    Case("two bodies on a spring, pushed", pair, {"loads": PUSH}, True),
    Case("two bodies on a spring, free fall", pair, {"gravity": FALL}, True),
    Case("ball bounces on a plate", drop, {}, True),
    Case("ball bounces on a plate with damping", drop, {"damping": 1e6}, True),
    Case("oscillator", oscillator, {}, True),
    Case("tumbling body", tumble, {}, True),
    Case("tumbling body, drift 20 m/s", tumble, {"drift": BRISK}, True),
    Case("soft docking", docking, {}, True, instants=1),
    Case("drive from rest to rest, steps too long", slide, {"integrator": fixed(0.04)}, False),
    Case("arm slew on a free base, drift 7 km/s, default accuracy", slew, {"drift": ORBITAL}, False),
    Case("arm slew on a free base, steps too long", slew, {"integrator": fixed(0.04)}, False),
    Case("arm slew on a free base, steps too long, drift 7 km/s", slew,
         {"drift": ORBITAL, "integrator": fixed(0.04)}, False),
    Case("collision, steps too long", collision, {"integrator": COARSE}, False),
    Case("collision, steps too long, drift 20 m/s", collision, {"drift": BRISK, "integrator": COARSE}, False),
    Case("collision, steps too long, drift 7 km/s", collision, {"drift": ORBITAL, "integrator": COARSE}, False),
    Case("collision, steps too long, under a load", collision, {"loads": PULL, "integrator": COARSE}, False),
    Case("collision, steps too long, under a load, drift 7 km/s", collision,
         {"drift": ORBITAL, "loads": PULL, "integrator": COARSE}, False),
    Case("collision, steps too long, then a large load", collision,
         {"loads": LATER, "integrator": COARSE}, False),
    Case("collision, loose accuracy", collision, {"integrator": loose(3e-2)}, False),
    Case("collision, implicit steps too long", collision, {"integrator": fixed(8e-3, "rosenbrock")}, False),
    Case("two bodies on a spring, steps too long", pair, {"integrator": fixed(0.05)}, False),
    Case("two bodies on a spring, steps too long, drift 20 m/s", pair,
         {"drift": BRISK, "integrator": fixed(0.05)}, False),
    Case("two bodies on a spring, steps too long, drift 7 km/s", pair,
         {"drift": ORBITAL, "integrator": fixed(0.05)}, False),
    Case("two bodies on a spring, steps too long, pushed", pair,
         {"loads": PUSH, "integrator": fixed(0.05)}, False),
    Case("two bodies on a spring, steps too long, free fall", pair,
         {"gravity": FALL, "integrator": fixed(0.05)}, False),
    Case("ball bounces on a plate, steps too long", drop, {"integrator": COARSE}, False),
    Case("oscillator, steps too long", oscillator, {"integrator": fixed(0.05)}, False),
    Case("oscillator, unstable steps", oscillator, {"integrator": fixed(0.15)}, False),
    Case("tumbling body, steps too long", tumble, {"integrator": fixed(0.5)}, False),
    Case("tumbling body, steps too long, drift 20 m/s", tumble,
         {"drift": BRISK, "integrator": fixed(0.5)}, False),
    Case("soft docking, loose accuracy", docking, {"integrator": loose(0.03)}, False, instants=1),
    Case("tumbling body, phase lost: middle axis, drift 20 m/s", tumble,
         {"drift": BRISK, "rate": (0.1, 2.0, 0.1)}, False, False),
    Case("tumbling body, phase lost: loose accuracy", tumble,
         {"integrator": loose(3e-4), "duration": 60.0}, False, False),
    Case("collision, steps too long, beside heavy bodies at 20 m/s", collision,
         {"bodies": HEAVY, "integrator": COARSE}, False, False, links=2),
]  # fmt: skip


def row(case: Case) -> tuple[str, str, str, str, str]:
    """Return a row of the table: case, error of velocities, errors of energy and angular momentum, verdict."""
    audit, velocities = case.run()
    error, turn = case.error(velocities), audit.angular_momentum_drift
    verdict = "passes" if audit.passed else "fails"
    return (
        case.name,
        "infinite" if np.isinf(error) else f"{error:.0e}",
        f"{audit.energy_residual:.0e}",
        "-" if turn is None else f"{turn:.0e}",
        verdict,
    )


def kind(case: Case) -> str:
    return "right" if case.right else "wrong" if case.seen else "wrong, cannot be detected"


def table() -> str:
    """Return the table of the documentation."""
    lines = [
        "| run | answer | error of velocities | energy | angular momentum | check |",
        "|---|---|---|---|---|---|",
    ]
    for case in CASES:
        name, *figures = row(case)
        lines.append(f"| {name} | {kind(case)} | {' | '.join(figures)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
