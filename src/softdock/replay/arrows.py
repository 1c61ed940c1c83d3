"""Arrows where contacts push, moving with the surfaces that they push on."""

import numpy as np

from softdock.model.surfaces import Contact
from softdock.replay import forces, solids
from softdock.replay.keyframes import increasing, track, turning_track
from softdock.replay.motion import Motion
from softdock.replay.scene import Floats, Node, Part, Role
from softdock.replay.surfaces import Drawn
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario


def arrows_of(
    result: Result, scenario: MultibodyScenario, surfaces: dict[str, Drawn], motion: Motion, size: float
) -> tuple[list[Node], float]:
    """Return an arrow for every contact that pushes, and the largest force [N]."""
    rows = increasing(result.history.time)
    channels = result.history.channels
    pushes: dict[str, tuple[Contact, Floats]] = {}
    for name, contact in scenario.contacts.items():
        columns = [channels.get(f"{name}.{key}") for key in ("fx", "fy", "fz", "tx", "ty", "tz")]
        if all(columns) and (wrench := np.stack([c.values[rows] for c in columns if c], axis=1))[:, :3].any():
            pushes[name] = (contact, wrench)
    if not pushes:
        return [], 0.0
    peak = max(float(np.linalg.norm(w[:, :3], axis=1).max()) for _, w in pushes.values())
    mesh = solids.arrow()
    nodes = []
    for name, (contact, wrench) in pushes.items():
        force = np.linalg.norm(wrench[:, :3], axis=1)
        place, turn = _places(surfaces[contact.a], surfaces[contact.b], wrench, motion)
        length = forces.arrow_lengths(force, forces.LONGEST * size, peak)
        nodes.append(
            Node(
                name=f"force of {name}",
                parts=(Part(mesh=mesh, material=forces.RED, role=Role.FORCE),),
                tracks={
                    "translation": track(motion.time, place, 3e-3 * size),
                    "rotation": turning_track(motion.time, turn, 0.02),
                    "scale": track(motion.time, np.repeat(length[:, None], 3, axis=1), 5e-3 * size),
                },
            )
        )
    return nodes, peak


def _places(a: Drawn, b: Drawn, wrench: Floats, motion: Motion) -> tuple[Floats, Floats]:
    """Return points and attitudes of an arrow in the world; without force it stays where it last was."""
    n = len(wrench)
    force = np.linalg.norm(wrench[:, :3], axis=1)
    on = force > 0.0
    R_NA = motion.rotations(a.surface.body) @ a.R_BS
    p_NA = motion.p[a.surface.body] + motion.rotations(a.surface.body) @ a.p_BS
    p_NB = motion.p[b.surface.body] + motion.rotations(b.surface.body) @ b.mesh.points.mean(axis=0)
    near = np.einsum("nji,nj->ni", R_NA, p_NB - p_NA)
    points = forces.points_of_action(a.profile, wrench[on, :3], wrench[on, 3:], near[on])
    place, turn = np.zeros((n, 3)), np.zeros((n, 4))
    place[on] = p_NA[on] + np.einsum("nij,nj->ni", R_NA[on], points)
    turn[on] = forces.turn_from_z(np.einsum("nij,nj->ni", R_NA[on], wrench[on, :3] / force[on][:, None]))
    held = np.maximum.accumulate(np.where(on, np.arange(n), int(np.argmax(on))))
    return place[held], turn[held]
