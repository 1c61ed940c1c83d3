"""The five steps from CAD to contact geometry, and their figure."""

from pathlib import Path

import numpy as np
import pytest

from softdock.errors import InputError
from softdock.geometry.cad import read_surface
from softdock.geometry.fitting import distance_to_segments
from softdock.geometry.mass_properties import surface_area
from softdock.geometry.profile_derivation import derive_profile, interpolate, point_cloud
from softdock.report.figures.assist_profile import draw_profile_derivation

BUNDLED = Path(__file__).parents[2] / "src/softdock/scenario/bundled/cad"


@pytest.fixture(scope="module")
def drogue():
    return read_surface(BUNDLED / "drogue.step", side="inside")


@pytest.mark.parametrize("resolution", [5e-3, 1e-3])
def test_cloud_has_the_exact_area_and_lies_on_the_surface(drogue, resolution):
    cloud = point_cloud(drogue.profile, resolution)
    assert cloud.areas.sum() == pytest.approx(surface_area(drogue.profile), rel=1e-12)
    r = np.hypot(cloud.points[:, 0], cloud.points[:, 1])
    off = distance_to_segments(list(drogue.profile.segments), np.column_stack([cloud.points[:, 2], r]))
    assert off.max() < 1e-14  # rounding and the digits of the file
    np.testing.assert_allclose(np.linalg.norm(cloud.normals, axis=1), 1.0, rtol=1e-14)


def test_closed_surface_has_no_net_vector_area():
    """The vector area of a closed surface is zero; the flux of the position is three times the volume."""
    bumper = read_surface(BUNDLED / "bumper.step", density=1.0)
    cloud = point_cloud(bumper.profile, 2.5e-4)
    vector_area = cloud.areas @ cloud.normals
    np.testing.assert_allclose(vector_area, 0.0, atol=1e-4 * cloud.areas.sum())
    flux = cloud.areas @ np.einsum("ij,ij->i", cloud.points, cloud.normals)
    assert flux == pytest.approx(3 * bumper.mass_properties.volume, rel=1e-3)


def test_interpolated_profile_contains_joints_and_has_the_resolution(drogue):
    row = interpolate(drogue.profile, 2e-3)
    assert np.linalg.norm(np.diff(row, axis=0), axis=1).max() <= 2e-3 * (1 + 1e-12)
    for segment in drogue.profile.segments:
        assert np.linalg.norm(row - segment.end, axis=1).min() == 0.0
    with pytest.raises(InputError, match="resolution"):
        interpolate(drogue.profile, 0.0)


def test_vertices_of_the_facets_lie_on_the_profile(drogue):
    steps = derive_profile(drogue, resolution=3e-3)
    off = distance_to_segments(list(steps.profile.segments), steps.cylindrical[:, :2])
    assert off.max() <= 2 * np.finfo(np.float32).eps * 0.14


def test_the_five_panels_are_drawn(drogue):
    figure = draw_profile_derivation(drogue)
    assert len(figure.axes) == 5
