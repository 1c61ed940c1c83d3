"""Pins, holes and touching poses for the tests of pins."""

import numpy as np

from softdock.contact.entry_points import add_forces, manifold
from softdock.contact.kernels import pin_rows
from softdock.contact.kernels import pins as kernels
from softdock.contact.pins import PinInHole, PinLaw, Rim, shape_record
from softdock.geometry.pins import Hole, Pin

STIFFNESS = 1e6
LAW = PinLaw(stiffness=STIFFNESS)
R_HOLE = 0.02


def pair(r=0.0175, L=0.08, rim=Rim.DIRECT, law=LAW, straight=0.04, **hole):
    return PinInHole(
        pin=Pin(radius=r, length=L),
        hole=Hole(radius=R_HOLE, straight=straight, **hole),
        law=law,
        rim=rim,
    )


SHAPES = {
    "loose": pair(),
    "as wide as the hole": pair(r=R_HOLE),
    "tight and short": pair(r=0.0199, L=0.03),
    "long": pair(r=0.019, L=0.2),
    "ball": pair(L=0.0),
    "chamfered": pair(chamfer_width=0.002, chamfer_depth=0.003),
    "through": pair(straight=0.03, through=True),
    "in a box": pair(sides=(0.06, 0.08)),
    "in a small box": pair(sides=(0.042, 0.045), L=0.05),
}


class PinKernel:
    """Calls the kernels of a pin in a hole: contact rows, force, torque and energy."""

    def __init__(self, one):
        self.shape = shape_record(one)
        self.rows = np.zeros((pin_rows.MAXIMUM_ROWS, pin_rows.COLUMNS))

    def contacts(self, P, a):
        count = manifold(self.shape, tuple(map(float, P)), tuple(map(float, a)), self.rows)
        return self.rows[:count]

    def __call__(self, P, a, w=(0.0, 0.0, 0.0), v=(0.0, 0.0, 0.0)):
        out = np.zeros(kernels.TOTALS_SIZE)
        count = len(self.contacts(P, a))
        add_forces(self.shape, self.rows, count, w, v, out)
        return out


def direction(rng):
    """Return a direction parallel to the hole, slightly tilted, or random."""
    a = rng.normal(size=3)
    if rng.random() < 0.6:
        a = np.array([0.0, 0.0, 1.0]) + rng.choice([0.0, 0.01, 0.1, 0.3]) * a
    return a / np.linalg.norm(a)


def pose(rng):
    return np.array([*rng.uniform(-0.03, 0.03, 2), rng.uniform(-0.05, 0.02)]), direction(rng)


def touching_pose(touching, rng, deepest=2e-3):
    """Return a pose in which the pin touches with a limited depth."""
    while True:
        P, a = pose(rng)
        if 0.0 < touching(P, a)[kernels.MAXIMUM_DEPTH] < deepest:
            return P, a


def pose_on_rim(one, rng):
    """Return a pose in which the body touches a rim, along the common normal of rim and pin."""
    phi, steep, across = rng.uniform(0.0, 2 * np.pi), rng.uniform(0.0, np.pi / 2), rng.uniform(-1.5, 1.5)
    e_r, e_t = np.array([np.cos(phi), np.sin(phi), 0.0]), np.array([-np.sin(phi), np.cos(phi), 0.0])
    up = np.array([0.0, 0.0, 1.0])
    n = -np.cos(steep) * e_r + np.sin(steep) * up
    a = np.cos(across) * (np.sin(steep) * e_r + np.cos(steep) * up) + np.sin(across) * e_t
    hole = one.hole
    X = (hole.radius + hole.chamfer_width) * e_r
    depth, t = 10 ** rng.uniform(-6, -3), rng.uniform(0.05, 0.95) * one.pin.length
    return X + (one.pin.radius - depth) * n - t * a, a


def rotate(w, x):
    """Return the vector x rotated by the rotation vector w [rad]."""
    angle = np.linalg.norm(w)
    if angle == 0.0:
        return x
    k = w / angle
    return x * np.cos(angle) + np.cross(k, x) * np.sin(angle) + k * (k @ x) * (1 - np.cos(angle))
