"""Models of couplings: a plug on one body that is guided into a socket on another (fluid couplings, connectors)."""

from typing import Annotated, Self

from pydantic import model_validator

from softdock.quantities.fields import (
    AngularDamping,
    AngularStiffness,
    Damping,
    Flag,
    FrictionSpeed,
    NonNegativeForce,
    NonNegativeLength,
    PositiveForce,
    PositiveLength,
    PositiveStiffness,
    Quantity,
    Stiffness,
)
from softdock.quantities.model import FieldError, Model
from softdock.tree.frames import Anchor

CAPTURE_RATIO = 3.0
"""Capture radius over the lateral limit where none is given; an assumed value."""


class CouplingSpring(Model):
    """Spring that pushes the plug out of the socket: valve springs, spring-loaded contacts.

    Stiffness in N/m, force in N, length in m.

    >>> from softdock import CouplingSpring
    >>> CouplingSpring(stiffness="2 N/mm", preload="15 N")
    CouplingSpring(stiffness=2000.0, preload=15.0)
    """

    stiffness: Stiffness = 0.0
    """Force per stroke."""
    preload: NonNegativeForce = 0.0
    """Force at the beginning of the spring's travel; it sets in over the length `lead_in`."""
    start: NonNegativeLength = 0.0
    """Stroke at which the spring begins to act."""


class CouplingSeal(Model):
    """Coulomb friction of a seal over a part of the stroke.

    Force in N, lengths in m, speed in m/s.

    >>> from softdock import CouplingSeal
    >>> CouplingSeal(friction="20 N", start="4 mm")
    CouplingSeal(friction=20.0, start=0.004)
    """

    friction: NonNegativeForce
    """Friction force against the motion, independent of speed."""
    start: NonNegativeLength = 0.0
    """Stroke at which the seal begins to rub; friction sets in over the length `lead_in`."""
    end: PositiveLength | None = None
    """Stroke at which the seal ceases to rub; leave out for a seal that rubs until the end of the stroke."""
    speed: FrictionSpeed = 1e-3
    """Speed below which friction is proportional to speed."""


class CouplingLatch(Model):
    """Detent at the end of the stroke: resists over the first half of its width and pulls in over the second.

    Force in N, length in m.

    >>> from softdock import CouplingLatch
    >>> CouplingLatch(force="40 N", width="2 mm")
    CouplingLatch(force=40.0, width=0.002)
    """

    force: PositiveForce
    """Largest force against insertion, and against withdrawal from the mated position."""
    width: PositiveLength
    """Length of the detent; it ends at the end of the stroke."""


class CouplingGuidance(Model):
    """Centring of the plug in the socket, which sets in over the length `lead_in`; rotation about the axis is free.

    Stiffness in N/m and N m/rad, damping in N s/m and N m s/rad.

    >>> from softdock import CouplingGuidance
    >>> CouplingGuidance(stiffness="50 N/mm", angular_stiffness="20 N m/rad")
    CouplingGuidance(stiffness=50000.0, angular_stiffness=20.0)
    """

    stiffness: Stiffness
    """Lateral force per lateral displacement."""
    angular_stiffness: AngularStiffness = 0.0
    """Torque per angle between the axes."""
    damping: Damping = 0.0
    """Lateral force per lateral speed."""
    angular_damping: AngularDamping = 0.0
    """Torque per rate of the angle between the axes."""


class CouplingLimits(Model):
    """Largest misalignment with which the plug enters the socket and mates.

    Length in m, angle in rad.

    >>> from softdock import CouplingLimits
    >>> CouplingLimits(lateral="1.5 mm", angle="20 mrad")
    CouplingLimits(lateral=0.0015, angle=0.02)
    """

    lateral: PositiveLength
    """Distance of the tip of the plug from the axis of the socket."""
    angle: Annotated[float, Quantity("rad", gt=0, lt=1.5)]
    """Angle between the axes of plug and socket."""


class CouplingEndStop(Model):
    """End of the stroke; a jammed plug meets the same resistance at the face of the socket. It never pulls.

    Stiffness in N/m, damping in N s/m.

    >>> from softdock import CouplingEndStop
    >>> CouplingEndStop(stiffness="400 N/mm", damping="50 N s/m")
    CouplingEndStop(stiffness=400000.0, damping=50.0)
    """

    stiffness: PositiveStiffness
    """Force per travel beyond the end of the stroke."""
    damping: Damping = 0.0
    """Force per speed; the total force never pulls."""


class Coupling(Model):
    """A plug that is guided into a socket.

    It mates if its stroke completes within the limits of misalignment; it jams if they are exceeded where it enters,
    and passes without any force beyond the capture radius.

    Lengths in m, angles in rad, forces in N, stiffness in N/m.

    >>> from softdock import Anchor, Coupling
    >>> Coupling(
    ...     plug=Anchor(body="fluid-plane"),
    ...     socket=Anchor(body="client"),
    ...     stroke="12 mm",
    ...     limits={"lateral": "1.5 mm", "angle": "1.5 deg"},
    ...     end_stop={"stiffness": "4e5 N/m"},
    ... ).limits.lateral
    0.0015
    """

    plug: Anchor
    """Frame at the tip of the plug, z in the direction of insertion."""
    socket: Anchor
    """Frame in the opening of the socket, z into it."""
    stroke: PositiveLength
    """Travel from the opening to the mated position."""
    limits: CouplingLimits
    """Largest misalignment at entry and when mated."""
    capture_radius: PositiveLength | None = None
    """Distance of the tip from the axis beyond which a plug passes beside the socket; default 3 `limits.lateral`."""
    spring: CouplingSpring = CouplingSpring()
    """Spring force over the stroke; none if left out."""
    seal: CouplingSeal | None = None
    """Friction of the seal; none if left out."""
    latch: CouplingLatch | None = None
    """Detent at the end of the stroke; none if left out."""
    guidance: CouplingGuidance | None = None
    """Centring of the plug; none if left out."""
    end_stop: CouplingEndStop
    """Resistance at the end of the stroke, and of a socket that a jammed plug cannot enter."""
    lead_in: PositiveLength = 5e-4
    """Travel over which preload, friction and guidance set in."""
    tolerance: NonNegativeLength = 1e-4
    """Part of the stroke that may be missing where the coupling counts as mated."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""

    @property
    def effective_capture_radius(self) -> float:
        """Distance of the tip from the axis beyond which the plug passes beside the socket [m]."""
        return CAPTURE_RATIO * self.limits.lateral if self.capture_radius is None else self.capture_radius

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.effective_capture_radius < self.limits.lateral:
            raise FieldError(
                "capture_radius", f"must not be below `limits.lateral`, {self.limits.lateral:g} m"
            )
        if self.lead_in > self.stroke:
            raise FieldError("lead_in", f"must not exceed the stroke of {self.stroke:g} m")
        if self.tolerance >= self.stroke:
            raise FieldError("tolerance", f"must be below the stroke of {self.stroke:g} m")
        if self.spring.start >= self.stroke:
            raise FieldError("spring.start", f"must be below the stroke of {self.stroke:g} m")
        if self.latch is not None and self.latch.width > self.stroke:
            raise FieldError("latch.width", f"must not exceed the stroke of {self.stroke:g} m")
        if self.seal is not None:
            if self.seal.start >= self.stroke:
                raise FieldError("seal.start", f"must be below the stroke of {self.stroke:g} m")
            if self.seal.end is not None and self.seal.end < self.seal.start + self.lead_in:
                raise FieldError(
                    "seal.end", "must be at least `lead_in` above `start`, so that the friction can set in"
                )
        return self
