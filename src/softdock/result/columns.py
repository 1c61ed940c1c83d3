"""Named columns of numbers: comparison, and the error for a name that does not exist."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def same_columns(first: Mapping[str, NDArray[Any]], second: Mapping[str, NDArray[Any]]) -> bool:
    """Return whether both have the same names in the same order and equal arrays; NaN equals NaN."""
    return list(first) == list(second) and all(_same(first[name], second[name]) for name in first)


def _same(first: NDArray[Any], second: NDArray[Any]) -> bool:
    return np.array_equal(first, second, equal_nan=first.dtype.kind == second.dtype.kind == "f")


def unknown_column(name: object, known: Iterable[str]) -> KeyError:
    """Return the error for a name that is not among the known ones, with similar names."""
    close = difflib.get_close_matches(str(name), known, n=3)
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    return KeyError(f"There is no {name!r}.{hint}")
