"""Model of welds."""

from typing import Annotated

from softdock.quantities.fields import (
    AngularDamping,
    Damping,
    Flag,
    PositiveStiffness,
    Quantity,
)
from softdock.quantities.model import Model
from softdock.tree.frames import Anchor


class Weld(Model):
    """Compliant connection of two frames that keeps the relative pose they have when it is switched on.

    It holds within half a turn: beyond, it pulls the shorter way round, and its torque jumps there.

    Stiffness in N/m and N m/rad, damping in N s/m and N m s/rad.

    >>> from softdock import Anchor, Weld
    >>> Weld(
    ...     a=Anchor(body="probe"),
    ...     b=Anchor(body="target"),
    ...     stiffness="100 kN/m",
    ...     angular_stiffness="1 kN m/rad",
    ...  )
    Weld(a=Anchor(body='probe'), b=Anchor(body='target'), stiffness=100000.0, angular_stiffness=1000.0)
    """

    a: Anchor
    """Frame on the first body."""
    b: Anchor
    """Frame on the second body."""
    stiffness: PositiveStiffness
    """Force per displacement, the same in all directions."""
    angular_stiffness: Annotated[float, Quantity("N*m/rad", gt=0)]
    """Torque per rotation, the same about all axes."""
    damping: Damping = 0.0
    """Force per relative velocity."""
    angular_damping: AngularDamping = 0.0
    """Torque per relative angular velocity."""
    active: Flag = False
    """Whether it holds from the start; otherwise an event enables it."""
