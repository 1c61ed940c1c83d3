"""Declaration of welds."""

from typing import ClassVar

from softdock.elements.declaration import ElementRecord, Surroundings
from softdock.elements.fields import ElementField, ElementFields, FieldSource, wrench_fields
from softdock.elements.holding_kind import WINDOW_FIELDS, HoldingKind
from softdock.elements.weld.model import Weld


class WeldKind(HoldingKind):
    """Welds."""

    group, model, title = "welds", Weld, "Welds"
    summary = "Compliant connections of two frames, by name."
    text = (
        "`name.field` of a weld; components are those of force and torque on the second body, in the axes and at the "
        "origin of frame a."
    )
    reaction = "weld"
    unrecorded = tuple(WINDOW_FIELDS)
    missing_in_mjcf = "MuJoCo's weld is a constraint, not a stiffness."
    fields: ClassVar[ElementFields] = {
        "force": ElementField(
            unit="N", meaning="Size of the force that the weld transmits.", source=FieldSource.FORCE
        ),
        "energy": ElementField(unit="J", meaning="Stored elastic energy.", source=FieldSource.ENERGY),
        "deflection": ElementField(
            unit="m",
            meaning="Distance from the pose that it holds.",
            source=FieldSource.DEFLECTION,
            is_size=True,
        ),
        **wrench_fields(),
        **WINDOW_FIELDS,
    }

    def write(self, out: ElementRecord, element: Weld, around: Surroundings) -> None:
        """Fill the records."""
        super().write(out, element, around)
        out.law.stiffness[:] = [element.angular_stiffness] * 3 + [element.stiffness] * 3
        out.law.damping[:] = [element.angular_damping] * 3 + [element.damping] * 3
