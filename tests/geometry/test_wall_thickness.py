"""Wall thickness and smallest radius of known shapes."""

import itertools
import math

import pytest

from softdock.geometry.profile import Arc, Line, Profile
from softdock.geometry.vertices import rounded_profile
from softdock.geometry.wall_thickness import smallest_radius, wall_thickness


def lines(*places):
    return Profile(segments=tuple(Line(start=a, end=b) for a, b in itertools.pairwise(places)))


PLATE = lines((0.0, 0.0), (0.0, 0.1), (0.003, 0.1), (0.003, 0.0))
BALL = Profile(
    segments=(
        Arc(start=(-0.01, 0.0), end=(0.0, 0.01), centre=(0.0, 0.0), counterclockwise=False),
        Arc(start=(0.0, 0.01), end=(0.01, 0.0), centre=(0.0, 0.0), counterclockwise=False),
    )
)
SHELL = Profile(
    segments=(
        Arc(start=(-0.05, 0.0), end=(0.0, 0.05), centre=(0.0, 0.0), counterclockwise=False),
        Line(start=(0.0, 0.05), end=(0.0, 0.048)),
        Arc(start=(0.0, 0.048), end=(-0.048, 0.0), centre=(0.0, 0.0), counterclockwise=True),
    )
)


@pytest.mark.parametrize(
    ("profile", "thickness"),
    [
        (PLATE, 0.003),
        (BALL, 0.02),
        (SHELL, 0.002),
        (lines((0.0, 0.0), (0.0, 0.004), (0.05, 0.004), (0.05, 0.0)), 0.008),  # a rod: through its axis
        (lines((0.1, 0.02), (0.0, 0.02)), 0.025),  # an open tube: its back face
    ],
)
def test_wall_thickness(profile, thickness):
    assert wall_thickness(profile) == pytest.approx(thickness, rel=1e-9)


def test_a_tip_is_not_a_wall():
    cone = lines((0.0, 0.0), (0.1, 0.02), (0.1, 0.0))  # 22.6 deg
    assert wall_thickness(cone) > 0.05  # along its axis only
    needle = lines((0.0, 0.0), (0.1, 0.005), (0.1, 0.0))
    assert wall_thickness(needle) < 0.01


def test_smallest_radius_is_that_of_convex_arcs():
    assert smallest_radius(BALL) == pytest.approx(0.01)
    assert smallest_radius(SHELL) == pytest.approx(0.05)  # its inside is concave
    assert math.isinf(smallest_radius(PLATE))
    step = rounded_profile(
        [(0.0, 0.0), (0.0, 0.02), (0.01, 0.02), (0.01, 0.03), (0.02, 0.03)], [0.002, 0.001, 0.003]
    )
    assert smallest_radius(step) == pytest.approx(0.002)  # the inner corner of 1 mm is concave
