"""The scene of a multibody run: bodies as their CAD or as stand-ins, arrows where contacts push."""

from collections.abc import Mapping, Sequence

import numpy as np

from softdock.model.observations import parse_condition, parse_observation
from softdock.model.system import WORLD
from softdock.replay.arrows import arrows_of
from softdock.replay.bodies import Colour, colours_of, parts_of
from softdock.replay.curves import curves_of, first_charts
from softdock.replay.keyframes import track, turning_track
from softdock.replay.motion import GROUND, Motion, motion_of, node_name
from softdock.replay.pins import face_parts, pin_arrow, pin_focus, pin_parts, socket_parts
from softdock.replay.scene import Floats, Focus, Mesh, Node, Part, Scene
from softdock.replay.scenes import facts, scenario_of
from softdock.replay.slides import slide_nodes
from softdock.replay.structures import structure_nodes
from softdock.replay.surfaces import Drawn, surfaces_of
from softdock.result import Result
from softdock.scenario.multibody import METRIC, MultibodyScenario

FINE = 1e-4  # of the mechanism's size: how far a drawn pose may be from the recorded one


def build(result: Result) -> Scene:
    """Return the scene of a multibody run."""
    scenario = scenario_of(result)
    assert isinstance(scenario, MultibodyScenario)
    return draw(result, scenario)


def draw(
    result: Result,
    scenario: MultibodyScenario,
    *,
    wanted: Sequence[str] = (),
    looks: Mapping[str, Sequence[Mesh]] | None = None,
) -> Scene:
    """Return the scene of a system that moved as the result says.

    `wanted` are curves to show at first; `looks` are meshes of bodies that are known, in body axes.
    """
    motion = motion_of(result, scenario)
    surfaces, notes = surfaces_of(result, scenario)
    focus = _focus(result, scenario, surfaces, motion)
    size = focus.radius if focus else motion.extent
    nodes = _bodies(result, scenario, surfaces, looks or {}, motion, size)
    arrows, peak = _all_arrows(result, scenario, surfaces, motion, size)
    structures, scales = structure_nodes(result, scenario)
    nodes += [*structures, *slide_nodes(result, scenario, surfaces)]
    notes += scales
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
        charts=first_charts(curves, [*_asked(scenario), *wanted]),
        notes=tuple(notes),
        facts=facts(result),
    )


def _all_arrows(
    result: Result, scenario: MultibodyScenario, surfaces: dict[str, Drawn], motion: Motion, size: float
) -> tuple[list[Node], float]:
    arrows, peak = arrows_of(result, scenario, surfaces, motion, size)
    for name, interface in scenario.interfaces.items():
        arrow, force = pin_arrow(name, interface, result, motion, size)
        arrows += [arrow] if arrow else []
        peak = max(peak, force)
    return arrows, peak


def _focus(
    result: Result, scenario: MultibodyScenario, surfaces: dict[str, Drawn], motion: Motion
) -> Focus | None:
    """Return where the bodies meet: about the first surface that is touched."""
    if not scenario.contacts:
        for name, interface in scenario.interfaces.items():
            return pin_focus(name, interface, node_name(interface.holes.body), result, motion)
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
        node=node_name(a.surface.body),
        centre=_triple(0.5 * (low + high)),
        axis=_triple(axis),
        radius=0.5 * float(min(np.linalg.norm(own), 8.0 * np.linalg.norm(other))),
    )


def _pins(
    name: str, result: Result, scenario: MultibodyScenario, motion: Motion, colour: Colour
) -> list[Part]:
    parts: list[Part] = []
    for key, interface in scenario.interfaces.items():
        if interface.pins.body == name:
            parts += pin_parts(interface, colour)
        if interface.holes.body == name:
            parts += socket_parts(interface, colour)
            parts += face_parts(key, interface, result, motion, colour)
    return parts


def _triple(vector: Floats) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in vector)
    return x, y, z


def _bodies(
    result: Result,
    scenario: MultibodyScenario,
    surfaces: dict[str, Drawn],
    looks: Mapping[str, Sequence[Mesh]],
    motion: Motion,
    size: float,
) -> list[Node]:
    """Return one node for every body; a body moves by its own pose in the world."""
    tolerance = FINE * size
    colours = colours_of(scenario)
    used = {surface.body for surface in scenario.surfaces.values()}
    used |= {
        WORLD for body in scenario.bodies.values() if body.parent == WORLD and body.joint.type == "prismatic"
    }
    used |= {structure.body for structure in scenario.structures.values()}
    used |= {frame.body for one in scenario.interfaces.values() for frame in (one.pins, one.holes)}
    nodes = []
    for name in [*scenario.bodies, *([WORLD] if WORLD in used else [])]:
        parts = parts_of(name, scenario, surfaces, looks.get(name, ()), colours[name], size)
        parts += _pins(name, result, scenario, motion, colours[name])
        reach = max([float(np.linalg.norm(part.mesh.points, axis=1).max()) for part in parts] or [0.1])
        tracks = {
            "translation": track(motion.time, motion.p[name], tolerance),
            "rotation": turning_track(motion.time, motion.q[name], tolerance / reach),
        }
        moving = {path: t for path, t in tracks.items() if np.ptp(t.values, axis=0).any()}
        nodes.append(
            Node(
                name=node_name(name),
                parts=tuple(parts),
                translation=_triple(motion.p[name][0]),
                rotation_wxyz=tuple(motion.q[name][0].tolist()),
                tracks=moving,
            )
        )
    return nodes


def _turn(
    scenario: MultibodyScenario, focus: Focus | None, motion: Motion
) -> tuple[float, float, float, float]:
    """Return the turn of the world into the picture: up against gravity, the docking axis to the right."""
    right = np.array([0.0, 0.0, 1.0])
    if focus is not None:
        right = motion.rotations(WORLD if focus.node == GROUND else focus.node)[0] @ np.array(focus.axis)
    up = -np.array(scenario.gravity, float)
    if scenario.orbit is not None:
        up = np.array([0.0, 0.0, -1.0])  # z points to the Earth at the start
    elif not up.any():
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


def _asked(scenario: MultibodyScenario) -> list[str]:
    """Return the quantities that the scenario itself asks for, forces of contacts first."""
    names = [f"{name}.force" for name in (*scenario.contacts, *scenario.interfaces)]
    for text in scenario.metrics.values():
        match = METRIC.fullmatch(text)
        if match and match["what"]:
            names.append(str(parse_observation(match["what"])))
    names += [str(parse_condition(event.when).observation) for event in scenario.events.values()]
    names += [str(parse_observation(text)) for text in scenario.record.also]
    return [name for name in names if name != "time" and not name.startswith("contact.")]
