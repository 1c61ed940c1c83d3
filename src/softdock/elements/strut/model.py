"""Model of struts."""

from softdock.quantities.fields import Damping, Flag, Force, NonNegativeLength, Stiffness
from softdock.quantities.model import Model
from softdock.tree.frames import Anchor


class Strut(Model):
    """Spring and damper along the line between two points.

    Length in m, stiffness in N/m, damping in N s/m, preload in N.

    >>> from softdock import Anchor, Strut
    >>> Strut(a=Anchor(body="probe"), b=Anchor(body="target"), stiffness="500 N/m", length="0.2 m")
    Strut(a=Anchor(body='probe'), b=Anchor(body='target'), stiffness=500.0, length=0.2)
    """

    a: Anchor
    """First point."""
    b: Anchor
    """Second point."""
    stiffness: Stiffness = 0.0
    """Force per change of the distance between the points."""
    damping: Damping = 0.0
    """Force per rate of change of the distance."""
    length: NonNegativeLength = 0.0
    """Length without force."""
    preload: Force = 0.0
    """Constant pull."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""
