"""Model of welds."""

import math
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


class EngagementWindow(Model):
    """How close two frames must be so that a connection between them engages when it is switched on.

    Distance in m, angle in rad.

    >>> from softdock import EngagementWindow
    >>> EngagementWindow(distance="3 mm", angle="0.03 rad")
    EngagementWindow(distance=0.003, angle=0.03)
    """

    distance: Annotated[float, Quantity("m", gt=0)]
    """Largest distance of the origins of the frames."""
    angle: Annotated[float, Quantity("rad", gt=0, le=math.pi)]
    """Largest angle of the rotation between the frames."""


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
    window: EngagementWindow | None = None
    """As of a gripper or tool changer: enabling it has no effect where the frames are farther apart than this."""
