"""Selection of the columns of a campaign that charts and tables show."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from softdock.presentation.unit_systems import UnitSystem
from softdock.studio.influence import rank_inputs

if TYPE_CHECKING:
    from softdock.studio.columns import Columns

System = Callable[[], UnitSystem]
"""Returns the unit system of the page, which the user may change."""


def column_select(options: list[str], value: str | None, label: str, changed: Any, mark: str) -> ui.select:
    """Return a selection field for a column."""
    field = ui.select(options, value=value, label=label, with_input=True, on_change=changed)
    field.props("dense outlined").style("width: 320px; max-width: 45%").mark(mark)
    return field


class AxisPair:
    """Selection of two columns: the proposed ones, until the user chooses others."""

    def __init__(self, names: list[str], mark: str, draw: Callable[[], None]) -> None:
        self._draw, self._is_proposing, self._is_chosen = draw, False, False
        self._fields = tuple(
            column_select(names, names[0], f"{axis} axis", self._change, f"{mark}-{axis.lower()}")
            for axis in "XY"
        )

    @property
    def values(self) -> tuple[str, str]:
        """Names of the columns along x and y."""
        x, y = self._fields
        return str(x.value), str(y.value)

    def propose(self, columns: tuple[str, str]) -> None:
        """Select columns unless the user has chosen some; does not draw."""
        if self._is_chosen:
            return
        self._is_proposing = True
        for field, name in zip(self._fields, columns, strict=True):
            if name in field.options:
                field.set_value(name)
        self._is_proposing = False

    def _change(self) -> None:
        if not self._is_proposing:
            self._is_chosen = True
            self._draw()


def default_axes(columns: "Columns", inputs: list[str]) -> tuple[str, str]:
    """Return the two inputs with the largest influence; a metric where only one varies."""
    varying = [name for name in inputs if varies(columns, name)] or inputs
    scalar = [name for name in varying if not is_component(columns, name)] or varying
    ranked = rank_inputs(columns, scalar)
    first = ranked[0]
    metric = next(
        (
            n
            for n in columns.numeric_names()
            if not n.startswith("input ") and np.isfinite(columns.column(n)).any()
        ),
        first,
    )
    return first, ranked[1] if len(ranked) > 1 else metric


def varies(columns: "Columns", name: str) -> bool:
    """Return whether a column has more than one value."""
    values = columns.column(name)
    return np.unique(values[np.isfinite(values)]).size > 1


def is_component(columns: "Columns", name: str) -> bool:
    """Return whether a column is a component of a vector whose norm is a column too."""
    return f"{name.rpartition('.')[0]}.norm" in columns.numeric_names() and not name.endswith(".norm")
