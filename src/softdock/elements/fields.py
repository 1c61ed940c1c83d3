"""Observable fields of elements: unit, meaning and where the kernels store or compute them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum


class FieldSource(Enum):
    """Where the value of a field comes from."""

    FORCE = "force"
    """`force` of the record of results."""
    ENERGY = "energy"
    """`energy`."""
    DEFLECTION = "deflection"
    """`deflection`."""
    WRENCH = "wrench"
    """The wrench on body b by component: force, torque, size of the torque."""
    VALUE = "value"
    """The function `value` of the kernels of the kind, by component."""


@dataclass(frozen=True, kw_only=True)
class ElementField:
    """One observable field of a kind of element."""

    unit: str
    """SI unit; both units, as `m or rad`, where it depends on the joint."""
    meaning: str
    """One sentence for the reference and for listings."""
    source: FieldSource
    component: int = 0
    is_size: bool = False
    """Whether it is the size of a vector, so that it has a kink at zero and its square has none."""

    def along(self, motion: str) -> "ElementField":
        """Return the field with its unit along a joint that is `sliding` or `turning`."""
        return replace(self, unit=unit_along(self.unit, motion))


def unit_along(unit: str, motion: str) -> str:
    """Return that unit of two, as `m or rad`, which applies along a joint that is `sliding` or `turning`."""
    sliding, _, turning = unit.partition(" or ")
    return (turning or sliding) if motion == "turning" else sliding


ElementFields = Mapping[str, ElementField]
MOMENT = 6
"""Component of a wrench with the size of the torque."""


def wrench_fields() -> dict[str, ElementField]:
    """Return the size of the torque and the components of force and torque of an element between bodies."""
    moment = ElementField(
        unit="N*m", meaning="Size of the torque.", source=FieldSource.WRENCH, component=MOMENT, is_size=True
    )
    forces = [("N", f"f{axis}", f"Component of the force along {axis}.") for axis in "xyz"]
    torques = [("N*m", f"t{axis}", f"Component of the torque about {axis}.") for axis in "xyz"]
    return {"moment": moment} | {
        name: ElementField(unit=unit, meaning=meaning, source=FieldSource.WRENCH, component=k)
        for k, (unit, name, meaning) in enumerate([*forces, *torques])
    }
