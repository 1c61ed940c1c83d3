"""Columns of the arrays that the contact kernels share, and the arrays themselves."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# ContactArrays.params: one row per pair, SI
STIFFNESS, DAMPING, DAMPING_DEPTH, FRICTION, FRICTION_SPEED, RESOLUTION, SMALLEST = 0, 1, 2, 3, 4, 5, 6
PARAMS = 7

# ContactArrays.spans: one row per pair
FIRST_SEGMENT, LAST_SEGMENT, TREE, QUADRATURE, MAPPING, FRICTION_LAW = 0, 1, 2, 3, 4, 5
SPANS = 6
CELLS, POINTS = 0, 1  # quadrature
DISTANCE, RADIAL = 0, 1  # mapping
SMOOTH, RAMP = 0, 1  # friction law

# ContactArrays.strips: one row per segment of a surface that carries cells
STRIP_KIND, STRIP_AXIS_Z, STRIP_AXIS_R, STRIP_RADIUS, STRIP_LENGTH, STRIP_ANGLE = 0, 1, 2, 3, 4, 5
STRIPS = 6

# ContactArrays.steps: (strip, level, column); cosine and sine of half, quarter, Gauss steps along and around
HALF_U, QUARTER_U, GAUSS_U, HALF_PHI, QUARTER_PHI, GAUSS_PHI = 0, 2, 4, 6, 8, 10
LEVELS = 14

# ContactArrays.tree: one row per node; a leaf has no children and owns roots FIRST_ROOT ... + ROOTS - 1
LEFT, RIGHT, FIRST_ROOT, ROOTS = 0, 1, 2, 3

# ContactLists.cells: columns of one cell of the list
AREA, OMEGA = 12, 13  # after the four points; OMEGA is the weight of the points at smaller u
CELL = 14

# ContactLists.status: one row per pair
CLEARANCE, REACH, POSE = 0, 1, 2  # POSE: nine of the rotation, three of the position
STATUS = 14

# ContactLists.faces: how a cell finds its depth below A
MODE, FACE_FIRST, FACE_LAST = 0, 1, 2
LINE, ARC, SEVERAL, BY_RADIUS = 0, 1, 2, 3

# The row that `evaluate` fills
FORCE, TORQUE, ENERGY, DISSIPATION, CONTACT_AREA, PRESSURE, DEPTH = 0, 3, 6, 7, 8, 9, 10
OUTPUT = 11


class ContactArrays(NamedTuple):
    """All contact pairs of a system, constant during a run; pairs share the arrays by offsets."""

    params: NDArray[np.float64]
    """(pairs, 7): law and resolution."""
    spans: NDArray[np.int64]
    """(pairs, 6): where the pair's data are, and which variants it uses."""
    segments: NDArray[np.float64]
    """(n, 11): meridians of the bodies A, rows of `profile_array`."""
    strips: NDArray[np.float64]
    """(n, 6): meridians of the bodies B, cut into strips."""
    steps: NDArray[np.float64]
    """(n, levels, 12): step sizes of the strips at every level of halving."""
    roots: NDArray[np.float64]
    """(n, 5): largest cells of the bodies B: strip, place along it (two numbers), cosine and sine around."""
    nodes: NDArray[np.float64]
    """(n, 4): bounding spheres in B [m]: centre, radius."""
    tree: NDArray[np.int64]
    """(n, 4): left, right, first root, number of roots."""


class ContactLists(NamedTuple):
    """Near lists of all pairs, and the workspace that fills them; owned by one run."""

    cells: NDArray[np.float64]
    """(pairs, capacity, 14)."""
    faces: NDArray[np.int64]
    """(pairs, capacity, 3)."""
    gaps: NDArray[np.float64]
    """(pairs, capacity): motion of B [m] that a cell needs at least before it can touch."""
    counts: NDArray[np.int64]
    """(pairs,): cells in the list."""
    status: NDArray[np.float64]
    """(pairs, 14): clearance, reach and pose of the last rebuild."""
    node_stack: NDArray[np.int64]
    """(96, 3): nodes still to visit."""
    cell_stack: NDArray[np.float64]
    """(64, 6): cells still to visit."""
