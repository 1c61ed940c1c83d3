"""Arrows of contact forces, which move with the surfaces."""

import numpy as np

from softdock.model.surfaces import Contact
from softdock.replay import forces
from softdock.replay.keyframes import increasing_rows
from softdock.replay.motion import Motion
from softdock.replay.scene import Floats, Node
from softdock.replay.surfaces import DrawnSurface
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario


def contact_arrows(
    result: Result,
    scenario: MultibodyScenario,
    surfaces: dict[str, DrawnSurface],
    motion: Motion,
    size: float,
) -> tuple[list[Node], float]:
    """Return an arrow for every contact with force, and the largest force [N]."""
    rows = increasing_rows(result.history.time)
    channels = result.history.channels
    wrenches: dict[str, tuple[Contact, Floats]] = {}
    for name, contact in scenario.contacts.items():
        columns = [channels.get(f"{name}.{key}") for key in ("fx", "fy", "fz", "tx", "ty", "tz")]
        if all(columns) and (wrench := np.stack([c.values[rows] for c in columns if c], axis=1))[:, :3].any():
            wrenches[name] = (contact, wrench)
    if not wrenches:
        return [], 0.0
    peak = max(float(np.linalg.norm(w[:, :3], axis=1).max()) for _, w in wrenches.values())
    nodes = []
    for name, (contact, wrench) in wrenches.items():
        force = np.linalg.norm(wrench[:, :3], axis=1)
        position, rotation = _arrow_poses(surfaces[contact.a], surfaces[contact.b], wrench, motion)
        length = forces.arrow_lengths(force, forces.MAX_LENGTH * size, peak)
        nodes.append(forces.arrow_node(f"force of {name}", motion.time, position, rotation, length, size))
    return nodes, peak


def _arrow_poses(a: DrawnSurface, b: DrawnSurface, wrench: Floats, motion: Motion) -> tuple[Floats, Floats]:
    """Return positions (n, 3) and attitudes (n, 4) of an arrow in the world; without force, the last ones."""
    loaded = np.linalg.norm(wrench[:, :3], axis=1) > 0.0
    R_NA = motion.rotations(a.surface.body) @ a.R_BS
    p_NA = motion.p[a.surface.body] + motion.rotations(a.surface.body) @ a.p_BS
    p_NB = motion.p[b.surface.body] + motion.rotations(b.surface.body) @ b.mesh.points.mean(axis=0)
    near = np.einsum("nji,nj->ni", R_NA, p_NB - p_NA)
    given = wrench[loaded, :3], wrench[loaded, 3:], near[loaded]
    if a.profile is not None:
        points = forces.points_of_action(a.profile, *given)
    else:
        points = forces.points_on_triangles(((a.outline.points - a.p_BS) @ a.R_BS)[a.outline.indices], *given)
    position = np.zeros((len(wrench), 3))
    position[loaded] = p_NA[loaded] + np.einsum("nij,nj->ni", R_NA[loaded], points)
    return position[forces.last_loaded_rows(loaded)], forces.arrow_rotations(R_NA, wrench[:, :3])
