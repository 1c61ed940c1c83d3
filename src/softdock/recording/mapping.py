"""Mapping file of a recording: describes the columns of a log."""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from softdock.quantities.fields import Flag, Integer, Number, Time
from softdock.quantities.model import Model
from softdock.quantities.units import parse_unit

Text = Annotated[str, Field(min_length=1)]


def _known_unit(text: str) -> str:
    try:
        parse_unit(text)
    except ValueError as error:
        raise ValueError(f"the unit {error}") from None
    return text


class TimeColumn(Model):
    """Time column of a log."""

    column: Text
    """Name of the column in the log."""
    unit: Text = "s"
    """Unit of its values: a time, such as s, ms or ns."""
    offset: Time = 0.0
    """Added to every time."""
    from_first: Flag = False
    """Make times relative to the first row, for clocks with another origin."""

    @field_validator("unit")
    @classmethod
    def _is_time(cls, text: str) -> str:
        if parse_unit(_known_unit(text)).dimension != parse_unit("s").dimension:
            raise ValueError("must be a unit of time, such as s, ms or ns")
        return text


class LogColumn(Model):
    """A column of the log; its values are scale times the number plus offset, in the given unit."""

    channel: Text
    """Name of the channel; use the name of the simulated run's channel."""
    unit: Text = "1"
    """Unit of its values, such as deg or N*m; default: dimensionless."""
    scale: Number = 1.0
    """Factor; -1 for an axis of opposite direction."""
    offset: Number = 0.0
    """Added after scaling, in the unit of the column."""

    _unit = field_validator("unit")(_known_unit)

    @field_validator("channel")
    @classmethod
    def _not_time(cls, name: str) -> str:
        if name == "time":
            raise ValueError("must not be 'time'; the key 'time' of the file describes the time column")
        return name


class RecordingFile(Model):
    """A log and the description of its columns."""

    softdock: Integer
    kind: Literal["recording"]
    title: str = ""
    file: Text
    """The log, CSV or Parquet, relative to this file."""
    time: TimeColumn
    columns: Annotated[dict[str, LogColumn], Field(min_length=1)]
    """Description of each column to read, by its name in the log."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    """Delimiter of a CSV file."""
    comment: Annotated[str, Field(max_length=1)] = "#"
    """Lines of a CSV file that begin with it are skipped."""
    decimal: Literal[".", ","] = "."
    """Decimal mark of a CSV file."""

    @field_validator("columns")
    @classmethod
    def _each_channel_once(cls, columns: dict[str, LogColumn]) -> dict[str, LogColumn]:
        names = [column.channel for column in columns.values()]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"must have different channels; '{name}' is given twice")
        return columns
