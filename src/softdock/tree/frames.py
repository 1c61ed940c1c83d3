"""Frames on bodies, to which elements and surfaces are attached."""

import functools
from typing import Self

from pydantic import model_validator

from softdock.quantities.fields import Length, Vector3
from softdock.quantities.model import Model
from softdock.spatial.poses import Pose
from softdock.tree.joints import IDENTITY, Attitude, pose_at, quaternion


class Anchor(Model):
    """A frame on a body.

    The point `at` is in m.

    >>> from softdock import Anchor
    >>> Anchor(body="probe", at=(0, 0, "120 mm"))
    Anchor(body='probe', at=(0.0, 0.0, 0.12))
    """

    body: str
    """Name of the body; `world` for the inertial frame."""
    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Origin of the frame, in body axes from the body's origin."""
    attitude: Attitude = IDENTITY
    """Attitude of the frame in the body."""

    @model_validator(mode="after")
    def _is_frame(self) -> Self:
        quaternion(self.attitude)
        return self

    def pose(self) -> Pose:
        """Return the frame in its body."""
        return _pose_at(self.at, self.attitude)


_pose_at = functools.lru_cache(maxsize=256)(pose_at)
"""Poses of frames; found once, because every run of a campaign needs those of the same frames."""
