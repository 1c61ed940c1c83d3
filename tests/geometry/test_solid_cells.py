"""Cells of the faces of solids: areas, centroids, closed surfaces, and mass properties by the divergence theorem."""

import math
from pathlib import Path

import numpy as np
import pytest
from mechanism.shapes import SHAPES, load_parameters
from scipy.integrate import quad
from tests.geometry.solid_shapes import any_pose, box, corners, cylinder, shift

from softdock.geometry.mass_properties import mesh_mass_properties, profile_mass_properties
from softdock.geometry.solids.cells import face_cells
from softdock.geometry.solids.face_rows import face_depths
from softdock.geometry.solids.integrals import closed_surface_points, solid_mass_properties, surface_points
from softdock.geometry.solids.parameters import face_points
from softdock.geometry.solids.primitives import place, revolve, unite
from softdock.geometry.solids.reading import read_solid
from softdock.geometry.solids.solid import build_solid
from softdock.geometry.vertices import ArcTo
from softdock.spatial.poses import Pose

FILES = Path(__file__).parent / "files"
BUNDLED = Path(__file__).parents[2] / "src/softdock/scenario/bundled/cad"
TRIMMED = ["block", "cross_hole", "boss", "flange", "slotted_drogue", "rounded_box"]
ROUNDING = 1e-11  # of areas, relative


def areas_by_kind(solid, size):
    sums = {}
    for face, area in zip(solid.faces, face_cells(solid, size).face_areas()):
        sums[face.kind] = sums.get(face.kind, 0.0) + area
    return sums


def test_areas_of_untrimmed_faces_are_exact():
    torus = read_solid(FILES / "torus.step").solid
    ball = read_solid(FILES / "hollow_sphere.step").solid
    for size in (0.05, 0.008, 0.003):
        assert areas_by_kind(torus, size) == pytest.approx(
            {"torus": 4 * math.pi**2 * 0.05 * 0.01}, rel=ROUNDING
        )
        expected = 4 * math.pi * (0.025**2 + 0.02**2)
        assert areas_by_kind(ball, size) == pytest.approx({"sphere": expected}, rel=ROUNDING)


def test_areas_of_a_frustum_are_exact():
    solid = build_solid(revolve(corners((0, 0), (0, 0.04), (0.05, 0.03), (0.05, 0))))
    slant = math.hypot(0.05, 0.01)
    expected = {"plane": math.pi * (0.04**2 + 0.03**2), "cone": math.pi * 0.07 * slant}
    for size in (0.03, 0.008, 0.002):
        assert areas_by_kind(solid, size) == pytest.approx(expected, rel=ROUNDING)


def test_areas_of_trimmed_faces_are_exact():
    """Cylinders of radii R > r that cross at right angles, against integrals over their seam; fillets of a box."""
    R, r, length = 0.01, 0.0095, 0.06
    lying = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])

    cross = build_solid(
        unite([cylinder(R, length), place(cylinder(r, length), Pose(R=lying, p=np.zeros(3)))])
    )
    areas = areas_by_kind(cross, 0.004)
    # Each point of a circle is the middle of a straight line of the one cylinder that lies inside the other.
    wide = (
        4 * R * quad(lambda t: 2 * math.sqrt(max(r**2 - (R * math.sin(t)) ** 2, 0)), 0, math.asin(r / R))[0]
    )
    narrow = 4 * r * quad(lambda t: 2 * math.sqrt(R**2 - (r * math.sin(t)) ** 2), 0, math.pi / 2)[0]
    assert areas["cylinder"] == pytest.approx(2 * math.pi * (R + r) * length - wide - narrow, rel=1e-7)
    rounded = areas_by_kind(read_solid(FILES / "rounded_box.step").solid, 0.004)
    sides = (0.05, 0.03, 0.02)
    flat = 2 * (sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0])
    digits = 1e-9  # of angles and directions in the file
    assert rounded["plane"] == pytest.approx(flat, rel=digits)
    assert rounded["cylinder"] == pytest.approx(sum(sides) * 2 * math.pi * 0.005, rel=digits)
    assert rounded["sphere"] == pytest.approx(4 * math.pi * 0.005**2, rel=digits)


@pytest.mark.parametrize("file", TRIMMED)
def test_areas_of_faces_do_not_depend_on_the_size_of_cells(file):
    solid = read_solid(FILES / f"{file}.step").solid
    coarse, fine = (face_cells(solid, size).face_areas() for size in (0.02, 0.004))
    np.testing.assert_allclose(fine, coarse, rtol=1e-9)


@pytest.mark.parametrize("file", TRIMMED)
def test_cells_have_the_requested_size_and_lie_within_their_faces(file):
    solid, size = read_solid(FILES / f"{file}.step").solid, 0.008
    cells = face_cells(solid, size)
    assert (cells.triangle_areas > 0.0).all()
    assert (cells.rectangle_areas > 0.0).all()
    assert cells.rectangle_areas.max() <= size**2
    middle = np.array(
        [
            face_points(cells.frames[f], *np.array([[(s[0] + s[1]) / 2], [(s[2] + s[3]) / 2]]))[0]
            for f, s in zip(cells.rectangle_faces, cells.rectangles)
        ]
    )
    assert solid.are_within(cells.rectangle_faces, middle).all()
    reach = np.array(
        [
            np.ptp(face_points(cells.frames[f], *corner.T), axis=0).max()
            for f, corner in zip(cells.triangle_faces, cells.triangles)
        ]
    )
    assert reach.max() <= 1.2 * size  # lines keep away from corners of the boundary, by up to 7 % twice


@pytest.mark.parametrize("file", [*TRIMMED, "torus", "hollow_sphere", "tube_inch"])
def test_the_surface_is_closed(file):
    solid = read_solid(FILES / f"{file}.step").solid
    surface = closed_surface_points(solid)
    assert (
        surface.gap < 1e-11
    )  # smooth edges of the rounded box close to the 12 digits of directions in the file
    depths = face_depths(solid.arrays.faces, surface.faces, surface.points)
    np.testing.assert_allclose(depths[:, 0], 0.0, rtol=0, atol=1e-15)


def test_centroid_of_a_hemisphere_is_half_its_radius_high():
    profile = corners((0, 0), (0, 0.02), ArcTo(arc_to=(0.02, 0), radius=0.02, turn="right"))
    surface = surface_points(build_solid(revolve(profile)), 0.003)
    dome = surface.faces == 1
    weights = surface.weights[dome]
    assert weights.sum() == pytest.approx(2 * math.pi * 0.02**2, rel=ROUNDING)
    centroid = weights @ surface.points[dome] / weights.sum()
    np.testing.assert_allclose(centroid, [0, 0, 0.01], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", SHAPES)
def test_mass_properties_of_bundled_parts_are_those_of_their_meridian(name):
    solid = read_solid(BUNDLED / f"{name}.step").solid
    found = solid_mass_properties(solid, 2700.0)
    expected = profile_mass_properties(SHAPES[name](load_parameters()), 2700.0)
    assert found.mass == pytest.approx(expected.mass, rel=1e-11)
    np.testing.assert_allclose(found.centre, expected.centre, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        found.inertia, expected.inertia, rtol=0, atol=1e-10 * np.abs(expected.inertia).max()
    )


def test_mass_properties_of_a_polyhedron_are_those_of_its_mesh():
    parts = [box(0.06, 0.04, 0.03), place(box(0.02, 0.02, 0.05), shift(0.01, 0.004, 0.02))]
    body = place(unite(parts), any_pose(4))
    solid = build_solid(body)
    found = solid_mass_properties(solid, 1000.0)
    expected = mesh_mass_properties(solid.vertices, solid.triangle_vertices, 1000.0)
    assert found.mass == pytest.approx(expected.mass, rel=1e-12)
    np.testing.assert_allclose(
        found.inertia, expected.inertia, rtol=0, atol=1e-12 * np.abs(expected.inertia).max()
    )


def test_volume_of_a_rounded_box_is_exact():
    solid = read_solid(FILES / "rounded_box.step").solid
    a, b, c, r = 0.05, 0.03, 0.02, 0.005
    expected = (
        a * b * c + 2 * r * (a * b + b * c + c * a) + math.pi * r * r * (a + b + c) + 4 / 3 * math.pi * r**3
    )
    assert solid_mass_properties(solid, 1.0).volume == pytest.approx(expected, rel=1e-12)
