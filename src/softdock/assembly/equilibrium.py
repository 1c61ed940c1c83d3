"""Initial static equilibrium of structures under gravity and rotation."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly, state
from softdock.assembly.initial_motion import momenta, motions_at_state
from softdock.dynamics.entry_points import derivative
from softdock.dynamics.impulse import ImpulseResponse
from softdock.dynamics.system_records import system_records
from softdock.errors import RunError
from softdock.spatial.vectors import inverse_motion_transform
from softdock.tree.indices import StateKind
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]
MAX_ITERATIONS = 50
TOLERANCE = 1e-10  # remaining modal acceleration over that of the undeformed structure


def settle_structures(assembly: Assembly) -> Assembly:
    """Return the system deformed so that marked structures do not accelerate against their body; Eq. (F48).

    Velocities of bodies and joints stay as they are given.
    """
    marked = np.concatenate([[bool(a.flexible.settled)] * a.modes.frequency.size for a in assembly.attached])
    at = np.flatnonzero(assembly.state_kinds == StateKind.MODAL)
    n_q = int(assembly.world[0].n_q)
    compliance = _modal_compliance(assembly)
    q, first = np.zeros(at.size), 0.0
    for _ in range(MAX_ITERATIONS):
        assembly = _deformed(assembly, at, q)
        rate = np.zeros(len(assembly.y))
        derivative(system_records(assembly), 0.0, assembly.y, rate)
        residual = np.where(marked, rate[n_q + assembly.axis_count :][: at.size], 0.0)
        scale = float(np.abs(residual).max(initial=0.0))
        first = max(first, scale)
        if scale <= TOLERANCE * first:
            return assembly
        q = q + np.where(marked, compliance @ residual, 0.0)
    raise RunError(
        "A structure has no static equilibrium at the start: leave `settled` out, or start with less motion."
    )


def _deformed(assembly: Assembly, at: NDArray[np.int64], q: Floats) -> Assembly:
    """Return the system with modal coordinates, and with the momenta of the unchanged velocities."""
    n_q = int(assembly.world[0].n_q)
    positions = assembly.y[:n_q].copy()
    positions[at] = q
    motions = motions_at_state(assembly, state(positions, assembly.velocities))
    return replace(assembly, y=state(positions, momenta(assembly.links, motions, assembly.velocities)))


def _modal_compliance(assembly: Assembly) -> Floats:
    """Return the change of modal coordinates that cancels a modal acceleration, (modes, modes); Eq. (F48)."""
    blocks = []
    impact = ImpulseResponse(assembly, assembly.y)
    for a in assembly.flexible.appendages:
        modes = assembly.flexible.modes[a.first : a.first + a.count]
        L = modes["c"][:, :6].T
        keep = np.eye(int(a.count))
        if impact.links[impact.links[a.link].root].kind == k.FREE:
            X = inverse_motion_transform(impact.pose(a.link))
            inverse = X @ np.linalg.inv(impact.whole_inertia(int(a.link))) @ X.T
            keep = keep - L.T @ inverse @ L
        blocks.append(keep / modes["stiffness"][:, None])
    out = np.zeros((len(assembly.flexible.modes),) * 2)
    first = 0
    for block in blocks:
        out[first : first + len(block), first : first + len(block)] = block
        first += len(block)
    return out
