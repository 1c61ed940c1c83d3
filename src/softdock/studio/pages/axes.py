"""Selection of the columns of a campaign that charts and tables show."""

from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

if TYPE_CHECKING:
    from softdock.studio.columns import Columns


def column_select(options: list[str], value: str | None, label: str, changed: Any, mark: str) -> ui.select:
    """Return a selection field for a column."""
    field = ui.select(options, value=value, label=label, with_input=True, on_change=changed)
    field.props("dense outlined").style("width: 320px; max-width: 45%").mark(mark)
    return field


def default_axes(columns: "Columns", inputs: list[str]) -> tuple[str, str]:
    """Return the two inputs with the largest rank correlation with success, or else the first two that vary."""
    varying = [name for name in inputs if varies(columns, name)] or inputs
    scalar = [name for name in varying if not is_component(columns, name)] or varying
    success = columns.success
    if success is not None and success.any() and not success.all():
        from softdock.campaign.statistics import rank_correlation

        found = [
            rank_correlation(name, columns.column(name), "success", success.astype(float)) for name in scalar
        ]
        best = sorted((one for one in found if one), key=lambda one: -abs(one.coefficient))
        if len(best) > 1:
            return best[0].input, best[1].input
    first = scalar[0]
    metric = next(
        (
            n
            for n in columns.numeric_names()
            if not n.startswith("input ") and np.isfinite(columns.column(n)).any()
        ),
        first,
    )
    return first, scalar[1] if len(scalar) > 1 else metric


def varies(columns: "Columns", name: str) -> bool:
    """Tell whether a column has more than one value."""
    values = columns.column(name)
    return np.unique(values[np.isfinite(values)]).size > 1


def is_component(columns: "Columns", name: str) -> bool:
    """Tell whether a column is a component of a vector whose norm is a column too."""
    return f"{name.rpartition('.')[0]}.norm" in columns.numeric_names() and not name.endswith(".norm")
