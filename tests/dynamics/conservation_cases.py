"""Cases with correct and with wrong results, and the verdict of the conservation check for each.

`python tests/dynamics/conservation_cases.py` prints the table of `docs/theory/conservation.md`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.dynamics.run_results import Run
from softdock.dynamics.session import Session
from softdock.result import Audit
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.multibody import PreparedMultibody
from softdock.tree.kernels.tree import FREE, GROUND

STILL, BRISK, ORBITAL = (0.0, 0.0, 0.0), (0.0, 20.0, 0.0), (0.0, 7000.0, 0.0)  # m/s: common drift
LARGEST_CORRECT_ERROR = 5e-3
"""Error of velocities relative to the largest one so far; a run above it is wrong. It is 1 % of the energy."""
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
    """A scenario, and whether its result is correct."""

    name: str
    build: Callable[..., dict[str, Any]]
    options: dict[str, Any]
    right: bool
    seen: bool = True
    """Whether energy or momentum shows the error; false for errors that the check cannot detect."""
    instants: int = 20
    """Number of instants at which velocities are compared."""
    links: int | None = None
    """Number of leading links whose velocities are compared; all by default."""

    def scenario(self) -> MultibodyScenario:
        return _scenario(self.build(**self.options))

    def reference(self) -> MultibodyScenario:
        """Return the scenario without drift and with high accuracy; drift does not change relative velocities."""
        return _scenario(self.build(**{**self.options, "drift": STILL, "integrator": TIGHT}))

    def run(self) -> tuple[Audit, np.ndarray]:
        """Run the case; return the conservation check and the velocities, shape (instants, links, 6)."""
        done, velocities = _run(self.scenario(), self.instants)
        return PreparedMultibody(self.scenario()).result(done).audit, velocities

    def error(self, velocities: np.ndarray) -> float:
        """Return the largest error of velocities relative to the largest one so far, linear and angular separately."""
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
    """Return angular velocity and velocity of the origin of each link in N, shape (links, 6).

    Velocities of floating systems are relative to the centre of mass.
    """
    session.values()
    links, motions = session.system.links, session.system.motions
    rows, P, mass = [], np.zeros(3), 0.0
    for link, motion in zip(links, motions):
        if link.kind == GROUND:
            continue
        base = motions[link.root]
        R = base.R_NB.reshape(3, 3)
        w, v = motion.V[:3], motion.V[3:] + np.cross(motion.V[:3], motion.p)
        rows.append(np.concatenate([R @ w, R @ v]))
        if link.kind == FREE:
            at = int(session.system.world[0].n_q) + link.at_u + 3
            P, mass = P + session.state[at : at + 3], mass + base.total[0]
    if session._run.workspace.check[0].floating:
        rows = [row - np.concatenate([np.zeros(3), P / mass]) for row in rows]
    return np.array(rows)


def fixed_step(step: float, method: str = "rk4") -> dict[str, Any]:
    return {"method": method, "step": step}


def equal_accuracy(error: float, method: str = "automatic") -> dict[str, Any]:
    """Return an accuracy with the same number for all states, and for forces in proportion to the default ones."""
    states = dict.fromkeys(("length", "angle", "speed", "rate"), error)
    return {"method": method, "accuracy": {**states, "force": min(500.0 * error, 1.0)}}


def free_joint(position=(0, 0, 0), velocity=(0, 0, 0), **more):
    return {"type": "free", "position": list(position), "velocity": list(velocity), **more}


def colliding_balls(drift=STILL, speed=0.2, damping=0.0, **more):
    """Return two balls of 1 kg that collide, with a common drift."""
    start = np.array([-0.03, 0.004, 0.0])
    bodies = {
        "a": {**SOLID, "joint": free_joint(velocity=drift)},
        "b": {**SOLID, "joint": free_joint(start, np.add(drift, [speed, 0, 0]))},
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


def spring_pair(drift=STILL, stiffness=400.0, **more):
    """Return two bodies on a spring that is stretched at the start, 4.5 Hz, with a common drift."""
    return {
        "bodies": {
            "a": {**SOLID, "joint": free_joint(velocity=drift)},
            "b": {**SOLID, "joint": free_joint([1.1, 0, 0], drift)},
        },
        "struts": {"spring": {"a": {"body": "a"}, "b": {"body": "b"}, "stiffness": stiffness, "length": 1.0}},
        "duration": 4.0,
        **more,
    }


def bouncing_ball(drift=STILL, damping=0.0, **more):
    """Return a ball that falls on a fixed plate and bounces."""
    return {
        "bodies": {"ball": {**SOLID, "joint": free_joint([0.0, 0.0, -0.03])}},
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
    """Return a mass on a spring to the ground, 3.2 Hz."""
    return {
        "bodies": {"mass": {**SOLID, "joint": {"type": "prismatic", "axis": "z", "position": 0.1}}},
        "springs": {"spring": {"joint": "mass", "stiffness": 400.0}},
        "duration": 6.0,
        **more,
    }


def driven_slide(drift=STILL, **more):
    """Return a mass that a drive moves from rest to rest."""
    return {
        "bodies": {"mass": {**SOLID, "joint": {"type": "prismatic", "axis": "z"}}},
        "drives": {
            "motor": {"joint": "mass", "target": 0.3, "rate": 0.3, "stiffness": 900.0, "damping": 20.0}
        },
        "duration": 4.0,
        **more,
    }


def slewing_arm(drift=STILL, **more):
    """Return an arm on a free base that a drive moves from rest to rest."""
    return {
        "bodies": {
            "base": {"mass": 20.0, "inertia": [2, 2, 2], "joint": free_joint(velocity=drift)},
            "arm": {
                "mass": 3.0, "inertia": [0.1, 0.1, 0.1], "centre_of_mass": [0.5, 0, 0], "parent": "base",
                "joint": {"type": "revolute", "axis": "z", "at": [0.3, 0, 0]},
            },
        },
        "drives": {"motor": {"joint": "arm", "target": 1.0, "rate": 1.0, "stiffness": 200.0, "damping": 30.0}},
        "duration": 4.0,
        **more,
    }  # fmt: skip


def thruster_pulses(drift=STILL, **more):
    """Return a body with a thruster away from its centre of mass that fires a pulse and a counter-pulse."""
    return {
        "bodies": {
            "craft": {"mass": 100.0, "inertia": [9, 8, 7], "joint": free_joint(velocity=drift)},
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


def tumbling_body(drift=STILL, rate=(0.3, 0.3, 2.0), **more):
    """Return a tumbling body whose origin is not its centre of mass."""
    return {
        "bodies": {
            "body": {
                "mass": 10.0, "inertia": [1, 2, 3], "centre_of_mass": [0.1, 0.2, 0],
                "joint": free_joint(velocity=drift, rate=list(rate)),
            }
        },
        "duration": 12.0,
        **more,
    }  # fmt: skip


def soft_docking(drift=STILL, integrator=None):
    """Return the bundled soft docking with a drift and an integrator."""
    edits = {"integrator.method": "automatic"}
    for key, value in (integrator or {}).get("accuracy", {}).items():
        edits[f"integrator.accuracy.{key}"] = value
    return {"bundled": (DOCKING, edits)}


PUSH = {"push": {"body": "a", "force": [0, 5, 0], "axes": "world"}}
PULL = {"pull": {"body": "a", "force": [0, 0.01, 0], "axes": "world"}}
LATE_PUSH = {
    "push": {"body": "a", "force": [0, 50, 0], "axes": "world", "pulses": [{"start": 0.15, "duration": 1}]}
}
RETURN_TO_START = {"back": {"when": "time > 2 s", "then": [{"drive": "motor", "target": 0.0}]}}
DAMPER = {"oil": {"joint": "mass", "damping": 200.0}}
HEAVY_BODIES = {
    name: {"mass": 1000.0, "inertia": [1, 1, 1], "joint": free_joint([0, 0, at], [0, 0, speed])}
    for name, at, speed in (("up", 9, 20), ("down", -9, -20))
}
GRAVITY = [0, 0, -9.81]
DOCKING = "assist-soft-docking"
LONG_STEPS = fixed_step(5e-3)

CASES = [
    Case("drive from rest to rest", driven_slide, {}, True),
    Case("drive there and back", driven_slide, {"events": RETURN_TO_START}, True),
    Case("drive against a damper", driven_slide, {"springs": DAMPER}, True),
    Case("arm slew on a free base", slewing_arm, {}, True),
    Case("arm slew on a free base, drift 20 m/s", slewing_arm, {"drift": BRISK}, True),
    Case("arm slew on a free base, drift 7 km/s, fine accuracy", slewing_arm,
         {"drift": ORBITAL, "integrator": equal_accuracy(1e-9)}, True),
    Case("thruster pulse and counter-pulse", thruster_pulses, {}, True),
    Case("thruster pulse and counter-pulse, drift 20 m/s", thruster_pulses, {"drift": BRISK}, True),
    Case("thruster pulse and counter-pulse, drift 7 km/s, fine accuracy", thruster_pulses,
         {"drift": ORBITAL, "integrator": equal_accuracy(1e-9)}, True),
    Case("collision", colliding_balls, {}, True),
    Case("collision with damping", colliding_balls, {"damping": 1e6}, True),
    Case("collision, drift 20 m/s", colliding_balls, {"drift": BRISK}, True),
    Case("collision, drift 7 km/s", colliding_balls, {"drift": ORBITAL}, True),
    Case("collision with damping, drift 7 km/s", colliding_balls, {"drift": ORBITAL, "damping": 1e6}, True),
    Case("collision at 2 mm/s", colliding_balls, {"speed": 0.002, "duration": 20.0}, True),
    Case("collision under a load", colliding_balls, {"loads": PULL}, True),
    Case("collision, fixed steps of 0.1 ms", colliding_balls, {"integrator": fixed_step(1e-4)}, True),
    Case("two bodies on a spring", spring_pair, {}, True),
    Case("two bodies on a spring, drift 7 km/s", spring_pair, {"drift": ORBITAL}, True),
    Case("two bodies on a spring, pushed", spring_pair, {"loads": PUSH}, True),
    Case("two bodies on a spring, free fall", spring_pair, {"gravity": GRAVITY}, True),
    Case("ball bounces on a plate", bouncing_ball, {}, True),
    Case("ball bounces on a plate with damping", bouncing_ball, {"damping": 1e6}, True),
    Case("oscillator", oscillator, {}, True),
    Case("tumbling body", tumbling_body, {}, True),
    Case("tumbling body, drift 20 m/s", tumbling_body, {"drift": BRISK}, True),
    Case("soft docking, fine accuracy", soft_docking, {"integrator": equal_accuracy(1e-7)}, True, instants=4),
    Case("drive from rest to rest, steps too long", driven_slide, {"integrator": fixed_step(0.04)}, False),
    Case("arm slew on a free base, drift 7 km/s, default accuracy", slewing_arm, {"drift": ORBITAL}, False),
    Case("arm slew on a free base, steps too long", slewing_arm, {"integrator": fixed_step(0.04)}, False),
    Case("arm slew on a free base, steps too long, drift 7 km/s", slewing_arm,
         {"drift": ORBITAL, "integrator": fixed_step(0.04)}, False),
    Case("collision, steps too long", colliding_balls, {"integrator": LONG_STEPS}, False),
    Case("collision, steps too long, drift 20 m/s", colliding_balls, {"drift": BRISK, "integrator": LONG_STEPS}, False),
    Case("collision, steps too long, drift 7 km/s", colliding_balls,
         {"drift": ORBITAL, "integrator": LONG_STEPS}, False),
    Case("collision, steps too long, under a load", colliding_balls, {"loads": PULL, "integrator": LONG_STEPS}, False),
    Case("collision, steps too long, under a load, drift 7 km/s", colliding_balls,
         {"drift": ORBITAL, "loads": PULL, "integrator": LONG_STEPS}, False),
    Case("collision, steps too long, then a large load", colliding_balls,
         {"loads": LATE_PUSH, "integrator": LONG_STEPS}, False),
    Case("collision, loose accuracy", colliding_balls, {"integrator": equal_accuracy(3e-2)}, False),
    Case("collision, implicit steps too long", colliding_balls, {"integrator": fixed_step(8e-3, "rosenbrock")}, False),
    Case("two bodies on a spring, steps too long", spring_pair, {"integrator": fixed_step(0.05)}, False),
    Case("two bodies on a spring, steps too long, drift 20 m/s", spring_pair,
         {"drift": BRISK, "integrator": fixed_step(0.05)}, False),
    Case("two bodies on a spring, steps too long, drift 7 km/s", spring_pair,
         {"drift": ORBITAL, "integrator": fixed_step(0.05)}, False),
    Case("two bodies on a spring, steps too long, pushed", spring_pair,
         {"loads": PUSH, "integrator": fixed_step(0.05)}, False),
    Case("two bodies on a spring, steps too long, free fall", spring_pair,
         {"gravity": GRAVITY, "integrator": fixed_step(0.05)}, False),
    Case("ball bounces on a plate, steps too long", bouncing_ball, {"integrator": LONG_STEPS}, False),
    Case("oscillator, steps too long", oscillator, {"integrator": fixed_step(0.05)}, False),
    Case("oscillator, unstable steps", oscillator, {"integrator": fixed_step(0.15)}, False),
    Case("tumbling body, steps too long", tumbling_body, {"integrator": fixed_step(0.5)}, False),
    Case("tumbling body, steps too long, drift 20 m/s", tumbling_body,
         {"drift": BRISK, "integrator": fixed_step(0.5)}, False),
    Case("soft docking, loose accuracy", soft_docking, {"integrator": equal_accuracy(0.03)}, False, instants=4),
    Case("tumbling body, phase lost: middle axis, drift 20 m/s", tumbling_body,
         {"drift": BRISK, "rate": (0.1, 2.0, 0.1)}, False, False),
    Case("tumbling body, phase lost: loose accuracy", tumbling_body,
         {"integrator": equal_accuracy(3e-4), "duration": 60.0}, False, False),
    Case("collision, steps too long, beside heavy bodies at 20 m/s", colliding_balls,
         {"bodies": HEAVY_BODIES, "integrator": LONG_STEPS}, False, False, links=2),
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


def describe_answer(case: Case) -> str:
    return "right" if case.right else "wrong" if case.seen else "wrong, cannot be detected"


def table() -> str:
    """Return the table of the documentation."""
    lines = [
        "| run | answer | error of velocities | energy | angular momentum | check |",
        "|---|---|---|---|---|---|",
    ]
    for case in CASES:
        name, *figures = row(case)
        lines.append(f"| {name} | {describe_answer(case)} | {' | '.join(figures)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
