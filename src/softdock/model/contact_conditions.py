"""Contact conditions: limits on the motion of chaser and target at their first contact, and named sets of them."""

import functools
from typing import Any, Self

from pydantic import model_validator

from softdock.quantities.fields import Angle, AngularRate, Length, Speed
from softdock.quantities.model import FieldError, Model

CONDITION_UNITS = {
    "axial_speed": "m/s",
    "lateral_speed": "m/s",
    "offset": "m",
    "tilt": "rad",
    "roll": "rad",
    "tilt_rate": "rad/s",
    "roll_rate": "rad/s",
}
"""SI unit of each contact condition: motion of the tip frame relative to the port frame, in axes of the port."""

CONDITION_METRICS = {f"contact_{name}": unit for name, unit in CONDITION_UNITS.items()}
"""SI units of the metrics of the contact conditions, by the name of the metric."""

Range = tuple[float, float]


class ContactBox(Model):
    """Limits of contact conditions: a largest size, or `[smallest, largest]`; conditions left out are not limited.

    Speeds in m/s, length in m, angles in rad, rates in rad/s.

    >>> from softdock import ContactBox
    >>> ContactBox(axial_speed=("20 mm/s", "60 mm/s"), offset="50 mm")
    ContactBox(axial_speed=(0.02, 0.06), offset=0.05)
    """

    axial_speed: Speed | tuple[Speed, Speed] | None = None
    """Closing speed of the tip along the z axis of the port."""
    lateral_speed: Speed | tuple[Speed, Speed] | None = None
    """Size of the velocity across the axis of the port (vector sum)."""
    offset: Length | tuple[Length, Length] | None = None
    """Distance of the tip from the axis of the port (vector sum)."""
    tilt: Angle | tuple[Angle, Angle] | None = None
    """Angle between the z axes of tip and port (pitch and yaw together)."""
    roll: Angle | tuple[Angle, Angle] | None = None
    """Size of the rotation about the axis of the tip."""
    tilt_rate: AngularRate | tuple[AngularRate, AngularRate] | None = None
    """Size of the angular velocity across the axis of the port (vector sum of pitch and yaw rate)."""
    roll_rate: AngularRate | tuple[AngularRate, AngularRate] | None = None
    """Size of the angular velocity about the axis of the port."""

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if not self.limits():
            raise FieldError("", f"must limit at least one of {', '.join(CONDITION_UNITS)}")
        for name, (low, high) in self.limits().items():
            given = isinstance(getattr(self, name), tuple)
            if low < 0.0 or high < 0.0:
                raise FieldError(
                    f"{name}.0" if given and low < 0.0 else name, "must be at least 0: it is a size"
                )
            if given and not low < high:
                raise FieldError(name, "must be [smallest, largest], the first below the second")
        return self

    def limits(self) -> dict[str, Range]:
        """Return the smallest and largest allowed size of every limited condition [SI]."""
        given = {name: getattr(self, name) for name in CONDITION_UNITS}
        return {
            name: limit if isinstance(limit, tuple) else (0.0, limit)
            for name, limit in given.items()
            if limit is not None
        }


PRESETS: dict[str, dict[str, Any]] = {
    "assist-table2": {"axial_speed": ("0.005 m/s", "0.05 m/s"), "offset": "0.02 m", "tilt": "11.3 deg"},
    "idss": {
        "axial_speed": ("0.05 m/s", "0.10 m/s"),
        "lateral_speed": "0.04 m/s",
        "offset": "0.10 m",
        "tilt": "4 deg",
        "roll": "4 deg",
        "tilt_rate": "0.20 deg/s",
        "roll_rate": "0.20 deg/s",
    },
    "atv": {"axial_speed": ("0.04 m/s", "0.10 m/s"), "offset": "0.10 m"},
    "station": {"axial_speed": ("0.5 ft/s", "1.5 ft/s")},
}
"""Named limits: the ranges of the campaign presets of the same names, which state their sources."""


@functools.cache
def preset_box(name: str) -> ContactBox:
    """Return the limits with a name of `PRESETS`."""
    return ContactBox.model_validate(PRESETS[name])
