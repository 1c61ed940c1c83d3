"""Quantiles of the metrics of a campaign for its report, with their confidence intervals and numerical errors."""

import numpy as np

from softdock.campaign.summary import QUANTILES, CampaignSummary
from softdock.campaign.table import CampaignTable
from softdock.presentation.labels import axis_label, label
from softdock.presentation.numbers import display_resolutions, display_unit, format_number
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import UnitSystem
from softdock.report.page import paragraph, scrolling
from softdock.result import Array

NEGLIGIBLE = 1e-7
"""Share of the largest value of a metric over all runs below which a value is a rounding error."""


def quantile_section(table: CampaignTable, summary: CampaignSummary, system: UnitSystem) -> list[str]:
    """Return the section of a report with the quantiles of the metrics."""
    note = (
        "Below each quantile: its 95 % confidence interval, from order statistics, independent of the distribution; "
        "a limit is missing where there are too few runs for it. Largest error: estimated numerical error of a peak of "
        "one run, beside which the scatter of the runs should be large."
    )
    others = [name for name in summary.quantiles if name not in summary.metrics]
    parts = ["<h2>Metrics</h2>", paragraph(note, "soft keep")]
    parts.append(scrolling(quantile_table(table, summary, summary.metrics or others, system), small=True))
    if summary.metrics and others:
        parts.append(paragraph(f"{len(others)} other metrics are in the annex.", "soft"))
    return parts


def quantile_table(
    table: CampaignTable, summary: CampaignSummary, names: list[str], system: UnitSystem
) -> Table:
    """Return range, quantiles with their intervals, and largest numerical error of metrics."""
    rows, resolutions = [], display_resolutions(table.manifest["scenario"]["data"])
    errors = {name: _largest(table.metric_errors[name]) for name in names if name in table.metric_errors}
    for name in names:
        count, values = summary.quantiles[name]
        largest, resolution = max(map(abs, values)), resolutions.get(table.unit(name), 0.0)
        symbol, factor = display_unit(table.unit(name), largest if largest >= resolution else 0.0, system)
        floor = max(NEGLIGIBLE * largest, resolution)
        cells = [_format_value(factor, value, floor) for value in values]
        error = [format_number(factor * errors[name]) if name in errors else ""] if errors else []
        rows.append([axis_label(label(name), symbol), str(count), *cells, *error])
        ends = [""] * len(cells)
        for place, key in enumerate(QUANTILES, 1):
            low, high = (
                "" if end is None else _format_value(factor, end, floor)
                for end in summary.intervals[name][key]
            )
            ends[place] = f"{low} ... {high}"
        rows.append(["", "", *ends, *([""] if errors else [])])
    header = ["metric", "runs", "smallest", "5 %", "median", "95 %", "99 %", "largest"]
    header += ["largest error"] if errors else []
    return Table(header=header, rows=rows)


def _largest(errors: Array) -> float:
    """Return the largest known error, with the two digits that an estimate has."""
    return float(f"{np.max(errors, where=np.isfinite(errors), initial=0.0):.1e}")


def _format_value(factor: float, value: float, floor: float) -> str:
    """Return a value in its display unit; one below a floor is a rounding error and is shown as 0."""
    return format_number(0.0 if abs(value) < floor else factor * value)
