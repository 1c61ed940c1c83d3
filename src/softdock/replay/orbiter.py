"""Outline of a winged orbiter and of the modules of a station, as simple solids at the size of typical ones.

Body axes of the orbiter: origin in its centre of mass, nose towards -z, payload bay towards +x.
"""

import numpy as np

from softdock.replay import solids
from softdock.replay.scene import Floats, Mesh

NOSE, TAIL = -18.2, 14.6
"""Ends of the fuselage along z [m]: 32.8 m, without the bells of the engines."""
HALF_SPAN = 11.9
"""Half the span of the wings [m]."""
FUSELAGE = (
    # z, half width, underside, top, all in m
    (NOSE, 0.05, -0.95, -0.85),
    (-17.3, 0.95, -1.75, 0.10),
    (-15.5, 1.75, -2.35, 1.05),
    (-13.4, 2.30, -2.60, 2.30),
    (-12.0, 2.55, -2.65, 2.75),
    (-10.6, 2.60, -2.65, 2.60),
    (8.6, 2.60, -2.65, 2.60),
    (10.4, 2.75, -2.65, 2.90),
    (13.2, 2.75, -2.60, 2.90),
    (TAIL, 2.60, -2.45, 2.60),
)
ROUNDNESS = 0.38  # exponent of the cross-section: 1 is an ellipse, 0 a rectangle
FACETS = 28
WING = ((-6.5, 2.4), (1.2, 4.6), (8.6, HALF_SPAN), (10.6, HALF_SPAN), (12.6, 2.4))
"""Plan of a wing: z and y of its corners [m]."""
WING_HEIGHT, WING_THICKNESS = -2.3, 0.55
FIN = ((6.8, 2.6), (12.6, 9.6), (15.6, 9.6), (13.8, 2.6))
"""Side view of the fin: z and x of its corners [m]."""
FIN_THICKNESS = 0.5
PODS = (1.55, 2.55, 1.25, (9.0, 14.9))
"""Pods of the orbital manoeuvring system: |y|, x, radius and range of z [m]."""
BELLS = ((0.0, 0.9), (1.45, -0.9), (-1.45, -0.9))
"""y and x of the main engines [m]."""
BELL = ((TAIL, 0.35), (TAIL + 1.2, 0.85), (TAIL + 2.2, 1.1))
"""Meridian of an engine's bell: z and radius [m]."""

MODULE_RADIUS, MODULE_LENGTH = 2.2, 15.0
MODULE_PLACES = tuple((0.28, y, z) for y in (-6.7, 6.7) for z in (-1.66, 6.54))
"""Centres of the four modules [m], along x: with these the spread of the base's mass is that of its inertia."""
CONNECTOR_RADIUS = 1.1


def orbiter_meshes() -> list[Mesh]:
    """Return fuselage, wings, fin, pods and engines of an orbiter in body axes."""
    meshes = [_fuselage(), _prism(np.array(FIN)[:, [1, 0]], FIN_THICKNESS, "y")]
    for sign in (1.0, -1.0):
        corners = np.array([(z, sign * y) for z, y in WING])
        meshes.append(_prism(corners[:, [1, 0]], WING_THICKNESS, "x", WING_HEIGHT))
        y, x, radius, (start, end) = PODS
        pod = solids.revolve_polyline(
            [
                (start, 0.0),
                (start + 1.2, 0.75 * radius),
                (start + 2.6, radius),
                (end, 0.9 * radius),
                (end, 0.0),
            ]
        )
        meshes.append(solids.transformed(pod, np.eye(3), np.array([x, sign * y, 0.0])))
    for y, x in BELLS:
        bell = solids.revolve_polyline([(TAIL, 0.0), *BELL, (BELL[-1][0], 0.0)])
        meshes.append(solids.transformed(bell, np.eye(3), np.array([x, y, 0.0])))
    return meshes


def module_meshes(port: tuple[float, float, float]) -> list[Mesh]:
    """Return the four modules of a station's base with what connects them, and the tunnel to a docking port [m]."""
    length, radius = MODULE_LENGTH, MODULE_RADIUS
    shell = [(-0.5, 0.0), (-0.5, 0.45), (-0.44, 0.5), (0.44, 0.5), (0.5, 0.45), (0.5, 0.0)]
    along_x = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    module = solids.revolve_polyline([(length * z, 2.0 * radius * r) for z, r in shell])
    meshes = [solids.transformed(module, along_x, np.array(place)) for place in MODULE_PLACES]
    middle, ends = MODULE_PLACES[0][0], (0.36 * length, -0.36 * length)
    for x in (middle + end for end in ends):
        for z in sorted({place[2] for place in MODULE_PLACES}):
            meshes.append(_connector((x, -6.7, z), (x, 6.7, z)))
        for y in (-6.7, 6.7):
            meshes.append(_connector((x, y, -1.66), (x, y, 6.54)))
    front = (middle + ends[0], 0.0, 6.54)
    meshes.append(
        _connector((middle + ends[1], 0.0, -1.66), (middle + ends[0], 0.0, -1.66))
    )  # carries the keel
    corner = (front[0], port[1], port[2])
    for a, b in ((front, corner), (corner, port)):
        if np.linalg.norm(np.subtract(a, b)) > 0.1:
            meshes.append(_connector(a, b))
    return meshes


def _fuselage() -> Mesh:
    """Return the fuselage: rounded cross-sections along z, closed at both ends."""
    angle = 2.0 * np.pi * np.arange(FACETS) / FACETS
    c, s = np.cos(angle), np.sin(angle)
    rings = []
    for z, half, low, high in FUSELAGE:
        y = half * np.sign(s) * np.abs(s) ** ROUNDNESS
        x = 0.5 * (high + low) + 0.5 * (high - low) * np.sign(c) * np.abs(c) ** ROUNDNESS
        rings.append(np.stack([x, y, np.full(FACETS, z)], axis=1))
    points = np.concatenate([*rings, [rings[0].mean(axis=0)], [rings[-1].mean(axis=0)]])
    a = np.arange(FACETS)
    b = (a + 1) % FACETS
    triangles = []
    for k in range(len(rings) - 1):
        i, j = k * FACETS, (k + 1) * FACETS
        triangles += [np.stack([i + a, i + b, j + b], axis=1), np.stack([i + a, j + b, j + a], axis=1)]
    first, last = len(points) - 2, len(points) - 1
    end = (len(rings) - 1) * FACETS
    triangles += [np.stack([b, a, np.full(FACETS, first)], axis=1)]
    triangles += [np.stack([end + a, end + b, np.full(FACETS, last)], axis=1)]
    return solids.shade_smoothly(points, np.concatenate(triangles))


def _prism(corners: Floats, thickness: float, across: str, centre: float = 0.0) -> Mesh:
    """Return a plate of convex or nearly convex outline; corners are (y or x, z) [m], `across` its thin axis."""
    n = len(corners)
    points = np.zeros((2 * n, 3))
    thin, wide = ("xy".index(across), 1 - "xy".index(across))
    points[:, wide] = np.tile(corners[:, 0], 2)
    points[:, 2] = np.tile(corners[:, 1], 2)
    points[:n, thin], points[n:, thin] = centre - 0.5 * thickness, centre + 0.5 * thickness
    fan = np.array([(0, i, i + 1) for i in range(1, n - 1)])
    i = np.arange(n)
    j = (i + 1) % n
    sides = np.concatenate([np.stack([i, i + n, j + n], axis=1), np.stack([i, j + n, j], axis=1)])
    triangles = np.concatenate([fan, fan[:, ::-1] + n, sides])
    corner = points[triangles]
    volume = np.einsum("ij,ij->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))
    return solids.shade_smoothly(points, triangles if volume > 0.0 else triangles[:, ::-1])


def _connector(start: tuple[float, float, float], end: tuple[float, float, float]) -> Mesh:
    """Return a tube with closed ends between two points [m]."""
    a, b = np.array(start), np.array(end)
    along = b - a
    length = float(np.linalg.norm(along))
    z = along / length
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x = x / np.linalg.norm(x)
    R = np.stack([x, np.cross(z, x), z], axis=1)
    return solids.transformed(solids.rod(CONNECTOR_RADIUS, length), R, a)
