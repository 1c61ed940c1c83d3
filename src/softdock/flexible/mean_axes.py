"""Free-free modes in mean axes: the description of the station paper, with and without the docked spacecraft."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from softdock.errors import InputError, no_such
from softdock.flexible.meshing import StructureMesh
from softdock.flexible.modes import FreeModes, free_modes
from softdock.spatial.rotations import skew
from softdock.spatial.vectors import motion_shift

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class MeanAxesModes:
    """A free structure, with or without a rigid body at its base node: rigid motion plus free-free modes; Eq. (F80).

    Positions, spatial motions and inertias are about the base node, in the structure's axes, angular part first.
    """

    base: str
    names: tuple[str, ...]
    """Names of the nodes."""
    positions: Floats
    """Positions of the nodes relative to the base, shape (nodes, 3) [m]."""
    frequency: Floats
    """Elastic frequencies, ascending, shape (modes,) [Hz]."""
    shapes: Floats
    """Mass-normalised rotation and translation of every node, without momentum, shape (nodes, 6, modes)."""
    moment: Floats
    """D, first moments of the modes, shape (modes, 3, 3); Eq. (F38)."""
    inertia: Floats
    """6x6, of the undeformed structure without the body."""
    body: Floats
    """6x6, of the rigid body at the base; zero without one."""
    momenta: Floats | None = None
    """Mass of the structure without the body times shapes, (nodes, 6, modes); None for modes of `with_body`."""

    @property
    def base_shapes(self) -> Floats:
        """Rotation and translation of the base at unit modal coordinates, shape (6, modes)."""
        return np.asarray(self.shapes[self.names.index(self.base)])

    @property
    def total_inertia(self) -> Floats:
        """6x6, of structure and body."""
        return np.asarray(self.inertia + self.body)

    def node(self, name: str) -> int:
        """Return the index of a node by its name."""
        if name not in self.names:
            raise InputError(f"{no_such('node', name, self.names)}.", field="node")
        return self.names.index(name)

    def lowest(self, count: int) -> "MeanAxesModes":
        """Return the structure with its `count` lowest modes."""
        if not 1 <= count <= self.frequency.size:
            raise InputError(f"must be from 1 to {self.frequency.size}.", field="modes", given=str(count))
        kept = slice(count)
        return replace(
            self,
            frequency=self.frequency[kept],
            shapes=self.shapes[:, :, kept],
            moment=self.moment[kept],
            momenta=None if self.momenta is None else self.momenta[:, :, kept],
        )

    def overlap(self, alone: "MeanAxesModes") -> Floats:
        """Return the modal mass of the structure between these modes and those without the body, (modes, modes)."""
        if alone.momenta is None:
            raise InputError("must be modes of the structure without the body.", field="modes")
        return np.asarray(np.einsum("nik,nil->kl", self.shapes, alone.momenta))

    def from_base(self, name: str) -> Floats:
        """Return the motion of a node relative to the base at unit modal coordinates, shape (6, modes); Eq. (F81)."""
        at = self.node(name)
        return np.asarray(self.shapes[at] - motion_shift(self.positions[at]) @ self.base_shapes)


def mean_axes_modes(
    mesh: StructureMesh,
    base: str,
    count: int | None,
    lumps: Mapping[str, Floats],
    body: Floats | None = None,
) -> MeanAxesModes:
    """Return the lowest free-free modes of a structure, with the 6x6 inertia of a rigid body at its base.

    `lumps` are the 6x6 inertias of the structure's rigid parts about their nodes, for their first moments.
    """
    added = np.zeros((6, 6)) if body is None else body
    whole = replace(mesh, mass=_with_body(mesh.mass, mesh.index(base), added))
    return _from_modes(mesh, base, free_modes(whole, count), lumps, added)


def mean_axes_from_shapes(
    mesh: StructureMesh, base: str, modes: FreeModes, lumps: Mapping[str, Floats], body: Floats
) -> MeanAxesModes:
    """Return free-free modes of another program; `mesh` has the mass of the structure without the body."""
    return _from_modes(mesh, base, modes, lumps, body)


def with_body(alone: MeanAxesModes, body: Floats) -> MeanAxesModes:
    """Return the modes with a rigid body at the base, in the space of rigid motion and the given modes; Eq. (F88)."""
    if alone.body.any():
        raise InputError("must be modes of the structure without the body.", field="modes")
    B, omega = alone.base_shapes, 2.0 * np.pi * alone.frequency
    count = omega.size
    M = np.block(
        [[alone.inertia + body, body @ B], [B.T @ body, np.eye(count) + B.T @ body @ B]]
    )  # Eq. (F88)
    K = np.zeros_like(M)
    K[6:, 6:] = np.diag(omega**2)
    square, x = linalg.eigh(K, M)
    square, x = square[6:], x[:, 6:]  # the first six are the rigid motions
    q, V = x[6:], x[:6]
    R = np.concatenate([motion_shift(p) for p in alone.positions]).reshape(-1, 6, 6)
    shapes = np.einsum("nij,jk->nik", R, V) + alone.shapes @ q
    moment = np.einsum("lk,lij->kij", q, alone.moment) + _rigid_moments(V, alone.inertia)
    at_base = V + B @ q
    return replace(
        alone,
        frequency=np.sqrt(square) / (2.0 * np.pi),
        shapes=shapes,
        moment=moment + _rigid_moments(at_base, body),
        body=body,
        momenta=None,
    )


def _from_modes(
    mesh: StructureMesh, base: str, modes: FreeModes, lumps: Mapping[str, Floats], body: Floats
) -> MeanAxesModes:
    at = mesh.index(base)
    positions = mesh.positions - mesh.positions[at]
    count = modes.frequency.size
    flat = modes.shapes.reshape(-1, count)
    momenta = np.asarray(mesh.mass @ flat).reshape(len(mesh.names), 6, count)
    moment = np.einsum("nik,nj->kij", momenta[:, 3:], positions)  # Eq. (F38)
    for name, lump in lumps.items():  # a rigid part extends around its node
        moment = moment + _rigid_moments(modes.shapes[mesh.index(name)], lump)
    return MeanAxesModes(
        base=base,
        names=mesh.names,
        positions=positions,
        frequency=modes.frequency,
        shapes=modes.shapes,
        moment=moment + _rigid_moments(modes.shapes[at], body),
        inertia=mesh.inertia_about(mesh.positions[at]),
        body=body,
        momenta=momenta,
    )


def _rigid_moments(motion: Floats, inertia: Floats) -> Floats:
    """Return the integral of displacement times position from a node, (modes, 3, 3), of a rigid body fixed to it.

    `motion` (6, modes) is that of the node, `inertia` 6x6 about it.
    """
    J = inertia[:3, :3]
    first = np.array([inertia[2, 4], inertia[0, 5], inertia[1, 3]])  # mass times centre of mass
    second = 0.5 * np.trace(J) * np.eye(3) - J  # integral of r r^T dm
    moments = [np.outer(V[3:], first) + skew(V[:3]) @ second for V in motion.T]
    return np.array(moments).reshape(-1, 3, 3)


def _with_body(mass: sparse.csc_matrix, at: int, body: Floats) -> sparse.csc_matrix:
    """Return a mass matrix with the 6x6 inertia of a body added at a node."""
    size = mass.shape[0]
    rows, columns = np.indices((6, 6)) + 6 * at
    added = sparse.coo_matrix((body.ravel(), (rows.ravel(), columns.ravel())), shape=(size, size))
    return (mass + added).tocsc()
