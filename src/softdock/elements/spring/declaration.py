"""Declaration of springs."""

from typing import Any, ClassVar

from softdock.elements.declaration import (
    JOINT_FIELDS,
    ElementRecord,
    JointKind,
    Surroundings,
    has_steep_friction,
    write_friction,
)
from softdock.elements.fields import ElementField, ElementFields, FieldSource
from softdock.elements.spring.kernels import Stiffening
from softdock.elements.spring.model import Spring
from softdock.quantities.model import FieldError


class SpringKind(JointKind):
    """Springs."""

    group, model, title = "springs", Spring, "Springs"
    summary = "Springs, dampers and friction along joints, by name."
    reaction, signed = "spring", True
    fields: ClassVar[ElementFields] = {
        **JOINT_FIELDS,
        "force": ElementField(
            unit="N or N*m", source=FieldSource.FORCE,
            meaning="Force that the spring transmits; on a joint that turns a torque, which is also called `moment`. "
            "Positive forces act towards the rest position.",
        ),
    }  # fmt: skip

    def check_axes(self, field: str, element: Spring, axes: int, joint: str) -> None:
        """Raise FieldError for a preload or a rest position on several axes."""
        for key in ("preload", "rest") if axes > 1 else ():
            if getattr(element, key) != 0.0:
                raise FieldError(f"{field}.{key}", f"needs a single axis: a {joint} joint has {axes}")

    def is_size(self, field: ElementField, record: Any) -> bool:
        """Return whether a field is the size of a vector: force and deflection of a spring on several axes."""
        return bool(record["rows"] > 1) and field.source is not FieldSource.ENERGY

    def is_stiff(self, element: Spring) -> bool:
        """Return whether its friction is steep."""
        return has_steep_friction(element)

    def write(self, out: ElementRecord, element: Spring, around: Surroundings) -> None:
        """Fill the records."""
        super().write(out, element, around)
        for key in ("stiffness", "damping", "rest", "preload"):
            out.law[key] = getattr(element, key)
        write_friction(out.law, element)
        if out.element.rows > 1 and out.law.static_friction > 0.0:
            out.element.stiff = 1  # across a slow motion friction is as stiff as a damper F / v
        if element.exponential is not None:
            out.law["stiffening"] = Stiffening.EXPONENTIAL
            out.law["reference"] = element.exponential.reference
            out.law["exponent"] = element.exponential.exponent
