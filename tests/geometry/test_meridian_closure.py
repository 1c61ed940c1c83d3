"""The closure of an open meridian is bounded, has the stated thickness and does not change the meridian."""

import itertools
import math

import numpy as np
import pytest

from softdock.geometry.kernels import depth
from softdock.geometry.meridian_closure import BACK_THICKNESS
from softdock.geometry.profile import Arc, Line, Profile
from softdock.geometry.profile_arrays import closed_chain, described_rows, profile_array
from softdock.geometry.vertices import rounded_profile

CONE = Profile(segments=(Line(start=(0.1, 0.02), end=(0.0, 0.05)),))
OPEN = {
    "cone, open outwards": CONE,
    "plate": Profile(segments=(Line(start=(0.0, 0.05), end=(0.0, 0.0)),)),
    "ring": Profile(segments=(Line(start=(0.0, 0.05), end=(0.0, 0.02)),)),
    "tube": Profile(segments=(Line(start=(0.03, 0.02), end=(-0.03, 0.02)),)),
    "drogue": rounded_profile([(0.1, 0.0), (0.1, 0.03), (0.06, 0.02), (0.0, 0.06)], [0.01, 0.003]),
    "bowl": Profile(
        segments=(Arc(start=(0.03, 0.0), end=(0.0, 0.03), centre=(0.0, 0.0), counterclockwise=True),)
    ),
}


def depth_at(profile, z, r):
    rows = profile_array(profile)
    return depth(rows, 0, len(rows) - 1, z, r)[0]


@pytest.mark.plain_python
@pytest.mark.parametrize("name", OPEN)
def test_points_far_from_an_open_meridian_are_in_free_space(name):
    profile = OPEN[name]
    far = 3.0 * (profile.size + max(s.start[1] for s in profile.segments))
    for angle in np.linspace(0.0, math.pi, 37):
        assert depth_at(profile, far * math.cos(angle), far * math.sin(angle)) < 0.0


@pytest.mark.plain_python
@pytest.mark.parametrize("name", OPEN)
def test_material_behind_an_open_surface_has_the_stated_thickness(name):
    profile = OPEN[name]
    middle = profile.segments[0].point(0.5), profile.segments[0].tangent(0.5)
    (z, r), (t_z, t_r) = middle
    for part in (0.01, 0.2, 0.49):
        s = part * BACK_THICKNESS * profile.size
        found = depth_at(profile, z + s * t_r, abs(r - s * t_z))
        assert found == pytest.approx(s) or found > 0.0
        if part < 0.05:
            assert found == pytest.approx(s)


@pytest.mark.plain_python
@pytest.mark.parametrize("name", OPEN)
def test_closed_chain_is_connected_and_keeps_the_meridian(name):
    profile = OPEN[name]
    chain, _, _ = closed_chain(profile)
    first, last = described_rows(profile)
    for one, two in itertools.pairwise(chain):
        assert math.dist(one.end, two.start) < 1e-12
    ends = (chain[0].start, chain[-1].end)
    # An end on the axis is followed by its mirror image where it is oblique.
    assert ends[0] == pytest.approx(ends[1]) or all(end[1] < 1e-12 for end in ends)
    assert chain[first : last + 1] == profile.segments


@pytest.mark.plain_python
def test_ninety_millimetres_outside_the_rim_of_a_cone_is_free_space():
    for z in (-0.02, 0.0, 0.02, 0.05):
        assert depth_at(CONE, z, 0.05 + 0.09) < -0.04


@pytest.mark.plain_python
def test_a_closed_profile_gets_no_closure():
    corners = [(0.0, 0.01), (0.0, 0.02), (0.01, 0.02), (0.01, 0.01), (0.0, 0.01)]
    ring = Profile(segments=tuple(Line(start=a, end=b) for a, b in itertools.pairwise(corners)))
    assert closed_chain(ring) == (ring.segments, 0, 0)
    solid = Profile(segments=(Line(start=(0.0, 0.02), end=(0.05, 0.02)),))
    assert len(profile_array(solid)) == 3  # end faces to the axis, nothing behind
