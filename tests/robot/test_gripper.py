"""Grippers and tool changers: connections that engage within a window, and moves that grip and release."""

from typing import Any

import numpy as np
import pytest

from softdock.errors import InputError
from softdock.scenario.loading import from_data
from softdock.simulation import simulate

BALL = {"mass": 2.0, "inertia": [0.01, 0.01, 0.01]}


def drifting(distance: str, angle: str, kind: str = "welds", speed: float = 1e-3) -> dict[str, Any]:
    """Return two bodies 10 mm and 2 deg apart, connected after 1 s if the window allows it."""
    law = {"stiffness": 1e5, "angular_stiffness": 1e3} if kind == "welds" else {}
    turned = {"axis": "y", "angle": "2 deg"}
    return {
        "kind": "multibody",
        "duration": "2 s",
        "bodies": {
            "hand": {**BALL, "joint": {"type": "free"}},
            "tool": {
                **BALL,
                "joint": {"type": "free", "position": [0.01, 0, 0], "attitude": turned, "velocity": [speed, 0, 0]},
            },
        },
        kind: {
            "grip": {
                "a": {"body": "hand"}, "b": {"body": "tool"}, **law,
                "window": {"distance": distance, "angle": angle},
            }
        },
        "events": {
            "close": {"when": "time > 1 s", "then": [{"enable": "grip"}]},
            "closed": {"when": "grip.engaged > 0.5"},
            "missed": {"when": "grip.misses > 0.5"},
        },
        "record": {"also": ["grip.engaged", "grip.misses"]},
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["welds", "locks"])
@pytest.mark.parametrize(
    ("distance", "angle", "engages"),
    [
        ("12 mm", "3 deg", True),
        ("10.5 mm", "3 deg", False),
        ("12 mm", "1.9 deg", False),
        ("12 mm", "2.1 deg", True),
    ],
)
def test_a_connection_engages_only_where_distance_and_angle_are_within_its_window(
    kind, distance, angle, engages
):
    """After 1 s the frames are 11 mm and 2 deg apart."""
    result = simulate(from_data(drifting(distance, angle, kind), "grip"))
    names = [event.name for event in result.events]
    assert ("closed" in names, "missed" in names) == (engages, not engages)
    relative = result.history["tool.vx"][-1] - result.history["hand.vx"][-1]
    if engages:
        assert result.audit.linear_momentum_drift < 1e-9
        assert abs(relative) < 1e-3
    else:
        assert relative == pytest.approx(1e-3, rel=1e-12)
        said = " ".join(result.warnings)
        assert "'grip' did not engage, once: at 1 s its frames were 11 mm and 2 deg apart" in said


def test_a_window_that_is_no_window_is_refused():
    for window in ({"distance": 0, "angle": 1}, {"distance": 1, "angle": "200 deg"}, {"distance": 1}):
        data = drifting("1 mm", "1 deg")
        data["welds"]["grip"]["window"] = window
        with pytest.raises(InputError, match=r"welds\.grip\.window"):
            from_data(data, "grip")


def changing(**changes: Any) -> dict[str, Any]:
    """Return an arm that lifts a tool from a stand."""
    down = {"axis": "y", "angle": "180 deg"}
    return {
        "kind": "robot",
        "gravity": [0, 0, -9.81],
        "arm": {"file": "lwr4plus", "start": [0, "-31 deg", 0, "100 deg", 0, "-49 deg", 0]},
        "bodies": {
            "tool": {"mass": 0.4, "inertia": [1e-3] * 3,
                     "joint": {"type": "free", "position": [0.5, 0, 0.3], "attitude": down}},
        },
        "control": {"stiffness": [2000, 2000, 2000, 2000, 300, 300, 100]},
        "welds": {
            "hand": {"a": {"body": "flange"}, "b": {"body": "tool"}, "stiffness": 2e5, "angular_stiffness": 2e3,
                     "damping": 200, "angular_damping": 2, "window": {"distance": "3 mm", "angle": "1 deg"}},
            "stand": {"a": {"body": "world"}, "b": {"body": "tool"}, "stiffness": 2e5, "angular_stiffness": 2e3,
                      "damping": 200, "angular_damping": 2, "active": True},
        },
        "events": {"taken": {"when": "hand.engaged > 0.5", "then": [{"disable": "stand"}]}},
        "moves": [
            {"to": [0.5, 0, 0.3], "attitude": down, "duration": "2 s", "wait": "0.5 s"},
            {"grip": "hand", "wait": "0.5 s"},
            {"by": [0, 0, 0.1], "duration": "2 s", "wait": "0.5 s"},
        ],
        **changes,
    }  # fmt: skip


def test_an_arm_lifts_the_tool_that_it_grips():
    result = simulate(from_data(changing(), "change"))
    times = {event.name: event.time for event in result.events}
    assert times["hand-grip"] == pytest.approx(2.5)
    assert times["taken"] == pytest.approx(2.5)
    assert result.history["tool.z"][-1] == pytest.approx(0.4, abs=5e-3)
    assert result.audit.energy_residual < 1e-3


def test_an_arm_beside_the_tool_misses_it_and_may_try_again():
    moves = changing()["moves"]
    moves[0]["to"] = [0.505, 0, 0.3]
    again = [
        {"name": "again", "after": "hand-missed", "to": [0.5, 0, 0.3], "duration": "1 s", "wait": "0.5 s"},
        {"grip": "hand", "wait": "0.2 s"},
        {"by": [0, 0, 0.1], "duration": "2 s"},
    ]
    result = simulate(from_data(changing(moves=[*moves[:2], *again], duration="8 s"), "change"))
    names = [event.name for event in result.events]
    assert names.count("hand-grip") == 2
    assert names.index("hand-missed") < names.index("move-again") < names.index("taken")
    assert result.history["tool.z"][-1] == pytest.approx(0.4, abs=5e-3)
    assert any("'hand' did not engage, once" in said for said in result.warnings)


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ([{"grip": "band", "wait": 1}], "moves.0.grip: There is no weld or lock called 'band'"),
        ([{"wait": 1}, {"release": "hand"}], "moves.1.wait: Is needed after the last grip"),
    ],
)
def test_impossible_grips_are_refused(moves, said):
    with pytest.raises(InputError) as caught:
        from_data(changing(moves=moves), "change")
    assert said in str(caught.value)


def test_the_end_of_an_interrupted_move_grips_nothing():
    moves = [
        {
            "to": [0.5, 0, 0.3],
            "attitude": {"axis": "y", "angle": "180 deg"},
            "duration": "4 s",
            "grip": "hand",
        },
        {"name": "stop", "after": "early", "at_once": True, "wait": "1 s"},
    ]
    events = {"early": {"when": "time > 1 s"}}
    result = simulate(from_data(changing(moves=moves, events=events, duration="6 s"), "change"))
    assert not np.any([event.name == "hand-grip" for event in result.events])
