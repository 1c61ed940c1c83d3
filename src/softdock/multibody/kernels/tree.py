"""The machine's data of trees of links: records that hold both the constant model and the scratch memory.

Arrays of records are passed to kernels by one pointer each and their type does not depend on the size of the model,
so that one compilation serves every system. Spatial vectors have the angular part first; while a tree is computed,
they are expressed in the base frame of the tree and taken about its origin.
"""

import numpy as np

# Kinds of links: how a link moves against its parent.
GROUND = 0  # base of a grounded tree, at rest in N
FREE = 1  # base of a free-floating tree
REVOLUTE = 2  # turns about its own z axis
PRISMATIC = 3  # slides along its own z axis
BALL = 4  # turns freely, three rates in its own axes

LANES = 4  # links that are computed side by side

GROUP = np.dtype(
    [
        # The model, constant during a run: as in LINK, one column per link.
        ("R_PJ", np.float64, (9, LANES)),
        ("p_PJ", np.float64, (3, LANES)),
        ("own", np.float64, (10, LANES)),
        # Scratch memory; B is the base frame of the tree.
        ("angle", np.float64, LANES),  # of a revolute joint, otherwise zero
        ("slide", np.float64, LANES),  # of a prismatic joint, otherwise zero
        ("R_PL", np.float64, (9, LANES)),  # link in its parent, but for the turn of a ball
        ("p_PL", np.float64, (3, LANES)),
        ("R", np.float64, (9, LANES)),  # R_BL
        ("p", np.float64, (3, LANES)),  # p_BL_B [m]
        ("inertia", np.float64, (10, LANES)),  # as `own`, in base axes about the origin of B
        ("V_rel", np.float64, (6, LANES)),  # velocity that the joints make, relative to the base
        ("A_rel", np.float64, (6, LANES)),  # acceleration that these velocities need while the base rests
        ("V", np.float64, (6, LANES)),  # velocity against N
        ("h", np.float64, (6, LANES)),  # momentum: relative to the base at first, against N at last
        ("f", np.float64, (6, LANES)),  # force that the motion needs, articulated as IA
        ("IA", np.float64, (21, LANES)),  # articulated inertia, lower triangle by rows
    ],
    align=True,
)

LINK = np.dtype(
    [
        # The model, constant during a run.
        ("kind", np.int64),
        ("parent", np.int64),  # index of the parent link, -1 for a base
        ("root", np.int64),  # index of the base link of this tree
        ("at_q", np.int64),  # where the positions start in the state
        ("at_u", np.int64),  # where the speeds start among all speeds; for a FREE base its momentum
        ("rows", np.int64),  # number of speeds: 0 for GROUND, 6 for FREE, 1 or 3 otherwise
        ("laid_out", np.int64),  # 1: the model of this link stands in its group
        ("R_PJ", np.float64, 9),  # joint frame J in the parent link, row by row
        ("p_PJ", np.float64, 3),  # [m]
        # Mass, mass * centre (3), inertia xx yy zz xy xz yz about the origin; link axes.
        ("own", np.float64, 10),
        # Scratch memory, in the base frame B of the tree.
        ("R", np.float64, 9),  # R_BL
        ("p", np.float64, 3),  # p_BL_B [m]
        ("V", np.float64, 6),  # velocity against N
        ("dA", np.float64, 6),  # acceleration beyond what the velocities need
        ("dB", np.float64, 6),  # what the wrenches of locks change
        ("W", np.float64, 6),  # wrench from outside the tree, in N axes about N's origin
        # Scratch memory of a base.
        ("R_NB", np.float64, 9),
        ("p_NB", np.float64, 3),
        ("total", np.float64, 10),  # inertia of the whole tree
        ("h_rel", np.float64, 6),  # momentum that the joints make
        ("h", np.float64, 6),  # momentum of the whole tree; zero in links that are no base
        # Side by side with the next links, in every link whose index is a multiple of LANES; unused in the others.
        ("group", GROUP),
    ],
    align=True,
)

AXIS = np.dtype(
    [
        ("S", np.float64, 6),  # motion per unit of speed
        ("U", np.float64, 6),  # how the acceleration of what it stands on changes the one along the axis
        ("D", np.float64),  # acceleration per unit of force along the axis, what it stands on at rest
        ("g", np.float64),  # acceleration along the axis if what it stands on did not accelerate
        ("held", np.float64),  # effort that a controller holds [N or N m]
        ("tau", np.float64),  # force of springs, drives and whatever acts along the axis [N or N m]
        ("udot", np.float64),  # acceleration along the axis
        ("du", np.float64),  # what the wrenches of locks change along the axis
    ],
    align=True,
)


def records(count: int, dtype: np.dtype) -> np.recarray:
    """Allocate records whose fields can be reached by name with and without compilation."""
    if dtype not in _OF_RECORDS:
        _OF_RECORDS[dtype] = np.dtype((np.record, dtype))
    return np.zeros(count, _OF_RECORDS[dtype]).view(np.recarray)


_OF_RECORDS: dict[np.dtype, np.dtype] = {}
"""Types of records, each made once: what is the same object is quickly found to be equal."""
