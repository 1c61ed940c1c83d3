"""Records of joint reactions for the kernels: joints, fixed mounts and frames that the user defined."""

from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.structures import Attached
from softdock.dynamics.kernels.forces import reactions as r
from softdock.elements.registry import kind_of
from softdock.model.system import Body, System
from softdock.spatial.inertia import rigid_inertia, symmetric_entries
from softdock.spatial.poses import Pose
from softdock.tree.indices import BodyPlacement
from softdock.tree.joints import Fixed, Free, pose_at
from softdock.tree.kernels.tree import records

Floats = NDArray[np.float64]
Item = tuple[int, int, float]


def body_inertia(X_LB: Pose, body: Body) -> Floats:
    """Return mass, mass times centre and inertia about the link's origin in link axes, shape (10,)."""
    if X_LB is Pose.identity() and not any(body.centre_of_mass):
        return np.concatenate([[body.mass, 0.0, 0.0, 0.0], symmetric_entries(body.inertia_matrix())])
    J = X_LB.R @ body.inertia_matrix() @ X_LB.R.T
    return rigid_inertia(body.mass, X_LB.point(np.asarray(body.centre_of_mass)), J)


def has_inertia(body: Body) -> bool:
    """Return whether a body is more than a frame on another one."""
    return body.mass != 0.0 or body.inertia != (0.0, 0.0, 0.0)


def reaction_names(system: System, placed: Container[str]) -> dict[str, str]:
    """Return the body of every reaction by name: bodies that have a parent, then frames that the user defined.

    Bodies on the arm of a robot have no place before the arm is added.
    """
    joints = {name: name for name, body in system.bodies.items() if not isinstance(body.joint, Free)}
    names = joints | {name: frame.body for name, frame in system.reactions.items()}
    return {name: body for name, body in names.items() if body in placed}


def rigidly_beyond(system: System, name: str) -> list[str]:
    """Return a body and all bodies that fixed mounts connect to it, directly or through others, away from the root."""
    bodies = [name]
    for reached in bodies:
        bodies += [
            child
            for child, body in system.bodies.items()
            if body.parent == reached and isinstance(body.joint, Fixed)
        ]
    return bodies


def reaction_records(
    system: System,
    placed: Mapping[str, BodyPlacement],
    first_links: Mapping[str, int],
    attached: Sequence[Attached],
) -> tuple[np.recarray, np.recarray, dict[str, int]]:
    """Return one record per reaction, the items beyond mounts, and the rows of the reactions by name.

    `first_links` has the first link of every joint that moves, by the name of its body.
    """
    names = reaction_names(system, placed)
    out = records(len(names), r.REACTION)
    items: list[Item] = []
    for record, (name, body) in zip(out, names.items()):
        joint = system.bodies[body].joint
        assert not isinstance(joint, Free)
        mount = isinstance(joint, Fixed)
        record.link = placed[body].link if mount else first_links[body]
        record.mount, record.first = int(mount), len(items)
        if mount:
            items += _items_beyond(system, rigidly_beyond(system, body), first_links)
            write_mount_inertia(record, system, body, placed, attached)
        record.count = len(items) - record.first
        if name in system.reactions:
            carrier, X_BF = body, system.reactions[name].pose()
        else:
            carrier, X_BF = system.bodies[body].parent, pose_at(joint.at, joint.attitude)
        X_LF = placed[carrier].X_LB @ X_BF
        record.frame_link, record.R_LF[:], record.p_LF[:] = placed[carrier].link, X_LF.R.ravel(), X_LF.p
    beyond = records(len(items), r.ITEM)
    for record, item in zip(beyond, items):
        record.kind, record.index, record.sign = item
    return out, beyond, {name: i for i, name in enumerate(names)}


def write_mount_inertia(
    record: np.record,
    system: System,
    body: str,
    placed: Mapping[str, BodyPlacement],
    attached: Sequence[Attached],
) -> None:
    """Write the rigid inertia of the bodies and structures beyond a mount."""
    beyond = rigidly_beyond(system, body)
    record.own[:] = sum(body_inertia(placed[name].X_LB, system.bodies[name]) for name in beyond)
    for structure in attached:
        if structure.flexible.body in beyond:
            record.own[:] += structure.own()


def mounted_bodies(system: System, placed: Container[str]) -> dict[str, tuple[int, ...]]:
    """Return the rows of the reactions of mounts that carry a body, directly or through other mounts, by its name."""
    rows: dict[str, tuple[int, ...]] = {}
    for row, body in enumerate(reaction_names(system, placed).values()):
        if isinstance(system.bodies[body].joint, Fixed):
            for name in rigidly_beyond(system, body):
                rows[name] = (*rows.get(name, ()), row)
    return rows


def _items_beyond(system: System, beyond: Sequence[str], first_links: Mapping[str, int]) -> list[Item]:
    """Return everything that acts on some rigidly connected bodies: links they carry, structures, forces."""
    children = [name for name, body in system.bodies.items() if body.parent in beyond and name in first_links]
    items = [(r.CHILD_LINK, first_links[name], 1.0) for name in children]
    items += [
        (r.APPENDAGE, i, 1.0)
        for i, structure in enumerate(system.structures.values())
        if structure.body in beyond
    ]
    for i, element in enumerate(system.elements().values()):
        ends = kind_of(type(element))[1].ends(element)
        if ends is not None:
            items += _sides(r.ELEMENT, i, *ends, beyond)
    for i, contact in enumerate(system.contacts.values()):
        items += _sides(r.PAIR, i, system.surfaces[contact.a].body, system.surfaces[contact.b].body, beyond)
    for i, face in enumerate(system.interfaces.values()):
        items += _sides(r.INTERFACE, i, face.holes.body, face.pins.body, beyond)
    plates: Iterable[str] = () if system.orbit is None else [p.body for p in system.orbit.plates.values()]
    return items + [(r.PLATE, i, 1.0) for i, body in enumerate(plates) if body in beyond]


def _sides(kind: int, index: int, a: str, b: str, beyond: Sequence[str]) -> list[Item]:
    """Return the sides of an element or contact that act on some bodies."""
    return [(kind, index, sign) for body, sign in ((a, -1.0), (b, 1.0)) if body in beyond]


def transmits_reaction(system: System, body: str) -> bool:
    """Return whether a joint or mount can transmit a reaction: a mount of a mere frame carries nothing."""
    if not isinstance(system.bodies[body].joint, Fixed):
        return not isinstance(system.bodies[body].joint, Free)
    beyond = rigidly_beyond(system, body)
    moving = {name: 0 for name, body in system.bodies.items() if not isinstance(body.joint, Fixed | Free)}
    return any(system.bodies[name].mass > 0.0 for name in beyond) or bool(
        _items_beyond(system, beyond, moving)
    )
