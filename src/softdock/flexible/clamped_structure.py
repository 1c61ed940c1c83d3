"""Structures clamped at some of their nodes: static deflection and the eigenvalue problem of their modes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, SuperLU, eigsh, splu

from softdock.errors import InputError, Problem, RunError
from softdock.flexible.meshing import StructureMesh

Floats = NDArray[np.float64]

MAX_DENSE_SIZE = 300
"""Up to this many degrees of freedom the dense solver computes the whole spectrum, in well under a second."""
MAX_FULL_SPECTRUM_SIZE = 4000
"""Above this many degrees of freedom computing all modes takes minutes, so the number of modes must be given."""
SINGULAR_PIVOT_RATIO = 1e-13
"""A pivot below this fraction of its diagonal element is round-off: double precision has 16 digits, and assembling
and eliminating a thousand elements in a row costs three."""
MASSLESS_EIGENVALUE_RATIO = 1e-14
"""Modes whose 1/omega^2 is below this fraction of the largest belong to degrees of freedom without mass."""
_MOTIONS = (
    "rotate about x",
    "rotate about y",
    "rotate about z",
    "move along x",
    "move along y",
    "move along z",
)


@dataclass(frozen=True, kw_only=True)
class ClampedStructure:
    """Factorised stiffness of a structure with some nodes clamped."""

    mesh: StructureMesh
    free: NDArray[np.int64]
    """Indices of the free degrees of freedom."""
    stiffness: sparse.csc_matrix
    """Stiffness matrix of the free degrees of freedom; of each node rotations [rad], then translations [m]."""
    solve: Callable[[Floats], Floats]
    """Maps loads [N m, N] on the free degrees of freedom to their displacements [rad, m]."""


def clamp(mesh: StructureMesh, nodes: Sequence[str]) -> ClampedStructure:
    """Clamp nodes and factorise the stiffness; raise InputError if the structure is a mechanism."""
    if not nodes:
        raise InputError("must name at least one node to clamp.", field="fixed")
    fixed = [6 * mesh.index(name) + i for name in nodes for i in range(6)]
    free = np.setdiff1d(np.arange(6 * len(mesh.names)), fixed)
    K = mesh.stiffness[free][:, free].tocsc()
    if free.size == 0:
        return ClampedStructure(mesh=mesh, free=free, stiffness=K, solve=lambda load: load)
    try:
        factor = _factorise(K)
        weak = np.abs(factor.U.diagonal()) <= SINGULAR_PIVOT_RATIO * K.diagonal()[np.argsort(factor.perm_c)]
        singular = bool(weak.any())
    except RuntimeError:  # a pivot of exactly zero
        singular = True
    if singular:
        raise InputError(_mechanism_problem(mesh, free, K))
    return ClampedStructure(mesh=mesh, free=free, stiffness=K, solve=factor.solve)


def _factorise(K: sparse.csc_matrix) -> SuperLU:
    """Return the LU factorisation of a symmetric positive definite matrix."""
    options = {"SymmetricMode": True}
    return splu(K, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)


def _mechanism_problem(mesh: StructureMesh, free: NDArray[np.int64], K: sparse.csc_matrix) -> Problem:
    """Return the problem that names a node that moves without resistance, and the direction of its motion."""
    scale = K.diagonal()
    shift = 1e-10 * np.where(scale > 0.0, scale, scale.max() if scale.max() > 0.0 else 1.0)
    factor = _factorise((K + sparse.diags(shift)).tocsc())
    motion = np.cos(np.arange(free.size))  # a start vector that is orthogonal to no likely mechanism
    for _ in range(3):  # inverse iteration with the shifted matrix, which is not singular
        motion = factor.solve(shift * motion)
        motion = motion / np.abs(motion).max()
    node, direction = divmod(int(free[np.argmax(np.abs(motion))]), 6)
    return Problem(
        field="structure",
        message=f"is a mechanism: node {mesh.names[node]} can {_MOTIONS[direction]} without resistance.",
        hint="Give the beams there stiffness in that direction, or clamp the node.",
    )


@dataclass(frozen=True, kw_only=True)
class Deflection:
    """Static deflection of a clamped structure under loads."""

    motion: Floats
    """Rotation [rad] and translation [m] of every node, shape (nodes, 6)."""
    reactions: Floats
    """Torque [N m] and force [N] of the clamps on the structure, shape (nodes, 6); zero at free nodes."""
    energy: float
    """Elastic energy [J]."""


def deflect(mesh: StructureMesh, loads: Mapping[str, ArrayLike], fixed: Sequence[str]) -> Deflection:
    """Return the static deflection under nodal wrenches (torque [N m], then force [N]); Eq. (F11)."""
    clamped = clamp(mesh, fixed)
    f = np.zeros(6 * len(mesh.names))
    for name, wrench in loads.items():
        given = np.asarray(wrench, float)
        if given.shape != (6,) or not np.isfinite(given).all():
            raise InputError(
                "must be six numbers: torque, then force.", field=f"loads.{name}", given=str(wrench)
            )
        at = 6 * mesh.index(name)
        f[at : at + 6] += given
    u = np.zeros_like(f)
    u[clamped.free] = clamped.solve(f[clamped.free])  # Eq. (F11)
    reactions = mesh.stiffness @ u - f
    reactions[clamped.free] = 0.0
    return Deflection(
        motion=u.reshape(-1, 6),
        reactions=reactions.reshape(-1, 6),
        energy=0.5 * float(u @ (mesh.stiffness @ u)),
    )


def solve_eigenvalue_problem(
    clamped: ClampedStructure, apply_mass: Callable[[Floats], Floats], count: int | None
) -> tuple[Floats, Floats]:
    """Solve K x = omega^2 M x; return omega^2 (modes,), ascending, and mass-normalised shapes (free, modes); Eq. (F12).

    Solved as M x = (1/omega^2) K x with K positive definite, so M may be singular (degrees of freedom without mass,
    or a projected mass matrix). `count` None returns all modes.
    """
    n = clamped.free.size
    if (count is None and n > MAX_FULL_SPECTRUM_SIZE) or (count is not None and count < 1):
        raise InputError(
            f"must be at least 1, and given for a structure of {n} degrees of freedom.",
            field="modes",
            given=str(count),
        )
    # The dense solver counts the modes for the error message.
    if count is None or n <= MAX_DENSE_SIZE or (count >= n and n <= MAX_FULL_SPECTRUM_SIZE):
        inverse, shapes = _solve_dense(clamped, apply_mass)
    elif count >= n:
        raise _mode_count_error(count, n - 1)
    else:
        operator = LinearOperator((n, n), matvec=apply_mass, dtype=float)
        solver = LinearOperator((n, n), matvec=clamped.solve, dtype=float)
        # A start vector without symmetry; constant, so that the same input gives the same bits.
        start = np.cos(np.arange(n))
        try:
            inverse, shapes = eigsh(operator, count, M=clamped.stiffness, Minv=solver, which="LA", v0=start)
        except ArpackNoConvergence as error:
            raise RunError(f"Only {len(error.eigenvalues)} of {count} modes could be found.") from None
        inverse, shapes = inverse[::-1], shapes[:, ::-1]
    real = (
        inverse > MASSLESS_EIGENVALUE_RATIO * max(float(inverse[0]), 0.0)
        if inverse.size
        else np.zeros(0, bool)
    )
    inverse, shapes = inverse[real], shapes[:, real]
    if count is not None and count > inverse.size:
        raise _mode_count_error(count, inverse.size)
    inverse, shapes = inverse[:count], shapes[:, :count]
    shapes = shapes / np.sqrt(inverse)  # x^T K x = 1 makes x^T M x = 1/omega^2
    return 1.0 / inverse, shapes * _mode_signs(shapes)


def _solve_dense(clamped: ClampedStructure, apply_mass: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return the whole spectrum: 1/omega^2, descending, and shapes with unit modal stiffness."""
    G = np.linalg.cholesky(clamped.stiffness.toarray())
    M = apply_mass(np.eye(clamped.free.size))
    half = linalg.solve_triangular(G, M, lower=True)
    C = linalg.solve_triangular(G, half.T, lower=True)
    inverse, y = np.linalg.eigh((C + C.T) / 2.0)
    shapes = linalg.solve_triangular(G.T, y[:, ::-1], lower=False)
    return inverse[::-1], np.asarray(shapes)


def _mode_signs(shapes: Floats) -> Floats:
    """Return +-1 per mode that makes its largest component positive, so that all machines give the same signs."""
    if shapes.size == 0:
        return np.ones(shapes.shape[1])
    return np.where(np.take_along_axis(shapes, np.abs(shapes).argmax(axis=0)[None], axis=0)[0] < 0, -1.0, 1.0)


def _mode_count_error(requested: int, available: int) -> InputError:
    return InputError(
        f"must be at most {available}: the structure has no more.", field="modes", given=str(requested)
    )
