"""Declaration of struts."""

from typing import Any, ClassVar

from softdock.elements.declaration import ConnectionKind, ElementRecord, LineForce, Surroundings
from softdock.elements.fields import ElementField, ElementFields, FieldSource, wrench_fields
from softdock.elements.strut.model import Strut


class StrutKind(ConnectionKind):
    """Struts."""

    group, model, title = "struts", Strut, "Struts"
    summary = "Springs and dampers between two points, by name."
    text = (
        "`name.field` of a strut; components are those of the force on the second body, in the axes and at the origin "
        "of frame a."
    )
    reaction, signed = "strut", True
    fields: ClassVar[ElementFields] = {
        "force": ElementField(
            unit="N",
            meaning="Force that the strut transmits, positive if it pulls.",
            source=FieldSource.FORCE,
        ),
        "energy": ElementField(unit="J", meaning="Stored elastic energy.", source=FieldSource.ENERGY),
        "deflection": ElementField(
            unit="m", meaning="Change of length.", source=FieldSource.DEFLECTION, is_size=True
        ),
        **{name: field for name, field in wrench_fields().items() if field.unit == "N"},
    }

    def line_force(self, law: Any) -> LineForce:
        """Return its spring; with damping its force is not a function of the length."""
        stiffness, rest = float(law["stiffness"]), float(law["length"])
        if stiffness > 0.0 and law["damping"] == 0.0:
            return LineForce(rest=rest, slack=rest - law["preload"] / stiffness, stiffness=stiffness)
        return LineForce(rest=rest)

    def write(self, out: ElementRecord, element: Strut, around: Surroundings) -> None:
        """Fill the records."""
        super().write(out, element, around)
        for key in ("stiffness", "damping", "length", "preload"):
            out.law[key] = getattr(element, key)
