"""A system as arrays at its initial state, with its model and the names in the arrays."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.elements import (
    ElementArrays,
)
from softdock.assembly.structures import Attached
from softdock.dynamics.kernels.forces.derivative import EXTRA_STATES
from softdock.dynamics.link_motion import LinkMotion
from softdock.dynamics.system_arrays import SystemArrays
from softdock.elements.kernels.dispatch import Laws, States
from softdock.model.system import System
from softdock.tree.indices import BodyPlacement
from softdock.tree.kernels import tree as k

Floats = NDArray[np.float64]
T = TypeVar("T", Laws, States)
Vector = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Assembly(SystemArrays):
    """A system as arrays at its initial state, with the model and the indices of its names in the arrays."""

    system: System
    velocities: Floats
    """Initial velocities of free bases (angular first, base axes), speeds of joints and modal rates."""
    placed: dict[str, BodyPlacement]
    attached: list[Attached]
    """Flexible structures, in the order of their records."""
    element_states: dict[str, int]
    """Index of the first own entry in the state of those elements that have any."""
    mounted: dict[str, tuple[int, ...]]
    """Rows of the reactions of mounts that carry a body, directly or through other mounts, by its name."""
    link_motion: LinkMotion = field(default_factory=LinkMotion, compare=False, repr=False)
    """Evaluator of poses and velocities; systems that differ in numbers only share it."""


def element_fields(arrays: ElementArrays) -> dict[str, Any]:
    """Return the records of elements as fields of an assembly."""
    return {
        "elements": arrays.elements,
        "element_data": arrays.data,
        "laws": arrays.laws,
        "states": arrays.states,
    }


def with_copies(arrays: T, kinds: Collection[str]) -> T:
    """Return laws or states with copies of those of some kinds."""
    pairs = zip(arrays._fields, arrays)
    return type(arrays)(*[k.copy_records(array) if kind in kinds else array for kind, array in pairs])


def state(q: Floats, momenta_and_speeds: Floats) -> Floats:
    """Return the state vector of positions, and of momenta and speeds."""
    return np.concatenate([q, momenta_and_speeds, np.zeros(EXTRA_STATES)])
