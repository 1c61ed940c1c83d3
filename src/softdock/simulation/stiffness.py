"""Static stiffness between two frames at a state: force over relative displacement, from the linear equations."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly
from softdock.dynamics.entry_points import LINEAR, linearise
from softdock.dynamics.run_memory import linear_sizes
from softdock.dynamics.session import Session
from softdock.elements.kernels.tangents import Linear, activate_connection
from softdock.model.stiffness import DIRECTIONS, LinkStiffness
from softdock.native.structure_memory import allocate
from softdock.tree.kernels.poses import link_point, link_rotation

Floats = NDArray[np.float64]
NULL_STIFFNESS = 1e-11
"""Stiffness of a motion, relative to the diagonal of the matrix, below which nothing resists it."""
MAX_RESIDUAL = 1e-6
"""Part of a unit load that no displacement balances, above which the load moves the frames freely."""


def stiffness_metrics(
    wanted: Mapping[str, LinkStiffness], assembly: Assembly, session: Session
) -> dict[str, float | None]:
    """Return the stiffness of all wanted pairs of frames at the present state of a session, by name of the metric.

    None where the connection is rigid, and where the linear equations do not apply: they do not cover locks and
    flexible structures.
    """
    metrics: dict[str, float | None] = {}
    for name, pair in wanted.items():
        stiffness = link_stiffness(pair, assembly, session)
        for k, direction in enumerate(DIRECTIONS):
            metrics[f"stiffness_{name.replace('-', '_')}_{direction}"] = (
                None if stiffness is None or np.isinf(stiffness[k]) else float(stiffness[k])
            )
    return metrics


def link_stiffness(pair: LinkStiffness, assembly: Assembly, session: Session) -> Floats | None:
    """Return the stiffness along x, y, z [N/m] and about x, y, z [N m/rad] of frame a, shape (6,); Eq. (W15)."""
    system = session.system
    sizes = linear_sizes(assembly, len(system.pairs) + len(system.interfaces), more=1)
    linear = allocate(LINEAR, sizes).value
    if not linear.inertia.size:
        return None
    _add_frames(pair, assembly, session, linear)
    linearise(system, session.time, session.state, linear)
    n = linear.inertia.shape[0]
    K = linear.stiffness[:n, :n].copy()
    for c in np.flatnonzero(linear.connections[:, 0]):
        jacobian = linear.jacobians[c][:, :n]
        K += jacobian.T @ linear.K[c] @ jacobian
        if linear.bristle_states[c] >= 0:
            stretch = linear.bristles[c] @ jacobian
            K += stretch.T @ stretch
    J = linear.jacobians[-1][:, :n]
    compliance = _compliance(K, J)
    with np.errstate(divide="ignore"):
        return np.array([1.0 / compliance[k] for k in (3, 4, 5, 0, 1, 2)])


def _add_frames(pair: LinkStiffness, assembly: Assembly, session: Session, linear: Linear) -> None:
    """Add a connection without stiffness, the last one, whose Jacobian is the motion of frame b against frame a.

    It is at the origin of b, in a's axes. Expects the links at the present state.
    """
    links, motions, last = session.system.links, session.system.motions, len(linear.connections) - 1
    (a, X_aF), (b, X_bG) = (
        (assembly.placed[anchor.body].link, assembly.placed[anchor.body].X_LB @ anchor.pose())
        for anchor in (pair.a, pair.b)
    )
    R = link_rotation(motions[a], motions[links[a].root], X_aF.R.ravel())
    p = link_point(motions[b], motions[links[b].root], X_bG.p)
    activate_connection(linear, last, a, b, R, p)


def _compliance(K: Floats, J: Floats) -> Floats:
    """Return the displacement per load in each direction, shape (6,); infinite where nothing resists the load."""
    diagonal = np.abs(np.diag(K))
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    loads = scale[:, None] * J.T
    matrix = scale[:, None] * K * scale
    moves = np.linalg.lstsq(matrix, loads, rcond=NULL_STIFFNESS)[0]
    residual = np.linalg.norm(matrix @ moves - loads, axis=0)
    free = residual > MAX_RESIDUAL * np.linalg.norm(loads, axis=0)
    return np.where(free, np.inf, np.einsum("ij,ji->i", J, scale[:, None] * moves))
