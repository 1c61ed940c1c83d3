"""Channels of contacts, of zones of surfaces and of pins in holes."""

from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from softdock.assembly.bristles import has_bristle
from softdock.assembly.channels.declaration import (
    ChannelGroup,
    Field,
    Fields,
    Reading,
    moment,
    suggest_field,
    vector,
    wrench,
)
from softdock.contact.kernels.layout import (
    CONTACT_AREA,
    DEPTH,
    ENERGY,
    FORCE,
    FRICTION_USE,
    PRESSURE,
    SLIDING_SPEED,
)
from softdock.dynamics.kernels.channels.channels import ANY_CONTACT_FORCE, ChannelKind
from softdock.dynamics.kernels.forces import interfaces as pins
from softdock.dynamics.kernels.forces.zones import ZONE_AREA, ZONE_FORCE_SIZE, ZONE_PRESSURE
from softdock.errors import InputError
from softdock.geometry.solids.zones import SolidZone
from softdock.model.system import System

OF_BRISTLES = ("friction_use", "sliding_speed")
"""Fields of contacts with tangential elasticity only."""
ANY_CONTACT = "contact"
"""Name of the channels with the largest value of all contacts."""


def _results(kind: ChannelKind) -> dict[str, Field]:
    """Return the entries of the results of a pair."""
    return {
        "depth": Field(
            unit="m", meaning="Largest depth of surface b below surface a.", kind=kind, component=DEPTH
        ),
        "area": Field(unit="m^2", meaning="Area of contact.", kind=kind, component=CONTACT_AREA),
        "pressure": Field(unit="Pa", meaning="Largest pressure.", kind=kind, component=PRESSURE),
        "energy": Field(unit="J", meaning="Elastic energy of the layer.", kind=kind, component=ENERGY),
    }


class Contacts(ChannelGroup):
    """Contact of two surfaces."""

    title = "Contacts"
    noun = "contact"
    text = (
        "`contact-name.field` of one contact; components are those of the force on surface b, and of its torque about "
        "the origin of surface a, in the axes of surface a."
    )
    fields: ClassVar[Fields] = {
        "force": Field(
            unit="N", kind=ChannelKind.CONTACT_FORCE,
            meaning="Size of the contact force: pressure and friction.",
        ),
        **_results(ChannelKind.CONTACT_RESULT),
        "moment": moment(ChannelKind.CONTACT_MOMENT),
        **wrench(ChannelKind.CONTACT_RESULT, FORCE),
        "friction_use": Field(
            unit="1", kind=ChannelKind.CONTACT_RESULT, component=FRICTION_USE,
            meaning="With tangential elasticity: friction over its limit; 1 where the surfaces slide.",
        ),
        "sliding_speed": Field(
            unit="m/s", kind=ChannelKind.CONTACT_RESULT, component=SLIDING_SPEED,
            meaning="With tangential elasticity: speed along the surface in the middle of the contact.",
        ),
    }  # fmt: skip

    def names(self, system: System) -> Iterable[str]:
        """Return the names of the contacts."""
        return system.contacts

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields; only contacts with tangential elasticity have all."""
        contact = system.contacts.get(name)
        if contact is None or has_bristle(contact):
            return self.fields
        return {key: field for key, field in self.fields.items() if key not in OF_BRISTLES}

    def index(self, reading: Reading) -> int:
        """Return the index of the contact."""
        return list(reading.system.contacts).index(reading.observation.name)


class AnyContact(ChannelGroup):
    """Largest values of all contacts and interfaces."""

    title = "All contacts"
    noun = "contact"
    recorded_fields = ()  # these are recorded if something refers to them.
    text = "`contact.field` is the largest value of all contacts and interfaces."
    fields: ClassVar[Fields] = {
        "force": Field(
            unit="N", meaning="Largest force.", kind=ChannelKind.ANY_CONTACT, component=ANY_CONTACT_FORCE
        ),
        **_results(ChannelKind.ANY_CONTACT),
    }

    def names(self, system: System) -> Iterable[str]:
        """Return `contact`, if something can touch."""
        return (ANY_CONTACT,) if system.contacts or system.interfaces else ()


class Zones(ChannelGroup):
    """Contact in a part of a surface."""

    title = "Zones of a surface"
    noun = "zone"
    recorded_fields = ()  # zones are recorded if something refers to them.
    text = (
        "`contact-name/zone.field` of a zone of surface a of a contact, or `contact-name/3.field` of a segment of its "
        "meridian, counted from 1."
    )
    fields: ClassVar[Fields] = {
        "force": Field(
            unit="N",
            meaning="Size of the force on the zone.",
            kind=ChannelKind.ZONE,
            component=ZONE_FORCE_SIZE,
        ),
        "area": Field(
            unit="m^2", meaning="Area of contact in the zone.", kind=ChannelKind.ZONE, component=ZONE_AREA
        ),
        "pressure": Field(
            unit="Pa", meaning="Largest pressure in the zone.", kind=ChannelKind.ZONE, component=ZONE_PRESSURE
        ),
        **vector(
            ChannelKind.ZONE, "N", {f"f{axis}": f"Component of the force along {axis}." for axis in "xyz"}
        ),
    }

    def names(self, system: System) -> Iterable[str]:
        """Return the named zones; segments have no names."""
        return [
            f"{name}/{zone}"
            for name, contact in system.contacts.items()
            for zone in system.surfaces[contact.a].zones
        ]

    def owns(self, system: System, name: str) -> bool:
        """Return whether a name has the form `contact/zone`."""
        contact, _, zone = name.partition("/")
        return bool(zone) and contact in system.contacts

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields; raises ValueError for a zone or segment that does not exist."""
        contact, _, zone = name.partition("/")
        surface = system.surfaces.get(system.contacts[contact].a)
        if surface is None:
            return self.fields
        try:
            general = is_general_contact(system, contact)
            if general:
                count = len(surface.read_solid(system.directory)[0].faces)
            else:
                count = len(surface.read(system.directory)[0].segments)
        except InputError:  # reported by the check of the field that names the file
            general = False
            count = int(zone) if zone.isdecimal() else 0
        if zone not in surface.zones and not (zone.isdecimal() and 1 <= int(zone) <= count):
            known = [*surface.zones, f"1 to {count} (its {'faces' if general else 'segments'})"]
            raise ValueError(
                f"surface {system.contacts[contact].a!r} has no zone {zone!r}"
                f"{suggest_field(zone, surface.zones)}; it has: {', '.join(known)}"
            )
        return self.fields

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the index of the contact, and that of the segment or the limits of the zone."""
        system = reading.system
        contact, _, zone = reading.observation.name.partition("/")
        record["i"] = list(system.contacts).index(contact)
        surface = system.surfaces[system.contacts[contact].a]
        record["j"] = -1 if zone in surface.zones else int(zone) - 1
        if is_general_contact(system, contact):
            zones = surface.solid_zones(system.directory)
            place = zones.get(zone, SolidZone())
            record["R_iF"][:3], record["R_iF"][3:6] = place.low, place.high
            if place.faces is not None:
                grouped = [name for name, other in zones.items() if other.faces is not None]
                record["j"] = -2 - grouped.index(zone)
        else:
            record["p_iF"][:2] = surface.zones.get(zone, (0.0, 0.0))


def is_general_contact(system: System, name: str) -> bool:
    """Return whether a contact is one of solids of any shape."""
    contact = system.contacts[name]
    return any(system.surfaces[side].is_general(system.directory) for side in (contact.a, contact.b))


class Interfaces(ChannelGroup):
    """Pins in holes."""

    title = "Pins in holes"
    noun = "interface"
    text = (
        "`interface.field` of all pins of an interface together; components are those of the force on the pins, and "
        "of its torque about the origin of the holes, in axes of the holes."
    )
    fields: ClassVar[Fields] = {
        name: Field(unit=unit, meaning=meaning, kind=ChannelKind.INTERFACE_RESULT, component=component)
        for name, unit, component, meaning in (
            ("force", "N", pins.RESULT_FORCE, "Size of the total force."),
            ("pin_force", "N", pins.RESULT_PIN_FORCE, "Largest force on one pin."),
            ("depth", "m", pins.RESULT_DEPTH, "Largest depth of penetration."),
            ("contacts", "1", pins.RESULT_NUMBER, "Number of contacts."),
            ("insertion", "m", pins.RESULT_INSERTION, "Insertion of the pin that is inserted least."),
            ("energy", "J", pins.RESULT_ENERGY, "Elastic energy of all contacts."),
        )
    } | {
        "moment": moment(ChannelKind.INTERFACE_RESULT, pins.RESULT_MOMENT),
        **wrench(ChannelKind.INTERFACE_RESULT, pins.RESULT_COMPONENTS),
    }

    def names(self, system: System) -> Iterable[str]:
        """Return the names of the interfaces."""
        return system.interfaces

    def index(self, reading: Reading) -> int:
        """Return the index of the interface."""
        return list(reading.system.interfaces).index(reading.observation.name)
