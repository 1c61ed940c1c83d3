"""Scene of a multibody run: bodies by their CAD or as placeholders, and arrows of contact forces."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from softdock.model.expressions import parse_formula, parse_metric
from softdock.model.formulas import observations_in
from softdock.model.system import WORLD
from softdock.replay.arrows import contact_arrows
from softdock.replay.bodies import Colour, body_colours, body_parts
from softdock.replay.curves import curves_of, initial_charts
from softdock.replay.keyframes import rotation_track, track
from softdock.replay.motion import GROUND, Motion, node_name, recorded_motion
from softdock.replay.pins import face_parts, pin_arrow, pin_focus, pin_parts, socket_parts
from softdock.replay.scene import Floats, Focus, Mesh, Node, Part, Scene
from softdock.replay.scene_builder import read_scenario, run_metadata
from softdock.replay.stand_ins import uncover_surfaces
from softdock.replay.structures import structure_nodes
from softdock.replay.surfaces import DrawnSurface, drawn_surfaces
from softdock.replay.telescopic_rods import telescopic_rod_nodes
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.rotations import cross, quaternion_from_matrix

POSE_TOLERANCE = 1e-4  # error of drawn poses, fraction of the mechanism's size


def build(result: Result) -> Scene:
    """Return the scene of a multibody run."""
    scenario = read_scenario(result)
    assert isinstance(scenario, MultibodyScenario)
    return draw(result, scenario)


def draw(
    result: Result,
    scenario: MultibodyScenario,
    *,
    preferred_curves: Sequence[str] = (),
    body_meshes: Mapping[str, Sequence[Mesh]] | None = None,
    drawn_parts: Collection[str] = (),
) -> Scene:
    """Return the scene of a multibody system with the recorded motion of a result.

    `preferred_curves` are shown initially; `body_meshes` are the bodies' own meshes, in body axes; `drawn_parts` are
    rigid parts of structures that are among them.
    """
    motion = recorded_motion(result, scenario)
    surfaces, notes = drawn_surfaces(result, scenario)
    focus = _focus(result, scenario, surfaces, motion)
    size = focus.radius if focus else motion.extent
    nodes = _bodies(result, scenario, surfaces, body_meshes or {}, motion, size)
    arrows, peak = _all_arrows(result, scenario, surfaces, motion, size)
    structures, scales = structure_nodes(result, scenario, drawn_parts)
    nodes += [*structures, *telescopic_rod_nodes(result, scenario, surfaces)]
    notes += scales
    if arrows:
        nodes += arrows
        notes.append(
            f"Arrow lengths are proportional to the square root of the force; the longest is {peak:.4g} N."
        )
    curves = curves_of(result)
    return Scene(
        name=result.scenario,
        title=scenario.title,
        outcome=result.outcome,
        message=result.message,
        start=float(motion.time[0]),
        end=float(motion.time[-1]),
        nodes=tuple(nodes),
        display_rotation_wxyz=_display_rotation(scenario, focus, motion),
        focus=focus,
        events=result.events,
        curves=curves,
        charts=initial_charts(curves, [*_scenario_quantities(scenario), *preferred_curves]),
        notes=tuple(notes),
        metadata=run_metadata(result),
    )


def _all_arrows(
    result: Result,
    scenario: MultibodyScenario,
    surfaces: dict[str, DrawnSurface],
    motion: Motion,
    size: float,
) -> tuple[list[Node], float]:
    arrows, peak = contact_arrows(result, scenario, surfaces, motion, size)
    for name, interface in scenario.interfaces.items():
        arrow, force = pin_arrow(name, interface, result, motion, size)
        arrows += [arrow] if arrow else []
        peak = max(peak, force)
    return arrows, peak


def _focus(
    result: Result, scenario: MultibodyScenario, surfaces: dict[str, DrawnSurface], motion: Motion
) -> Focus | None:
    """Return the place of contact: the first cavity, or else the first surface with a contact."""
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
    surfaces: dict[str, DrawnSurface],
    body_meshes: Mapping[str, Sequence[Mesh]],
    motion: Motion,
    size: float,
) -> list[Node]:
    """Return one node for every body, which moves by the body's pose in the world."""
    tolerance = POSE_TOLERANCE * size
    colours = body_colours(scenario)
    used = {surface.body for surface in scenario.surfaces.values()}
    used |= {
        WORLD for body in scenario.bodies.values() if body.parent == WORLD and body.joint.type == "prismatic"
    }
    used |= {structure.body for structure in scenario.structures.values()}
    used |= {
        frame.body
        for interface in scenario.interfaces.values()
        for frame in (interface.pins, interface.holes)
    }
    touching = [surfaces[side] for contact in scenario.contacts.values() for side in (contact.a, contact.b)]
    nodes = []
    for name in [*scenario.bodies, *([WORLD] if WORLD in used else [])]:
        parts = body_parts(name, scenario, surfaces, body_meshes.get(name, ()), colours[name], size)
        parts = uncover_surfaces(parts, name, touching, motion)
        parts += _pins(name, result, scenario, motion, colours[name])
        reach = max([float(np.linalg.norm(part.mesh.points, axis=1).max()) for part in parts] or [0.1])
        tracks = {
            "translation": track(motion.time, motion.p[name], tolerance),
            "rotation": rotation_track(motion.time, motion.q[name], tolerance / reach),
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


def _display_rotation(
    scenario: MultibodyScenario, focus: Focus | None, motion: Motion
) -> tuple[float, float, float, float]:
    """Return the rotation from the world to display axes: up against gravity, docking axis to the right."""
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
    w, x, y, z = quaternion_from_matrix(np.stack([right, up, cross(right, up)])).tolist()
    return w, x, y, z


def _scenario_quantities(scenario: MultibodyScenario) -> list[str]:
    """Return the quantities of the scenario's metrics, events and records, contact forces first."""
    names = [f"{name}.force" for name in (*scenario.contacts, *scenario.interfaces)]
    formulas = [metric.formula for metric in map(parse_metric, scenario.metrics.values()) if metric.formula]
    formulas += [event.condition.formula for event in scenario.events.values()]
    formulas += [parse_formula(text) for text in scenario.record.also]
    for formula in formulas:
        names += [str(observation) for observation in observations_in(formula)]
    return [name for name in names if name != "time" and not name.startswith("contact.")]
