"""Check of observations and their SI units: what can be observed in a system, and under which names."""

from collections.abc import Iterable

from softdock.assembly.controller_channels import (
    is_thruster,
    unit_of_controller,
    unit_of_thruster,
)
from softdock.errors import InputError, no_such, suggest
from softdock.model.couplings import Coupling
from softdock.model.elements import Drive, JointElement, Strut
from softdock.model.formulas import Operation, Quantity, unit_of_formula
from softdock.model.joints import MOTIONS
from softdock.model.observations import (
    BODY_FIELDS,
    CONTACT_FIELDS,
    CONTROLLER_FIELDS,
    COUPLING_FIELDS,
    DRIVE_FIELDS,
    INTERFACE_FIELDS,
    JOINT_FIELDS,
    NAVIGATION_FIELDS,
    NODE_FIELDS,
    ORBIT_FIELDS,
    REACTION_FIELDS,
    WRENCH_FIELDS,
    ZONE_FIELDS,
    Observation,
)
from softdock.model.orbit import HILL
from softdock.model.system import WORLD, System

JOINT_REACTION = "joint_"
"""Prefix of the fields of a body's own reaction."""
ANY_CONTACT = "contact"
"""Name of the channels with the largest value of all contacts."""


def unit_of(system: System, observation: Quantity) -> str:
    """Return the SI unit of an observation or formula; raises ValueError with a sentence for what does not exist."""
    if isinstance(observation, Operation):
        return unit_of_formula(observation, lambda part: unit_of(system, part))
    name, field = observation.name, observation.field
    if name == "time" and not field:
        return "s"
    if name in system.bodies or (name == HILL and system.orbit is not None):
        return _unit_of_body(system, observation)
    elements = system.elements()
    known = [
        *system.bodies, *system.contacts, *system.interfaces, *system.structures, *elements, *system.reactions
    ]  # fmt: skip
    is_other = name in known or "/" in name or name == ANY_CONTACT
    if observation.frame != WORLD and is_other:
        raise ValueError(f"only bodies can be observed `in` another body, and {name!r} is none")
    if observation.has_points and is_other:
        raise ValueError(f"only bodies have points, and {name!r} is none")
    if name in system.contacts or (name == ANY_CONTACT and (system.contacts or system.interfaces)):
        fields = CONTACT_FIELDS | (WRENCH_FIELDS if name in system.contacts else {})
        _choose(field, fields, f"contact {name!r}")
        return fields[field]
    if is_zone(system, observation):
        return _unit_of_zone(system, observation)
    if is_thruster(system, observation):
        return unit_of_thruster(system, observation)
    if name in system.structures or "/" in name:
        return _unit_of_structure(system, observation)
    if name in system.interfaces:
        _choose(field, INTERFACE_FIELDS, f"interface {name!r}")
        return INTERFACE_FIELDS[field]
    if name in system.reactions:
        _choose(field, REACTION_FIELDS, f"reaction {name!r}")
        return REACTION_FIELDS[field]
    if name in elements:
        fields = element_fields(system, name)
        _choose(field, fields, f"{name!r}")
        return fields[field]
    raise ValueError(
        f"there is nothing called {name!r}{_suggest(name, known)}; there are: {', '.join(known)}"
    )


def element_fields(system: System, name: str) -> dict[str, str]:
    """Return the fields of an element and their SI units; along a turning axis `force` is a moment, too."""
    element = system.elements()[name]
    if isinstance(element, JointElement):
        turning = system.motions_of(element)[0] == "turning"
        fields = {"force": "N", "energy": "J", "deflection": "m"}
        if turning:
            fields = {"force": "N*m", "moment": "N*m", "energy": "J", "deflection": "rad"}
        return fields | (
            _drive_fields(element, "rad" if turning else "m") if isinstance(element, Drive) else {}
        )
    if isinstance(element, Coupling):
        return dict(COUPLING_FIELDS)
    wrench = {
        field: unit for field, unit in WRENCH_FIELDS.items() if not isinstance(element, Strut) or unit == "N"
    }
    return {"force": "N", "energy": "J", "deflection": "m", **wrench}


def _drive_fields(drive: Drive, unit: str) -> dict[str, str]:
    """Return the fields that only drives have, and their units."""
    command = f"{unit}/s" if drive.follows == "speed" else unit
    rate = f"{unit}/s^2" if drive.follows == "speed" else f"{unit}/s"
    return dict(zip(DRIVE_FIELDS, (command, rate, command, "W", "1")))


def is_zone(system: System, observation: Observation) -> bool:
    """Return whether an observation is about a part of the surface a of a contact."""
    contact, _, zone = observation.name.partition("/")
    return bool(zone) and contact in system.contacts


def _unit_of_zone(system: System, observation: Observation) -> str:
    contact, _, zone = observation.name.partition("/")
    surface = system.surfaces.get(system.contacts[contact].a)
    if surface is not None:
        try:
            count = len(surface.read(system.directory)[0].segments)
        except InputError:  # reported by the check of the field that names the file
            count = int(zone) if zone.isdecimal() else 0
        if zone not in surface.zones and not (zone.isdecimal() and 1 <= int(zone) <= count):
            known = [*surface.zones, f"1 to {count} (its segments)"]
            raise ValueError(
                f"surface {system.contacts[contact].a!r} has no zone {zone!r}{_suggest(zone, list(surface.zones))}; "
                f"it has: {', '.join(known)}"
            )
    _choose(observation.field, ZONE_FIELDS, f"zone {observation.name!r}")
    return ZONE_FIELDS[observation.field]


def _unit_of_structure(system: System, observation: Observation) -> str:
    structure, _, node = observation.name.partition("/")
    if structure not in system.structures:
        raise ValueError(no_such("structure", structure, system.structures))
    if not node:
        if observation.field == "energy":
            return "J"
        count = system.structures[structure].find_modes(system.directory).frequency.size
        _choose(
            observation.field,
            ("energy", *(f"mode{k + 1}" for k in range(count))),
            f"structure {structure!r}",
        )
        return "m*kg^0.5"
    try:
        nodes = system.structures[structure].node_names(system.directory)
    except InputError:  # reported by the check of the field that names the file
        nodes = (node,)
    if node not in nodes:
        raise ValueError(f"structure {structure!r} has no node {node!r}{_suggest(node, list(nodes))}")
    _choose(observation.field, NODE_FIELDS, f"node {observation.name!r}")
    return NODE_FIELDS[observation.field]


def _unit_of_body(system: System, observation: Observation) -> str:
    name, field = observation.name, observation.field
    frames = [WORLD, *([HILL] if system.orbit is not None else []), *system.bodies]
    if observation.frame not in frames:
        raise ValueError(no_such("body", observation.frame, frames))
    if field in CONTROLLER_FIELDS or field in NAVIGATION_FIELDS:
        return unit_of_controller(system, observation)
    if field in ORBIT_FIELDS:
        if name != HILL or system.orbit is None or system.orbit.sun is None:
            raise ValueError(f"{field!r} is of the frame 'hill' of a system in orbit with `orbit.sun`")
        return ORBIT_FIELDS[field]
    own = {f"{JOINT_REACTION}{one}": unit for one, unit in REACTION_FIELDS.items()}
    _choose(field, [*BODY_FIELDS, *JOINT_FIELDS, *own], f"body {name!r}")
    if field in BODY_FIELDS:
        if name == HILL and BODY_FIELDS[field] in ("m/s^2", "rad/s^2"):
            raise ValueError("the acceleration of the frame 'hill' is not computed")
        return BODY_FIELDS[field]
    if observation.has_points:
        raise ValueError(f"{field!r} is about the joint of {name!r}, not about a point of it")
    if name == HILL:
        raise ValueError("the frame 'hill' has no joint")
    if field in own:
        if system.bodies[name].joint.type == "free":
            raise ValueError(f"{name!r} is free: nothing is transmitted to it through a joint")
        return own[field]
    axis, rate = joint_axis(field)
    kind = system.bodies[name].joint.type
    motions = MOTIONS[kind]
    if axis >= len(motions) or (kind == "spherical" and not rate):
        raise ValueError(f"the {kind} joint of {name!r} has no {field!r}")
    return {"turning": "rad", "sliding": "m"}[motions[axis]] + ("/s" if rate else "")


def _choose(field: str, allowed: Iterable[str], owner: str) -> None:
    known = list(allowed)
    if field not in known:
        raise ValueError(f"{owner} has no {field!r}{_suggest(field, known)}; it has: {', '.join(known)}")


_SYNONYMS = {
    "torque": ("moment",), "position": ("joint", "distance"), "angle": ("joint", "tilt", "deflection"),
    "speed": ("velocity", "joint_rate"), "omega": ("rate",), "angular_velocity": ("rate",),
    "stroke": ("joint", "deflection"), "displacement": ("deflection", "distance"), "load": ("force",),
    "penetration": ("depth",), "reaction": ("joint_force",),
}  # fmt: skip
"""Terms of other tools and the fields with their meaning; the first one that exists applies."""


def _suggest(given: str, known: list[str]) -> str:
    """Return a remark with the name here of a term of another tool, or with a similar name; empty if there is none."""
    meant = [name for name in _SYNONYMS.get(given, ()) if name in known]
    if meant:
        return f" (here it is called {meant[0]!r})"
    return suggest(given, known)


def joint_axis(field: str) -> tuple[int, bool]:
    """Return the axis of a joint, from 0, that a field such as `joint_rate2` names, and whether it is a rate."""
    axis = int(field[-1]) if field[-1].isdigit() else 0
    return axis, "rate" in field
