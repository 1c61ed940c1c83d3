"""Force-torque sensor of an arm."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from softdock.quantities.fields import (
    Force,
    Length,
    NonNegativeNumber,
    PositiveNumber,
    Quantity,
    Torque,
    Vector3,
)
from softdock.quantities.model import Model
from softdock.tree.joints import IDENTITY, Attitude, quaternion

NOTHING = (0.0, 0.0, 0.0)
PositiveFrequency = Annotated[float, Quantity("Hz", gt=0)]
NoiseForce = Annotated[float, Quantity("N", ge=0)]
NoiseTorque = Annotated[float, Quantity("N*m", ge=0)]


class ForceSensorModel(Model):
    """Force-torque sensor in a fixed mount, read in every torque period: what the tool exerts on it."""

    mount: str
    """Body on a fixed joint; the sensor is in that joint and bears this body and all beyond it."""
    at: Vector3[Length] = NOTHING
    """Origin of the sensor in the frame of the joint."""
    attitude: Attitude = IDENTITY
    """Attitude of the sensor in the frame of the joint."""
    bias_force: Vector3[Force] = NOTHING
    """Constant error of the force."""
    bias_torque: Vector3[Torque] = NOTHING
    """Constant error of the torque."""
    drift_force: NonNegativeNumber = 0.0
    """Random walk of the error of each component of the force, in N per square root of a second."""
    drift_torque: NonNegativeNumber = 0.0
    """The same of the torque, in N m per square root of a second."""
    noise_force: NoiseForce = 0.0
    """Standard deviation of the noise of each component of the force."""
    noise_torque: NoiseTorque = 0.0
    """The same of the torque."""
    bandwidth: PositiveFrequency | None = None
    """Cut-off frequency of a filter of first order; none if left out."""
    compensation: Literal["none", "weight", "dynamics"] = "none"
    """What of the tool's own load is subtracted: nothing, its weight, or its weight and inertia."""
    mass_ratio: PositiveNumber = 1.0
    """Mass and inertia of the tool that the compensation assumes, over the true ones."""
    seed: int = Field(default=0, ge=0)
    """Seed of noise and drift."""

    @model_validator(mode="after")
    def _is_frame(self) -> Self:
        quaternion(self.attitude)
        return self
