"""Model of end stops."""

from softdock.elements.joint_element import JointElement
from softdock.quantities.fields import (
    Flag,
    JointDamping,
    JointPosition,
    PositiveJointPosition,
    PositiveJointStiffness,
)


class Stop(JointElement):
    """End stop that pushes back outside its limits and never pulls; on a spherical joint within half a turn only.

    Along a sliding joint in m and N/m, about a turning joint in rad and N m/rad.

    >>> from softdock import Stop
    >>> Stop(joint="bumper", upper="30 mm", stiffness="200 kN/m")
    Stop(joint='bumper', upper=0.03, stiffness=200000.0)
    """

    lower: JointPosition | None = None
    """Position below which the stop pushes back; leave out for none."""
    upper: JointPosition | None = None
    """Position above which the stop pushes back; leave out for none."""
    limit: PositiveJointPosition | None = None
    """For a joint of several axes: largest deflection in any direction."""
    stiffness: PositiveJointStiffness
    """Force per deflection beyond the limit."""
    damping: JointDamping = 0.0
    """Force per speed beyond the limit; the total force never pulls."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""
