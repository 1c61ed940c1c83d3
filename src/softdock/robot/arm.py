"""An arm as its controller knows it: where its links are, what moves how fast, which torques a motion needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import Assembly, assemble
from softdock.dynamics.kernels.tree import FREE, PRISMATIC, REVOLUTE
from softdock.errors import InputError
from softdock.model import joints as j
from softdock.model.system import WORLD, Body, System
from softdock.robot.entry_points import evaluate_arm, place_arm
from softdock.robot.kernels.arm import ArmModel, ArmMotion
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
GROUND = "ground-below-the-arm"
"""Name of the base that stands for the world in an arm's own model."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dynamics:
    """Mass matrix and forces at one state; rows of a free base (angular first, in its axes) before the joints'."""

    M: Floats
    """Mass matrix (6 + joints, 6 + joints)."""
    h: Floats
    """Forces that the velocities and gravity need without any acceleration (6 + joints,)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Arm:
    """The model of an arm with all that is fixed to it; joints in the order of the simulation's axes.

    Everything is in the frame B of the arm's base: the world, or the body that carries the arm. Spatial vectors have
    the angular part first.
    """

    bodies: tuple[str, ...]
    """Names of the bodies that the joints move."""
    floating: bool
    """Whether the base floats freely; otherwise it is held."""
    X_NB: Pose
    """Base in the world at the start."""
    assembly: Assembly
    model: ArmModel
    motion: ArmMotion = field(repr=False)

    @property
    def joints(self) -> int:
        """Number of joints."""
        return len(self.bodies)

    def dynamics(self, q: Floats, u: Floats, gravity: Floats, udot: Floats | None = None) -> Dynamics:
        """Return mass matrix and forces; `u` (joints,), or (6 + joints,) with the base's own; gravity in B."""
        n = self.joints
        M, h = np.zeros((6 + n, 6 + n)), np.zeros(6 + n)
        evaluate_arm(
            self.model, self.motion, _floats(q), _with_base(u, n), _with_base(udot, n), _floats(gravity), M, h
        )
        return Dynamics(M=M, h=h)

    def mass_matrix(self, q: Floats) -> Floats:
        """Return the mass matrix of the joints while the base is held (joints, joints); Eq. (A4)."""
        return self.dynamics(q, np.zeros(self.joints), np.zeros(3)).M[6:, 6:]

    def felt_mass_matrix(self, q: Floats) -> Floats:
        """Return the mass matrix that joint torques feel: a floating base gives way; Eq. (A7)."""
        return felt(self.dynamics(q, np.zeros(self.joints), np.zeros(3)).M, self.floating)

    def bias(self, q: Floats, qdot: Floats, gravity: Floats) -> Floats:
        """Return the torques that velocities and gravity need, base at rest (joints,); Eq. (A6)."""
        return self.dynamics(q, qdot, gravity).h[6:]

    def gravity_torque(self, q: Floats, gravity: Floats) -> Floats:
        """Return the torques that hold the arm against gravity (joints,)."""
        return self.bias(q, np.zeros(self.joints), gravity)

    def inverse_dynamics(self, q: Floats, qdot: Floats, qddot: Floats, gravity: Floats) -> Floats:
        """Return the torques of a motion, base at rest (joints,); Eq. (A6)."""
        return self.dynamics(q, qdot, gravity, qddot).h[6:]

    def pose(self, q: Floats, body: str, at: Pose | None = None) -> Pose:
        """Return a body, or a frame on it, in B."""
        place_arm(self.model, self.motion, _floats(q))
        placed = self.assembly.placed[body]
        link = placed.link - 1
        X_BL = Pose(R=self.motion.R[link].reshape(3, 3).copy(), p=self.motion.p[link].copy())
        X = X_BL @ placed.X_LB
        return X if at is None else X @ at

    def jacobian(self, q: Floats, body: str, at: Pose | None = None) -> Floats:
        """Return (6, joints): angular velocity and velocity of a frame's origin per joint speed, in B; Eq. (A8)."""
        p = self.pose(q, body, at).p
        J = np.zeros((6, self.joints))
        link = self.assembly.placed[body].link - 1
        way = []
        while link > 0:
            way.append(link)
            link = int(self.model.parent[link])
        columns = np.array(way, int) - 1
        (sx, sy, sz), moving = self.motion.S[way, :3].T, self.motion.S[way, 3:].T
        J[:3, columns] = sx, sy, sz
        J[3:, columns] = moving
        J[3:, columns] += sy * p[2] - sz * p[1], sz * p[0] - sx * p[2], sx * p[1] - sy * p[0]
        return J


def felt(M: Floats, floating: bool) -> Floats:
    """Return the joints' mass matrix out of the whole one; a base that gives way is eliminated; Eq. (A7)."""
    if not floating:
        return M[6:, 6:]
    return np.asarray(M[6:, 6:] - M[6:, :6] @ np.linalg.solve(M[:6, :6], M[:6, 6:]))


def arm_of(bodies: Mapping[str, Body], root: str, moving: Sequence[str]) -> Arm:
    """Return the model of an arm among bodies: its base body, and the bodies that its joints move.

    What is fixed to the arm (a tool) or to the body that carries it belongs to the model; what hangs on other joints
    does not.
    """
    top = root
    while top != WORLD and (bodies[top].joint.type == "fixed" or top in moving):
        top = bodies[top].parent
    part: dict[str, Body] = {}
    if top == WORLD:
        part[GROUND] = Body(joint=j.Free())
        X_NB, floating = Pose(R=np.eye(3), p=np.zeros(3)), False
    else:
        start = bodies[top].joint
        part[top] = bodies[top].model_copy(update={"joint": j.Free(), "parent": WORLD})
        X_NB, floating = _start(start), isinstance(start, j.Free)
    base = next(iter(part))
    _collect(bodies, top, base, set(moving), part)
    assembly = assemble(System(bodies=part))
    order = sorted(moving, key=lambda name: assembly.joints[name].at_u)
    links = assembly.links[1:].view(np.recarray)
    if not all(link.kind in (FREE, REVOLUTE, PRISMATIC) for link in links) or len(links) != 1 + len(moving):
        raise InputError("An arm's joints must be revolute, continuous or prismatic.")
    return Arm(
        bodies=tuple(order),
        floating=floating,
        X_NB=X_NB,
        assembly=assembly,
        model=_model(links),
        motion=_memory(len(links)),
    )


def _collect(
    bodies: Mapping[str, Body], top: str, base: str, moving: set[str], part: dict[str, Body]
) -> None:
    """Add all bodies that hang on the base by fixed joints and the arm's own."""
    waiting = [top]
    while waiting:
        parent = waiting.pop()
        for name, body in bodies.items():
            if body.parent == parent and (body.joint.type == "fixed" or name in moving) and name not in part:
                part[name] = body.model_copy(update={"parent": base}) if parent == top else body
                waiting.append(name)


def _start(joint: j.Joint) -> Pose:
    if isinstance(joint, j.Free):
        return j.pose_at(joint.position, joint.attitude)
    return j.pose_at(joint.at, joint.attitude)


def _model(links: np.recarray) -> ArmModel:
    return ArmModel(
        parent=np.array([-1, *(int(link.parent) - 1 for link in links[1:])], np.int64),
        turns=np.array([int(link.kind == REVOLUTE) for link in links], np.int64),
        R_PJ=np.array([link.R_PJ for link in links]),
        p_PJ=np.array([link.p_PJ for link in links]),
        own=np.array([link.own for link in links]),
    )


def _memory(links: int) -> ArmMotion:
    return ArmMotion(
        R=np.zeros((links, 9)),
        p=np.zeros((links, 3)),
        S=np.zeros((links, 6)),
        inertia=np.zeros((links, 10)),
        composite=np.zeros((links, 10)),
        V=np.zeros((links, 6)),
        A=np.zeros((links, 6)),
        F=np.zeros((links, 6)),
    )


def _floats(values: Floats) -> Floats:
    return np.ascontiguousarray(values, dtype=float)


def _with_base(values: Floats | None, joints: int) -> Floats:
    if values is None:
        return np.zeros(6 + joints)
    return _floats(values) if len(values) == 6 + joints else np.concatenate([np.zeros(6), values])
