"""Initial motion of a system: momenta, poses that welds and locks hold, static equilibrium."""

from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly, state, with_copies
from softdock.dynamics.kernels.forces.derivative import EXTRA_STATES
from softdock.dynamics.link_poses import base_pose, link_pose
from softdock.elements.kernels.dispatch import Laws, States
from softdock.elements.kinds import kind_number
from softdock.elements.registry import ELEMENT_KINDS
from softdock.model.system import System
from softdock.spatial.inertia import momentum
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import cross, matrix_from_quaternion
from softdock.tree import joints as j
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]
T = TypeVar("T", Laws, States)
Vector = tuple[float, float, float]


class FreeStart(NamedTuple):
    """Initial motion of a free body, with the names of the fields of `Free`."""

    position: Vector
    """[m]"""
    attitude: tuple[float, float, float, float]
    velocity: Vector
    """[m/s]"""
    rate: Vector
    """[rad/s]"""


def replace_start(assembly: Assembly, name: str, start: FreeStart) -> Assembly:
    """Return the arrays with another initial motion of a free body; the model stays as it is."""
    system = assembly.system
    place, n_q = assembly.joints[name], len(assembly.y) - EXTRA_STATES - len(assembly.velocities)
    q, u = assembly.y[:n_q].copy(), assembly.velocities.copy()
    q[place.at_q : place.at_q + 7], u[place.at_u : place.at_u + 6] = free_state(start, system)
    momenta_before = assembly.y[n_q : n_q + len(u)]
    moved = replace(
        assembly, velocities=u, **_motion(assembly, q, u, assembly.placed[name].link, momenta_before)
    )
    return with_equilibrium(moved)


def free_state(joint: j.Free | FreeStart, system: System) -> tuple[list[float], list[float]]:
    """Return initial position and velocity of a free body; `momenta` replaces the velocity by momentum later."""
    orbit = system.orbit
    turning = orbit.rate() if orbit is not None and orbit.start == "hill" else np.zeros(3)
    q = j.quaternion(joint.attitude)
    R_BN, velocity = matrix_from_quaternion(q).T, np.asarray(joint.velocity) + cross(turning, joint.position)
    return [*joint.position, *q], [*(joint.rate + R_BN @ turning), *(R_BN @ velocity)]


def in_motion(assembly: Assembly, q: Floats) -> Assembly:
    """Return an assembly at rest with its momenta and speeds; welds and locks keep the relative poses of its state."""
    fields = _motion(assembly, q, assembly.velocities)
    return replace(assembly, **fields) if fields else assembly


def _motion(
    assembly: Assembly, q: Floats, u: Floats, base: int | None = None, momenta_before: Floats | None = None
) -> dict[str, Any]:
    """Return state and states of elements of an assembly with other positions and velocities; nothing if it is at rest.

    With `base`, the base of a tree, the momenta of all other trees are as before.
    """
    holding = [
        name
        for name, kind in ELEMENT_KINDS.items()
        if kind.holds_pose and len(getattr(assembly.states, name))
    ]
    if not (holding or u.any() or base is not None):
        return {}
    # Velocities stand in for momenta: the motion of free bases is wrong and not used.
    motions = motions_at_state(assembly, state(q, u))
    y = state(q, momenta(assembly.links, motions, u, base, momenta_before))
    states = with_copies(assembly.states, holding)
    for name in holding:
        _hold_poses(assembly, kind_number(name), getattr(states, name), motions)
    return {"y": y, "states": states}


def motions_at_state(assembly: Assembly, y: Floats) -> np.recarray:
    """Return poses and velocities of the links at a state."""
    return assembly.link_motion.at(assembly, y)


def momenta(
    links: np.recarray, motions: np.recarray, u: Floats, base: int | None = None, before: Floats | None = None
) -> Floats:
    """Replace the velocity of every free base in `u` by the momentum of its tree; expects motions at a state.

    With `base`, only that of one tree is found; the others are as `before`.
    """
    plain, moving = links.view(np.ndarray), motions.view(np.ndarray)  # field access is ten times faster
    out = (u if before is None else before).copy()
    for i in np.flatnonzero(plain["kind"] == k.FREE).tolist() if base is None else [base]:
        at, h, inertia = plain["at_u"][i], moving["h_rel"][i], moving["total"][i]
        out[at : at + 6] = base_pose(plain, moving, i).wrench(momentum(inertia, u[at : at + 6]) + h)
    return out


def _hold_poses(assembly: Assembly, kind: int, states: np.recarray, motions: np.recarray) -> None:
    """Let the elements of a kind hold the relative poses of the initial state, whose motions are given."""
    links, elements = assembly.links, assembly.elements
    for element, held in zip(elements[elements.kind == kind], states):
        X_NF = link_pose(links, motions, element.a) @ Pose(R=element.R_aF.reshape(3, 3), p=element.p_aF)
        X_NG = link_pose(links, motions, element.b) @ Pose(R=element.R_bG.reshape(3, 3), p=element.p_bG)
        X_FG = X_NF.relative(X_NG)
        held.R_FG[:], held.p_FG[:] = X_FG.R.ravel(), X_FG.p


def with_equilibrium(assembly: Assembly) -> Assembly:
    """Return the assembly with structures marked as `settled` in static equilibrium."""
    if any(structure.settled for structure in assembly.system.structures.values()):
        from softdock.assembly.equilibrium import settle_structures  # imports this module

        return settle_structures(assembly)
    return assembly
