"""Drawing of flexible structures: beams deformed by the recorded modes, magnified where necessary."""

import itertools
import math

import numpy as np

from softdock.errors import InputError
from softdock.flexible.modes import BaseModes
from softdock.model.structures import Flexible
from softdock.model.system import WORLD
from softdock.replay import solids
from softdock.replay.forces import rotation_from_z
from softdock.replay.keyframes import increasing_rows, track
from softdock.replay.motion import GROUND
from softdock.replay.scene import Floats, Indices, Material, Mesh, Node, Part, Role, Track
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
STEEL = Material(name="structure", colour=(0.52, 0.54, 0.58), metallic=0.3, roughness=0.5)


def structure_nodes(result: Result, scenario: MultibodyScenario) -> tuple[list[Node], list[str]]:
    """Return a node for every structure, as child of its body's node, and notes on their magnification."""
    nodes: list[Node] = []
    notes: list[str] = []
    for name, flexible in scenario.structures.items():
        try:
            modes = flexible.find_modes(scenario.directory)
        except InputError:
            notes.append(f"The structure {name} is not drawn: the files of its modes cannot be read.")
            continue
        pairs = _connected_nodes(flexible, modes)
        if not pairs:
            notes.append(f"The structure {name} is not drawn: all of its nodes are at one place.")
            continue
        q, recorded = _coordinates(result, name, modes)
        chosen, scale = _select_modes(modes, q, recorded)
        columns = [recorded[k] for k in chosen]
        largest = np.abs(q[:, chosen]).max(axis=0)  # a weight of 1 is the largest deflection of a mode
        mesh = _mesh(flexible, modes, pairs, columns, scale * largest)
        tracks = {}
        if chosen:
            time = result.history.time[increasing_rows(result.history.time)]
            reach = scale * largest * _largest_translation(modes)[columns]  # [m], of a weight of 1
            tolerance = DEFLECTION_TOLERANCE * VISIBLE_DEFLECTION * _size(modes)  # [m]
            deflections = track(time, q[:, chosen] / largest * reach, tolerance)
            tracks["weights"] = Track(time=deflections.time, values=deflections.values / reach)
            if scale != 1.0:
                notes.append(f"Deflections of {name} are magnified by a factor of {scale:g}.")
        part = Part(mesh=mesh, material=STEEL, role=Role.STRUCTURE)
        nodes.append(
            Node(
                name=name,
                parent=flexible.body if flexible.body != WORLD else GROUND,
                parts=(part,),
                tracks=tracks,
            )
        )
    return nodes, notes


def _coordinates(result: Result, name: str, modes: BaseModes) -> tuple[Floats, list[int]]:
    """Return the recorded modal coordinates [m kg^0.5], (rows, recorded modes), and the indices of their modes."""
    rows = increasing_rows(result.history.time)
    columns = [k for k in range(modes.frequency.size) if f"{name}.mode{k + 1}" in result.history.channels]
    values = [result.history[f"{name}.mode{k + 1}"][rows] for k in columns]
    return np.stack(values, axis=1) if values else np.zeros((len(rows), 0)), columns


def _size(modes: BaseModes) -> float:
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
    magnification = VISIBLE_DEFLECTION * _size(modes) / float(deflection.max())
    if magnification <= 1.0:
        return order, 1.0
    power = 10.0 ** math.floor(math.log10(magnification))
    return order, max(m * power for m in (1.0, 2.0, 5.0) if m * power <= magnification)


def _mesh(
    flexible: Flexible, modes: BaseModes, pairs: list[tuple[int, int]], columns: list[int], scale: Floats
) -> Mesh:
    """Return tubes between pairs of nodes in the body's frame; every mode of `columns` is a morph target."""
    R, p = matrix_from_quaternion(quaternion(flexible.attitude)), np.asarray(flexible.at, float)
    places = modes.positions @ R.T + p
    displacement = np.einsum("ij,njk->nik", R, modes.shapes[:, 3:, columns]) * scale
    radius = BEAM_RADIUS * _size(modes)
    points: list[Floats] = []
    normals: list[Floats] = []
    indices: list[Indices] = []
    node_of_point: list[int] = []
    for a, b in pairs:
        length = float(np.linalg.norm(places[b] - places[a]))
        tube = solids.rod(radius, length, FACETS)
        assert tube.normals is not None
        rotation = matrix_from_quaternion(rotation_from_z(((places[b] - places[a]) / length)[None, :])[0])
        first = sum(len(part) for part in points)
        points.append(tube.points @ rotation.T + places[a])
        normals.append(tube.normals @ rotation.T)
        indices.append(tube.indices + first)
        node_of_point += [b if z > 0.5 * length else a for z in tube.points[:, 2]]
    morphs = displacement[node_of_point]
    return Mesh(
        points=np.concatenate(points),
        normals=np.concatenate(normals),
        indices=np.concatenate(indices),
        morphs=tuple(morphs[:, :, k] for k in range(len(columns))),
    )


def _connected_nodes(flexible: Flexible, modes: BaseModes) -> list[tuple[int, int]]:
    """Return the pairs of connected nodes at different places: by beams, or a spanning tree if only modes are known."""
    number = {name: i for i, name in enumerate(modes.names)}
    if flexible.members is None:
        pairs = _spanning_tree(modes.positions)
    else:
        pairs = []
        for name, beam in flexible.members.all_beams().items():
            start, end = beam.nodes
            chain = [start, *(f"{name}.{i}" for i in range(1, beam.elements)), end]
            pairs += [(number[a], number[b]) for a, b in itertools.pairwise(chain)]
    return [(a, b) for a, b in pairs if (modes.positions[a] != modes.positions[b]).any()]


def _spanning_tree(positions: Floats) -> list[tuple[int, int]]:
    """Return the minimum spanning tree of points."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform

    distances = squareform(pdist(positions)) + 1e-12  # [m]; SciPy takes a distance of 0 for no connection
    tree = minimum_spanning_tree(distances).tocoo()
    return [(int(a), int(b)) for a, b in zip(tree.row, tree.col)]
