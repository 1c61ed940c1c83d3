"""Solids given in a scenario: closed forms of primitives, outlines, unions, bad input."""

import math

import numpy as np
import pytest
from tests.geometry.solid_shapes import box_depth, cylinder_depth, points_near

from softdock.errors import InputError
from softdock.geometry.solids.integrals import solid_mass_properties
from softdock.model.solids import (
    Box,
    Capsule,
    Cylinder,
    Extrusion,
    OutlineCorner,
    OutlineCurve,
    Revolution,
    Sphere,
    Torus,
    Union,
)

ROUNDING = 1e-14  # m


def assert_depth(shape, expected):
    solid = shape.to_solid()
    points = points_near(solid, 1000)
    np.testing.assert_allclose(solid.depths(points)[:, 0], expected(points), rtol=0, atol=ROUNDING)


def test_primitives_have_their_closed_forms():
    assert_depth(Box(size=("60 mm", "40 mm", "30 mm")), lambda p: box_depth(p, (0.06, 0.04, 0.03)))
    assert_depth(Cylinder(radius="20 mm", height="50 mm"), lambda p: cylinder_depth(p, 0.02, 0.05))
    assert_depth(Sphere(radius="15 mm"), lambda p: 0.015 - np.linalg.norm(p, axis=1))
    assert_depth(
        Torus(radius="50 mm", tube="8 mm"),
        lambda p: 0.008 - np.hypot(np.hypot(p[:, 0], p[:, 1]) - 0.05, p[:, 2]),
    )

    def capsule(p):
        ends = np.clip(p[:, 2], -0.015, 0.015)
        return 0.005 - np.sqrt(p[:, 0] ** 2 + p[:, 1] ** 2 + (p[:, 2] - ends) ** 2)

    assert_depth(Capsule(radius="5 mm", length="30 mm"), capsule)


def test_a_solid_stands_where_it_is_placed():
    turned = {"axis": "y", "angle": "90 deg"}
    lying = Cylinder(radius="10 mm", height="40 mm", at=("5 mm", 0, 0), attitude=turned)
    assert_depth(lying, lambda p: cylinder_depth((p - [0.005, 0, 0])[:, [2, 1, 0]], 0.01, 0.04))


@pytest.mark.parametrize("order", [1, -1])
def test_an_outline_may_have_arcs_and_fillets_in_either_direction(order):
    outline = (
        ("-20 mm", "-10 mm"),
        OutlineCorner(at=("20 mm", "-10 mm"), fillet="4 mm"),
        ("20 mm", "10 mm"),
        ("-20 mm", "10 mm"),
    )
    steps = outline if order > 0 else (outline[0], *outline[:0:-1])
    solid = Extrusion(outline=steps, height="5 mm").to_solid()
    expected = 0.005 * (0.04 * 0.02 - (1 - math.pi / 4) * 0.004**2)
    assert solid_mass_properties(solid, 1.0).volume == pytest.approx(expected, rel=1e-11)
    c, half = 0.005 / math.sqrt(2), 0.005
    quarters = (
        OutlineCurve(arc_to=("35 mm", "5 mm"), through=(0.03 + c, half - c)),
        OutlineCurve(arc_to=("30 mm", "10 mm"), through=(0.03 + c, half + c)),
    )
    slot = Extrusion(outline=((0, 0), ("30 mm", 0), *quarters, (0, "10 mm")), height="5 mm").to_solid()
    expected = 0.005 * (0.03 * 0.01 + math.pi / 2 * 0.005**2)
    assert solid_mass_properties(slot, 1.0).volume == pytest.approx(expected, rel=1e-11)


def test_a_union_has_the_volume_of_both_without_their_overlap():
    union = Union(parts=(Box(size=(0.1, 0.1, 0.02)), Cylinder(radius=0.02, height=0.1)))
    volume = solid_mass_properties(union.to_solid(), 1.0).volume
    assert volume == pytest.approx(0.1 * 0.1 * 0.02 + math.pi * 0.02**2 * 0.08, rel=1e-11)
    nested = Union(parts=(union, Sphere(radius=0.03, at=(0, 0, 0.05))), at=(0.01, 0, 0))
    assert len(nested.to_solid().faces) == 9  # the upper end of the cylinder is inside the ball


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Box(size=(0.1, 0.0, 0.1)), "size.1"),
        (lambda: Torus(radius=0.01, tube=0.02), "Must be below the radius"),
        (lambda: Union(parts=(Sphere(radius=0.1),)), "parts"),
        (
            lambda: Union(parts=(Sphere(radius=0.1), Sphere(radius=0.1, at=(1, 0, 0)))).to_solid(),
            "must overlap",
        ),
        (lambda: Revolution(profile=((0, 0.1), (0.2, 0.1))).to_solid(), "closed profile"),
        (
            lambda: Extrusion(outline=((0, 0), (1, 1), (1, 0), (0, 1)), height=0.1).to_solid(),
            "crosses itself",
        ),
        (lambda: Extrusion(outline=((0, 0), (1, 1)), height=0.1), "outline"),
    ],
)
def test_bad_input_is_refused_in_words(make, message):
    with pytest.raises(InputError, match=message):
        make()
