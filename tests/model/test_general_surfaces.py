"""Surfaces of any shape: which reading is chosen, the same solid either way, zones, wrong keys."""

from pathlib import Path

import numpy as np
import pytest
from tests.geometry.solid_shapes import points_near

import softdock
from softdock.model.surfaces import Surface

FILES = Path(__file__).parents[1] / "geometry" / "files"
HERE = Path()


def surface(**keys):
    return Surface.model_validate({"body": "part", **keys})


@pytest.mark.parametrize(
    ("keys", "general"),
    [
        ({"file": "block.step"}, True),
        ({"file": "flange.step"}, True),  # holes beside its axis
        ({"file": "torus.step"}, False),
        ({"file": "torus.step", "shape": "general"}, True),
        ({"solid": {"box": {"size": [0.1, 0.1, 0.1]}}}, True),
        ({"solid": {"cylinder": {"radius": 0.1, "height": 0.1}}}, False),
        ({"solid": {"cylinder": {"radius": 0.1, "height": 0.1}}, "shape": "general"}, True),
        ({"profile": [[0, 0], [0, 0.1], [0.1, 0.1], [0.1, 0]]}, False),
        ({"profile": [[0, 0], [0, 0.1], [0.1, 0.1], [0.1, 0]], "shape": "general"}, True),
    ],
)
def test_what_is_not_of_revolution_becomes_general(keys, general):
    assert surface(**keys).is_general(FILES) is general


def test_a_cylinder_is_the_same_solid_however_it_is_given():
    cylinder = {"cylinder": {"radius": 0.1, "height": 0.2, "at": [0, 0, 0.1]}}
    profile = [[0, 0], [0, 0.1], [0.2, 0.1], [0.2, 0]]
    (one, X_one), *others = (
        given.read_solid(HERE)
        for given in (
            surface(solid=cylinder, shape="general"),
            surface(solid=cylinder),
            surface(profile=profile),
            surface(profile=profile, shape="general"),
        )
    )
    points = points_near(one, 300)
    for other, X_other in others:
        placed = X_other.inverse().points(X_one.points(points))
        np.testing.assert_allclose(other.depths(placed)[:, 0], one.depths(points)[:, 0], atol=1e-14)
        assert not any(face.is_closure for face in other.faces)


def test_faces_that_close_an_open_surface_are_marked():
    solid, _ = surface(profile=[[0, 0], [0, 0.1]]).read_solid(HERE)
    assert [face.is_closure for face in solid.faces].count(False) == 1
    assert (
        solid.depths(np.array([[0, 0, 0.01]]))[0, 0] > 0.0
        or solid.depths(np.array([[0, 0, -0.01]]))[0, 0] > 0.0
    )


def test_an_open_shell_and_unread_options_are_refused():
    with pytest.raises(softdock.InputError, match="open shell"):
        surface(file="open_shell.step", shape="general").read_solid(FILES)
    with pytest.raises(softdock.InputError, match=r"open shell, so the side of its material is unknown"):
        surface(file="open_shell.step").is_general(FILES)
    for name, value in (("side", "outside"), ("z_range", [0, 1]), ("ignore", [1])):
        with pytest.raises(softdock.InputError, match="a general solid is used as a whole"):
            Surface(body="part", file="block.step", shape="general", **{name: value})
    with pytest.raises(softdock.InputError, match="no surface of revolution"):
        Surface(body="part", solid=softdock.Box(size=(1, 1, 1)), shape="revolution")
    with pytest.raises(
        softdock.InputError, match="Give one of file, solid and profile; given file and solid"
    ):
        Surface(body="part", solid=softdock.Box(size=(1, 1, 1)), file="block.step")


@pytest.mark.parametrize("name", ["flange.step", "half_ellipsoid.step"])
def test_a_part_of_the_axis_is_never_a_general_solid(name):
    with pytest.raises(softdock.InputError):
        surface(file=name, z_range=[5, 6]).is_general(FILES)


def test_zones_are_boxes_and_faces():
    zones = {
        "top": {"faces": [6]},
        "corner": {"box": [[0, 0, 0], [1, 1, 1]], "faces": [1, 2]},
        "high": [0.0, 1.0],
    }
    box = surface(solid={"box": {"size": [0.1, 0.1, 0.1]}}, zones=zones)
    found = box.solid_zones(HERE)
    assert found["top"].faces == (5,)
    assert np.isinf(found["top"].high).all()
    assert found["corner"].faces == (0, 1)
    assert found["corner"].high == (1.0, 1.0, 1.0)
    assert found["high"].low[2:] == (0.0,)
    assert found["high"].faces is None


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ({"faces": [7]}, r"zones.z.faces.0: The solid has faces 1 to 6 and no named faces. Given: 7."),
        ({"faces": ["ramp"]}, "no named faces"),
    ],
)
def test_zones_of_unknown_faces_are_refused(zone, words):
    box = surface(solid={"box": {"size": [0.1, 0.1, 0.1]}}, zones={"z": zone})
    with pytest.raises(softdock.InputError, match=words):
        box.solid_zones(HERE)


def test_faces_have_the_names_that_the_file_gives(tmp_path):
    text = (FILES / "box.step").read_text(encoding="utf-8")
    (tmp_path / "box.step").write_text(text.replace("ADVANCED_FACE('',", "ADVANCED_FACE('it''s; left',", 1))
    named = surface(file="box.step", zones={"z": {"faces": ["it's; left"]}})
    assert len(named.solid_zones(tmp_path)["z"].faces) == 1
