"""A surface of revolution as its meridian: lines and arcs in the (z, r) half-plane."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Line:
    """A straight piece of a meridian."""

    start: tuple[float, float]
    """(z, r) [m]."""
    end: tuple[float, float]
    """(z, r) [m]."""


@dataclass(frozen=True, kw_only=True)
class Arc:
    """A circular piece of a meridian, shorter than half a turn."""

    start: tuple[float, float]
    """(z, r) [m]."""
    end: tuple[float, float]
    """(z, r) [m]."""
    centre: tuple[float, float]
    """(z, r) [m]; r may be negative or zero."""
    counterclockwise: bool
    """Sense of travel from start to end, seen with z to the right and r upwards."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Connected lines and arcs, each starting where the one before ended; material lies to the right of travel.

    Seen with z to the right and r upwards: a solid is travelled towards +z along its outside, a cavity towards
    -z along its inside.
    """

    segments: tuple[Line | Arc, ...]
