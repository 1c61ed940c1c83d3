"""Two surfaces that may touch, and the force routine between their bodies."""

import functools
import math
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.contact.layer import ElasticLayer, Friction, require
from softdock.geometry.profile import Profile, check_profile

if TYPE_CHECKING:
    from softdock.contact.force_evaluator import ForceRoutine

SKIN_FORCE, SKIN_RADIUS = 2.5, 10e-3
"""[N], [m] A near list that serves for 0.2 mm at 2e9 N/m3 balances rebuilding against evaluating."""


class Mapping(Enum):
    """How the depth of a point below surface A is measured."""

    DISTANCE = "distance"
    """Signed distance to the meridian: right everywhere."""
    RADIAL = "radial"
    """Radial distance at the same z, projected on the profile's normal: only for comparison."""


@dataclass(frozen=True, kw_only=True)
class CutCells:
    """Surface cells with exact areas, cut where the depth passes zero, sized by the relative curvature."""

    resolved_force: float = 0.1
    """Cells are fine enough for contacts of this force [N] and more, whatever the shape and the stiffness."""
    largest: float = 8e-3
    """Size of the cells from which the halving starts [m]."""

    def __post_init__(self) -> None:
        require("resolved_force", self.resolved_force, "more than 0 N", self.resolved_force > 0.0)
        require("largest", self.largest, "more than 0 m", self.largest > 0.0)


@dataclass(frozen=True, kw_only=True)
class Points:
    """Plain surface points, each with its area: the force depends on their spacing; only for comparison."""

    spacing: float = 1e-3
    """Distance between neighbours [m]."""

    def __post_init__(self) -> None:
        require("spacing", self.spacing, "more than 0 m", self.spacing > 0.0)


@dataclass(frozen=True, kw_only=True)
class MotionState:
    """Where the reference frame of a body is and how it moves, in an inertial frame N."""

    r: ArrayLike
    """Position p_NB_N [m], shape (3,)."""
    v: ArrayLike
    """Velocity of the reference point v_NB_N [m/s], shape (3,)."""
    omega: ArrayLike
    """Angular velocity w_NB_N [rad/s], shape (3,)."""
    A: ArrayLike
    """Attitude R_NB, shape (3, 3): body components to inertial components."""


@dataclass(frozen=True, kw_only=True)
class Wrench:
    """Torque and force on a body, in inertial axes, at the body's reference point."""

    T: NDArray[np.float64]
    """Torque about the reference point [N m], shape (3,)."""
    F: NDArray[np.float64]
    """Force [N], shape (3,)."""


@dataclass(frozen=True, kw_only=True)
class Contact:
    """One evaluation of a contact pair."""

    wrench_A: Wrench
    wrench_B: Wrench
    energy: float
    """Elastic energy [J]."""
    dissipation: float
    """Power lost in damping and friction [W], 0 or more."""
    area: float
    """Contact area [m2]."""
    pressure: float
    """Largest pressure [Pa]."""
    depth: float
    """Largest depth [m]."""


@dataclass(frozen=True, kw_only=True)
class Patch:
    """One connected piece of a contact."""

    centre: NDArray[np.float64]
    """Where its force acts: mean of the stress centres, weighted by the force, in inertial axes [m]."""
    force_B: NDArray[np.float64]
    """Force on B in inertial axes [N]."""
    area: float
    """Touching area [m2]."""
    pressure: float
    """Largest pressure [Pa]."""


@dataclass(frozen=True, kw_only=True)
class ContactPair:
    """Two surfaces of revolution about the z axes of their bodies' reference frames.

    The depth is measured below surface A; surface B brings the cells. Exchange them to exchange the roles.
    """

    surface_A: Profile
    surface_B: Profile
    layer: ElasticLayer
    friction: Friction = field(default_factory=Friction)
    quadrature: CutCells | Points = field(default_factory=CutCells)
    mapping: Mapping = Mapping.DISTANCE
    name: str = "contact"

    def __post_init__(self) -> None:
        check_profile(self.surface_A, "surface_A")
        check_profile(self.surface_B, "surface_B")

    @property
    def skin(self) -> float:
        """Motion [m] for which a near list should serve: the depth of a light contact of radius 10 mm."""
        return math.sqrt(SKIN_FORCE / (math.pi * self.layer.areal_stiffness * SKIN_RADIUS))

    @functools.cached_property
    def _routine(self) -> "ForceRoutine":
        from softdock.contact.force_evaluator import ForceRoutine  # only when forces are asked for

        return ForceRoutine(self)

    def forces(self, state_A: MotionState, state_B: MotionState) -> tuple[Wrench, Wrench]:
        """Return the contact wrenches on body A and on body B; may be called from several threads."""
        return self._routine.forces(state_A, state_B)

    def contact(self, state_A: MotionState, state_B: MotionState) -> Contact:
        """Return the wrenches together with energy, dissipation, area, pressure and depth."""
        return self._routine.contact(state_A, state_B)

    def cells(self, state_A: MotionState, state_B: MotionState) -> NDArray[np.float64]:
        """Return the cells that touch, in A's axes: stress centre [m], force on B [N], torque about A [N m], area [m2],
        pressure [Pa] and extent [m], shape (n, 12).
        """
        return self._routine.cells(state_A, state_B)

    def patches(self, state_A: MotionState, state_B: MotionState) -> tuple[Patch, ...]:
        """Return the connected pieces of the contact with their forces, the strongest first."""
        return self._routine.patches(state_A, state_B)
