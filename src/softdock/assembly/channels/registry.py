"""All groups of channels, and what follows from them: units, lists, and what is recorded by default."""

from collections.abc import Iterator

from softdock.assembly.channels.bodies import (
    FrameMotion,
    FrameReactions,
    JointReactions,
    Joints,
    Sunlight,
    check_frame,
)
from softdock.assembly.channels.contacts import AnyContact, Contacts, Interfaces, Zones
from softdock.assembly.channels.controllers import Controllers, NavigationEstimates, Thrusters
from softdock.assembly.channels.declaration import ChannelGroup, Field, suggest_field
from softdock.assembly.channels.elements import ELEMENT_GROUPS
from softdock.assembly.channels.structures import Nodes, Structures
from softdock.model.formulas import Operation, Quantity, unit_of_formula
from softdock.model.observations import Observation
from softdock.model.system import WORLD, System

GROUPS: tuple[ChannelGroup, ...] = (
    FrameMotion(), Joints(), JointReactions(), FrameReactions(), *ELEMENT_GROUPS, Contacts(), AnyContact(), Zones(),
    Structures(), Interfaces(), Controllers(), NavigationEstimates(), Thrusters(), Sunlight(), Nodes(),
)  # fmt: skip
"""All groups, in the order of the reference and of the recorded channels."""


def find_channel(system: System, observation: Observation) -> tuple[ChannelGroup, Field]:
    """Return the group and the field of an observation; raises ValueError with a sentence for what does not exist."""
    name, field = observation.name, observation.field
    owners = _owners(system, name)
    if not owners:
        raise _unknown_name(system, name)
    if owners[0].seen_from_frames:
        check_frame(system, observation)
    elif observation.frame != WORLD:
        raise ValueError(f"only bodies can be observed `in` another body, and {name!r} is none")
    elif observation.has_points:
        raise ValueError(f"only bodies have points, and {name!r} is none")
    for group in owners:
        if field in (fields := group.fields_of(system, name)):
            group.check(system, observation)
            return group, fields[field]
    known = [field for group in owners for field in group.fields_of(system, name)]
    listed = ", ".join(known)
    owner = f"{owners[0].noun} {name!r}".lstrip()
    raise ValueError(f"{owner} has no {field!r}{suggest_field(field, known)}; it has: {listed}")


def _owners(system: System, name: str) -> list[ChannelGroup]:
    """Return the groups of an object; a name with a slash is that of a node if no other group has it."""
    owners = [group for group in GROUPS if group.owns(system, name)]
    return [group for group in owners if not isinstance(group, Nodes)] or owners


def _unknown_name(system: System, name: str) -> ValueError:
    """Return the error for a name that nothing has."""
    known = [
        *system.bodies, *system.contacts, *system.interfaces, *system.structures, *system.elements(),
        *system.reactions,
    ]  # fmt: skip
    meant = suggest_field(name, known)
    return ValueError(f"there is nothing called {name!r}{meant}; there are: {', '.join(known)}")


def is_time(observation: Observation) -> bool:
    """Return whether an observation is the time."""
    return observation.name == "time" and not observation.field


def unit_of(system: System, observation: Quantity) -> str:
    """Return the SI unit of an observation or formula; raises ValueError with a sentence for what does not exist."""
    if isinstance(observation, Operation):
        return unit_of_formula(observation, lambda part: unit_of(system, part))
    return "s" if is_time(observation) else find_channel(system, observation)[1].unit


def units_of(system: System, name: str) -> dict[str, str]:
    """Return the fields of a named object and their SI units."""
    fields = (group.fields_of(system, name) for group in _owners(system, name))
    return {key: field.unit for group_fields in fields for key, field in group_fields.items()}


def default_observations(system: System) -> list[Observation]:
    """Return the quantities that are recorded by default."""
    return [observation for group in GROUPS for observation in group.recorded(system)]


def list_channels(system: System) -> Iterator[tuple[str, str, str]]:
    """Yield name, SI unit and meaning of every channel; bodies are seen from the world."""
    yield "time", "s", "Time since the start."
    for name in dict.fromkeys(name for group in GROUPS for name in group.names(system)):
        for group in _owners(system, name):
            for key in group.fields_of(system, name):
                try:
                    field = find_channel(system, Observation(name=name, field=key))[1]
                except ValueError:  # a field of other objects of this kind
                    continue
                yield f"{name}.{key}", field.unit, field.meaning
