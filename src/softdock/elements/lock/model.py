"""Model of locks."""

from softdock.elements.weld.model import EngagementWindow
from softdock.quantities.fields import Flag
from softdock.quantities.model import Model
from softdock.tree.frames import Anchor


class Lock(Model):
    """Rigid connection of two frames, made by an impulse when it is switched on.

    It holds the relative pose that they have at that instant.

    >>> from softdock import Anchor, Lock
    >>> Lock(a=Anchor(body="probe"), b=Anchor(body="target"))
    Lock(a=Anchor(body='probe'), b=Anchor(body='target'))
    """

    a: Anchor
    """Frame on the first body."""
    b: Anchor
    """Frame on the second body."""
    active: Flag = False
    """Whether it holds from the start; otherwise an event enables it."""
    window: EngagementWindow | None = None
    """As of a gripper or tool changer: enabling it has no effect where the frames are farther apart than this."""
