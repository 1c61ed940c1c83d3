"""Terms of other tools (multibody programs, MJCF, URDF, CAD) and the names of Softdock with the same meaning."""

from collections.abc import Collection

SYNONYMS: dict[str, tuple[str, ...]] = {
    "com": ("centre_of_mass",),
    "cog": ("centre_of_mass",),
    "cg": ("centre_of_mass",),
    "cm": ("centre_of_mass",),
    "center_of_mass": ("centre_of_mass",),
    "center": ("centre", "centre_of_mass"),
    "moi": ("inertia",),
    "inertia_tensor": ("inertia",),
    "position": ("at", "position"),
    "pos": ("at", "position"),
    "origin": ("at",),
    "location": ("at",),
    "translation": ("at", "position"),
    "xyz": ("at", "position"),
    "orientation": ("attitude",),
    "rotation": ("attitude",),
    "quaternion": ("attitude",),
    "quat": ("attitude",),
    "rpy": ("attitude",),
    "euler": ("attitude",),
    "omega": ("rate",),
    "angular_velocity": ("rate",),
    "vel": ("velocity", "speed"),
    "k": ("stiffness",),
    "c": ("damping",),
    "damper": ("damping", "springs"),
    "dampers": ("springs",),
    "dashpot": ("damping", "springs"),
    "dashpots": ("springs",),
    "spring": ("springs",),
    "spring_constant": ("stiffness",),
    "mu": ("coefficient", "friction"),
    "friction_coefficient": ("coefficient", "friction"),
    "e": ("restitution", "youngs_modulus"),
    "young": ("youngs_modulus",),
    "elastic_modulus": ("youngs_modulus",),
    "nu": ("poisson_ratio",),
    "poisson": ("poisson_ratio",),
    "mesh": ("file",),
    "cad": ("file",),
    "step_file": ("file",),
    "links": ("bodies",),
    "body": ("bodies", "body"),
    "joints": ("bodies",),
    "hinges": ("bodies",),
    "sliders": ("bodies",),
    "activate": ("enable",),
    "deactivate": ("disable",),
    "actuators": ("drives",),
    "motors": ("drives",),
    "motor": ("drives", "drive"),
    "actuator": ("drives", "drive"),
    "forces": ("loads",),
    "constraints": ("locks", "welds"),
    "connectors": ("couplings",),
    "plugs": ("couplings",),
    "geoms": ("surfaces",),
    "geometry": ("surfaces", "file"),
    "collisions": ("contacts",),
    "limits": ("stops",),
    "range": ("lower", "limit"),
    "surface1": ("a",),
    "surface_1": ("a",),
    "surface_a": ("a",),
    "surface2": ("b",),
    "surface_2": ("b",),
    "surface_b": ("b",),
    "free_length": ("rest", "length"),
    "rest_length": ("rest", "length"),
    "natural_length": ("rest", "length"),
    "rate": ("speed", "stiffness"),
    "speed": ("rate", "velocity"),
    "velocity": ("speed", "rate"),
    "condition": ("when", "until"),
    "trigger": ("when", "until"),
    "when": ("until",),
    "until": ("when",),
    "action": ("then", "do"),
    "actions": ("then", "do"),
    "then": ("do",),
    "do": ("then",),
    "timeout": ("within",),
    "t_end": ("duration",),
    "tstop": ("duration",),
    "end_time": ("duration",),
    "simulation_time": ("duration",),
    "timestep": ("step",),
    "time_step": ("step",),
    "dt": ("step",),
    "solver": ("integrator",),
    "output": ("record",),
    "monte_carlo": ("dispersions",),
    "distributions": ("dispersions",),
    "samples": ("runs",),
    "n": ("runs",),
    "n_runs": ("runs",),
    "number_of_runs": ("runs",),
    "gauss": ("normal",),
    "gaussian": ("normal",),
    "sigma": ("deviation",),
    "std": ("deviation",),
    # Joint types.
    "gimbal": ("universal",),
    "cardan": ("universal",),
    "u_joint": ("universal",),
    "hooke": ("universal",),
    "hinge": ("revolute",),
    "pin": ("revolute",),
    "pivot": ("revolute",),
    "rotary": ("revolute",),
    "rotational": ("revolute",),
    "continuous": ("revolute",),
    "slider": ("prismatic",),
    "slide": ("prismatic",),
    "linear": ("prismatic",),
    "translational": ("prismatic",),
    "telescopic": ("prismatic",),
    "ball": ("spherical",),
    "socket": ("spherical",),
    "weld": ("fixed",),
    "rigid": ("fixed",),
    "floating": ("free",),
    "6dof": ("free",),
}
"""Terms in small letters with `_`; of several names the first one that is allowed applies."""

_FRAME = "A frame is a body without mass on a fixed joint."
_START = "Initial states are those of the `approach`, or of the joints of the bodies."
_STEP = "Steps are chosen by the program; a fixed one is `integrator.step`."
_ON_JOINT = "Stiffness and damping of a joint are those of an entry of `springs` with `joint: NAME`."
_IN_LAYER = "Stiffness and damping of a contact are those of its `layer`."

_NORMAL = "Write it below `normal`: {normal: {mean: ..., deviation: ...}}."
ADVICE: dict[str, dict[str, str]] = {
    "damping": {"layer": _IN_LAYER, "type": _ON_JOINT},
    "stiffness": {"layer": _IN_LAYER, "type": _ON_JOINT},
    "restitution": {
        "layer": "Restitution follows from `damping` of the `layer`; see 'Choosing contact parameters'."
    },
    "initial_conditions": {"approach": _START},
    "initial_state": {"approach": _START},
    "timestep": {"integrator": _STEP},
    "time_step": {"integrator": _STEP},
    "dt": {"integrator": _STEP},
    "mean": {"log_uniform": _NORMAL},
    "deviation": {"log_uniform": _NORMAL},
    "markers": {"bodies": _FRAME},
    "frames": {"bodies": _FRAME},
    "sensors": {
        "record": "Quantities are recorded by `record.also`; sensors of controllers are part of `gnc`."
    },
}
"""Advice for terms without a name of the same meaning, by a name that is allowed where the advice applies."""


def translate(term: str, allowed: Collection[str]) -> str:
    """Return the allowed name with the meaning of a term of another tool; empty if there is none."""
    names = SYNONYMS.get(_plain(term), ())
    return next((name for name in names if name in allowed and name != term), "")


def advise(term: str, allowed: Collection[str]) -> str:
    """Return what to do instead of a term of another tool that has no equivalent; empty if nothing is known."""
    by_name = ADVICE.get(_plain(term), {})
    return next((advice for name, advice in by_name.items() if name in allowed), "")


def _plain(term: str) -> str:
    return term.lower().replace("-", "_").replace(" ", "_").removesuffix("_joint")
