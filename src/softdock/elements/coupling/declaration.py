"""Declaration of couplings."""

from typing import TYPE_CHECKING, Any, ClassVar

from softdock.elements.coupling.kernels import CouplingValue
from softdock.elements.coupling.model import Coupling
from softdock.elements.declaration import ConnectionKind, ElementRecord, Surroundings
from softdock.elements.fields import ElementField, ElementFields, FieldSource, wrench_fields
from softdock.elements.kernels.motion_profiles import UNLIMITED
from softdock.quantities.model import FieldError, Findings
from softdock.tree.frames import Anchor

if TYPE_CHECKING:
    from softdock.model.system import System


class CouplingKind(ConnectionKind):
    """Couplings. Frame F is that of the socket, frame G that of the plug."""

    group, model, title = "couplings", Coupling, "Couplings"
    summary = "Plugs that are guided into sockets, by name."
    text = (
        "`name.field` of a plug and its socket; components are those of the force on the plug, and of its torque about "
        "the origin of the socket, in axes of the socket."
    )
    reaction, role, always = "interface", "contact", True
    acts_above_zero = "stroke"
    missing_in_mjcf = "MuJoCo has no plugs and sockets."
    fields: ClassVar[ElementFields] = {
        "stroke": ElementField(
            unit="m", source=FieldSource.DEFLECTION,
            meaning="Travel of the tip of the plug into the socket; negative outside.",
        ),
        "force": ElementField(unit="N", meaning="Size of the total force.", source=FieldSource.FORCE),
        "misalignment": ElementField(
            unit="m", meaning="Distance of the tip of the plug from the axis of the socket.",
            source=FieldSource.VALUE, component=CouplingValue.MISALIGNMENT, is_size=True,
        ),
        "angle": ElementField(
            unit="rad", meaning="Angle between the axes of plug and socket.",
            source=FieldSource.VALUE, component=CouplingValue.ANGLE, is_size=True,
        ),
        "mated": ElementField(
            unit="1", meaning="1 where the stroke is complete within the limits of misalignment, else 0.",
            source=FieldSource.VALUE, component=CouplingValue.MATED,
        ),
        "jammed": ElementField(
            unit="1", meaning="1 where the plug did not enter because the limits were exceeded, else 0.",
            source=FieldSource.VALUE, component=CouplingValue.JAMMED,
        ),
        "missed": ElementField(
            unit="1", meaning="1 where the plug is beside the socket, beyond its capture radius, else 0.",
            source=FieldSource.VALUE, component=CouplingValue.MISSED,
        ),
        "energy": ElementField(
            unit="J", meaning="Elastic energy of spring, latch, guidance and end stop.", source=FieldSource.ENERGY
        ),
        **wrench_fields(),
    }  # fmt: skip

    def frames_of(self, element: Coupling) -> tuple[Anchor, Anchor]:
        """Return the frames of socket and plug."""
        return element.socket, element.plug

    def check(self, system: "System", findings: Findings, field: str, element: Coupling) -> None:
        """Collect the errors of the bodies of plug and socket."""
        findings.of(self._check_bodies, system, field, element)

    def _check_bodies(self, system: "System", field: str, element: Coupling) -> None:
        for side in ("plug", "socket"):
            system.check_body(f"{field}.{side}.body", getattr(element, side).body)
        if element.plug.body == element.socket.body:
            raise FieldError(f"{field}.plug.body", "must be another body than that of the socket")

    def is_stiff(self, element: Coupling) -> bool:
        """Return True: it has an end stop."""
        return True

    def notice(self, name: str, element: Coupling, state: Any) -> str:
        """Return a sentence about a plug that passed beside its socket."""
        if not state.largest_miss > 0.0:
            return ""
        return (
            f"The plug of {name!r} passed {1e3 * state.largest_miss:.3g} mm beside the axis of its socket, whose "
            f"capture radius is {1e3 * element.effective_capture_radius:.3g} mm: nothing acted on it."
        )

    def write(self, out: ElementRecord, element: Coupling, around: Surroundings) -> None:
        """Fill the records."""
        super().write(out, element, around)
        law = out.law
        law.stroke, law.lead_in, law.tolerance = element.stroke, element.lead_in, element.tolerance
        law.lateral_limit, law.angle_limit = element.limits.lateral, element.limits.angle
        law.capture_radius = element.effective_capture_radius
        law.stop_stiffness, law.stop_damping = element.end_stop.stiffness, element.end_stop.damping
        for key in ("stiffness", "preload", "start"):
            law[f"spring_{key}"] = getattr(element.spring, key)
        law.seal_end, law.seal_speed = UNLIMITED, 1.0
        if element.seal is not None:
            law.seal_friction, law.seal_start = element.seal.friction, element.seal.start
            law.seal_speed = element.seal.speed
            law.seal_end = UNLIMITED if element.seal.end is None else element.seal.end
        if element.latch is not None:
            law.latch_force, law.latch_width = element.latch.force, element.latch.width
        if element.guidance is not None:
            law.lateral_stiffness = element.guidance.stiffness
            law.angular_stiffness = element.guidance.angular_stiffness
            law.lateral_damping = element.guidance.damping
            law.angular_damping = element.guidance.angular_damping
