"""Impulses on a system of bodies along one direction: the impact of RMI in three dimensions."""

import functools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.entry_points import impulse_response, set_motion
from softdock.dynamics.link_poses import link_pose
from softdock.dynamics.system_arrays import SystemArrays
from softdock.dynamics.system_records import system_records
from softdock.errors import InputError
from softdock.spatial.inertia import inertia_matrix
from softdock.spatial.poses import Pose
from softdock.spatial.vectors import inverse_motion_transform, wrench_of_force
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DirectionalImpulse:
    """Effect of an impact along one direction on two bodies that touch at a point."""

    effective_mass_free: float
    """Of the two bodies at the point, with all joints free [kg]."""
    effective_mass_locked: float
    """Of the two whole systems with all joints locked [kg]."""
    closing_speed: float
    """Of the two bodies at the point before the impact [m/s]."""
    closing_speed_locked: float
    """Of the two systems, each motion as one with its momentum [m/s]."""
    impulse: float
    """[N s]"""
    relative_velocity_after: float
    """Closing speed of the two systems after the impact [m/s]."""
    state: Floats
    """State after the impact."""
    before: Floats
    """State before it."""
    change: Floats
    """Change of momenta and speeds per unit of the impulse."""
    at_u: int
    """Where momenta and speeds begin in the state."""

    def with_restitution(self, restitution: float) -> "DirectionalImpulse":
        """Return the same impact with another coefficient of restitution; Eqs. (M42), (M43)."""
        impulse = (1.0 + restitution) * max(self.closing_speed, 0.0) * self.effective_mass_free
        after = self.before.copy()
        after[self.at_u : self.at_u + len(self.change)] += impulse * self.change
        return replace(
            self,
            impulse=impulse,
            relative_velocity_after=self.closing_speed_locked - impulse / self.effective_mass_locked,
            state=after,
        )

    @property
    def effective_mass_ratio(self) -> float:
        """e_I: free over locked."""
        return min(
            1.0, self.effective_mass_free / self.effective_mass_locked
        )  # rounding may exceed 1 where no joint moves


class ImpulseResponse:
    """Response of a system at one state to impulses; wrenches are in N about N's origin, angular part first."""

    def __init__(self, assembly: SystemArrays, y: Floats) -> None:
        self.assembly, self.y = assembly, y
        w = assembly.world[0]
        self.n_q, self.n_u = int(w.n_q), int(w.n_u)
        self.records = system_records(assembly)
        self.records.world[0].gravity[:] = 0.0
        self.links, self.motions, self.axes = self.records.links, self.records.motions, self.records.axes
        plain = self.links.view(np.ndarray)  # field access on a plain array is ten times faster
        self._root, self._kind = plain["root"], plain["kind"]
        self._tops = _top_links(plain)
        self.motion = self._motion(y[self.n_q : self.n_q + self.n_u])

    def pose(self, link: int) -> Pose:
        """Return the pose X_NL of a link."""
        return link_pose(self.links, self.motions, link)

    def _motion(self, u: Floats) -> Floats:
        """Return the spatial velocity of every link in N for given momenta and speeds, shape (links, 6)."""
        y = self.y.copy()
        y[self.n_q : self.n_q + self.n_u] = u
        set_motion(self.records, y)
        return self._to_world(self.motions.view(np.ndarray)["V"])

    def _to_world(self, motions: Floats) -> Floats:
        """Return spatial velocities (links, 6), given in base axes about bases, in N about its origin."""
        bases = self.motions.view(np.ndarray)[self._root]
        R, p = bases["R_NB"].reshape(-1, 3, 3), bases["p_NB"]
        angular, linear = ((R @ part[:, :, None])[:, :, 0] for part in (motions[:, :3], motions[:, 3:]))
        return np.concatenate([angular, linear - np.cross(angular, p)], axis=1)

    def response(self, wrenches: dict[int, Floats]) -> tuple[Floats, Floats]:
        """Return the changes by impulsive wrenches on links: velocities of all links in N; momenta and speeds."""
        self._motion(np.zeros(self.n_u))
        self.motions.W[:] = 0.0
        self.axes.tau[:] = 0.0
        for link, wrench in wrenches.items():
            self.motions[link].W[:] += wrench
        rates = np.zeros(len(self.y))
        impulse_response(self.records, np.zeros(len(self.y)), rates)
        change = np.concatenate([self.axes.udot, np.zeros(self.n_u - len(self.axes))])
        for a in self.records.appendages:
            at = slice(a.at_u, a.at_u + a.count)
            change[at] = rates[self.n_q :][at]
        for link in self.links:
            if link.kind == k.FREE:
                tree = self.links.root == link.root
                change[link.at_u : link.at_u + 6] = self.motions.W[tree].sum(axis=0)
        return self._to_world(self.motions.view(np.ndarray)["acceleration_change"]), change

    def locked(self, link: int, wrench: Floats) -> Floats:
        """Return how a wrench changes the velocity of a link's whole system in N while its joints are locked.

        A floating system keeps all six degrees of freedom, a grounded one those of its first joint.
        """
        inertia, S = self._system(link)
        return np.asarray(S @ np.linalg.solve(S.T @ inertia @ S, S.T @ wrench), float)

    def locked_motion(self, link: int) -> Floats:
        """Return the velocity in N that a link's system would have as one body with the same momentum."""
        inertia, S = self._system(link)
        parts = self._parts(link)
        momentum = np.einsum("ijk,ik->j", self._inertias[parts], self.motion[parts])
        return np.asarray(S @ np.linalg.solve(S.T @ inertia @ S, S.T @ momentum), float)

    def _system(self, link: int) -> tuple[Floats, Floats]:
        """Return the 6x6 inertia of a link's whole system about N's origin, and its freedoms as one body (6, n)."""
        inertia = self._inertias[self._parts(link)].sum(axis=0)
        top = int(self._tops[link])
        if self._kind[top] == k.GROUND:
            return np.eye(6), np.zeros((6, 0))
        if self._kind[top] == k.FREE:
            return inertia, np.eye(6)
        first = int(self.links[top].at_u)
        rows = next(
            place.rows for place in self.assembly.joints.values() if place.rows and place.at_u == first
        )
        column = int(self.links[top].column)
        S = np.concatenate(self.records.group_motions.S, axis=1)[:, column : column + rows]
        return inertia, S  # the base frame is N here

    def whole_inertia(self, link: int) -> Floats:
        """Return the 6x6 inertia of a link's whole system about N's origin, in N axes."""
        return self._system(link)[0]

    def _parts(self, link: int) -> NDArray[np.bool_]:
        """Return which links belong to the system of a link."""
        return np.asarray((self._tops == self._tops[link]) & (self._kind != k.GROUND))

    @functools.cached_property
    def _inertias(self) -> Floats:
        """6x6 inertias of all links about N's origin, in N axes, shape (links, 6, 6)."""
        plain = self.motions.view(np.ndarray)
        bases = plain[self._root]
        R_NB = bases["R_NB"].reshape(-1, 3, 3)
        p_NL = bases["p_NB"] + np.einsum("ijk,ik->ij", R_NB, plain["p"])
        X = inverse_motion_transform(Pose(R=R_NB @ plain["R"].reshape(-1, 3, 3), p=p_NL))
        return np.asarray(X.transpose(0, 2, 1) @ inertia_matrix(plain["deformed"]) @ X)


def _top_links(links: NDArray[np.void]) -> NDArray[np.int64]:
    """Return for each link the first motion link on the way from the ground, the base of a free tree, or the ground."""
    tops = np.arange(len(links))
    for i, parent in enumerate(links["parent"].tolist()):  # parents come before children
        if parent >= 0 and links["kind"][parent] != k.GROUND:
            tops[i] = tops[parent]
    return tops


def apply_impact(
    assembly: SystemArrays, y: Floats, a: int, b: int, point: Floats, normal: Floats, restitution: float = 1.0
) -> DirectionalImpulse:
    """Return the impact that pushes link b along `normal` and link a against it, at a point in N; Eqs. (M40)-(M43).

    Separating bodies give an impulse of zero.
    """
    impact = ImpulseResponse(assembly, y)
    n = normal / np.linalg.norm(normal)
    wrench = wrench_of_force(point, n)
    moved, change = impact.response({b: wrench, a: -wrench} if a != b else {})
    compliance = float(wrench @ (moved[b] - moved[a]))
    rigid = float(wrench @ (impact.locked(b, wrench) + impact.locked(a, wrench)))
    if not compliance > 0.0 or not rigid > 0.0:
        raise InputError(
            "The two bodies cannot be pushed apart along this direction: one of them must be able to move."
        )
    closing = float(-wrench @ (impact.motion[b] - impact.motion[a]))
    closing_locked = float(-wrench @ (impact.locked_motion(b) - impact.locked_motion(a)))
    untouched = DirectionalImpulse(
        effective_mass_free=1.0 / compliance,  # Eq. (M40)
        effective_mass_locked=1.0 / rigid,  # Eq. (M41)
        closing_speed=closing,
        closing_speed_locked=closing_locked,
        impulse=0.0,
        relative_velocity_after=closing_locked,
        state=y,
        before=y,
        change=change,
        at_u=impact.n_q,
    )
    return untouched.with_restitution(restitution)
