"""Kinds of the named members of a scenario, and of the reactions that they transmit: one declaration for every view."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from softdock.elements.registry import ELEMENT_KINDS

ReactionKind = str
"""What transmits a reaction, such as `spring`; `channel`: a recorded force whose owner the stored scenario lacks."""
Role = Literal["contact", "element", "reaction", "input", "shape"]
"""How a member enters the balance of forces: an `input` acts from outside, a `shape` has no force."""


@dataclass(frozen=True, kw_only=True)
class MemberKind:
    """A key of a scenario that holds members by name, and the reaction that each of them transmits."""

    group: str
    """The key, such as `springs`."""
    role: Role
    reaction: ReactionKind | None = None
    """Kind of the reaction that it transmits, and its name in texts; None for inputs and shapes. See `reaction_of`."""
    signed: bool = False
    """Whether its `force` has a sign, so that a reaction may be largest where its channel is smallest."""
    always_observed: bool = False
    """Whether its force is observed with `record.loads: false`, too."""

    def reaction_of(self, joint_type: str) -> ReactionKind | None:
        """Return the kind of reaction of a member; that of a joint or frame depends on the type of the joint."""
        return "mount" if self.role == "reaction" and joint_type == "fixed" else self.reaction


MEMBER_KINDS = (
    MemberKind(group="contacts", role="contact", reaction="contact", always_observed=True),
    MemberKind(group="interfaces", role="contact", reaction="interface", always_observed=True),
    *(
        MemberKind(group=kind.group, role=kind.role, reaction=kind.reaction, signed=kind.signed)
        for kind in ELEMENT_KINDS.values()
    ),
    MemberKind(group="bodies", role="reaction", reaction="joint"),
    MemberKind(group="reactions", role="reaction", reaction="joint"),
    MemberKind(group="structures", role="shape"),
    MemberKind(group="surfaces", role="shape"),
)
"""All kinds, in the order in which their reactions are observed."""
MEMBER_GROUPS = tuple(kind.group for kind in MEMBER_KINDS)
"""Keys of a scenario that hold members by name."""


def reactions_of(role: Role) -> tuple[ReactionKind, ...]:
    """Return the kinds of reactions that members with a role transmit."""
    kinds = (kind.reaction_of(joint) for kind in MEMBER_KINDS if kind.role == role for joint in ("", "fixed"))
    return tuple(dict.fromkeys(reaction for reaction in kinds if reaction is not None))


def find_member(definition: Mapping[str, Any], name: str) -> tuple[MemberKind, ReactionKind | None] | None:
    """Return the kind of a member and of its reaction in a scenario given as plain data; None without such a member.

    The data may be those of another version, or damaged.
    """
    for kind in MEMBER_KINDS:
        members = definition.get(kind.group)
        if isinstance(members, Mapping) and name in members:
            body = name if kind.group == "bodies" else _value(members, name, "body")
            return kind, kind.reaction_of(_value(definition, "bodies", body, "joint", "type"))
    return None


def _value(data: object, *keys: str) -> str:
    """Return a text in plain data; empty where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data if isinstance(data, str) else ""
