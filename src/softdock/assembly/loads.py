"""The observed loads of a system: channels of every element, contact, interface, joint and mount that transmits one."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from softdock.assembly.channel_units import JOINT_REACTION, element_fields
from softdock.assembly.reactions import transmits_load
from softdock.model.elements import Drive, Spring, Strut
from softdock.model.joints import Fixed, Free
from softdock.model.observations import Observation
from softdock.model.system import System

LoadKind = Literal[
    "contact", "spring", "stop", "drive", "strut", "lock", "weld", "interface", "joint", "mount"
]
ELEMENT_KINDS: dict[str, LoadKind] = {
    "springs": "spring", "stops": "stop", "drives": "drive", "struts": "strut", "welds": "weld", "locks": "lock",
    "couplings": "interface",
}  # fmt: skip
"""Kind of load by the group of an element; external loads are inputs, not results."""


@dataclass(frozen=True)
class LoadChannels:
    """The channels of one load: sizes of force and moment, or their signed values along an axis."""

    name: str
    kind: LoadKind
    force: Observation | None
    moment: Observation | None
    signed: bool = False
    """Whether the channels have a sign, so that a load may be largest where its channel is smallest."""

    def observations(self) -> Iterator[Observation]:
        """Yield the channels that exist."""
        yield from (one for one in (self.force, self.moment) if one is not None)


def load_channels(system: System, everything: bool) -> list[LoadChannels]:
    """Return the observed loads of a system; without `everything` only forces of contacts and interfaces."""
    loads: list[LoadChannels] = []
    contacts: dict[str, LoadKind] = dict.fromkeys(system.contacts, "contact")
    for name, kind in (contacts | dict.fromkeys(system.interfaces, "interface")).items():
        moment = Observation(name=name, field="moment") if everything else None
        loads.append(LoadChannels(name, kind, Observation(name=name, field="force"), moment))
    if not everything:
        return loads
    for group, kind in ELEMENT_KINDS.items():
        loads += [_of_element(system, name, kind) for name in getattr(system, group)]
    for name, body in system.bodies.items():
        if not isinstance(body.joint, Free) and transmits_load(system, name):
            loads.append(_of_joint(name, _kind_of_joint(system, name), JOINT_REACTION))
    loads += [_of_joint(name, _kind_of_joint(system, one.body), "") for name, one in system.reactions.items()]
    return loads


def _of_element(system: System, name: str, kind: LoadKind) -> LoadChannels:
    fields = element_fields(system, name)
    force = Observation(name=name, field="force") if fields["force"] == "N" else None
    moment = Observation(name=name, field="moment") if "moment" in fields else None
    return LoadChannels(
        name, kind, force, moment, isinstance(system.elements()[name], Spring | Drive | Strut)
    )


def _of_joint(name: str, kind: LoadKind, prefix: str) -> LoadChannels:
    force, moment = (Observation(name=name, field=f"{prefix}{field}") for field in ("force", "moment"))
    return LoadChannels(name, kind, force, moment)


def _kind_of_joint(system: System, body: str) -> LoadKind:
    return "mount" if isinstance(system.bodies[body].joint, Fixed) else "joint"
