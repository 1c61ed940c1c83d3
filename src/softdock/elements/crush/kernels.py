"""Crushable absorbers: elastic line, plateau, permanent depth and bottoming.

The permanent depth and the absorbed energy are own entries in the state of the system, so that error control covers
them: the first is the depth crushed since the start of the run.
"""

from enum import IntEnum

import numpy as np

from softdock.elements.kernels.joints import push_joint
from softdock.elements.kernels.tangents import add_joint_tangents
from softdock.elements.kernels.yielding import RESOLVED, yielding_share
from softdock.native.decorators import inline, kernel


class CrushValue(IntEnum):
    """Observable fields of a crushable, beside those of all elements along joints."""

    DEPTH = 0
    ABSORBED = 1
    COMPRESSION = 2


class CrushBranch(IntEnum):
    """Parts of the law."""

    APART = 0
    ELASTIC = 1
    CRUSHING = 2
    BOTTOMED = 3


LAW = np.dtype(
    [
        ("side", np.float64),  # 1: it is pressed by larger positions, -1: by smaller ones
        ("start", np.float64),  # position at which the uncrushed core is touched
        ("plateau", np.float64),
        ("stroke", np.float64),
        ("stiffness", np.float64),
        ("bottoming_stiffness", np.float64),
        ("elastic_limit", np.float64),  # elastic compression at the plateau
        ("crushed", np.float64),  # depth before the run
    ],
    align=True,
)

STATE = np.dtype(
    [
        # Results of an evaluation: permanent depth [m or rad], energy absorbed by crushing since the start [J].
        ("depth", np.float64),
        ("absorbed", np.float64),
    ],
    align=True,
)


@inline
def crush_share(law, e, depth):
    """Return the part of the speed with which the permanent depth grows at an elastic compression e; Eq. (Z4)."""
    if depth >= law.stroke:
        return 0.0
    return yielding_share(e / law.elastic_limit)


@inline
def core_force(law, e, depth):
    """Return force, tangent and stored energy at an elastic compression e; Eqs. (Z2), (Z3)."""
    if e <= 0.0:
        return 0.0, 0.0, 0.0
    beyond = e - law.elastic_limit
    if depth < law.stroke or beyond <= 0.0:
        return law.stiffness * e, law.stiffness, 0.5 * law.stiffness * e * e
    k = law.bottoming_stiffness
    energy = law.plateau * (0.5 * law.elastic_limit + beyond) + 0.5 * k * beyond * beyond
    return law.plateau + k * beyond, k, energy


@inline
def permanent_depth(element, law, y):
    """Return the permanent depth [m or rad]; Eq. (Z1)."""
    return law.crushed + y[element.at_state]


@kernel
def apply(system, i, t, q, u, dy):
    """Apply a crushable to its joint and write the rates of depth and absorbed energy; Eqs. (Z1)-(Z5).

    Depths are known while it is switched off, too.
    """
    element, data = system.elements[i], system.element_data[i]
    law, state = system.laws.crush[element.row], system.states.crush[element.row]
    s, v = law.side * (q[element.at_q] - law.start), law.side * u[element.at_u]
    depth = permanent_depth(element, law, q)
    data.deflection = s
    state.depth, state.absorbed = depth, q[element.at_state + 1]
    dy[element.at_state], dy[element.at_state + 1] = 0.0, 0.0
    e = s - depth
    if data.active == 0 or e <= 0.0:
        return
    share, (force, _, energy) = crush_share(law, e, depth), core_force(law, e, depth)
    rate = share * max(v, 0.0)
    push_joint(element, system.axes, -law.side * force, 0.0, 0.0)
    data.force, data.energy, data.loss = force, energy, force * rate
    dy[element.at_state], dy[element.at_state + 1] = rate, force * rate
    data.branch = CrushBranch.ELASTIC.value
    if rate > 0.0:
        data.branch = CrushBranch.CRUSHING.value
    elif depth >= law.stroke and e > law.elastic_limit:
        data.branch = CrushBranch.BOTTOMED.value


@inline
def error_gains(system, i, t, q, u):
    """Return the stiffness of a core that is pressed."""
    element = system.elements[i]
    law = system.laws.crush[element.row]
    depth = permanent_depth(element, law, q)
    _, k, _ = core_force(law, law.side * (q[element.at_q] - law.start) - depth, depth)
    return k, 0.0


@inline
def add_tangents(system, i, t, q, u, linear):
    """Add the stiffness along the motion: less while it is crushed, zero on the plateau; Eq. (Z6)."""
    element = system.elements[i]
    law = system.laws.crush[element.row]
    depth = permanent_depth(element, law, q)
    e = law.side * (q[element.at_q] - law.start) - depth
    _, k, _ = core_force(law, e, depth)
    if system.element_data[i].active == 1 and k > 0.0:
        if law.side * u[element.at_u] > 0.0:
            k *= max(0.0, 1.0 - crush_share(law, e, depth))
        add_joint_tangents(element, linear, k, 0.0)


@kernel
def set_tolerance(system, i, tolerance):
    """Let the permanent depth be as exact as the position of the joint, and the force as a part of the plateau."""
    element = system.elements[i]
    depth = RESOLVED * system.laws.crush[element.row].elastic_limit
    tolerance[element.at_state] = min(tolerance[element.at_q], depth)


@kernel
def switch_on(system, i, t, y):
    """Let the core be crushed as far as the present position asks for."""
    element = system.elements[i]
    law = system.laws.crush[element.row]
    least = least_depth(law, law.side * (y[element.at_q] - law.start))
    y[element.at_state] = max(y[element.at_state], least - law.crushed)


@kernel
def least_depth(law, s):
    """Return the least permanent depth at a depth s of the joint: the force is at most the plateau; Eq. (Z7)."""
    return min(max(0.0, s - law.elastic_limit), law.stroke)


@inline
def value(system, i, component):
    """Return permanent depth [m or rad], energy absorbed in the run [J], or elastic compression [m or rad]."""
    state = system.states.crush[system.elements[i].row]
    if component == CrushValue.COMPRESSION:
        return system.element_data[i].deflection - state.depth
    return state.depth if component == CrushValue.DEPTH else state.absorbed
