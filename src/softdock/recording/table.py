"""Reader of numeric columns from CSV and Parquet files."""

import csv
import difflib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem
from softdock.files.parquet import read_columns
from softdock.files.regular_file import read_regular_file

Array = NDArray[np.float64]
LARGEST_FILE = 2_000_000_000
"""Largest log [bytes]."""
PARQUET = (".parquet", ".pq")
TEXT = (".csv", ".tsv", ".txt", ".dat", ".log")


@dataclass(frozen=True)
class Dialect:
    """Format of a CSV file."""

    delimiter: str = ","
    comment: str = "#"
    decimal: str = "."


@dataclass(frozen=True)
class LogTable:
    """Columns of a file, and the line number of each row."""

    columns: dict[str, Array]
    lines: Sequence[int] | None
    """Line of each row, counted from 1; None for binary files."""

    def line_of(self, row: int) -> int | None:
        """Return the line of a row; None for binary files."""
        return None if self.lines is None else self.lines[row]


def read_table(path: Path, wanted: Sequence[str], dialect: Dialect) -> LogTable:
    """Return the wanted columns of a file as floats; an empty cell is NaN."""
    suffix = path.suffix.lower()
    if suffix in PARQUET:
        return _read_parquet(path, wanted)
    if suffix in TEXT:
        return _read_text(path, wanted, dialect)
    allowed = ", ".join((*PARQUET, *TEXT))
    raise InputError(f"The file name of a log must end in {allowed}.", given=str(path))


def _read_parquet(path: Path, wanted: Sequence[str]) -> LogTable:
    file_columns = read_columns(path, read_regular_file(path, largest=LARGEST_FILE))
    _check_names(path, wanted, [column.name for column in file_columns], None)
    columns = {}
    for column in file_columns:
        if column.name not in wanted:
            continue
        if column.values is None or column.values.dtype == bool:
            message = f"The column '{column.name}' holds {column.type_name}, not numbers."
            raise InputError(message, file=str(path))
        columns[column.name] = column.values.astype(float)
    return LogTable(columns, None)


def _read_text(path: Path, wanted: Sequence[str], dialect: Dialect) -> LogTable:
    try:
        text = read_regular_file(path, largest=LARGEST_FILE).decode("utf-8-sig")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter, skipinitialspace=True)
        rows, lines = [], []
        for row in reader:
            if not any(cell.strip() for cell in row) or (dialect.comment and _is_comment(row, dialect)):
                continue
            rows.append(row)
            lines.append(reader.line_num)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"It is not a text file with columns: {error}.", file=str(path)) from None
    if not rows:
        raise InputError("The log is empty; its first line must contain the column names.", file=str(path))
    names = [cell.strip() for cell in rows[0]]
    _check_names(path, wanted, names, lines[0])
    columns = {
        name: np.array(
            [
                _number(path, line, name, row, names.index(name), dialect)
                for row, line in zip(rows[1:], lines[1:])
            ]
        )
        for name in wanted
    }
    return LogTable(columns, lines[1:])


def _is_comment(row: list[str], dialect: Dialect) -> bool:
    return row[0].lstrip().startswith(dialect.comment)


def _number(path: Path, line: int, name: str, row: list[str], at: int, dialect: Dialect) -> float:
    if at >= len(row):
        message = f"The line has {len(row)} columns; '{name}' is number {at + 1}."
        raise InputError(message, file=str(path), line=line)
    text = row[at].strip()
    if not text:
        return math.nan
    try:
        return float(text.replace(",", ".") if dialect.decimal == "," else text)
    except ValueError:
        message = f"The column '{name}' needs a number."
        raise InputError(message, file=str(path), line=line, given=text) from None


def _check_names(path: Path, wanted: Sequence[str], names: Sequence[str], line: int | None) -> None:
    problems = []
    for name in dict.fromkeys(wanted):
        if names.count(name) == 1:
            continue
        if name in names:
            message, hint = f"The log has several columns called '{name}'.", ""
        else:
            message = f"The log has no column '{name}'."
            close = difflib.get_close_matches(name, names, n=1)
            shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
            hint = f"Did you mean '{close[0]}'?" if close else f"It has: {shown}."
        problems.append(Problem(message=message, file=str(path), line=line, hint=hint))
    if problems:
        raise InputError(*problems)
