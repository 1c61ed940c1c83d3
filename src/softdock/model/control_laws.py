"""Models of guidance and control laws: gains, glide slope, hold points, corridor, transfer."""

import math
from typing import Annotated, Literal, Self

from pydantic import model_validator

from softdock.quantities.fields import (
    Length,
    NonNegativeAngle,
    NonNegativeLength,
    NonNegativeTime,
    PositiveLength,
    PositiveNumber,
    PositiveSpeed,
    PositiveTime,
    Quantity,
    Vector3,
)
from softdock.quantities.model import FieldError, Model

PositiveAcceleration = Annotated[float, Quantity("m/s^2", gt=0)]
PositiveAngularAcceleration = Annotated[float, Quantity("rad/s^2", gt=0)]
PositiveAngle = Annotated[float, Quantity("rad", gt=0)]
PositiveAngularRate = Annotated[float, Quantity("rad/s", gt=0)]

HOLD_REACH = 0.01
"""Part of the distance of a hold point by which an approach may begin inside it and still hold there."""


class TranslationRegulator(Model):
    """Weights of a linear-quadratic regulator: deviations that count as much as each other.

    Length in m, speed in m/s, acceleration in m/s^2.

    >>> from softdock import TranslationRegulator
    >>> TranslationRegulator(position="5 mm", speed="2 mm/s", acceleration="2 mm/s^2")
    TranslationRegulator(position=0.005, speed=0.002, acceleration=0.002)
    """

    position: PositiveLength
    """Of the position."""
    speed: PositiveSpeed
    """Of the velocity."""
    acceleration: PositiveAcceleration
    """Of the commanded acceleration."""


class AttitudeRegulator(Model):
    """Weights of a linear-quadratic regulator: deviations that count as much as each other.

    Angle in rad, rate in rad/s, acceleration in rad/s^2.

    >>> from softdock import AttitudeRegulator
    >>> AttitudeRegulator(angle=0.01, rate="2 mrad/s", acceleration="2 mrad/s^2")
    AttitudeRegulator(angle=0.01, rate=0.002, acceleration=0.002)
    """

    angle: PositiveAngle
    """Of the attitude."""
    rate: PositiveAngularRate
    """Of the angular rate."""
    acceleration: PositiveAngularAcceleration
    """Of the commanded angular acceleration."""


class ControlLaw(Model):
    """Gains of three axes, from bandwidth and damping."""

    bandwidth: PositiveAngularRate | None = None
    """Undamped frequency of the closed loop."""
    damping: PositiveNumber = 0.8
    """Damping ratio of the closed loop."""

    def _check_choice(self, regulator: object) -> None:
        if (self.bandwidth is None) == (regulator is None):
            raise FieldError("bandwidth", "give either bandwidth or regulator")


class TranslationLaw(ControlLaw):
    """Control of the position of the tip relative to the port.

    Bandwidth in rad/s, length in m.

    >>> from softdock import TranslationLaw
    >>> TranslationLaw(bandwidth="0.1 rad/s", dead_band="2 mm")
    TranslationLaw(bandwidth=0.1, dead_band=0.002)
    """

    regulator: TranslationRegulator | None = None
    """Linear-quadratic regulator instead of bandwidth and damping."""
    dead_band: NonNegativeLength = 0.0
    """Position error, per axis, within which a drifting body is left alone.

    If it is 0, thrusters with shortest pulses get the narrowest one that these and the bandwidth allow.
    """

    @model_validator(mode="after")
    def _one(self) -> Self:
        self._check_choice(self.regulator)
        return self


class AttitudeLaw(ControlLaw):
    """Control of the attitude of the tip relative to the port.

    Bandwidth in rad/s, angle in rad.

    >>> from softdock import AttitudeLaw
    >>> AttitudeLaw(bandwidth="0.2 rad/s", damping=1)
    AttitudeLaw(bandwidth=0.2, damping=1.0)
    """

    regulator: AttitudeRegulator | None = None
    """Linear-quadratic regulator instead of bandwidth and damping."""
    dead_band: NonNegativeAngle = 0.0
    """Attitude error, per axis, within which a drifting body is left alone.

    If it is 0, thrusters with shortest pulses get the narrowest one that these and the bandwidth allow.
    """

    @model_validator(mode="after")
    def _one(self) -> Self:
        self._check_choice(self.regulator)
        return self


class Gate(Model):
    """Limits of errors for going on; those left out do not count.

    Length in m, speed in m/s, angle in rad, rate in rad/s.

    >>> from softdock import Gate
    >>> Gate(position="20 mm", speed="5 mm/s")
    Gate(position=0.02, speed=0.005)
    """

    position: PositiveLength | None = None
    """Error of position."""
    speed: PositiveSpeed | None = None
    """Error of velocity."""
    angle: PositiveAngle | None = None
    """Error of attitude."""
    rate: PositiveAngularRate | None = None
    """Error of angular rate."""

    def limits(self) -> tuple[float, ...]:
        """Return the limits of position, speed, angle and rate; infinity for none."""
        given = (self.position, self.speed, self.angle, self.rate)
        return tuple(math.inf if limit is None else limit for limit in given)


class HoldPoint(Model):
    """A point on the axis of the port where the approach waits.

    Length in m, times in s.

    >>> from softdock import HoldPoint
    >>> HoldPoint(distance="5 m", duration="1 min")
    HoldPoint(distance=5.0, duration=60.0)
    """

    distance: PositiveLength
    """Outwards from the port."""
    duration: NonNegativeTime = 0.0
    """Time to wait there."""
    gate: Gate = Gate()
    """Errors within which the approach goes on after the duration."""
    patience: PositiveTime | None = None
    """Time after the duration within which the gate must be passed; then the chaser retreats."""

    @property
    def reach(self) -> float:
        """Distance inside the point from which an approach still flies back to it [m]; farther in it passes it over."""
        return self.gate.position or HOLD_REACH * self.distance


class Corridor(Model):
    """Cone about the axis of the port that the tip must not leave during the approach.

    Length in m, angle in rad.

    >>> from softdock import Corridor
    >>> Corridor(radius="50 mm", half_angle=0.1)
    Corridor(radius=0.05, half_angle=0.1)
    """

    radius: NonNegativeLength
    """At the port."""
    half_angle: Annotated[float, Quantity("rad", ge=0, lt=1.5)] = 0.0
    """Of the cone."""


class Glide(Model):
    """Guidance along the axis of the port: closing speed = distance / time constant, within limits.

    Time in s, speeds in m/s, lengths in m.

    >>> from softdock import Glide
    >>> Glide(min_speed="30 mm/s", max_speed="0.2 m/s", retreat="10 m")
    Glide(min_speed=0.03, max_speed=0.2, retreat=10.0)
    """

    time_constant: PositiveTime = 90.0
    """Distance over closing speed."""
    min_speed: PositiveSpeed
    """Smallest closing speed."""
    max_speed: PositiveSpeed
    """Largest closing speed."""
    acceleration: PositiveAcceleration = 0.01
    """Of the reference."""
    end: Length = 0.0
    """Distance at which the approach ends; negative inside the port."""
    holds: tuple[HoldPoint, ...] = ()
    """From far to near."""
    corridor: Corridor | None = None
    """Where the tip must stay during the approach."""
    retreat: PositiveLength | None = None
    """Distance of the point to which the chaser retreats; without one it holds its position instead."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min_speed > self.max_speed:
            raise FieldError("min_speed", f"must not exceed max_speed ({self.max_speed:g} m/s)")
        before = math.inf
        for i, hold in enumerate(self.holds):
            if hold.distance <= self.end:
                raise FieldError(
                    f"holds.{i}.distance",
                    f"is inside the target: it must be above the end of the approach ({self.end:g} m)",
                )
            if hold.distance >= before:
                raise FieldError(f"holds.{i}.distance", f"must be nearer than the one before ({before:g} m)")
            before = hold.distance
        return self


class Transfer(Model):
    """Motion of the tip to a point, where it is then held.

    Lengths in m, time in s.

    >>> from softdock import Transfer
    >>> Transfer(to=(0, 0, "-20 m"), duration="10 min")
    Transfer(to=(0.0, 0.0, -20.0), duration=600.0)
    """

    to: Vector3[Length]
    """In port axes: z is negative in front of the port."""
    duration: PositiveTime
    """Time of the transfer."""
    path: Literal["orbital", "straight"] = "orbital"
    """`orbital`: free drift between two impulses near a circular orbit; in free space it is straight as well."""
