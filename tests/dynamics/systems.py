"""Random systems for tests, and functions that simulate and evaluate them."""

from dataclasses import replace

import numpy as np

from softdock.assembly.arrays import Assembly
from softdock.assembly.assembler import assemble
from softdock.assembly.channels.records import channel_records
from softdock.dynamics.conservation import EnergyAndMomentum
from softdock.dynamics.entry_points import derivative, write_conserved
from softdock.dynamics.impulse import ImpulseResponse
from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST
from softdock.dynamics.kernels.run.conservation import CONSERVED
from softdock.dynamics.run_results import Run
from softdock.dynamics.settings import Method, Settings, StepTolerances
from softdock.dynamics.simulation import Simulation
from softdock.dynamics.system_records import system_records
from softdock.elements.drive.model import Drive
from softdock.elements.spring.model import Exponential, Spring
from softdock.elements.strut.model import Strut
from softdock.elements.weld.model import Weld
from softdock.model.observations import parse_observation
from softdock.model.system import Body, FullInertia, System
from softdock.spatial.rotations import matrix_from_quaternion
from softdock.tree.frames import Anchor
from softdock.tree.joints import (
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from softdock.tree.kernels.tree import BALL, FREE, records

EPS = np.finfo(float).eps
JOINTS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar")
SCENES = [("free", True), *((kind, floating) for kind in JOINTS for floating in (True, False))]
"""Every kind of joint, on a floating base and on the ground."""
SCENE_NAMES = [f"{kind}-{'floating' if floating else 'grounded'}" for kind, floating in SCENES]
STEP = 0.01
TIGHT = StepTolerances(length=1e-10, angle=1e-10, speed=1e-10, rate=1e-10)
INTEGRATORS = {
    "adaptive": {"accuracy": TIGHT},
    "fixed": {"step": STEP},
    "rk4": {"step": STEP, "method": Method.RUNGE_KUTTA_4},
    "bogacki-shampine": {"step": STEP, "method": Method.BOGACKI_SHAMPINE},
    "rosenbrock": {"step": STEP, "method": Method.ROSENBROCK},
}
ORDERS = {"fixed": 5, "rk4": 4, "bogacki-shampine": 3, "rosenbrock": 4}


def vector(rng, size=1.0):
    return tuple(float(x) for x in rng.uniform(-size, size, 3))


def attitude(rng):
    q = rng.normal(size=4)
    return tuple(float(x) for x in q / np.linalg.norm(q))


def solid(rng):
    """Return mass, centre of mass and inertia of six random mass points, which are physical by construction."""
    m, r = rng.uniform(0.2, 0.6, 6), rng.uniform(-0.3, 0.3, (6, 3))
    centre = m @ r / m.sum()
    r = r - centre
    i = np.einsum("n,nij->ij", m, np.einsum("nk,nk,ij->nij", r, r, np.eye(3)) - np.einsum("ni,nj->nij", r, r))
    return {
        "mass": float(m.sum()),
        "centre_of_mass": tuple(float(x) for x in centre),
        "inertia": FullInertia(xx=i[0, 0], yy=i[1, 1], zz=i[2, 2], xy=i[0, 1], xz=i[0, 2], yz=i[1, 2]),
    }


def joint(kind: str, rng) -> Joint:
    """Return a joint of a kind with random placement, attitude and motion."""
    if kind == "free":
        return Free(position=vector(rng), attitude=attitude(rng), velocity=vector(rng, 0.5), rate=vector(rng))
    place = {"at": vector(rng, 0.4), "attitude": attitude(rng)}
    if kind == "fixed":
        return Fixed(**place)
    if kind == "revolute":
        return Revolute(**place, axis=vector(rng), angle=rng.uniform(-1, 1), rate=rng.uniform(-1, 1))
    if kind == "prismatic":
        return Prismatic(
            **place, axis=vector(rng), position=rng.uniform(-0.3, 0.3), speed=rng.uniform(-0.5, 0.5)
        )
    if kind == "cylindrical":
        return Cylindrical(
            **place, axis=vector(rng), position=rng.uniform(-0.3, 0.3), speed=rng.uniform(-0.5, 0.5),
            angle=rng.uniform(-1, 1), rate=rng.uniform(-1, 1),
        )  # fmt: skip
    if kind == "universal":
        R = matrix_from_quaternion(np.array(attitude(rng)))
        return Universal(
            **place,
            axes=(tuple(R[0]), tuple(R[1])),
            angles=(rng.uniform(-1, 1), rng.uniform(-1, 1)),
            rates=(rng.uniform(-1, 1), rng.uniform(-1, 1)),
        )
    if kind == "spherical":
        return Spherical(**place, turned=attitude(rng), rate=vector(rng))
    return Planar(
        **place,
        position=(rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3)),
        angle=rng.uniform(-1, 1),
        velocity=(rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5)),
        rate=rng.uniform(-1, 1),
    )


def scene(kind: str, floating: bool, lossy: bool = False, seed: int = 3) -> System:
    """Return a base (or the ground), an arm on a joint of the given kind, a hand on the arm, and a free mate.

    Springs act on the joints, a strut and a weld between hand, arm and mate; `lossy` adds dampers and a drive.
    """
    rng = np.random.default_rng(seed)
    c = 1.0 if lossy else 0.0
    bodies = {"base": Body(**solid(rng), joint=joint("free", rng))} if floating else {}
    on_base = floating and kind != "free"
    bodies["arm"] = Body(**solid(rng), joint=joint(kind, rng), **({"parent": "base"} if on_base else {}))
    bodies["hand"] = Body(**solid(rng), joint=joint("revolute", rng), parent="arm")
    bodies["mate"] = Body(**solid(rng), joint=joint("free", rng))
    grows = Exponential(reference=0.5, exponent=4.0)
    springs = {"wrist": Spring(joint="hand", stiffness=6.0, rest=0.2, preload=0.5, damping=0.1 * c)}
    if kind in ("revolute", "prismatic"):
        springs["spring"] = Spring(joint="arm", stiffness=5.0, exponential=grows, damping=0.2 * c)
    elif kind in ("universal", "spherical"):
        springs["spring"] = Spring(joint="arm", stiffness=4.0, damping=0.2 * c)
    elif kind == "planar":
        for axis in range(3):
            springs[f"spring{axis}"] = Spring(joint="arm", axis=axis, stiffness=4.0 + axis, damping=0.2 * c)
    return System(
        bodies=bodies,
        springs=springs,
        struts={
            "strut": Strut(
                a=Anchor(body="hand", at=vector(rng, 0.3)),
                b=Anchor(body="mate", at=vector(rng, 0.3)),
                stiffness=3.0,
                length=0.5,
                preload=0.2,
                damping=0.3 * c,
            )
        },
        welds={
            "weld": Weld(
                a=Anchor(body="arm", at=vector(rng, 0.3), attitude=attitude(rng)),
                b=Anchor(body="mate", at=vector(rng, 0.3), attitude=attitude(rng)),
                stiffness=2.0,
                angular_stiffness=1.0,
                damping=0.2 * c,
                angular_damping=0.1 * c,
                active=True,
            )
        },
        drives={"motor": Drive(joint="hand", follows="speed", target=0.7, damping=0.4)} if lossy else {},
    )


def simulate(system: System | Assembly, duration: float = 1.0, **settings) -> Run:
    assembly = assemble(system) if isinstance(system, System) else system
    return Simulation(assembly=assembly, settings=Settings(duration=duration, **settings)).run()


def simulate_with_peaks(system: System, names: list[str], duration: float = 1.0, **settings):
    """Simulate with peaks of some channels; return the run and the histories by name, with `time`."""
    assembly = assemble(system)
    channels = channel_records(system, assembly, [parse_observation(name) for name in names])
    channels.track = LARGEST | SMALLEST
    run = Simulation(
        assembly=assembly, settings=Settings(duration=duration, **settings), channels=channels
    ).run()
    return run, dict(zip(["time", *names], run.history.T))


def evaluate(assembly: Assembly, y=None, t: float = 0.0):
    """Return the rate of the state, and the records after this evaluation."""
    system = system_records(assembly)
    y = assembly.y if y is None else y
    dy = np.zeros_like(y)
    derivative(system, t, y, dy)
    return dy, system


def positions(assembly: Assembly, y):
    return y[: int(assembly.world[0].n_q)]


def speeds(assembly: Assembly, y):
    """Return speeds of all joints and momenta of all free trees."""
    n_q, n_u = int(assembly.world[0].n_q), int(assembly.world[0].n_u)
    return y[n_q : n_q + n_u]


def reversed_motion(assembly: Assembly, y) -> Assembly:
    """Return the system at a state with reversed speeds, and zero dissipated energy and work."""
    n_q, n_u = int(assembly.world[0].n_q), int(assembly.world[0].n_u)
    turned = y.copy()
    turned[n_q : n_q + n_u] *= -1.0
    turned[n_q + n_u :] = 0.0
    return replace(assembly, y=turned)


def quaternions(assembly: Assembly, y):
    starts = [link.at_q + 3 for link in assembly.links if link.kind == FREE]
    starts += [link.at_q for link in assembly.links if link.kind == BALL]
    return [y[at : at + 4] for at in starts]


def body_pose(assembly: Assembly, y, name: str):
    """Return R_NB and p_NB_N of a body."""
    _, system = evaluate(assembly, y)
    placed = assembly.placed[name]
    link, base = system.motions[placed.link], system.motions[system.links[placed.link].root]
    R_NL = base.R_NB.reshape(3, 3) @ link.R.reshape(3, 3)
    p_NL = base.p_NB + base.R_NB.reshape(3, 3) @ link.p
    return R_NL @ placed.X_LB.R, p_NL + R_NL @ placed.X_LB.p


def energy_and_momentum(system, y, t=0.0):
    """Evaluate a state and return its energy and momentum."""
    out = records(1, CONSERVED)
    derivative(system, t, y, np.zeros(len(y)))
    write_conserved(system, y, False, out[0])
    return EnergyAndMomentum.from_record(out[0])


def weld_impulse(assembly, y, a, b):
    """Apply the impulse after which two links move as one; returns state and energy lost [J]; Eq. (M44)."""
    impact = ImpulseResponse(assembly, y)
    compliance = np.empty((6, 6))
    changes = []
    for i in range(6):
        wrench = np.eye(6)[i]
        moved, change = impact.response({b: wrench, a: -wrench})
        compliance[:, i] = moved[b] - moved[a]
        changes.append(change)
    gap = impact.motion[b] - impact.motion[a]
    impulse = -np.linalg.solve(compliance, gap)
    after = y.copy()
    after[impact.n_q : impact.n_q + impact.n_u] += np.array(changes).T @ impulse
    return after, float(-0.5 * gap @ impulse)  # energy of the relative motion at the weld
