"""Declaration of crushable absorbers."""

from typing import Any, ClassVar

from softdock.elements.crush.kernels import CrushValue, least_depth
from softdock.elements.crush.model import Crushable
from softdock.elements.declaration import JOINT_FIELDS, ElementRecord, JointKind, Surroundings
from softdock.elements.fields import ElementField, ElementFields, FieldSource
from softdock.tree.indices import StateKind


class CrushKind(JointKind):
    """Crushable absorbers."""

    group, model, title = "crushables", Crushable, "Crushables"
    summary = "Crushable absorbers along joints, as honeycomb, by name."
    reaction, always, single_axis = "crushable", True, True
    acts_above_zero = "compression"
    unrecorded = ("compression",)
    missing_in_mjcf = "MuJoCo has no permanent deformation."
    fields: ClassVar[ElementFields] = {
        **JOINT_FIELDS,
        "force": ElementField(
            unit="N or N*m", source=FieldSource.FORCE,
            meaning="Size of the force of the crushable; on a joint that turns a torque, which is also called "
            "`moment`.",
        ),
        "energy": ElementField(
            unit="J", source=FieldSource.ENERGY, meaning="Stored elastic energy, which it returns on release."
        ),
        "deflection": ElementField(
            unit="m or rad", source=FieldSource.DEFLECTION,
            meaning="Depth of the joint beyond the face of the uncrushed core (negative before it).",
        ),
        "depth": ElementField(
            unit="m or rad", meaning="Permanent depth to which the core is crushed.",
            source=FieldSource.VALUE, component=CrushValue.DEPTH,
        ),
        "compression": ElementField(
            unit="m or rad", meaning="Elastic compression of the core; negative while the joint does not touch it.",
            source=FieldSource.VALUE, component=CrushValue.COMPRESSION,
        ),
        "absorbed": ElementField(
            unit="J", meaning="Energy that crushing has absorbed since the start of the run.",
            source=FieldSource.VALUE, component=CrushValue.ABSORBED,
        ),
    }  # fmt: skip

    def state_kinds(self, element: Crushable) -> tuple[StateKind, ...]:
        """Return those of the permanent depth and of the absorbed energy."""
        return StateKind.LENGTH, StateKind.ENERGY

    def is_stiff(self, element: Crushable) -> bool:
        """Return True: a joint may rest on it."""
        return True

    def notice(self, name: str, element: Crushable, state: Any) -> str:
        """Return a sentence about a stroke that was used up."""
        if state.depth < element.stroke:
            return ""
        return f"The stroke of the crushable {name!r} was used up: it absorbs no more energy."

    def write(self, out: ElementRecord, element: Crushable, around: Surroundings) -> None:
        """Fill the records; a joint that starts deeper has crushed the core before the run."""
        super().write(out, element, around)
        law, stiffness = out.law, element.stiffness
        law.side, law.start = (1.0, element.upper) if element.upper is not None else (-1.0, element.lower)
        law.plateau, law.stroke, law.stiffness = element.plateau, element.stroke, stiffness
        law.bottoming_stiffness = element.bottoming_stiffness or stiffness
        law.elastic_limit = element.plateau / stiffness
        s = law.side * (around.q[out.element.at_q] - law.start)
        law.crushed = max(element.crushed, least_depth(law, s) if element.active else 0.0)
