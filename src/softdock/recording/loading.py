"""Loading of recordings as results, by mapping files: which column of a log is which channel, in which unit."""

import os
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, ValidationError, field_validator

from softdock.errors import InputError, file_errors
from softdock.quantities.fields import Flag, Integer, Number, Time
from softdock.quantities.model import Model
from softdock.quantities.units import parse_unit, si_unit
from softdock.recording.table import Array, Dialect, LogTable, read_table
from softdock.result import Audit, Channel, History, Result, Timing
from softdock.scenario.messages import problems_of
from softdock.scenario.source import Source, read_file

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


class Column(Model):
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
    columns: Annotated[dict[str, Column], Field(min_length=1)]
    """Description of each column to read, by its name in the log."""
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] = ","
    """Delimiter of a CSV file."""
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
                raise ValueError(f"must have different channels; '{name}' is given twice")
        return columns


OUTCOME = "recorded"
SUFFIXES = (".yaml", ".yml", ".json")


def load(path: str | os.PathLike[str]) -> Result:
    """Load the log described by a mapping file, in SI; raise InputError with all problems found."""
    source = read_file(Path(path))
    if source.data.get("kind") != "recording":
        raise source.refusal(("kind",), "Must be 'recording'.")
    try:
        mapping = RecordingFile.model_validate(source.data)
    except ValidationError as error:
        raise InputError(*problems_of(error, RecordingFile, source)) from None
    log = source.directory / mapping.file
    wanted = [mapping.time.column, *mapping.columns]
    table = read_table(log, wanted, Dialect(mapping.delimiter, mapping.comment, mapping.decimal))
    time = _time(mapping, table, log)
    channels = {
        column.channel: Channel(values=_in_si(table.columns[name], column.unit, column.scale, column.offset),
                                unit=si_unit(column.unit))
        for name, column in mapping.columns.items()
    }  # fmt: skip
    for name in mapping.columns:
        _check_finite(name, table, log)
    return _result(mapping, source, History(time=time, channels=channels))


def load_run(path: str | os.PathLike[str]) -> Result:
    """Load a saved run by its folder, or a recording by its mapping file."""
    location = Path(path)
    with file_errors(location, "read"):
        is_folder, is_file = location.is_dir(), location.is_file()
    if is_folder or location.suffix.lower() not in SUFFIXES:
        if is_file:
            hint = "A log needs a mapping file that describes its columns: see docs/recordings.md."
            message = "Must be the folder of a run or the mapping file of a recording."
            raise InputError(message, file=str(location), hint=hint)
        return Result.load(location)
    return load(location)


def _in_si(values: Array, unit: str, scale: float, offset: float) -> Array:
    return np.asarray((values * scale + offset) * parse_unit(unit).factor)


def _check_finite(name: str, table: LogTable, log: Path) -> None:
    wrong = np.isinf(table.columns[name])
    if wrong.any():
        row = int(np.argmax(wrong))
        message = f"The column '{name}' is infinite in row {row + 1}; leave cells without measurements empty."
        raise InputError(message, file=str(log), line=table.line_of(row))


def _time(mapping: RecordingFile, table: LogTable, log: Path) -> Array:
    raw = table.columns[mapping.time.column]
    if len(raw) < 2:
        raise InputError("The log has fewer than two rows.", file=str(log))
    wrong = ~np.isfinite(raw)
    if wrong.any():
        row = int(np.argmax(wrong))
        message = f"The time in column '{mapping.time.column}' is missing or not finite in row {row + 1}."
        raise InputError(message, file=str(log), line=table.line_of(row))
    decreasing = np.diff(raw) < 0.0
    if decreasing.any():
        row = int(np.argmax(decreasing)) + 1
        message = f"The time in column '{mapping.time.column}' decreases in row {row + 1}."
        given = f"{raw[row]:.12g} after {raw[row - 1]:.12g}"
        raise InputError(message, file=str(log), line=table.line_of(row), given=given)
    if mapping.time.from_first:
        raw = raw - raw[0]
    return np.asarray(raw * parse_unit(mapping.time.unit).factor + mapping.time.offset)


def _result(mapping: RecordingFile, source: Source, history: History) -> Result:
    span = float(history.time[-1] - history.time[0])
    return Result(
        scenario=mapping.title or Path(source.file).stem,
        outcome=OUTCOME,
        valid="unknown",
        message=f"A recording of {span:.6g} s: {len(history.channels)} channels, {len(history.time)} rows.",
        metrics={},
        audit=Audit(linear_momentum_drift=None, angular_momentum_drift=None, energy_residual=None),
        timing=Timing(simulated_s=span, wall_s=0.0, steps=len(history.time), evaluations=0),
        history=history,
        definition=mapping.model_dump(),
    )
