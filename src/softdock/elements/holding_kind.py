"""Declaration of elements that hold the relative pose of two frames, and may engage in a window only."""

import math
from typing import TYPE_CHECKING, Any

from softdock.elements.declaration import ConnectionKind, ElementRecord, Surroundings
from softdock.elements.fields import ElementField, ElementFields, FieldSource
from softdock.elements.kernels.held_pose import HeldValue

if TYPE_CHECKING:
    from softdock.model.system import System

WINDOW_FIELDS: ElementFields = {
    "engaged": ElementField(
        unit="1", meaning="1 while it holds, else 0.", source=FieldSource.VALUE, component=HeldValue.ENGAGED
    ),
    "misses": ElementField(
        unit="1", source=FieldSource.VALUE, component=HeldValue.MISSES,
        meaning="Number of times that it was enabled outside its `window`, without effect.",
    ),
}  # fmt: skip


class HoldingKind(ConnectionKind):
    """A kind of element that holds the relative pose that its frames have when it is switched on."""

    holds_pose = True

    def fields_of(self, system: "System", element: Any) -> ElementFields:
        """Return the fields; those of the window only where there is one."""
        if element.window is not None:
            return self.fields
        return {name: field for name, field in self.fields.items() if name not in WINDOW_FIELDS}

    def notice(self, name: str, element: Any, state: Any) -> str:
        """Return a sentence about the last time that it missed."""
        if element.window is None or not state["misses"]:
            return ""
        distance, angle = state["missed_by"]
        times = "once" if state["misses"] == 1 else f"{int(state['misses'])} times"
        return (
            f"{name!r} did not engage, {times}: at {float(state['missed_at']):.6g} s its frames were "
            f"{distance * 1e3:.3g} mm and {math.degrees(angle):.3g} deg apart; its window is "
            f"{element.window.distance * 1e3:.3g} mm and {math.degrees(element.window.angle):.3g} deg."
        )

    def write(self, out: ElementRecord, element: Any, around: Surroundings) -> None:
        """Fill the records."""
        super().write(out, element, around)
        if element.window is not None:
            out.state["window"] = element.window.distance, element.window.angle
