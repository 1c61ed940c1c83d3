"""Contact law between two surfaces: elastic layer with damping, and friction."""

from dataclasses import dataclass
from enum import Enum
from typing import Self

from softdock.errors import require

SHEAR_RATIO = 2.0 * (1.0 - 0.3) / (2.0 - 0.3)
"""Tangential over normal stiffness of two elastic bodies at small loads, 2 (1 - nu)/(2 - nu), at nu = 0.3.

Mindlin, Compliance of Elastic Bodies in Contact, J. Appl. Mech. 16 (1949): 1 at nu = 0, 2/3 at nu = 0.5.
"""


@dataclass(frozen=True, kw_only=True)
class ElasticLayer:
    """A thin elastic layer: stress per depth, with damping that grows with the depth up to a threshold."""

    areal_stiffness: float
    """Stress per depth c [N/m3], more than 0."""
    damping: float = 0.0
    """Nominal areal damping d0 [N s/m3], 0 or more."""
    damping_depth: float = 0.0
    """Depth s0 [m] below which the damping is s/s0 of the nominal one; more than 0 if there is damping."""
    tangential_stiffness: float | None = None
    """Shear stress per tangential displacement c_t [N/m3]; None: SHEAR_RATIO times the areal stiffness."""

    def __post_init__(self) -> None:
        require("areal_stiffness", self.areal_stiffness, "more than 0 N/m3", self.areal_stiffness > 0.0)
        require("damping", self.damping, "0 N s/m3 or more", self.damping >= 0.0)
        require("tangential_stiffness", self.shear_stiffness, "more than 0 N/m3", self.shear_stiffness > 0.0)
        needed = self.damping > 0.0
        allowed = "more than 0 m if there is damping" if needed else "0 m or more"
        require("damping_depth", self.damping_depth, allowed, self.damping_depth > 0.0 or not needed)

    @property
    def shear_stiffness(self) -> float:
        """Shear stress per tangential displacement c_t [N/m3]; Eq. (C60)."""
        if self.tangential_stiffness is not None:
            return self.tangential_stiffness
        return SHEAR_RATIO * self.areal_stiffness

    @classmethod
    def of_material(
        cls,
        *,
        youngs_modulus: float,
        poisson_ratio: float,
        thickness: float,
        damping: float = 0.0,
        damping_depth: float = 0.0,
        tangential_stiffness: float | None = None,
    ) -> Self:
        """Return the layer of a material: Young's modulus [Pa], Poisson's ratio, thickness [m]; Eq. (C5).

        `damping` and `damping_depth` are those of the layer. Without `tangential_stiffness` the shear modulus over the
        thickness counts.
        """
        require("youngs_modulus", youngs_modulus, "more than 0 Pa", youngs_modulus > 0.0)
        require(
            "poisson_ratio",
            poisson_ratio,
            "above -1 and below 0.5 (a thin incompressible layer is infinitely stiff)",
            -1.0 < poisson_ratio < 0.5,
        )
        require("thickness", thickness, "more than 0 m", thickness > 0.0)
        nu = poisson_ratio
        stiffness = (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)) * youngs_modulus / thickness  # Eq. (C5)
        shear = youngs_modulus / (2.0 * (1.0 + nu) * thickness)  # Eq. (C60)
        return cls(
            areal_stiffness=stiffness,
            damping=damping,
            damping_depth=damping_depth,
            tangential_stiffness=shear if tangential_stiffness is None else tangential_stiffness,
        )


class FrictionLaw(Enum):
    """How friction depends on the motion below the sliding speed v0."""

    ELASTIC = "elastic"
    """A tangential spring that yields at mu N, and the smooth law beside it: surfaces at rest hold."""
    SMOOTH = "smooth"
    """mu v_t / sqrt(v_t^2 + v0^2): differentiable everywhere."""
    RAMP = "ramp"
    """mu v_t / max(v_t, v0): linear below v0."""


@dataclass(frozen=True, kw_only=True)
class CoulombFriction:
    """Coulomb friction, regularised at low speed."""

    coefficient: float = 0.0
    """Nominal friction coefficient mu, 0 or more."""
    threshold_speed: float = 1e-3
    """Sliding speed v0 [m/s] below which the friction decreases to zero, more than 0."""
    law: FrictionLaw = FrictionLaw.SMOOTH

    def __post_init__(self) -> None:
        require("coefficient", self.coefficient, "0 or more", self.coefficient >= 0.0)
        require("threshold_speed", self.threshold_speed, "more than 0 m/s", self.threshold_speed > 0.0)
