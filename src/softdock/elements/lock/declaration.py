"""Declaration of locks."""

from typing import ClassVar

from softdock.elements.fields import ElementField, ElementFields, FieldSource, wrench_fields
from softdock.elements.holding_kind import WINDOW_FIELDS, HoldingKind
from softdock.elements.lock.model import Lock


class LockKind(HoldingKind):
    """Locks."""

    group, model, title = "locks", Lock, "Locks"
    summary = "Rigid connections of two frames, by name."
    text = (
        "`name.field` of a lock; components are those of force and torque on the second body, in the axes and at the "
        "origin of frame a."
    )
    reaction = "lock"
    missing_in_mjcf = "rigid connections are switched by events."
    fields: ClassVar[ElementFields] = {
        "force": ElementField(
            unit="N", meaning="Size of the force that the lock transmits.", source=FieldSource.FORCE
        ),
        "energy": ElementField(unit="J", meaning="Zero: a lock stores none.", source=FieldSource.ENERGY),
        "deflection": ElementField(
            unit="m",
            meaning="Distance from the pose that it holds.",
            source=FieldSource.DEFLECTION,
            is_size=True,
        ),
        **wrench_fields(),
        **WINDOW_FIELDS,
    }
    unrecorded = ("energy", *WINDOW_FIELDS)
