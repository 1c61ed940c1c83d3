"""Conversion of observations to channel records for the kernels."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import Assembly
from softdock.assembly.channel_units import (
    ANY_CONTACT,
    JOINT_REACTION,
    element_fields,
    is_zone,
    joint_axis,
    unit_of,
)
from softdock.assembly.controller_channels import (
    controller_fields,
    estimates_and_thrusters,
    is_thruster,
    write_thruster_channel,
)
from softdock.assembly.formulas import formula_nodes
from softdock.contact.kernels.layout import CONTACT_AREA, DEPTH, ENERGY, FORCE, PRESSURE, TORQUE
from softdock.dynamics.kernels import channels as c
from softdock.dynamics.kernels import couplings, reactions
from softdock.dynamics.kernels import interfaces as pins
from softdock.dynamics.kernels.elements import LOCK, SPRING, STRUT, WELD
from softdock.dynamics.kernels.gnc_records import ControllerValue
from softdock.dynamics.kernels.tree import records
from softdock.dynamics.kernels.zones import ZONE_AREA, ZONE_PRESSURE, ZONE_RESULTS
from softdock.model.elements import JointElement
from softdock.model.formulas import Operation, Quantity
from softdock.model.joints import MOTIONS
from softdock.model.observations import (
    BODY_FIELDS,
    CONTACT_FIELDS,
    CONTROLLER_FIELDS,
    DRIVE_FIELDS,
    INTERFACE_FIELDS,
    NAVIGATION_FIELDS,
    ORBIT_FIELDS,
    REACTION_FIELDS,
    WRENCH_FIELDS,
    Observation,
)
from softdock.model.orbit import HILL
from softdock.model.system import WORLD, System

BODY_CHANNELS = {
    **{name: (c.POSITION, k) for k, name in enumerate(("x", "y", "z", "distance"))},
    **{name: (c.VELOCITY, k) for k, name in enumerate(("vx", "vy", "vz", "velocity"))},
    **{name: (c.TURN_RATE, k) for k, name in enumerate(("wx", "wy", "wz", "rate"))},
    **{name: (c.ATTITUDE, k) for k, name in enumerate(("qx", "qy", "qz", "qw"))},
    "tilt": (c.TILT, 0),
    **{name: (c.ACCELERATION, k) for k, name in enumerate(("ax", "ay", "az", "acceleration"))},
    **{name: (c.TURN_ACCELERATION, k) for k, name in enumerate(("alphax", "alphay", "alphaz", "alpha"))},
}
COMPONENTS = {name: k for k, name in enumerate(("fx", "fy", "fz", "tx", "ty", "tz", "moment"))}
"""Components of the wrench of an element."""
COUPLING_CHANNELS = {
    "misalignment": couplings.MISALIGNMENT,
    "angle": couplings.ANGLE,
    "mated": couplings.MATED,
    "jammed": couplings.JAMMED,
    "missed": couplings.MISSED,
}
REACTION_CHANNELS = COMPONENTS | {"force": reactions.FORCE_SIZE, "moment": reactions.MOMENT_SIZE}
ZONE_CHANNELS = {
    "fx": 0,
    "fy": 1,
    "fz": 2,
    "area": ZONE_AREA,
    "pressure": ZONE_PRESSURE,
    "force": ZONE_RESULTS,
}
CONTACT_CHANNELS = {
    "depth": DEPTH,
    "area": CONTACT_AREA,
    "pressure": PRESSURE,
    "energy": ENERGY,
    **{name: FORCE + k for k, name in enumerate(("fx", "fy", "fz"))},
    **{name: TORQUE + k for k, name in enumerate(("tx", "ty", "tz"))},
}
NODE_COMPONENTS = {name: k for k, name in enumerate(("rx", "ry", "rz", "dx", "dy", "dz", "deflection"))}
INTERFACE_CHANNELS = {
    "force": pins.RESULT_FORCE,
    "pin_force": pins.RESULT_PIN_FORCE,
    "depth": pins.RESULT_DEPTH,
    "contacts": pins.RESULT_NUMBER,
    "insertion": pins.RESULT_INSERTION,
    "energy": pins.RESULT_ENERGY,
    "moment": pins.RESULT_MOMENT,
    **{name: pins.RESULT_COMPONENTS + k for k, name in enumerate(("fx", "fy", "fz", "tx", "ty", "tz"))},
}
MAX_MODES = 60  # of a structure that are recorded by default
ELEMENT_CHANNELS = {
    "force": c.ELEMENT_FORCE,
    "energy": c.ELEMENT_ENERGY,
    "deflection": c.ELEMENT_DEFLECTION,
    "stroke": c.ELEMENT_DEFLECTION,
}

DRIVE_CHANNELS = dict(zip(DRIVE_FIELDS, (c.COMMAND, c.COMMAND_SPEED, c.LAG, c.POWER, c.STALLED)))


def channel_records(system: System, assembly: Assembly, watched: Sequence[Quantity]) -> np.recarray:
    """Return one channel record per observation or formula; the observations of a formula stand before it."""
    out = records(len(watched), c.CHANNEL)
    _, ranges = formula_nodes(watched)
    # Field access on a plain array is ten times faster.
    for record, observation, nodes in zip(out.view(np.ndarray), watched, ranges):
        unit_of(system, observation)
        if isinstance(observation, Operation):
            record["kind"], record["i"], record["j"] = c.FORMULA, *nodes
            continue
        _write_channel(record, system, assembly, observation)
    about = [
        (o.name, int(kind), None if isinstance(o, Operation) else (o.frame, o.point, o.frame_point))
        for o, kind in zip(watched, out["kind"])
    ]
    out["shared"][1:] = [before == this for before, this in pairwise(about)]
    set_forms(out, assembly)
    return out


def _write_channel(record: np.void, system: System, assembly: Assembly, observation: Observation) -> None:
    """Write kind and indices of an observation to an empty channel record."""
    name, field, contacts = observation.name, observation.field, list(system.contacts)
    if name == "time" and not field:
        record["kind"] = c.TIME
    elif name == ANY_CONTACT:
        record["kind"], record["component"] = c.ANY_CONTACT, CONTACT_CHANNELS.get(field, -1)
    elif name in contacts:
        record["i"] = contacts.index(name)
        record["kind"] = {"force": c.CONTACT_FORCE, "moment": c.CONTACT_MOMENT}.get(field, c.CONTACT_RESULT)
        record["component"] = CONTACT_CHANNELS.get(field, 0)
    elif is_zone(system, observation):
        _write_zone_channel(record, system, contacts, observation)
    elif name in system.structures and field != "energy":
        appendage = assembly.flexible.appendages[assembly.flexible.structure_index[name]]
        record["kind"], record["at"] = (
            c.JOINT_POSITION,
            appendage.at_q + int(field.removeprefix("mode")) - 1,
        )
    elif name in system.structures:
        record["kind"], record["i"] = c.STRUCTURE_ENERGY, assembly.flexible.structure_index[name]
    elif is_thruster(system, observation):
        write_thruster_channel(record, system, observation)
    elif "/" in name:
        rate = field.endswith("_rate")
        record["kind"] = c.NODE_RATE if rate else c.NODE_DEFLECTION
        record["i"] = assembly.flexible.node_index[name]
        record["component"] = NODE_COMPONENTS[field.removesuffix("_rate")]
    elif name in system.interfaces:
        record["kind"], record["i"] = c.INTERFACE_RESULT, list(system.interfaces).index(name)
        record["component"] = INTERFACE_CHANNELS[field]
    elif name in assembly.element_index:
        _write_element_channel(record, system, assembly, observation)
    elif name in system.reactions or field.removeprefix(JOINT_REACTION) in REACTION_FIELDS:
        record["kind"], record["i"] = c.REACTION, assembly.reaction_index[name]
        record["component"] = REACTION_CHANNELS[field.removeprefix(JOINT_REACTION)]
    elif field in CONTROLLER_FIELDS or field in NAVIGATION_FIELDS:
        record["kind"], record["i"] = c.CONTROLLER_VALUE, list(system.gnc).index(name)
        record["component"] = ControllerValue[field.upper()]
    elif field in ORBIT_FIELDS:
        record["kind"] = c.SUNLIGHT
    elif field in BODY_FIELDS:
        _write_body_channel(record, assembly, observation)
    else:
        axis, rate = joint_axis(field)
        place = assembly.joints[name]
        record["kind"] = c.JOINT_SPEED if rate else c.JOINT_POSITION
        record["at"] = int(assembly.world[0].n_q) + place.at_u + axis if rate else place.at_q + axis


def set_forms(channels: np.recarray, assembly: Assembly) -> None:
    """Set the smooth function of each channel with kinks: the square of a norm, the cosine of an angle."""
    records: NDArray[Any] = channels.view(np.ndarray)
    elements: NDArray[Any] = assembly.elements.view(np.ndarray)
    kind, component, form = records["kind"], records["component"], records["form"]
    records["form"], records["scale"], records["offset"] = c.PLAIN, 1.0, 0.0
    records["bounded"] = (kind <= c.POSITION) | (kind == c.TILT) | (kind == c.ATTITUDE) | (kind == c.FORMULA)
    form[(kind >= c.POSITION) & (kind <= c.TURN_RATE) & (component == 3)] = c.SQUARE
    form[((kind == c.NODE_DEFLECTION) | (kind == c.NODE_RATE)) & (component == 6)] = c.SQUARE
    form[kind == c.TILT] = c.COSINE
    form[((kind == c.ACCELERATION) | (kind == c.TURN_ACCELERATION)) & (component == 3)] = c.SQUARE
    form[((kind == c.REACTION) | (kind == c.ELEMENT_WRENCH)) & (component >= 6)] = c.SQUARE
    form[(kind == c.ELEMENT_WRENCH) & (component >= couplings.MATED)] = c.PLAIN
    form[(kind == c.CONTACT_MOMENT) | ((kind == c.INTERFACE_RESULT) & (component == pins.RESULT_MOMENT))] = (
        c.SQUARE
    )
    for i in np.flatnonzero((kind == c.ELEMENT_DEFLECTION) | (kind == c.ELEMENT_FORCE)):
        element = elements[records["i"][i]]
        if element["kind"] == STRUT:
            _use_length_of_strut(records[i], element)
        elif (element["kind"] == SPRING and element["rows"] > 1) or (
            kind[i] == c.ELEMENT_DEFLECTION and element["kind"] in (WELD, LOCK)
        ):
            form[i] = c.SQUARE


def _use_length_of_strut(record: Any, strut: Any) -> None:
    """Use the bounds of the length of a strut for its deflection, and for its force if that is linear in it."""
    stiffness, rest = float(strut["stiffness"][0]), float(strut["rest"][0])
    if record["kind"] == c.ELEMENT_DEFLECTION:
        record["bounded"], record["form"], record["offset"] = 1, c.SQUARE, rest
    elif stiffness > 0.0 and strut["damping"][0] == 0.0:
        record["bounded"], record["form"], record["scale"] = 1, c.SQUARE, 1.0 / stiffness
        record["offset"] = rest - strut["preload"] / stiffness


def _write_element_channel(
    record: np.void, system: System, assembly: Assembly, observation: Observation
) -> None:
    name, field = observation.name, observation.field
    record["i"] = assembly.element_index[name]
    if field == "moment" and isinstance(system.elements()[name], JointElement):
        record["kind"] = c.ELEMENT_FORCE
    elif field in COMPONENTS:
        record["kind"], record["component"] = c.ELEMENT_WRENCH, COMPONENTS[field]
    elif field in COUPLING_CHANNELS:
        record["kind"], record["component"] = c.ELEMENT_WRENCH, COUPLING_CHANNELS[field]
    elif field in DRIVE_CHANNELS:
        record["kind"], record["component"] = c.DRIVE_VALUE, DRIVE_CHANNELS[field]
    else:
        record["kind"] = ELEMENT_CHANNELS[field]


def _write_zone_channel(
    record: np.void, system: System, contacts: list[str], observation: Observation
) -> None:
    contact, _, zone = observation.name.partition("/")
    record["kind"], record["i"] = c.ZONE, contacts.index(contact)
    record["component"] = ZONE_CHANNELS[observation.field]
    zones = system.surfaces[system.contacts[contact].a].zones
    record["j"] = -1 if zone in zones else int(zone) - 1
    record["p_iF"][:2] = zones.get(zone, (0.0, 0.0))


def _write_body_channel(record: np.void, assembly: Assembly, observation: Observation) -> None:
    record["kind"], record["component"] = BODY_CHANNELS[observation.field]
    record["in_world"] = int(observation.frame == WORLD)
    if observation.frame_point is not None:
        record["in_world"] = 0
    for link, frame, name, point in (
        ("i", "F", observation.name, observation.point),
        ("j", "G", observation.frame, observation.frame_point),
    ):
        placed = assembly.placed[name]
        record[link] = placed.link
        record[f"R_{link}{frame}"] = placed.X_LB.R.ravel()
        record[f"p_{link}{frame}"] = placed.X_LB.p
        if point is not None:
            record[f"p_{link}{frame}"] += placed.X_LB.R @ point


def default_observations(system: System) -> list[Observation]:
    """Return the quantities that are recorded by default."""
    out: list[Observation] = []
    for name, body in system.bodies.items():
        fields = ["x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
        kind = body.joint.type
        axes = range(len(MOTIONS[kind]))
        if kind != "spherical":
            fields += ["joint" + (str(k) if k else "") for k in axes]
        fields += ["joint_rate" + (str(k) if k else "") for k in axes]
        out += [Observation(name=name, field=field) for field in fields]
    for name in system.elements():
        fields = [field for field in element_fields(system, name) if field not in DRIVE_FIELDS]
        if name in system.loads:
            fields.remove("deflection")
        if name in system.loads or name in system.locks:
            fields.remove("energy")
        out += [Observation(name=name, field=field) for field in fields]
    fields = [*CONTACT_FIELDS, *WRENCH_FIELDS]
    out += [Observation(name=name, field=field) for name in system.contacts for field in fields]
    for name, structure in system.structures.items():
        count = min(structure.find_modes(system.directory).frequency.size, MAX_MODES)
        fields = ["energy", *(f"mode{k + 1}" for k in range(count))]
        out += [Observation(name=name, field=field) for field in fields]
    out += [Observation(name=name, field=field) for name in system.interfaces for field in INTERFACE_FIELDS]
    for name, controller in system.gnc.items():
        out += [Observation(name=name, field=field) for field in controller_fields(controller)]
    out += estimates_and_thrusters(system)
    if system.orbit is not None and system.orbit.sun is not None:
        out += [Observation(name=HILL, field=field) for field in ORBIT_FIELDS]
    return out
