"""Table of the runs of a campaign for users: columns with units."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softdock.campaign.table import CampaignTable, error_column
from softdock.result.columns import same_columns, unknown_column

if TYPE_CHECKING:
    import pandas as pd


LONGEST_REPR = 300
"""Characters of the `repr` of a table."""


@dataclass(frozen=True, repr=False, eq=False)
class RunTable(Mapping[str, NDArray[Any]]):
    """All finished runs as a mapping of column names to arrays, one element per run.

    `run`, `status`, `outcome` and `valid` come first, then the inputs by dotted path, then the metrics, those that are
    peaks of reactions each before its error as `NAME_error`; numbers are SI, NaN where a run has none. `units` has the
    SI unit of every column that has one.

    >>> from softdock import Campaign
    >>> campaign = Campaign("impact-masses", runs=4)
    >>> table = campaign.run(progress=False).table()
    >>> table["outcome"].shape, table.units["impulse"]
    ((4,), 'N*s')
    """

    columns: Mapping[str, NDArray[Any]]
    units: Mapping[str, str]
    discrepancies: tuple[str, ...] = ()
    """What of a stored campaign does not agree with its digests, one sentence each."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise unknown_column(name, self.columns)
        return self.columns[name]

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RunTable):
            return NotImplemented
        return self.units == other.units and same_columns(self.columns, other.columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a pandas DataFrame with the number of the run as index and SI units in `attrs["units"]`."""
        from softdock.result.columns import data_frame

        return data_frame(self.columns, self.units, index="run")

    def __repr__(self) -> str:
        mark = " (not verified)" if self.discrepancies else ""
        text = f"<RunTable: {len(self['run'])} runs{mark}, columns {', '.join(self.columns)}>"
        return text if len(text) <= LONGEST_REPR else f"{text[: LONGEST_REPR - 5]} ...>"


def run_table(table: CampaignTable) -> RunTable:
    """Return the columns of a stored table; `input.` or `metric.` precedes a name that another column has."""
    columns: dict[str, NDArray[Any]] = {
        "run": table.run,
        "status": np.array(table.status, dtype=str),
        "outcome": np.array(table.outcome, dtype=str),
        "valid": np.array(table.valid, dtype=str),
    }
    units: dict[str, str] = {}
    for group, values in (("input", table.inputs), ("metric", table.metrics)):
        for name, column in values.items():
            unique = name if name not in columns else f"{group}.{name}"
            columns[unique] = column
            added = [unique]
            if group == "metric" and name in table.metric_errors and error_column(name) not in table.metrics:
                columns[error_column(unique)] = table.metric_errors[name]
                added.append(error_column(unique))
            unit = table.unit(name)
            if unit not in ("", "1"):
                units |= dict.fromkeys(added, unit)
    return RunTable(columns, units, table.discrepancies)
