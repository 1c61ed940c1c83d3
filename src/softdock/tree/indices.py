"""Where bodies, joints and nodes of structures are among the links, in the records and in the state."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from softdock.spatial.poses import Pose

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
class BodyPlacement:
    """Link of a body and the pose of the body in it."""

    link: int
    X_LB: Pose
    """Body frame in its link."""


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
