"""A system as arrays: the input of the dynamics, independent of how the system was described."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.elements.kernels.dispatch import Laws, States
from softdock.tree.indices import FlexibleRecords, JointIndices

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class SystemArrays:
    """Bodies, joints, elements and structures as records, with the initial state."""

    links: np.recarray
    axes: np.recarray
    """Joint axes."""
    groups: np.recarray
    """Joint axes in SIMD lanes."""
    tiles: np.recarray
    """Blocks of the joint-space inertia matrix."""
    elements: np.recarray
    """Elements of all kinds, in the order of the kinds."""
    element_data: np.recarray
    """Whether they are switched on, and memory of their results."""
    laws: Laws
    """Parameters of the elements, one array for each kind."""
    states: States
    """What the elements remember, at the start; one array for each kind."""
    tables: Floats
    """Loads over time."""
    world: np.recarray
    """One record: gravity, sizes of the state, counters."""
    breaks: Floats
    """Times at which a load changes abruptly [s]."""
    y: Floats
    """Initial state."""
    joints: dict[str, JointIndices]
    element_index: dict[str, int]
    """Rows of the elements by name."""
    flexible: FlexibleRecords
    modal_scales: Floats
    """Largest modal coordinate with displacements of at most 1 m, one per mode."""
    locks: Floats
    """Work array of the constraint equations of locks."""
    orbit: np.recarray
    """One record in orbit, none in free space."""
    plates: np.recarray
    """Plates with drag and solar pressure."""
    reactions: np.recarray
    """Reactions of all joints and mounts, then those at frames that the user defined."""
    items: np.recarray
    """What acts beyond the fixed mounts among them."""
    reaction_index: dict[str, int]
    """Rows of the reactions by name: of the body, or of the frame."""
    state_kinds: NDArray[np.int64]
    """`StateKind` of every entry of the state."""

    @property
    def lightest_mass(self) -> float:
        """Mass of the lightest link that has one; 0 if none has [kg]."""
        masses = self.links.view(np.ndarray)["own"][:, 0]
        return float(masses.min(initial=np.inf, where=masses > 0.0)) if masses.any() else 0.0
