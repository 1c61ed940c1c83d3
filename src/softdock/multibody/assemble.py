"""From a system as people describe it to the records that the kernels read: the one function between the two."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.multibody import joints as j
from softdock.multibody.anchor import Anchor
from softdock.multibody.around import HILL
from softdock.multibody.attach import Attached, FlexibleRecords, flexible_records, orbit_record, plate_records
from softdock.multibody.kernels import elements as e
from softdock.multibody.kernels import tree as k
from softdock.multibody.kernels.appendages import add_modal_momentum, deform
from softdock.multibody.kernels.derivative import EXTRA_STATES
from softdock.multibody.kernels.derivative import WORLD as WORLD_RECORD
from softdock.multibody.kernels.kinematics import joint_velocities, link_velocities, place_links
from softdock.multibody.structures import Flexible
from softdock.multibody.system import (
    WORLD,
    Body,
    Drive,
    JointElement,
    Load,
    Lock,
    Spring,
    Stop,
    Strut,
    System,
    Weld,
)

Floats = NDArray[np.float64]
UNLIMITED = e.UNLIMITED


@dataclass(frozen=True, kw_only=True)
class Placed:
    """Where a body lives among the links."""

    link: int
    X_LB: j.Pose
    """Body frame in its link."""


@dataclass(frozen=True, kw_only=True)
class JointPlace:
    """Where a joint lives in the state."""

    at_q: int
    at_u: int
    rows: int
    ball: bool


@dataclass(frozen=True, kw_only=True)
class Assembly:
    """A system as arrays, at its initial state, with the way back to names."""

    links: np.recarray
    axes: np.recarray
    elements: np.recarray
    tables: Floats
    world: np.recarray
    breaks: Floats
    y: Floats
    """Initial state."""
    velocities: Floats
    """Initial velocities of free bases (angular first, base axes), speeds of joints and modal rates."""
    placed: dict[str, Placed]
    joints: dict[str, JointPlace]
    element_index: dict[str, int]
    attached: list[Attached]
    """Flexible structures, in the order of their records."""
    flexible: FlexibleRecords
    locks: Floats
    orbit: np.recarray
    plates: np.recarray
    classes: NDArray[np.int64]
    """What each state is: one of the constants below; for error control."""


LENGTH, ANGLE, SPEED, RATE, QUATERNION, MOMENTUM, ANGULAR_MOMENTUM, LEDGER, MODAL, MODAL_RATE = range(10)


def assemble(system: System) -> Assembly:
    """Return the arrays of a system and its initial state."""
    assembly = _Assembler(system).finish()
    if any(structure.settled for structure in system.structures.values()):
        from softdock.multibody.settling import settled  # stands above this module

        return settled(assembly)
    return assembly


class _Assembler:
    def __init__(self, system: System) -> None:
        self.system = system
        self.links: list[np.record] = []
        self.placed: dict[str, Placed] = {}
        self.joints: dict[str, JointPlace] = {}
        self.q: list[float] = []
        self.u: list[float] = []
        self.q_class: list[int] = []
        self.u_class: list[int] = []
        self._add_link(k.GROUND, -1, 0, _identity())
        self.placed[WORLD] = Placed(link=0, X_LB=_identity())
        self.hill = 0
        if system.orbit is not None:
            self.hill = self._add_link(k.GROUND, -1, 0, _identity())
            self.placed[HILL] = Placed(link=self.hill, X_LB=_identity())
        for name in _parents_first(system):
            self._add_body(name, system.bodies[name])
        self.attached = [self._attach(name, flexible) for name, flexible in system.structures.items()]

    def _add_link(self, kind: int, parent: int, rows: int, X_PJ: j.Pose) -> int:
        record = k.records(1, k.LINK)[0]
        index = len(self.links)
        record.kind, record.parent, record.rows = kind, parent, rows
        record.root = index if parent < 0 else self.links[parent].root
        record.at_q, record.at_u = len(self.q), len(self.u)
        record.R_PJ[:], record.p_PJ[:] = X_PJ.R.ravel(), X_PJ.p
        record.R_NB[:] = np.eye(3).ravel()
        self.links.append(record)
        return index

    def _add_state(
        self, positions: list[float], q_class: list[int], speeds: list[float], u_class: list[int]
    ) -> None:
        self.q += positions
        self.u += speeds
        self.q_class += q_class
        self.u_class += u_class

    def _add_body(self, name: str, body: Body) -> None:
        joint = body.joint
        at_q, at_u = len(self.q), len(self.u)
        if isinstance(joint, j.Free):
            link = self._add_link(k.FREE, -1, 6, _identity())
            q = j.quaternion(joint.attitude)
            turning = self._turning()
            R_BN, velocity = j.matrix(q).T, np.asarray(joint.velocity) + np.cross(turning, joint.position)
            self._add_state(
                [*joint.position, *q],
                [LENGTH] * 3 + [QUATERNION] * 4,
                [*(joint.rate + R_BN @ turning), *(R_BN @ velocity)],  # replaced by momentum at the end
                [ANGULAR_MOMENTUM] * 3 + [MOMENTUM] * 3,
            )
            X_LB = _identity()
        else:
            parent = self.placed[body.parent]
            X_LJ = parent.X_LB @ j.pose_at(joint.at, joint.attitude)
            link, X_LB = self._add_joint(joint, parent.link, X_LJ)
        self.placed[name] = Placed(link=link, X_LB=X_LB)
        rows = len(j.MOTIONS[joint.type])
        self.joints[name] = JointPlace(at_q=at_q, at_u=at_u, rows=rows, ball=isinstance(joint, j.Spherical))
        self._add_inertia(self.links[link], X_LB, body)

    def _turning(self) -> Floats:
        """Return the angular velocity of the frame in which free bodies start, in the world."""
        orbit = self.system.orbit
        return orbit.rate() if orbit is not None and orbit.start == "hill" else np.zeros(3)

    def _attach(self, name: str, flexible: Flexible) -> Attached:
        placed = self.placed[flexible.body]
        attached = Attached(
            name=name,
            flexible=flexible,
            modes=flexible.find_modes(self.system.directory),
            link=placed.link,
            X_LB=placed.X_LB,
        )
        self.links[placed.link].own[:] += attached.own()
        return attached

    def _add_joint(self, joint: j.Joint, parent: int, X_LJ: j.Pose) -> tuple[int, j.Pose]:
        """Add the links of a joint whose frame J sits in the parent link; returns the last, and the body in it."""
        if isinstance(joint, j.Fixed):
            return parent, X_LJ
        if isinstance(joint, j.Spherical):
            link = self._add_link(k.BALL, parent, 3, X_LJ)
            q = list(j.quaternion(joint.turned))
            self._add_state(q, [QUATERNION] * 4, list(joint.rate), [RATE] * 3)
            return link, _identity()
        slides = (k.PRISMATIC, LENGTH, SPEED)
        turns = (k.REVOLUTE, ANGLE, RATE)
        if isinstance(joint, j.Revolute):
            steps = [(turns, j.direction(joint.axis), joint.angle, joint.rate)]
        elif isinstance(joint, j.Prismatic):
            steps = [(slides, j.direction(joint.axis), joint.position, joint.speed)]
        elif isinstance(joint, j.Universal):
            steps = [
                (turns, j.direction(axis), angle, rate)
                for axis, angle, rate in zip(joint.axes, joint.angles, joint.rates)
            ]
        else:
            assert isinstance(joint, j.Planar)
            steps = [
                (slides, j.direction("x"), joint.position[0], joint.velocity[0]),
                (slides, j.direction("y"), joint.position[1], joint.velocity[1]),
                (turns, j.direction("z"), joint.angle, joint.rate),
            ]
        X, link = X_LJ, parent
        for (kind, q_class, u_class), axis, position, speed in steps:
            align = j.Pose(R=_z_to(axis), p=np.zeros(3))
            link = self._add_link(kind, link, 1, X @ align)
            self._add_state([position], [q_class], [speed], [u_class])
            X = j.Pose(R=align.R.T, p=np.zeros(3))
        return link, X

    def _add_inertia(self, link: np.record, X_LB: j.Pose, body: Body) -> None:
        m = body.mass
        c = X_LB.p + X_LB.R @ np.asarray(body.centre_of_mass)
        inertia = X_LB.R @ body.inertia_matrix() @ X_LB.R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
        link.own[0] += m
        link.own[1:4] += m * c
        link.own[4:7] += np.diag(inertia)
        link.own[7:] += [inertia[0, 1], inertia[0, 2], inertia[1, 2]]

    def finish(self) -> Assembly:
        links = k.records(len(self.links), k.LINK)
        for i, link in enumerate(self.links):
            links[i] = link
        axes = k.records(len(self.u), k.AXIS)
        flexible = flexible_records(self.attached, len(self.q), len(self.u))
        modal = len(flexible.modes)
        self._add_state([0.0] * modal, [MODAL] * modal, [0.0] * modal, [MODAL_RATE] * modal)
        world = k.records(1, WORLD_RECORD)
        world[0].gravity[:] = self.system.gravity
        world[0].n_q, world[0].n_u = len(self.q), len(self.u)
        elements, index, tables, breaks = self._elements(flexible)
        orbit = self.system.orbit
        plates = [
            (self.placed[plate.body].link, self.placed[plate.body].X_LB, plate)
            for plate in (orbit.plates.values() if orbit is not None else ())
        ]
        q, u = np.array(self.q), np.array(self.u)
        y = np.concatenate([q, momenta(links, axes, q, u, flexible), [0.0] * EXTRA_STATES])
        _hold_start(elements, links)
        return Assembly(
            links=links,
            axes=axes,
            elements=elements,
            tables=tables,
            world=world,
            breaks=breaks,
            y=y,
            velocities=u,
            placed=self.placed,
            joints=self.joints,
            element_index=index,
            attached=self.attached,
            flexible=flexible,
            locks=np.zeros((6 * len(self.system.locks), 6 * len(self.system.locks) + 1)),
            orbit=orbit_record(orbit, self.hill),
            plates=plate_records(plates),
            classes=np.array([*self.q_class, *self.u_class] + [LEDGER] * EXTRA_STATES),
        )

    def _elements(self, flexible: FlexibleRecords) -> tuple[np.recarray, dict[str, int], Floats, Floats]:
        s = self.system
        named = list(s.elements().items())
        records = k.records(len(named), e.ELEMENT)
        rows: list[tuple[float, float]] = []
        for i, (_, element) in enumerate(named):
            record = records[i]
            record.active = int(element.active)
            record.max_force = record.max_power = record.rate = record.upper = UNLIMITED
            record.lower, record.node = -UNLIMITED, -1
            if isinstance(element, JointElement):
                self._write_joint_element(record, element)
            elif isinstance(element, Load):
                self._write_load(record, element, rows, flexible)
            else:
                self._write_connection(record, element)
        tables = np.array(rows, float).reshape(-1, 2)
        breaks = np.unique(tables[np.isfinite(tables[:, 0]), 0])
        return records, {name: i for i, (name, _) in enumerate(named)}, tables, breaks

    def _write_joint_element(self, record: np.record, element: JointElement) -> None:
        place = self.joints[element.joint]
        axis = element.axis or 0
        record.at_q, record.at_u = place.at_q + axis, place.at_u + axis
        record.rows = place.rows if element.axis is None else 1
        record.ball = int(place.ball)
        if isinstance(element, Spring):
            record.kind = e.SPRING
            record.stiffness[0], record.damping[0] = element.stiffness, element.damping
            record.rest[0], record.preload = element.rest, element.preload
            record.friction, record.friction_speed = element.friction, element.friction_speed
            if element.exponential:
                record.law = e.EXPONENTIAL
                record.reference, record.exponent = (
                    element.exponential.reference,
                    element.exponential.exponent,
                )
        elif isinstance(element, Stop):
            record.kind = e.STOP
            record.stiffness[0], record.damping[0] = element.stiffness, element.damping
            record.lower = -UNLIMITED if element.lower is None else element.lower
            upper = element.limit if element.limit is not None else element.upper
            record.upper = UNLIMITED if upper is None else upper
        else:
            assert isinstance(element, Drive)
            speed = element.follows == "speed"
            record.kind = e.DRIVE_SPEED if speed else e.DRIVE_POSITION
            record.target = element.target
            record.stiffness[0], record.damping[0] = element.stiffness, element.damping
            record.x_on = self.u[record.at_u] if speed else self.q[record.at_q]
            for key in ("rate", "max_force", "max_power"):
                value = getattr(element, key)
                record[key] = UNLIMITED if value is None else value

    def _write_load(
        self, record: np.record, load: Load, rows: list[tuple[float, float]], flexible: FlexibleRecords
    ) -> None:
        record.kind = e.LOAD
        record.wrench[:] = [*load.torque, *load.force]
        record.in_body = int(load.axes == "body")
        record.b = self._write_frame(record, "b", "G", Anchor(body=load.body, at=load.at))
        if load.node is not None:
            record.node = flexible.node_index[load.node]
            record.p_bG[:] = flexible.nodes[record.node].p
        record.table, steps = len(rows), load.steps()
        record.table_rows = len(steps)
        rows += steps

    def _write_connection(self, record: np.record, element: Strut | Weld | Lock) -> None:
        record.a = self._write_frame(record, "a", "F", element.a)
        record.b = self._write_frame(record, "b", "G", element.b)
        if isinstance(element, Strut):
            record.kind = e.STRUT
            record.stiffness[0], record.damping[0] = element.stiffness, element.damping
            record.rest[0], record.preload = element.length, element.preload
        elif isinstance(element, Lock):
            record.kind = e.LOCK
        else:
            record.kind = e.WELD
            record.stiffness[:] = [element.angular_stiffness] * 3 + [element.stiffness] * 3
            record.damping[:] = [element.angular_damping] * 3 + [element.damping] * 3

    def _write_frame(self, record: np.record, body: str, frame: str, anchor: Anchor) -> int:
        placed = self.placed[anchor.body]
        X = placed.X_LB @ anchor.pose()
        record[f"R_{body}{frame}"] = X.R.ravel()
        record[f"p_{body}{frame}"] = X.p
        return placed.link


def _identity() -> j.Pose:
    return j.Pose(R=np.eye(3), p=np.zeros(3))


def _z_to(axis: Floats) -> Floats:
    """Return the smallest rotation that takes the z axis to a unit vector."""
    x, y, z = axis
    if z < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    a = 1.0 / (1.0 + z)
    return np.array([[1 - x * x * a, -x * y * a, x], [-x * y * a, 1 - y * y * a, y], [-x, -y, z]])


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


def momenta(links: np.recarray, axes: np.recarray, q: Floats, u: Floats, flexible: FlexibleRecords) -> Floats:
    """Replace the velocity of every free base in `u` by the momentum of its tree."""
    appendages, modes = flexible.appendages.copy(), flexible.modes
    place_links(links, axes, q)
    deform(links, appendages, modes, q)
    joint_velocities(links, axes, u)
    add_modal_momentum(links, appendages, modes, u)
    for link in links:
        link.V[:] = u[link.at_u : link.at_u + 6] if link.kind == k.FREE else 0.0
    link_velocities(links, np.zeros(3))
    out = u.copy()
    for link in links:
        if link.kind == k.FREE:
            h = links.h[links.root == link.root].sum(axis=0)
            R, p = link.R_NB.reshape(3, 3), link.p_NB
            force = R @ h[3:]
            out[link.at_u : link.at_u + 6] = np.concatenate([R @ h[:3] + np.cross(p, force), force])
    return out


def _hold_start(elements: np.recarray, links: np.recarray) -> None:
    """Let welds and locks hold the relative pose at the start; expects placed links."""
    for element in elements:
        if element.kind not in (e.WELD, e.LOCK):
            continue
        frames = []
        for link, R, p in (
            (links[element.a], element.R_aF, element.p_aF),
            (links[element.b], element.R_bG, element.p_bG),
        ):
            base = links[link.root]
            X_NL = j.Pose(R=base.R_NB.reshape(3, 3), p=base.p_NB) @ j.Pose(R=link.R.reshape(3, 3), p=link.p)
            frames.append(X_NL @ j.Pose(R=R.reshape(3, 3), p=p))
        F, G = frames
        element.R_FG[:] = (F.R.T @ G.R).ravel()
        element.p_FG[:] = F.R.T @ (G.p - F.p)
