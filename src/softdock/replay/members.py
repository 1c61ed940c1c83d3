"""Drawing of the members of a structure: plates, trusses and tubes along beams, boxes for rigid parts.

A `Skin` has points that move with the nodes of the structure, each at an offset from its node.
"""

import math
from dataclasses import dataclass

import numpy as np

from softdock.flexible.structure import Beam, Section, Structure
from softdock.replay import solids
from softdock.replay.equivalent_box import equivalent_box
from softdock.replay.scene import Floats, Indices, Mesh

PLATE_RATIO = 3.0  # a beam whose mass lies this many times wider than its stiffness is a plate
PLATE_THICKNESS = 0.02  # fraction of the width
SLENDER_BAY = 2.5  # bays of a truss that are longer than this many times their side have no diagonals
LONGERON = 0.045  # radius, fraction of the side of a truss
FACETS = 4
THINNEST_TRUSS = 3.0  # side over the radius of the tubes that stand for thin beams
CORNERS = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))


@dataclass(frozen=True)
class Skin:
    """Triangles whose points are fixed to nodes."""

    points: Floats
    """Undeformed, in the axes of the structure, shape (n, 3) [m]."""
    normals: Floats
    indices: Indices
    node: Indices
    """Index of the node that carries each point."""

    def deflected(self, positions: Floats, shapes: Floats) -> Floats:
        """Return the displacement of every point by shapes (nodes, 6, k) of nodes, shape (n, 3, k) [m].

        `positions` of the nodes [m]; shapes have rotation and translation: a point moves with its node as a rigid body.
        """
        arm = self.points - positions[self.node]
        turn = np.cross(shapes[self.node, :3], arm[:, :, None], axis=1)
        moved: Floats = shapes[self.node, 3:] + turn
        return moved


def joined(skins: list[Skin]) -> Skin:
    """Return several skins as one."""
    first = np.cumsum([0, *(len(skin.points) for skin in skins[:-1])])
    return Skin(
        points=np.concatenate([skin.points for skin in skins]),
        normals=np.concatenate([skin.normals for skin in skins]),
        indices=np.concatenate([skin.indices + start for skin, start in zip(skins, first)]),
        node=np.concatenate([skin.node for skin in skins]),
    )


def plate_width(structure: Structure, name: str, beam: Beam) -> float | None:
    """Return the width of a panel, or of a beam whose mass lies much wider than its stiffness [m]; None otherwise."""
    if name in structure.panels:
        return structure.panels[name].width
    section = structure.section_of(beam)
    if section.mass_per_length <= 0.0 or beam.side is None:
        return None
    width = math.sqrt(12.0 * section.polar / section.mass_per_length)  # of a thin plate with this inertia
    return width if width > PLATE_RATIO * max(truss_sides(section)) else None


def nearest_parallel(structure: Structure, name: str) -> float:
    """Return the distance from a plate to the next parallel one beside it [m]; infinite without one."""
    beams = structure.all_beams()
    start, end = structure.ends(beams[name])
    along = (end - start) / np.linalg.norm(end - start)
    nearest = math.inf
    for other, beam in beams.items():
        a, b = structure.ends(beam)
        if other == name or np.linalg.norm(np.cross(along, b - a)) > 1e-6 * np.linalg.norm(b - a):
            continue
        reach = np.sort([(a - start) @ along, (b - start) @ along])
        apart = a - start - ((a - start) @ along) * along
        is_beside = reach[0] < np.linalg.norm(end - start) and reach[1] > 0.0 and apart.any()
        if is_beside and plate_width(structure, other, beam) is not None:
            nearest = min(nearest, float(np.linalg.norm(apart)))
    return nearest


def truss_sides(section: Section) -> tuple[float, float]:
    """Return the sides along y and z of four longerons with the stiffnesses of a section [m]; zero without them."""
    if section.axial <= 0.0:
        return 0.0, 0.0
    y, z = (2.0 * math.sqrt(bending / section.axial) for bending in (section.bending_z, section.bending_y))
    return y, z


def plate(places: Floats, numbers: list[int], side: Floats, width: float) -> Skin:
    """Return a thin plate of this width [m] along nodes at these places [m]."""
    axes = _axes(places, side)
    half = 0.5 * width * np.array([1.0, PLATE_THICKNESS])
    ring = np.array(CORNERS) * half
    corners = places[:, None, :] + ring @ axes[1:]
    skins = [
        _quad(corners[i : i + 2, [k, (k + 1) % 4]], [numbers[i], numbers[i], numbers[i + 1], numbers[i + 1]])
        for i in range(len(places) - 1)
        for k in range(4)
    ]
    for end, order in ((0, (0, 1, 3, 2)), (len(places) - 1, (1, 0, 2, 3))):
        skins.append(_quad(corners[end, list(order)].reshape(2, 2, 3), [numbers[end]] * 4))
    return joined(skins)


def truss(places: Floats, numbers: list[int], side: Floats | None, sides: tuple[float, float]) -> Skin:
    """Return four longerons along nodes at these places [m], with battens at nodes and one diagonal per face."""
    axes = _axes(places, side)
    corners = places[:, None, :] + (np.array(CORNERS) * 0.5 * np.array(sides)) @ axes[1:]
    radius = LONGERON * min(sides)
    bars = []
    for i in range(len(places)):
        bars += [((i, k), (i, (k + 1) % 4)) for k in range(4)]
    for i in range(len(places) - 1):
        bars += [((i, k), (i + 1, k)) for k in range(4)]
        if float(np.linalg.norm(places[i + 1] - places[i])) <= SLENDER_BAY * max(sides):
            bars += [((i, (k + i) % 4), (i + 1, (k + i + 1) % 4)) for k in range(4)]
    return joined([tube(corners[a], corners[b], numbers[a[0]], numbers[b[0]], radius) for a, b in bars])


def tube(start: Floats, end: Floats, first: int, last: int, radius: float, facets: int = FACETS) -> Skin:
    """Return an open tube between two points [m] that move with a node each."""
    axes = _axes(np.stack([start, end]), None)
    angle = math.tau * np.arange(facets) / facets
    normals = np.cos(angle)[:, None] * axes[1] + np.sin(angle)[:, None] * axes[2]
    a = np.arange(facets)
    b = (a + 1) % facets
    return Skin(
        points=np.concatenate([start + radius * normals, end + radius * normals]),
        normals=np.concatenate([normals, normals]),
        indices=np.concatenate(
            [np.stack([a, b, b + facets], axis=1), np.stack([a, b + facets, a + facets], axis=1)]
        ),
        node=np.repeat([first, last], facets),
    )


def part_box(structure: Structure, name: str, number: int, place: Floats) -> Skin | None:
    """Return the box of equal inertia of a rigid part; None for a part without inertia."""
    part = structure.parts[name]
    box = equivalent_box(part.mass, part.inertia_matrix())
    if box is None:
        return None
    sides, R = box
    mesh = solids.transformed(solids.box(sides), R, place + np.asarray(part.centre_of_mass))
    return of_mesh(mesh, number)


def of_mesh(mesh: Mesh, number: int) -> Skin:
    """Return a mesh with normals that moves with one node."""
    assert mesh.normals is not None
    return Skin(mesh.points, mesh.normals, mesh.indices, np.full(len(mesh.points), number))


def _axes(places: Floats, side: Floats | None) -> Floats:
    """Return the axes of a beam as rows: along it, towards its side and across; any side where none is given."""
    along = places[-1] - places[0]
    along = along / np.linalg.norm(along)
    towards = np.eye(3)[int(np.argmin(np.abs(along)))] if side is None else np.asarray(side, float)
    towards = towards - (towards @ along) * along
    towards = towards / np.linalg.norm(towards)
    return np.stack([along, towards, np.cross(along, towards)])


def _quad(corners: Floats, numbers: list[int]) -> Skin:
    """Return a flat quadrilateral of corners (2, 2, 3), row by row."""
    a, b, c, d = corners.reshape(4, 3)
    normal = np.cross(b - a, c - a)
    normal = normal / (np.linalg.norm(normal) or 1.0)
    return Skin(
        points=np.stack([a, b, c, d]),
        normals=np.tile(-normal, (4, 1)),
        indices=np.array([[0, 2, 1], [1, 2, 3]]),
        node=np.array(numbers),
    )


def beam_chain(name: str, beam: Beam) -> list[str]:
    """Return the names of the nodes along a beam."""
    start, end = beam.nodes
    return [start, *(f"{name}.{i}" for i in range(1, beam.elements)), end]
