"""Rows of the history of a mass chain."""

from softdock.lumped.kernels.motion import (
    DISSIPATED,
    INTERFACE_FORCE,
    ROW_COUNT,
    TIME,
    WEDGE_FORCE,
    dissipated,
)
from softdock.lumped.kernels.polynomial import VALUE_COLUMN, evaluate, evaluate_all
from softdock.native.decorators import kernel

# Columns of a row before the positions and velocities.
ROW_TIME, ROW_FORCE, ROW_WEDGE_FORCE, ROW_DISSIPATED, ROW_STATE = range(5)


@kernel
def write_row(chain, law, work, t):
    """Write the row at t [s] after the start of the step while there is room."""
    state = work.state
    if state[ROW_COUNT] >= work.rows.shape[0]:
        return
    row = work.rows[state[ROW_COUNT]]
    row[ROW_DISSIPATED] = work.totals[DISSIPATED] + dissipated(chain, law, work, t)
    fill_row(work, row, t)
    state[ROW_COUNT] += 1


@kernel
def fill_row(work, row, t):
    """Fill a row but for the dissipated energy: time, forces and state at t [s] after the start of the step."""
    totals, q = work.totals, work.q
    row[ROW_TIME] = totals[TIME] + t
    row[ROW_FORCE] = evaluate(work.c[INTERFACE_FORCE], t)
    row[ROW_WEDGE_FORCE] = evaluate(work.c[WEDGE_FORCE], t)
    evaluate_all(q, t)
    for i in range(q.shape[0]):
        row[ROW_STATE + i] = q[i, VALUE_COLUMN]
