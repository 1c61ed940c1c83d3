"""Declaration of external loads."""

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from softdock.elements.declaration import ElementKind, ElementRecord, Surroundings, write_frame
from softdock.elements.fields import ElementField, ElementFields, FieldSource, wrench_fields
from softdock.elements.load.model import Load
from softdock.errors import suggest
from softdock.quantities.model import FieldError, Findings
from softdock.tree.frames import Anchor

if TYPE_CHECKING:
    from softdock.model.system import System


class LoadKind(ElementKind):
    """External forces and torques."""

    group, model, title = "loads", Load, "Loads"
    summary = "External forces and torques, by name."
    text = (
        "`name.field` of an external load: its force and its torque about the origin, in axes of the world."
    )
    role = "input"
    replaceable = False
    missing_in_mjcf = "MJCF has no external forces over time."
    fields: ClassVar[ElementFields] = {
        "force": ElementField(unit="N", meaning="Size of the force.", source=FieldSource.FORCE),
        "energy": ElementField(unit="J", meaning="Zero: a load stores none.", source=FieldSource.ENERGY),
        "deflection": ElementField(unit="m", meaning="Zero: a load has none.", source=FieldSource.DEFLECTION),
        **wrench_fields(),
    }
    unrecorded = ("energy", "deflection")

    def ends(self, element: Load) -> tuple[str, str]:
        """Return the body on which it acts."""
        return "", element.body

    def check(self, system: "System", findings: Findings, field: str, element: Load) -> None:
        """Collect the errors of body and node."""
        findings.of(system.check_body, f"{field}.body", element.body, False)
        findings.of(self._check_node, system, f"{field}.node", element)

    def _check_node(self, system: "System", field: str, element: Load) -> None:
        if element.node is None:
            return
        structure, _, node = element.node.partition("/")
        if structure not in system.structures or not node:
            known = ", ".join(system.structures) or "none"
            meant = suggest(structure, system.structures)
            raise FieldError(field, f"must be `structure/node`{meant}; structures are: {known}")
        if system.structures[structure].body != element.body:
            raise FieldError(
                field, f"belongs to {system.structures[structure].body!r}, not to {element.body!r}"
            )
        if system.structures[structure].members:
            nodes = system.structures[structure].node_names(Path())
            if node not in nodes:
                raise FieldError(field, f"structure {structure!r} has no node {node!r}{suggest(node, nodes)}")

    def write(self, out: ElementRecord, element: Load, around: Surroundings) -> None:
        """Fill the records, and add the rows of its table."""
        write_frame(out.element, "b", "G", Anchor(body=element.body, at=element.at), around)
        out.state.wrench[:] = [*element.torque, *element.force]
        out.law.in_body, out.law.node = int(element.axes == "body"), -1
        if element.node is not None:
            out.law.node = around.flexible.node_index[element.node]
            out.element.p_bG[:] = around.flexible.nodes[out.law.node].p
        steps = element.steps()
        out.law.table, out.law.table_rows = len(around.tables), len(steps)
        around.tables.extend(steps)
