"""What a replay shows: nodes with meshes, how they move, and the charts and marks beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.result import Event

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Role(Enum):
    """What a drawn thing stands for; the player shows and hides by it."""

    CAD = "cad"
    """Geometry of the scenario, in its true size."""
    CAVITY = "cavity"
    """Geometry that another body enters: half-transparent, cut open in the section view."""
    STAND_IN = "stand-in"
    """A body without geometry, as large as its mass properties make it."""
    LINK = "link"
    """What joins bodies: rods, springs."""
    STRUCTURE = "structure"
    """A flexible structure."""
    FORCE = "force"
    """An arrow of a force."""


@dataclass(frozen=True, kw_only=True)
class Mesh:
    """Triangles or line segments in the frame of their node [m]."""

    points: Floats
    """Shape (n, 3)."""
    indices: Indices
    """Shape (m, 3) for triangles, counterclockwise seen from outside, or (m, 2) for lines."""
    normals: Floats | None = None
    """Shape (n, 3), unit vectors; None for lines."""
    morphs: tuple[Floats, ...] = ()
    """Shifts of the points, (n, 3) each [m]; the track `weights` of the node says how much of each."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Colour (linear RGB, 0 to 1) and how much shines through."""

    name: str
    colour: tuple[float, float, float]
    opacity: float = 1.0
    metallic: float = 0.0
    roughness: float = 0.6
    double_sided: bool = False


@dataclass(frozen=True, kw_only=True)
class Part:
    """A mesh on a node."""

    mesh: Mesh
    material: Material
    role: Role


@dataclass(frozen=True, kw_only=True)
class Track:
    """Values at times; between them lines, or the shortest turn for quaternions."""

    time: Floats
    """[s], increasing."""
    values: Floats
    """Shape (n, 3) for positions [m] and scales, (n, 4) for quaternions wxyz, (n, morphs) for weights."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """A frame that moves, and what is drawn in it."""

    name: str
    parent: str | None = None
    """Name of the node that this one is given in; None: the world."""
    parts: tuple[Part, ...] = ()
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    tracks: Mapping[str, Track] = field(default_factory=dict)
    """By what they move: `translation`, `rotation`, `scale`, or `weights` of the morphs of its one part."""


@dataclass(frozen=True, kw_only=True)
class Focus:
    """Where the action is: the part of a body that the close views look at."""

    node: str
    centre: tuple[float, float, float]
    """In the node's frame [m]."""
    axis: tuple[float, float, float]
    """Unit vector in the node's frame: along the docking axis, into the port."""
    radius: float
    """Of the sphere that holds the mechanism [m]."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """A recorded quantity over time, thinned to what the eye can see."""

    name: str
    unit: str
    time: Floats
    values: Floats


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A run, ready to be shown."""

    name: str
    title: str
    outcome: str
    message: str
    start: float
    end: float
    """[s]"""
    nodes: tuple[Node, ...]
    turn_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    """From the world to the axes of the picture: y up, the docking axis to the right."""
    focus: Focus | None = None
    events: tuple[Event, ...] = ()
    curves: tuple[Curve, ...] = ()
    charts: tuple[tuple[str, ...], ...] = ()
    """Names of the curves in each chart that is shown at first."""
    notes: tuple[str, ...] = ()
    """Sentences on what is drawn out of scale or stands for something else."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Further plain data for the file: program, version."""
