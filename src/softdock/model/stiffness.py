"""Model of a static stiffness that is evaluated at the end of a run."""

from softdock.quantities.model import Model
from softdock.tree.frames import Anchor

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")
"""Displacements along the axes of frame a, and rotations about them."""


class LinkStiffness(Model):
    """Static stiffness of everything that connects two frames, at the end of the run.

    It is the force (torque) on frame b, with its reaction on frame a, over the displacement (rotation) that it causes
    in its own direction. Closed contacts, pins in holes, springs, stops, drives, struts, welds and couplings contribute
    to it. It is zero where nothing resists, and has no value where the connection is rigid and in systems with locks
    or flexible structures.

    Metrics in N/m and N m/rad.

    >>> from softdock import Anchor, LinkStiffness
    >>> LinkStiffness(a=Anchor(body="chaser"), b=Anchor(body="target")).a
    Anchor(body='chaser')
    """

    a: Anchor
    """Frame on the first body, which gives the directions."""
    b: Anchor
    """Frame on the second body, at whose origin the load acts."""
