"""Section drawings of a multibody run: the port and the outlines of the entering bodies; also as inline SVG."""

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from softdock.geometry.profile import Arc, Profile
from softdock.geometry.profile_cache import profile_from_rows
from softdock.model.system import WORLD
from softdock.replay.motion import GROUND
from softdock.replay.scene import Floats, Node, Role, Scene, Track
from softdock.result import Result
from softdock.result.outlines import outlines_of
from softdock.spatial.rotations import matrix_from_quaternion

STYLE = """
.section { box-sizing: border-box; width: 100%; height: auto; background: var(--panel); border: 1px solid var(--line);
  border-radius: 6px }
.section .cavity { fill: none; stroke: var(--soft); stroke-width: 2.2; stroke-linejoin: round }
.section .solid { fill: var(--c0); fill-opacity: 0.7; stroke: var(--ink); stroke-width: 0.6 }
.section .axis { stroke: var(--line); stroke-dasharray: 6 3 1 3 }
.section .push { stroke: var(--failed); stroke-width: 2.4; fill: var(--failed); stroke-linejoin: round }
"""
WIDTH = 300.0  # of a drawing; line widths refer to it
ASPECT_RATIO = 0.66  # height over width

ShapeKind = Literal["axis", "cavity", "solid", "push"]
Projection = Callable[[Floats], Floats]


@dataclass(frozen=True, kw_only=True)
class Outline:
    """Meridian of a surface and its pose on the body."""

    name: str
    body: str
    meridian: Floats
    """Points (z, r) [m], shape (n, 2)."""
    p_BS: Floats
    R_BS: Floats
    is_cavity: bool


@dataclass(frozen=True, kw_only=True)
class SectionShape:
    """One shape of a section: points in the drawing plane, the axis of the port to the right, y downwards."""

    kind: ShapeKind
    name: str = ""
    lines: tuple[Floats, ...]
    """Connected points, shape (n, 2), in units of `PortSection.scale`."""
    closed: bool = False


@dataclass(frozen=True, kw_only=True)
class PortSection:
    """A section through the port at one time."""

    time: float
    shapes: tuple[SectionShape, ...]
    scale: float
    """Units of the drawing per metre."""


def build_sections(result: Result, scene: Scene, times: Sequence[float]) -> list[PortSection]:
    """Return one section for every time [s], in the frame of the port.

    A body of revolution is drawn by its meridian on both sides of its axis, which is its outline unless the axis is
    inclined strongly to the drawing plane. Empty if the scene has no port, or solids of other shapes.
    """
    if scene.focus is None or result.definition.get("kind") != "multibody":
        return []
    outlines = _outlines(result)
    if not outlines:
        return []
    return [_build_section(result, scene, outlines, time) for time in times]


def sections(result: Result, scene: Scene, times: Sequence[float]) -> list[str]:
    """Return one drawing as inline SVG for every time [s]; empty if the scene has no port."""
    return [_to_svg(section) for section in build_sections(result, scene, times)]


def _outlines(result: Result) -> list[Outline]:
    outlines: Mapping[str, Any] = outlines_of(result)
    out = []
    if any("solid" in outline for outline in outlines.values()):
        return []
    for name, outline in outlines.items():
        profile = profile_from_rows(outline["meridian"])
        out.append(
            Outline(
                name=name,
                body=result.definition["surfaces"][name]["body"],
                meridian=_meridian(profile),
                p_BS=np.array(outline["p_BS"]),
                R_BS=np.array(outline["R_BS"]),
                is_cavity=profile.segments[-1].end[0] < profile.segments[0].start[0],
            )
        )
    return sorted(out, key=lambda outline: not outline.is_cavity)  # entering bodies are drawn over cavities


def _meridian(profile: Profile) -> Floats:
    rows: list[tuple[float, float]] = []
    for segment in profile.segments:
        steps = 12 if isinstance(segment, Arc) else 1
        rows += [segment.point(k / steps) for k in range(steps + 1)]
    return np.array(rows)


def _pose(result: Result, body: str, time: float) -> tuple[Floats, Floats]:
    """Return R_NB and p_NB_N [m] at a time [s], interpolated."""
    if body == WORLD:
        return np.eye(3), np.zeros(3)

    def at(field: str) -> float:
        return float(np.interp(time, result.history.time, result.history[f"{body}.{field}"]))

    q = np.array([at(f"q{k}") for k in "wxyz"])
    return matrix_from_quaternion(q), np.array([at(k) for k in "xyz"])


def _to_svg(section: PortSection) -> str:
    parts = []
    for shape in section.shapes:
        path = "".join(_path(points) for points in shape.lines) + ("Z" if shape.closed else "")
        title = f"<title>{html.escape(shape.name)}</title>" if shape.name else ""
        parts.append(f'<path class="{shape.kind}" d="{path}">{title}</path>')
    box = f"{-WIDTH / 2} {-ASPECT_RATIO * WIDTH / 2} {WIDTH} {ASPECT_RATIO * WIDTH}"
    return f'<svg class="section" viewBox="{box}" role="img">{"".join(parts)}</svg>'


def _build_section(result: Result, scene: Scene, outlines: list[Outline], time: float) -> PortSection:
    focus = scene.focus
    assert focus is not None
    R_NF, p_NF = _pose(result, WORLD if focus.node == GROUND else focus.node, time)
    right = np.array(focus.axis)
    up = np.array([1.0, 0.0, 0.0]) if abs(right[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    up = up - (up @ right) * right
    plane = np.stack([right, -up / np.linalg.norm(up)])  # the y axis of SVG points down
    scale = 0.5 * WIDTH / (1.25 * focus.radius)

    def project(points_N: Floats) -> Floats:
        local = (points_N - p_NF) @ R_NF - np.array(focus.centre)
        return np.asarray(scale * local @ plane.T)

    axis = np.array([[-WIDTH / 2, 0.0], [WIDTH / 2, 0.0]])
    shapes = [SectionShape(kind="axis", lines=(axis,))]
    shapes += [_shape(outline, *_pose(result, outline.body, time), project, scale) for outline in outlines]
    arrows = (_arrow(node, time, project) for node in scene.nodes if _is_force(node))
    return PortSection(time=time, shapes=(*shapes, *(arrow for arrow in arrows if arrow)), scale=scale)


def _shape(outline: Outline, R_NB: Floats, p_NB: Floats, project: Projection, scale: float) -> SectionShape:
    R_NS, p_NS = R_NB @ outline.R_BS, p_NB + R_NB @ outline.p_BS
    z, r = outline.meridian[:, :1], outline.meridian[:, 1:]
    on_axis = project(p_NS + z * R_NS[:, 2])
    along = project((p_NS + R_NS[:, 2])[None])[0] - project(p_NS[None])[0]
    side = np.array([-along[1], along[0]]) / (np.linalg.norm(along) or 1.0)
    upper, lower = on_axis + scale * r * side, on_axis - scale * r * side
    if outline.is_cavity:
        return SectionShape(kind="cavity", name=outline.name, lines=(upper, lower))
    around = np.concatenate([upper, lower[::-1]])
    return SectionShape(kind="solid", name=outline.name, lines=(around,), closed=True)


def _path(points: Floats) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _is_force(node: Node) -> bool:
    return any(part.role is Role.FORCE for part in node.parts)


def _arrow(node: Node, time: float, project: Projection) -> SectionShape | None:
    """Return a force arrow with the length of the replay; None without force."""
    length = _interpolate(node.tracks["scale"], time)[2]
    if length == 0.0:
        return None
    q = _interpolate(node.tracks["rotation"], time)
    tip_N = _interpolate(node.tracks["translation"], time)
    tail, tip = project(np.stack([tip_N - length * matrix_from_quaternion(q)[:, 2], tip_N]))
    along = tip - tail
    size = float(np.linalg.norm(along))
    if size < 1.0:
        return None
    unit = along / size
    head = tip - min(8.0, 0.5 * size) * unit
    side = 3.5 * np.array([-unit[1], unit[0]])
    return SectionShape(
        kind="push", lines=(np.stack([tail, head]), np.stack([tip, head + side, head - side])), closed=True
    )


def _interpolate(track: Track, time: float) -> Floats:
    return np.array([np.interp(time, track.time, column) for column in track.values.T])
