"""Models of controllers of free bodies with their sensors, filters, thrusters and reaction wheels."""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from softdock.model.control_laws import (
    AttitudeLaw,
    Glide,
    PositiveAngle,
    PositiveAngularRate,
    Transfer,
    TranslationLaw,
)
from softdock.quantities.fields import (
    Angle,
    AngularRate,
    Flag,
    Force,
    Length,
    Mass,
    NonNegativeAngle,
    NonNegativeLength,
    NonNegativeNumber,
    NonNegativeTime,
    Number,
    PositiveForce,
    PositiveFrequency,
    PositiveLength,
    PositiveMass,
    PositiveSpeed,
    PositiveTime,
    PositiveTorque,
    Quantity,
    Vector3,
)
from softdock.quantities.model import FieldError, Model
from softdock.tree.frames import Anchor

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
PositiveMomentum = Annotated[float, Quantity("N*m*s", gt=0)]
PositiveInertia = Annotated[float, Quantity("kg*m^2", gt=0)]

ControlMode = Literal["drift", "approach", "hold", "retreat", "thrust", "stabilise", "transfer"]
MODES: tuple[ControlMode, ...] = ("drift", "approach", "hold", "retreat", "thrust", "stabilise", "transfer")
"""Modes in the order of their numbers in channels."""
MAX_WAITING = 30
"""Largest number of measurements within the latency of a sensor."""
POSITION_MODES = ("approach", "hold", "retreat", "transfer")
"""Modes that control the position; `hold` without `translation` only holds the attitude of the port."""


class Thruster(Model):
    """A thruster of a controlled body.

    Length in m, force in N, times in s, angles in rad.

    >>> from softdock import Thruster
    >>> Thruster(at=(0, 0, "-1 m"), direction=(0, 0, 1), thrust="10 N", minimum_on_time="20 ms")
    Thruster(at=(0.0, 0.0, -1.0), direction=(0.0, 0.0, 1.0), thrust=10.0, minimum_on_time=0.02)
    """

    at: Vector3[Length]
    """Where its force acts, in body axes."""
    direction: Vector3[Number]
    """Direction of the force on the body (not of the exhaust), of any length."""
    thrust: PositiveForce
    """Nominal force."""
    specific_impulse: PositiveTime = 220.0
    """220 s is typical for a monopropellant."""
    minimum_on_time: NonNegativeTime = 0.0
    """Shortest pulse; shorter commands are added up until a pulse results."""
    delay: NonNegativeTime = 0.0
    """From the command to the start of the pulse."""
    thrust_error: Annotated[float, Quantity("1", gt=-1)] = 0.0
    """Relative error of the actual thrust, which the controller does not know."""
    misalignment: tuple[Angle, Angle] = (0.0, 0.0)
    """Rotation of the actual direction about two axes across it, which the controller does not know."""
    noise: NonNegativeNumber = 0.0
    """Standard deviation of the thrust of a pulse, relative."""

    @model_validator(mode="after")
    def _has_direction(self) -> Self:
        if not any(self.direction):
            raise FieldError("direction", "must not be the zero vector")
        return self


class ReactionWheel(Model):
    """A body on a revolute joint of the controlled body, with a motor that the controller commands.

    Torque in N m, momentum in N m s.

    >>> from softdock import ReactionWheel
    >>> ReactionWheel(body="wheel-x", max_torque="0.2 N m", max_momentum="12 N m s")
    ReactionWheel(body='wheel-x', max_torque=0.2, max_momentum=12.0)
    """

    body: str
    """Name of the wheel: a body on a revolute joint of the controlled body."""
    max_torque: PositiveTorque
    """Largest torque of the motor."""
    max_momentum: PositiveMomentum
    """Relative to the body that carries it."""


class PoseSensor(Model):
    """Sensor of position and attitude of the tip relative to the port.

    Rate in Hz, time in s, lengths in m, angles in rad.

    >>> from softdock import PoseSensor
    >>> PoseSensor(rate="2 Hz", latency="0.3 s", noise="1 mm", angle_noise="1 mrad")
    PoseSensor(rate=2.0, latency=0.3, noise=0.001, angle_noise=0.001)
    """

    rate: PositiveFrequency
    """Measurements per second; not below the rate of the controller."""
    latency: NonNegativeTime = 0.0
    """From the measurement to its use."""
    noise: NonNegativeLength = 0.0
    """Standard deviation of each component of the position, in port axes, at range zero."""
    noise_per_range: NonNegativeNumber = 0.0
    """Growth of that with range; both are added as squares."""
    bias: Vector3[Length] = (0.0, 0.0, 0.0)
    """Of the position, in port axes."""
    angle_noise: NonNegativeAngle = 0.0
    """Standard deviation of the attitude about each axis of the tip at range zero."""
    angle_noise_per_range: Annotated[float, Quantity("rad/m", ge=0)] = 0.0
    """Growth of that with range; both are added as squares."""
    angle_bias: Vector3[Angle] = (0.0, 0.0, 0.0)
    """Of the attitude, in tip axes."""
    field_of_view: Annotated[float, Quantity("rad", gt=0, le=math.pi)] = math.pi
    """Half-angle about the z axis of the tip within which the port is seen."""
    drop_out: Annotated[float, Quantity("1", ge=0, lt=1)] = 0.0
    """Probability that a measurement is lost."""


class Gyro(Model):
    """Gyro, sampled with the controller.

    Angles in rad, rates in rad/s.

    >>> from softdock import Gyro
    >>> Gyro(noise=1e-5, bias=("0.1 mrad/s", 0, 0))
    Gyro(noise=1e-05, bias=(0.0001, 0.0, 0.0))
    """

    noise: NonNegativeAngle = 0.0
    """Angle random walk: standard deviation of the measured angle after one second."""
    bias: Vector3[AngularRate] = (0.0, 0.0, 0.0)
    """At the start, in tip axes."""
    random_walk: Annotated[float, Quantity("rad/s", ge=0)] = 0.0
    """Random walk of the bias: standard deviation of its change in one second."""


class Filter(Model):
    """Assumptions of the Kalman filters.

    Speeds in m/s, length in m, angle in rad, rate in rad/s.

    >>> from softdock import Filter
    >>> Filter(drift="0.5 mm/s", position="50 mm")
    Filter(drift=0.0005, position=0.05)
    """

    drift: PositiveSpeed = 1e-4
    """Unknown accelerations: standard deviation of the change of speed by them in one second."""
    position: PositiveLength = 0.1
    """Standard deviation of the position at the start, of the actual error as well."""
    speed: PositiveSpeed = 0.01
    """Of the velocity at the start."""
    angle: PositiveAngle = 0.01
    """Of the attitude at the start."""
    bias: PositiveAngularRate = 1e-4
    """Of the gyro, as the filter assumes."""


class Navigation(Model):
    """Sensors and filters; without them the controller knows the relative motion exactly.

    Fields of `sensor`, `gyro` and `filter` in SI.

    >>> from softdock import Navigation, PoseSensor
    >>> Navigation(sensor=PoseSensor(rate=2, noise="1 mm", angle_noise="1 mrad")).gyro
    Gyro()
    """

    sensor: PoseSensor
    """Relative pose sensor."""
    gyro: Gyro = Gyro()
    """Gyro of the chaser."""
    filter: Filter = Filter()
    """Assumptions of the filters."""

    @model_validator(mode="after")
    def _has_noise(self) -> Self:
        sensor = self.sensor
        if sensor.noise == sensor.noise_per_range == 0.0:
            raise FieldError(
                "sensor.noise", "must be above 0 m: a filter cannot weigh a measurement without noise"
            )
        if sensor.angle_noise == sensor.angle_noise_per_range == 0.0:
            raise FieldError(
                "sensor.angle_noise", "must be above 0 rad: a filter cannot weigh a measurement without noise"
            )
        if sensor.latency * sensor.rate > MAX_WAITING:
            raise FieldError(
                "sensor.latency",
                f"must not be longer than {MAX_WAITING} measurements ({MAX_WAITING / sensor.rate:g} s)",
            )
        return self


class AssumedMass(Model):
    """Mass properties that a controller assumes; the actual ones of the start where left out.

    Mass in kg, lengths in m, inertia in kg m^2.

    >>> from softdock import AssumedMass
    >>> AssumedMass(mass="1.1 t")
    AssumedMass(mass=1100.0)
    """

    mass: PositiveMass | None = None
    """Of the body and all that it carries."""
    centre_of_mass: Vector3[Length] | None = None
    """In body axes."""
    inertia: Vector3[PositiveInertia] | None = None
    """About the centre of mass, in body axes."""


class Controller(Model):
    """Controller of a free body: guidance, control and actuators, executed at its own rate.

    Rates in Hz, angles in rad, forces in N, propellant in kg.

    >>> from softdock import Anchor, Controller
    >>> Controller(
    ...     rate="10 Hz",
    ...     mode="thrust",
    ...     target=Anchor(body="target"),
    ...     thrust="5 N",
    ...     thrusters={"main": {"at": [0, 0, "-1 m"], "direction": [0, 0, 1], "thrust": "10 N"}},
    ...  ).thrusters
    {'main': Thruster(at=(0.0, 0.0, -1.0), direction=(0.0, 0.0, 1.0), thrust=10.0)}
    """

    rate: PositiveFrequency
    """Samples per second."""
    mode: ControlMode = "approach"
    """Mode at the start; events change it."""
    tip: Anchor | None = None
    """Frame that is controlled, on the body or fixed to it; its z axis points forward. The frame of the body if left
    out."""
    target: Anchor
    """Frame of the port; its z axis points into it. Its body may be `world` or `hill`."""
    roll: Angle = 0.0
    """Wanted rotation of the tip about the axis of the port."""
    navigation: Navigation | None = None
    """Sensors and filters; leave out for exact knowledge of the relative motion."""
    guidance: Glide | None = None
    """Of modes `approach` and `retreat`."""
    transfer: Transfer | None = None
    """Of mode `transfer`."""
    translation: TranslationLaw | None = None
    """Leave out if the position is not controlled."""
    attitude: AttitudeLaw | None = None
    """Leave out if the attitude is not controlled."""
    feed_forward: Flag = True
    """Whether the acceleration by rotation of the port and by gravity is compensated."""
    thrust: Force = 0.0
    """Force along the z axis of the tip in mode `thrust`."""
    thrusters: dict[Name, Thruster] = Field(default_factory=dict)
    """Thrusters of the body, by name."""
    wheels: dict[Name, ReactionWheel] = Field(default_factory=dict)
    """Reaction wheels of the body, by name."""
    propellant: Mass | None = None
    """Propellant at the start; without limit if left out."""
    assumed: AssumedMass = AssumedMass()
    """Mass properties that the controller assumes."""
    seed: Annotated[float, Quantity("1", ge=0, lt=2**32)] = 0.0
    """Selects all random numbers of this controller, by its integer part; disperse it uniformly in campaigns."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if not self.thrusters and not self.wheels:
            raise FieldError("thrusters", "a controller needs thrusters or wheels")
        if self.translation is None and self.attitude is None and self.thrust == 0.0:
            raise FieldError("attitude", "a controller needs translation, attitude or thrust")
        if self.translation is not None and not self.thrusters:
            raise FieldError("thrusters", "must be given to control the position: wheels only produce torque")
        if self.thrust != 0.0 and not self.thrusters:
            raise FieldError("thrusters", "must be given for `thrust`")
        for name, thruster in self.thrusters.items():
            for key in ("minimum_on_time", "delay"):
                if getattr(thruster, key) * self.rate > 1.0:
                    raise FieldError(
                        f"thrusters.{name}.{key}",
                        f"must not be longer than one sample of the controller ({1.0 / self.rate:g} s)",
                    )
        if self.navigation is not None and self.navigation.sensor.rate < self.rate:
            raise FieldError(
                "navigation.sensor.rate", f"must not be slower than the controller ({self.rate:g} Hz)"
            )
        self._check_waiting_measurements()
        self.check_mode(self.mode, "mode")
        return self

    def _check_waiting_measurements(self) -> None:
        """Raise FieldError if more measurements may wait for a sample of the controller than the queue holds."""
        if self.navigation is None:
            return
        sensor = self.navigation.sensor
        if sensor.rate * (sensor.latency + 1.0 / self.rate) > MAX_WAITING:
            most = MAX_WAITING / (sensor.latency + 1.0 / self.rate)
            raise FieldError(
                "navigation.sensor.rate",
                f"must be at most {most:g} Hz: at most {MAX_WAITING} measurements may wait for the controller",
            )

    def check_mode(self, mode: str, field: str) -> None:
        """Raise FieldError for a mode that this controller cannot have."""
        if mode in POSITION_MODES and self.translation is None and (mode != "hold" or self.attitude is None):
            raise FieldError(field, f"`{mode}` controls the position: give `translation`")
        if mode in ("approach", "retreat") and self.guidance is None:
            raise FieldError(field, f"`{mode}` needs `guidance`")
        if mode == "retreat" and (self.guidance is None or self.guidance.retreat is None):
            raise FieldError(field, "`retreat` needs `guidance.retreat`")
        if mode == "transfer" and self.transfer is None:
            raise FieldError(field, "`transfer` needs `transfer`: a point and a duration")
        if mode == "stabilise" and self.attitude is None:
            raise FieldError(field, "`stabilise` controls the attitude: give `attitude`")
        if mode == "thrust" and self.thrust == 0.0:
            raise FieldError(field, "`thrust` needs a force: give `thrust`")
