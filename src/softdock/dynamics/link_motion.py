"""Poses and velocities of the links of a system at given states."""

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.entry_points import SYSTEM, set_motion
from softdock.dynamics.system_arrays import SystemArrays
from softdock.dynamics.system_records import prepare_system
from softdock.tree.kernels.tree import copy_records, initial_group_motions, initial_motions

Floats = NDArray[np.float64]
INPUTS = tuple(SYSTEM.array(name) for name in ("links", "groups", "world", "appendages", "modes"))
"""Types of the arrays of the model on which poses and velocities depend."""


class LinkMotion:
    """Evaluator of poses and velocities of links, shared by all systems of a campaign and by threads.

    The kernel gets its memory once for all systems with arrays of the same sizes. An evaluation then takes 15 instead
    of 300 us; every run needs several.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shapes: list[tuple[int, ...]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return LinkMotion, ()  # a copy has memory of its own

    def at(self, arrays: SystemArrays, y: Floats) -> np.recarray:
        """Return the motions of the links of a system at a state."""
        flexible = arrays.flexible
        inputs = [arrays.links, arrays.groups, arrays.world, flexible.appendages, flexible.modes]
        shapes = [array.shape for array in (*inputs, y)]
        for kind, array in zip(INPUTS, inputs):
            kind.check_type(array)
        with self._lock:
            if shapes != self._shapes:
                self._allocate(arrays, y)
                self._shapes = shapes
            initial = (initial_motions(arrays.links), initial_group_motions(arrays.links, arrays.groups))
            for memory, array in zip(self._memory, (*inputs, *initial)):
                if len(array):
                    memory[:] = np.frombuffer(array.tobytes(), np.uint8)
            self._y[:] = y
            self._evaluate()
            return copy_records(self._motions)

    def _allocate(self, arrays: SystemArrays, y: Floats) -> None:
        """Allocate memory for systems with arrays of these sizes."""
        system = prepare_system(arrays)
        records = system.value
        inputs = (records.links, records.groups, records.world, records.appendages, records.modes)
        written = (records.motions, records.group_motions)
        self._memory = [array.view(np.ndarray).view(np.uint8) for array in (*inputs, *written)]
        self._motions, self._y = records.motions, y.copy()
        self._evaluate = set_motion.bind(system, self._y)
