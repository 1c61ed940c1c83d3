"""What stands for each body: its surfaces, a box of equal inertia, or the links of a mechanism."""

from collections.abc import Sequence

import numpy as np

from softdock.model.joints import MOTIONS, Free, direction
from softdock.model.system import WORLD, Body
from softdock.replay import solids
from softdock.replay.equivalent_boxes import equivalent_box
from softdock.replay.forces import turn_from_z
from softdock.replay.scene import Floats, Material, Mesh, Part, Role
from softdock.replay.surfaces import Drawn
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import matrix

Colour = tuple[float, float, float]
FAMILIES: tuple[Colour, ...] = (
    (0.10, 0.28, 0.55),
    (0.80, 0.42, 0.10),
    (0.05, 0.42, 0.30),
    (0.55, 0.22, 0.42),
)
"""Linear colours of the trees of bodies: chaser, target, others."""
GROUND: Colour = (0.35, 0.35, 0.35)
ROD = Material(name="rod", colour=(0.32, 0.34, 0.37), metallic=0.3, roughness=0.5)
DRUM = Material(name="joint", colour=(0.20, 0.21, 0.24), metallic=0.3, roughness=0.45)
THICK = 0.06  # of the mechanism's size: radius of the thickest rod
LINK = 0.22  # radius of a link, of the longest distance between joints of its tree


def colours_of(scenario: MultibodyScenario) -> dict[str, Colour]:
    """Return the colour of every body, by the root of its tree."""
    chaser = scenario.approach.chaser if scenario.approach else None
    roots = [name for name, body in scenario.bodies.items() if body.parent == WORLD]
    roots.sort(key=lambda name: name != chaser)
    colours = {WORLD: GROUND, **{name: FAMILIES[i % len(FAMILIES)] for i, name in enumerate(roots)}}

    def colour(name: str) -> Colour:
        if name not in colours:
            colours[name] = colour(scenario.bodies[name].parent)
        return colours[name]

    return {name: colour(name) for name in [*scenario.bodies, WORLD]}


def parts_of(
    name: str,
    scenario: MultibodyScenario,
    surfaces: dict[str, Drawn],
    looks: Sequence[Mesh],
    colour: Colour,
    size: float,
) -> list[Part]:
    """Return what is drawn of a body; `looks` are known meshes, `size` is that of the mechanism [m]."""
    parts = _surfaces(name, scenario, surfaces, colour)
    material = Material(name=name, colour=colour, metallic=0.2, roughness=0.5)
    parts += [Part(mesh=mesh, material=material, role=Role.CAD) for mesh in looks]
    if name == WORLD:
        return parts
    if not parts and _is_link(name, scenario):
        return _link(name, scenario, colour)
    if looks:
        return parts
    if not parts:
        parts = _equivalent_solid(name, scenario.bodies[name], colour)
    return parts + _rods(name, scenario, parts, THICK * size)


def _surfaces(
    name: str, scenario: MultibodyScenario, surfaces: dict[str, Drawn], colour: Colour
) -> list[Part]:
    entered = {contact.a for contact in scenario.contacts.values()}
    parts, seen = [], set()
    r, g, b = (0.55 * c + 0.3 for c in colour)
    for key, drawn in surfaces.items():
        if drawn.surface.body != name:
            continue
        source = (drawn.surface.file, drawn.surface.at, str(drawn.surface.attitude))
        if drawn.surface.file is not None and source in seen:
            continue  # two surfaces of one file are one body
        seen.add(source)
        cavity = drawn.is_cavity and key in entered
        material = Material(
            name=f"{name} surface",
            colour=(r, g, b) if cavity else colour,
            opacity=0.38 if cavity else 1.0,
            metallic=0.1 if cavity else 0.35,
            roughness=0.45,
            double_sided=cavity or drawn.surface.file is None,
        )
        parts.append(Part(mesh=drawn.mesh, material=material, role=Role.CAVITY if cavity else Role.CAD))
    return parts


def _equivalent_solid(name: str, body: Body, colour: Colour) -> list[Part]:
    """Return a box of equal mass and inertia, half-transparent with its edges."""
    solid = equivalent_box(body.mass, body.inertia_matrix())
    if solid is None:
        return []
    sides, R = solid
    p = np.array(body.centre_of_mass, float)
    r, g, b = (0.35 * c + 0.45 for c in colour)
    skin = Material(name=f"{name} stand-in", colour=(r, g, b), opacity=0.22, roughness=0.8)
    edge = Material(name=f"{name} edges", colour=(0.6 * colour[0], 0.6 * colour[1], 0.6 * colour[2]))
    return [
        Part(mesh=solids.transformed(solids.box(sides), R, p), material=skin, role=Role.STAND_IN),
        Part(mesh=solids.transformed(solids.box_edges(sides), R, p), material=edge, role=Role.STAND_IN),
    ]


def _carried(name: str, scenario: MultibodyScenario) -> list[Body]:
    """Return the bodies with mass that hang on a body."""
    bodies = scenario.bodies.values()
    return [b for b in bodies if b.parent == name and b.joint.type != "free" and b.mass > 0.0]


def _is_link(name: str, scenario: MultibodyScenario) -> bool:
    """Tell whether a body is part of an arm: it turns or slides on another, or carries on the ground what does."""
    body = scenario.bodies[name]
    if MOTIONS[body.joint.type]:
        return True
    return body.joint.type == "fixed" and any(MOTIONS[b.joint.type] for b in _carried(name, scenario))


def _link(name: str, scenario: MultibodyScenario, colour: Colour) -> list[Part]:
    """Return rods from a link's own joint to those that it carries, or past its centre of mass, and a drum."""
    body = scenario.bodies[name]
    joints = [np.array(b.joint.at, float) for b in _carried(name, scenario) if not isinstance(b.joint, Free)]
    ends = [end for end in joints if np.linalg.norm(end) > 0.0]
    if not joints:
        ends = [2.0 * np.array(body.centre_of_mass, float)]
    radius = LINK * _longest(name, scenario)
    material = Material(name=f"{name} link", colour=colour, metallic=0.2, roughness=0.5)
    parts = [_rod(np.zeros(3), end, 0.7 * radius, material) for end in ends if np.linalg.norm(end) > 1e-9]
    if body.joint.type == "revolute":
        axis = direction(body.joint.axis)
        parts.append(_rod(-1.1 * radius * axis, 1.1 * radius * axis, radius, DRUM))
    elif MOTIONS[body.joint.type]:
        parts.append(Part(mesh=solids.ball(radius), material=DRUM, role=Role.LINK))
    return parts


def _longest(name: str, scenario: MultibodyScenario) -> float:
    """Return the longest distance between neighbouring joints of a body's tree [m]."""

    def root(n: str) -> str:
        parent = scenario.bodies[n].parent
        return n if parent == WORLD or scenario.bodies[n].joint.type == "free" else root(parent)

    mine = root(name)
    lengths = [
        float(np.linalg.norm(body.joint.at))
        for n, body in scenario.bodies.items()
        if not isinstance(body.joint, Free) and root(n) == mine and body.parent not in (WORLD, mine)
    ]
    length = max(lengths, default=0.0) or float(np.linalg.norm(scenario.bodies[name].centre_of_mass))
    return length or 0.1


def _rod(start: Floats, end: Floats, radius: float, material: Material) -> Part:
    length = float(np.linalg.norm(end - start))
    R = matrix(turn_from_z(((end - start) / length)[None, :])[0])
    return Part(
        mesh=solids.transformed(solids.rod(radius, length), R, start), material=material, role=Role.LINK
    )


def _rods(name: str, scenario: MultibodyScenario, parts: list[Part], thick: float) -> list[Part]:
    """Return slim rods from a body to the joints of those that it carries, where nothing else joins them."""
    centre = np.array(scenario.bodies[name].centre_of_mass, float)
    points = np.concatenate([part.mesh.points for part in parts]) if parts else None
    out = []
    for child in _carried(name, scenario):
        assert not isinstance(child.joint, Free)
        joint = np.array(child.joint.at, float)
        if points is not None and np.all((joint >= points.min(axis=0)) & (joint <= points.max(axis=0))):
            continue
        length = float(np.linalg.norm(joint - centre))
        if length > 0.0:
            out.append(_rod(centre, joint, min(0.05 * length, thick), ROD))
    return out
