"""Modes of a structure: free-free, and fixed at a base with what couples them to the base's motion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from softdock.errors import InputError, Problem
from softdock.flexible.held import hold, lowest
from softdock.flexible.meshing import Mesh

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class FreeModes:
    """Elastic modes of a structure that nothing holds, without its six rigid-body modes."""

    frequency: Floats
    """Rising [Hz]."""
    shapes: Floats
    """Mass-normalised turn and shift of every node, shape (nodes, 6, modes)."""


@dataclass(frozen=True, kw_only=True)
class BaseModes:
    """A flexible structure on a base: fixed-interface modes and how they pull at the base.

    All about the base node in the structure's axes; spatial vectors have their angular part first.
    """

    base: str
    names: tuple[str, ...]
    """Of the nodes."""
    positions: Floats
    """Of the nodes from the base, shape (nodes, 3) [m]."""
    frequency: Floats
    """Rising [Hz]."""
    shapes: Floats
    """Mass-normalised turn and shift of every node, zero at the base, shape (nodes, 6, modes)."""
    participation: Floats
    """L, shape (6, modes): momentum of a mode at unit rate, angular about the base; Eq. (F14)."""
    moment: Floats
    """D, first moments of the modes' mass, shape (modes, 3, 3): shift of the mode times position; Eq. (F38)."""
    inertia: Floats
    """M_t, 6x6, of the whole structure as a rigid body about the base."""
    limit: Floats
    """What M_t - L L^T tends to with all modes, 6x6: the inertia of what is rigid at the base."""

    @property
    def articulated(self) -> Floats:
        """M_t - L L^T, 6x6: what an impulse at the base feels; Eq. (F15)."""
        return np.asarray(self.inertia - self.participation @ self.participation.T)  # Eq. (F15)

    @property
    def residual(self) -> float:
        """Largest fraction of the rigid inertia, over all motions, that missing modes would take; Eq. (F16)."""
        missing = self.articulated - self.limit
        return max(float(linalg.eigh(missing, self.inertia, eigvals_only=True)[-1]), 0.0)  # Eq. (F16)

    @property
    def missing_share(self) -> float:
        """Sum of the shares of all missing modes: none of them has more than this."""
        missing = np.linalg.solve(self.inertia, self.articulated - self.limit)
        return max(float(np.trace(missing)), 0.0)

    @property
    def effective(self) -> Floats:
        """Share of each mode in the rigid inertia, shape (modes,), between 0 and 1; Eq. (F17)."""
        half = linalg.solve_triangular(np.linalg.cholesky(self.inertia), self.participation, lower=True)
        return np.asarray((half**2).sum(axis=0))  # Eq. (F17)

    def pick(self, modes: Sequence[int] | NDArray[np.int64]) -> "BaseModes":
        """Return the same structure with these modes only, in this order."""
        at = np.asarray(modes, int)
        return replace(
            self,
            frequency=self.frequency[at],
            shapes=self.shapes[:, :, at],
            participation=self.participation[:, at],
            moment=self.moment[at],
        )

    def lowest(self, count: int) -> "BaseModes":
        """Return the structure with its `count` lowest modes."""
        if not 0 <= count <= self.frequency.size:
            raise InputError(
                Problem(field="modes", message=f"must be from 0 to {self.frequency.size}.", given=str(count))
            )
        return self.pick(np.arange(count))

    def below(self, frequency: float) -> "BaseModes":
        """Return the structure with its modes up to a frequency [Hz]."""
        return self.pick(np.flatnonzero(self.frequency <= frequency))

    def taking_part(self, share: float) -> "BaseModes":
        """Return the structure with the modes whose share in the rigid inertia is at least `share`."""
        return self.pick(np.flatnonzero(self.effective >= share))

    def within(self, residual: float) -> "BaseModes":
        """Return the structure with the fewest modes, largest share first, that leave at most this residual."""
        order = np.argsort(-self.effective, kind="stable")

        def kept(count: int) -> BaseModes:
            return self.pick(np.sort(order[:count]))

        if kept(order.size).residual > residual:
            raise InputError(
                Problem(
                    field="residual",
                    message=f"cannot be reached: all {order.size} modes at hand leave {kept(order.size).residual:.3g}.",
                    given=f"{residual:g}",
                    hint="Compute more modes.",
                )
            )
        few, many = 0, order.size  # the residual falls with every mode that is added
        while few < many:
            middle = (few + many) // 2
            few, many = (few, middle) if kept(middle).residual <= residual else (middle + 1, many)
        return kept(few)

    def field_force(self, field: Floats) -> Floats:
        """Return the pull on each mode, shape (modes,) [sqrt(kg) m/s2], of a field that grows from the base; Eq. (F38).

        `field` is the symmetric 3x3 gradient of the acceleration [1/s2] in the structure's axes: that of gravity,
        and in a turning frame less the square of its rate, `gravity_gradient - cross(w) @ cross(w)`.
        """
        return np.asarray(np.einsum("kij,ij->k", self.moment, np.asarray(field, float)))  # Eq. (F38)

    def node(self, name: str) -> int:
        """Return the number of a node by its name."""
        if name not in self.names:
            raise InputError(Problem(field="node", message="there is no such node.", given=name))
        return self.names.index(name)

    def coupled_frequency(self, added: Floats | None = None) -> Floats:
        """Return the elastic frequencies [Hz] of structure and base free in space; Eq. (F18).

        `added` is the 6x6 inertia about the base of a rigid body fixed to it, as after docking.
        """
        M_t = self.inertia if added is None else self.inertia + added
        L = self.participation
        reduced = np.eye(L.shape[1]) - L.T @ np.linalg.solve(M_t, L)
        omega = 2.0 * np.pi * self.frequency
        inverse = linalg.eigh((reduced / omega / omega[:, None]), eigvals_only=True)[::-1]
        return np.asarray(1.0 / np.sqrt(inverse) / (2.0 * np.pi))  # Eq. (F18)


def free_modes(mesh: Mesh, count: int | None = None) -> FreeModes:
    """Return the lowest elastic modes of a free structure; all of them without `count`."""
    held = hold(mesh, mesh.names[:1])
    R = mesh.rigid_motions(mesh.positions[0])
    M_f = mesh.mass[held.free][:, held.free]
    S = (mesh.mass @ R)[held.free]
    M_t = np.linalg.inv(_checked_inertia(R.T @ (mesh.mass @ R)))

    def apply_mass(x: Floats) -> Floats:
        return np.asarray(M_f @ x - S @ (M_t @ (S.T @ x)))  # Eq. (F13)

    square, x = lowest(held, apply_mass, count)
    shapes = np.zeros((6 * len(mesh.names), square.size))
    shapes[held.free] = x
    shapes -= R @ (M_t @ (S.T @ x))  # the first node moves against the others: no momentum
    return FreeModes(
        frequency=np.sqrt(square) / (2.0 * np.pi), shapes=shapes.reshape(len(mesh.names), 6, square.size)
    )


def base_modes(mesh: Mesh, base: str, count: int | None = None) -> BaseModes:
    """Return the lowest modes of a structure clamped at its base node; all of them without `count`."""
    held = hold(mesh, [base])
    M_f = mesh.mass[held.free][:, held.free]
    square, x = lowest(held, lambda v: np.asarray(M_f @ v), count)
    shapes = np.zeros((6 * len(mesh.names), square.size))
    shapes[held.free] = x
    return modes_on_base(mesh, base, np.sqrt(square) / (2.0 * np.pi), shapes)


def modes_on_base(mesh: Mesh, base: str, frequency: Floats, shapes: Floats) -> BaseModes:
    """Return what given modes, frequency (modes,) [Hz] and shapes (6 nodes, modes), do to a base; needs mass only."""
    at = mesh.index(base)
    R = mesh.rigid_motions(mesh.positions[at])
    momentum = mesh.mass @ R
    positions = mesh.positions - mesh.positions[at]
    moved = (mesh.mass @ shapes).reshape(len(mesh.names), 6, frequency.size)[:, 3:]
    inertia = _checked_inertia(R.T @ momentum)
    free = np.delete(np.arange(6 * len(mesh.names)), 6 * at + np.arange(6))
    M_f = mesh.mass[free][:, free]
    return BaseModes(
        base=base,
        names=mesh.names,
        positions=positions,
        frequency=frequency,
        shapes=shapes.reshape(len(mesh.names), 6, frequency.size),
        participation=momentum.T @ shapes,  # Eq. (F14)
        moment=np.einsum("nik,nj->kij", moved, positions),  # Eq. (F38)
        inertia=inertia,
        limit=inertia - _taken_by_all(M_f, momentum[free]),
    )


def _checked_inertia(M: Floats) -> Floats:
    """Return a symmetric 6x6 inertia; refuse one that is not positive definite."""
    M = (M + M.T) / 2.0
    scale = np.sqrt(np.abs(np.diag(M)))
    if not (scale > 0.0).all() or linalg.eigvalsh(M / scale / scale[:, None])[0] < 1e-14:
        raise InputError(
            Problem(
                field="structure",
                message="has no mass, or no inertia about one of its axes: a free body needs both.",
            )
        )
    return M


def _taken_by_all(M_f: sparse.csc_matrix, S: Floats) -> Floats:
    """Return S^T M_f^-1 S, the sum of L L^T over every mode there is; directions without mass take nothing."""
    if S.shape[0] == 0:
        return np.zeros((6, 6))
    scale = np.sqrt(np.abs(M_f.diagonal()))
    heavy = scale > 0.0
    scale, S = scale[heavy], S[heavy]
    D = sparse.diags(1.0 / scale)
    M = D @ M_f[heavy][:, heavy] @ D
    # Beams without polar inertia have massless turns across the axes; a nudge below round-off keeps M regular.
    factor: Callable[[Floats], Floats] = sparse.linalg.splu(
        (M + 1e-14 * sparse.eye(M.shape[0])).tocsc(), permc_spec="MMD_AT_PLUS_A"
    ).solve
    half = S / scale[:, None]
    return np.asarray(half.T @ factor(half))
