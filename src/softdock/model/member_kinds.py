"""Kinds of the named members of a scenario, and of the loads that they transmit: one declaration for every view."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from softdock.elements.registry import ELEMENT_KINDS

LoadKind = str
"""What transmits a load, such as `spring`; `channel`: a recorded force whose owner is not in the stored scenario."""
Role = Literal["contact", "element", "reaction", "input", "shape"]
"""How a member enters the balance of forces: an `input` acts from outside, a `shape` has no force."""


@dataclass(frozen=True, kw_only=True)
class MemberKind:
    """A key of a scenario that holds members by name, and the load that each of them transmits."""

    group: str
    """The key, such as `springs`."""
    role: Role
    load: LoadKind | None = None
    """Kind of the load that it transmits, and its name in texts; None of inputs and shapes. See `load_of`."""
    signed: bool = False
    """Whether its `force` has a sign, so that a load may be largest where its channel is smallest."""
    always_observed: bool = False
    """Whether its force is observed with `record.loads: false`, too."""

    def load_of(self, joint_type: str) -> LoadKind | None:
        """Return the kind of the load of a member, of a reaction by the type of its joint."""
        return "mount" if self.role == "reaction" and joint_type == "fixed" else self.load


MEMBER_KINDS = (
    MemberKind(group="contacts", role="contact", load="contact", always_observed=True),
    MemberKind(group="interfaces", role="contact", load="interface", always_observed=True),
    *(
        MemberKind(group=kind.group, role=kind.role, load=kind.reaction, signed=kind.signed)
        for kind in ELEMENT_KINDS.values()
    ),
    MemberKind(group="bodies", role="reaction", load="joint"),
    MemberKind(group="reactions", role="reaction", load="joint"),
    MemberKind(group="structures", role="shape"),
    MemberKind(group="surfaces", role="shape"),
)
"""All kinds, in the order in which their loads are observed."""
MEMBER_GROUPS = tuple(kind.group for kind in MEMBER_KINDS)
"""Keys of a scenario that hold members by name."""


def loads_of(role: Role) -> tuple[LoadKind, ...]:
    """Return the kinds of loads that members with a role transmit."""
    kinds = (kind.load_of(joint) for kind in MEMBER_KINDS if kind.role == role for joint in ("", "fixed"))
    return tuple(dict.fromkeys(load for load in kinds if load is not None))


def find_member(definition: Mapping[str, Any], name: str) -> tuple[MemberKind, LoadKind | None] | None:
    """Return the kind of a member and of its load in a scenario given as plain data; None without such a member.

    The data may be those of another version, or damaged.
    """
    for kind in MEMBER_KINDS:
        members = definition.get(kind.group)
        if isinstance(members, Mapping) and name in members:
            body = name if kind.group == "bodies" else _value(members, name, "body")
            return kind, kind.load_of(_value(definition, "bodies", body, "joint", "type"))
    return None


def _value(data: object, *keys: str) -> str:
    """Return a text in plain data; empty where there is none."""
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data if isinstance(data, str) else ""
