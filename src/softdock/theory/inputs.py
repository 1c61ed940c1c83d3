"""Checks of the arguments of closed forms, and types of arguments and results."""

import math
from enum import IntEnum
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.errors import InputError

Array = NDArray[np.float64]
Number = float | Array
"""A float for scalar input, an array of the broadcast shape for array input."""


class DescribedCode(IntEnum):
    """Base of integer codes, each written as a number and a sentence for the user."""

    sentence: str

    def __new__(cls, code: int, sentence: str = "") -> Self:
        """Return the member with this code and sentence."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.sentence = sentence
        return member

    @property
    def identifier(self) -> str:
        """Name in lower case, for example `closing`."""
        return self.name.lower()


def check_range(
    name: str,
    value: ArrayLike,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
) -> Array:
    """Return the value as an array of floats; raise `InputError` for values that are not finite or out of range."""
    if type(value) is float and above < value >= at_least and value <= at_most and math.isfinite(value):
        return np.asarray(value)  # fast path for a valid float
    given = np.asarray(value)
    if given.dtype.kind not in "iuf":
        raise InputError("must be a number.", field=name, given=repr(value))
    numbers = given.astype(np.float64, copy=False)
    allowed = np.isfinite(numbers) & (numbers > above) & (numbers >= at_least) & (numbers <= at_most)
    if not allowed.all():
        worst = float(numbers[~allowed].flat[0]) if numbers.ndim else float(numbers)
        raise InputError(_range_text(above, at_least, at_most), field=name, given=repr(worst))
    return numbers


def _range_text(above: float, at_least: float, at_most: float) -> str:
    limits = []
    if above > -math.inf:
        limits.append(f"above {above:g}")
    if at_least > -math.inf:
        limits.append(f"at least {at_least:g}")
    if at_most < math.inf:
        limits.append(f"at most {at_most:g}")
    return "must be finite" + "".join(f", {limit}" for limit in limits) + "."


def as_number(value: Array) -> Number:
    """Return a float for a zero-dimensional array, else the array."""
    return float(value) if np.ndim(value) == 0 else value
