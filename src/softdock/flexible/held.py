"""A structure held at some of its nodes: static deflection, and the eigenvalue problem behind all modes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from softdock.errors import InputError, Problem, RunError
from softdock.flexible.meshing import Mesh

Floats = NDArray[np.float64]

DENSE = 300
"""Up to this many degrees of freedom the whole spectrum is computed densely, in well under a second."""
LARGEST = 4000
"""All modes of more degrees of freedom than this would take minutes: one has to say how many are wanted."""
SINGULAR = 1e-13
"""A pivot below this fraction of its diagonal is round-off: double precision keeps 16 digits, and assembling
and eliminating a thousand elements in a row costs three."""
MASSLESS = 1e-14
"""Modes whose 1/omega^2 lies below this fraction of the largest come from directions without mass."""
_WAYS = ("turn about x", "turn about y", "turn about z", "move along x", "move along y", "move along z")


@dataclass(frozen=True, kw_only=True)
class Held:
    """Stiffness of a structure with some nodes clamped, factored."""

    mesh: Mesh
    free: NDArray[np.int64]
    """Degrees of freedom that can move."""
    stiffness: sparse.csc_matrix
    """Of those that can move."""
    solve: Callable[[Floats], Floats]
    """Loads on what can move to its displacements."""


def hold(mesh: Mesh, nodes: Sequence[str]) -> Held:
    """Clamp nodes and factor the stiffness; refuse a structure that can still move without resistance."""
    if not nodes:
        raise InputError(Problem(field="fixed", message="must name at least one node to hold."))
    clamped = [6 * mesh.index(name) + i for name in nodes for i in range(6)]
    free = np.setdiff1d(np.arange(6 * len(mesh.names)), clamped)
    K = mesh.stiffness[free][:, free].tocsc()
    if free.size == 0:
        return Held(mesh=mesh, free=free, stiffness=K, solve=lambda load: load)
    try:
        factor = _factored(K)
        weak = np.abs(factor.U.diagonal()) <= SINGULAR * K.diagonal()[np.argsort(factor.perm_c)]
        singular = bool(weak.any())
    except RuntimeError:  # a pivot of exactly zero
        singular = True
    if singular:
        raise InputError(_mechanism(mesh, free, K))
    return Held(mesh=mesh, free=free, stiffness=K, solve=factor.solve)


def _factored(K: sparse.csc_matrix) -> "splu":
    """Return the factors of a symmetric positive definite matrix."""
    options = {"SymmetricMode": True}
    return splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)


def _mechanism(mesh: Mesh, free: NDArray[np.int64], K: sparse.csc_matrix) -> Problem:
    """Return what to tell about a structure that moves without resistance: where, and how."""
    scale = K.diagonal()
    nudge = 1e-10 * np.where(scale > 0.0, scale, scale.max() if scale.max() > 0.0 else 1.0)
    factor = _factored((K + sparse.diags(nudge)).tocsc())
    motion = np.cos(np.arange(free.size))  # any start that no mechanism is blind to
    for _ in range(3):  # inverse iteration
        motion = factor.solve(nudge * motion)
        motion = motion / np.abs(motion).max()
    node, way = divmod(int(free[np.argmax(np.abs(motion))]), 6)
    return Problem(
        field="structure",
        message=f"is a mechanism: node {mesh.names[node]} can {_WAYS[way]} without resistance.",
        hint="Give the beams there stiffness in that direction, or hold the node.",
    )


@dataclass(frozen=True, kw_only=True)
class Deflection:
    """How a held structure gives way under loads."""

    motion: Floats
    """Turn [rad] and shift [m] of every node, shape (nodes, 6)."""
    reactions: Floats
    """What the holds put on the structure, torque [N m] and force [N], shape (nodes, 6); zero where it is free."""
    energy: float
    """Elastic [J]."""


def deflect(mesh: Mesh, loads: Mapping[str, ArrayLike], fixed: Sequence[str]) -> Deflection:
    """Load nodes of a held structure with wrenches, torque [N m] before force [N], and let it rest; Eq. (F11)."""
    held = hold(mesh, fixed)
    f = np.zeros(6 * len(mesh.names))
    for name, wrench in loads.items():
        given = np.asarray(wrench, float)
        if given.shape != (6,) or not np.isfinite(given).all():
            raise InputError(
                Problem(
                    field=f"loads.{name}",
                    message="must be six numbers: torque, then force.",
                    given=str(wrench),
                )
            )
        at = 6 * mesh.index(name)
        f[at : at + 6] += given
    u = np.zeros_like(f)
    u[held.free] = held.solve(f[held.free])  # Eq. (F11)
    reactions = mesh.stiffness @ u - f
    reactions[held.free] = 0.0
    return Deflection(
        motion=u.reshape(-1, 6),
        reactions=reactions.reshape(-1, 6),
        energy=0.5 * float(u @ (mesh.stiffness @ u)),
    )


def lowest(held: Held, apply_mass: Callable[[Floats], Floats], count: int | None) -> tuple[Floats, Floats]:
    """Return omega^2 rising and mass-normalised shapes, (modes,) and (free, modes), of K x = omega^2 M x; Eq. (F12).

    Written as M x = (1/omega^2) K x with K positive definite: directions without mass and masses that are
    only a projection of the structure's do no harm. `count` None asks for all modes.
    """
    n = held.free.size
    if (count is None and n > LARGEST) or (count is not None and count < 1):
        raise InputError(
            Problem(
                field="modes",
                message=f"must be at least 1, and given for a structure of {n} degrees of freedom.",
                given=str(count),
            )
        )
    if count is None or n <= DENSE or (count >= n and n <= LARGEST):  # to say how many there are
        inverse, shapes = _dense(held, apply_mass)
    elif count >= n:
        raise _too_many(count, n - 1)
    else:
        operator = LinearOperator((n, n), matvec=apply_mass, dtype=float)
        solver = LinearOperator((n, n), matvec=held.solve, dtype=float)
        # Any start without symmetry; fixed, so that the same input gives the same bits.
        start = np.cos(np.arange(n))
        try:
            inverse, shapes = eigsh(operator, count, M=held.stiffness, Minv=solver, which="LA", v0=start)
        except ArpackNoConvergence as error:
            raise RunError(f"Only {len(error.eigenvalues)} of {count} modes could be found.") from None
        inverse, shapes = inverse[::-1], shapes[:, ::-1]
    real = inverse > MASSLESS * max(float(inverse[0]), 0.0) if inverse.size else np.zeros(0, bool)
    inverse, shapes = inverse[real], shapes[:, real]
    if count is not None and count > inverse.size:
        raise _too_many(count, inverse.size)
    inverse, shapes = inverse[:count], shapes[:, :count]
    shapes = shapes / np.sqrt(inverse)  # x^T K x = 1 makes x^T M x = 1/omega^2
    return 1.0 / inverse, shapes * _signs(shapes)


def _dense(held: Held, apply_mass: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return 1/omega^2 falling and shapes with unit stiffness, the whole spectrum."""
    G = np.linalg.cholesky(held.stiffness.toarray())
    M = apply_mass(np.eye(held.free.size))
    half = linalg.solve_triangular(G, M, lower=True)
    C = linalg.solve_triangular(G, half.T, lower=True)
    inverse, y = np.linalg.eigh((C + C.T) / 2.0)
    shapes = linalg.solve_triangular(G.T, y[:, ::-1], lower=False)
    return inverse[::-1], np.asarray(shapes)


def _signs(shapes: Floats) -> Floats:
    """Return +-1 per mode so that its largest component is positive: the same modes on every machine."""
    if shapes.size == 0:
        return np.ones(shapes.shape[1])
    return np.where(np.take_along_axis(shapes, np.abs(shapes).argmax(axis=0)[None], axis=0)[0] < 0, -1.0, 1.0)


def _too_many(asked: int, exist: int) -> InputError:
    return InputError(
        Problem(
            field="modes", message=f"must be at most {exist}: the structure has no more.", given=str(asked)
        )
    )
