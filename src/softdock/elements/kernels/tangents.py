"""Memory of the linear equations of implicit steps, and how elements write their stiffness and damping into it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.native.decorators import inline, kernel

# Columns of Linear.slowdowns: stiffness and damping of the drive, loss of speed and of the speed ratio of its command
# per force, rate of its force by the command.
SLOWDOWN_STIFFNESS, SLOWDOWN_DAMPING, SLOWDOWN_SPEED, SLOWDOWN_RATIO, SLOWDOWN_FORCE_RATE = 0, 1, 2, 3, 4
SLOWDOWN_COLUMNS = 5
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Linear(NamedTuple):
    """Memory of the linear equations; n momenta and speeds, m connections: contacts, elements, interfaces.

    Rows have `width` entries: n rounded up to a multiple of the SIMD lanes, zero beyond n. SI units.
    """

    inertia: NDArray[np.float64]
    """(n, n): inverse inertia of free trees in N about its origin, inertia of joints with free bases eliminated."""
    stiffness: NDArray[np.float64]
    """(n, n): of joints."""
    damping: NDArray[np.float64]
    """(n, n): of joints."""
    inverse: NDArray[np.float64]
    """(n, n): inverse of the stage matrix, transposed."""
    base_motion: NDArray[np.float64]
    """(links, 6, n): motion of a free base, in N about its origin, per momentum and per speed of joints of its tree."""
    K: NDArray[np.float64]
    """(m, 6, 6): stiffness, rotations first."""
    D: NDArray[np.float64]
    """(m, 6, 6): damping."""
    jacobians: NDArray[np.float64]
    """(m, 6, n): relative motion in the frame of the connection per motion of free bases (in N) and joints."""
    momentum_maps: NDArray[np.float64]
    """(m, 6, n): relative velocity there per momentum and speed."""
    frames: NDArray[np.float64]
    """(m, 12): rotation (rows) and position in N of the frame of the connection."""
    connections: NDArray[np.int64]
    """(m, 3): 1 where it acts; the links a and b."""
    force_rate: NDArray[np.float64]
    """(n,): rate of the forces of drives along joints by their smooth commands."""
    delays: NDArray[np.int64]
    """(n,): index in the state of the delay of that command; -1: none."""
    held: NDArray[np.int64]
    """(n,): 1 for axes that friction holds."""
    slowdowns: NDArray[np.float64]
    """(n, SLOWDOWN_COLUMNS): of a drive that its force limit slows down; `SLOWDOWN_SPEED` is zero without one."""
    work: NDArray[np.float64]
    """(3, n): rows MOTION, RIGHT_SIDE and SOLUTION; see stages."""
    products: NDArray[np.float64]
    """(6, n): stiffness and damping of a connection times its relative velocity per momentum and speed."""
    displacements: NDArray[np.float64]
    """(m, 6): relative displacement of the connections by the rates of positions on the right side of a stage."""
    bristles: NDArray[np.float64]
    """(m, 4, 6): stretch of the bristle of a contact per relative motion, times the root of its stiffness.

    The stiffness of the bristle is not part of K before `factorise` adds it.
    """
    bristle_states: NDArray[np.int64]
    """(m,): first entry of the bristle in the state; -1: none."""
    bristle_decays: NDArray[np.float64]
    """(m,): rate at which the bristle decays [1/s]; after `factorise`, the root of what a stage leaves of it."""
    bristle_offsets: NDArray[np.float64]
    """(m, 4): stretch by the rates of bristles on the right side, minus that by the displacement of the connection."""
    wrench: NDArray[np.float64]
    """(2, 6): wrench of a connection, in its frame; its displacement, or the motion of a base."""


@inline
def add_joint_tangents(element, linear, k, c):
    """Add the same stiffness and damping to all axes of the joint of an element."""
    for a in range(element.rows):
        linear.stiffness[element.at_u + a, element.at_u + a] += k
        linear.damping[element.at_u + a, element.at_u + a] += c


@inline
def add_radial_tangents(element, linear, k, c, n):
    """Add stiffness and damping along the unit vector n of the axes of the joint of an element."""
    for a in range(element.rows):
        for b in range(element.rows):
            linear.stiffness[element.at_u + a, element.at_u + b] += k * n[a] * n[b]
            linear.damping[element.at_u + a, element.at_u + b] += c * n[a] * n[b]


@kernel
def activate_connection(linear, c, a, b, R, p):
    """Mark a connection as active and write its links a and b and its frame: rotation R and position p in N [m]."""
    linear.connections[c, 0], linear.connections[c, 1], linear.connections[c, 2] = 1, a, b
    for k in range(9):
        linear.frames[c, k] = R[k]
    for k in range(3):
        linear.frames[c, 9 + k] = p[k]
