"""Schematics of the peg-in-hole paper: what they draw is what the kernels compute."""

import math

import numpy as np

from softdock.contact.pins import Feature, PinInHole, PinPart
from softdock.report.figures.peg_schematics import (
    HOLE,
    LAW,
    PIN,
    SEARCH_POINTS,
    draw_schematics,
    search_levels,
)

P, AXIS = np.array([0.006, 0.0045, -0.012]), np.array([math.sin(0.35), 0.0, math.cos(0.35)])


def distance(angle: np.ndarray) -> np.ndarray:
    away = HOLE.radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=-1) - P
    return np.linalg.norm(away - (away @ AXIS)[..., None] * AXIS, axis=-1)


def test_levels_of_the_search_lie_between_the_neighbours_of_the_best_point_and_reach_the_nearest_one():
    """Each level narrows the interval to 2/7, and the best of its eight points is no farther than the one before."""
    levels = search_levels(P, AXIS)
    fine = np.linspace(-math.pi, math.pi, 200_001)
    nearest = distance(fine).min()
    best = [distance(points).min() for points in levels]
    assert all(len(points) == SEARCH_POINTS for points in levels)
    assert best == sorted(best, reverse=True)
    assert best[-1] - nearest < 1e-5
    widths = [np.ptp(points) for points in levels[1:]]
    np.testing.assert_allclose(np.array(widths[1:]) / widths[:-1], 2.0 / 7.0, rtol=1e-12)


def test_the_drawn_poses_have_the_contacts_that_their_titles_name():
    pair = PinInHole(pin=PIN, hole=HOLE, law=LAW)

    def features(place: tuple[float, float, float], tilt: float) -> set[tuple[PinPart, Feature]]:
        angle = math.radians(tilt)
        touches = pair.touches(np.array(place), np.array([math.sin(angle), 0.0, math.cos(angle)]))
        return {(touch.part, touch.feature) for touch in touches}

    assert (PinPart.LEADING_CAP, Feature.BOTTOM) in features((0.0012, 0.0, -0.0524), 2.0)
    assert (PinPart.LEADING_CAP, Feature.WALL) in features((0.0028, 0.0, -0.030), 1.0)
    assert (PinPart.LEADING_CAP, Feature.RIM) in features((0.014, 0.0, 0.0138), 0.0)
    assert (PinPart.BODY, Feature.RIM) in features((-0.0035, 0.0, -0.016), 23.0)


def test_all_schematics_are_drawn():
    assert list(draw_schematics()) == [f"peg-figure-{number}" for number in (4, 5, 6, 7)]
