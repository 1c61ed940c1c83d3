"""Thumbnails of scenarios as SVG."""

import numpy as np

from softdock.geometry.profile import Profile
from softdock.geometry.solids.solid import Solid
from softdock.result import Array
from softdock.scenario.base import ScenarioBase
from softdock.scenario.chain import ChainScenario
from softdock.scenario.multibody import MultibodyScenario
from softdock.scenario.robot import RobotScenario
from softdock.scenario.station import StationScenario
from softdock.spatial.poses import Pose
from softdock.studio import schematics
from softdock.studio.thumbnail_cache import (
    CHASER,
    HEIGHT,
    TARGET,
    WIDTH,
    cached_thumbnail,
    placeholder,
    store_thumbnail,
    svg_document,
)

MARGIN = 16
INK = "#8a94a3"
SAMPLES = 12  # points per segment


def thumbnail(scenario: ScenarioBase, key: str) -> str:
    """Return the thumbnail of a scenario from the cache, or draw and store it."""
    cached = cached_thumbnail(key)
    if cached is not None:
        return cached
    svg = draw(scenario)
    store_thumbnail(key, svg)
    return svg


def draw(scenario: ScenarioBase) -> str:
    """Return an SVG of the scenario: masses on a line, or outlines of the surfaces at the start."""
    if isinstance(scenario, RobotScenario):
        scenario = scenario.whole()  # elements and surfaces may belong to the arm
    if isinstance(scenario, ChainScenario):
        body = _draw_chain(scenario)
    elif isinstance(scenario, MultibodyScenario):
        body = _draw_outlines(scenario) or _draw_schematic(scenario) or _draw_bodies(scenario)
    elif isinstance(scenario, StationScenario):
        body = schematics.draw_station(scenario.members(), scenario.visitor, (WIDTH, HEIGHT), CHASER, TARGET)
    else:
        body = ""
    return svg_document(body or placeholder())


def _draw_schematic(scenario: MultibodyScenario) -> str:
    for interface in scenario.interfaces.values():
        return schematics.draw_pins(interface, (WIDTH, HEIGHT), CHASER, TARGET)
    for structure in scenario.structures.values():
        if structure.members is not None:
            return schematics.draw_station(structure.members, None, (WIDTH, HEIGHT), CHASER, TARGET)
    return ""


def _draw_chain(scenario: ChainScenario) -> str:
    chaser, target = scenario.chaser.masses[-4:], scenario.target.masses[:4]
    sizes = [_square_side(m, max(*chaser, *target)) for m in (*chaser, *target)]
    gaps = [26.0] * (len(sizes) - 1)
    gaps[len(chaser) - 1] = 16.0
    wall = 34.0 if scenario.target.anchored else 0.0
    scale = min(1.0, (WIDTH - 2 * MARGIN - 30) / (sum(sizes) + sum(gaps) + wall))
    x = (WIDTH - scale * (sum(sizes) + sum(gaps) + wall)) / 2
    y, parts = HEIGHT / 2, []
    for i, size in enumerate(sizes):
        colour, side = (CHASER if i < len(chaser) else TARGET), scale * size
        parts.append(
            f'<rect x="{x:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}" rx="5" '
            f'fill="{colour}" fill-opacity=".3" stroke="{colour}" stroke-width="2"/>'
        )
        x += side
        if i + 1 < len(sizes):
            if i == len(chaser) - 1:
                parts.append(_draw_latch(x, y) if scenario.latch else "")
            else:
                parts.append(_draw_spring(x, x + scale * gaps[i], y))
            x += scale * gaps[i]
    if wall:
        parts += [
            _draw_spring(x, x + scale * 26, y),
            f'<path d="M{x + scale * 26:.1f} {y - 30}v60" stroke="{INK}" stroke-width="4"/>',
        ]
    parts.append(f'<path d="M{MARGIN} {HEIGHT - 14}h52m-8 -5l8 5l-8 5" stroke="{CHASER}" stroke-width="2"/>')
    return "".join(parts)


def _square_side(mass: float, largest: float) -> float:
    return 16.0 + 44.0 * float(np.cbrt(mass / largest))


def _draw_spring(start: float, stop: float, y: float) -> str:
    steps = np.linspace(start, stop, 9)
    zigzag = " ".join(f"L{x:.1f} {y + (5 if i % 2 else -5):.1f}" for i, x in enumerate(steps[1:-1]))
    return f'<path d="M{start:.1f} {y} {zigzag} L{stop:.1f} {y}" stroke="{INK}" stroke-width="1.6"/>'


def _draw_latch(x: float, y: float) -> str:
    return f'<path d="M{x:.1f} {y - 7}l11 7l-11 7z" fill="{INK}" stroke="{INK}"/>'


def _draw_outlines(scenario: MultibodyScenario) -> str:
    """Return the meridians of all surfaces in a plane through the axis of the first."""
    poses = _start_poses(scenario)
    shapes: list[tuple[str, bool, Array, Array]] = []
    roots = {name: _root_body(scenario, name) for name in scenario.bodies}
    along = across = None
    for surface in scenario.surfaces.values():
        is_general = surface.is_general(scenario.directory)
        shape, X_BS = (surface.read_solid if is_general else surface.read)(scenario.directory)
        X_NS = poses.get(surface.body, Pose.identity()) @ X_BS
        axis, origin = X_NS.R[:, 2], X_NS.p
        if along is None or across is None:
            along = axis
            across = X_NS.R[:, 0]
        beside = across - axis * float(across @ axis)
        beside /= max(float(np.linalg.norm(beside)), 1e-9)
        if isinstance(shape, Solid):
            places = X_NS.points(shape.vertices)
            ring = _hull(np.column_stack((places @ along, places @ across)))
            shapes.append((roots.get(surface.body, ""), False, ring, ring[:1]))
            continue
        meridian = _sample(shape)
        both = [
            origin + np.outer(meridian[:, 0], axis) + sign * np.outer(meridian[:, 1], beside)
            for sign in (1.0, -1.0)
        ]
        flat = [np.column_stack((points @ along, points @ across)) for points in both]
        cavity = surface.side == "inside" or _is_cavity(meridian)
        shapes.append((roots.get(surface.body, ""), cavity, flat[0], flat[1]))
    return _draw_shapes(scenario, shapes) if shapes else ""


def _hull(points: Array) -> Array:
    """Return the corners of the convex hull of points (n, 2), in order."""
    from scipy.spatial import ConvexHull

    return np.asarray(points[ConvexHull(points).vertices])


def _draw_shapes(scenario: MultibodyScenario, shapes: list[tuple[str, bool, Array, Array]]) -> str:
    every = np.vstack([points for _, _, first, second in shapes for points in (first, second)])
    low, high = every.min(axis=0), every.max(axis=0)
    span = np.maximum(high - low, 1e-6)
    scale = min((WIDTH - 2 * MARGIN) / span[0], (HEIGHT - 2 * MARGIN) / span[1])
    middle, parts = (low + high) / 2, []
    chaser = scenario.approach.chaser if scenario.approach else shapes[-1][0]
    forward = 1.0  # the chaser comes from the left
    own = [p[:, 0].mean() for root, _, p, _ in shapes if root == chaser]
    others = [p[:, 0].mean() for root, _, p, _ in shapes if root != chaser]
    if own and others and np.mean(own) > np.mean(others):
        forward = -1.0
    for root, cavity, first, second in shapes:
        colour = CHASER if root == chaser else TARGET
        paths = []
        for points in (first, second):
            xy = (points - middle) * scale * np.array([forward, -1.0]) + np.array([WIDTH / 2, HEIGHT / 2])
            paths.append([f"{x:.1f} {y:.1f}" for x, y in xy])
        if cavity:
            for path in paths:
                parts.append(f'<path d="M{" L".join(path)}" stroke="{colour}" stroke-width="2.6"/>')
        else:
            ring = [*paths[0], *reversed(paths[1])]
            parts.append(
                f'<path d="M{" L".join(ring)}z" fill="{colour}" fill-opacity=".3" stroke="{colour}" '
                'stroke-width="1.8"/>'
            )
    return "".join(parts)


def _draw_bodies(scenario: MultibodyScenario) -> str:
    """Return bodies as discs, for a system in which nothing has a surface."""
    poses = _start_poses(scenario)
    places = np.array([poses[name].p for name in scenario.bodies])
    if not len(places):
        return ""
    spread = np.ptp(places, axis=0)
    x, y = np.argsort(-spread)[:2]
    flat = places[:, [x, y]]
    low, high = flat.min(axis=0), flat.max(axis=0)
    span = np.maximum(high - low, 1e-6)
    scale = min((WIDTH - 90) / span[0], (HEIGHT - 70) / span[1]) if spread.max() > 1e-6 else 1.0
    largest = max((body.mass for body in scenario.bodies.values()), default=1.0) or 1.0
    parts, at = [], {}
    for name, point in zip(scenario.bodies, flat):
        at[name] = (point - (low + high) / 2) * scale * np.array([1.0, -1.0]) + np.array(
            [WIDTH / 2, HEIGHT / 2]
        )
    for name, body in scenario.bodies.items():
        if body.parent in at:
            (x0, y0), (x1, y1) = at[body.parent], at[name]
            parts.append(f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="{INK}" stroke-width="2"/>')
    first = next(iter(scenario.bodies))
    for name, body in scenario.bodies.items():
        radius, (cx, cy) = 5.0 + 22.0 * float(np.cbrt(body.mass / largest)), at[name]
        colour = CHASER if _root_body(scenario, name) == _root_body(scenario, first) else TARGET
        parts.append(
            f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="{radius:.1f}" fill="{colour}" fill-opacity=".3" '
            f'stroke="{colour}" stroke-width="2"/>'
        )
    return "".join(parts)


def _start_poses(scenario: MultibodyScenario) -> dict[str, Pose]:
    """Return the pose of every body in N at the start."""
    from softdock.dynamics.impulse import ImpulseResponse

    assembly = scenario.assemble()
    impact = ImpulseResponse(assembly, assembly.y)
    return {name: impact.pose(placed.link) @ placed.X_LB for name, placed in assembly.placed.items()}


def _root_body(scenario: MultibodyScenario, name: str) -> str:
    while name in scenario.bodies and scenario.bodies[name].parent in scenario.bodies:
        name = scenario.bodies[name].parent
    return name


def _sample(profile: Profile) -> Array:
    fractions = np.linspace(0.0, 1.0, SAMPLES)
    return np.array([segment.point(float(f)) for segment in profile.segments for f in fractions], float)


def _is_cavity(meridian: Array) -> bool:
    """Return whether a meridian runs towards -z, which makes it a cavity: material lies on its right."""
    return bool(meridian[-1, 0] < meridian[0, 0])
