"""Columns with units as a pandas DataFrame; pandas is an optional dependency."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

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
