"""Rods that grow behind small bodies which slide out of others, so that nothing floats in the air."""

import numpy as np

from softdock.model.joints import Prismatic, direction, quaternion
from softdock.model.system import WORLD
from softdock.replay import solids
from softdock.replay.bodies import ROD
from softdock.replay.forces import turn_from_z
from softdock.replay.keyframes import increasing, track
from softdock.replay.motion import GROUND
from softdock.replay.scene import Node, Part, Role
from softdock.replay.surfaces import Drawn
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import product

THICK = 0.45  # radius of a rod, of the half extent of what it carries
SHORTEST = 1e-3  # of the travel; a rod never vanishes


def slide_nodes(result: Result, scenario: MultibodyScenario, surfaces: dict[str, Drawn]) -> list[Node]:
    """Return a rod for every body with surfaces that slides out by more than its own half size."""
    rows = increasing(result.history.time)
    nodes = []
    for name, body in scenario.bodies.items():
        meshes = [drawn.mesh.points for drawn in surfaces.values() if drawn.surface.body == name]
        channel = result.history.channels.get(f"{name}.joint")
        if not meshes or channel is None or not isinstance(body.joint, Prismatic):
            continue
        half = 0.5 * float(np.ptp(np.concatenate(meshes), axis=0).max())
        out = channel.values[rows]
        if float(out.max()) <= half:
            continue
        length = np.maximum(out, SHORTEST * float(out.max()))
        scale = np.stack([np.ones_like(length), np.ones_like(length), length], axis=1)
        turn = turn_from_z(direction(body.joint.axis)[None, :])[0]
        w, x, y, z = (float(v) for v in product(quaternion(body.joint.attitude), turn))
        nodes.append(
            Node(
                name=f"slide of {name}",
                parent=GROUND if body.parent == WORLD else body.parent,
                parts=(Part(mesh=solids.rod(THICK * half), material=ROD, role=Role.LINK),),
                translation=body.joint.at,
                rotation_wxyz=(w, x, y, z),
                tracks={"scale": track(result.history.time[rows], scale, 1e-2 * half)},
            )
        )
    return nodes
