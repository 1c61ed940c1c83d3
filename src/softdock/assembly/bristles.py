"""Entries of the state that contacts with tangential elasticity have."""

from collections.abc import Mapping

from softdock.contact.kernels.bristle import BRISTLE_STATES
from softdock.model.surfaces import Contact
from softdock.model.system import System
from softdock.tree.indices import StateKind

BRISTLE_KINDS = (StateKind.LENGTH,) * BRISTLE_STATES


def has_bristle(contact: Contact) -> bool:
    """Return whether a contact has friction with tangential elasticity."""
    return contact.friction.law == "elastic" and contact.friction.coefficient > 0.0


def bristle_kinds(system: System) -> tuple[StateKind, ...]:
    """Return the kinds of the entries of all bristles, which are the last of the positions."""
    return BRISTLE_KINDS * sum(map(has_bristle, system.contacts.values()))


def bristle_indices(system: System, positions: int) -> Mapping[str, int]:
    """Return the first entry in the state of those contacts that have a bristle; `positions`: their number."""
    names = [name for name, contact in system.contacts.items() if has_bristle(contact)]
    first = positions - BRISTLE_STATES * len(names)
    return {name: first + BRISTLE_STATES * i for i, name in enumerate(names)}
