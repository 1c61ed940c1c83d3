"""Contact pairs of two surfaces, and the results of their evaluation."""

import functools
import math
import os
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.contact.layer import CoulombFriction, ElasticLayer
from softdock.errors import InputError, file_errors, require
from softdock.files.atomic import write_atomic
from softdock.files.regular_file import path_argument
from softdock.geometry.profile import Profile, check_profile
from softdock.geometry.solids.revolved import revolved_solid
from softdock.geometry.solids.solid import Solid

if TYPE_CHECKING:
    from softdock.contact.force_evaluator import ForceEvaluator

SKIN_FORCE, SKIN_RADIUS = 2.5, 10e-3
"""[N], [m]; they give a skin of 0.2 mm at 2e9 N/m3, which balances rebuilding and evaluating near lists."""


class Mapping(Enum):
    """Definition of the depth of a point below surface A."""

    DISTANCE = "distance"
    """Signed distance to the meridian."""
    RADIAL = "radial"
    """Radial distance at the same z, projected on the profile's normal; for comparison only."""


@dataclass(frozen=True, kw_only=True)
class CutCells:
    """Surface cells with exact areas, cut where the depth is zero, sized by the relative curvature."""

    resolved_force: float = 0.1
    """Smallest contact force [N] that the cells resolve, for any shape and stiffness."""
    largest: float = 8e-3
    """Size of the root cells, from which the refinement starts [m]."""

    def __post_init__(self) -> None:
        require("resolved_force", self.resolved_force, "more than 0 N", self.resolved_force > 0.0)
        require("largest", self.largest, "more than 0 m", self.largest > 0.0)


@dataclass(frozen=True, kw_only=True)
class Points:
    """Surface points with areas; the force depends on their spacing; for comparison only."""

    spacing: float = 1e-3
    """Distance between neighbours [m]."""

    def __post_init__(self) -> None:
        require("spacing", self.spacing, "more than 0 m", self.spacing > 0.0)


@dataclass(frozen=True, kw_only=True)
class MotionState:
    """Pose and velocity of the reference frame of a body B in an inertial frame N.

    For many states at once every field has one more axis in front.
    """

    r: ArrayLike
    """Position p_NB_N [m], shape (3,)."""
    v: ArrayLike
    """Velocity of the reference point v_NB_N [m/s], shape (3,)."""
    omega: ArrayLike
    """Angular velocity w_NB_N [rad/s], shape (3,)."""
    A: ArrayLike
    """Attitude R_NB, shape (3, 3): v_N = R_NB v_B."""


class ContactWrench(NamedTuple):
    """Torque and force on a body, in inertial axes, at the body's reference point."""

    T: NDArray[np.float64]
    """Torque about the reference point [N m], shape (3,); of many states (n, 3)."""
    F: NDArray[np.float64]
    """Force [N], shape (3,); of many states (n, 3)."""

    def action_and_reaction(self, p_AB: NDArray[np.float64]) -> "tuple[ContactWrench, ContactWrench]":
        """Return the wrenches on A and on B of a contact.

        This one acts on B, about the reference point of A; that of B is at p_AB [m] from it.
        """
        return ContactWrench(T=-self.T, F=-self.F), ContactWrench(T=self.T - np.cross(p_AB, self.F), F=self.F)


@dataclass(frozen=True, kw_only=True)
class ContactEvaluation:
    """Result of one evaluation of a contact pair."""

    wrench_A: ContactWrench
    wrench_B: ContactWrench
    energy: float
    """Elastic energy [J]."""
    dissipation: float
    """Power dissipated by damping and friction [W], 0 or more."""
    area: float
    """ContactEvaluation area [m2]."""
    pressure: float
    """Largest pressure [Pa]."""
    depth: float
    """Largest depth [m]."""


@dataclass(frozen=True, kw_only=True)
class Patch:
    """One connected region of a contact."""

    centre: NDArray[np.float64]
    """Mean of the stress centres weighted by force, in inertial axes [m]."""
    force_B: NDArray[np.float64]
    """Force on B in inertial axes [N]."""
    area: float
    """Touching area [m2]."""
    pressure: float
    """Largest pressure [Pa]."""


def as_solid(surface: Profile | Solid) -> Solid:
    """Return a solid, or the one behind a surface of revolution."""
    return surface if isinstance(surface, Solid) else _solid_behind(surface)


@functools.lru_cache(maxsize=64)
def _solid_behind(profile: Profile) -> Solid:
    return revolved_solid(profile)


@dataclass(frozen=True, kw_only=True)
class ContactPair:
    """Two surfaces: of revolution about the z axes of their bodies' reference frames, or solids in these frames.

    The depth is measured below surface A; surface B is divided into cells.
    """

    surface_A: Profile | Solid
    surface_B: Profile | Solid
    layer: ElasticLayer
    friction: CoulombFriction = field(default_factory=CoulombFriction)
    quadrature: CutCells | Points = field(default_factory=CutCells)
    mapping: Mapping = Mapping.DISTANCE
    name: str = "contact"
    face_groups: tuple[tuple[int, ...], ...] = ()
    """Of a solid A: groups of its faces, by index, on which forces are observed; 62 at most."""

    def __post_init__(self) -> None:
        for name, surface in (("surface_A", self.surface_A), ("surface_B", self.surface_B)):
            if isinstance(surface, Profile):
                check_profile(surface, name)
        cells = isinstance(self.quadrature, CutCells) and self.mapping is Mapping.DISTANCE
        if self.is_general and not cells:
            message = "Contacts of solids are integrated over cells, with the depth as signed distance."
            raise InputError(message, field="quadrature")

    @property
    def is_general(self) -> bool:
        """Whether one of the surfaces is that of a solid; then both are solids for the kernels."""
        return isinstance(self.surface_A, Solid) or isinstance(self.surface_B, Solid)

    @property
    def shapes(self) -> tuple[Profile | Solid, Profile | Solid]:
        """The surfaces for the kernels: two meridians or two solids."""
        if not self.is_general:
            return self.surface_A, self.surface_B
        return as_solid(self.surface_A), as_solid(self.surface_B)

    @property
    def skin(self) -> float:
        """Motion [m] for which a near list remains valid: the depth of a light contact of radius 10 mm."""
        return math.sqrt(SKIN_FORCE / (math.pi * self.layer.areal_stiffness * SKIN_RADIUS))

    @functools.cached_property
    def _evaluator(self) -> "ForceEvaluator":
        from softdock.contact.force_evaluator import ForceEvaluator  # avoids a circular import

        return ForceEvaluator(self)

    def forces(self, state_A: MotionState, state_B: MotionState) -> tuple[ContactWrench, ContactWrench]:
        """Return the contact wrenches on body A and on body B; thread-safe."""
        return self._evaluator.forces(state_A, state_B)

    def forces_many(self, state_A: MotionState, state_B: MotionState) -> tuple[ContactWrench, ContactWrench]:
        """Return the contact wrenches for n motion states of each body: fields of shape (n, 3) and (n, 3, 3).

        A field without the axis of states counts for all of them. States that follow each other along a path are
        evaluated fastest. Thread-safe.
        """
        return self._evaluator.forces_many(state_A, state_B)

    def export(self, path: str | os.PathLike[str]) -> None:
        """Write a file with which programs in C evaluate this pair: `sd_contact_open` of `softdock.h`."""
        from softdock.contact.contact_file import contact_file  # avoids a circular import

        file = path_argument("path", path)
        with file_errors(file, "write"):
            write_atomic(file, contact_file(self))

    def contact(self, state_A: MotionState, state_B: MotionState) -> ContactEvaluation:
        """Return the wrenches together with energy, dissipation, area, pressure and depth."""
        return self._evaluator.contact(state_A, state_B)

    def cells(self, state_A: MotionState, state_B: MotionState) -> NDArray[np.float64]:
        """Return one row per touching cell in A's axes, shape (n, 12).

        Columns: stress centre [m], force on B [N], torque about A's origin [N m], area [m2], pressure [Pa], extent [m].
        """
        return self._evaluator.cells(state_A, state_B)

    def patches(self, state_A: MotionState, state_B: MotionState) -> tuple[Patch, ...]:
        """Return the connected regions of the contact, largest force first."""
        return self._evaluator.patches(state_A, state_B)
