"""Declaration of drives."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from softdock.elements.declaration import (
    JOINT_FIELDS,
    ElementRecord,
    JointKind,
    Surroundings,
    has_steep_friction,
    write_friction,
)
from softdock.elements.drive.kernels.commands import start_drive
from softdock.elements.drive.kernels.records import DriveValue, Follows
from softdock.elements.drive.model import Drive
from softdock.elements.fields import ElementField, ElementFields, FieldSource
from softdock.elements.kernels.motion_profiles import UNLIMITED, ProfileKind, rest_at
from softdock.tree.indices import StateKind

if TYPE_CHECKING:
    from softdock.model.system import System

PROFILES = {"ramp": ProfileKind.RAMP, "trapezoidal": ProfileKind.TRAPEZOIDAL, "s-curve": ProfileKind.S_CURVE}
_RATES: Mapping[str, str] = {"m": "m/s", "rad": "rad/s", "m/s": "m/s^2", "rad/s": "rad/s^2"}


class DriveKind(JointKind):
    """Drives."""

    group, model, title = "drives", Drive, "Drives"
    summary = "Motors on joints, by name."
    text = (
        "`name.field` of a drive. Units of commands are those of a drive that follows a position; these fields are "
        "recorded if something refers to them."
    )
    reaction, signed, always, takes_target, single_axis = "drive", True, True, True, True
    missing_in_mjcf = "MuJoCo has no actuator with a ramped command and limits of force and power."
    fields: ClassVar[ElementFields] = {
        **JOINT_FIELDS,
        "deflection": ElementField(
            unit="m or rad", meaning="Difference of the joint and the command.", source=FieldSource.DEFLECTION
        ),
        "command": ElementField(
            unit="m or rad", meaning="Position, or speed, that the drive follows.",
            source=FieldSource.VALUE, component=DriveValue.COMMAND,
        ),
        "command_speed": ElementField(
            unit="m/s or rad/s", meaning="Rate of `command`.",
            source=FieldSource.VALUE, component=DriveValue.COMMAND_SPEED,
        ),
        "lag": ElementField(
            unit="m or rad", source=FieldSource.VALUE, component=DriveValue.LAG,
            meaning="Size of the difference of command and joint; zero without power, unless the drive is "
            "self-locking.",
        ),
        "power": ElementField(
            unit="W", meaning="Mechanical power of the motor; negative while it brakes.",
            source=FieldSource.VALUE, component=DriveValue.POWER,
        ),
        "stalled": ElementField(
            unit="1", source=FieldSource.VALUE, component=DriveValue.STALLED,
            meaning="Positive while the drive is at its limit of force or power and its joint slower than "
            "`stall_speed`; in conditions without a comparison: `motor.stalled for 0.2 s`.",
        ),
    }  # fmt: skip
    unrecorded = ("command", "command_speed", "lag", "power", "stalled")

    def check_target(self, system: "System", field: str, element: Drive, target: Any) -> None:
        """Raise FieldError for a target with another unit than that of the drive."""
        system.check_motion(field, target, element)
        element.check_target(field, target)

    def target_unit(self, system: "System", element: Drive) -> str:
        """Return the unit of a position or a speed of the joint."""
        unit = "rad" if system.motions_of(element)[0] == "turning" else "m"
        return unit if element.follows == "position" else _RATES[unit]

    def fields_of(self, system: "System", element: Drive) -> ElementFields:
        """Return the fields with the units of the joint and of what the drive follows."""
        fields = super().fields_of(system, element)
        if element.follows == "position":
            return fields
        return {key: replace(field, unit=_RATES.get(field.unit, field.unit)) for key, field in fields.items()}

    def state_kinds(self, element: Drive) -> tuple[StateKind, ...]:
        """Return the delay of the profile of a self-locking drive."""
        return (StateKind.DELAY,) if element.self_locking else ()

    def is_stiff(self, element: Drive) -> bool:
        """Return whether it is self-locking, has flanks that push, or its friction is steep."""
        return element.self_locking or element.backlash > 0.0 or has_steep_friction(element)

    def write(self, out: ElementRecord, element: Drive, around: Surroundings) -> None:
        """Fill the records, with the profile of a drive that has power."""
        super().write(out, element, around)
        law, state, follows_speed = out.law, out.state, element.follows == "speed"
        law.follows = Follows.SPEED if follows_speed else Follows.POSITION
        law.profile = PROFILES[element.profile]
        for key in ("stiffness", "damping", "backlash"):
            law[key] = getattr(element, key)
        write_friction(law, element)
        for key in ("rate", "acceleration", "jerk", "max_force", "max_power"):
            value = getattr(element, key)
            law[key] = UNLIMITED if value is None else value
        law.viscous, law.losses = element.viscous_friction, 1.0 / element.efficiency - 1.0
        law.stall_speed = element.speed_of_stall
        state.target, state.speed_ratio = element.target, 1.0
        x, v = around.q[out.element.at_q], around.u[out.element.at_u]
        at = v if follows_speed else x
        rest_at(state, 0.0, at)
        if element.active:  # as when an event switches it on
            speed = 0.0 if element.self_locking else v
            start_drive(out.element, law, state, 0.0, np.empty(0), at, speed, False)
