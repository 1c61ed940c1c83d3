"""Drawing of bodies: their surfaces, a box of equal inertia, or the links of a mechanism."""

from collections.abc import Sequence

import numpy as np

from softdock.model.system import WORLD, Body
from softdock.replay import solids
from softdock.replay.equivalent_box import equivalent_box
from softdock.replay.scene import Floats, Material, Mesh, Part, Role
from softdock.replay.surfaces import DrawnSurface
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.rotations import matrix_from_z_to
from softdock.tree.joints import Free, direction

Colour = tuple[float, float, float]
TREE_COLOURS: tuple[Colour, ...] = (
    (0.10, 0.28, 0.55),
    (0.80, 0.42, 0.10),
    (0.05, 0.42, 0.30),
    (0.55, 0.22, 0.42),
)
"""Linear RGB colours of the body trees: chaser, target, others."""
GROUND: Colour = (0.35, 0.35, 0.35)
ROD = Material(name="rod", colour=(0.32, 0.34, 0.37), metallic=0.3, roughness=0.5)
JOINT = Material(name="joint", colour=(0.20, 0.21, 0.24), metallic=0.3, roughness=0.45)
MAX_ROD_RADIUS = 0.06  # fraction of the mechanism's size
LINK_RADIUS = 0.22  # fraction of the longest distance between joints of its tree


def body_colours(scenario: MultibodyScenario) -> dict[str, Colour]:
    """Return the colour of every body, by the root of its tree."""
    chaser = scenario.approach.chaser if scenario.approach else None
    roots = [name for name, body in scenario.bodies.items() if body.parent == WORLD]
    roots.sort(key=lambda name: name != chaser)
    colours = {WORLD: GROUND, **{name: TREE_COLOURS[i % len(TREE_COLOURS)] for i, name in enumerate(roots)}}

    def colour(name: str) -> Colour:
        if name not in colours:
            colours[name] = colour(scenario.bodies[name].parent)
        return colours[name]

    return {name: colour(name) for name in [*scenario.bodies, WORLD]}


def body_parts(
    name: str,
    scenario: MultibodyScenario,
    surfaces: dict[str, DrawnSurface],
    body_meshes: Sequence[Mesh],
    colour: Colour,
    size: float,
) -> list[Part]:
    """Return the drawn parts of a body; `body_meshes` are its own meshes, `size` is that of the mechanism [m]."""
    parts = _surfaces(name, scenario, surfaces, colour)
    material = Material(name=name, colour=colour, metallic=0.2, roughness=0.5)
    parts += [Part(mesh=mesh, material=material, role=Role.CAD) for mesh in body_meshes]
    if name == WORLD:
        return parts
    if not parts and _is_link(name, scenario):
        return _link(name, scenario, colour)
    if body_meshes:
        return parts
    if not parts:
        parts = _placeholder(name, scenario.bodies[name], colour)
    return parts + _rods(name, scenario, parts, MAX_ROD_RADIUS * size)


def _surfaces(
    name: str, scenario: MultibodyScenario, surfaces: dict[str, DrawnSurface], colour: Colour
) -> list[Part]:
    cavities = {contact.a for contact in scenario.contacts.values()}
    parts = []
    r, g, b = (0.55 * c + 0.3 for c in colour)
    for key, drawn in surfaces.items():
        if drawn.surface.body != name:
            continue
        cavity = drawn.is_cavity and key in cavities
        material = Material(
            name=f"{name} surface",
            colour=(r, g, b) if cavity else colour,
            opacity=0.38 if cavity else 1.0,
            metallic=0.1 if cavity else 0.35,
            roughness=0.45,
            double_sided=True,  # a profile may be open
        )
        parts.append(Part(mesh=drawn.mesh, material=material, role=Role.CAVITY if cavity else Role.CAD))
    return parts


def _placeholder(name: str, body: Body, colour: Colour) -> list[Part]:
    """Return a semi-transparent box of equal mass and inertia, and its edges."""
    solid = equivalent_box(body.mass, body.inertia_matrix())
    if solid is None:
        return []
    sides, R = solid
    p = np.array(body.centre_of_mass, float)
    r, g, b = (0.35 * c + 0.45 for c in colour)
    skin = Material(name=f"{name} placeholder", colour=(r, g, b), opacity=0.22, roughness=0.8)
    edge = Material(name=f"{name} edges", colour=(0.6 * colour[0], 0.6 * colour[1], 0.6 * colour[2]))
    return [
        Part(mesh=solids.transformed(solids.box(sides), R, p), material=skin, role=Role.PLACEHOLDER),
        Part(mesh=solids.transformed(solids.box_edges(sides), R, p), material=edge, role=Role.PLACEHOLDER),
    ]


def _children(name: str, scenario: MultibodyScenario) -> list[Body]:
    """Return the child bodies with mass."""
    bodies = scenario.bodies.values()
    return [b for b in bodies if b.parent == name and b.joint.type != "free" and b.mass > 0.0]


def _is_link(name: str, scenario: MultibodyScenario) -> bool:
    """Return whether a body is a link of an arm: it has a moving joint, or is fixed and has a child with one."""
    body = scenario.bodies[name]
    if body.joint.motions:
        return True
    return body.joint.type == "fixed" and any(b.joint.motions for b in _children(name, scenario))


def _link(name: str, scenario: MultibodyScenario, colour: Colour) -> list[Part]:
    """Return rods from a link's joint to the joints of its children, or to twice its centre of mass, and its joint."""
    body = scenario.bodies[name]
    joints = [np.array(b.joint.at, float) for b in _children(name, scenario) if not isinstance(b.joint, Free)]
    ends = [end for end in joints if np.linalg.norm(end) > 0.0]
    if not joints:
        ends = [2.0 * np.array(body.centre_of_mass, float)]
    radius = LINK_RADIUS * _longest_link(name, scenario)
    material = Material(name=f"{name} link", colour=colour, metallic=0.2, roughness=0.5)
    parts = [_rod(np.zeros(3), end, 0.7 * radius, material) for end in ends if np.linalg.norm(end) > 1e-9]
    if body.joint.type == "revolute":
        axis = direction(body.joint.axis)
        parts.append(_rod(-1.1 * radius * axis, 1.1 * radius * axis, radius, JOINT))
    elif body.joint.motions:
        parts.append(Part(mesh=solids.ball(radius), material=JOINT, role=Role.LINK))
    return parts


def _longest_link(name: str, scenario: MultibodyScenario) -> float:
    """Return the longest distance between adjacent joints of a body's tree [m]."""

    def root(n: str) -> str:
        parent = scenario.bodies[n].parent
        return n if parent == WORLD or scenario.bodies[n].joint.type == "free" else root(parent)

    tree = root(name)
    lengths = [
        float(np.linalg.norm(body.joint.at))
        for n, body in scenario.bodies.items()
        if not isinstance(body.joint, Free) and root(n) == tree and body.parent not in (WORLD, tree)
    ]
    length = max(lengths, default=0.0) or float(np.linalg.norm(scenario.bodies[name].centre_of_mass))
    return length or 0.1


def _rod(start: Floats, end: Floats, radius: float, material: Material) -> Part:
    length = float(np.linalg.norm(end - start))
    R = matrix_from_z_to((end - start) / length)
    return Part(
        mesh=solids.transformed(solids.rod(radius, length), R, start), material=material, role=Role.LINK
    )


def _rods(name: str, scenario: MultibodyScenario, parts: list[Part], max_radius: float) -> list[Part]:
    """Return thin rods from a body to the joints of its children that lie outside its drawn parts."""
    centre = np.array(scenario.bodies[name].centre_of_mass, float)
    points = np.concatenate([part.mesh.points for part in parts]) if parts else None
    out = []
    for child in _children(name, scenario):
        assert not isinstance(child.joint, Free)
        joint = np.array(child.joint.at, float)
        if points is not None and np.all((joint >= points.min(axis=0)) & (joint <= points.max(axis=0))):
            continue
        length = float(np.linalg.norm(joint - centre))
        if length > 0.0:
            out.append(_rod(centre, joint, min(0.05 * length, max_radius), ROD))
    return out
