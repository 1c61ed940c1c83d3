"""Faces that are not part of a surface of revolution: named with their departure, or left out on purpose."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
import trimesh
import yaml

import softdock
from softdock.errors import InputError
from softdock.geometry.cad import read_surface
from softdock.geometry.face_selection import FaceSelection
from softdock.scenario.construction import as_scenario
from softdock.simulation.checks import check_before_run

FILES = Path(__file__).parent / "files"
AROUND, PETALS = 60, (0, 1, 20, 21, 40, 41)
LOOP = [(0, 0.42), (0.03, 0.42), (0.03, 0.405), (0.03, 0.395), (0.03, 0.388), (0.03, 0.38), (0, 0.38)]
PETAL = {2: (0.14, 0.36), 3: (0.14, 0.35)}
"""Corners of the loop that a petal moves to (z, r) [m]: it reaches into the opening and 110 mm in front of it."""


def write_ring(path, petals=PETALS):
    """Write a ring with petals on its front face."""
    phi = np.arange(AROUND) * math.tau / AROUND
    vertices, triangles = [], []
    for k, place in enumerate(LOOP):
        for i, angle in enumerate(phi):
            z, r = PETAL.get(k, place) if i in petals else place
            vertices.append([r * math.cos(angle), r * math.sin(angle), z])
            a, b = k * AROUND + i, k * AROUND + (i + 1) % AROUND
            c, d = (n % (len(LOOP) * AROUND) for n in (a + AROUND, b + AROUND))
            triangles += [[a, b, c], [b, d, c]]
    trimesh.Trimesh(vertices, triangles, process=False).export(path)
    return path


@pytest.fixture(scope="module")
def petal_ring(tmp_path_factory):
    """Return an STL file of a ring with three petals on its front face."""
    return write_ring(tmp_path_factory.mktemp("cad") / "petals.stl")


def test_petals_in_front_of_an_opening_are_named_with_their_departure(petal_ring):
    with pytest.raises(InputError) as refused:
        read_surface(petal_ring, side="inside")
    assert len(refused.value.problems) == 3
    for problem, angle in zip(refused.value.problems, (354, 114, 234)):
        assert "stands in front of the inside" in problem.message
        assert "departs by 110 mm, z = 30 to 140 mm" in problem.message
        assert f"angle {angle} to {angle + 18} deg" in problem.message
    hint = refused.value.problems[0].hint
    assert "leave it out: `ignore: [{z: [30 mm, 140.84 mm], angle: [353 deg, 373 deg]}, " in hint


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (0.123456, 0.0432109)])
def test_the_ranges_that_an_error_proposes_leave_its_faces_out(petal_ring, tmp_path, scale, shift):
    """The ends of the petals lie in the plane of their largest z; places need more than four digits."""
    mesh = trimesh.load_mesh(petal_ring)
    mesh.apply_scale(scale)
    mesh.apply_translation([0, 0, shift])
    mesh.export(tmp_path / "petals.stl")
    surface = {"body": "ring", "file": "petals.stl", "side": "inside"}
    with pytest.raises(InputError) as refused:
        softdock.Surface(**surface).read(tmp_path)
    proposed = re.search(r"`(ignore: .*)`", refused.value.problems[0].hint).group(1)
    mended = softdock.Surface(**surface, **yaml.safe_load(proposed))
    (sentence,) = (text for text in mended.left_out(tmp_path) if "`ignore`" in text)
    assert sentence.count("a group of ") == 3
    profile, _ = mended.read(tmp_path)
    radii = [s.point(0.5)[1] for s in profile.segments]
    assert min(radii) == pytest.approx(0.38 * scale, rel=1e-5)


def test_ranges_are_examples_where_an_error_has_more_faces(tmp_path):
    path = write_ring(tmp_path / "petals.stl", petals=(0, 1, 15, 16, 30, 31, 45, 46))
    with pytest.raises(InputError) as refused:
        read_surface(path, side="inside")
    hint = refused.value.problems[0].hint
    assert len(refused.value.problems) == 4
    assert "leave it out, for example: `ignore: [" in hint
    assert hint.count("angle") == 3


@pytest.mark.parametrize(
    "ignore",
    [
        [FaceSelection(z=(0.03, 0.15))],
        [FaceSelection(angle=(math.radians(a), math.radians(a + 20))) for a in (353, 113, 233)],
    ],
    ids=["z", "angle"],
)
def test_ignored_petals_are_left_out_and_reported(petal_ring, ignore):
    surface = read_surface(petal_ring, side="inside", ignore=ignore)
    assert min(s.point(0.5)[1] for s in surface.profile.segments) == pytest.approx(0.38, abs=1e-6)
    (sentence,) = (text for text in surface.left_out if "`ignore`" in text)
    assert sentence.count("a group of ") == 3
    assert "angle 354 to 372 deg" in sentence


def scenario_with(path, **options):
    plug = [[-0.1, 0], {"at": [-0.1, 0.365], "fillet": 0.01}, {"at": [0, 0.365], "fillet": 0.01}, [0, 0]]
    start = {"type": "free", "position": [0, 0, 0.4], "velocity": [0, 0, -0.1]}
    return {
        "softdock": 1, "kind": "multibody", "duration": 0.1,
        "bodies": {
            "chaser": {"mass": 450, "inertia": [90, 90, 70], "joint": start}, "ring": {"joint": {"type": "fixed"}},
        },
        "surfaces": {
            "plug": {"body": "chaser", "profile": plug},
            "opening": {
                "body": "ring", "file": str(path), "side": "inside", "shape": "revolution", **options,
            },
        },
        "contacts": {"c": {"a": "opening", "b": "plug", "layer": {"stiffness": 5e9}}},
    }  # fmt: skip


def test_a_scenario_names_every_face_and_a_run_reports_what_it_ignores(petal_ring):
    with pytest.raises(InputError) as refused:
        softdock.simulate(scenario_with(petal_ring))
    assert len(refused.value.problems) == 3
    assert {problem.field for problem in refused.value.problems} == {"surfaces.opening.file"}
    result = softdock.simulate(scenario_with(petal_ring, ignore=[{"z": ["30 mm", "150 mm"]}]))
    (sentence,) = (text for text in result.warnings if "`ignore`" in text)
    assert sentence.startswith("Nothing touches a part of surface 'opening'.")


@pytest.mark.parametrize(
    ("ignore", "words"),
    [
        ([99], "selects no face of the file, which is a mesh"),
        ([{"z": ["1 m", "2 m"]}], "selects no face"),
        ([{}], "Give z, angle or both"),
        ([{"z": [0.2, 0.1]}], "Must rise"),
        ([0], "Must be at least 1"),
    ],
)
def test_selections_of_no_face_are_refused(petal_ring, ignore, words):
    with pytest.raises(InputError, match=words):
        softdock.simulate(scenario_with(petal_ring, ignore=ignore))


@pytest.mark.parametrize(
    ("name", "faces", "corners"),
    [
        ("flange", (4, 5), [(0, 0), (0, 0.04), (0.01, 0.04), (0.01, 0)]),
        ("boss", (4, 5), [(0, 0), (0, 0.04), (0.02, 0.04), (0.02, 0)]),
    ],
)
def test_ignored_holes_and_bosses_do_not_break_a_surface(name, faces, corners):
    path = FILES / f"{name}.step"
    with pytest.raises(InputError, match=r"interrupted by face 4 \(cylinder\)"):
        read_surface(path)
    surface = read_surface(path, ignore=faces)
    ends = [surface.profile.segments[0].start, *(s.end for s in surface.profile.segments)]
    np.testing.assert_allclose(ends, corners, atol=1e-9)
    assert all(f"face {k} " in surface.left_out[0] for k in faces)


def test_a_face_that_is_read_in_part_and_an_assumed_closure_are_reported():
    """The front of the block is read up to the edges of the box; its bolt holes and sides determine no closure."""
    surface = read_surface(FILES / "block.step", side="inside")
    assert not surface.closure_known
    assert "reaches to r = 113.1 mm; only its ring up to r = 80 mm is read" in surface.left_out[0]
    scenario = scenario_with(FILES / "block.step", at=[0, 0, -1])
    found = check_before_run(as_scenario(scenario))
    assert any("Is closed behind along (z, r) = " in warning.message for warning in found.warnings)
    assert not found.problems


def test_an_open_profile_is_noted_with_the_lines_that_close_it():
    scenario = scenario_with("", side=None)
    scenario["surfaces"]["opening"] = {"body": "ring", "profile": [[0, 0.5], [0, 0.4]]}
    (note,) = check_before_run(as_scenario(scenario)).notes
    assert note.field == "surfaces.opening"
    assert "(z, r) = (0, 400), (-25, 400), (-25, 500), (0, 500) mm" in note.message
