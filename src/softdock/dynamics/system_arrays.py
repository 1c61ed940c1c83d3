"""A system as arrays: the input of the dynamics, independent of how the system was described."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class StateKind(IntEnum):
    """Kind of a state entry; error control has one tolerance for each."""

    LENGTH = 0
    ANGLE = 1
    SPEED = 2
    RATE = 3
    QUATERNION = 4
    MOMENTUM = 5
    ANGULAR_MOMENTUM = 6
    ENERGY = 7
    """Accumulated dissipation or work."""
    MODAL = 8
    MODAL_RATE = 9
    DELAY = 10
    """Time by which the profile of a self-locking drive is late."""


@dataclass(frozen=True, kw_only=True)
class JointIndices:
    """Indices of the coordinates of a joint in the state."""

    at_q: int
    """Index of its first position."""
    at_u: int
    """Index of its first speed, counted from the first speed of the state."""
    rows: int
    """Number of speeds."""
    ball: bool
    """Whether its position is a quaternion (ball joint)."""


@dataclass(frozen=True, kw_only=True)
class FlexibleRecords:
    """Records of all flexible structures."""

    appendages: np.recarray
    modes: np.recarray
    nodes: np.recarray
    shapes: Floats
    node_index: dict[str, int]
    """By `structure/node`."""
    structure_index: dict[str, int]


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
    """Springs, stops, drives, struts, welds, locks, couplings and loads."""
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
