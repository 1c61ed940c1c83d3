"""Drawing of flexible structures: members deformed by the recorded modes, magnified where necessary."""

import math
from collections.abc import Collection

import numpy as np

from softdock.errors import InputError
from softdock.flexible.modes import BaseModes
from softdock.model.structures import Flexible
from softdock.model.system import WORLD
from softdock.replay.keyframes import increasing_rows, track
from softdock.replay.members import (
    THINNEST_TRUSS,
    Skin,
    beam_chain,
    joined,
    nearest_parallel,
    part_box,
    plate,
    plate_width,
    truss,
    truss_sides,
    tube,
)
from softdock.replay.motion import GROUND
from softdock.replay.scene import Floats, Material, Mesh, Node, Part, Role, Track
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.rotations import matrix_from_quaternion
from softdock.tree.joints import quaternion

VISIBLE_DEFLECTION = 0.04  # largest drawn deflection, fraction of the structure's size
DEFLECTION_TOLERANCE = 2e-3  # of the keyframes, fraction of the largest drawn deflection
MAX_MODES = 16  # drawn modes, those with the largest deflections
MIN_DEFLECTION = 0.01  # of drawn modes, fraction of the largest deflection
BEAM_RADIUS = 0.004  # fraction of the structure's size
FACETS = 8
MEMBERS, PLATES, PARTS = "members", "plates", "parts"
DRAWN_NOTES = {
    PLATES: "Panels of {name} are drawn as wide as their inertia says, and apart from their neighbours.",
    PARTS: "Rigid parts of {name} are boxes of equal inertia.",
}
FREE_SHARE = 0.45  # of the distance to the next parallel plate that half the width of a plate takes
STEEL = Material(name="structure", colour=(0.52, 0.54, 0.58), metallic=0.3, roughness=0.5)
MATERIALS = {
    MEMBERS: STEEL,
    PLATES: Material(
        name="panel", colour=(0.03, 0.07, 0.28), metallic=0.3, roughness=0.35, double_sided=True
    ),
    PARTS: Material(name="rigid part", colour=(0.62, 0.62, 0.60), roughness=0.7),
}


def structure_nodes(
    result: Result, scenario: MultibodyScenario, drawn_parts: Collection[str] = ()
) -> tuple[list[Node], list[str]]:
    """Return the nodes of every structure, as children of its body's node, and notes on their magnification.

    `drawn_parts`: rigid parts that the caller draws.
    """
    nodes: list[Node] = []
    notes: list[str] = []
    for name, flexible in scenario.structures.items():
        try:
            modes = flexible.find_modes(scenario.directory)
        except InputError:
            notes.append(f"The structure {name} is not drawn: the files of its modes cannot be read.")
            continue
        skins = structure_skins(flexible, modes, drawn_parts)
        if not skins:
            notes.append(f"The structure {name} is not drawn: all of its nodes are at one place.")
            continue
        q, recorded = _coordinates(result, name, modes)
        chosen, scale = _select_modes(modes, q, recorded)
        columns = [recorded[k] for k in chosen]
        largest = np.abs(q[:, chosen]).max(axis=0)  # a weight of 1 is the largest deflection of a mode
        tracks = {}
        if chosen:
            time = result.history.time[increasing_rows(result.history.time)]
            reach = scale * largest * _largest_translation(modes)[columns]  # [m], of a weight of 1
            tolerance = DEFLECTION_TOLERANCE * VISIBLE_DEFLECTION * structure_size(modes)  # [m]
            deflections = track(time, q[:, chosen] / largest * reach, tolerance)
            tracks["weights"] = Track(time=deflections.time, values=deflections.values / reach)
            if scale != 1.0:
                notes.append(f"Deflections of {name} are magnified by a factor of {scale:g}.")
        notes += [note.format(name=name) for kind, note in DRAWN_NOTES.items() if kind in skins]
        parent = flexible.body if flexible.body != WORLD else GROUND
        for kind, skin in skins.items():
            mesh = _mesh(flexible, modes, skin, columns, scale * largest)
            part = Part(mesh=mesh, material=MATERIALS[kind], role=Role.STRUCTURE)
            own = name if kind == next(iter(skins)) else f"{name} {kind}"
            nodes.append(Node(name=own, parent=parent, parts=(part,), tracks=tracks))
    return nodes, notes


def _coordinates(result: Result, name: str, modes: BaseModes) -> tuple[Floats, list[int]]:
    """Return the recorded modal coordinates [m kg^0.5], (rows, recorded modes), and the indices of their modes."""
    rows = increasing_rows(result.history.time)
    columns = [k for k in range(modes.frequency.size) if f"{name}.mode{k + 1}" in result.history.channels]
    values = [result.history[f"{name}.mode{k + 1}"][rows] for k in columns]
    return np.stack(values, axis=1) if values else np.zeros((len(rows), 0)), columns


def structure_size(modes: BaseModes) -> float:
    """Return the diagonal of the box around all nodes [m], 1 if they are at one place."""
    return float(np.linalg.norm(np.ptp(modes.positions, axis=0))) or 1.0


def _largest_translation(modes: BaseModes) -> Floats:
    """Return the largest translation of any node per unit of each modal coordinate [kg^-0.5], shape (modes,)."""
    return np.asarray(np.linalg.norm(modes.shapes[:, 3:], axis=1).max(axis=0, initial=0.0))


def _select_modes(modes: BaseModes, q: Floats, recorded: list[int]) -> tuple[list[int], float]:
    """Return the columns of `q` with the largest deflections, and a round magnification factor for display."""
    deflection = np.abs(q).max(axis=0, initial=0.0) * _largest_translation(modes)[recorded]
    if not deflection.any():
        return [], 1.0
    order = [
        int(k)
        for k in np.argsort(-deflection)[:MAX_MODES]
        if deflection[k] > MIN_DEFLECTION * deflection.max()
    ]
    magnification = VISIBLE_DEFLECTION * structure_size(modes) / float(deflection.max())
    if magnification <= 1.0:
        return order, 1.0
    power = 10.0 ** math.floor(math.log10(magnification))
    return order, max(m * power for m in (1.0, 2.0, 5.0) if m * power <= magnification)


def structure_skins(
    flexible: Flexible, modes: BaseModes, drawn_parts: Collection[str] = ()
) -> dict[str, Skin]:
    """Return what is drawn of a structure: trusses, plates, thin members and rigid parts; none at one place."""
    number = {name: i for i, name in enumerate(modes.names)}
    radius = BEAM_RADIUS * structure_size(modes)
    found: dict[str, list[Skin]] = {MEMBERS: [], PLATES: [], PARTS: []}
    if flexible.members is None:
        found[MEMBERS] = [
            tube(modes.positions[a], modes.positions[b], a, b, radius, FACETS)
            for a, b in _spanning_tree(modes.positions)
            if (modes.positions[a] != modes.positions[b]).any()
        ]
        return {MEMBERS: joined(found[MEMBERS])} if found[MEMBERS] else {}
    members = flexible.members
    for name, beam in members.all_beams().items():
        kept = [number[node] for node in beam_chain(name, beam)]
        places = modes.positions[kept]
        if (places[0] == places[-1]).all():
            continue
        width = plate_width(members, name, beam)
        side = None if beam.side is None else np.asarray(beam.side, float)
        sides = truss_sides(members.section_of(beam))
        if width is not None:
            assert side is not None
            free = 2.0 * FREE_SHARE * nearest_parallel(members, name)
            found[PLATES].append(plate(places, kept, side, min(width, free)))
        elif min(sides) > THINNEST_TRUSS * radius and max(sides) < float(
            np.linalg.norm(places[-1] - places[0])
        ):
            found[MEMBERS].append(truss(places, kept, side, sides))
        else:
            found[MEMBERS] += [
                tube(places[i], places[i + 1], kept[i], kept[i + 1], radius, FACETS)
                for i in range(len(kept) - 1)
            ]
    for name, part in members.parts.items():
        if name not in drawn_parts:
            box = part_box(members, name, number[part.node], modes.positions[number[part.node]])
            found[PARTS] += [] if box is None else [box]
    return {kind: joined(skins) for kind, skins in found.items() if skins}


def _mesh(flexible: Flexible, modes: BaseModes, skin: Skin, columns: list[int], scale: Floats) -> Mesh:
    """Return a skin in the body's frame; every mode of `columns` is a morph target."""
    R, p = matrix_from_quaternion(quaternion(flexible.attitude)), np.asarray(flexible.at, float)
    moved = skin.deflected(modes.positions, modes.shapes[:, :, columns]) * scale
    morphs = np.einsum("ij,njk->nik", R, moved)
    return Mesh(
        points=skin.points @ R.T + p,
        normals=skin.normals @ R.T,
        indices=skin.indices,
        morphs=tuple(morphs[:, :, k] for k in range(len(columns))),
    )


def _spanning_tree(positions: Floats) -> list[tuple[int, int]]:
    """Return the minimum spanning tree of points."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform

    distances = squareform(pdist(positions)) + 1e-12  # [m]; SciPy takes a distance of 0 for no connection
    tree = minimum_spanning_tree(distances).tocoo()
    return [(int(a), int(b)) for a, b in zip(tree.row, tree.col)]
