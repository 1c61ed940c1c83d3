"""A system as arrays: the input of the dynamics, independent of how the system was described."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.elements.kernels.dispatch import Laws, States
from softdock.tree.indices import FlexibleRecords, JointIndices

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SystemArrays:
    """A system as records, its initial state, and how to find its parts.

    All of it is constant: runs have records of their own for what changes, with the sizes of these.
    """

    # The model of the kernels; see SystemRecords.
    world: np.recarray
    """One record: gravity and sizes of the state."""
    links: np.recarray
    groups: np.recarray
    """Joint axes in SIMD lanes."""
    tiles: np.recarray
    """Blocks of the joint-space inertia matrix."""
    flexible: FlexibleRecords
    orbit: np.recarray
    """One record in orbit, none in free space."""
    plates: np.recarray
    """Plates with drag and solar pressure."""
    reactions: np.recarray
    """Reactions of all joints and mounts, then those at frames that the user defined."""
    items: np.recarray
    """What acts beyond the fixed mounts among them."""
    tables: Floats
    """Loads over time."""
    elements: np.recarray
    """Elements of all kinds, in the order of the kinds."""
    laws: Laws
    """Parameters of the elements, one array for each kind."""
    # The start.
    element_data: np.recarray
    """Whether the elements are switched on."""
    states: States
    """What the elements remember, one array for each kind."""
    y: Floats
    """Initial state."""
    state_kinds: NDArray[np.int64]
    """`StateKind` of every entry of the state."""
    modal_scales: Floats
    """Largest modal coordinate with displacements of at most 1 m, one per mode."""
    breaks: Floats
    """Times at which a load changes abruptly [s]."""
    lock_count: int
    """Number of rigid connections, of which each has six constraint equations."""
    # Rows by name.
    joints: dict[str, JointIndices]
    element_index: dict[str, int]
    reaction_index: dict[str, int]
    """By the name of the body, or of the frame."""

    @property
    def axis_count(self) -> int:
        """Number of joint axes, with six for each free base; modes have no axes."""
        return int(self.world.view(np.ndarray)["n_u"][0]) - len(self.flexible.modes)
