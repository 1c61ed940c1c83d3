"""The papers' figures, redrawn from our own runs, and those of controlled approaches.

Each module of this folder draws one set: `draw(out, progress)` writes the pictures into the folder `out`
and returns their paths; it calls `progress(what, fraction)` as it goes.
"""

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from softdock.errors import InputError
from softdock.presentation.progress import Progress

FIGURES = {
    "assist": "Soft docking of a probe in its drogue, with contact from CAD",
    "gnc": "Contact conditions of dispersed approaches, and control after the contact",
    "impact": "Impact of multibody spacecraft, and the latch",
    "peg": "A pin on a table and at the rim of a hole, held by a compliant arm",
    "station": "An Orbiter docks with a flexible space station",
}
"""Sets of figures by name, with their content."""


class FigureSet(Protocol):
    """A module that draws one set of figures."""

    def draw(self, out: Path, progress: Progress, /, **options: Any) -> list[Path]:
        """Write the figures to the folder and return their paths."""


CAMPAIGN_SETS = ("assist", "gnc")
"""Sets that run campaigns; their `draw` also takes the number of runs."""
UNIT_SETS = ("station",)
"""Sets that can be drawn in the units of a unit system; their `draw` also takes its name."""


def figure_set(name: str) -> FigureSet:
    """Return the module that draws the figures of that name."""
    if name not in FIGURES:
        raise InputError(f"There are figures for {', '.join(FIGURES)} and all.", given=name)
    return cast(FigureSet, import_module(f"{__name__}.{name}"))
