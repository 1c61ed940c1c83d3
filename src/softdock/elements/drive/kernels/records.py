"""Records of drives: parameters (LAW), what they remember (STATE), observable fields."""

from enum import IntEnum

import numpy as np

from softdock.elements.kernels.motion_profiles import COLUMNS, KNOTS


class Follows(IntEnum):
    """What the command of a drive is."""

    POSITION = 0
    SPEED = 1


class DriveValue(IntEnum):
    """Observable fields of a drive, beside those of all elements along joints."""

    COMMAND = 0
    COMMAND_SPEED = 1
    LAG = 2
    POWER = 3
    STALLED = 4


LAW = np.dtype(
    [
        ("follows", np.int64),
        ("profile", np.int64),
        ("stiffness", np.float64),
        ("damping", np.float64),
        ("rate", np.float64),
        ("acceleration", np.float64),
        ("jerk", np.float64),
        ("max_force", np.float64),
        ("max_power", np.float64),
        ("backlash", np.float64),
        ("friction", np.float64),  # Coulomb force
        ("static_friction", np.float64),  # at rest
        ("friction_speed", np.float64),  # speed below which smooth friction is proportional to speed
        ("sticks", np.int64),  # 1: friction sticks; 0: it is smooth
        ("viscous", np.float64),  # friction per speed
        ("losses", np.float64),  # of the transmission over its load: 1 / efficiency - 1
        ("stall_speed", np.float64),
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("target", np.float64),
        ("knot_count", np.int64),
        ("knots", np.float64, (KNOTS, COLUMNS)),  # segments of the profile; see motion_profiles
        # Results of an evaluation.
        ("command", np.float64),
        ("command_speed", np.float64),
        ("speed_ratio", np.float64),  # speed of its command over that of its profile
        ("stall", np.float64),  # positive while it is stalled
        # 1 or -1 if its motor is at its limits of force and power in that direction, else 0. With error control this
        # changes only between steps.
        ("limited", np.int64),
    ],
    align=True,
)
