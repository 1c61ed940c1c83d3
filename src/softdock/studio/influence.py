"""Inputs of a campaign ordered by their influence on its success, or else on its metrics."""

from typing import TYPE_CHECKING

import numpy as np

from softdock.campaign.statistics import rank_correlation
from softdock.result import Array

if TYPE_CHECKING:
    from softdock.studio.columns import Columns

MOST_ROWS = 4000  # rows that are ranked; more do not change the order of strong influences
MOST_METRICS = 4


def rank_inputs(columns: "Columns", inputs: list[str]) -> list[str]:
    """Return the inputs by decreasing influence; those without influence follow in their order.

    The influence is the largest rank correlation of the input, or of its distance from its median, with success; with
    the metrics of the campaign where all runs or none succeed. The distance finds inputs whose sign does not matter.
    """
    rows = np.linspace(0, columns.size - 1, min(columns.size, MOST_ROWS)).astype(int)
    responses = _responses(columns, rows)
    scores = {name: _influence(columns.column(name)[rows], responses) for name in inputs}
    return sorted(inputs, key=lambda name: -scores[name])


def _responses(columns: "Columns", rows: "np.ndarray[tuple[int], np.dtype[np.int_]]") -> list[Array]:
    success = columns.success
    if success is not None and success[rows].any() and not success[rows].all():
        return [success[rows].astype(float)]
    listed = columns.manifest.get("campaign", {}).get("metrics") or ()
    names = [name for name in columns.numeric_names() if not name.startswith(("input ", "predicted "))]
    chosen = [name for name in names if name in listed] or [name for name in names if name != "wall_s"]
    responses = [columns.column(name)[rows] for name in chosen]
    varying = [values for values in responses if np.unique(values[np.isfinite(values)]).size > 1]
    return varying[:MOST_METRICS]


def _influence(values: Array, responses: list[Array]) -> float:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0
    forms = (values, np.abs(values - np.median(finite)))
    correlations = [rank_correlation("", form, "", response) for form in forms for response in responses]
    coefficients = [abs(correlation.coefficient) for correlation in correlations if correlation is not None]
    return max((size for size in coefficients if np.isfinite(size)), default=0.0)
