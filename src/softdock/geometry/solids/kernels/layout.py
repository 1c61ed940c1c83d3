"""Arrays of a solid for the kernels, and the meaning of their columns.

A solid is a list of faces, and triangles that are the index of them: which faces are near a point, and where a face
ends. Lengths in m, all vectors in the frame of the solid.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Columns of a face: kind, a point of its axis, the unit axis, coefficients, and the sign that makes depth positive
# inside the material.
FACE_KIND, FACE_POINT, FACE_AXIS, FACE_A, FACE_B, FACE_C, FACE_SENSE = 0, 1, 4, 7, 8, 9, 10
FACE_COLUMNS = 11
# Values of FACE_KIND. PLANE: depth a h + c. CONE (also cylinders): a h + b rho + c. TORUS (also spheres):
# hypot(rho - A, h) - B. FACETED: the triangles themselves, for splines and meshes.
PLANE, CONE, TORUS, FACETED = 0.0, 1.0, 2.0, 3.0

# Columns of a triangle: its corners, its unit normal (outwards), and the largest distance between the triangle and
# the part of its face that it stands for.
TRIANGLE_CORNERS, TRIANGLE_NORMAL, TRIANGLE_SLACK = 0, 9, 12
TRIANGLE_COLUMNS = 13
# Integer columns of a triangle: its face, the edges at its sides (-1: none; side k leads from corner k to k + 1), its
# vertices, and the triangles beyond its sides.
LINK_FACE, LINK_EDGES, LINK_VERTICES, LINK_NEIGHBOURS = 0, 1, 4, 7
LINK_COLUMNS = 10

# Columns of an edge, a segment of the curve between two faces from a vertex to a vertex: its ends, the conormals that
# point into its first and second face at its middle, the rate of the tangential switch of both (Eq. (G44)), its
# sagitta, the circle on which it lies, and the distance within which it decides what is within a face.
EDGE_START, EDGE_END, EDGE_CONORMALS, EDGE_RATES, EDGE_SAGITTA = 0, 3, 6, 12, 14
EDGE_CENTRE, EDGE_AXIS, EDGE_RADIUS = 15, 18, 21
EDGE_REACH = 22
EDGE_COLUMNS = 23
# Integer columns of an edge: its two faces, kind, curve, vertices, whether the curve ends at them, and for each side
# and end the edge with which the boundary of that face continues (-1: the curve does not turn there), and whether the
# face has a convex corner there.
EDGE_FACES, EDGE_KIND, EDGE_CURVE, EDGE_VERTICES, EDGE_STOPS, EDGE_TURNS, EDGE_CONVEX_TURNS = (
    0,
    2,
    3,
    4,
    6,
    8,
    12,
)
EDGE_LINK_COLUMNS = 16
# Values of EDGE_KIND. SAME: the faces are parts of one surface.
CONVEX, REENTRANT, TANGENT, SAME = 0, 1, 2, 3
# Values of EDGE_CURVE.
STRAIGHT, CIRCULAR, GENERAL = 0, 1, 2

# Columns of a vertex: position and the outward pseudonormal.
VERTEX_NORMAL = 3
VERTEX_COLUMNS = 6

# Nearest feature of a point.
ON_FACE, ON_EDGE, ON_VERTEX, ON_FACET, ON_NOTHING = 0, 1, 2, 3, 4
# Columns of a result of the distance: depth, its gradient.
RESULT_COLUMNS = 4

LEAF_TRIANGLES = 4  # of a leaf of the tree: a box costs about as much as two triangles


class SolidArrays(NamedTuple):
    """A solid for the kernels."""

    faces: NDArray[np.float64]
    """Shape (faces, FACE_COLUMNS)."""
    triangles: NDArray[np.float64]
    """Shape (triangles, TRIANGLE_COLUMNS), in the order of the leaves of the tree."""
    links: NDArray[np.int64]
    """Shape (triangles, LINK_COLUMNS)."""
    edges: NDArray[np.float64]
    """Shape (edges, EDGE_COLUMNS)."""
    edge_links: NDArray[np.int64]
    """Shape (edges, EDGE_LINK_COLUMNS)."""
    vertices: NDArray[np.float64]
    """Shape (vertices, VERTEX_COLUMNS)."""
    is_corner: NDArray[np.int64]
    """Shape (vertices,): 1 where a vertex may be the nearest point of the surface."""
    boxes: NDArray[np.float64]
    """Shape (nodes, 6): lower and upper corner of the boxes around triangles; a complete tree in heap order."""
