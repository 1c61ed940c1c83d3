"""Laws that contacts between solids obey: conservation, symmetry, independence of the cells."""

from dataclasses import replace

import numpy as np
import pytest
from tests.contact.solid_pairs import (
    STIFFNESS,
    at_rest,
    box,
    corner_down,
    cylinder,
    extrusion,
    gradient_error,
    pair_of,
    press,
    sphere,
    turn,
    v_groove,
)

from softdock.contact import ContactPair, CoulombFriction, CutCells, ElasticLayer, FrictionLaw, MotionState
from softdock.geometry.solids.solid import Solid

R, D = 0.01, 1e-4
L_SHAPE = [(-0.03, -0.03), (0.03, -0.03), (0.03, 0.0), (0.0, 0.0), (0.0, 0.03), (-0.03, 0.03)]
"""Outline with a reentrant corner at the origin."""
ANGLE, CUBE, SMALL_CUBE = extrusion(L_SHAPE, 0.1), box(0.04, 0.04, 0.04), box(0.02, 0.02, 0.02)
BALL, PLATE = sphere(R), box(0.1, 0.1, 0.02)
POSES: dict[str, tuple[Solid, Solid, tuple[float, ...], np.ndarray]] = {
    "sphere on the edge of a box": (CUBE, BALL, (0.0268, 0.004, 0.0268), turn(0, 0, 0)),
    "sphere on the corner of a box": (CUBE, BALL, (0.0256, 0.0255, 0.0257), turn(0, 0, 0)),
    "box in the corner of an angle": (ANGLE, SMALL_CUBE, (0.00995, 0.00993, 0.05), turn(1, 2, 0.4)),
    "ball over a reentrant edge": (ANGLE, BALL, (0.0099, 0.0098, 0.05), turn(0, 0, 0)),
    "corner of a box on a cylinder": (cylinder(0.03, 0.06), SMALL_CUBE, (0.0, 0.0, 0.0472), corner_down()),
    "cylinder's rim on a plate": (PLATE, cylinder(0.01, 0.03), (0.0, 0.0, 0.0275), turn(40, 10, 0)),
    "cylinder in a groove, tilted": (v_groove(), cylinder(R, 0.04), (0.0, -0.01603, 0.05), turn(0.3, 0.2, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", POSES)
def test_force_is_the_gradient_of_the_energy(name: str) -> None:
    """At faces, convex and reentrant edges and corners; central differences of 20 nm are exact to about 1e-7."""
    A, B, place, attitude = POSES[name]
    pair = pair_of(A, B)
    assert np.linalg.norm(press(pair, place, attitude).wrench_B.F) > 1e-3
    assert gradient_error(pair, np.array(place), attitude) < 1e-6


@pytest.mark.parametrize("name", POSES)
def test_force_is_independent_of_the_cells(name: str) -> None:
    """With cells that resolve a sixteenth of the force the force changes by 0.1 % where it is above 1 N."""
    A, B, place, attitude = POSES[name]
    coarse = press(pair_of(A, B), place, attitude).wrench_B.F
    fine = press(pair_of(A, B, 0.1 / 16), place, attitude).wrench_B.F
    allowed = 1e-3 * max(np.linalg.norm(fine), 1.0)
    assert np.linalg.norm(coarse - fine) < allowed


def test_force_does_not_depend_on_the_frame() -> None:
    """Both bodies turned and moved together have the same forces in their own axes."""
    A, B, place, attitude = POSES["sphere on the edge of a box"]
    pair, turned, shift = pair_of(A, B), turn(20.0, -70.0, 110.0), np.array([3.0, -2.0, 1.0])
    own = press(pair, place, attitude).wrench_B
    moved = pair.contact(
        at_rest(shift, turned), at_rest(shift + turned @ np.array(place), turned @ attitude)
    ).wrench_B
    assert pytest.approx(own.F, rel=1e-9) == turned.T @ moved.F
    assert pytest.approx(own.T, rel=1e-6, abs=1e-9) == turned.T @ moved.T


def test_roles_differ_by_depth_over_radius() -> None:
    """Eq. (C29): the areas of the plane instead of the sphere's reduce the force by d/R."""
    plate, ball = box(0.1, 0.1, 0.02), sphere(R)
    on_plate = press(pair_of(plate, ball, 0.01), (0.0, 0.0, 0.02 - D)).wrench_B.F[2]
    on_ball = -press(pair_of(ball, plate, 0.01), (0.0, 0.0, -0.02 + D)).wrench_B.F[2]
    assert on_ball / on_plate == pytest.approx(1.0 - D / R, rel=1e-3)


def test_momentum_is_kept_to_rounding() -> None:
    """Forces on A and B are opposite, and so are their torques about one point."""
    A, B, place, attitude = POSES["cylinder in a groove, tilted"]
    result = pair_of(A, B).contact(at_rest(), at_rest(place, attitude))
    assert (result.wrench_A.F == -result.wrench_B.F).all()
    about_A = result.wrench_B.T + np.cross(place, result.wrench_B.F)
    assert about_A == pytest.approx(-result.wrench_A.T, rel=1e-12, abs=1e-12)


def test_force_on_a_box_is_independent_of_refinement() -> None:
    """A box on a plane has the same force however many cells divide it (elsewhere +20 %)."""
    forces = []
    for parts in (1, 2, 5, 10, 30):
        pair = pair_of(box(0.1, 0.1, 0.02), box(0.03, 0.03, 0.03))
        pair = replace(pair, quadrature=CutCells(largest=0.03 / parts))
        forces.append(press(pair, (0.0, 0.0, 0.025 - D), turn(0.05, 0.02, 30.0)).wrench_B.F[2])
    assert max(forces) / min(forces) - 1.0 < 1e-4


def test_friction_of_a_sliding_box_is_coulombs() -> None:
    """Far above the threshold speed a box slides with mu times its normal force."""
    pair = ContactPair(
        surface_A=box(0.2, 0.2, 0.02),
        surface_B=box(0.02, 0.02, 0.02),
        layer=ElasticLayer(areal_stiffness=STIFFNESS),
        friction=CoulombFriction(coefficient=0.3, threshold_speed=1e-4, law=FrictionLaw.SMOOTH),
    )
    moving = MotionState(
        r=np.array([0.0, 0.0, 0.02 - D]), v=np.array([0.1, 0.0, 0.0]), omega=np.zeros(3), A=np.eye(3)
    )
    result = pair.contact(at_rest(), moving)
    assert result.wrench_B.F[0] == pytest.approx(-0.3 * result.wrench_B.F[2], rel=1e-5)
    assert result.dissipation == pytest.approx(0.1 * 0.3 * result.wrench_B.F[2], rel=1e-5)
