"""Named columns of numbers: comparison, and the error for a name that does not exist."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def same_columns(one: Mapping[str, NDArray[Any]], two: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether both have the same names in the same order and equal arrays; NaN equals NaN."""
    return list(one) == list(two) and all(_same(one[name], two[name]) for name in one)


def _same(one: NDArray[Any], two: NDArray[Any]) -> bool:
    return np.array_equal(one, two, equal_nan=one.dtype.kind == two.dtype.kind == "f")


def unknown_column(name: object, known: Iterable[str]) -> KeyError:
    """Return the error for a name that is not among the known ones, with similar names."""
    close = difflib.get_close_matches(str(name), known, n=3)
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    return KeyError(f"There is no {name!r}.{hint}")
