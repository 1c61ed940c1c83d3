"""Records of trees of links: constants, and data that the kernels write, in different records.

Arrays of records are passed to kernels by one pointer each and their type does not depend on the size of the model,
so that one compilation serves every system. Spatial vectors have the angular part first; while a tree is computed,
they are expressed in the base frame of the tree and taken about its origin.
"""

from typing import Any

import numpy as np

from softdock.native.simd import LANES

# Kinds of links: how a link moves against its parent.
GROUND = 0  # base of a grounded tree, at rest in N
FREE = 1  # base of a free-floating tree
REVOLUTE = 2  # turns about its own z axis
PRISMATIC = 3  # slides along its own z axis
BALL = 4  # turns freely, three rates in its own axes

LINK = np.dtype(
    [
        ("kind", np.int64),
        ("parent", np.int64),  # index of the parent link, -1 for a base
        ("root", np.int64),  # index of the base link of this tree
        ("at_q", np.int64),  # where the positions start in the state
        ("at_u", np.int64),  # where the speeds start among all speeds; for a FREE base its momentum
        ("rows", np.int64),  # number of speeds: 0 for GROUND, 6 for FREE, 1 or 3 otherwise
        ("column", np.int64),  # first of its axes among all axes of joints, -1 for a base
        ("columns", np.int64),  # of a FREE base: number of axes in its tree
        ("R_PJ", np.float64, 9),  # joint frame J in the parent link, row by row
        ("p_PJ", np.float64, 3),  # [m]
        # Mass, mass * centre (3), inertia xx yy zz xy xz yz about the origin; link axes.
        ("own", np.float64, 10),
    ],
    align=True,
)
"""Constants of a link."""

LINK_MOTION = np.dtype(
    [
        # In the base frame B of the tree.
        ("R", np.float64, 9),  # R_BL
        ("p", np.float64, 3),  # p_BL_B [m]
        ("V", np.float64, 6),  # velocity against N
        ("acceleration_change", np.float64, 6),  # acceleration minus the velocity-dependent part
        ("lock_response", np.float64, 6),  # change of acceleration or velocity by the wrenches of locks
        ("W", np.float64, 6),  # external wrench, in N axes about N's origin
        ("loaded", np.int64),  # 1: `W` is not zero
        ("reaction", np.float64, 6),  # wrench through its joint, about B's origin; only where it is requested
        ("deformed", np.float64, 10),  # as `own`, deformed by structures
        # Of a base.
        ("R_NB", np.float64, 9),
        ("p_NB", np.float64, 3),
        ("total", np.float64, 10),  # inertia of the whole tree
        ("centre", np.float64, 3),  # of the whole tree [m]
        ("inverse_inertia", np.float64, 6),  # of the whole tree about its centre, xx yy zz xy xz yz
        ("h_rel", np.float64, 6),  # momentum due to the joints
        ("h", np.float64, 6),  # momentum of the base alone
        ("f", np.float64, 6),  # required force of its motion; finally that of the whole tree
        ("flexible", np.int64),  # 1: L L^T of modes is subtracted from the inertia
        ("inverse", np.float64, (6, 6)),  # motion of the whole tree per force
    ],
    align=True,
)
"""Motion, inertia and forces of a link: data that the kernels write."""

GROUP = np.dtype(
    [
        # One column per axis; all zero in columns without an axis.
        ("at_q", np.int64, LANES),
        ("at_u", np.int64, LANES),
        ("parent", np.int64, LANES),  # axis that carries this axis, -1 for a base
        ("roots", np.int64, LANES),  # free bases of these axes, then -1
        ("members", np.float64, (LANES, LANES)),  # one row per root: 1 for its axes
        ("hinge", np.float64, (1, LANES)),  # 1: its position is an angle
        ("turns", np.float64, (1, LANES)),  # 1: turns about its z axis
        ("slides", np.float64, (1, LANES)),  # 1: slides along its z axis
        ("grounded", np.float64, (1, LANES)),  # 1: its tree has a grounded base
        ("above", np.float64, (LANES, LANES)),  # row by row: the axes that carry an axis, and itself
        ("below", np.float64, (LANES, LANES)),  # the axes that an axis carries
        # As `below` and itself; the axes of a ball joint carry each other.
        ("carries", np.float64, (LANES, LANES)),
        ("R_PJ", np.float64, (9, LANES)),  # as in LINK
        ("p_PJ", np.float64, (3, LANES)),
        # Last, so that all rows above are aligned to SIMD vectors.
        ("count", np.int64),  # columns in use
        ("first", np.int64),  # first axis of all that move together with one of these
        ("padding", np.int64, LANES - 2),
    ],
    align=True,
)
"""Constants of LANES joint axes."""

GROUP_MOTION = np.dtype(
    [
        # One column per axis; B is the base frame of the tree. All rows are aligned to SIMD vectors.
        ("R_PL", np.float64, (9, LANES)),  # link in its parent, but for the turn of a ball
        ("p_PL", np.float64, (3, LANES)),
        ("R", np.float64, (9, LANES)),  # R_BL; the z axis is that of the motion
        ("p", np.float64, (3, LANES)),  # p_BL_B [m]
        ("S", np.float64, (6, LANES)),  # motion per unit of speed (joint Jacobian)
        ("step", np.float64, (6, LANES)),  # velocity or acceleration that an axis adds
        ("V_rel", np.float64, (6, LANES)),  # velocity due to the joints, relative to the base
        ("A_rel", np.float64, (6, LANES)),  # velocity-dependent acceleration while the base is at rest
        ("V", np.float64, (6, LANES)),  # velocity against N
        ("A", np.float64, (6, LANES)),  # velocity-dependent acceleration, and gravity on the ground
        # Inertia of the link that the axis moves, as in LINK_MOTION; zero for inner axes of a ball joint.
        ("deformed", np.float64, (10, LANES)),
        ("inertia", np.float64, (10, LANES)),  # the same in base axes about the origin of B
        ("composite", np.float64, (10, LANES)),  # sum over all that an axis carries
        ("h", np.float64, (6, LANES)),  # momentum against N
        ("f", np.float64, (6, LANES)),  # force that the motion requires
        ("F", np.float64, (6, LANES)),  # momentum per unit of speed of all that an axis carries
        ("Y", np.float64, (6, LANES)),  # motion of the free base that has this momentum
        ("b", np.float64, (1, LANES)),  # force along the axis that accelerates it
        ("udot", np.float64, (1, LANES)),  # acceleration along the axis
    ],
    align=True,
)
"""Motion, inertia and forces of LANES joint axes: data that the kernels write."""

TILE = np.dtype(
    [
        ("above", np.float64, (LANES, LANES)),  # as in GROUP, for the axes of two groups
        ("same", np.float64, (LANES, LANES)),  # 1 for axes with the same free base
    ],
    align=True,
)
"""Constants of the axes of two groups."""

TILE_INERTIA = np.dtype([("H", np.float64, (LANES, LANES))], align=True)
"""Inertia of the joints of two groups, finally the negative of its inverse: data that the kernels write."""

AXIS = np.dtype(
    [
        ("effort", np.float64),  # effort of a controller, kept until changed [N or N m]
        ("tau", np.float64),  # sum of all efforts along the axis [N or N m]
        ("udot", np.float64),  # acceleration along the axis
        ("lock_response", np.float64),  # change of acceleration or speed by the wrenches of locks
        # 1: it does not accelerate; `holding` is the force on it that this takes, `held_force` what `solve` found along
        # it [N or N m].
        ("stuck", np.int64),
        ("held_force", np.float64),
        ("holding", np.float64),
        # Friction that sticks, of the first of the axes that stick together; see dynamics.kernels.run.sticking. Their
        # number (0: no such friction), and 1 or -1 while they slide in that direction, 0 otherwise.
        ("friction_axes", np.int64),
        ("slides", np.int64),
        ("resting_speed", np.float64),  # up to which it counts as at rest [m/s or rad/s]
        ("rubbed", np.int64),  # 1: an element with friction acts on them
        ("static_friction", np.float64),  # largest holding force at the last evaluation [N or N m]
        ("most_used", np.float64),  # largest holding force over static friction since the start of the step
        ("least_used", np.float64),  # smallest one
    ],
    align=True,
)
"""Efforts, accelerations and friction along an axis of a joint: data."""


def initial_motions(links: np.recarray) -> np.recarray:
    """Return the motions of links before any state is known, without inertias: bases at N's origin."""
    motions = records(len(links), LINK_MOTION)
    plain, identity = motions.view(np.ndarray), np.eye(3).ravel()
    plain["R_NB"] = identity
    plain["R"][links.view(np.ndarray)["parent"] < 0] = identity
    return motions


def records(count: int, dtype: np.dtype) -> np.recarray:
    """Allocate records whose fields can be reached by name with and without compilation."""
    if dtype not in _OF_RECORDS:
        _OF_RECORDS[dtype] = np.dtype((np.record, dtype))
    return np.zeros(count, _OF_RECORDS[dtype]).view(np.recarray)


_OF_RECORDS: dict[np.dtype, np.dtype] = {}
"""Record types by dtype, each created once, because NumPy compares identical objects fast."""


_NDARRAY: Any = np.ndarray  # descriptors: attribute access on record arrays is slow
_new, _bytes_of = _NDARRAY.__new__, _NDARRAY.tobytes
_shape_of, _dtype_of = _NDARRAY.shape.__get__, _NDARRAY.dtype.__get__


def copy_records(array: np.recarray) -> np.recarray:
    """Return a copy of contiguous records; copying bytes is ten times faster than copying fields."""
    memory = bytearray(_bytes_of(array))
    return _new(np.recarray, _shape_of(array), _dtype_of(array), memory)
