"""Poses and velocities of the links of a system at given states."""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.entry_points import SYSTEM, set_motion, write_undeformed
from softdock.dynamics.system_arrays import SystemArrays
from softdock.dynamics.system_records import prepare_system
from softdock.tree.kernels.tree import copy_records

Floats = NDArray[np.float64]
INPUTS = tuple(SYSTEM.array(name) for name in ("links", "groups", "world", "appendages", "modes"))
"""Types of the arrays of the model on which poses and velocities depend."""


class LinkMotion(threading.local):
    """Evaluator of poses and velocities of links, shared by all systems of a campaign.

    The kernel gets its memory once for each thread and for all systems with arrays of the same sizes, and only arrays
    that are others than before are copied. An evaluation then takes 6 instead of 300 us; every run needs several.
    """

    def __init__(self) -> None:
        self._inputs: tuple[np.ndarray, ...] = ()
        self._shapes: list[tuple[int, ...]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return LinkMotion, ()  # a copy has memory of its own

    def at(self, arrays: SystemArrays, y: Floats) -> np.recarray:
        """Return the motions of the links of a system at a state."""
        flexible = arrays.flexible
        inputs = (arrays.links, arrays.groups, arrays.world, flexible.appendages, flexible.modes)
        changed = [True] * len(inputs)
        if self._inputs:
            changed = [array is not before for array, before in zip(inputs, self._inputs)]
        if any(changed) or y.shape != self._y.shape:
            self._copy(arrays, inputs, changed, y)
        self._y[:] = y
        self._evaluate()
        return copy_records(self._motions)

    def _copy(
        self, arrays: SystemArrays, inputs: tuple[np.ndarray, ...], changed: list[bool], y: Floats
    ) -> None:
        """Copy the arrays that are others than before."""
        for kind, array, is_other in zip(INPUTS, inputs, changed):
            if is_other:
                kind.check_type(array)
        shapes = [array.shape for array in (*inputs, y)]
        if shapes != self._shapes:
            self._allocate(arrays, y)
            self._shapes = shapes
        else:
            for memory, array, is_other in zip(self._memory, inputs, changed):
                if is_other and len(array):
                    memory[:] = np.frombuffer(array.tobytes(), np.uint8)
            self._reset()
        self._inputs = inputs

    def _allocate(self, arrays: SystemArrays, y: Floats) -> None:
        """Allocate memory for systems with arrays of these sizes."""
        system = prepare_system(arrays)
        records = system.value
        inputs = (records.links, records.groups, records.world, records.appendages, records.modes)
        self._memory = [array.view(np.ndarray).view(np.uint8) for array in inputs]
        self._motions, self._y = records.motions, y.copy()
        self._evaluate, self._reset = set_motion.bind(system, self._y), write_undeformed.bind(system)
