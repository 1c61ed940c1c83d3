"""Entry points of the robot kernels."""

from softdock.dynamics.kernels import tree
from softdock.native.argument_types import FLOAT, INTEGER, Structure, floats, integers, records
from softdock.native.entry_point import EntryPoint
from softdock.robot.kernels import arm, control

_JOINTS = floats("joints")
_ALL = floats("all")  # the base's six coordinates, then the joints'
_MASS_MATRIX = floats("all", "all")
ARM_MODEL = Structure(
    arm.ArmModel,
    {
        "parent": integers("arm links"),
        "turns": integers("arm links"),
        "R_PJ": floats("arm links", 9),
        "p_PJ": floats("arm links", 3),
        "own": floats("arm links", 10),
    },
)
ARM_MOTION = Structure(
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
LAW = Structure(
    control.Law,
    {
        "q_cmd": _JOINTS,
        "stiffness": _JOINTS,
        "D": floats("joints", "joints"),
        "tau_ff": _JOINTS,
        "max_torque": _JOINTS,
        "max_speed": _JOINTS,
        "gravity": floats(3),
        "compensation": INTEGER,
        "first": INTEGER,
        "period": FLOAT,
        "u": _ALL,
        "still": _ALL,
        "M": _MASS_MATRIX,
        "L": _MASS_MATRIX,
        "h": _ALL,
        "weight": _ALL,
        "a": _ALL,
        "column": _ALL,
    },
)

evaluate_arm = EntryPoint(
    arm.evaluate_arm, ARM_MODEL, ARM_MOTION, _JOINTS, _ALL, _ALL, floats(3), _MASS_MATRIX, _ALL
)
place_arm = EntryPoint(arm.place_arm, ARM_MODEL, ARM_MOTION, _JOINTS)
impedance_torque = EntryPoint(control.impedance_torque, ARM_MODEL, ARM_MOTION, LAW, _JOINTS, _JOINTS, _JOINTS)
joint_loads = EntryPoint(
    control.joint_loads, records(tree.LINK, "links"), records(tree.GROUP, "groups"), integers("joints"),
    floats("links", 6), _JOINTS,
)  # fmt: skip

ENTRY_POINTS = (evaluate_arm, place_arm, impedance_torque, joint_loads)
