"""Profiles given as lists of vertices."""

import math

import pytest

from softdock.errors import InputError
from softdock.geometry.profile import Arc, Line
from softdock.geometry.vertices import profile_from_list


def test_fillet_is_tangent_to_both_lines():
    profile = profile_from_list([[0, 0.03], {"at": [0.05, 0.01], "fillet": 0.004}, [0.06, 0.03]])
    before, arc, after = profile.segments
    assert isinstance(arc, Arc)
    assert arc.radius == pytest.approx(0.004)
    assert arc.tangent(0.0) == pytest.approx(before.tangent(1.0))
    assert arc.tangent(1.0) == pytest.approx(after.tangent(0.0))
    assert arc.counterclockwise  # a left turn: the material on the right is outside the circle


@pytest.mark.parametrize("turn", ["left", "right"])
def test_arc_by_radius_is_the_arc_through_its_middle(turn):
    start, end = [0.0, 0.02], [0.03, 0.02]
    by_radius = profile_from_list([start, {"arc_to": end, "radius": 0.02, "turn": turn}]).segments[0]
    middle = list(by_radius.point(0.5))
    through = profile_from_list([start, {"arc_to": end, "through": middle}]).segments[0]
    assert (middle[1] < 0.02) == (turn == "left")
    assert through.centre == pytest.approx(by_radius.centre)
    assert through.counterclockwise == by_radius.counterclockwise
    assert abs(by_radius.sweep) < math.pi


def test_fillets_may_take_the_whole_length_of_a_line():
    rounded = profile_from_list([[0, 0.01], {"at": [0, 0.02], "fillet": 0.01}, [0.02, 0.02]])
    assert [type(s) for s in rounded.segments] == [Arc, Line]


@pytest.mark.parametrize(
    ("items", "field", "sentence"),
    [
        ([[0, 0.01]], "profile", "at least two vertices"),
        ([[0, 0.01], [0.02, -0.01]], "profile.1", "must not cross its axis"),
        ([[0, 0.01], [0, 0.01], [0.1, 0.01]], "profile.1", "repeats the one before"),
        ([[0, 0.01], {"at": [0.01, 0.02], "fillet": 0.1}, [0.02, 0.01]], "profile.1", "fillet takes"),
        ([[0, 0.01], {"at": [0.01, 0.01], "fillet": 0.001}, [0.02, 0.01]], "profile.1", "parallel"),
        ([{"at": [0, 0.01], "fillet": 0.001}, [0.02, 0.01]], "profile.0", "straight line before and after"),
        ([{"arc_to": [0, 0.01], "through": [1, 1]}, [0.02, 0.01]], "profile.0", "cannot begin with an arc"),
        (
            [[0, 0.01], {"arc_to": [0.02, 0.01], "radius": 0.005, "turn": "left"}],
            "profile.1",
            "more than half",
        ),
        (
            [[0, 0.01], {"arc_to": [0.02, 0.01], "radius": 1e308, "turn": "left"}],
            "profile.1",
            "a straight line",
        ),
        ([[0, 0.01], {"arc_to": [0.02, 0.01], "through": [0.01, 0.01]}], "profile.1", "on one line"),
        ([[0, 0.01], {"arc_to": [0.02, 0.01], "through": [0.01, 0.05]}], "profile.1", "half a turn"),
        ([[0, 0.01], {"arc_to": [0.02, 0.01], "radius": 0.02}], "profile.1", "A vertex is written as"),
        ([[0, 0.01], [0.02, 0.01, 0.03]], "profile.1", "A vertex is written as"),
        ([[0, 0.01], [0.02, "2 mm"]], "profile.1", "number in metres"),
        ([[0, 0.01], [0.02, math.nan]], "profile.1", "finite"),
        (
            [[0, 0.01], {"arc_to": [0.04, 0.01], "through": [0.02, -0.005]}],
            "profile.segments.0",
            "cross its axis",
        ),
        ([[0, 0.01], [0.04, 0.03], [0.04, 0.01], [0, 0.03]], "profile", "crosses itself"),
    ],
)
def test_invalid_vertices_are_rejected_with_their_field(items, field, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        profile_from_list(items)
    assert caught.value.problems[0].field == field
