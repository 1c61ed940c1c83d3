"""The list of the kinds of elements."""

import functools
from collections.abc import Mapping

KINDS: Mapping[str, tuple[str, ...]] = {
    "spring": ("Spring", "Exponential"),
    "stop": ("Stop",),
    "drive": ("Drive",),
    "strut": ("Strut",),
    "crush": ("Crushable",),
    "tether": ("Tether", "Reel"),
    "weld": ("Weld", "EngagementWindow"),
    "lock": ("Lock",),
    "coupling": (
        "Coupling", "CouplingLimits", "CouplingEndStop", "CouplingSpring", "CouplingSeal", "CouplingLatch",
        "CouplingGuidance",
    ),
    "load": ("Load", "Pulse"),
}  # fmt: skip
"""Folder of each kind, and the public classes of its model; elements are evaluated and recorded in this order."""


@functools.cache
def kind_number(name: str) -> int:
    """Return the number of a kind in the records of elements."""
    return list(KINDS).index(name)
