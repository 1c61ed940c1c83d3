"""Reading of solids: units, splines, meshes, parts, the cache, damaged input; how exact what was read is."""

from pathlib import Path

import numpy as np
import pytest
import trimesh
from tests.geometry.solid_shapes import box, box_depth, cylinder, cylinder_depth, points_near

from softdock.errors import InputError
from softdock.geometry.facets import read_bodies
from softdock.geometry.solids import reading
from softdock.geometry.solids.kernels.layout import CONVEX, EDGE_KIND, REENTRANT, SAME, TANGENT
from softdock.geometry.solids.reading import read_solid
from softdock.geometry.solids.solid import build_solid

FILES = Path(__file__).parent / "files"


def write_mesh(path, body, scale=1.0):
    trimesh.Trimesh(body.vertices * scale, body.triangles, process=False).export(path)
    return path


@pytest.mark.parametrize(
    "file", ["block", "cross_hole", "slotted_drogue", "rounded_box", "tube_inch", "flange"]
)
def test_vertices_lie_on_all_faces_that_meet_there(file):
    solid = read_solid(FILES / f"{file}.step").solid
    assert solid.residual < 1e-13
    assert solid.moved < 1e-7  # single precision of coordinates up to 0.3 m
    assert all(face.is_exact for face in solid.faces)


@pytest.mark.parametrize(
    ("file", "kinds"),
    [
        ("box", {CONVEX: 12}),
        ("boss", {CONVEX: 252, REENTRANT: 84}),  # three convex circles, one at the foot of the boss
        ("block", {CONVEX: 852, TANGENT: 84}),  # the cylinder of the cavity joins its hemisphere
    ],
)
def test_edges_are_classified(file, kinds):
    solid = read_solid(FILES / f"{file}.step").solid
    kind, count = np.unique(solid.arrays.edge_links[:, EDGE_KIND], return_counts=True)
    assert dict(zip(kind.tolist(), count.tolist())) == kinds


def test_a_spline_is_approximated_with_a_measured_deviation():
    read = read_solid(FILES / "half_ellipsoid.step")
    assert [face.kind for face in read.solid.faces] == ["spline", "plane"]
    t, phi = np.random.default_rng(0).uniform(0.01, 1.55, (2, 3000))
    phi *= 4.0
    points = np.column_stack(
        [0.025 * np.cos(t) * np.cos(phi), 0.025 * np.cos(t) * np.sin(phi), 0.07 * np.sin(t)]
    )
    depths = read.solid.depths(points)[:, 0]
    assert read.is_measured
    assert 1e-6 < read.deviation < 1e-4
    assert np.abs(depths).max() == pytest.approx(read.deviation, rel=0.3)
    assert set(read.solid.arrays.edge_links[:, EDGE_KIND]) == {SAME}


@pytest.mark.parametrize("ending", ["stl", "obj", "ply"])
def test_a_mesh_of_a_box_is_a_box(tmp_path, ending):
    path = write_mesh(tmp_path / f"box.{ending}", box(0.06, 0.04, 0.03), 1e3)
    read = read_solid(path, unit="mm")
    points = points_near(read.solid, 1000)
    single = 5e-9  # m, single precision of the file
    np.testing.assert_allclose(
        read.solid.depths(points)[:, 0], box_depth(points, (0.06, 0.04, 0.03)), atol=single
    )
    assert read.deviation == 0.0
    assert [face.kind for face in read.solid.faces] == ["facets"]


def test_the_deviation_of_a_mesh_is_the_sagitta_of_its_facets(tmp_path):
    path = write_mesh(tmp_path / "pin.stl", cylinder(0.01, 0.05))
    read = read_solid(path)
    sagitta = 0.01 * (1 - np.cos(np.pi / 84))
    assert not read.is_measured
    assert read.deviation == pytest.approx(sagitta, rel=0.02)
    points = points_near(read.solid, 2000)
    error = np.abs(read.solid.depths(points)[:, 0] - cylinder_depth(points, 0.01, 0.05))
    assert error.max() < 1.01 * read.deviation


def test_parts_are_selected_by_name_or_number():
    assert read_solid(FILES / "assembly.step", part="bracket").solid.name == "bracket"
    assert read_solid(FILES / "assembly.step", part=2).solid.name == "half ball"
    with pytest.raises(InputError, match=r"holds 2 bodies: 1 \(bracket\), 2 \(half ball\)"):
        read_solid(FILES / "assembly.step")
    with pytest.raises(InputError, match="no such body"):
        read_solid(FILES / "assembly.step", part="hook")


def test_an_open_shell_has_no_inside():
    with pytest.raises(InputError, match="is an open shell: it has no inside"):
        read_solid(FILES / "open_shell.step")
    with pytest.raises(InputError, match="open shell"):
        build_solid(read_bodies(FILES / "open_shell.step")[0])


def test_what_was_read_is_cached_by_content(tmp_path, monkeypatch):
    monkeypatch.setenv("SOFTDOCK_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "part.step"
    path.write_bytes((FILES / "slotted_drogue.step").read_bytes())
    first = read_solid(path)
    monkeypatch.setattr(reading, "read_bodies", None)
    again = read_solid(path)
    for name in first.solid.arrays._fields:
        np.testing.assert_array_equal(getattr(again.solid.arrays, name), getattr(first.solid.arrays, name))
    assert (again.solid.faces, again.deviation) == (first.solid.faces, first.deviation)
    path.write_bytes((FILES / "boss.step").read_bytes())
    with pytest.raises(TypeError):
        read_solid(path)
