"""Declaration of tethers."""

from typing import TYPE_CHECKING, Any, ClassVar

from softdock.elements.declaration import ConnectionKind, ElementRecord, Surroundings
from softdock.elements.fields import ElementField, ElementFields, FieldSource, wrench_fields
from softdock.elements.tether.kernels import TetherValue
from softdock.elements.tether.model import Tether
from softdock.quantities.fields import Measured
from softdock.quantities.model import FieldError
from softdock.tree.indices import StateKind

if TYPE_CHECKING:
    from softdock.model.system import System


class TetherKind(ConnectionKind):
    """Tethers."""

    group, model, title = "tethers", Tether, "Tethers"
    summary = "Cables between two points, with or without a reel, by name."
    text = (
        "`name.field` of a tether; components are those of the force on the second body, in the axes and at the origin "
        "of frame a."
    )
    reaction, always, takes_target = "tether", True, True
    acts_above_zero = "deflection"
    missing_in_mjcf = "MuJoCo's tendons are damped while they are slack, and have no reel."
    fields: ClassVar[ElementFields] = {
        "force": ElementField(unit="N", meaning="Tension; never negative.", source=FieldSource.FORCE),
        "energy": ElementField(unit="J", meaning="Stored elastic energy.", source=FieldSource.ENERGY),
        "deflection": ElementField(
            unit="m", meaning="Stretch: distance of the points less the free length; negative while it is slack.",
            source=FieldSource.DEFLECTION,
        ),
        "slack": ElementField(
            unit="m", meaning="Free length less the distance of the points; zero while it is taut.",
            source=FieldSource.VALUE, component=TetherValue.SLACK,
        ),
        "length": ElementField(
            unit="m", meaning="Free length, which a reel changes.",
            source=FieldSource.VALUE, component=TetherValue.LENGTH,
        ),
        "power": ElementField(
            unit="W", meaning="Mechanical power of the motor of a reel; negative while it pays out under tension.",
            source=FieldSource.VALUE, component=TetherValue.POWER,
        ),
        **{name: field for name, field in wrench_fields().items() if field.unit == "N"},
    }  # fmt: skip
    unrecorded = ("slack", "power")

    def fields_of(self, system: "System", element: Tether) -> ElementFields:
        """Return the fields; the power of a motor only with a reel."""
        return {
            key: field for key, field in self.fields.items() if element.reel is not None or key != "power"
        }

    def check_target(self, system: "System", field: str, element: Tether, target: Any) -> None:
        """Raise FieldError for a target that is no length, or of a tether without a reel."""
        if element.reel is None:
            raise FieldError(field, "needs a tether with a `reel`: the length of this one is constant")
        if isinstance(target, Measured) and target.unit not in (None, "m"):
            raise FieldError(field, f"must be a length in m, not in {target.unit}")
        if target < 0.0:
            raise FieldError(field, "must be at least 0 m: it is the free length of the tether")

    def target_unit(self, system: "System", element: Tether) -> str:
        """Return the unit of a length."""
        return "m"

    def state_kinds(self, element: Tether) -> tuple[StateKind, ...]:
        """Return that of the length that a reel has paid out."""
        return () if element.reel is None else (StateKind.LENGTH,)

    def is_stiff(self, element: Tether) -> bool:
        """Return True: light bodies may hang on it."""
        return True

    def write(self, out: ElementRecord, element: Tether, around: Surroundings) -> None:
        """Fill the records."""
        super().write(out, element, around)
        for key in ("stiffness", "damping", "length"):
            out.law[key] = getattr(element, key)
        if element.reel is not None:
            for key in ("speed", "response", "force_limit"):
                out.law[key] = getattr(element.reel, key)
            target = element.reel.target
            out.state.target = element.length if target is None else target
