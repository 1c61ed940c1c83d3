"""Settings of a run of a multibody system: approach, integration, recording, impact point of the prediction."""

from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from softdock.quantities.fields import (
    Angle,
    AngularRate,
    Flag,
    Fraction,
    Frequency,
    Integer,
    Length,
    NonNegativeLength,
    NonNegativeSpeed,
    PositiveTime,
    Quantity,
    Speed,
    Vector3,
)
from softdock.quantities.model import FieldError, Model
from softdock.tree.frames import Anchor
from softdock.tree.joints import Axis


class Accuracy(Model):
    """Error tolerances of one step.

    Lengths in m, angles in rad, speeds in m/s, rates in rad/s.

    >>> from softdock import Accuracy
    >>> Accuracy(length="0.1 um", speed="1 um/s")
    Accuracy(length=1e-07, speed=1e-06)
    """

    length: Annotated[float, Quantity("m", gt=0)] = 1e-6
    """Error of positions in one step."""
    angle: Annotated[float, Quantity("rad", gt=0)] = 1e-6
    """Error of angles in one step."""
    speed: Annotated[float, Quantity("m/s", gt=0)] = 1e-5
    """Error of speeds in one step."""
    rate: Annotated[float, Quantity("rad/s", gt=0)] = 1e-5
    """Error of angular rates in one step."""
    force: Annotated[float, Quantity("1", gt=0)] = 0.005
    """Error of a force or moment that an element transmits, over the largest one that it has transmitted so far."""


class Integrator(Model):
    """Settings of the time integration.

    Steps are in s.

    >>> from softdock import Integrator
    >>> Integrator(method="rk4", step="1 ms")
    Integrator(method='rk4', step=0.001)
    """

    method: Literal["automatic", "dormand-prince", "bogacki-shampine", "rosenbrock", "rk4"] = "automatic"
    """Integration method; `automatic` changes between explicit methods and `rosenbrock` (implicit)."""
    step: PositiveTime | None = None
    """Fixed step; leave out for error control (rk4 always needs one)."""
    accuracy: Accuracy = Accuracy()
    """Errors that one step may have."""
    max_step: PositiveTime | None = None
    """Longest step; leave out for no limit."""
    max_steps: Annotated[Integer, Field(gt=0)] = 5_000_000
    """Number of steps after which a run ends with the results so far."""

    @model_validator(mode="after")
    def _step_given(self) -> Self:
        if self.method == "rk4" and self.step is None:
            raise FieldError("step", "must be given for rk4: it has no error control")
        return self


class Record(Model):
    """Recording of the history.

    The rate is in Hz.

    >>> from softdock import Record
    >>> Record(rate="1 kHz", also=("probe.z in port",))
    Record(rate=1000.0, also=('probe.z in port',))
    """

    rate: Frequency = 100.0
    """Samples per second. Recorded contact steps replace the samples between them."""
    contact_steps: Flag = True
    """Whether every step with a contact force is recorded."""
    all: Flag = True
    """Whether the motion of all bodies and the results of all elements and contacts are recorded; if false, only the
    quantities of `also` and those that events, metrics and reactions need. Replays and drawings need all."""
    also: tuple[str, ...] = ()
    """Additional quantities and formulas, such as `probe.z in drogue`."""
    peaks: Flag = True
    """Whether every peak of a metric or reaction has a row in the history."""
    loads: Flag = True
    """Whether peak reactions of all elements, joints and mounts are searched for; if false, only those of contacts."""
    max_rows: Annotated[Integer, Field(gt=0, le=5_000_000)] = 200_000
    """Largest number of rows of the history."""


class Impact(Model):
    """Impact point for the prediction; found from the contacts if left out.

    >>> from softdock import Anchor, Impact
    >>> Impact(a=Anchor(body="probe"), b=Anchor(body="target"), normal="z", restitution=0.7)
    Impact(a=Anchor(body='probe'), b=Anchor(body='target'), normal='z', restitution=0.7)
    """

    a: Anchor
    """Frame at the point of impact on the first body."""
    b: Anchor
    """Frame at the point of impact on the second body."""
    normal: Axis
    """Direction of the force on b, in the frame of a."""
    restitution: Fraction = 1.0
    """Coefficient of restitution of the prediction."""

    @model_validator(mode="after")
    def _has_direction(self) -> Self:
        if not isinstance(self.normal, str) and not any(self.normal):
            raise FieldError("normal", "must not be the zero vector")
        return self


class Approach(Model):
    """Initial state of a free chaser relative to the port of the target; overrides the state of its free joint.

    Lengths are in m, angles in rad, speeds in m/s and rates in rad/s.

    >>> from softdock import Anchor, Approach
    >>> Approach(
    ...     chaser="chaser",
    ...     tip=Anchor(body="chaser"),
    ...     port=Anchor(body="target"),
    ...     distance="5 mm",
    ...     speed="30 mm/s",
    ...  )
    Approach(chaser='chaser', tip=Anchor(body='chaser'), port=Anchor(body='target'), distance=0.005, speed=0.03)
    """

    chaser: str
    """Free body at the root of the tree of the chaser."""
    tip: Anchor
    """Frame on any body of that tree; its z axis points forward."""
    port: Anchor
    """Frame on the target; its z axis points into the port."""
    distance: NonNegativeLength = 0.0
    """Distance from the tip to the port, along the z axis of the port."""
    offset: tuple[Length, Length] = (0.0, 0.0)
    """Offset of the tip from the axis of the port, along its x and y axes."""
    tilt: tuple[Angle, Angle] = (0.0, 0.0)
    """Rotation vector of the tip relative to the port, about its x and y axes."""
    roll: Angle = 0.0
    """Rotation about the axis of the tip."""
    speed: NonNegativeSpeed
    """Speed of approach, along the z axis of the port."""
    lateral: tuple[Speed, Speed] = (0.0, 0.0)
    """Velocity along the x and y axes of the port."""
    rate: Vector3[AngularRate] = (0.0, 0.0, 0.0)
    """Angular velocity of the chaser relative to the port, in the frame of the port."""


class DockingFrames(NamedTuple):
    """Frames whose relative motion at the first contact is that of the contact conditions."""

    chaser: str
    """Free body that carries the tip."""
    tip: Anchor
    port: Anchor
