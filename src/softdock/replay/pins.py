"""Drawing of pins, their sockets and the force between them."""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.profile import Arc, Line, Profile
from softdock.model.interfaces import Interface
from softdock.replay import forces, solids
from softdock.replay.keyframes import increasing_rows
from softdock.replay.motion import Motion
from softdock.replay.scene import Floats, Focus, Material, Mesh, Node, Part, Role
from softdock.result import Result
from softdock.spatial.rotations import matrix_from_quaternion

MAX_DRAWN_PINS = 300  # pins per interface
WALL_THICKNESS = 0.45  # of a socket, fraction of its radius
Colour = tuple[float, float, float]


def pin_parts(interface: Interface, colour: Colour) -> list[Part]:
    """Return the pins in the frame of their body, including their misalignment."""
    r, length = 0.5 * interface.pin.diameter, interface.pin.length
    _, caps = interface.hole_and_pin_positions()
    tip = Arc(start=(length - r, r), end=(length, 0.0), centre=(length - r, 0.0), counterclockwise=False)
    sides: list[Line | Arc] = [Line(start=(0.0, 0.0), end=(0.0, r))]
    if length > r:
        sides.append(Line(start=(0.0, r), end=(length - r, r)))
    pin = solids.revolve_profile(Profile(segments=(*sides, tip)), _facets(len(caps)))
    feet = caps[:MAX_DRAWN_PINS] * np.array([1.0, 1.0, 0.0])
    X = interface.pins.pose() @ interface.misalignment.pose()
    mesh = solids.transformed(_copies(pin, feet), X.R, X.p)
    material = Material(name="pins", colour=colour, metallic=0.35, roughness=0.45)
    return [Part(mesh=mesh, material=material, role=Role.CAD)]


def socket_parts(interface: Interface, colour: Colour) -> list[Part]:
    """Return the holes in the frame of their body, each with the wall of its socket."""
    hole = interface.to_pair().hole
    R, wide = hole.radius, hole.radius + hole.chamfer_width
    outside, deep = wide + WALL_THICKNESS * R, hole.depth + (0.0 if hole.through else WALL_THICKNESS * R)
    segments: list[Line | Arc] = []
    if hole.through:
        corners = [(hole.depth, R), (hole.chamfer_depth, R)]
        ring = [(0.0, wide), (0.0, outside), (deep, outside), (deep, R)]
    else:
        bottom = (hole.straight, 0.0)
        segments.append(
            Arc(start=(hole.depth, 0.0), end=(hole.straight, R), centre=bottom, counterclockwise=True)
        )
        corners = [(hole.straight, R), (hole.chamfer_depth, R)]
        ring = [(0.0, wide), (0.0, outside), (deep, outside), (deep, 0.0)]
    places = [*corners, *ring]
    segments += [Line(start=a, end=b) for a, b in itertools.pairwise(places) if a != b]
    holes, _ = interface.hole_and_pin_positions()
    socket = solids.revolve_profile(Profile(segments=tuple(segments)), _facets(len(holes)))
    X = interface.holes.pose()
    mesh = solids.transformed(_copies(socket, holes[:MAX_DRAWN_PINS]), X.R, X.p)
    red, green, blue = (0.55 * c + 0.3 for c in colour)
    material = Material(name="sockets", colour=(red, green, blue), opacity=0.38, double_sided=True)
    return [Part(mesh=mesh, material=material, role=Role.CAVITY)]


def _facets(count: int) -> int:
    return 48 if count <= 8 else 24 if count <= 60 else 12


def _copies(mesh: Mesh, places: Floats) -> Mesh:
    """Return one mesh with copies at several places."""
    assert mesh.normals is not None
    n = len(mesh.points)
    return Mesh(
        points=(places[:, None, :] + mesh.points).reshape(-1, 3),
        normals=np.tile(mesh.normals, (len(places), 1)),
        indices=(n * np.arange(len(places))[:, None, None] + mesh.indices).reshape(-1, 3),
    )


def _tips(interface: Interface, motion: Motion) -> Floats:
    """Return the mean position of all pin tips over time, in the frame of the holes (n, 3) [m]."""
    X_P, X_H = interface.pins.pose() @ interface.misalignment.pose(), interface.holes.pose()
    cap = X_P.p + X_P.R @ interface.hole_and_pin_positions()[1].mean(axis=0)
    pins, holes = interface.pins.body, interface.holes.body
    p_N = motion.p[pins] + motion.rotations(pins) @ cap
    p_H = np.einsum("nji,nj->ni", motion.rotations(holes), p_N - motion.p[holes])
    return np.asarray((p_H - X_H.p) @ X_H.R)


def face_parts(name: str, interface: Interface, result: Result, motion: Motion, colour: Colour) -> list[Part]:
    """Return the face around the openings: its size, or for an unbounded face the area that the pins reach."""
    hole = interface.to_pair().hole
    reach = float(np.abs(interface.layout.points()).max()) + 2.5 * hole.radius
    loaded = _is_loaded(name, result)
    if loaded.any():
        reach = max(reach, float(np.abs(_tips(interface, motion)[loaded, :2]).max()) + 2.5 * hole.radius)
    sides = [min(2.0 * reach, side) for side in hole.sides]
    X = interface.holes.pose()
    mesh = solids.transformed(solids.box(np.array([*sides, 1e-3 * hole.radius])), X.R, X.p)
    pale = (0.5 * colour[0] + 0.4, 0.5 * colour[1] + 0.4, 0.5 * colour[2] + 0.4)
    material = Material(name="face", colour=pale, opacity=0.25, roughness=0.9, double_sided=True)
    return [Part(mesh=mesh, material=material, role=Role.CAVITY)]


def _is_loaded(name: str, result: Result) -> NDArray[np.bool_]:
    """Return the rows with contact force on the pins."""
    rows = increasing_rows(result.history.time)
    channel = result.history.channels.get(f"{name}.force")
    return np.zeros(len(rows), bool) if channel is None else np.asarray(channel.values[rows] > 0.0)


def pin_focus(name: str, interface: Interface, node: str, result: Result, motion: Motion) -> Focus:
    """Return the place of contact of the pins, on the body with the holes."""
    hole = interface.to_pair().hole
    X = interface.holes.pose()
    points = interface.layout.points()
    loaded = _is_loaded(name, result)
    away = (
        _tips(interface, motion)[loaded, :2].mean(axis=0) - points.mean(axis=0)
        if loaded.any()
        else np.zeros(2)
    )
    middle = points.mean(axis=0) + 0.5 * away
    spread = float(np.linalg.norm(points - points.mean(axis=0), axis=1).max()) + 1.5 * hole.radius
    spread += 0.5 * float(np.linalg.norm(away))
    centre = X.p + X.R @ np.array([*middle, 0.1 * hole.depth])
    return Focus(
        node=node,
        centre=(float(centre[0]), float(centre[1]), float(centre[2])),
        axis=(float(X.R[0, 2]), float(X.R[1, 2]), float(X.R[2, 2])),
        radius=1.25 * math.hypot(spread, interface.pin.length),
    )


def pin_arrow(
    name: str, interface: Interface, result: Result, motion: Motion, size: float
) -> tuple[Node | None, float]:
    """Return the arrow of the total force on the pins, at the mean of their tips, and the largest force [N]."""
    rows = increasing_rows(result.history.time)
    channels = [result.history.channels.get(f"{name}.{key}") for key in ("fx", "fy", "fz")]
    if not all(channels):
        return None, 0.0
    f_H = np.stack([c.values[rows] for c in channels if c], axis=1)
    force = np.linalg.norm(f_H, axis=1)
    if not force.any():
        return None, 0.0
    X, body, peak = interface.holes.pose(), interface.holes.body, float(force.max())
    rotation = forces.arrow_rotations(motion.rotations(body) @ X.R, f_H)
    length = forces.arrow_lengths(force, forces.MAX_LENGTH * size, peak)
    # The arrow ends on the surface of the pin tips, not inside them.
    along = matrix_from_quaternion(rotation.T)[:, 2].T
    caps = motion.p[body] + np.einsum(
        "nij,nj->ni", motion.rotations(body), X.p + _tips(interface, motion) @ X.R.T
    )
    position = caps - 0.5 * interface.pin.diameter * along
    return forces.arrow_node(f"force of {name}", motion.time, position, rotation, length, size), peak
