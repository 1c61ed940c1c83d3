"""Impulses on a system of bodies: along one direction (the impact of RMI in three dimensions) and as a weld."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.entry_points import respond, set_motion
from softdock.dynamics.kernels import tree as k
from softdock.dynamics.system_arrays import SystemArrays
from softdock.dynamics.system_records import system_records
from softdock.errors import InputError
from softdock.spatial.poses import cross

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class DirectionalImpulse:
    """What an impact along one direction does to two bodies that touch at a point."""

    effective_mass_free: float
    """Of the two bodies with all joints free [kg]: what the impact feels."""
    effective_mass_locked: float
    """Of the two whole systems with all joints locked [kg]."""
    closing_speed: float
    """Of the two bodies at the point before the impact [m/s]."""
    closing_speed_locked: float
    """Of the two systems, each moving as one with its momentum [m/s]."""
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
        return self.effective_mass_free / self.effective_mass_locked


class Impact:
    """A system at one state, ready to be struck; wrenches are in N about N's origin, angular part first."""

    def __init__(self, assembly: SystemArrays, y: Floats) -> None:
        self.assembly, self.y = assembly, y
        w = assembly.world[0]
        self.n_q, self.n_u = int(w.n_q), int(w.n_u)
        self.machine = system_records(assembly)
        self.machine.world[0].gravity[:] = 0.0
        self.links, self.axes = self.machine.links, self.machine.axes
        self.moving = self._motion(y[self.n_q : self.n_q + self.n_u])

    def _motion(self, u: Floats) -> Floats:
        """Return the spatial velocity of every link in N for given momenta and speeds, shape (links, 6)."""
        y = self.y.copy()
        y[self.n_q : self.n_q + self.n_u] = u
        set_motion(self.machine, y)
        return np.array([self._to_world(link, link.V) for link in self.links])

    def _to_world(self, link: np.record, motion: Floats) -> Floats:
        base = self.links[link.root]
        R, p = base.R_NB.reshape(3, 3), base.p_NB
        turning, sliding = R @ motion[:3], R @ motion[3:]
        return np.concatenate([turning, sliding - cross(turning, p)])

    def response(self, wrenches: dict[int, Floats]) -> tuple[Floats, Floats]:
        """Return what impulsive wrenches on links change: velocities of all links in N, and momenta and speeds."""
        self._motion(np.zeros(self.n_u))
        self.links.W[:] = 0.0
        self.axes.tau[:] = 0.0
        for link, wrench in wrenches.items():
            self.links[link].W[:] += wrench
        rates = np.zeros(len(self.y))
        respond(self.machine, np.zeros(len(self.y)), rates)
        change = np.concatenate([self.axes.udot, np.zeros(self.n_u - len(self.axes))])
        for a in self.machine.appendages:
            at = slice(a.at_u, a.at_u + a.count)
            change[at] = rates[self.n_q :][at]
        for link in self.links:
            if link.kind == k.FREE:
                tree = self.links.root == link.root
                change[link.at_u : link.at_u + 6] = self.links.W[tree].sum(axis=0)
        return np.array([self._to_world(link, link.dA) for link in self.links]), change

    def locked(self, link: int, wrench: Floats) -> Floats:
        """Return how a wrench changes the velocity of a link's whole system in N while its joints are locked.

        A floating system keeps all its six freedoms, one that stands on the ground those of its first joint.
        """
        inertia, S = self._system(link)
        return np.asarray(S @ np.linalg.solve(S.T @ inertia @ S, S.T @ wrench), float)

    def locked_motion(self, link: int) -> Floats:
        """Return the velocity in N that a link's system would have as one body with the same momentum."""
        inertia, S = self._system(link)
        momentum = sum(
            (self._inertia(i) @ self.moving[i] for i in range(len(self.links)) if self._is_part(i, link)),
            np.zeros(6),
        )
        return np.asarray(S @ np.linalg.solve(S.T @ inertia @ S, S.T @ momentum), float)

    def _system(self, link: int) -> tuple[Floats, Floats]:
        """Return the 6x6 inertia of a link's whole system in N in N, and its freedoms as one body (6, n)."""
        parts = [self._inertia(i) for i in range(len(self.links)) if self._is_part(i, link)]
        inertia = np.asarray(sum(parts, np.zeros((6, 6))), float)
        top = self._top(link)
        if self.links[top].kind == k.GROUND:
            return np.eye(6), np.zeros((6, 0))
        if self.links[top].kind == k.FREE:
            return inertia, np.eye(6)
        first = int(self.links[top].at_u)
        rows = next(
            place.rows for place in self.assembly.joints.values() if place.rows and place.at_u == first
        )
        column = int(self.links[top].column)
        S = np.concatenate(self.machine.groups.S, axis=1)[:, column : column + rows]
        return inertia, S  # the base frame is N here

    def whole_inertia(self, link: int) -> Floats:
        """Return the 6x6 inertia of a link's whole system about N's origin, in N axes."""
        return self._system(link)[0]

    def _top(self, link: int) -> int:
        """Return the first moving link on the way from the ground, the base of a floating tree, or the ground."""
        while self.links[link].parent >= 0 and self.links[self.links[link].parent].kind != k.GROUND:
            link = int(self.links[link].parent)
        return link

    def _is_part(self, i: int, link: int) -> bool:
        return self._top(i) == self._top(link) and self.links[i].kind != k.GROUND

    def _inertia(self, i: int) -> Floats:
        """Return the 6x6 inertia of a link about N's origin, in N axes."""
        link = self.links[i]
        base = self.links[link.root]
        R = base.R_NB.reshape(3, 3) @ link.R.reshape(3, 3)
        p = base.p_NB + base.R_NB.reshape(3, 3) @ link.p
        m, c, v = link.now[0], link.now[1:4], link.now[4:]
        own = np.array([[v[0], v[3], v[4]], [v[3], v[1], v[5]], [v[4], v[5], v[2]]])
        h = _cross(c)
        inertia = np.block([[own, h], [h.T, m * np.eye(3)]])
        X = np.block([[R.T, np.zeros((3, 3))], [-R.T @ _cross(p), R.T]])  # motion in N to motion in the link
        return np.asarray(X.T @ inertia @ X)


def strike(
    assembly: SystemArrays, y: Floats, a: int, b: int, point: Floats, normal: Floats, restitution: float = 1.0
) -> DirectionalImpulse:
    """Let link b be pushed along `normal`, and link a against it, at a point in N; Eqs. (M40)-(M43).

    An impact needs closing bodies: two that part give an impulse of zero.
    """
    impact = Impact(assembly, y)
    n = normal / np.linalg.norm(normal)
    wrench = np.concatenate([np.cross(point, n), n])
    moved, change = impact.response({b: wrench, a: -wrench} if a != b else {})
    compliance = float(wrench @ (moved[b] - moved[a]))
    rigid = float(wrench @ (impact.locked(b, wrench) + impact.locked(a, wrench)))
    if not compliance > 0.0 or not rigid > 0.0:
        raise InputError(
            "The two bodies cannot be pushed apart along this direction: one of them must be able to move."
        )
    closing = float(-wrench @ (impact.moving[b] - impact.moving[a]))
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


def weld_impulse(assembly: SystemArrays, y: Floats, a: int, b: int) -> tuple[Floats, float]:
    """Make two links move as one at once, by the impulse of a weld; returns state and energy lost [J]; Eq. (M44)."""
    impact = Impact(assembly, y)
    compliance = np.empty((6, 6))
    changes = []
    for i in range(6):
        wrench = np.eye(6)[i]
        moved, change = impact.response({b: wrench, a: -wrench})
        compliance[:, i] = moved[b] - moved[a]
        changes.append(change)
    gap = impact.moving[b] - impact.moving[a]
    impulse = -np.linalg.solve(compliance, gap)
    after = y.copy()
    after[impact.n_q : impact.n_q + impact.n_u] += np.array(changes).T @ impulse
    return after, float(-0.5 * gap @ impulse)  # what the relative motion at the weld held


def _cross(v: Floats) -> Floats:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
