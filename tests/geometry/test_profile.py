"""Profiles: depth below the surface, and rejected input."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from softdock.errors import InputError
from softdock.geometry.kernels import depth, narrow_segments, radial_depth
from softdock.geometry.profile import Arc, Line, Profile
from softdock.geometry.profile_arrays import described_rows, profile_array
from softdock.geometry.vertices import rounded_profile

DROGUE = rounded_profile(
    [
        (0.02, 0.078),
        (-0.035, 0.023),
        (-0.050, 0.023),
        (-0.056, 0.035),
        (-0.075, 0.035),
        (-0.09, 0.02),
        (-0.09, 0.0),
    ],
    [5e-3, 2e-3, 2e-3, 5e-3, 5e-3],
)
SHARP = Profile(
    segments=tuple(
        Line(start=a, end=b)
        for a, b in [((0.0, 0.0), (0.01, 0.02)), ((0.01, 0.02), (0.05, 0.02)), ((0.05, 0.02), (0.04, 0.0))]
    )
)
BALL = Profile(
    segments=(
        Arc(start=(-0.01, 0.0), end=(0.0, 0.01), centre=(0.0, 0.0), counterclockwise=False),
        Arc(start=(0.0, 0.01), end=(0.01, 0.0), centre=(0.0, 0.0), counterclockwise=False),
    )
)
LIP = rounded_profile([(0.03, 0.02), (-0.03, 0.02)], [])
PROFILES = {"drogue": DROGUE, "sharp solid": SHARP, "ball": BALL, "open tube": LIP}


ROWS = {id(profile): profile_array(profile) for profile in PROFILES.values()}


def depth_at(profile, z, r):
    rows = ROWS[id(profile)]
    return depth(rows, 0, len(rows) - 1, z, r)


@pytest.mark.plain_python
def test_depth_of_a_ball_is_radius_minus_distance():
    for z, r in [(0.0, 0.0), (0.004, 0.003), (0.02, 0.0), (-0.01, 0.02)]:
        assert depth_at(BALL, z, r)[0] == pytest.approx(0.01 - math.hypot(z, r), abs=1e-15)


@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ((0.03, 0.015), 0.005),  # inside, below the cylinder
        ((0.03, 0.025), -0.005),  # outside, above it
        ((-0.01, 0.0), -0.01),  # in front of the tip
        ((0.06, 0.03), -math.hypot(0.01, 0.01)),  # nearest to the sharp rim
        ((0.03, 0.001), math.hypot(0.01, 0.001)),  # inside, in front of the tip of the recess in the back
        ((0.048, 0.004), -0.012 / math.sqrt(5)),  # free space in the recess
    ],
)
def test_depth_of_a_solid_with_sharp_edges(point, expected):
    assert depth_at(SHARP, *point)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", PROFILES)
@settings(deadline=None, max_examples=200)
@given(
    z=st.floats(-0.15, 0.1),
    r=st.floats(0.0, 0.12),
    turn=st.floats(0, math.tau),
    step=st.floats(1e-6, 5e-3),
)
def test_depth_is_1_lipschitz_with_a_unit_gradient(name, z, r, turn, step):
    """A signed distance changes by at most the distance of two points."""
    assume(math.hypot(z, r) > 1e-9)  # the centre of a ball has no direction
    s, n_z, n_r = depth_at(PROFILES[name], z, r)
    assert math.hypot(n_z, n_r) == pytest.approx(1.0, abs=1e-12)
    z_2, r_2 = z + step * math.cos(turn), abs(r + step * math.sin(turn))
    s_2 = depth_at(PROFILES[name], z_2, r_2)[0]
    assert abs(s_2 - s) <= math.hypot(z_2 - z, r_2 - r) * (1 + 1e-9) + 1e-15


@pytest.mark.parametrize("name", PROFILES)
def test_gradient_agrees_with_differences(name):
    rng, h = np.random.default_rng(3), 1e-7
    worst = []
    for z, r in zip(rng.uniform(-0.12, 0.08, 300), rng.uniform(1e-3, 0.1, 300)):
        _, n_z, n_r = depth_at(PROFILES[name], z, r)
        by_z = (depth_at(PROFILES[name], z + h, r)[0] - depth_at(PROFILES[name], z - h, r)[0]) / (2 * h)
        by_r = (depth_at(PROFILES[name], z, r + h)[0] - depth_at(PROFILES[name], z, r - h)[0]) / (2 * h)
        worst.append(math.hypot(by_z - n_z, by_r - n_r))
    # Curvature 1/mm over a step of 0.1 um; the few points on a medial line of the material may jump.
    assert np.quantile(worst, 0.98) < 1e-4


@pytest.mark.plain_python
def test_sign_agrees_with_the_side_of_travel():
    for profile in PROFILES.values():
        for segment in profile.segments:
            (z, r), (t_z, t_r) = segment.point(0.5), segment.tangent(0.5)
            for h in (1e-5, -1e-5):
                assert depth_at(profile, z + h * t_r, r - h * t_z)[0] == pytest.approx(h, abs=1e-12)


@pytest.mark.plain_python
def test_points_beyond_an_open_end_are_in_free_space():
    for z in (0.0301, 0.04, -0.0301):
        for r in (0.021, 0.03, 0.019):
            assert depth_at(LIP, z, r)[0] < 0.0
    inside = depth_at(LIP, 0.029, 0.0205)
    assert inside[0] == pytest.approx(0.0005)
    assert depth_at(LIP, 0.0299, 0.0205)[0] == pytest.approx(0.0001)  # nearer to the end face


@pytest.mark.plain_python
@pytest.mark.parametrize("profile", [DROGUE, BALL])
def test_the_normal_on_the_axis_is_axial(profile):
    rows = profile_array(profile)
    pole = profile.segments[-1].end[0]
    for dz in (-1e-3, 1e-3):
        s, n_z, n_r = depth(rows, 0, len(rows) - 1, pole + dz, 0.0)
        assert abs(s) == pytest.approx(1e-3)
        assert (abs(n_z), n_r) == (pytest.approx(1.0), pytest.approx(0.0, abs=1e-9))


@settings(deadline=None, max_examples=200)
@given(
    z=st.floats(-0.12, 0.05), r=st.floats(0.0, 0.09), reach=st.floats(0, 0.02), turn=st.floats(0, math.tau)
)
def test_narrowed_segments_contain_the_nearest_one_within_reach(z, r, reach, turn):
    rows = ROWS[id(DROGUE)]
    here = depth(rows, 0, len(rows) - 1, z, r)[0]
    first, last = narrow_segments(rows, 0, len(rows) - 1, z, r, here, reach)
    z_2, r_2 = z + reach * math.cos(turn), abs(r + reach * math.sin(turn))
    whole = depth(rows, 0, len(rows) - 1, z_2, r_2)
    assert depth(rows, first, last, z_2, r_2)[0] == pytest.approx(whole[0], abs=1e-15)


@pytest.mark.plain_python
def test_radial_mapping_equals_the_distance_on_cones_and_fails_at_the_pole():
    cone = Profile(segments=(Line(start=(0.06, 0.06), end=(0.0, 0.0)),))
    rows, (k, _) = profile_array(cone), described_rows(cone)
    assert radial_depth(rows, k, k, 0.03, 0.0302) == pytest.approx(depth(rows, k, k, 0.03, 0.0302))
    rows = profile_array(BALL)
    true, mapped = depth(rows, 0, 1, -0.0095, 0.0)[0], radial_depth(rows, 0, 1, -0.0095, 0.0)[0]
    assert true == pytest.approx(0.0005)
    assert mapped > 1.5 * true


ARC = Arc(start=(0.0, 0.01), end=(0.01, 0.0), centre=(0.0, 0.0), counterclockwise=False)


@pytest.mark.plain_python
@pytest.mark.parametrize(
    ("segments", "sentence"),
    [
        ((), "at least one line or arc"),
        ((Line(start=(0.0, 0.01), end=(0.0, 0.01)),), "must have a length"),
        ((Line(start=(0.0, math.nan), end=(0.0, 0.01)),), "finite"),
        ((Line(start=(0.0, 0.01), end=(0.1, -0.01)),), "must not cross its axis"),
        ((ARC, Line(start=(0.02, 0.0), end=(0.03, 0.01))), "start where the one before ended"),
        (
            (Arc(start=(0.0, 0.01), end=(0.02, 0.0), centre=(0.0, 0.0), counterclockwise=False),),
            "equally far from its centre",
        ),
        (
            (Arc(start=(0.0, 0.01), end=(0.01, 0.02), centre=(0.0, 0.02), counterclockwise=False),),
            "at most half a turn",
        ),
        (
            (
                Line(start=(0.0, 0.01), end=(0.1, 0.01)),
                Line(start=(0.1, 0.01), end=(0.1, 0.05)),
                Line(start=(0.1, 0.05), end=(0.05, 0.0)),
            ),
            "crosses itself",
        ),
    ],
)
def test_invalid_profiles_are_rejected_with_a_message(segments, sentence):
    with pytest.raises(InputError, match=sentence):
        profile_array(Profile(segments=segments))


@pytest.mark.plain_python
def test_fillets_that_do_not_fit_are_rejected():
    with pytest.raises(InputError, match="fillet takes"):
        rounded_profile([(0.0, 0.0), (0.0, 0.01), (0.02, 0.01)], [0.02])
    with pytest.raises(InputError, match="1 radii"):
        rounded_profile([(0.0, 0.0), (0.0, 0.01), (0.02, 0.01)], [])
