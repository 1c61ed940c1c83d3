"""Flexible structures: beams between their nodes, bent by the recorded modes, larger than they are where need be."""

import itertools
import math

import numpy as np

from softdock.errors import InputError
from softdock.flexible import BaseModes
from softdock.model.joints import quaternion
from softdock.model.structures import Flexible
from softdock.model.system import WORLD
from softdock.replay import solids
from softdock.replay.forces import turn_from_z
from softdock.replay.keyframes import increasing, track
from softdock.replay.motion import GROUND
from softdock.replay.scene import Floats, Indices, Material, Mesh, Node, Part, Role, Track
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import matrix

SEEN = 0.04  # of a structure's size: the largest deflection is drawn about so large
MOST_MODES = 16  # that are drawn; those that bend most
SMALL = 0.01  # of the largest deflection: a mode that bends less is left out
THICK = 0.004  # radius of a beam, of the structure's size
FACETS = 8
STEEL = Material(name="structure", colour=(0.52, 0.54, 0.58), metallic=0.3, roughness=0.5)


def structure_nodes(result: Result, scenario: MultibodyScenario) -> tuple[list[Node], list[str]]:
    """Return a node for every structure, below that of its body, and notes on their scale."""
    nodes: list[Node] = []
    notes: list[str] = []
    for name, flexible in scenario.structures.items():
        try:
            modes = flexible.find_modes(scenario.directory)
        except InputError:
            notes.append(
                f"The structure {name} is not drawn: the files of its modes cannot be read any more."
            )
            continue
        q, columns = _coordinates(result, name, modes)
        chosen, scale = _chosen(modes, q, columns)
        most = np.abs(q[:, chosen]).max(axis=0)  # a weight of 1 is the most that a mode is ever bent
        mesh = _mesh(flexible, modes, [columns[k] for k in chosen], scale * most)
        tracks = {}
        if chosen:
            time = result.history.time[increasing(result.history.time)]
            reach = scale * most * _reach(modes)[[columns[k] for k in chosen]]
            drawn = track(time, q[:, chosen] / most * reach, 2e-3 * SEEN * _size(modes))  # in metres
            tracks["weights"] = Track(time=drawn.time, values=drawn.values / reach)
            if scale != 1.0:
                notes.append(f"Deflections of {name} are drawn {scale:g} times as large as they are.")
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
    """Return the recorded modal coordinates, (rows, recorded modes), and which modes they belong to."""
    rows = increasing(result.history.time)
    columns = [k for k in range(modes.frequency.size) if f"{name}.mode{k + 1}" in result.history.channels]
    values = [result.history[f"{name}.mode{k + 1}"][rows] for k in columns]
    return np.stack(values, axis=1) if values else np.zeros((len(rows), 0)), columns


def _size(modes: BaseModes) -> float:
    return float(np.linalg.norm(np.ptp(modes.positions, axis=0))) or 1.0


def _reach(modes: BaseModes) -> Floats:
    """Return the largest shift of any node at a unit of each mode."""
    return np.asarray(np.linalg.norm(modes.shapes[:, 3:], axis=1).max(axis=0, initial=0.0))


def _chosen(modes: BaseModes, q: Floats, columns: list[int]) -> tuple[list[int], float]:
    """Return the columns of the modes that bend most, and a round factor that makes their deflection visible."""
    bent = np.abs(q).max(axis=0, initial=0.0) * _reach(modes)[columns]
    if not bent.any():
        return [], 1.0
    order = [int(k) for k in np.argsort(-bent)[:MOST_MODES] if bent[k] > SMALL * bent.max()]
    wanted = SEEN * _size(modes) / float(bent.max())
    if wanted <= 1.0:
        return order, 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return order, max(m * power for m in (1.0, 2.0, 5.0) if m * power <= wanted)


def _mesh(flexible: Flexible, modes: BaseModes, columns: list[int], scale: Floats) -> Mesh:
    """Return tubes along all beams in the body's frame; every mode is a morph of it."""
    R, p = matrix(quaternion(flexible.attitude)), np.asarray(flexible.at, float)
    places = modes.positions @ R.T + p
    shift = np.einsum("ij,njk->nik", R, modes.shapes[:, 3:, columns]) * scale
    radius = THICK * _size(modes)
    points: list[Floats] = []
    normals: list[Floats] = []
    indices: list[Indices] = []
    owners: list[int] = []
    for a, b in _pairs(flexible, modes):
        length = float(np.linalg.norm(places[b] - places[a]))
        if length == 0.0:
            continue
        tube = solids.rod(radius, length, FACETS)
        assert tube.normals is not None
        turn = matrix(turn_from_z(((places[b] - places[a]) / length)[None, :])[0])
        first = sum(len(part) for part in points)
        points.append(tube.points @ turn.T + places[a])
        normals.append(tube.normals @ turn.T)
        indices.append(tube.indices + first)
        owners += [b if z > 0.5 * length else a for z in tube.points[:, 2]]
    morphs = shift[owners] if owners else np.zeros((0, 3, len(columns)))
    return Mesh(
        points=np.concatenate(points),
        normals=np.concatenate(normals),
        indices=np.concatenate(indices),
        morphs=tuple(morphs[:, :, k] for k in range(len(columns))),
    )


def _pairs(flexible: Flexible, modes: BaseModes) -> list[tuple[int, int]]:
    """Return which nodes are joined: by beams, or where only modes are known, each to its nearest neighbours."""
    number = {name: i for i, name in enumerate(modes.names)}
    if flexible.members is None:
        return _spanning_tree(modes.positions)
    out = []
    for name, beam in flexible.members.all_beams().items():
        start, end = beam.nodes
        chain = [start, *(f"{name}.{i}" for i in range(1, beam.elements)), end]
        out += [(number[a], number[b]) for a, b in itertools.pairwise(chain)]
    return out


def _spanning_tree(positions: Floats) -> list[tuple[int, int]]:
    """Return the shortest set of lines that joins all points."""
    from scipy.sparse.csgraph import minimum_spanning_tree
    from scipy.spatial.distance import pdist, squareform

    tree = minimum_spanning_tree(squareform(pdist(positions)) + 1e-12).tocoo()
    return [(int(a), int(b)) for a, b in zip(tree.row, tree.col)]
