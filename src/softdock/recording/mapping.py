"""The small file beside a log that says what its columns mean."""

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
    """Where the time of each row stands."""

    column: Text
    """Name of the column as the log has it."""
    unit: Text = "s"
    """Unit of its numbers: a time, like s, ms or ns."""
    offset: Time = 0.0
    """Added to every time."""
    from_first: Flag = False
    """Count from the first row, for clocks that began elsewhere."""

    @field_validator("unit")
    @classmethod
    def _is_time(cls, text: str) -> str:
        if parse_unit(_known_unit(text)).dimension != parse_unit("s").dimension:
            raise ValueError("must be a unit of time, like s, ms or ns")
        return text


class Column(Model):
    """What one column of the log holds: scale times the number plus offset, in the unit given."""

    channel: Text
    """Name of the channel that it becomes; give it the name that the simulated run has."""
    unit: Text = "1"
    """Unit of its numbers, like deg or N*m; a pure number by default."""
    scale: Number = 1.0
    """Factor, -1 for an axis that points the other way."""
    offset: Number = 0.0
    """Added after scaling, in the unit of the column."""

    _unit = field_validator("unit")(_known_unit)

    @field_validator("channel")
    @classmethod
    def _not_time(cls, name: str) -> str:
        if name == "time":
            raise ValueError("must not be 'time'; the key 'time' of the file says where the time is")
        return name


class RecordingFile(Model):
    """A log and what its columns mean."""

    softdock: Integer
    kind: Literal["recording"]
    title: str = ""
    file: Text
    """The log, CSV or Parquet, relative to this file."""
    time: TimeColumn
    columns: Annotated[dict[str, Column], Field(min_length=1)]
    """Meaning of each column of interest by its name in the log."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    """Between the columns of a CSV file."""
    comment: Annotated[str, Field(max_length=1)] = "#"
    """Lines of a CSV file that begin with it are skipped."""
    decimal: Literal[".", ","] = "."
    """Decimal mark of a CSV file."""

    @field_validator("columns")
    @classmethod
    def _each_channel_once(cls, columns: dict[str, Column]) -> dict[str, Column]:
        names = [column.channel for column in columns.values()]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"must lead to different channels; '{name}' is given twice")
        return columns
