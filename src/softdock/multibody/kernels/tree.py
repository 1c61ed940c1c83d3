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

LINK = np.dtype(
    [
        # The model, constant during a run.
        ("kind", np.int64),
        ("parent", np.int64),  # index of the parent link, -1 for a base
        ("root", np.int64),  # index of the base link of this tree
        ("at_q", np.int64),  # where the positions start in the state
        ("at_u", np.int64),  # where the speeds start among all speeds; for a FREE base its momentum
        ("rows", np.int64),  # number of speeds: 0 for GROUND, 6 for FREE, 1 or 3 otherwise
        ("R_PJ", np.float64, 9),  # joint frame J in the parent link, row by row
        ("p_PJ", np.float64, 3),  # [m]
        (
            "own",
            np.float64,
            10,
        ),  # mass, mass * centre (3), inertia xx yy zz xy xz yz about the origin; link axes
        # Scratch memory, in the base frame B of the tree.
        ("R", np.float64, 9),  # R_BL
        ("p", np.float64, 3),  # p_BL_B [m]
        ("inertia", np.float64, 10),  # as `own`, about the origin of B
        ("V_rel", np.float64, 6),  # velocity that the joints make, relative to the base
        ("V", np.float64, 6),  # velocity against N
        ("h", np.float64, 6),  # momentum
        ("A", np.float64, 6),  # acceleration while the accelerations of bases and joints are zero
        ("dA", np.float64, 6),  # what these accelerations add
        ("f", np.float64, 6),  # force that the motion needs
        ("IA", np.float64, 21),  # articulated inertia, lower triangle by rows
        ("W", np.float64, 6),  # wrench from outside the tree, in N axes about N's origin
        # Scratch memory of a base.
        ("R_NB", np.float64, 9),
        ("p_NB", np.float64, 3),
        ("total", np.float64, 10),  # inertia of the whole tree
        ("h_rel", np.float64, 6),  # momentum that the joints make
    ],
    align=True,
)

AXIS = np.dtype(
    [
        ("S", np.float64, 6),  # motion per unit of speed
        ("U", np.float64, 6),  # articulated inertia times S
        ("D", np.float64),  # inverse of S . U
        ("e", np.float64),  # force left to accelerate this axis
        ("tau", np.float64),  # force of springs, drives and whatever acts along the axis [N or N m]
        ("udot", np.float64),  # acceleration along the axis
    ],
    align=True,
)


def records(count: int, dtype: np.dtype) -> np.recarray:
    """Allocate records whose fields can be reached by name with and without compilation."""
    return np.zeros(count, dtype).view(np.recarray)
