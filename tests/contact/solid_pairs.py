"""Solids, pairs and poses for tests of contacts between solids."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from softdock.contact import ContactPair, CutCells, ElasticLayer, MotionState
from softdock.contact.pair import ContactEvaluation
from softdock.geometry.profile import Line
from softdock.geometry.solids import primitives
from softdock.geometry.solids.solid import Solid, build_solid
from softdock.model import solids as shapes

Floats = NDArray[np.float64]
STIFFNESS = 2e9
"""[N/m3]"""


def box(x: float, y: float, z: float) -> Solid:
    """Return a box with sides x, y, z [m] about its centre."""
    return shapes.Box(size=(x, y, z)).to_solid()


def sphere(radius: float) -> Solid:
    return shapes.Sphere(radius=radius).to_solid()


def cylinder(radius: float, height: float) -> Solid:
    """Return a cylinder about z."""
    return shapes.Cylinder(radius=radius, height=height).to_solid()


def torus(radius: float, tube: float) -> Solid:
    return shapes.Torus(radius=radius, tube=tube).to_solid()


def extrusion(points: list[tuple[float, float]], height: float) -> Solid:
    """Return the solid above an outline of points (x, y) [m], from z = 0 to a height."""
    outline = [Line(start=p, end=q) for p, q in zip(points, [*points[1:], points[0]])]
    return build_solid(primitives.extrude(outline, height))


def v_groove() -> Solid:
    """Return a block with a groove of 90 deg that opens towards +y; its bottom is the line (0, -30 mm, z)."""
    points = [(-0.05, -0.04), (0.05, -0.04), (0.05, 0.0), (0.03, 0.0), (0.0, -0.03), (-0.03, 0.0)]
    return extrusion(points, 0.1)


def pair_of(A: Solid, B: Solid, force: float = 0.1, **options: object) -> ContactPair:
    """Return a pair that resolves a force [N]."""
    layer = ElasticLayer(areal_stiffness=STIFFNESS)
    return ContactPair(
        surface_A=A, surface_B=B, layer=layer, quadrature=CutCells(resolved_force=force), **options
    )


def at_rest(p: object = (0.0, 0.0, 0.0), R: object = None) -> MotionState:
    """Return the state of a body at p [m] with attitude R."""
    attitude = np.eye(3) if R is None else np.asarray(R)
    return MotionState(r=np.asarray(p, float), v=np.zeros(3), omega=np.zeros(3), A=attitude)


def press(pair: ContactPair, p: object, R: object = None) -> ContactEvaluation:
    """Return the contact of B at p [m] with attitude R in A."""
    return pair.contact(at_rest(), at_rest(p, R))


def turn(*degrees: float) -> Floats:
    """Return the rotation by angles about x, y and z [deg]."""
    return np.asarray(Rotation.from_euler("xyz", degrees, degrees=True).as_matrix())


def corner_down() -> Floats:
    """Return the attitude of a cube that stands on the corner (+, +, +)."""
    z = np.ones(3) / np.sqrt(3.0)
    x = np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0)
    return np.array([x, np.cross(-z, x), -z])


def gradient_error(pair: ContactPair, p: Floats, R: Floats, step: float = 2e-8, arm: float = 0.02) -> float:
    """Return the largest difference of force and torque over arm from minus the gradient of the energy, over the force.

    Central differences with steps [m] of displacement and of rotation times the arm [m].
    """
    result = press(pair, p, R)
    gradient = np.zeros(6)
    for k, axis in enumerate(np.tile(np.eye(3), (2, 1))):
        energies = []
        for sign in (1.0, -1.0):
            shift = sign * step * axis if k < 3 else np.zeros(3)
            rotation = np.eye(3) if k < 3 else Rotation.from_rotvec(sign * step / arm * axis).as_matrix()
            energies.append(press(pair, p + shift, rotation @ R).energy)
        gradient[k] = (energies[0] - energies[1]) / (2.0 * step)
    force = np.linalg.norm(result.wrench_B.F)
    computed = np.concatenate([result.wrench_B.F, result.wrench_B.T / arm])
    return float(np.abs(gradient + computed).max() / force)
