"""Models of mass chains on one line, and their conversion to the arrays of the kernels."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softdock.lumped.kernels import motion

Array = NDArray[np.float64]
# Rebound speed over closing speed below which a rebound (1e-18 of the energy) is ignored.
SETTLING_RATIO = 1e-9


@dataclass(frozen=True, kw_only=True)
class Pad:
    """A spring [N/m] and damper [N s/m] without tensile force."""

    stiffness: float
    damping: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Wedge:
    """Stiffness along the axis while sliding in and out and of the elastic part [N/m]; tip length [m].

    `lift` is the force of the latch spring, across the axis, per insertion [N/m].
    """

    inward: float
    outward: float
    elastic: float
    tip_length: float
    jams: bool = False
    lift: float = 0.0

    @classmethod
    def of(cls, *, stiffness: float, angle: float, tip_length: float, friction_angle: float = 0.0) -> "Wedge":
        """Return the wedge of this angle from the axis [rad] under a latch spring of this stiffness [N/m]."""
        lift = math.tan(angle)
        jams = angle + friction_angle >= 0.5 * math.pi
        return cls(
            inward=math.inf if jams else stiffness * lift * math.tan(angle + friction_angle),  # Eq. (L4)
            outward=stiffness * lift * math.tan(angle - friction_angle),  # Eq. (L5)
            elastic=stiffness * lift**2,  # Eq. (L3)
            tip_length=tip_length,
            jams=jams,
            lift=stiffness * lift,
        )


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Two chains on one line; masses [kg], stiffness [N/m], damping [N s/m], velocities [m/s].

    The chaser's masses are listed from the rear to the touching one, the target's from the touching one to the far
    end. Springs and dampers join neighbours; the last ones of an anchored target join the wall.
    """

    chaser_masses: tuple[float, ...]
    target_masses: tuple[float, ...]
    chaser_stiffness: tuple[float, ...] = ()
    target_stiffness: tuple[float, ...] = ()
    chaser_damping: tuple[float, ...] = ()
    target_damping: tuple[float, ...] = ()
    anchored: bool = False
    speed: float
    """Closing speed of the chaser relative to the target."""
    target_velocity: float = 0.0
    chaser_velocities: tuple[float, ...] = ()
    """Velocities of the chaser's masses at the start instead of those of `speed` and `target_velocity`."""
    target_velocities: tuple[float, ...] = ()
    """Velocities of the target's masses at the start instead of `target_velocity`."""
    chaser_deflections: tuple[float, ...] = ()
    """Displacements of the chaser's masses at the start from where the springs are relaxed [m]; zero by default."""
    target_deflections: tuple[float, ...] = ()
    """The same of the target."""
    gap: float = 0.0
    """Distance of the touching masses at the start [m]."""
    pad: Pad | None = None
    restitution: float | None = None
    """Coefficient of restitution of an impulsive impact; with a wedge, only the first contact is impulsive."""
    wedge: Wedge | None = None

    @cached_property
    def mass(self) -> Array:
        """All masses, chaser first [kg]."""
        return np.array(self.chaser_masses + self.target_masses, dtype=np.float64)

    @cached_property
    def velocities(self) -> Array:
        """Velocities at the start [m/s]."""
        chaser = self.chaser_velocities or (self.target_velocity + self.speed,) * len(self.chaser_masses)
        target = self.target_velocities or (self.target_velocity,) * len(self.target_masses)
        return np.array(chaser + target)

    @cached_property
    def deflections(self) -> Array:
        """Displacements at the start from where the springs are relaxed [m]."""
        chaser = self.chaser_deflections or (0.0,) * len(self.chaser_masses)
        return np.array(chaser + (self.target_deflections or (0.0,) * len(self.target_masses)))

    @cached_property
    def relaxed_gap(self) -> float:
        """Distance of the touching masses where all springs are relaxed [m]."""
        a = len(self.chaser_masses) - 1
        return self.gap + float(self.deflections[a] - self.deflections[a + 1])

    @cached_property
    def arrays(self) -> tuple[motion.ChainArrays, motion.InterfaceLaw]:
        """Kernel arguments: chain and interface."""
        return _arrays(self), _law(self)

    @cached_property
    def velocities_in_frame(self) -> Array:
        """Velocities at the start in the frame of the computation [m/s]."""
        return self.velocities - self.frame_velocity

    @cached_property
    def system_weights(self) -> Array:
        """Weights (masses, 2) that give the velocities of the centres of mass of chaser and target [1].

        The weights of an anchored target are zero.
        """
        n = len(self.chaser_masses)
        weights = np.zeros((len(self.mass), 2))
        weights[:n, 0] = self.mass[:n] / self.mass[:n].sum()
        if not self.anchored:
            weights[n:, 1] = self.mass[n:] / self.mass[n:].sum()
        return weights

    @cached_property
    def frame_velocity(self) -> float:
        """Velocity of the frame of the computation: centre of mass, or the wall [m/s]."""
        return 0.0 if self.anchored else float(self.mass @ self.velocities / self.mass.sum())


def _arrays(chain: Chain) -> motion.ChainArrays:
    """Return the kernel argument of a chain: masses in order, each with the link to its right."""
    wall = int(chain.anchored)
    links = {}
    for name in ("stiffness", "damping"):
        chaser, target = getattr(chain, f"chaser_{name}"), getattr(chain, f"target_{name}")
        line = np.zeros(len(chain.mass))
        line[: len(chaser)] = chaser
        first = len(chain.chaser_masses)
        line[first : first + len(target)] = target
        expected = (len(chain.chaser_masses) - 1, len(chain.target_masses) - 1 + wall)
        if name == "stiffness" and (len(chaser), len(target)) != expected:
            raise ValueError(f"springs: expected {expected}, given {(len(chaser), len(target))}")
        links[name] = line
    line = np.stack((chain.mass, links["stiffness"], links["damping"], 1.0 / chain.mass))
    return motion.ChainArrays(line, len(chain.chaser_masses) - 1, float(chain.relaxed_gap))


def _law(chain: Chain) -> motion.InterfaceLaw:
    pad = chain.pad or Pad(stiffness=0.0)
    wedge = chain.wedge or Wedge(inward=0.0, outward=0.0, elastic=0.0, tip_length=0.0)
    return motion.InterfaceLaw(
        float(pad.stiffness),
        float(pad.damping),
        -1.0 if chain.restitution is None else float(chain.restitution),
        0.0 if wedge.jams else float(wedge.inward),
        float(wedge.outward),
        float(wedge.elastic),
        float(wedge.tip_length),
        int(wedge.jams),
        SETTLING_RATIO * abs(float(chain.speed)),
    )
