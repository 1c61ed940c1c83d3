"""The bundled kinematic mount: forces and pose at rest in closed form, whatever the start."""

import math
from pathlib import Path

import numpy as np
import pytest

import softdock
from softdock.geometry.solids.drawing import decoded
from softdock.replay.scene_builder import scene

WEIGHT = 2.0 * 9.81
RADIUS, STIFFNESS = 8e-3, 1e11


@pytest.fixture(scope="module")
def result():
    return softdock.simulate("v-groove-mount", with_prediction=False)


def final(result, *channels):
    return np.array([result.history[name][-1] for name in channels])


def test_each_ball_carries_a_third_of_the_weight(result):
    forces = final(result, "seat-1.force", "seat-2.force", "seat-3.force")
    np.testing.assert_allclose(forces, WEIGHT / 3.0, rtol=2e-3)


def test_the_plate_rests_at_the_height_of_the_closed_form(result):
    """Each flank carries F / (2 cos 45 deg) = c pi R d^2, and the centre of a ball is sqrt(2) (R - d) high."""
    normal = WEIGHT / 3.0 / math.sqrt(2.0)
    depth = math.sqrt(normal / (STIFFNESS * math.pi * RADIUS))
    assert final(result, "plate.z")[0] == pytest.approx(math.sqrt(2.0) * (RADIUS - depth), abs=2e-7)


def test_another_start_ends_in_the_same_pose(result):
    start = {"bodies.plate.joint.position": ["-0.5 mm", "0.3 mm", "12.6 mm"]}
    other = softdock.simulate("v-groove-mount", start, with_prediction=False)
    channels = ("plate.x", "plate.y", "plate.z")
    np.testing.assert_allclose(final(other, *channels), final(result, *channels), rtol=0, atol=1e-6)


def test_the_replay_draws_the_faces_that_touch(result):
    drawn = decoded(result.outlines["groove-1"]["solid"])
    solid, _ = softdock.load("v-groove-mount").surfaces["groove-1"].read_solid(Path())
    middle = drawn.points[drawn.indices].mean(axis=1)
    assert np.abs(solid.depths(middle)[:, 0]).max() < 1e-8  # single precision
    assert sum(len(node.parts) for node in scene(result).nodes) >= 7
