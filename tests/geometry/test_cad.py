"""CAD files: exact meridians, both sides, all formats, and rejected files."""

import math
from pathlib import Path

import numpy as np
import pytest
import trimesh
from mechanism.shapes import SHAPES, load_parameters

from softdock.errors import InputError
from softdock.geometry.cad import read_surface
from softdock.geometry.facets import read_bodies
from softdock.geometry.mass_properties import profile_mass_properties, surface_area
from softdock.geometry.profile import Arc, Line, Profile

FILES = Path(__file__).parent / "files"
BUNDLED = Path(__file__).parents[2] / "src/softdock/scenario/bundled/cad"
EXACT = 1e-12  # m; STEP writes 15 digits of millimetres and 12 of radians
FLOAT32 = 4 * np.finfo(np.float32).eps  # of the coordinates of a mesh file


def segment_points(profile):
    """Return starts, ends and centres of all segments as one array."""
    rows = [[*s.start, *s.end, *(s.centre if isinstance(s, Arc) else (0, 0))] for s in profile.segments]
    return np.array(rows)


def assert_same(profile, expected, tolerance):
    assert [type(s) for s in profile.segments] == [type(s) for s in expected]
    np.testing.assert_allclose(
        segment_points(profile), segment_points(Profile(segments=tuple(expected))), rtol=0, atol=tolerance
    )


@pytest.mark.parametrize("name", SHAPES)
def test_bundled_files_have_the_dimensions_of_the_parameter_file(name):
    whole = SHAPES[name](load_parameters())
    outer = [s for s in whole.segments if name != "drogue" or s in whole.segments[7:]]
    surface = read_surface(BUNDLED / f"{name}.step", density=2700.0)
    assert surface.exact
    assert_same(surface.profile, outer, EXACT)
    expected = profile_mass_properties(whole, 2700.0)
    assert surface.mass_properties.mass == pytest.approx(expected.mass, rel=1e-11)
    np.testing.assert_allclose(surface.mass_properties.inertia, expected.inertia, rtol=1e-10, atol=1e-18)


def test_drogue_cavity_has_the_dimensions_of_the_parameter_file():
    whole = SHAPES["drogue"](load_parameters())
    surface = read_surface(BUNDLED / "drogue.step", side="inside")
    assert_same(surface.profile, whole.segments[:8], EXACT)
    np.testing.assert_array_equal(surface.frame.p_FS, 0.0)
    np.testing.assert_allclose(surface.frame.R_FS[:, 2], [0, 0, 1], atol=0)


@pytest.mark.parametrize("ending", ["stl", "obj", "ply", "glb"])
@pytest.mark.parametrize("moved", [False, True])
def test_meshes_give_the_same_meridian(tmp_path, ending, moved):
    body = read_bodies(BUNDLED / "bumper.step")[0]
    mesh = trimesh.Trimesh(body.vertices * 1e3, body.triangles, process=False)
    X = trimesh.transformations.random_rotation_matrix(np.array([0.2, 0.5, 0.7]))
    X[:3, 3] = [100, -200, 50]
    if moved:
        mesh.apply_transform(X)
    path = tmp_path / f"bumper.{ending}"
    mesh.export(path)
    surface = read_surface(path, unit="mm", density=1000.0)
    expected = SHAPES["bumper"](load_parameters())
    assert [type(s) for s in surface.profile.segments] == [type(s) for s in expected.segments]
    assert not surface.exact
    reach = np.abs(mesh.vertices).max() * 1e-3
    assert surface.deviation <= FLOAT32 * reach
    # The mean of many vertices is more accurate than one float32; the centre of an arc depends on its opening angle.
    shift = surface.profile.segments[0].start[0] - expected.segments[0].start[0] if moved else 0.0
    found, wanted = segment_points(surface.profile), segment_points(expected)
    wanted[:, [0, 2]] += shift
    wanted[[isinstance(s, Arc) for s in expected.segments], 4] += shift
    np.testing.assert_allclose(found, wanted, rtol=0, atol=20 * FLOAT32 * reach)


def test_detected_axis_equals_the_given_one():
    found = read_surface(FILES / "block.step", side="inside")
    given = read_surface(FILES / "block.step", side="inside", axis=(found.frame.p_FS, found.frame.R_FS[:, 2]))
    np.testing.assert_allclose(
        segment_points(given.profile), segment_points(found.profile), rtol=0, atol=EXACT
    )


def test_cavity_of_a_rotated_block_with_bolt_holes():
    """The outside is a box with bolt holes; the inside is of revolution, its front face up to the edge of the box."""
    surface = read_surface(FILES / "block.step", side="inside")
    z = surface.profile.segments[0].start[0]
    expected = [
        Line(start=(z, 0.080), end=(z, 0.050)),
        Line(start=(z, 0.050), end=(z - 0.060, 0.020)),
        Line(start=(z - 0.060, 0.020), end=(z - 0.100, 0.020)),
        Arc(start=(z - 0.1, 0.02), end=(z - 0.12, 0.0), centre=(z - 0.1, 0.0), counterclockwise=False),
    ]
    assert_same(surface.profile, expected, FLOAT32)  # the edge of the box is known only from facets
    pole_F = surface.frame.p_FS + surface.frame.R_FS @ [0, 0, z - 0.120]
    axis = np.array([1, 1, 0.3]) / math.hypot(1, 1, 0.3)
    turned = np.add(_rotate([0, 0, 0.020], axis, 0.7), [0.1, -0.05, 0.03])
    np.testing.assert_allclose(pole_F, turned, atol=EXACT)
    with pytest.raises(InputError, match=r"outside departs by [0-9.]+ mm from a surface of revolution"):
        read_surface(FILES / "block.step")


def _rotate(v, axis, angle):
    v = np.array(v)
    return (
        v * math.cos(angle) + np.cross(axis, v) * math.sin(angle) + axis * (axis @ v) * (1 - math.cos(angle))
    )


def test_range_of_z_cuts_lines_and_arcs_exactly():
    surface = read_surface(BUNDLED / "drogue.step", side="inside", z_range=(0.0, 0.110))
    cut = surface.profile.segments[0]
    assert isinstance(cut, Arc)
    assert cut.start[0] == pytest.approx(0.110, abs=EXACT)
    assert cut.radius == pytest.approx(0.030, abs=EXACT)
    assert math.dist(cut.end, cut.centre) == pytest.approx(0.030, abs=EXACT)
    with pytest.raises(InputError, match="range of z must rise"):
        read_surface(BUNDLED / "drogue.step", z_range=(0.1, 0.0))


def test_inches_are_converted_and_a_tube_has_both_sides():
    inside = read_surface(FILES / "tube_inch.step", side="inside").profile.segments
    outside = read_surface(FILES / "tube_inch.step").profile.segments
    assert_same(Profile(segments=inside[1:2]), [Line(start=(0.1, 0.02), end=(0.0, 0.02))], EXACT)
    assert_same(Profile(segments=outside[1:2]), [Line(start=(0.0, 0.04), end=(0.1, 0.04))], EXACT)


def test_torus_and_hollow_sphere_have_two_sides():
    outside, inside = (read_surface(FILES / "torus.step", side=s).profile for s in ("outside", "inside"))
    whole = 4 * math.pi**2 * 0.050 * 0.010
    assert surface_area(outside) + surface_area(inside) == pytest.approx(whole, rel=1e-9)
    assert surface_area(outside) > surface_area(inside)
    hollow = read_surface(FILES / "hollow_sphere.step", side="inside", density=1.0)
    assert surface_area(hollow.profile) == pytest.approx(4 * math.pi * 0.020**2, rel=1e-9)
    assert hollow.mass_properties.volume == pytest.approx(4 / 3 * math.pi * (0.025**3 - 0.020**3), rel=1e-2)


def test_side_of_an_open_shell_must_be_given():
    with pytest.raises(InputError, match="open shell, so the side of its material is unknown"):
        read_surface(FILES / "open_shell.step")
    outside = read_surface(FILES / "open_shell.step", side="outside").profile.segments
    inside = read_surface(FILES / "open_shell.step", side="inside").profile.segments
    assert_same(Profile(segments=outside), [Line(start=(0.0, 0.05), end=(0.06, 0.02))], EXACT)
    assert_same(Profile(segments=inside), [Line(start=(0.06, 0.02), end=(0.0, 0.05))], EXACT)


def test_spline_is_fitted_within_the_tolerance():
    surface = read_surface(FILES / "half_ellipsoid.step", tolerance=2e-6)
    assert not surface.exact
    curve = [s.point(f) for s in surface.profile.segments[1:] for f in np.linspace(0, 1, 21)]
    z, r = np.array(curve).T / [[0.070], [0.025]]
    gradient = 2 * np.hypot(z / 0.070, r / 0.025)
    assert np.abs((z**2 + r**2 - 1) / gradient).max() <= surface.tolerance


@pytest.mark.parametrize(
    ("name", "side", "sentence"),
    [
        ("cross_hole", "inside", r"inside departs by [0-9.]+ mm"),
        ("boss", "outside", r"outside departs by 2[0-9.]+ mm"),
        ("flange", "outside", r"hole or an attachment 6 mm wide"),
        ("box", "outside", r"outside departs by [0-9.]+ mm"),
        ("boss", "inside", r"No cavity of revolution faces the axis"),
    ],
)
def test_bodies_not_of_revolution_are_rejected_with_the_departure(name, side, sentence):
    with pytest.raises(InputError, match=sentence):
        read_surface(FILES / f"{name}.step", side=side)


def test_one_of_two_bodies_must_be_selected():
    with pytest.raises(InputError, match="2 bodies"):
        read_surface(FILES / "two_bodies.step")
    assert read_surface(FILES / "two_bodies.step", body=2).profile.segments[1].start[1] == pytest.approx(
        0.012
    )
    with pytest.raises(InputError, match="no such body"):
        read_surface(FILES / "two_bodies.step", body=3)


def step_text():
    return (FILES / "box.step").read_text()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("empty.step", "", "empty"),
        ("text.step", "To whom it may concern", "not a STEP file"),
        ("half.step", step_text()[:5000], "truncated"),
        ("bare.step", step_text().partition("DATA;")[0] + "DATA;\nENDSEC;\nEND-ISO-10303-21;\n", "no solid"),
        ("part.iges", "S", "extension must be one of"),
        ("text.stl", "To whom it may concern", "no triangles"),
        ("text.ply", "To whom it may concern", "PLY file"),
        ("text.glb", "To whom it may concern", "GLB file"),
        ("text.obj", "# nothing\n", "OBJ file|no triangles"),
    ],
)
def test_unusable_files_are_rejected_with_a_message(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=sentence):
        read_surface(path)


def test_missing_and_large_files_and_bad_arguments_are_rejected(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_surface(tmp_path / "nowhere.step")
    with (tmp_path / "large.stl").open("wb") as file:
        file.truncate(60_000_000)
    with pytest.raises(InputError, match="larger than 50 MB"):
        read_surface(tmp_path / "large.stl")
    with pytest.raises(InputError, match="contains its unit"):
        read_surface(FILES / "torus.step", unit="mm")
    with pytest.raises(InputError, match="direction that is not zero"):
        read_surface(FILES / "torus.step", axis=((0, 0, 0), (0, 0, 0)))
    with pytest.raises(InputError, match="open shell"):
        read_surface(FILES / "open_shell.step", density=2700.0)
    with pytest.raises(InputError, match="no inside"):
        read_surface(BUNDLED / "bumper.step", side="inside")
    with pytest.raises(InputError, match="unit must be one of"):
        read_surface(tmp_path / "large.stl", unit="furlong")


def test_implausible_size_gives_a_warning(tmp_path):
    body = read_bodies(BUNDLED / "bumper.step")[0]
    trimesh.Trimesh(body.vertices * 1e3, body.triangles, process=False).export(tmp_path / "bumper.stl")
    surface = read_surface(tmp_path / "bumper.stl")
    assert len(surface.warnings) == 1
    assert "metres were assumed" in surface.warnings[0]
    assert not read_surface(tmp_path / "bumper.stl", unit="mm").warnings


def test_generator_reproduces_the_bundled_files(tmp_path):
    pytest.importorskip("OCP")
    from mechanism.build_step import build_all

    for path in build_all(tmp_path):
        new, old = (read_surface(folder / path.name).profile for folder in (tmp_path, BUNDLED))
        np.testing.assert_allclose(segment_points(new), segment_points(old), rtol=0, atol=EXACT)
