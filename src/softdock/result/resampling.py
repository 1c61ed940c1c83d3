"""Histories at even times."""

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from softdock.errors import InputError
from softdock.quantities.fields import PositiveFrequency
from softdock.result import Array, Channel, History

Rows = NDArray[np.int64]

MOST_ROWS = 5_000_000
"""Largest number of rows, as of a recorded history."""
ROUNDING = 1e-9
"""Part of a period by which the last time may miss an even one because of rounding."""


def resample(history: History, rate: float | str) -> History:
    """Return a history at the times first, first + 1 / rate, ... up to its last one [s]."""
    period = 1.0 / _frequency(rate)
    if not len(history.time):
        return history
    first, last = float(history.time[0]), float(history.time[-1])
    count = np.floor((last - first) / period + ROUNDING) + 1.0
    if count > MOST_ROWS:
        message = f"It would give {count:.3g} rows; {MOST_ROWS} are the most."
        raise InputError(message, field="rate", given=str(rate))
    time = np.minimum(first + period * np.arange(int(count)), last)
    before = np.searchsorted(history.time, time, side="right") - 1
    return History(
        time=time,
        channels={
            name: Channel(values=_values(history.time, channel, time, before), unit=channel.unit)
            for name, channel in history.channels.items()
        },
    )


def _frequency(rate: float | str) -> float:
    """Return a rate in Hz."""
    try:
        return TypeAdapter(PositiveFrequency).validate_python(rate)
    except ValidationError:
        message = "Must be a frequency above 0, in Hz or as a text with a unit, such as '50 Hz'."
        raise InputError(message, field="rate", given=str(rate)) from None


def _values(rows: Array, channel: Channel, time: Array, before: Rows) -> Array:
    """Return a channel at times [s] of which `before` are the last rows, in the unit of the channel."""
    values = channel.values
    if not np.issubdtype(values.dtype, np.floating) or _is_flag(channel):
        return values[before]
    after = np.minimum(before + 1, len(rows) - 1)
    part = (time - rows[before]) / np.where(after > before, rows[after] - rows[before], 1.0)
    with np.errstate(invalid="ignore"):  # of infinite values
        between = values[before] + part * (values[after] - values[before])
    return np.where((part == 0.0) | (values[before] == values[after]), values[before], between)


def _is_flag(channel: Channel) -> bool:
    """Return whether a channel has flags, modes or counts: integers without a unit, between which nothing lies."""
    known = channel.values[np.isfinite(channel.values)]
    return channel.unit == "1" and bool((known == np.round(known)).all())
