"""Holes that break the pieces of a meridian."""

import math

import numpy as np
import pytest

from softdock.geometry.axis import frame_on_axis
from softdock.geometry.facets import Facets
from softdock.geometry.holes import hole_in_piece
from softdock.geometry.pieces import EndAccuracy, Piece
from softdock.geometry.profile import Line

COUNT, ROWS, STEP, RADIUS = 60, 50, 0.005, 0.05


def tube_without(*squares):
    """Return a tube of squares of 5 mm without some of them, given as (row, column), and its piece."""
    phi = np.arange(COUNT) * math.tau / COUNT
    ring = RADIUS * np.column_stack([np.cos(phi), np.sin(phi)])
    triangles = []
    for k, i in np.ndindex(ROWS, COUNT):
        if (k, i) not in squares:
            a, b = k * COUNT + i, k * COUNT + (i + 1) % COUNT
            triangles += [[a, b, a + COUNT], [b, b + COUNT, a + COUNT]]
    facets = Facets(
        name="tube",
        vertices=np.array([[*place, k * STEP] for k in range(ROWS + 1) for place in ring]),
        triangles=np.array(triangles),
        faces=(),
        face_of=np.full(len(triangles), -1),
        closed=False,
    )
    wall = Line(start=(0.0, RADIUS), end=(ROWS * STEP, RADIUS))
    own = np.arange(len(triangles))
    return facets, Piece(segments=(wall,), triangles=own, accuracy=EndAccuracy.FITTED, deviation=0.0)


@pytest.mark.parametrize(
    ("squares", "rows"),
    [((), 0), (((5, 0),), 1), (((5, 0), (45, 0)), 1), (((5, 0), (25, 0), (26, 0), (27, 0)), 3)],
)
def test_the_width_of_several_holes_is_that_of_the_largest(squares, rows):
    """The holes are 200 mm or 100 mm from each other."""
    facets, piece = tube_without(*squares)
    chord = 2 * RADIUS * math.sin(math.pi / COUNT)  # the square beside y = 0 is widest along y
    expected = max(rows * STEP, chord * math.cos(math.pi / COUNT)) if rows else 0.0
    frame = frame_on_axis(np.zeros(3), np.array([0.0, 0.0, 1.0]))
    assert hole_in_piece(piece, facets, frame, 1e-9) == pytest.approx(expected, rel=1e-9)
