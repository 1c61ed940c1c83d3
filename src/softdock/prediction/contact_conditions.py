"""Contact conditions: motion of the tip of the chaser relative to the port of the target at their first contact."""

import math

import numpy as np

from softdock.assembly.arrays import Assembly
from softdock.dynamics.kernels.run.docking_motion import DOCKING_FRAME, POSITION, RATE, ROTATION, VELOCITY
from softdock.scenario.run_settings import DockingFrames
from softdock.spatial.kernels import quaternion_from_matrix
from softdock.tree.kernels.tree import records


def docking_frames(assembly: Assembly, frames: DockingFrames) -> np.recarray:
    """Return the frames of tip and port for the kernels."""
    out = records(2, DOCKING_FRAME)
    for record, anchor in zip(out, (frames.tip, frames.port)):
        placed = assembly.placed[anchor.body]
        X_LF = placed.X_LB @ anchor.pose()
        record.link, record.R_LF[:], record.p_LF[:] = placed.link, X_LF.R.ravel(), X_LF.p
    return out


def contact_conditions(motion: list[float]) -> dict[str, float]:
    """Return the contact conditions of a relative motion: m/s, m, rad, rad/s; in axes of the port, Eqs. (Q5) to (Q8).

    A closing axial speed is positive; offset, tilt, lateral speed and tilt rate are sizes; roll and roll rate are not.
    `motion` is laid out as kernels write it.
    """
    R_PT, (x, y) = motion[ROTATION:POSITION], motion[POSITION : POSITION + 2]
    (vx, vy, vz), (wx, wy, wz) = motion[VELOCITY : VELOCITY + 3], motion[RATE : RATE + 3]
    qw, _, _, qz = quaternion_from_matrix(R_PT)
    return {
        "axial_speed": vz,
        "lateral_speed": math.hypot(vx, vy),
        "offset": math.hypot(x, y),
        "tilt": math.atan2(math.hypot(R_PT[2], R_PT[5]), R_PT[8]),
        "roll": math.remainder(2.0 * math.atan2(qz, qw), 2.0 * math.pi),
        "tilt_rate": math.hypot(wx, wy),
        "roll_rate": wz,
    }
