"""Layout of the arrays of a system: links, joints with their frames, indices, structures, reactions."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly, element_fields, state
from softdock.assembly.axis_groups import group_axes
from softdock.assembly.bristles import bristle_kinds
from softdock.assembly.elements import (
    element_states,
    empty_elements,
    state_indices,
)
from softdock.assembly.reactions import (
    mounted_bodies,
    reaction_records,
)
from softdock.assembly.structures import Attached, flexible_records, modal_scales, orbit_record, plate_records
from softdock.dynamics.kernels.forces.derivative import EXTRA_STATES
from softdock.dynamics.kernels.forces.derivative import WORLD as WORLD_RECORD
from softdock.elements.kernels.dispatch import Laws, States
from softdock.elements.lock.model import Lock
from softdock.model.orbit import HILL
from softdock.model.structures import Flexible
from softdock.model.system import WORLD, Body, System
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_z_to
from softdock.tree import joints as j
from softdock.tree.indices import BodyPlacement, JointIndices, StateKind
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]
T = TypeVar("T", Laws, States)
Vector = tuple[float, float, float]


LINKS_OF_AXES = {
    "sliding": (k.PRISMATIC, StateKind.LENGTH, StateKind.SPEED),
    "turning": (k.REVOLUTE, StateKind.ANGLE, StateKind.RATE),
}
"""Kind of link, and kinds of its entries of the state, by the motion of an axis of a joint."""


class LayoutBuilder:
    """Builder of what numbers do not change: links, joints with their frames, indices, structures, reactions."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.links: list[np.record] = []
        self.placed: dict[str, BodyPlacement] = {}
        self.joints: dict[str, JointIndices] = {}
        self.first_links: dict[str, int] = {}
        self.q: list[float] = []
        self.u: list[float] = []
        self.q_kinds: list[StateKind] = []
        self.u_kinds: list[StateKind] = []
        self._add_link(k.GROUND, -1, 0, Pose.identity())
        self.placed[WORLD] = BodyPlacement(link=0, X_LB=Pose.identity())
        self.hill = 0
        if system.orbit is not None:
            self.hill = self._add_link(k.GROUND, -1, 0, Pose.identity())
            self.placed[HILL] = BodyPlacement(link=self.hill, X_LB=Pose.identity())
        for name in _parents_first(system):
            self._add_body(name, system.bodies[name])
        self.attached = [self._attach(name, flexible) for name, flexible in system.structures.items()]

    def _add_link(self, kind: int, parent: int, rows: int, X_PJ: Pose) -> int:
        record = k.records(1, k.LINK)[0]
        index = len(self.links)
        record.kind, record.parent, record.rows = kind, parent, rows
        record.root = index if parent < 0 else self.links[parent].root
        record.at_q, record.at_u = len(self.q), len(self.u)
        record.R_PJ[:], record.p_PJ[:] = X_PJ.R.ravel(), X_PJ.p
        self.links.append(record)
        return index

    def _add_state(
        self, positions: list[float], q_kinds: list[StateKind], speeds: list[float], u_kinds: list[StateKind]
    ) -> None:
        self.q += positions
        self.u += speeds
        self.q_kinds += q_kinds
        self.u_kinds += u_kinds

    def _add_body(self, name: str, body: Body) -> None:
        joint = body.joint
        at_q, at_u = len(self.q), len(self.u)
        if isinstance(joint, j.Free):
            link = self._add_link(k.FREE, -1, 6, Pose.identity())
            self._add_state(
                [0.0] * 7,
                [StateKind.LENGTH] * 3 + [StateKind.QUATERNION] * 4,
                [0.0] * 6,
                [StateKind.ANGULAR_MOMENTUM] * 3 + [StateKind.MOMENTUM] * 3,
            )
            X_LB = Pose.identity()
        else:
            parent = self.placed[body.parent]
            X_LJ = parent.X_LB @ j.pose_at(joint.at, joint.attitude)
            if not isinstance(joint, j.Fixed):
                self.first_links[name] = len(self.links)
            link, X_LB = self._add_joint(joint, parent.link, X_LJ)
        self.placed[name] = BodyPlacement(link=link, X_LB=X_LB)
        ball = isinstance(joint, j.Spherical)
        self.joints[name] = JointIndices(at_q=at_q, at_u=at_u, rows=len(joint.motions), ball=ball)

    def _attach(self, name: str, flexible: Flexible) -> Attached:
        placed = self.placed[flexible.body]
        return Attached(
            name=name,
            flexible=flexible,
            modes=flexible.find_modes(self.system.directory),
            link=placed.link,
            X_LB=placed.X_LB,
        )

    def _add_joint(self, joint: j.JointToParent, parent: int, X_LJ: Pose) -> tuple[int, Pose]:
        """Add the links of a joint with frame J in the parent link; returns the last link and the body frame in it."""
        if isinstance(joint, j.Spherical):
            link = self._add_link(k.BALL, parent, 3, X_LJ)
            q = list(j.quaternion(joint.turned))
            self._add_state(q, [StateKind.QUATERNION] * 4, list(joint.rate), [StateKind.RATE] * 3)
            return link, Pose.identity()
        X, link = X_LJ, parent
        for axis in joint.axes_at_start():
            kind, q_kind, u_kind = LINKS_OF_AXES[axis.motion]
            align = Pose(R=matrix_from_z_to(j.direction(axis.axis)), p=np.zeros(3))
            link = self._add_link(kind, link, 1, X @ align)
            self._add_state([axis.position], [q_kind], [axis.speed], [u_kind])
            X = align.inverse()
        return link, X

    def finish(self) -> Assembly:
        """Return an assembly whose numbers of masses, free bodies, elements and gravity are missing."""
        links = k.records(len(self.links), k.LINK)
        for i, link in enumerate(self.links):
            links[i] = link
        groups, tiles = group_axes(links)
        flexible = flexible_records(self.attached, len(self.q), len(self.u))
        modal = len(flexible.modes)
        self._add_state(
            [0.0] * modal, [StateKind.MODAL] * modal, [0.0] * modal, [StateKind.MODAL_RATE] * modal
        )
        own = [kind for kinds in element_states(self.system).values() for kind in kinds]
        own += bristle_kinds(self.system)
        self._add_state([0.0] * len(own), own, [], [])
        world = k.records(1, WORLD_RECORD)
        world[0].n_q, world[0].n_u, world[0].element_states = len(self.q), len(self.u), len(own)
        locks = len(self.system.elements_of(Lock))
        element_rows = state_indices(self.system, len(self.q) - len(bristle_kinds(self.system)))
        reactions, items, reaction_index = reaction_records(
            self.system, self.placed, self.first_links, self.attached
        )
        return Assembly(
            system=self.system,
            links=links,
            groups=groups,
            tiles=tiles,
            **element_fields(empty_elements()),
            tables=np.zeros((0, 2)),
            world=world,
            breaks=np.zeros(0),
            y=state(np.array(self.q), np.zeros(len(self.u))),
            velocities=np.array(self.u),
            placed=self.placed,
            joints=self.joints,
            element_index={},
            element_states=element_rows,
            mounted=mounted_bodies(self.system, self.placed),
            attached=self.attached,
            modal_scales=modal_scales(self.attached),
            flexible=flexible,
            lock_count=locks,
            orbit=orbit_record(self.system.orbit, self.hill),
            plates=self._plate_records(),
            reactions=reactions,
            items=items,
            reaction_index=reaction_index,
            state_kinds=np.array([*self.q_kinds, *self.u_kinds] + [StateKind.ENERGY] * EXTRA_STATES),
        )

    def _plate_records(self) -> np.recarray:
        """Return the plates of the orbit, on which drag and solar pressure act."""
        orbit = self.system.orbit
        return plate_records(
            [
                (self.placed[plate.body].link, self.placed[plate.body].X_LB, plate)
                for plate in (orbit.plates.values() if orbit is not None else ())
            ]
        )


def _parents_first(system: System) -> list[str]:
    """Return body names tree by tree, parents before children."""
    children: dict[str, list[str]] = {}
    for name, body in system.bodies.items():
        children.setdefault(body.parent, []).append(name)
    order: list[str] = []
    stack = children.get(WORLD, [])[::-1]
    while stack:
        name = stack.pop()
        order.append(name)
        stack += children.get(name, [])[::-1]
    return order
