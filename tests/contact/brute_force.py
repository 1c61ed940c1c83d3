"""Contact forces between random primitives by summation over points, without code of the package."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
Depth = Callable[[Floats], Floats]
COARSE, FINE = 32, 32
"""Parts of a patch along each parameter, and of those that may touch."""
STEP = 1e-7
"""[m] of the differences that give the normal."""


@dataclass(frozen=True)
class Patch:
    """A part of a surface: its points and the area per area of the parameters (u, v) in 0 to 1."""

    points: Callable[[Floats, Floats], Floats]
    density: Callable[[Floats, Floats], Floats]


@dataclass(frozen=True)
class Primitive:
    """A solid with its depth (positive inside) and its surface."""

    model: dict[str, object]
    """As in a scenario."""
    depth: Depth
    patches: list[Patch]
    size: float


def box(a: float, b: float, c: float) -> Primitive:
    half = np.array([a, b, c]) / 2

    def depth(x: Floats) -> Floats:
        q = np.abs(x) - half
        outside = np.linalg.norm(np.maximum(q, 0.0), axis=-1)
        return np.asarray(-(outside + np.minimum(q.max(axis=-1), 0.0)))

    patches = []
    for axis in range(3):
        u_axis, v_axis = (axis + 1) % 3, (axis + 2) % 3
        for sign in (-1.0, 1.0):
            patches.append(_face(axis, u_axis, v_axis, sign, half))
    return Primitive({"box": {"size": [a, b, c]}}, depth, patches, float(np.linalg.norm(half)))


def _face(axis: int, u_axis: int, v_axis: int, sign: float, half: Floats) -> Patch:
    def points(u: Floats, v: Floats) -> Floats:
        x = np.zeros((*u.shape, 3))
        x[..., axis] = sign * half[axis]
        x[..., u_axis], x[..., v_axis] = (2 * u - 1) * half[u_axis], (2 * v - 1) * half[v_axis]
        return x

    return Patch(points, lambda u, v: np.full(u.shape, 4 * half[u_axis] * half[v_axis]))


def sphere(radius: float) -> Primitive:
    def points(u: Floats, v: Floats) -> Floats:
        z = 2 * v - 1
        rho = np.sqrt(1 - z**2)
        return radius * np.stack([rho * np.cos(math.tau * u), rho * np.sin(math.tau * u), z], axis=-1)

    area = Patch(points, lambda u, v: np.full(u.shape, 4 * math.pi * radius**2))
    return Primitive(
        {"sphere": {"radius": radius}}, lambda x: radius - np.linalg.norm(x, axis=-1), [area], radius
    )


def cylinder(radius: float, height: float) -> Primitive:
    def depth(x: Floats) -> Floats:
        q = np.stack([np.hypot(x[..., 0], x[..., 1]) - radius, np.abs(x[..., 2]) - height / 2], axis=-1)
        outside = np.linalg.norm(np.maximum(q, 0.0), axis=-1)
        return np.asarray(-(outside + np.minimum(q.max(axis=-1), 0.0)))

    def side(u: Floats, v: Floats) -> Floats:
        angle = math.tau * u
        return np.stack([radius * np.cos(angle), radius * np.sin(angle), (v - 0.5) * height], axis=-1)

    def end(sign: float) -> Patch:
        def points(u: Floats, v: Floats) -> Floats:
            angle, rho = math.tau * u, radius * v
            z = np.full(u.shape, sign * height / 2)
            return np.stack([rho * np.cos(angle), rho * np.sin(angle), z], axis=-1)

        return Patch(points, lambda u, v: math.tau * radius**2 * v)

    patches = [Patch(side, lambda u, v: np.full(u.shape, math.tau * radius * height)), end(1.0), end(-1.0)]
    model = {"cylinder": {"radius": radius, "height": height}}
    return Primitive(model, depth, patches, math.hypot(radius, height / 2))


def torus(radius: float, tube: float) -> Primitive:
    def depth(x: Floats) -> Floats:
        return np.asarray(tube - np.hypot(np.hypot(x[..., 0], x[..., 1]) - radius, x[..., 2]))

    def points(u: Floats, v: Floats) -> Floats:
        a, b = math.tau * u, math.tau * v
        rho = radius + tube * np.cos(b)
        return np.stack([rho * np.cos(a), rho * np.sin(a), tube * np.sin(b)], axis=-1)

    surface = Patch(points, lambda u, v: math.tau**2 * tube * (radius + tube * np.cos(math.tau * v)))
    return Primitive({"torus": {"radius": radius, "tube": tube}}, depth, [surface], radius + tube)


def random_primitive(rng: np.random.Generator) -> Primitive:
    """Return a primitive of 6 to 30 mm."""
    kind = rng.integers(4)
    if kind == 0:
        a, b, c = rng.uniform(0.01, 0.03, 3)
        return box(a, b, c)
    if kind == 1:
        return sphere(rng.uniform(0.005, 0.015))
    if kind == 2:
        return cylinder(rng.uniform(0.004, 0.012), rng.uniform(0.01, 0.03))
    return torus(rng.uniform(0.01, 0.015), rng.uniform(0.003, 0.006))


def random_attitude(rng: np.random.Generator) -> Floats:
    return np.asarray(Rotation.random(random_state=int(rng.integers(2**31))).as_matrix())


def force(A: Primitive, B: Primitive, p: Floats, R: Floats, stiffness: float) -> Floats:
    """Return the force on B, at p with attitude R in A, of a layer on A: a sum over points of B [N]."""
    total = np.zeros(3)
    for patch in B.patches:
        grid = (np.arange(COARSE) + 0.5) / COARSE
        u, v = (x.ravel() for x in np.meshgrid(grid, grid, indexing="ij"))
        reach = np.zeros(len(u))
        middle = patch.points(u, v)
        for du, dv in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            corner = patch.points(np.clip(u + du / (2 * COARSE), 0, 1), np.clip(v + dv / (2 * COARSE), 0, 1))
            reach = np.maximum(reach, np.linalg.norm(corner - middle, axis=1))
        near = A.depth(middle @ R.T + p) > -1.3 * reach
        offsets = ((np.arange(FINE) + 0.5) / FINE - 0.5) / COARSE
        du, dv = (x.ravel() for x in np.meshgrid(offsets, offsets, indexing="ij"))
        fine_u, fine_v = u[near][:, None] + du, v[near][:, None] + dv
        area = patch.density(fine_u, fine_v) / (COARSE * FINE) ** 2
        points = patch.points(fine_u, fine_v) @ R.T + p
        depth = A.depth(points)
        inside = depth > 0.0
        points, weights = points[inside], (stiffness * depth * area)[inside]
        for k in range(3):
            step = STEP * np.eye(3)[k]
            slope = (A.depth(points + step) - A.depth(points - step)) / (2 * STEP)
            total[k] -= float((weights * slope).sum())
    return total
