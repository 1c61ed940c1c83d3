"""Records of controllers, their actuators and their memory in a run."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.gnc.kernels.allocation import EXTRA_COLUMNS, TABLEAU_ROWS
from softdock.tree.kernels.tree import records


class Mode(IntEnum):
    """What a controller does."""

    DRIFT = 0
    """Commands nothing."""
    APPROACH = 1
    """Follows the reference of the glide slope along the axis of the port."""
    HOLD = 2
    """Holds the position relative to the port at which the mode began, and the attitude of the port."""
    RETREAT = 3
    """Follows a reference outwards along the axis of the port."""
    THRUST = 4
    """Constant force along the axis of the tip."""
    STABILISE = 5
    """Holds the attitude at which the mode began, relative to the Hill frame or the world; no force."""
    TRANSFER = 6
    """Follows a trajectory to a point, then holds it."""


class ControllerValue(IntEnum):
    """Observed value of a controller; the channel has the index of those that have several components."""

    PROPELLANT = 0
    PROPELLANT_LEFT = 1
    THRUST = 2
    MODE = 3
    REFERENCE = 4
    REFERENCE_SPEED = 5
    VIOLATIONS = 6
    CORRIDOR = 7
    ERROR = 8
    """Of position, speed, angle or rate."""
    ESTIMATE_ERROR = 9
    """Of position, speed or angle."""
    ESTIMATE = 10
    """Of the position of the tip along x, y or z of the port."""
    POSITION_SIGMA = 11
    SPEED_SIGMA = 12
    ANGLE_SIGMA = 13
    LOST_MEASUREMENTS = 14
    ON_TIME = 15
    """Of a thruster of the controller."""
    FIRINGS = 16
    """Of a thruster of the controller."""


PULSES = 2  # of a thruster that may overlap with a sample: the last one and the one commanded now

CONTROLLER = np.dtype(
    [
        ("link", np.int64),  # base of the tree that it controls
        ("target", np.int64),  # link of the port
        ("fixed_frame", np.int64),  # link of the Hill frame, or 0: the world
        ("translates", np.int64),  # 1: position is controlled
        ("rotates", np.int64),  # 1: attitude is controlled
        ("feed_forward", np.int64),
        ("first_thruster", np.int64),
        ("thrusters", np.int64),
        ("first_wheel", np.int64),
        ("wheels", np.int64),
        ("first_hold", np.int64),
        ("holds", np.int64),
        ("seed", np.int64),
        ("navigation", np.int64),  # its record; -1: the motion is known exactly
        ("period", np.float64),  # [s]
        ("R_LT", np.float64, 9),  # tip in its link
        ("p_LT", np.float64, 3),
        ("R_AP", np.float64, 9),  # port in its link
        ("p_AP", np.float64, 3),
        ("mass", np.float64),  # that the controller assumes, of the whole tree [kg]
        ("centre", np.float64, 3),  # of mass, link axes [m]
        ("inertia", np.float64, (3, 3)),  # about the centre of mass, link axes [kg m2]
        ("position_gains", np.float64, (3, 6)),  # [1/s2, 1/s]
        ("attitude_gains", np.float64, (3, 6)),
        ("bands", np.float64, (2, 3)),  # dead bands of position and angle, by axis
        # Change of velocity in P [m/s] and of rate in T [rad/s] by a shortest pulse; 0: any change is possible.
        ("steps", np.float64, (2, 3)),
        ("longest_pulse", np.float64),  # over the shortest one
        ("lead", np.float64),  # from a sample to the middle of the pulse of the next decision, on average [s]
        ("thrust", np.float64),  # of mode THRUST [N]
        # Cost of deviations of torque and force in the allocation, relative to that of propellant.
        ("weights", np.float64, 6),
        ("least", np.float64, 6),  # scaled torque and force impulse that rounding cannot suppress, by axis
        ("force_scale", np.float64),  # [N]
        ("arm_scale", np.float64),  # [m]
        ("time_constant", np.float64),  # of the glide slope [s]
        ("slowest", np.float64),  # [m/s]
        ("fastest", np.float64),  # [m/s]
        ("acceleration", np.float64),  # of the reference [m/s2]
        ("end", np.float64),  # distance at which the approach ends [m]
        ("retreat", np.float64),  # distance of the point of retreat [m]; negative: none
        ("corridor_radius", np.float64),  # at the port [m]; negative: no corridor
        ("corridor_slope", np.float64),  # tangent of the half-angle
        ("transfer_to", np.float64, 3),  # final point of a transfer in P [m]
        ("transfer_time", np.float64),  # [s]
        ("transfer_orbital", np.int64),  # 1: along a Clohessy-Wiltshire trajectory; 0: straight
        ("mean_motion", np.float64),  # [rad/s]
        ("roll", np.float64),  # of the tip about the axis of the port [rad]
        ("capacity", np.float64),  # propellant at the start [kg]
        ("first_mode", np.int64),  # at the start of a run
    ],
    align=True,
)
"""Constants of a controller."""

CONTROLLER_STATE = np.dtype(
    [
        ("mode", np.int64),
        ("next_mode", np.int64),  # from the next sample on
        ("entered", np.int64),  # 1: the present mode has begun
        ("tick", np.int64),  # number of the next sample
        ("next_time", np.float64),  # of its next sample or edge of a pulse [s]
        ("hold", np.int64),  # number of hold points that were passed
        ("hold_since", np.float64),  # when the hold point was reached; negative: not yet [s]
        ("violations", np.int64),  # number of times that the corridor was left or a gate not passed in time
        ("corridor", np.float64),  # distance of the tip from the border of the corridor, positive inside [m]
        ("distance", np.float64),  # of the reference [m]
        ("closing_speed", np.float64),  # of the reference [m/s]
        ("p_ref", np.float64, 3),  # reference of the tip in P [m]
        ("v_ref", np.float64, 3),
        ("a_ref", np.float64, 3),  # until the next sample [m/s2]
        ("transfer_start", np.float64),  # [s]
        ("transfer", np.float64, 6),  # state of the centre of mass after the first impulse, in H
        ("transfer_aim", np.float64, 3),  # where it is expected at the end, in H [m]
        ("R_ref", np.float64, 9),  # reference attitude in P, or in the fixed frame
        ("errors", np.float64, 4),  # of position, velocity, attitude and rate at the last sample
        ("force", np.float64, 3),  # commanded at the last sample, link axes [N]
        ("torque", np.float64, 3),  # about the centre of mass [N m]
        # Impulse [N s] of the commanded pulses in this period and in the next one, link axes, and its product with the
        # time from the pulses to the end of the period [N s2].
        ("produced", np.float64, 6),
        ("produced_later", np.float64, 6),
        # Change of velocity and rate that the feedback demanded and pulses did not produce.
        ("backlog", np.float64, (2, 3)),
        ("fires", np.int64),  # 1: the feedback demands a pulse in this sample
        ("carry", np.float64, 6),  # scaled impulse that was commanded and not produced yet
        ("committed", np.float64),  # propellant of all commanded pulses [kg]
        ("wrench", np.float64, 6),  # of the thrusters that are on, link axes, about the origin of the link
        # Estimate of the motion of the tip relative to the port.
        ("p", np.float64, 3),  # in P [m]
        ("v", np.float64, 3),  # as seen in P [m/s]
        ("R", np.float64, 9),  # R_PT
        ("w", np.float64, 3),  # in T [rad/s]
        ("estimate_errors", np.float64, 3),  # of position, velocity and attitude
    ],
    align=True,
)
"""Mode, reference, commands and estimate of a controller: data that the kernels write."""

QUEUE = 32  # measurements that may wait for their latency

NAVIGATION = np.dtype(
    [
        ("period", np.float64),  # of the pose sensor [s]
        ("latency", np.float64),  # [s]
        ("position_bias", np.float64, 3),  # [m]
        ("position_noise", np.float64),  # [m]
        ("position_slope", np.float64),  # growth of the noise with range
        ("attitude_bias", np.float64, 3),  # [rad]
        ("attitude_noise", np.float64),  # [rad]
        ("attitude_slope", np.float64),  # [rad/m]
        ("view_cosine", np.float64),  # of the half-angle of the field of view
        ("drop_out", np.float64),  # probability
        ("gyro_white", np.float64),  # [rad/sqrt(s)]
        ("gyro_walk", np.float64),  # [rad/s/sqrt(s)]
        ("mean_motion", np.float64),  # of the model of the filter [rad/s]
        ("density", np.float64),  # of the acceleration that the filter assumes [m/s2/sqrt(Hz)]
        ("start", np.float64, 4),  # initial standard deviations: m, m/s, rad, rad/s
        ("gyro_bias", np.float64, 3),  # true, at the start of a run [rad/s]
    ],
    align=True,
)
"""Constants of the sensors and filters of a controller."""

NAVIGATION_STATE = np.dtype(
    [
        # Measurements.
        ("started", np.int64),
        ("sample", np.int64),  # number of the next measurement
        ("lost", np.int64),  # measurements out of view or dropped
        ("first", np.int64),  # of the queue
        ("last", np.int64),
        ("times", np.float64, QUEUE),
        ("positions", np.float64, (QUEUE, 3)),
        ("attitudes", np.float64, (QUEUE, 4)),
        ("sigmas", np.float64, (QUEUE, 2)),
        ("gyro_bias", np.float64, 3),  # true [rad/s]
        ("R_NT", np.float64, 9),  # true attitude of the tip at the last sample
        # Filters.
        ("x", np.float64, 6),  # of the centre of mass relative to that of the target, in H
        ("P", np.float64, (6, 6)),
        ("q", np.float64, 4),  # of T in P
        ("bias", np.float64, 3),  # estimated, of the gyro
        ("P_attitude", np.float64, (6, 6)),
        # Covariance of the errors of translation (rows) and attitude (columns).
        ("cross", np.float64, (6, 6)),
        ("tip_sigma", np.float64),  # of the estimated position of the tip, all axes together [m]
        # Work arrays.
        ("F", np.float64, (6, 6)),
        ("F_attitude", np.float64, (6, 6)),
        ("G", np.float64, (6, 3)),
        ("levers", np.float64, (3, 3)),  # error of the centre of mass in H per attitude error in T [m/rad]
        ("Q", np.float64, (6, 6)),
        ("work", np.float64, (6, 6)),
        ("row", np.float64, 6),
        ("state", np.float64, 6),
        ("acceleration", np.float64, 3),
        ("measured", np.float64, 3),
        ("sigma", np.float64, 3),
        ("ago", np.float64, 3),
    ],
    align=True,
)
"""Measurements and filters of a controller: data that the kernels write."""

THRUSTER = np.dtype(
    [
        ("p", np.float64, 3),  # in the link of its controller [m]
        ("force", np.float64, 3),  # actual force on the body, link axes [N]
        ("flow", np.float64),  # [kg/s]
        ("shortest", np.float64),  # on-time [s]
        ("delay", np.float64),  # [s]
        ("noise", np.float64),  # standard deviation of the thrust of a pulse, relative
    ],
    align=True,
)
"""Constants of a thruster."""

THRUSTER_STATE = np.dtype(
    [
        ("on", np.float64, PULSES),  # start and end of the last pulses [s]
        ("off", np.float64, PULSES),
        ("scale", np.float64, PULSES),  # force of the pulse over the nominal one
        ("spent", np.float64),  # propellant of older pulses [kg]
        ("firings", np.int64),  # number of pulses commanded so far
    ],
    align=True,
)
"""Pulses of a thruster: data that the kernels write."""

WHEEL = np.dtype(
    [
        ("at_u", np.int64),  # its joint among the speeds
        ("axis", np.float64, 3),  # in the link of its controller
        ("share", np.float64, 3),  # row of the pseudo-inverse: torque on the body by this wheel
        ("inertia", np.float64),  # about its axis [kg m2]
        ("max_torque", np.float64),
        ("max_momentum", np.float64),
    ],
    align=True,
)
"""Constants of a reaction wheel."""

HOLD_POINT = np.dtype(
    [
        ("distance", np.float64),  # [m]
        ("duration", np.float64),  # [s]
        ("patience", np.float64),  # time after which a gate that is not passed leads to retreat [s]
        ("gate", np.float64, 4),  # limits of the errors of position, velocity, attitude and rate
        ("reach", np.float64),  # by which an approach may begin inside it and still hold there [m]
    ],
    align=True,
)
"""Constants of a hold point of an approach."""


class GncRecords(NamedTuple):
    """Controllers of a system; n is the largest number of thrusters of one controller."""

    # The model.
    controllers: np.recarray
    navigation: np.recarray
    """Sensors and filters of controllers that have them."""
    thrusters: np.recarray
    wheels: np.recarray
    holds: np.recarray
    effects: NDArray[np.float64]
    """(controllers, 6, n): scaled torque and force of each thruster."""
    costs: NDArray[np.float64]
    """(controllers, n): scaled flow."""
    longest: NDArray[np.float64]
    """(controllers, n): longest on-times [s]; 0 in columns without a thruster."""
    # Data.
    controller_states: np.recarray
    navigation_states: np.recarray
    thruster_states: np.recarray
    on_times: NDArray[np.float64]
    """(n,) work array."""
    demand: NDArray[np.float64]
    """(6,) work array."""
    transition: NDArray[np.float64]
    """(6, 6) work array."""
    tableau: NDArray[np.float64]
    """Work array of the allocation."""


def write_start(gnc: GncRecords) -> None:
    """Write the states of controllers, navigation and thrusters at the start of a run."""
    states, navigation = gnc.controller_states.view(np.ndarray), gnc.navigation_states.view(np.ndarray)
    states["mode"] = states["next_mode"] = gnc.controllers.view(np.ndarray)["first_mode"]
    navigation["gyro_bias"] = gnc.navigation.view(np.ndarray)["gyro_bias"]
    gnc.thruster_states.view(np.ndarray)["scale"] = 1.0


def no_controllers() -> GncRecords:
    """Return the records of a system without controllers."""
    return allocate_gnc(0, 0, 0, 0, 0, 0)


def allocate_gnc(
    controllers: int, navigation: int, thrusters: int, wheels: int, holds: int, columns: int
) -> GncRecords:
    """Return empty records; `columns` is the largest number of thrusters of one controller."""
    return GncRecords(
        controllers=records(controllers, CONTROLLER),
        navigation=records(navigation, NAVIGATION),
        thrusters=records(thrusters, THRUSTER),
        wheels=records(wheels, WHEEL),
        holds=records(holds, HOLD_POINT),
        effects=np.zeros((controllers, 6, columns)),
        costs=np.zeros((controllers, columns)),
        longest=np.zeros((controllers, columns)),
        controller_states=records(controllers, CONTROLLER_STATE),
        navigation_states=records(navigation, NAVIGATION_STATE),
        thruster_states=records(thrusters, THRUSTER_STATE),
        on_times=np.zeros(columns),
        demand=np.zeros(6),
        transition=np.zeros((6, 6)),
        tableau=np.zeros((TABLEAU_ROWS, columns + EXTRA_COLUMNS)),
    )
