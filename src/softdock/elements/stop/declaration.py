"""Declaration of end stops."""

import math
from typing import ClassVar

from softdock.elements.declaration import JOINT_FIELDS, ElementRecord, JointKind, Surroundings
from softdock.elements.fields import ElementField, ElementFields, FieldSource
from softdock.elements.kernels.motion_profiles import UNLIMITED
from softdock.elements.stop.model import Stop
from softdock.quantities.model import FieldError


class StopKind(JointKind):
    """End stops."""

    group, model, title = "stops", Stop, "Stops"
    summary = "End stops of joints, by name."
    reaction = "stop"
    missing_in_mjcf = "MuJoCo's limits are constraints, not a stiffness."
    fields: ClassVar[ElementFields] = {
        **JOINT_FIELDS,
        "force": ElementField(
            unit="N or N*m", source=FieldSource.FORCE,
            meaning="Size of the force of the stop; on a joint that turns a torque, which is also called `moment`.",
        ),
        "deflection": ElementField(
            unit="m or rad", source=FieldSource.DEFLECTION,
            meaning="Depth beyond the nearer limit (negative inside).",
        ),
    }  # fmt: skip

    def check_axes(self, field: str, element: Stop, axes: int, joint: str) -> None:
        """Raise FieldError for limits that do not fit the number of axes."""
        if axes == 1:
            if element.limit is not None:
                raise FieldError(f"{field}.limit", "is for joints of several axes; give lower and upper")
            if element.lower is None and element.upper is None:
                raise FieldError(field, "needs lower or upper")
            if element.lower is not None and element.upper is not None and element.lower >= element.upper:
                raise FieldError(f"{field}.upper", "must be above lower")
            return
        one_axis = "" if joint == "spherical" else ", or name one of them by `axis`"
        for key in ("lower", "upper"):
            if getattr(element, key) is not None:
                has = f"a {joint} joint has {axes}"
                raise FieldError(
                    f"{field}.{key}", f"is for a single axis, and {has}: give `limit` instead{one_axis}"
                )
        if element.limit is None:
            raise FieldError(f"{field}.limit", f"must be given for a joint of {axes} axes{one_axis}")
        if joint == "spherical" and element.limit >= math.pi:
            raise FieldError(
                f"{field}.limit", "must be below half a turn (180 deg), which no rotation exceeds"
            )

    def is_stiff(self, element: Stop) -> bool:
        """Return True: a joint may rest at it."""
        return True

    def write(self, out: ElementRecord, element: Stop, around: Surroundings) -> None:
        """Fill the records."""
        super().write(out, element, around)
        out.law.stiffness, out.law.damping = element.stiffness, element.damping
        out.law.lower = -UNLIMITED if element.lower is None else element.lower
        upper = element.limit if element.limit is not None else element.upper
        out.law.upper = UNLIMITED if upper is None else upper
