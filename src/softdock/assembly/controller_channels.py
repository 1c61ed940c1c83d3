"""Channels of controllers: estimates of their filters and on-times of their thrusters."""

from collections.abc import Iterator

import numpy as np

from softdock.dynamics.kernels.channels import CONTROLLER_VALUE
from softdock.dynamics.kernels.gnc_records import ControllerValue
from softdock.errors import no_such, suggest
from softdock.model.gnc import Controller
from softdock.model.observations import CONTROLLER_FIELDS, NAVIGATION_FIELDS, THRUSTER_FIELDS, Observation
from softdock.model.system import WORLD, System


def unit_of_controller(system: System, observation: Observation) -> str:
    """Return the SI unit of a channel of a controller. Raises ValueError where it has none."""
    name, field = observation.name, observation.field
    if name not in system.gnc:
        known = ", ".join(system.gnc) or "none"
        raise ValueError(
            f"{field!r} is of bodies with a controller (`gnc`), and {name!r} has none; these have: {known}"
        )
    if observation.frame != WORLD:
        raise ValueError(f"{field!r} of a controller is not seen from a frame: leave `in` out")
    if field in NAVIGATION_FIELDS:
        return unit_of_estimate(system, observation)
    if field not in controller_fields(system.gnc[name]):
        needed = {"propellant_left": "`propellant`", "corridor": "`guidance.corridor`"}[field]
        raise ValueError(f"the controller of {name!r} has no {field!r}: give {needed}")
    return CONTROLLER_FIELDS[field]


def unit_of_estimate(system: System, observation: Observation) -> str:
    """Return the SI unit of a channel of the filters of a controller. Raises ValueError where it has none."""
    name, field = observation.name, observation.field
    if system.gnc[name].navigation is None:
        raise ValueError(f"{field!r} is of controllers with `navigation`, and that of {name!r} has none")
    return NAVIGATION_FIELDS[field]


def is_thruster(system: System, observation: Observation) -> bool:
    """Return whether an observation is about a thruster, `body/thruster`."""
    body, _, thruster = observation.name.partition("/")
    return bool(thruster) and body in system.gnc and body not in system.structures


def unit_of_thruster(system: System, observation: Observation) -> str:
    """Return the SI unit of a channel of a thruster. Raises ValueError for an unknown thruster or field."""
    body, _, thruster = observation.name.partition("/")
    known = system.gnc[body].thrusters
    if thruster not in known:
        raise ValueError(no_such(f"thruster of {body!r}", thruster, known))
    field = observation.field
    if field not in THRUSTER_FIELDS:
        listed = ", ".join(THRUSTER_FIELDS)
        meant = suggest(field, THRUSTER_FIELDS)
        raise ValueError(f"thruster {observation.name!r} has no {field!r}{meant}; it has: {listed}")
    return THRUSTER_FIELDS[observation.field]


def write_thruster_channel(record: np.void, system: System, observation: Observation) -> None:
    """Write the channel record of a thruster."""
    body, _, thruster = observation.name.partition("/")
    first = ControllerValue.FIRINGS if observation.field == "firings" else ControllerValue.ON_TIME
    record["kind"], record["i"] = CONTROLLER_VALUE, list(system.gnc).index(body)
    record["component"] = first + list(system.gnc[body].thrusters).index(thruster)


def estimates_and_thrusters(system: System) -> list[Observation]:
    """Return the channels of filters and thrusters that are recorded by default."""
    out: list[Observation] = []
    for name, controller in system.gnc.items():
        if controller.navigation is not None:
            out += [Observation(name=name, field=field) for field in NAVIGATION_FIELDS]
        out += [Observation(name=f"{name}/{thruster}", field="on_time") for thruster in controller.thrusters]
    return out


def controller_fields(controller: Controller) -> Iterator[str]:
    """Yield the fields of `CONTROLLER_FIELDS` that a controller has."""
    for field in CONTROLLER_FIELDS:
        lacks_tank = field == "propellant_left" and controller.propellant is None
        lacks_corridor = field == "corridor" and (
            controller.guidance is None or controller.guidance.corridor is None
        )
        if not (lacks_tank or lacks_corridor):
            yield field
