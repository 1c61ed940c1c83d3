"""Entry points of the robot kernels."""

from typing import Any

from softdock.dynamics.entry_points import RUN, SYSTEM
from softdock.dynamics.kernels.recording.run_data import RunData
from softdock.native.argument_types import FLOAT, INTEGER, StructureArgument, floats, integers, records
from softdock.native.entry_point import EntryPoint
from softdock.robot.kernels import arm, control, force_sensor, inverse_kinematics, task

_JOINTS = floats("joints")
_ALL = floats("all")  # the base's six coordinates, then the joints'
_MASS_MATRIX = floats("all", "all")
ARM_MODEL = StructureArgument(
    arm.ArmArrays,
    {
        "parent": integers("arm links"),
        "is_revolute": integers("arm links"),
        "R_PJ": floats("arm links", 9),
        "p_PJ": floats("arm links", 3),
        "own": floats("arm links", 10),
    },
)
ARM_MOTION = StructureArgument(
    arm.ArmMotion,
    {
        "R": floats("arm links", 9),
        "p": floats("arm links", 3),
        "S": floats("arm links", 6),
        "inertia": floats("arm links", 10),
        "composite": floats("arm links", 10),
        "V": floats("arm links", 6),
        "A": floats("arm links", 6),
        "F": floats("arm links", 6),
    },
)
POSE_SEARCH = StructureArgument(
    inverse_kinematics.PoseSearch,
    {
        "link": integers(1),
        "tool": floats(12),
        "wanted": floats(12),
        "attitude_weight": floats(1),
        "max_steps": integers(1),
        "limits": floats(2, "joints"),
        "q": _JOINTS,
        "error": floats(6),
        "trial": _JOINTS,
        "trial_error": floats(6),
        "J": floats(6, "joints"),
        "equations": floats(6, 7),
    },
)
IMPEDANCE_LAW = StructureArgument(
    control.ImpedanceLaw,
    {
        "q_cmd": _JOINTS,
        "q_begin": _JOINTS,
        "v_begin": _JOINTS,
        "q_end": _JOINTS,
        "v_end": _JOINTS,
        "stiffness": _JOINTS,
        "D": floats("joints", "joints"),
        "tau_ff": _JOINTS,
        "external": _JOINTS,
        "max_torque": _JOINTS,
        "max_speed": _JOINTS,
        "gravity": floats(3),
        "compensation": INTEGER,
        "first": INTEGER,
        "period": FLOAT,
        "u": _ALL,
        "zeros": _ALL,
        "M": _MASS_MATRIX,
        "L": _MASS_MATRIX,
        "h": _ALL,
        "weight": _ALL,
        "a": _ALL,
        "column": _ALL,
    },
)
TASK_LAW = StructureArgument(
    task.TaskLaw,
    {
        "active": integers(1),
        "axes": integers(1),
        "link": integers(1),
        "frame": floats(12),
        "stiffness": floats(6),
        "D": floats(6, 6),
        "null_stiffness": _JOINTS,
        "null_D": floats("joints", "joints"),
        "commanded": floats(12),
        "J": floats(6, "joints"),
        "MJ": floats(6, "joints"),
        "mobility": floats(6, 6),
        "factor": floats(6, 6),
        "wrench": floats(6),
        "rate": floats(6),
        "inner": _JOINTS,
        "speed": _JOINTS,
    },
)
_PERIODS = floats("torque periods", "joints")
TORQUE_PERIODS = StructureArgument(
    control.TorquePeriods,
    {
        "t": floats("torque periods"),
        "command": _PERIODS,
        "qdot_begin": _PERIODS,
        "qdot": _PERIODS,
        "tau": _PERIODS,
        "external": _PERIODS,
        "work": floats("links", 6),
    },
)
SENSOR_PERIODS = StructureArgument(
    force_sensor.SensorPeriods,
    {
        "reaction": integers(1),
        "frame": floats(12),
        "load": floats("torque periods", 6),
        "inertia": floats("torque periods", 6),
        "weight": floats("torque periods", 6),
    },
)


def _check_rows(run: RunData, *arguments: Any) -> str | None:
    """Return the problem of rows of joints outside the state or of the log of torque periods, or None."""
    model, _, _, law, cycle, at_q, at_u = arguments[:7]
    moved, periods, sensor = arguments[10:13]
    world = run.system.world[0]
    if not (((at_q >= 0) & (at_q < world.n_q)).all() and ((at_u >= 0) & (at_u < world.n_u)).all()):
        return "at_q or at_u has a row outside the state"
    if not ((moved >= 0) & (moved < len(run.system.links))).all():
        return "moved has a link outside the system"
    if not 1 <= law.link[0] < len(model.parent):
        return "the task frame is on a link outside the arm"
    if not -1 <= sensor.reaction[0] < len(run.system.reactions):
        return "the sensor is in no mount of the system"
    return (
        None
        if cycle.periods[0] <= len(periods.t)
        else "the cycle has more torque periods than the log has rows"
    )


evaluate_arm = EntryPoint(
    arm.evaluate_arm, ARM_MODEL, ARM_MOTION, _JOINTS, _ALL, _ALL, floats(3), _MASS_MATRIX, _ALL
)
compute_poses = EntryPoint(arm.compute_poses, ARM_MODEL, ARM_MOTION, _JOINTS)
solve_pose = EntryPoint(inverse_kinematics.solve_pose, ARM_MODEL, ARM_MOTION, POSE_SEARCH, returns=INTEGER)
follow_command = EntryPoint(
    control.follow_command, RUN, ARM_MODEL, ARM_MOTION, IMPEDANCE_LAW, TASK_LAW,
    records(control.TORQUE_CYCLE, 1), integers("joints"), integers("joints"), _JOINTS, _JOINTS, _JOINTS,
    integers("joints"), TORQUE_PERIODS, SENSOR_PERIODS,
    returns=INTEGER, check=_check_rows,
)  # fmt: skip
joint_loads = EntryPoint(
    control.joint_loads, SYSTEM, integers("joints"), floats("links", 6), _JOINTS,
)  # fmt: skip

ENTRY_POINTS = (evaluate_arm, compute_poses, solve_pose, follow_command, joint_loads)
