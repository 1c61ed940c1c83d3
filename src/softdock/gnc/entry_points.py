"""Entry points of the kernels of guidance, navigation and control."""

import numpy as np

from softdock.gnc.kernels import allocation, estimation
from softdock.native.argument_types import FLOAT, floats
from softdock.native.entry_point import EntryPoint


def _check_tableau(effect: np.ndarray, *others: np.ndarray) -> str | None:
    tableau, needed = others[4], effect.shape[1] + allocation.EXTRA_COLUMNS
    return (
        None
        if tableau.shape[1] >= needed
        else f"the tableau has {tableau.shape[1]} columns, {needed} are needed"
    )


_SIX = floats(6)
_MATRIX = floats(6, 6)
_THREE = floats(3)

allocate_on_times = EntryPoint(
    allocation.allocate_on_times, floats(6, "thrusters"), floats("thrusters"), floats("thrusters"), _SIX, _SIX,
    floats(allocation.TABLEAU_ROWS, "columns"), floats("thrusters"), check=_check_tableau,
)  # fmt: skip
propagate_covariance = EntryPoint(estimation.propagate_covariance, _MATRIX, _MATRIX, _MATRIX, _MATRIX)
propagate_state = EntryPoint(estimation.propagate_state, _MATRIX, floats(6, 3), _THREE, _SIX, _MATRIX)
update_position = EntryPoint(
    estimation.update_position, _THREE, _MATRIX, floats(3, 3), _THREE, _SIX, _MATRIX, _MATRIX, _MATRIX, _SIX, _MATRIX,
    returns=FLOAT,
)  # fmt: skip
write_attitude_transition = EntryPoint(
    estimation.write_attitude_transition, FLOAT, FLOAT, FLOAT, FLOAT, _MATRIX
)
update_attitude = EntryPoint(
    estimation.update_attitude, floats(4), _THREE, _THREE, floats(4), _THREE, _MATRIX, _MATRIX, _SIX, _SIX,
    _MATRIX, returns=FLOAT,
)  # fmt: skip

ENTRY_POINTS = (
    allocate_on_times, propagate_covariance, propagate_state, update_position,
    write_attitude_transition, update_attitude,
)  # fmt: skip
