"""Entry points of the kernels of the station paper's method."""

import numpy as np

from softdock.flexible import kernels
from softdock.native.argument_types import FLOAT, StructureArgument, floats, integers
from softdock.native.entry_point import EntryPoint

MODEL = StructureArgument(
    kernels.PublishedModel,
    {
        "inertia": floats(3, 3),
        "inverse": floats(3, 3),
        "omega": floats("modes"),
        "moment": floats("modes", 3, 3),
    },
)


def _check_sizes(
    model: kernels.PublishedModel,
    y: np.ndarray,
    work: np.ndarray,
    times: np.ndarray,
    recorded: np.ndarray,
    rows: np.ndarray,
    *_: float,
) -> str | None:
    """Return what is wrong with the sizes of the memory."""
    size = kernels.HEAD + 2 * len(model.omega)
    if len(y) != size or work.shape != (5, size):
        return f"y and work have {len(y)} and {work.shape[1]} columns, {size} are needed"
    if rows.shape != (len(recorded), size):
        return f"rows has the shape {rows.shape}, ({len(recorded)}, {size}) is needed"
    inside = (
        len(recorded) > 0 and (np.diff(recorded) > 0).all() and 0 <= recorded[0] <= recorded[-1] < len(times)
    )
    return None if inside else "recorded must hold ascending indices of times"


propagate = EntryPoint(
    kernels.propagate,
    MODEL,
    floats("size"),
    floats("slopes", "size"),
    floats("times"),
    integers("recorded"),
    floats("rows", "columns"),
    FLOAT,
    FLOAT,
    check=_check_sizes,
)

ENTRY_POINTS = (propagate,)
