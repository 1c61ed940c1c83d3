"""Modes of a structure: free-free modes, and fixed-interface modes with their coupling to the base's motion."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from softdock.errors import InputError, no_such
from softdock.flexible.clamped_structure import clamp, solve_eigenvalue_problem
from softdock.flexible.meshing import StructureMesh

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class FreeModes:
    """Elastic modes of a free-free structure, without its six rigid-body modes."""

    frequency: Floats
    """Natural frequencies, ascending, shape (modes,) [Hz]."""
    shapes: Floats
    """Mass-normalised rotation and translation of every node, shape (nodes, 6, modes)."""


@dataclass(frozen=True, kw_only=True)
class BaseModes:
    """A flexible structure on a base: fixed-interface modes and their inertial coupling to the base.

    All quantities are about the base node, in the structure's axes; spatial vectors have their angular part first.
    """

    base: str
    names: tuple[str, ...]
    """Names of the nodes."""
    positions: Floats
    """Positions of the nodes relative to the base, shape (nodes, 3) [m]."""
    frequency: Floats
    """Natural frequencies, ascending, shape (modes,) [Hz]."""
    shapes: Floats
    """Mass-normalised rotation and translation of every node, zero at the base, shape (nodes, 6, modes)."""
    participation: Floats
    """Participation matrix L, shape (6, modes): momentum of a mode at unit rate, angular about the base; Eq. (F14)."""
    moment: Floats
    """D, first moments of the modes, shape (modes, 3, 3): mass-weighted translation times position; Eq. (F38)."""
    inertia: Floats
    """M_t, 6x6, inertia of the undeformed structure about the base."""
    rigid_part_inertia: Floats
    """Limit of M_t - L L^T with all modes, 6x6: the inertia of the parts that are rigidly fixed to the base."""

    @property
    def articulated_inertia(self) -> Floats:
        """M_t - L L^T, 6x6: the inertia that resists an impulse at the base; Eq. (F15)."""
        return np.asarray(self.inertia - self.participation @ self.participation.T)  # Eq. (F15)

    @property
    def residual(self) -> float:
        """Largest fraction of the rigid inertia, over all motions, that belongs to truncated modes; Eq. (F16)."""
        missing = self.articulated_inertia - self.rigid_part_inertia
        return max(float(linalg.eigh(missing, self.inertia, eigvals_only=True)[-1]), 0.0)  # Eq. (F16)

    @property
    def truncated_mass_fraction(self) -> float:
        """Sum of the effective mass fractions of all truncated modes; an upper bound for each of them."""
        missing = np.linalg.solve(self.inertia, self.articulated_inertia - self.rigid_part_inertia)
        return max(float(np.trace(missing)), 0.0)

    @property
    def effective_mass_fraction(self) -> Floats:
        """Effective mass fraction of each mode, its share in the rigid inertia, shape (modes,), 0 to 1; Eq. (F17)."""
        half = linalg.solve_triangular(np.linalg.cholesky(self.inertia), self.participation, lower=True)
        return np.asarray((half**2).sum(axis=0))  # Eq. (F17)

    def select(self, modes: Sequence[int] | NDArray[np.int64]) -> "BaseModes":
        """Return the structure with the modes of these indices only, in this order."""
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
            raise InputError(f"must be from 0 to {self.frequency.size}.", field="modes", given=str(count))
        return self.select(np.arange(count))

    def below(self, frequency: float) -> "BaseModes":
        """Return the structure with its modes up to a frequency [Hz]."""
        return self.select(np.flatnonzero(self.frequency <= frequency))

    def with_mass_fraction(self, share: float) -> "BaseModes":
        """Return the structure with the modes whose effective mass fraction is at least `share`."""
        return self.select(np.flatnonzero(self.effective_mass_fraction >= share))

    def with_residual(self, residual: float) -> "BaseModes":
        """Return the structure with the fewest modes, largest mass fraction first, that leave at most this residual."""
        order = np.argsort(-self.effective_mass_fraction, kind="stable")

        def kept(count: int) -> BaseModes:
            return self.select(np.sort(order[:count]))

        if self.residual > residual:
            raise InputError(
                f"cannot be reached: all {order.size} computed modes leave {self.residual:.3g}.",
                field="residual",
                given=f"{residual:g}",
                hint="Compute more modes.",
            )
        few, many = 0, order.size  # bisection: the residual falls with every added mode
        while few < many:
            middle = (few + many) // 2
            few, many = (few, middle) if kept(middle).residual <= residual else (middle + 1, many)
        return kept(few)

    def node(self, name: str) -> int:
        """Return the index of a node by its name."""
        if name not in self.names:
            raise InputError(f"{no_such('node', name, self.names)}.", field="node")
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


def free_modes(mesh: StructureMesh, count: int | None = None) -> FreeModes:
    """Return the lowest elastic modes of a free structure; all of them without `count`."""
    clamped = clamp(mesh, mesh.names[:1])
    R = mesh.rigid_motions(mesh.positions[0])
    M_f = mesh.mass[clamped.free][:, clamped.free]
    S = (mesh.mass @ R)[clamped.free]
    M_t = np.linalg.inv(_check_inertia(R.T @ (mesh.mass @ R)))

    def apply_mass(x: Floats) -> Floats:
        return np.asarray(M_f @ x - S @ (M_t @ (S.T @ x)))  # Eq. (F13)

    square, x = solve_eigenvalue_problem(clamped, apply_mass, count)
    shapes = np.zeros((6 * len(mesh.names), square.size))
    shapes[clamped.free] = x
    shapes -= R @ (M_t @ (S.T @ x))  # rigid motion that cancels the momentum of the shapes
    return FreeModes(
        frequency=np.sqrt(square) / (2.0 * np.pi), shapes=shapes.reshape(len(mesh.names), 6, square.size)
    )


def base_modes(mesh: StructureMesh, base: str, count: int | None = None) -> BaseModes:
    """Return the lowest modes of a structure clamped at its base node; all of them without `count`."""
    clamped = clamp(mesh, [base])
    M_f = mesh.mass[clamped.free][:, clamped.free]
    square, x = solve_eigenvalue_problem(clamped, lambda v: np.asarray(M_f @ v), count)
    shapes = np.zeros((6 * len(mesh.names), square.size))
    shapes[clamped.free] = x
    return base_modes_from_shapes(mesh, base, np.sqrt(square) / (2.0 * np.pi), shapes)


def base_modes_from_shapes(mesh: StructureMesh, base: str, frequency: Floats, shapes: Floats) -> BaseModes:
    """Return base modes for given frequencies (modes,) [Hz] and shapes (6 nodes, modes); does not use the stiffness."""
    at = mesh.index(base)
    R = mesh.rigid_motions(mesh.positions[at])
    momentum = mesh.mass @ R
    positions = mesh.positions - mesh.positions[at]
    moved = (mesh.mass @ shapes).reshape(len(mesh.names), 6, frequency.size)[:, 3:]
    inertia = _check_inertia(R.T @ momentum)
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
        rigid_part_inertia=inertia - _participation_of_all_modes(M_f, momentum[free]),
    )


def _check_inertia(M: Floats) -> Floats:
    """Return the symmetric part of a 6x6 inertia; raise InputError unless it is positive definite."""
    M = (M + M.T) / 2.0
    scale = np.sqrt(np.abs(np.diag(M)))
    if (
        not (np.isfinite(M).all() and (scale > 0.0).all())
        or linalg.eigvalsh(M / scale / scale[:, None])[0] < 1e-14
    ):
        raise InputError(
            "has no mass, or no inertia about one of its axes: a free body needs both.", field="structure"
        )
    return M


def _participation_of_all_modes(M_f: sparse.csc_matrix, S: Floats) -> Floats:
    """Return S^T M_f^-1 S, the sum of L L^T over all modes; degrees of freedom without mass do not contribute."""
    if S.shape[0] == 0:
        return np.zeros((6, 6))
    scale = np.sqrt(np.abs(M_f.diagonal()))
    heavy = scale > 0.0
    scale, S = scale[heavy], S[heavy]
    D = sparse.diags(1.0 / scale)
    M = D @ M_f[heavy][:, heavy] @ D
    # Beams without polar inertia have rotations without mass; a term below round-off keeps M regular.
    factor: Callable[[Floats], Floats] = sparse.linalg.splu(
        (M + 1e-14 * sparse.eye(M.shape[0])).tocsc(), permc_spec="MMD_AT_PLUS_A"
    ).solve
    half = S / scale[:, None]
    return np.asarray(half.T @ factor(half))
