"""Data model of a replay: nodes with meshes and keyframes, events, curves and charts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.presentation.chart import TimeCurve
from softdock.result import RunEvent

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class Role(Enum):
    """Role of a drawn part; the player shows and hides parts by role."""

    CAD = "cad"
    """Geometry of the scenario at true size."""
    CAVITY = "cavity"
    """Geometry that another body enters: semi-transparent, cut in the section view."""
    PLACEHOLDER = "placeholder"
    """A body without geometry, sized by its mass properties."""
    LINK = "link"
    """Connections between bodies: rods, springs."""
    STRUCTURE = "structure"
    """A flexible structure."""
    FORCE = "force"
    """A force arrow."""


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
    """Morph targets: displacements of the points, (n, 3) each [m], weighted by the track `weights` of the node."""


@dataclass(frozen=True, kw_only=True)
class Material:
    """Colour (linear RGB, 0 to 1), opacity and surface properties."""

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
    """Keyframes with linear interpolation, spherical linear for quaternions."""

    time: Floats
    """[s], increasing."""
    values: Floats
    """Shape (n, 3) for positions [m] and scales, (n, 4) for quaternions wxyz, (n, morphs) for weights."""


@dataclass(frozen=True, kw_only=True)
class Node:
    """A moving frame and the parts drawn in it."""

    name: str
    parent: str | None = None
    """Name of the parent node; None for the world."""
    parts: tuple[Part, ...] = ()
    translation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    tracks: Mapping[str, Track] = field(default_factory=dict)
    """Keyframes by path: `translation`, `rotation`, `scale`, or `weights` of the morph targets of its only part."""


@dataclass(frozen=True, kw_only=True)
class Focus:
    """Target of the close views: the part of a body where contact takes place."""

    node: str
    centre: tuple[float, float, float]
    """In the node's frame [m]."""
    axis: tuple[float, float, float]
    """Unit vector of the docking axis, into the port, in the node's frame."""
    radius: float
    """Radius of the sphere that encloses the mechanism [m]."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A run prepared for display."""

    name: str
    title: str
    outcome: str
    message: str
    start: float
    end: float
    """[s]"""
    nodes: tuple[Node, ...]
    display_rotation_wxyz: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    """Rotation from the world to display axes: y up, docking axis to the right."""
    focus: Focus | None = None
    events: tuple[RunEvent, ...] = ()
    curves: tuple[TimeCurve, ...] = ()
    """Recorded quantities, simplified to the resolution of a chart."""
    charts: tuple[tuple[str, ...], ...] = ()
    """Names of the curves in each initial chart."""
    notes: tuple[str, ...] = ()
    """Notes on parts that are drawn out of scale or as placeholders."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Further data for the file: program, version."""
