"""Closed forms of contacts between solids of any shape: the law is an elastic layer, integrated over B's surface."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from tests.contact.solid_pairs import (
    STIFFNESS,
    box,
    corner_down,
    cylinder,
    pair_of,
    press,
    sphere,
    torus,
    turn,
    v_groove,
)

C, R, D = STIFFNESS, 0.01, 1e-4
PLATE = 0.02  # thickness of the plate; its surface is at z = 10 mm


def line_force(radius: float, depth: float) -> float:
    """Return the force per length of a cylinder on a plane, with the cylinder's areas [N/m]."""
    angle = math.acos((radius - depth) / radius)
    return C * radius * (2.0 * radius * math.sin(angle) - 2.0 * angle * (radius - depth))


def cap_force(radius: float, depth: float) -> float:
    """Return the force on the part of an end face of a cylinder that is below a plane [N]."""

    def stress(y: float) -> float:
        return (y - radius + depth) * 2.0 * math.sqrt(max(radius**2 - y**2, 0.0))

    return float(C * quad(stress, radius - depth, radius)[0])


@pytest.mark.parametrize("depth", [1e-4, 3e-4, 1e-3])
def test_sphere_on_plane(depth: float) -> None:
    """The force is c pi R d^2, with B's areas."""
    result = press(pair_of(box(0.1, 0.1, PLATE), sphere(R)), (1.3e-3, 2.1e-3, 0.02 - depth))
    assert pytest.approx([0.0, 0.0, C * math.pi * R * depth**2], rel=1.5e-3, abs=1e-4) == result.wrench_B.F


def test_sphere_in_a_groove() -> None:
    """Each wall pushes as a plane does."""
    result = press(pair_of(v_groove(), sphere(R)), (0.0, -0.03 + (R - D) * math.sqrt(2.0), 0.0513))
    force = math.sqrt(2.0) * C * math.pi * R * D**2
    assert pytest.approx([0.0, force, 0.0], rel=1.5e-3, abs=1e-3 * force) == result.wrench_B.F


def test_cylinder_in_a_groove() -> None:
    """Each wall pushes along a line; both ends of the cylinder are below the walls, too."""
    place = (0.0, -0.03 + (R - D) * math.sqrt(2.0), 0.05)
    result = press(pair_of(v_groove(), cylinder(R, 0.04)), place)
    force = math.sqrt(2.0) * (0.04 * line_force(R, D) + 2.0 * cap_force(R, D))
    assert pytest.approx([0.0, force, 0.0], rel=1e-3, abs=1e-4 * force) == result.wrench_B.F


def test_torus_on_plane() -> None:
    """The contact is a ring: its force is that of a cylinder as long as its middle circle."""
    result = press(pair_of(box(0.1, 0.1, PLATE), torus(0.03, 5e-3)), (0.0, 0.0, 0.015 - D))
    force = 2.0 * math.pi * 0.03 * line_force(5e-3, D)
    assert result.wrench_B.F[2] == pytest.approx(force, rel=1e-3)


def test_face_of_a_box_on_plane() -> None:
    """The face counts with its area, the sides with their strips below the plane.

    Slopes have 10 nm added (Eq. (C9)), a ten-thousandth of the depth.
    """
    a, b = 0.02, 0.03
    result = press(
        pair_of(box(0.1, 0.1, PLATE), box(a, b, 0.02)), (3e-3, 1e-3, 0.02 - D), turn(0.0, 0.0, 17.0)
    )
    assert result.wrench_B.F[2] == pytest.approx(C * (a * b * D + (a + b) * D**2), rel=2e-6)


def test_edge_of_a_box_on_plane() -> None:
    """Two faces meet at the edge, and two ends; Eq. (C85)."""
    length = 0.02
    place = (3e-3, 1e-3, 0.01 + 0.01 * math.sqrt(2.0) - D)
    result = press(pair_of(box(0.1, 0.1, PLATE), box(length, 0.02, 0.02)), place, turn(45.0, 0.0, 0.0))
    force = C * (length * D**2 * math.sqrt(2.0) + 2.0 / 3.0 * D**3)
    assert result.wrench_B.F[2] == pytest.approx(force, rel=3e-4)


def test_corner_of_a_box_on_plane() -> None:
    """In the symmetric pose the force is 1.5 c d^3."""
    place = (3e-3, 1e-3, 0.01 + 0.01 * math.sqrt(3.0) - D)
    result = press(pair_of(box(0.1, 0.1, PLATE), box(0.02, 0.02, 0.02)), place, corner_down())
    assert result.wrench_B.F[2] == pytest.approx(1.5 * C * D**3, rel=1e-3)


def test_plate_on_the_corner_of_a_box() -> None:
    """With the layer on the cube the force is sqrt(3)/6 c d^3."""
    attitude = corner_down().T
    place = -attitude @ np.array([3e-3, 1e-3, 0.01 + 0.01 * math.sqrt(3.0) - D])
    result = press(pair_of(box(0.02, 0.02, 0.02), box(0.1, 0.1, PLATE)), place, attitude)
    expected = math.sqrt(3.0) / 6.0 * C * D**3
    assert np.linalg.norm(result.wrench_B.F) == pytest.approx(expected, rel=1e-9)


def test_plate_on_the_edge_of_a_box() -> None:
    """With the layer on the edge the force is c L d^2 sin^3 g / cos g, less about d at each end; Eq. (C85)."""
    attitude, length = turn(45.0, 0.0, 0.0).T, 0.05
    place = -attitude @ np.array([3e-3, 1e-3, 0.01 + 0.01 * math.sqrt(2.0) - D])
    result = press(pair_of(box(length, 0.02, 0.02), box(0.1, 0.1, PLATE)), place, attitude)
    ideal = 0.5 * C * length * D**2
    assert np.linalg.norm(result.wrench_B.F) == pytest.approx(ideal, rel=D / length)
    assert np.linalg.norm(result.wrench_B.F) < ideal


def test_crossed_cylinders_agree_with_point_sums() -> None:
    """A cylinder on a cylinder across it: the reference is a sum over 10^6 points, without code of the package."""
    result = press(pair_of(cylinder(R, 0.1), cylinder(R, 0.1)), (2.0 * R - D, 0.0, 0.0), turn(90.0, 0.0, 0.0))
    width = 2.2e-3
    angle, along = np.meshgrid(
        (np.arange(1000) + 0.5) / 1000 * 0.44 - 0.22, (np.arange(1000) + 0.5) / 1000 * 2 * width - width
    )
    x, z = 2.0 * R - D - R * np.cos(angle), R * np.sin(angle)
    # B's axis is y; A's is z: the depth below A depends on x and y.
    distance = np.hypot(x, along)
    depth = np.maximum(R - distance, 0.0)
    cell = 0.44 * R / 1000 * 2 * width / 1000
    force = C * float((depth * x / distance).sum()) * cell
    assert z.max() < R
    assert result.wrench_B.F[0] == pytest.approx(force, rel=1e-3)
