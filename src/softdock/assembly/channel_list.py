"""List of all channels of a system with units and meanings."""

from collections.abc import Iterator

from softdock.assembly.channel_units import ANY_CONTACT, unit_of
from softdock.model.channel_meanings import CHANNELS
from softdock.model.observations import Observation
from softdock.model.system import System


def list_channels(system: System) -> Iterator[tuple[str, str, str]]:
    """Yield name, SI unit and meaning of every channel; bodies are seen from the world."""
    yield "time", "s", "Time since the start."
    for name in _names(system):
        seen: set[str] = set()
        for group in CHANNELS:
            for field, _, meaning in group.rows():
                if field in seen:
                    continue
                try:
                    unit = unit_of(system, Observation(name=name, field=field))
                except ValueError:  # a channel of other things
                    continue
                seen.add(field)
                yield f"{name}.{field}", unit, meaning


def _names(system: System) -> list[str]:
    zones = [
        f"{name}/{zone}"
        for name, contact in system.contacts.items()
        for zone in system.surfaces[contact.a].zones
    ]
    nodes = [
        f"{name}/{node}"
        for name, structure in system.structures.items()
        for node in structure.node_names(system.directory)
    ]
    reactions = list(getattr(system, "reactions", {}))
    every = [ANY_CONTACT] if system.contacts or system.interfaces else []
    return [
        *system.bodies, *system.elements(), *reactions, *system.contacts, *zones, *every, *system.interfaces,
        *system.structures, *nodes,
    ]  # fmt: skip
