"""Conversion of a model to the arrays of the dynamics, with its initial state."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.axis_groups import group_axes
from softdock.assembly.bristles import bristle_kinds
from softdock.assembly.elements import (
    ElementArrays,
    element_arrays,
    element_states,
    empty_elements,
    state_indices,
)
from softdock.assembly.reactions import (
    body_inertia,
    has_inertia,
    mounted_bodies,
    reaction_names,
    reaction_records,
    write_mount_inertia,
)
from softdock.assembly.stop_balance import start_position
from softdock.assembly.structures import Attached, flexible_records, modal_scales, orbit_record, plate_records
from softdock.dynamics.kernels.forces.derivative import EXTRA_STATES
from softdock.dynamics.kernels.forces.derivative import WORLD as WORLD_RECORD
from softdock.dynamics.link_motion import LinkMotion
from softdock.dynamics.link_poses import base_pose, link_pose
from softdock.dynamics.system_arrays import SystemArrays
from softdock.elements.declaration import Surroundings
from softdock.elements.kernels.dispatch import Laws, States
from softdock.elements.kinds import kind_number
from softdock.elements.lock.model import Lock
from softdock.elements.registry import ELEMENT_KINDS, kind_of
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.model.changed_members import ChangedMembers
from softdock.model.orbit import HILL
from softdock.model.structures import Flexible
from softdock.model.system import WORLD, Body, System
from softdock.spatial.inertia import momentum
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import cross, matrix_from_quaternion, matrix_from_z_to
from softdock.tree import joints as j
from softdock.tree.indices import BodyPlacement, JointIndices, StateKind
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]
T = TypeVar("T", Laws, States)
Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Assembly(SystemArrays):
    """A system as arrays at its initial state, with the model and the indices of its names in the arrays."""

    system: System
    velocities: Floats
    """Initial velocities of free bases (angular first, base axes), speeds of joints and modal rates."""
    placed: dict[str, BodyPlacement]
    attached: list[Attached]
    """Flexible structures, in the order of their records."""
    element_states: dict[str, int]
    """Index of the first own entry in the state of those elements that have any."""
    mounted: dict[str, tuple[int, ...]]
    """Rows of the reactions of mounts that carry a body, directly or through other mounts, by its name."""
    link_motion: LinkMotion = field(default_factory=LinkMotion, compare=False, repr=False)
    """Evaluator of poses and velocities; systems that differ in numbers only share it."""


def assemble(system: System) -> Assembly:
    """Return the arrays of a system and its initial state: the layout, then all numbers."""
    return write_numbers(_LayoutBuilder(system).finish(), system)


FIXED = (
    "structures", "orbit", "reactions", *(kind.group for kind in ELEMENT_KINDS.values() if not kind.replaceable),
)  # fmt: skip
"""Groups of members whose numbers are part of the layout."""


def has_layout_of(system: System, changed: ChangedMembers) -> bool:
    """Return whether a system keeps the layout of another one from which it differs in numbers of some members."""
    moved = changed.names("bodies", "joint")
    return not changed.affects(*FIXED) and all(
        isinstance(system.bodies[name].joint, j.Free) for name in moved
    )


def write_numbers(layout: Assembly, system: System, changed: ChangedMembers | None = None) -> Assembly:
    """Return a copy of a layout with the numbers of a system, and its initial state.

    With `changed`, the layout has the numbers of a system that differs in these members only; the result has the same
    bits.
    """
    links, world = map(k.copy_records, (layout.links, layout.world))
    n_q = len(layout.state_kinds) - EXTRA_STATES - len(layout.velocities)
    q, u = layout.y[:n_q].copy(), layout.velocities.copy()
    if layout.attached:
        q[layout.state_kinds[:n_q] == StateKind.MODAL] = 0.0
    # Bodies on the arm of a robot have no place before the arm is added.
    placed = [name for name in system.bodies if name in layout.placed]
    moved: set[str] = set()
    for name in placed if changed is None else _balanced_joints(system, changed):
        joint, at = system.bodies[name].joint, layout.joints[name].at_q
        if len(joint.motions) == 1:
            q[at] = start_position(system, name, *joint.axes_at_start())
            if q[at] != layout.y[at]:
                moved.add(name)
    for name in placed if changed is None else changed.names("bodies", "joint"):
        joint, place = system.bodies[name].joint, layout.joints[name]
        if isinstance(joint, j.Free):
            q[place.at_q : place.at_q + 7], u[place.at_u : place.at_u + 6] = _initial_free_state(
                joint, system
            )
    heavier = placed if changed is None else changed.names("bodies", "mass", "centre_of_mass", "inertia")
    for link in sorted({layout.placed[name].link for name in heavier}):
        _write_link_inertia(links, link, layout, system)
    world.view(np.ndarray)["gravity"] = system.gravity
    written = replace(
        layout,
        system=system,
        links=links,
        world=world,
        velocities=u,
        reactions=_update_mounts(layout, system, heavier) if changed else layout.reactions,
        y=state(q, np.zeros(len(u))),
        **_written_elements(layout, system, q, u, changed, moved),
    )
    return _with_equilibrium(_in_motion(written, q))


def _balanced_joints(system: System, changed: ChangedMembers) -> set[str]:
    """Return the bodies with springs and stops along their joints of which numbers change; see `start_position`."""
    groups = (kind_of(model)[1].group for model in (Spring, Stop))
    return {getattr(system, group)[name].joint for group in groups for name in changed.names(group)}


def _written_elements(
    layout: Assembly, system: System, q: Floats, u: Floats, changed: ChangedMembers | None, moved: set[str]
) -> dict[str, Any]:
    """Return the fields of elements of an assembly: all of them, or copies with those that changed.

    Elements along the joints of bodies in `moved` are written again, too: a changed spring or stop has moved the start
    of the joint.
    """
    around = Surroundings(placed=layout.placed, joints=layout.joints, q=q, u=u, flexible=layout.flexible)
    indices = layout.element_states
    if changed is None:
        arrays = element_arrays(system, indices, around)
        tables = np.array(around.tables, float).reshape(-1, 2)
        breaks = np.unique(tables[np.isfinite(tables[:, 0]), 0])
        index = {name: i for i, name in enumerate(system.elements())}
        return _arrays_of(arrays) | {"element_index": index, "tables": tables, "breaks": breaks}
    written: dict[str, set[str]] = {}
    for key, kind in ELEMENT_KINDS.items():
        names = set(changed.names(kind.group))
        if moved:
            elements = getattr(system, kind.group)
            names |= {name for name, element in elements.items() if getattr(element, "joint", None) in moved}
        if names:
            written[key] = names
    if not written:
        return {}
    arrays = _copied_elements(layout, written)
    for key, names in written.items():
        for name in names:
            element = getattr(system, ELEMENT_KINDS[key].group)[name]
            arrays.fill(layout.element_index[name], element, indices.get(name, -1), around)
    return _arrays_of(arrays)


def _arrays_of(arrays: ElementArrays) -> dict[str, Any]:
    """Return the records of elements as fields of an assembly."""
    return {
        "elements": arrays.elements,
        "element_data": arrays.data,
        "laws": arrays.laws,
        "states": arrays.states,
    }


def _copied_elements(assembly: Assembly, kinds: Collection[str]) -> ElementArrays:
    """Return the records of all elements, with copies of those that are written for elements of some kinds."""
    return ElementArrays(
        elements=k.copy_records(assembly.elements),
        data=k.copy_records(assembly.element_data),
        laws=_with_copies(assembly.laws, kinds),
        states=_with_copies(assembly.states, kinds),
    )


def _with_copies(arrays: T, kinds: Collection[str]) -> T:
    """Return laws or states with copies of those of some kinds."""
    pairs = zip(arrays._fields, arrays)
    return type(arrays)(*[k.copy_records(array) if kind in kinds else array for kind, array in pairs])


def _with_equilibrium(assembly: Assembly) -> Assembly:
    """Return the assembly with structures marked as `settled` in static equilibrium."""
    if any(structure.settled for structure in assembly.system.structures.values()):
        from softdock.assembly.equilibrium import settle_structures  # imports this module

        return settle_structures(assembly)
    return assembly


def _update_mounts(layout: Assembly, system: System, changed: Iterable[str]) -> np.recarray:
    """Return the reactions with the inertias beyond those mounts that carry a body with another inertia."""
    rows = sorted({row for body in changed for row in layout.mounted.get(body, ())})
    if not rows:
        return layout.reactions
    reactions, bodies = k.copy_records(layout.reactions), list(reaction_names(system, layout.placed).values())
    for row in rows:
        write_mount_inertia(reactions[row], system, bodies[row], layout.placed, layout.attached)
    return reactions


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
    q[place.at_q : place.at_q + 7], u[place.at_u : place.at_u + 6] = _initial_free_state(start, system)
    momenta_before = assembly.y[n_q : n_q + len(u)]
    moved = replace(assembly, velocities=u, y=state(q, np.zeros(len(u))))
    return _with_equilibrium(_in_motion(moved, q, assembly.placed[name].link, momenta_before))


def _write_link_inertia(links: np.recarray, link: int, layout: Assembly, system: System) -> None:
    """Write the inertia of a link: the sum over its bodies and structures."""
    own = np.zeros(10)
    for name, placed in layout.placed.items():
        if placed.link == link and name in system.bodies and has_inertia(system.bodies[name]):
            own += body_inertia(placed.X_LB, system.bodies[name])
    for attached in layout.attached:
        if attached.link == link:
            own += attached.own()
    links.view(np.ndarray)["own"][link] = own


LINKS_OF_AXES = {
    "sliding": (k.PRISMATIC, StateKind.LENGTH, StateKind.SPEED),
    "turning": (k.REVOLUTE, StateKind.ANGLE, StateKind.RATE),
}
"""Kind of link, and kinds of its entries of the state, by the motion of an axis of a joint."""


class _LayoutBuilder:
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
            **_arrays_of(empty_elements()),
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


def _initial_free_state(joint: j.Free | FreeStart, system: System) -> tuple[list[float], list[float]]:
    """Return initial position and velocity of a free body; `momenta` replaces the velocity by momentum later."""
    orbit = system.orbit
    turning = orbit.rate() if orbit is not None and orbit.start == "hill" else np.zeros(3)
    q = j.quaternion(joint.attitude)
    R_BN, velocity = matrix_from_quaternion(q).T, np.asarray(joint.velocity) + cross(turning, joint.position)
    return [*joint.position, *q], [*(joint.rate + R_BN @ turning), *(R_BN @ velocity)]


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


def _in_motion(
    assembly: Assembly, q: Floats, base: int | None = None, momenta_before: Floats | None = None
) -> Assembly:
    """Return an assembly at rest with its momenta and speeds; welds and locks keep the relative poses of its state.

    With `base`, the base of a tree, the momenta of all other trees are as before.
    """
    holding = [
        name
        for name, kind in ELEMENT_KINDS.items()
        if kind.holds_pose and len(getattr(assembly.states, name))
    ]
    if not (holding or assembly.velocities.any()):
        return assembly
    # Velocities stand in for momenta: the motion of free bases is wrong and not used.
    motions = motions_at_state(assembly, state(q, assembly.velocities))
    y = state(q, momenta(assembly.links, motions, assembly.velocities, base, momenta_before))
    states = _with_copies(assembly.states, holding)
    for name in holding:
        _hold_poses(assembly, kind_number(name), getattr(states, name), motions)
    return replace(assembly, y=y, states=states)


def state(q: Floats, momenta_and_speeds: Floats) -> Floats:
    """Return the state vector of positions, and of momenta and speeds."""
    return np.concatenate([q, momenta_and_speeds, np.zeros(EXTRA_STATES)])


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
