"""Telescopic rods between bodies and the small bodies that slide out of them."""

import numpy as np

from softdock.model.system import WORLD
from softdock.replay import solids
from softdock.replay.bodies import ROD
from softdock.replay.keyframes import increasing_rows, track
from softdock.replay.motion import GROUND
from softdock.replay.scene import Node, Part, Role
from softdock.replay.surfaces import DrawnSurface
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.rotations import quaternion_product, quaternions_from_z_to
from softdock.tree.joints import Prismatic, direction, quaternion

ROD_RADIUS = 0.45  # fraction of half the size of the sliding body
MIN_LENGTH = 1e-3  # fraction of the travel, so that the rod never vanishes


def telescopic_rod_nodes(
    result: Result, scenario: MultibodyScenario, surfaces: dict[str, DrawnSurface]
) -> list[Node]:
    """Return a rod for every body with surfaces that slides out by more than half its size."""
    rows = increasing_rows(result.history.time)
    nodes = []
    for name, body in scenario.bodies.items():
        meshes = [drawn.mesh.points for drawn in surfaces.values() if drawn.surface.body == name]
        channel = result.history.channels.get(f"{name}.joint")
        if not meshes or channel is None or not isinstance(body.joint, Prismatic):
            continue
        half_size = 0.5 * float(np.ptp(np.concatenate(meshes), axis=0).max())
        extension = channel.values[rows]
        if float(extension.max()) <= half_size:
            continue
        length = np.maximum(extension, MIN_LENGTH * float(extension.max()))
        scale = np.stack([np.ones_like(length), np.ones_like(length), length], axis=1)
        from_z_to_axis = quaternions_from_z_to(direction(body.joint.axis)[None, :])[0]
        w, x, y, z = (float(v) for v in quaternion_product(quaternion(body.joint.attitude), from_z_to_axis))
        nodes.append(
            Node(
                name=f"slide of {name}",
                parent=GROUND if body.parent == WORLD else body.parent,
                parts=(Part(mesh=solids.rod(ROD_RADIUS * half_size), material=ROD, role=Role.LINK),),
                translation=body.joint.at,
                rotation_wxyz=(w, x, y, z),
                tracks={"scale": track(result.history.time[rows], scale, 1e-2 * half_size)},
            )
        )
    return nodes
