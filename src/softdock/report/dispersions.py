"""Table of the dispersed inputs of a campaign: distribution and limits as written, nominal and sampled values."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.campaign.table import CampaignTable
from softdock.campaign.template import value_at
from softdock.presentation.labels import input_label
from softdock.presentation.numbers import display_unit, format_number, format_value
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem


def dispersion_table(table: CampaignTable, system: UnitSystem = AUTOMATIC) -> Table:
    """Return one row per dispersed field."""
    rows = []
    for path, dispersion in table.manifest["campaign"]["dispersions"].items():
        name = f"{path}.norm" if f"{path}.norm" in table.inputs else path
        values = table.inputs.get(name, np.empty(0))
        values = values[np.isfinite(values)]
        symbol, factor = display_unit(
            table.unit(name), float(np.abs(values).max()) if values.size else 0.0, system
        )
        kind, limits = describe_dispersion(dispersion)
        sampled = (
            f"{format_number(factor * values.min())} ... {format_number(factor * values.max())} {symbol}"
            if values.size
            else ""
        )
        rows.append(
            (input_label(path), path, kind, limits, _nominal(table, path, symbol, factor), sampled.strip())
        )
    header = ("input", "key", "distribution", "limits as written", "nominal", "sampled")
    return Table(header=header, rows=rows, left=(0, 1, 2, 3))


def describe_dispersion(dispersion: Mapping[str, Any]) -> tuple[str, str]:
    """Return name and parameters of a distribution (plain data of `Dispersion`), as they were written."""
    if dispersion.get("magnitude") is not None:
        kind, limits = describe_dispersion(dispersion["magnitude"])
        return f"{kind} size, any direction", limits
    if dispersion.get("choice") is not None:
        weights = dispersion.get("weights")
        text = ", ".join(map(str, dispersion["choice"]))
        return "choice", f"{text}; weights {', '.join(map(str, weights))}" if weights else text
    if dispersion.get("normal") is not None:
        normal = dispersion["normal"]
        ends = [
            f"{word} {normal[key]}"
            for key, word in (("low", "from"), ("high", "to"))
            if normal.get(key) is not None
        ]
        return "normal", ", ".join([f"mean {normal['mean']}", f"deviation {normal['deviation']}", *ends])
    for key, name in (("uniform", "uniform"), ("log_uniform", "log-uniform")):
        if dispersion.get(key) is not None:
            low, high = dispersion[key]
            return name, f"{low} to {high}"
    return "", ""


def _nominal(table: CampaignTable, path: str, symbol: str, factor: float) -> str:
    try:
        value = value_at(table.manifest["scenario"]["data"], path)
    except KeyError:
        return ""
    if isinstance(value, bool | str) or value is None:
        return str(value)
    return f"{format_value(value, factor)} {symbol}".strip()
