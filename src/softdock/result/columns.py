"""Named columns of numbers: comparison, the error for a name that does not exist, and DataFrames of pandas."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd


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


INSTALL_HINT = "This needs pandas, which is not installed. Install it with: pip install 'softdock[pandas]'."


def data_frame(
    columns: Mapping[str, Sequence[Any] | Any], units: Mapping[str, str], index: str
) -> "pd.DataFrame":
    """Return columns of equal length as a DataFrame; one of them is the index, and `attrs["units"]` has the SI units.

    Raises ImportError without pandas.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(INSTALL_HINT) from None
    frame = pd.DataFrame(dict(columns)).set_index(index)
    frame.attrs["units"] = dict(units)
    return frame
