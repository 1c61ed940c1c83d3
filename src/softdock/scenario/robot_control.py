"""Control of an arm: impedance of its joints or of its tool."""

from typing import Annotated, Literal, Self

from pydantic import model_validator

from softdock.quantities.fields import (
    AngularStiffness,
    JointStiffness,
    Length,
    NonNegativeNumber,
    Quantity,
    Stiffness,
    Vector3,
)
from softdock.quantities.model import FieldError, Model
from softdock.tree.joints import IDENTITY, Attitude, quaternion


class CartesianModel(Model):
    """Cartesian impedance: spring and damper between commanded and actual pose of a task frame on the tool."""

    stiffness: Stiffness | Vector3[Stiffness]
    """Force per displacement along x, y and z; one value for all."""
    angular_stiffness: AngularStiffness | Vector3[AngularStiffness]
    """Torque per rotation about x, y and z; one value for all."""
    damping_ratio: NonNegativeNumber | tuple[
        NonNegativeNumber, NonNegativeNumber, NonNegativeNumber,
        NonNegativeNumber, NonNegativeNumber, NonNegativeNumber,
    ] = 0.7  # fmt: skip
    """Damping ratios along x, y, z and about them, with the effective inertia of the arm; one value for all."""
    null_stiffness: JointStiffness | tuple[JointStiffness, ...] = 0.0
    """Stiffness of the joints in motions that leave the task frame where it is; one value for all joints or one for
    each."""
    null_damping_ratio: NonNegativeNumber | tuple[NonNegativeNumber, ...] = 0.7
    """Damping ratio of these motions; has an effect with `null_stiffness`."""
    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Origin of the task frame in the tool: the centre of compliance."""
    attitude: Attitude = IDENTITY
    """Attitude of the task frame in the tool."""
    axes: Literal["tool", "base"] = "tool"
    """Axes of stiffness and damping: those of the commanded task frame, or of the base of the arm."""

    @model_validator(mode="after")
    def _is_frame(self) -> Self:
        quaternion(self.attitude)
        return self


class ControlModel(Model):
    """Impedance control of joints or of the tool; of joints one value for all, or one for each."""

    period: Annotated[float, Quantity("s", ge=1e-3, le=0.1)] = 1e-2
    """Time between commands."""
    torque_period: Annotated[float, Quantity("s", gt=0, le=0.1)] = 1e-3
    """Time between computations of the joint torques, which are held constant in between."""
    interpolation: Literal["hold", "linear", "cubic"] | None = None
    """Command between two cycles: `hold` is a staircase, `linear` and `cubic` reach it at the end of the cycle. If left
    out, `cubic` in simulations of the moves and `hold` behind a link."""
    stiffness: JointStiffness | tuple[JointStiffness, ...]
    """Stiffness of the joints under impedance control."""
    damping_ratio: NonNegativeNumber | tuple[NonNegativeNumber, ...] = 0.7
    """Damping ratio of the modes of the arm."""
    cartesian: CartesianModel | None = None
    """Impedance of the tool instead of that of the joints, in all moves without an own `stiffness`, `damping_ratio` or
    `cartesian`."""
    compensation: Literal["none", "gravity", "dynamics"] = "dynamics"
    """Feedforward compensation: none, gravity, or complete dynamics."""

    @model_validator(mode="after")
    def _torques_within_cycle(self) -> Self:
        if self.torque_period > self.period:
            raise FieldError(
                "torque_period", f"must not be longer than the period of {self.period * 1e3:g} ms"
            )
        return self
