"""Model of an arm for its controller: kinematics, Jacobian, mass matrix and inverse dynamics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly
from softdock.assembly.assembler import assemble
from softdock.errors import InputError
from softdock.model.system import WORLD, Body, System
from softdock.robot.entry_points import compute_poses, evaluate_arm, solve_pose
from softdock.robot.kernels.arm import ArmArrays, ArmMotion
from softdock.robot.kernels.inverse_kinematics import PoseSearch
from softdock.spatial.poses import Pose
from softdock.tree import joints as j
from softdock.tree.kernels.tree import FREE, PRISMATIC, REVOLUTE

Floats = NDArray[np.float64]
GROUND_BASE = "ground-below-the-arm"
"""Name of the base body that represents the world in the model of an arm fixed to the ground."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dynamics:
    """Mass matrix and forces at one state; rows of the base (angular first, in its axes) before those of the joints."""

    M: Floats
    """Mass matrix (6 + joints, 6 + joints)."""
    h: Floats
    """Forces required by velocities, gravity and the given acceleration (6 + joints,)."""


class _Arguments(NamedTuple):
    """Arrays that are passed to the kernels once, and written into before a call."""

    q: Floats
    u: Floats
    udot: Floats
    gravity: Floats
    M: Floats
    h: Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class Arm:
    """Model of an arm with the bodies fixed to it; joints in the order of the simulation's coordinates.

    All quantities are in the frame B of the arm's base (the world or the carrying body). Spatial vectors have
    the angular part first.
    """

    bodies: tuple[str, ...]
    """Names of the bodies that the joints move."""
    base: str
    """Body that carries the arm, with the frame B; `world` for an arm fixed to the ground."""
    floating: bool
    """Whether the base floats freely; otherwise it is held."""
    X_NB: Pose
    """Base in the world at the start."""
    assembly: Assembly
    model: ArmArrays
    motion: ArmMotion = field(repr=False)

    @property
    def joints(self) -> int:
        """Number of joints."""
        return len(self.bodies)

    @cached_property
    def _arguments(self) -> "_Arguments":
        n = self.joints
        return _Arguments(
            q=np.zeros(n),
            u=np.zeros(6 + n),
            udot=np.zeros(6 + n),
            gravity=np.zeros(3),
            M=np.zeros((6 + n, 6 + n)),
            h=np.zeros(6 + n),
        )

    @cached_property
    def _compute_poses(self) -> Callable[[], None]:
        """Kernel that writes the poses of all links at the positions in `_arguments`."""
        return compute_poses.bind(self.model, self.motion, self._arguments.q)

    @cached_property
    def _evaluate(self) -> Callable[[], None]:
        """Kernel that writes mass matrix and forces at the state in `_arguments`."""
        a = self._arguments
        return evaluate_arm.bind(self.model, self.motion, a.q, a.u, a.udot, a.gravity, a.M, a.h)

    @cached_property
    def pose_search(self) -> PoseSearch:
        """Arguments and results of `search_pose`."""
        n = self.joints
        return PoseSearch(
            link=np.zeros(1, np.int64),
            tool=np.zeros(12),
            wanted=np.zeros(12),
            attitude_weight=np.ones(1),
            max_steps=np.zeros(1, np.int64),
            limits=np.zeros((2, n)),
            q=np.zeros(n),
            error=np.zeros(6),
            trial=np.zeros(n),
            trial_error=np.zeros(6),
            J=np.zeros((6, n)),
            equations=np.zeros((6, 7)),
        )

    @cached_property
    def search_pose(self) -> Callable[[], int]:
        """Kernel that finds joint positions for the pose in `pose_search` and returns its number of steps."""
        return solve_pose.bind(self.model, self.motion, self.pose_search)

    def dynamics(self, q: Floats, u: Floats, gravity: Floats, udot: Floats | None = None) -> Dynamics:
        """Return mass matrix and forces; `u` (joints,), or (6 + joints,) with the base's velocity; gravity in B."""
        n, work = self.joints, self._arguments
        work.q[:], work.gravity[:] = q, gravity
        work.u[:], work.udot[:] = _with_base(u, n), _with_base(udot, n)
        self._evaluate()
        return Dynamics(M=work.M.copy(), h=work.h.copy())

    def mass_matrix(self, q: Floats) -> Floats:
        """Return the mass matrix of the joints with a fixed base (joints, joints); Eq. (A4)."""
        return self.dynamics(q, np.zeros(self.joints), np.zeros(3)).M[6:, 6:]

    def effective_mass_matrix(self, q: Floats) -> Floats:
        """Return the mass matrix for joint torques, with a floating base eliminated (joints, joints); Eq. (A7)."""
        return eliminate_base(self.dynamics(q, np.zeros(self.joints), np.zeros(3)).M, self.floating)

    def bias(self, q: Floats, qdot: Floats, gravity: Floats) -> Floats:
        """Return the joint torques required by velocities and gravity, base at rest (joints,); Eq. (A6)."""
        return self.dynamics(q, qdot, gravity).h[6:]

    def gravity_torque(self, q: Floats, gravity: Floats) -> Floats:
        """Return the joint torques that balance gravity (joints,)."""
        return self.bias(q, np.zeros(self.joints), gravity)

    def inverse_dynamics(self, q: Floats, qdot: Floats, qddot: Floats, gravity: Floats) -> Floats:
        """Return the joint torques of a motion, base at rest (joints,); Eq. (A6)."""
        return self.dynamics(q, qdot, gravity, qddot).h[6:]

    def pose(self, q: Floats, body: str, at: Pose | None = None) -> Pose:
        """Return a body, or a frame on it, in B."""
        self._arguments.q[:] = q
        self._compute_poses()
        placed = self.assembly.placed[body]
        link = placed.link - 1
        X_BL = Pose(R=self.motion.R[link].reshape(3, 3).copy(), p=self.motion.p[link].copy())
        X = X_BL @ placed.X_LB
        return X if at is None else X @ at

    def jacobian(self, q: Floats, body: str, at: Pose | None = None) -> Floats:
        """Return (6, joints): angular velocity and velocity of a frame's origin per joint speed, in B; Eq. (A8)."""
        p = self.pose(q, body, at).p
        return self._jacobian(self.assembly.placed[body].link - 1, p)

    def link_jacobian(self, q: Floats, link: int, p_LT: Floats) -> Floats:
        """Return the same for a point of link number `link`, that which joint number `link` moves, counted from 1."""
        self._arguments.q[:] = q
        self._compute_poses()
        R_BL = self.motion.R[link].reshape(3, 3)
        return self._jacobian(link, self.motion.p[link] + R_BL @ p_LT)

    def _jacobian(self, link: int, p: Floats) -> Floats:
        """Return the motion of a point p in B of a link per joint speed, at the present poses of the links."""
        J = np.zeros((6, self.joints))
        path = []
        while link > 0:
            path.append(link)
            link = int(self.model.parent[link])
        columns = np.array(path, int) - 1
        (sx, sy, sz), linear = self.motion.S[path, :3].T, self.motion.S[path, 3:].T
        J[:3, columns] = sx, sy, sz
        J[3:, columns] = linear
        J[3:, columns] += sy * p[2] - sz * p[1], sz * p[0] - sx * p[2], sx * p[1] - sy * p[0]
        return J


def eliminate_base(M: Floats, floating: bool) -> Floats:
    """Return the joints' mass matrix from the full one, with a floating base eliminated; Eq. (A7)."""
    if not floating:
        return M[6:, 6:]
    return np.asarray(M[6:, 6:] - M[6:, :6] @ np.linalg.solve(M[:6, :6], M[:6, 6:]))


def build_arm(bodies: Mapping[str, Body], root: str, moving: Sequence[str]) -> Arm:
    """Return the model of an arm, given all bodies, its base body `root` and the bodies `moving` that its joints move.

    Bodies fixed to the arm (a tool) or to the body that carries it belong to the model; bodies on other joints
    do not.
    """
    top = root
    while top != WORLD and (bodies[top].joint.type == "fixed" or top in moving):
        top = bodies[top].parent
    part: dict[str, Body] = {}
    if top == WORLD:
        part[GROUND_BASE] = Body(joint=j.Free())
        X_NB, floating = Pose.identity(), False
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
        base=top,
        floating=floating,
        X_NB=X_NB,
        assembly=assembly,
        model=_model(links),
        motion=_work_arrays(len(links)),
    )


def _collect(
    bodies: Mapping[str, Body], top: str, base: str, moving: set[str], part: dict[str, Body]
) -> None:
    """Add all bodies connected to the base by fixed joints or by the arm's joints."""
    stack = [top]
    while stack:
        parent = stack.pop()
        for name, body in bodies.items():
            if body.parent == parent and (body.joint.type == "fixed" or name in moving) and name not in part:
                part[name] = body.model_copy(update={"parent": base}) if parent == top else body
                stack.append(name)


def _start(joint: j.Joint) -> Pose:
    if isinstance(joint, j.Free):
        return j.pose_at(joint.position, joint.attitude)
    return j.pose_at(joint.at, joint.attitude)


def _model(links: np.recarray) -> ArmArrays:
    return ArmArrays(
        parent=np.array([-1, *(int(link.parent) - 1 for link in links[1:])], np.int64),
        is_revolute=np.array([int(link.kind == REVOLUTE) for link in links], np.int64),
        R_PJ=np.array([link.R_PJ for link in links]),
        p_PJ=np.array([link.p_PJ for link in links]),
        own=np.array([link.own for link in links]),
    )


def _work_arrays(links: int) -> ArmMotion:
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


def _with_base(values: Floats | None, joints: int) -> Floats:
    if values is None:
        return np.zeros(6 + joints)
    return values if len(values) == 6 + joints else np.concatenate([np.zeros(6), values])
