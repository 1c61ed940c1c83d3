"""Solids given in a scenario: closed forms of primitives, outlines, unions, bad input."""

import math

import numpy as np
import pytest
from tests.geometry.solid_shapes import any_pose, box_depth, cylinder_depth, points_near, shift

from softdock.errors import InputError
from softdock.geometry.solids import primitives
from softdock.geometry.solids.checks import largest_jump
from softdock.geometry.solids.integrals import solid_mass_properties
from softdock.geometry.solids.primitives import place, unite
from softdock.geometry.solids.solid import build_solid
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


def random_part(rng):
    def u(low, high):
        return float(rng.uniform(low, high))

    kinds = [
        lambda: Box(size=(u(0.02, 0.08), u(0.02, 0.08), u(0.02, 0.08))),
        lambda: Cylinder(radius=u(0.01, 0.03), height=u(0.02, 0.1)),
        lambda: Sphere(radius=u(0.01, 0.04)),
        lambda: Torus(radius=u(0.025, 0.04), tube=u(0.006, 0.015)),
        lambda: Revolution(profile=((0, 0), (0, u(0.02, 0.04)), (u(0.03, 0.06), u(0.005, 0.02)), (0.07, 0))),
    ]
    return kinds[rng.integers(len(kinds))]()


def random_parts(seed):
    rng = np.random.default_rng(seed)
    a = place(random_part(rng).body(), any_pose(seed))
    b = place(random_part(rng).body(), any_pose(seed + 5000))
    middle = a.vertices.mean(axis=0) - b.vertices.mean(axis=0) + 0.012 * rng.normal(size=3)
    return a, place(b, shift(*middle))


@pytest.mark.parametrize("seed", [10, 13, 26, 51, 54, 55, 57, 58, 59, 60])
def test_random_unions_agree_with_their_parts(seed):
    """Outside the nearer part counts; inside the union is as deep as the deeper part or deeper."""
    a, b = random_parts(seed)
    union = build_solid(unite([a, b]))
    assert largest_jump(union).size == 0.0
    points = points_near(union, 1000, seed)
    expected = np.maximum(*(build_solid(part).depths(points)[:, 0] for part in (a, b)))
    depths, outside = union.depths(points)[:, 0], expected < 0.0
    np.testing.assert_allclose(depths[outside], expected[outside], rtol=0, atol=1e-12)
    assert (depths[~outside] >= expected[~outside] - 1e-12).all()


@pytest.mark.parametrize("seed", [6, 25, 85, 105])
def test_unions_whose_triangles_cross_otherwise_than_their_faces_have_a_jump(seed):
    """Their faces cross at a small angle, beside the edges that the triangles have."""
    united = primitives._united(random_parts(seed), "")
    assert largest_jump(build_solid(united)).size > 1e-8


def test_a_body_with_smaller_triangles_is_the_same_solid():
    body = Capsule(radius="5 mm", length="30 mm").body()
    finer = primitives.refine(body)
    assert len(finer.triangles) == 4 * len(body.triangles)
    solid = build_solid(body)
    points = points_near(solid, 500)
    np.testing.assert_allclose(build_solid(finer).depths(points), solid.depths(points), rtol=0, atol=1e-12)
