"""Signed distance from solids of exact faces: closed forms, other descriptions of the same shape, gradients, frames."""

from pathlib import Path

import numpy as np
import pytest
from mechanism.joining import PARTS as JOINING
from mechanism.shapes import SHAPES, load_parameters
from scipy.spatial import cKDTree
from tests.geometry.solid_shapes import (
    any_pose,
    box,
    box_depth,
    corners,
    cylinder,
    cylinder_depth,
    points_near,
    shift,
)

from softdock.geometry import kernels
from softdock.geometry.facets import read_bodies
from softdock.geometry.profile_arrays import profile_array
from softdock.geometry.solids.kernels.layout import (
    EDGE_KIND,
    ON_EDGE,
    ON_FACE,
    ON_NOTHING,
    ON_VERTEX,
    TANGENT,
)
from softdock.geometry.solids.primitives import place, revolve, unite
from softdock.geometry.solids.reading import read_solid
from softdock.geometry.solids.solid import build_solid
from softdock.geometry.vertices import ArcTo, Vertex
from softdock.spatial.poses import Pose

FILES = Path(__file__).parent / "files"
BUNDLED = Path(__file__).parents[2] / "src/softdock/scenario/bundled/cad"
ROUNDING = 1e-14  # m, of coordinates of some decimetres
LYING = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])  # turns z to x
STEP_DIGITS = 1e-12  # m; STEP writes 15 digits of millimetres and 12 of radians

NOSES = {
    "frustum": corners((0, 0), (0, 0.04), (0.05, 0.03), (0.05, 0)),
    "cone": corners((0, 0), (0.05, 0.03), (0.05, 0)),
    "ball": corners(
        (0, 0), ArcTo(arc_to=(0.02, 0.02), through=(0.02 - 0.02 / 2**0.5, 0.02 / 2**0.5)),
        ArcTo(arc_to=(0.04, 0), through=(0.02 + 0.02 / 2**0.5, 0.02 / 2**0.5)),
    ),
    "ogive": corners((0, 0), ArcTo(arc_to=(0.05, 0.03), radius=0.1, turn="right"), (0.05, 0)),
    "ring": corners((0, 0.02), (0, 0.04), (0.01, 0.05), (0.03, 0.03), (0.02, 0.02), (0, 0.02)),
    "steps": corners(
        (0, 0), Vertex(at=(0, 0.04), fillet=0.01), Vertex(at=(0.03, 0.04), fillet=0.004),
        Vertex(at=(0.04, 0.01), fillet=0.005), (0.05, 0.012), (0.05, 0),
    ),
}  # fmt: skip


def depth_below_profile(profile, points):
    rows = profile_array(profile)
    return np.array(
        [
            kernels.depth(rows, 0, len(rows) - 1, z, r)[0]
            for z, r in zip(points[:, 2], np.hypot(points[:, 0], points[:, 1]))
        ]
    )


@pytest.mark.plain_python
def test_box_agrees_with_the_closed_form():
    solid = build_solid(box(0.06, 0.04, 0.03))
    points = points_near(solid, 60)
    depths, features = solid.depths_and_features(points)
    np.testing.assert_allclose(depths[:, 0], box_depth(points, (0.06, 0.04, 0.03)), rtol=0, atol=ROUNDING)
    assert set(features[:, 0]) == {ON_FACE, ON_EDGE, ON_VERTEX}


def test_cylinder_agrees_with_the_closed_form():
    solid = build_solid(cylinder(0.03, 0.05))
    points = points_near(solid, 3000)
    expected = cylinder_depth(points, 0.03, 0.05)
    np.testing.assert_allclose(solid.depths(points)[:, 0], expected, rtol=0, atol=ROUNDING)


def test_torus_and_hollow_ball_of_step_files_agree_with_the_closed_form():
    torus = read_solid(FILES / "torus.step").solid
    points = points_near(torus, 3000)
    expected = 0.01 - np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.05, points[:, 2])
    np.testing.assert_allclose(torus.depths(points)[:, 0], expected, rtol=0, atol=ROUNDING)
    ball = read_solid(FILES / "hollow_sphere.step").solid
    points = points_near(ball, 3000)
    r = np.linalg.norm(points, axis=1)
    np.testing.assert_allclose(
        ball.depths(points)[:, 0], np.minimum(0.025 - r, r - 0.02), rtol=0, atol=ROUNDING
    )


def test_rounded_box_has_only_smooth_edges_and_the_closed_form():
    solid = read_solid(FILES / "rounded_box.step").solid
    assert len(solid.faces) == 26
    assert set(solid.arrays.edge_links[:, EDGE_KIND]) == {TANGENT}
    points = points_near(solid, 4000)
    expected = box_depth(points - [0.03, 0.02, 0.015], (0.06, 0.04, 0.03), rounding=0.005)
    depths, features = solid.depths_and_features(points)
    np.testing.assert_allclose(depths[:, 0], expected, rtol=0, atol=STEP_DIGITS)
    assert set(features[:, 0]) == {ON_FACE}


@pytest.mark.parametrize("name", NOSES)
def test_revolved_profile_agrees_with_its_meridian(name):
    solid = build_solid(revolve(NOSES[name]))
    points = points_near(solid, 700)
    expected = depth_below_profile(NOSES[name], points)
    np.testing.assert_allclose(solid.depths(points)[:, 0], expected, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("name", [*SHAPES, *JOINING])
def test_bundled_surfaces_of_revolution_agree_with_their_meridian_as_solids(name):
    shape = {**SHAPES, **JOINING}[name]
    solid = read_solid(BUNDLED / f"{name}.step").solid
    points = points_near(solid, 300)
    expected = depth_below_profile(shape(load_parameters()), points)
    np.testing.assert_allclose(solid.depths(points)[:, 0], expected, rtol=0, atol=STEP_DIGITS)


def slotted_drogue_samples(count):
    """Return points on the surface of slotted_drogue.step, by its parameters, and whether a point is inside."""
    rng = np.random.default_rng(3)

    def inside(p):
        x, y, z = p.T
        r = np.hypot(x, y)
        body = (r <= 0.06) & (z >= 0.0) & (z <= 0.06)
        cone = (z > 0.01) & (r < 0.015 + (z - 0.01) * 0.035 / 0.050001)
        return body & ~cone & ~((np.abs(x) < 0.01) & (y > 0) & (z > 0.04))

    phi, u, v = rng.uniform(0, 2 * np.pi, count), rng.uniform(0, 1, count), rng.uniform(0, 1, count)
    ring = np.column_stack([np.cos(phi), np.sin(phi)])
    disc, zero = 0.06 * np.sqrt(u)[:, None] * ring, np.zeros(count)
    slope = 0.035 / 0.050001
    height = 0.01 + 0.05 * u
    candidates = np.concatenate(
        [
            np.column_stack([disc, zero]), np.column_stack([disc, zero + 0.06]),
            np.column_stack([0.06 * ring, 0.06 * u]), np.column_stack([0.25 * disc, zero + 0.01]),
            np.column_stack([(0.015 + (height - 0.01) * slope)[:, None] * ring, height]),
            np.column_stack([0.02 * u - 0.01, 0.06 * v, zero + 0.04]),
            np.column_stack([zero - 0.01, 0.06 * v, 0.04 + 0.02 * u]),
            np.column_stack([zero + 0.01, 0.06 * v, 0.04 + 0.02 * u]),
        ]
    )  # fmt: skip
    step = 1e-9 * np.vstack([np.eye(3), -np.eye(3), [[1, 1, 1], [-1, -1, -1], [-1, 1, 1], [1, -1, -1]]])
    sides = np.array([inside(candidates + d) for d in step])
    return candidates[sides.any(axis=0) & ~sides.all(axis=0)], inside


def test_slotted_drogue_agrees_with_brute_force():
    """Its slot makes convex, reentrant and circular edges, branches of hyperbolas on the cone, and mixed corners."""
    solid = read_solid(FILES / "slotted_drogue.step").solid
    samples, inside = slotted_drogue_samples(50000)
    points = points_near(solid, 400, reach=0.01)
    depths = solid.depths(points)[:, 0]
    far = np.abs(depths) > 1e-8
    np.testing.assert_array_equal(depths[far] > 0.0, inside(points[far]))
    nearest = cKDTree(samples).query(points)[0]
    # A sample within 3 mm of the foot is farther than it by at most the hypotenuse.
    assert (np.abs(depths) <= nearest + 1e-12).all()
    assert (nearest <= np.hypot(np.abs(depths), 3e-3)).all()


@pytest.mark.parametrize("file", ["block", "cross_hole", "boss", "slotted_drogue", "rounded_box"])
def test_gradient_is_the_rate_of_the_depth_and_has_length_one(file):
    solid = read_solid(FILES / f"{file}.step").solid
    points = points_near(solid, 400)
    depths, features = solid.depths_and_features(points)
    assert ON_NOTHING not in features[:, 0]
    np.testing.assert_allclose(np.linalg.norm(depths[:, 1:], axis=1), 1.0, rtol=0, atol=1e-8)
    h = 1e-8
    rates = np.column_stack(
        [
            (solid.depths(points + h * e)[:, 0] - solid.depths(points - h * e)[:, 0]) / (2 * h)
            for e in np.eye(3)
        ]
    )
    error = np.linalg.norm(rates - depths[:, 1:], axis=1)
    clear = (
        np.abs(depths[:, 0]) > 2e-5
    )  # at a distance d from an edge the error of the differences is (h/d)^2
    # The few others are within h of a place where two features are equally near.
    assert (error[clear] > 1e-6).sum() <= 3


def test_depth_is_the_same_in_any_frame():
    body = unite([box(0.06, 0.04, 0.03), place(cylinder(0.012, 0.05), shift(0.005, 0.002, 0.004))])
    solid = build_solid(body)
    points = points_near(solid, 1000)
    depths = solid.depths(points)
    for seed in range(3):
        X_FB = any_pose(seed)
        moved = build_solid(place(body, X_FB)).depths(X_FB.points(points))
        np.testing.assert_allclose(moved[:, 0], depths[:, 0], rtol=0, atol=1e-13)
        near = np.abs(depths[:, 0]) > 1e-6
        np.testing.assert_allclose(moved[near, 1:], depths[near, 1:] @ X_FB.R.T, rtol=0, atol=1e-6)


def test_outside_of_a_union_the_nearer_part_counts():
    parts = [box(0.1, 0.1, 0.02), place(cylinder(0.03, 0.05), shift(0, 0, 0.025))]
    solid = build_solid(unite(parts))
    points = points_near(solid, 2000)
    a, b = box_depth(points, (0.1, 0.1, 0.02)), cylinder_depth(points - [0, 0, 0.025], 0.03, 0.05)
    expected, depths = np.maximum(a, b), solid.depths(points)[:, 0]
    outside = expected < 0.0
    np.testing.assert_allclose(depths[outside], expected[outside], rtol=0, atol=ROUNDING)
    assert (depths[~outside] >= expected[~outside] - ROUNDING).all()  # material behind both is deeper


def test_inside_of_a_reentrant_edge_the_edge_is_nearest():
    """Two boxes that overlap make one solid without a seam: an L."""
    parts = [
        place(box(0.1, 0.02, 0.03), shift(0.05, 0.01, 0)),
        place(box(0.02, 0.07, 0.03), shift(0.01, 0.045, 0)),
    ]
    solid = build_solid(unite(parts))
    x, y = np.meshgrid(np.linspace(0.019, 0.0199, 7), np.linspace(0.019, 0.0199, 7))
    points = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 0.001)])
    depths, features = solid.depths_and_features(points)
    np.testing.assert_allclose(
        depths[:, 0], np.hypot(0.02 - points[:, 0], 0.02 - points[:, 1]), rtol=0, atol=ROUNDING
    )
    assert set(features[:, 0]) == {ON_EDGE}


def test_crossed_cylinders_have_edges_of_degree_four():
    """A point on the curve in which two cylinders meet has depth 0; in the plane normal to it, its distance."""
    parts = [cylinder(0.015, 0.08), place(cylinder(0.009, 0.08), Pose(R=LYING, p=np.array([0, 0, 0.003])))]
    solid = build_solid(unite(parts))
    y = np.linspace(-0.0085, 0.0085, 41)
    for side in (1.0, -1.0):
        curve = np.column_stack([np.sqrt(0.015**2 - y**2), y, 0.003 + side * np.sqrt(0.009**2 - y**2)])
        np.testing.assert_allclose(solid.depths(curve)[:, 0], 0.0, rtol=0, atol=1e-12)
        n_1 = curve * [1, 1, 0] / 0.015
        n_2 = (curve - [0, 0, 0.003]) * [0, 1, 1] / 0.009
        # Reentrant: inside, the edge is nearest where the step leads against both normals.
        for a, b in ((1.0, 1.0), (1.0, 0.3), (0.2, 1.0)):
            inward = -(a * n_1 + b * n_2)
            inward /= np.linalg.norm(inward, axis=1)[:, None]
            # A step along the inward sum stays normal to the curve.
            np.testing.assert_allclose(solid.depths(curve + 1e-4 * inward)[:, 0], 1e-4, rtol=1e-9)


def test_parts_of_an_assembly_stand_where_it_places_them():
    body = read_solid(FILES / "assembly.step", part="half ball").solid
    angle, axis = 1.1, np.array([1.0, 2.0, 0.5]) / np.linalg.norm([1.0, 2.0, 0.5])
    K = np.cross(axis, np.eye(3)).T
    R = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    centre = np.array([0.02, 0.03, 0.04])
    points = points_near(body, 1000)
    z = (points - centre) @ R[:, 2]
    r = np.linalg.norm(points - centre, axis=1)
    rho = np.sqrt(np.maximum(r**2 - z**2, 0.0))
    above = np.where(z > 0, 0.008 - r, -np.hypot(np.maximum(rho - 0.008, 0.0), z))
    expected = np.where((z > 0) & (r < 0.008), np.minimum(0.008 - r, z), np.where(z > 0, above, above))
    placement = 5e-9  # the library gives places of parts in single precision
    np.testing.assert_allclose(body.depths(points)[:, 0], expected, rtol=0, atol=placement)
    assert [b.name for b in read_bodies(FILES / "assembly.step")] == ["bracket", "half ball"]
