"""Inspection of CAD files: what is exact, walls, crossings, axes of revolution, problems."""

import math
from pathlib import Path

import numpy as np
import pytest
import trimesh
from tests.geometry.solid_shapes import box, corners, cylinder, place, shift

from softdock.errors import InputError
from softdock.geometry.solids.checks import crossing_faces, thinnest_wall
from softdock.geometry.solids.inspection import inspect_file
from softdock.geometry.solids.primitives import revolve
from softdock.geometry.solids.reading import read_solid
from softdock.geometry.solids.solid import build_solid
from softdock.geometry.solids.step_unit import unit_of_step

FILES = Path(__file__).parent / "files"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SOFTDOCK_CACHE_DIR", str(tmp_path / "cache"))


def details(name, **options):
    inspection = inspect_file(FILES / f"{name}.step", **options)
    return inspection.bodies[inspection.selected]


def test_faces_are_listed_with_their_parameters():
    body = details("slotted_drogue")
    assert [face.kind for face in body.faces].count("plane") == 6
    cone = next(face for face in body.faces if face.kind == "cone")
    assert cone.exact
    assert math.degrees(cone.second) == pytest.approx(math.degrees(math.atan2(35, 50.001)))
    outside = next(face for face in body.faces if face.kind == "cylinder")
    assert (outside.radius, outside.axis, outside.size) == (
        pytest.approx(0.06),
        (0, 0, 1),
        pytest.approx(0.12, rel=1e-3),
    )
    bottom = next(
        face for face in body.faces if face.kind == "plane" and face.area == pytest.approx(math.pi * 0.06**2)
    )
    assert bottom.axis == (0, 0, -1)  # outward
    assert not body.problems
    assert not body.revolutions  # the slot breaks both sides


def test_volume_and_area_are_exact():
    body = details("torus")
    assert body.volume == pytest.approx(2 * math.pi**2 * 0.05 * 0.01**2, rel=1e-12)
    assert body.area == pytest.approx(4 * math.pi**2 * 0.05 * 0.01, rel=1e-12)
    np.testing.assert_allclose(body.centre, 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "thickness"),
    [("box", 0.01), ("hollow_sphere", 0.005), ("torus", 0.02), ("tube_inch", 0.02), ("slotted_drogue", 0.01)],
)
def test_thinnest_wall(name, thickness):
    assert thinnest_wall(read_solid(FILES / f"{name}.step").solid).thickness == pytest.approx(
        thickness, rel=1e-9
    )


def test_a_cone_has_no_wall_at_its_tip():
    solid = build_solid(revolve(corners((0, 0), (0.02, 0.02), (0.02, 0))))
    assert thinnest_wall(solid).thickness == math.inf


def test_axes_of_revolution_are_found():
    body = details("tube_inch")
    assert {one.side for one in body.revolutions} == {"outside", "inside"}
    for one in body.revolutions:
        assert one.direction == (0, 0, 1)
        assert one.exact
    assert [one.side for one in details("block").revolutions] == ["inside"]


def test_splines_are_named_with_their_error():
    body = details("half_ellipsoid")
    assert [(face.kind, face.exact) for face in body.faces] == [("spline", False), ("plane", True)]
    assert 1e-6 < body.deviation < 1e-4
    assert body.deviation_is_measured


def test_an_open_shell_is_a_problem_with_its_faces():
    body = details("open_shell")
    assert not body.closed
    assert body.volume is None
    assert body.problems == ("It is an open shell: 439.7 mm of its edges have no neighbour at face 1.",)


def test_bodies_are_listed_where_none_is_selected():
    inspection = inspect_file(FILES / "assembly.step")
    assert inspection.selected is None
    assert [(body.name, len(body.faces)) for body in inspection.bodies] == [("bracket", 7), ("half ball", 2)]
    assert all(body.volume is None for body in inspection.bodies)
    assert details("assembly", part="half ball").volume == pytest.approx(2 / 3 * math.pi * 0.008**3, rel=1e-7)
    with pytest.raises(InputError, match="no such body"):
        inspect_file(FILES / "assembly.step", part="hook")


def test_the_unit_is_that_of_the_file(tmp_path):
    assert inspect_file(FILES / "tube_inch.step").unit == "in"
    assert inspect_file(FILES / "box.step").unit == "mm"
    assert unit_of_step(b"( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.) )") == "m"
    assert unit_of_step(b"nothing") == "unknown"


def test_a_wrong_unit_is_a_warning(tmp_path):
    text = (FILES / "box.step").read_text(encoding="utf-8").replace(".MILLI.,.METRE.", ".KILO.,.METRE.")
    path = tmp_path / "box.step"
    path.write_text(text, encoding="utf-8")
    inspection = inspect_file(path)
    assert inspection.unit == "km"
    assert "implausible" in inspection.bodies[0].warnings[0]


def test_faces_that_cross_are_named(tmp_path):
    """A mesh of two boxes that cross: each is closed, but they are one body of no exporter."""
    one, two = box(0.06, 0.04, 0.03), place(box(0.02, 0.02, 0.05), shift(0.02, 0.0, 0.01))
    vertices = np.concatenate([one.vertices, two.vertices])
    triangles = np.concatenate([one.triangles, two.triangles + len(one.vertices)])
    # A bridge of no width between a corner of each makes them one connected surface.
    joined = build_solid(_connected(vertices, triangles))
    crossings = crossing_faces(joined)
    assert len(crossings) == 1
    assert crossings[0].faces == (0, 0)
    assert not crossing_faces(build_solid(one))


def _connected(vertices, triangles):
    from softdock.geometry.facets import Facets

    return Facets(
        name="crossing",
        vertices=vertices,
        triangles=triangles,
        faces=(),
        face_of=np.full(len(triangles), -1),
        closed=True,
    )


@pytest.mark.parametrize("name", ["block", "cross_hole", "slotted_drogue", "rounded_box", "hollow_sphere"])
def test_sound_parts_have_no_crossing_faces(name):
    assert not crossing_faces(read_solid(FILES / f"{name}.step").solid)


def test_a_mesh_is_inspected_with_its_unit(tmp_path):
    body = cylinder(0.01, 0.05)
    trimesh.Trimesh(1e3 * body.vertices, body.triangles, process=False).export(tmp_path / "pin.stl")
    inspection = inspect_file(tmp_path / "pin.stl", unit="mm")
    found = inspection.bodies[0]
    assert inspection.unit == "mm"
    assert [(face.kind, face.exact) for face in found.faces] == [("facets", False)]
    assert found.volume == pytest.approx(math.pi * 0.01**2 * 0.05, rel=2e-3)
    assert not found.deviation_is_measured
    assert inspect_file(tmp_path / "pin.stl").unit.startswith("m (assumed")


def test_an_inspection_from_the_cache_is_the_same():
    first = inspect_file(FILES / "slotted_drogue.step")
    assert inspect_file(FILES / "slotted_drogue.step") == first
