"""The scene of a multibody run: bodies as their CAD or as stand-ins, arrows where contacts push."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softdock.errors import InputError, Problem
from softdock.geometry.profile import Profile
from softdock.geometry.remembered import profile_from_rows
from softdock.multibody.joints import matrix, quaternion
from softdock.multibody.observe import parse_condition, parse_observation
from softdock.multibody.system import WORLD, Body
from softdock.multibody.touching import Surface
from softdock.outlines import digest_of, outlines_of
from softdock.replay import forces, solids
from softdock.replay.cad import cad_mesh
from softdock.replay.curves import curves_of, first_charts
from softdock.replay.keyframes import increasing, track, turning_track
from softdock.replay.scene import Floats, Focus, Material, Mesh, Node, Part, Role, Scene
from softdock.replay.scenes import REMEDY, facts, scenario_of
from softdock.replay.stand_ins import equal_box
from softdock.result import Result
from softdock.scenario.multibody import METRIC, MultibodyScenario

FINE = 1e-4  # of the mechanism's size: how far a drawn pose may be from the recorded one
THICK = 0.06  # of the mechanism's size: radius of the thickest rod
ARROW = 0.6  # length of the longest arrow, of the mechanism's radius
FAMILIES = ((0.10, 0.28, 0.55), (0.80, 0.42, 0.10), (0.05, 0.42, 0.30), (0.55, 0.22, 0.42))
"""Linear colours of the trees of bodies: chaser, target, others."""
RED = Material(name="contact force", colour=(0.75, 0.02, 0.02), roughness=0.5)
ROD = Material(name="rod", colour=(0.32, 0.34, 0.37), metallic=0.3, roughness=0.5)


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A surface with its outline, and its mesh in the body's frame."""

    surface: Surface
    profile: Profile
    p_BS: Floats
    R_BS: Floats
    mesh: Mesh

    @property
    def is_cavity(self) -> bool:
        """Whether other bodies enter it: a cavity is travelled towards -z."""
        return self.profile.segments[-1].end[0] < self.profile.segments[0].start[0]


@dataclass(frozen=True, kw_only=True)
class Motion:
    """Poses of all bodies over time."""

    time: Floats
    p: dict[str, Floats]
    """p_NB_N [m], (n, 3)."""
    q: dict[str, Floats]
    """wxyz, (n, 4)."""

    def rotations(self, body: str) -> Floats:
        """Return R_NB, (n, 3, 3)."""
        return np.moveaxis(matrix(self.q[body].T), -1, 0)


def build(result: Result) -> Scene:
    """Return the scene of a multibody run."""
    scenario = scenario_of(result)
    assert isinstance(scenario, MultibodyScenario)
    return build_system(result, scenario, {})


def build_system(result: Result, scenario: MultibodyScenario, looks: Mapping[str, Sequence[Mesh]]) -> Scene:
    """Return the scene of a run of a system; `looks` has meshes of bodies that are known, in body axes."""
    motion = _motion(result, scenario)
    surfaces, notes = _surfaces(result, scenario)
    focus = _focus(scenario, surfaces, motion)
    size = focus.radius if focus else _extent(motion)
    nodes = _bodies(scenario, surfaces, looks, motion, size)
    arrows, peak = _arrows(result, scenario, surfaces, motion, size)
    if arrows:
        nodes += arrows
        notes.append(f"Arrows grow with the root of the force; the longest stands for {peak:.4g} N.")
    curves = curves_of(result)
    return Scene(
        name=result.scenario,
        title=scenario.title,
        outcome=result.outcome,
        message=result.message,
        start=float(motion.time[0]),
        end=float(motion.time[-1]),
        nodes=tuple(nodes),
        turn_wxyz=_turn(scenario, focus, motion),
        focus=focus,
        events=result.events,
        curves=curves,
        charts=first_charts(curves, _wanted(scenario)),
        notes=tuple(notes),
        facts=facts(result),
    )


def _motion(result: Result, scenario: MultibodyScenario) -> Motion:
    channels = result.history.channels
    missing = [
        name for name in scenario.bodies if f"{name}.x" not in channels or f"{name}.qw" not in channels
    ]
    if missing:
        message = "The history does not hold the poses of all bodies, which a replay needs."
        raise InputError(Problem(message=message, given=f"nothing of {', '.join(missing)}", hint=REMEDY))
    rows = increasing(result.history.time)
    p = {b: np.stack([channels[f"{b}.{k}"].values[rows] for k in "xyz"], axis=1) for b in scenario.bodies}
    q = {b: np.stack([channels[f"{b}.q{k}"].values[rows] for k in "wxyz"], axis=1) for b in scenario.bodies}
    n = len(rows)
    p[WORLD], q[WORLD] = np.zeros((n, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))
    return Motion(time=result.history.time[rows], p=p, q=q)


def _surfaces(result: Result, scenario: MultibodyScenario) -> tuple[dict[str, Drawn], list[str]]:
    """Return what can be drawn of every surface: its CAD where the file is still as it was, else its outline."""
    outlines = result.outlines or outlines_of(result.definition, result.directory)
    out, notes = {}, []
    for name, surface in scenario.surfaces.items():
        if name not in outlines:
            message = (
                "The result does not hold the outlines of its surfaces, and their files cannot be found."
            )
            raise InputError(Problem(field=f"surfaces.{name}", message=message, hint=REMEDY))
        outline = outlines[name]
        profile = profile_from_rows(outline["meridian"])
        p_BS, R_BS = np.array(outline["p_BS"]), np.array(outline["R_BS"])
        mesh = None
        if surface.file is not None:
            path = Path(result.directory) / surface.file
            if digest_of(path) == outline.get("sha256"):
                mesh = cad_mesh(path, surface.unit)
            if mesh is None:
                notes.append(f"{name} is drawn by its meridian: {surface.file} is gone, changed or too fine.")
            else:
                mesh = solids.transformed(mesh, matrix(quaternion(surface.attitude)), np.array(surface.at))
        if mesh is None:
            mesh = solids.transformed(solids.lathe(profile), R_BS, p_BS)
        out[name] = Drawn(surface=surface, profile=profile, p_BS=p_BS, R_BS=R_BS, mesh=mesh)
    return out, notes


def _focus(scenario: MultibodyScenario, surfaces: dict[str, Drawn], motion: Motion) -> Focus | None:
    """Return where the bodies meet: about the first surface that is touched."""
    if not scenario.contacts:
        return None
    contact = next(iter(scenario.contacts.values()))
    for candidate in scenario.contacts.values():
        if surfaces[candidate.a].is_cavity:
            contact = candidate
            break
    a, b = surfaces[contact.a], surfaces[contact.b]
    low, high = a.mesh.points.min(axis=0), a.mesh.points.max(axis=0)
    own, other = (np.ptp(s.mesh.points, axis=0) for s in (a, b))
    axis = a.R_BS[:, 2]
    R_NA, R_NB = motion.rotations(a.surface.body)[0], motion.rotations(b.surface.body)[0]
    p_A = motion.p[a.surface.body][0] + R_NA @ a.p_BS
    p_B = motion.p[b.surface.body][0] + R_NB @ b.mesh.points.mean(axis=0)
    if axis @ R_NA.T @ (p_A - p_B) < 0.0:
        axis = -axis
    return Focus(
        node=a.surface.body,
        centre=_triple(0.5 * (low + high)),
        axis=_triple(axis),
        radius=0.5 * float(min(np.linalg.norm(own), 8.0 * np.linalg.norm(other))),
    )


def _triple(vector: Floats) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in vector)
    return x, y, z


def _extent(motion: Motion) -> float:
    places = np.concatenate(list(motion.p.values()))
    return max(0.5 * float(np.linalg.norm(np.ptp(places, axis=0))), 1e-3)


def _bodies(
    scenario: MultibodyScenario,
    surfaces: dict[str, Drawn],
    looks: Mapping[str, Sequence[Mesh]],
    motion: Motion,
    size: float,
) -> list[Node]:
    """Return one node for every body; a body moves by its own pose in the world."""
    tolerance = FINE * size
    families = _families(scenario)
    used = {surface.body for surface in scenario.surfaces.values()}
    nodes = []
    for name in [*scenario.bodies, *([WORLD] if WORLD in used else [])]:
        parts = _looks(name, looks[name], families[name]) if name in looks else []
        parts = parts or _parts(name, scenario, surfaces, families[name], size)
        reach = max([float(np.linalg.norm(part.mesh.points, axis=1).max()) for part in parts] or [0.1])
        tracks = {
            "translation": track(motion.time, motion.p[name], tolerance),
            "rotation": turning_track(motion.time, motion.q[name], tolerance / reach),
        }
        moving = {path: t for path, t in tracks.items() if np.ptp(t.values, axis=0).any()}
        nodes.append(
            Node(
                name=name if name != WORLD else "ground",
                parts=tuple(parts),
                translation=_triple(motion.p[name][0]),
                rotation_wxyz=tuple(motion.q[name][0].tolist()),
                tracks=moving,
            )
        )
    return nodes


def _families(scenario: MultibodyScenario) -> dict[str, tuple[float, float, float]]:
    """Return the colour of every body, by the root of its tree."""
    chaser = scenario.approach.chaser if scenario.approach else None
    roots = [name for name, body in scenario.bodies.items() if body.parent == WORLD]
    roots.sort(key=lambda name: name != chaser)
    colours: dict[str, tuple[float, float, float]] = {WORLD: (0.35, 0.35, 0.35)}
    colours |= {name: FAMILIES[i % len(FAMILIES)] for i, name in enumerate(roots)}

    def colour(name: str) -> tuple[float, float, float]:
        if name not in colours:
            colours[name] = colour(scenario.bodies[name].parent)
        return colours[name]

    return {name: colour(name) for name in [*scenario.bodies, WORLD]}


def _parts(
    name: str,
    scenario: MultibodyScenario,
    surfaces: dict[str, Drawn],
    colour: tuple[float, float, float],
    size: float,
) -> list[Part]:
    own = {key: drawn for key, drawn in surfaces.items() if drawn.surface.body == name}
    entered = {contact.a for contact in scenario.contacts.values()}
    parts, seen = [], set()
    for key, drawn in own.items():
        source = (drawn.surface.file, drawn.surface.at, str(drawn.surface.attitude))
        if drawn.surface.file is not None and source in seen:
            continue  # two surfaces of one file are one body
        seen.add(source)
        cavity = drawn.is_cavity and key in entered
        shade = tuple(0.55 * c + 0.3 for c in colour)
        material = Material(
            name=f"{name} surface",
            colour=shade if cavity else colour,  # type: ignore[arg-type]
            opacity=0.38 if cavity else 1.0,
            metallic=0.1 if cavity else 0.35,
            roughness=0.45,
            double_sided=cavity or drawn.surface.file is None,
        )
        parts.append(Part(mesh=drawn.mesh, material=material, role=Role.CAVITY if cavity else Role.CAD))
    if name == WORLD:
        return parts
    body = scenario.bodies[name]
    if not own:
        parts += _stand_in(name, body, colour)
    return parts + _rods(name, scenario, parts, THICK * size)


def _looks(name: str, meshes: Sequence[Mesh], colour: tuple[float, float, float]) -> list[Part]:
    material = Material(name=name, colour=colour, metallic=0.2, roughness=0.5)
    return [Part(mesh=mesh, material=material, role=Role.CAD) for mesh in meshes]


def _stand_in(name: str, body: Body, colour: tuple[float, float, float]) -> list[Part]:
    """Return a box of equal mass and inertia, half-transparent with its edges."""
    solid = equal_box(body.mass, body.inertia_matrix())
    if solid is None:
        return []
    sides, R = solid
    p = np.array(body.centre_of_mass, float)
    pale = tuple(0.35 * c + 0.45 for c in colour)
    skin = Material(name=f"{name} stand-in", colour=pale, opacity=0.22, roughness=0.8)  # type: ignore[arg-type]
    edge = Material(name=f"{name} edges", colour=tuple(0.6 * c for c in colour))  # type: ignore[arg-type]
    return [
        Part(mesh=solids.transformed(solids.box(sides), R, p), material=skin, role=Role.STAND_IN),
        Part(mesh=solids.transformed(solids.box_edges(sides), R, p), material=edge, role=Role.STAND_IN),
    ]


def _rods(name: str, scenario: MultibodyScenario, parts: list[Part], thick: float) -> list[Part]:
    """Return slim rods from a body to the joints of those that it carries, where nothing else joins them."""
    points = [part.mesh.points for part in parts]
    centre = np.array(scenario.bodies[name].centre_of_mass, float)
    out = []
    for child in scenario.bodies.values():
        if child.parent != name or child.joint.type == "free" or not child.mass:
            continue
        joint = np.array(child.joint.at, float)
        if points:
            all_points = np.concatenate(points)
            inside = (joint >= all_points.min(axis=0)) & (joint <= all_points.max(axis=0))
            if inside.all():
                continue
        length = float(np.linalg.norm(joint - centre))
        if length == 0.0:
            continue
        R = matrix(forces.turn_from_z(((joint - centre) / length)[None, :])[0])
        mesh = solids.transformed(solids.rod(min(0.05 * length, thick), length), R, centre)
        out.append(Part(mesh=mesh, material=ROD, role=Role.LINK))
    return out


def _arrows(
    result: Result,
    scenario: MultibodyScenario,
    surfaces: dict[str, Drawn],
    motion: Motion,
    size: float,
) -> tuple[list[Node], float]:
    """Return an arrow for every contact that pushes, and the largest force [N]."""
    rows = increasing(result.history.time)
    channels = result.history.channels
    pushes = {}
    for name, contact in scenario.contacts.items():
        columns = [channels.get(f"{name}.{key}") for key in ("fx", "fy", "fz", "tx", "ty", "tz")]
        if all(columns) and (wrench := np.stack([c.values[rows] for c in columns if c], axis=1))[:, :3].any():
            pushes[name] = (contact, wrench)
    if not pushes:
        return [], 0.0
    peak = max(float(np.linalg.norm(w[:, :3], axis=1).max()) for _, w in pushes.values())
    mesh = solids.arrow()
    nodes = []
    for name, (contact, wrench) in pushes.items():
        a, b = surfaces[contact.a], surfaces[contact.b]
        force = np.linalg.norm(wrench[:, :3], axis=1)
        on = force > 0.0
        R_NA = motion.rotations(a.surface.body) @ a.R_BS
        p_NA = motion.p[a.surface.body] + motion.rotations(a.surface.body) @ a.p_BS
        p_NB = motion.p[b.surface.body] + motion.rotations(b.surface.body) @ b.mesh.points.mean(axis=0)
        near = np.einsum("nji,nj->ni", R_NA, p_NB - p_NA)
        points = forces.points_of_action(a.profile, wrench[on, :3], wrench[on, 3:], near[on])
        place, turn = np.zeros((len(rows), 3)), np.zeros((len(rows), 4))
        place[on] = p_NA[on] + np.einsum("nij,nj->ni", R_NA[on], points)
        along = np.einsum("nij,nj->ni", R_NA[on], wrench[on, :3] / force[on][:, None])
        turn[on] = forces.turn_from_z(along)
        held = np.maximum.accumulate(np.where(on, np.arange(len(rows)), int(np.argmax(on))))
        length = forces.arrow_lengths(force, ARROW * size, peak)
        nodes.append(
            Node(
                name=f"force of {name}",
                parts=(Part(mesh=mesh, material=RED, role=Role.FORCE),),
                tracks={
                    "translation": track(motion.time, place[held], 3e-3 * size),
                    "rotation": turning_track(motion.time, turn[held], 0.02),
                    "scale": track(motion.time, np.repeat(length[:, None], 3, axis=1), 5e-3 * size),
                },
            )
        )
    return nodes, peak


def _turn(
    scenario: MultibodyScenario, focus: Focus | None, motion: Motion
) -> tuple[float, float, float, float]:
    """Return the turn of the world into the picture: up against gravity, the docking axis to the right."""
    right = np.array([0.0, 0.0, 1.0])
    if focus is not None:
        right = motion.rotations(WORLD if focus.node == WORLD else focus.node)[0] @ np.array(focus.axis)
    up = -np.array(scenario.gravity, float)
    if not up.any():
        up = np.array([1.0, 0.0, 0.0]) if abs(right[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        up -= (up @ right) * right
    up /= np.linalg.norm(up)
    right = right - (right @ up) * up
    if np.linalg.norm(right) < 0.1:
        right = np.eye(3)[int(np.argmin(np.abs(up)))]
        right -= (right @ up) * up
    right /= np.linalg.norm(right)
    return quaternion_of(np.stack([right, up, np.cross(right, up)]))


def quaternion_of(R: Floats) -> tuple[float, float, float, float]:
    """Return the unit quaternion wxyz of a rotation matrix."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    w, x, y, z = (float(v) for v in np.linalg.eigh(K + np.triu(K, 1).T)[1][:, -1])
    return (w, x, y, z) if w >= 0.0 else (-w, -x, -y, -z)


def _wanted(scenario: MultibodyScenario) -> list[str]:
    """Return the quantities that the scenario itself asks for, forces of contacts first."""
    names = [f"{name}.force" for name in scenario.contacts]
    for text in scenario.metrics.values():
        match = METRIC.fullmatch(text)
        if match and match["what"]:
            names.append(str(parse_observation(match["what"])))
    names += [str(parse_condition(event.when).observation) for event in scenario.events.values()]
    names += [str(parse_observation(text)) for text in scenario.record.also]
    return [name for name in names if name != "time" and not name.startswith("contact.")]
