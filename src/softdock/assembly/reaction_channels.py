"""The observed reactions: channels of every element, contact, interface, joint and mount that transmits one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from softdock.assembly.channels.bodies import JOINT_REACTION
from softdock.assembly.channels.registry import units_of
from softdock.assembly.reactions import transmits_reaction
from softdock.model.member_kinds import MEMBER_KINDS, MemberKind, ReactionKind
from softdock.model.observations import Observation
from softdock.model.system import System


@dataclass(frozen=True)
class ReactionChannels:
    """The channels of one reaction: sizes of force and moment, or their signed values along an axis."""

    name: str
    kind: ReactionKind
    force: Observation | None
    moment: Observation | None
    signed: bool = False
    """Whether the channels have a sign, so that a reaction may be largest where its channel is smallest."""

    def observations(self) -> Iterator[Observation]:
        """Yield the channels that exist."""
        yield from (observation for observation in (self.force, self.moment) if observation is not None)


def reaction_channels(system: System, everything: bool) -> list[ReactionChannels]:
    """Return the observed reactions of a system; without `everything` only forces of contacts and interfaces."""
    reactions: list[ReactionChannels] = []
    for kind in MEMBER_KINDS:
        for name in getattr(system, kind.group) if everything or kind.always_observed else ():
            channels = (
                _of_reaction(system, name, kind)
                if kind.role == "reaction"
                else _of_member(system, name, kind)
            )
            if channels is not None:
                reactions.append(channels if everything else replace(channels, moment=None))
    return reactions


def _of_member(system: System, name: str, kind: MemberKind) -> ReactionChannels | None:
    """Return the reaction of a contact or element; None for an input and for what transmits nothing."""
    if kind.reaction is None:
        return None
    units = units_of(system, name)
    force = Observation(name=name, field="force") if units["force"] == "N" else None
    moment = Observation(name=name, field="moment") if "moment" in units else None
    return ReactionChannels(name, kind.reaction, force, moment, kind.signed)


def _of_reaction(system: System, name: str, kind: MemberKind) -> ReactionChannels | None:
    """Return the reaction of the joint of a body, or that at a frame on it; None for a joint that transmits nothing."""
    frame = system.reactions.get(name)
    body, prefix = (name, JOINT_REACTION) if frame is None else (frame.body, "")
    reaction = kind.reaction_of(system.bodies[body].joint.type)
    if reaction is None or (frame is None and not transmits_reaction(system, body)):
        return None
    force, moment = (Observation(name=name, field=f"{prefix}{field}") for field in ("force", "moment"))
    return ReactionChannels(name, reaction, force, moment)
