"""Moves that events start, and goals in frames of bodies that move."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import softdock
from robot.robots import BENT, LWR, arm
from softdock.errors import InputError
from softdock.robot.bodies import joint_limits
from softdock.robot.plan import Impedance, Move, Pace, Planner
from softdock.robot.trajectory import Bounds
from softdock.robot.triggered_moves import TriggeredMoves
from softdock.robot.urdf import read_urdf
from softdock.scenario.loading import from_data
from softdock.simulation.robot import Setup
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_rotation_vector

PERIOD = 0.01
PACE = Pace(
    line=Bounds(speed=0.1, acceleration=0.5, jerk=5.0),
    attitude=Bounds(speed=0.5, acceleration=2.5, jerk=25.0),
    joint=Bounds(speed=0.3, acceleration=2.0, jerk=20.0),
)
ROBOT = read_urdf(LWR)
ARM = arm(ROBOT)
TOOL = ("flange", Pose.identity())
UP = np.array([0.0, 0.0, 0.1])


class ScriptedSurroundings:
    """Surroundings with events at known times and one frame that drifts and turns."""

    def __init__(self, **events: float) -> None:
        self.time, self.events = 0.0, events

    def event_time(self, events: Sequence[str]) -> float | None:
        times = [self.events[name] for name in events if name in self.events]
        return min((t for t in times if t <= self.time), default=None)

    def measured_force(self) -> float:
        return 0.0

    def locate(self, body: str, at: Pose) -> Pose:
        t = self.time if body == "drifting" else 0.0
        turn = matrix_from_rotation_vector(np.array([0.0, 0.02, 0.03]) * t)
        return Pose(R=turn, p=np.array([0.01, -0.02, 0.005]) * t) @ at


def follow(
    moves: Sequence[Move], script: ScriptedSurroundings, duration: float, pace: Pace = PACE
) -> tuple[TriggeredMoves, np.ndarray]:
    """Return the moves after a run and the commanded positions of all cycles."""
    planner = Planner(ARM, TOOL, joint_limits(ROBOT), pace, PERIOD, BENT)
    impedances = [
        Impedance(stiffness=np.full(7, 100.0 + i), damping_ratio=np.full(7, 0.7)) for i in range(len(moves))
    ]
    source = TriggeredMoves(planner, moves, impedances, script, duration)
    rows = []
    for cycle in range(source.cycles):
        script.time = cycle * PERIOD
        rows.append(source.setpoint(cycle).q)
    return source, np.array(rows)


def order(source: TriggeredMoves) -> list[tuple[int, float]]:
    return [(one.move, round(one.time, 6)) for one in source.started]


def test_without_events_and_frames_the_commands_are_those_of_a_plan():
    moves = [Move(by=0.3 * UP, wait=0.2), Move(joints=BENT, start=1.5), Move(by=0.2 * UP)]
    _, rows = follow(moves, ScriptedSurroundings(), 4.0)
    plan = Planner(ARM, TOOL, joint_limits(ROBOT), PACE, PERIOD, BENT).plan(moves)
    np.testing.assert_allclose(rows[: plan.cycles], plan.q, atol=1e-9)
    np.testing.assert_allclose(rows[plan.cycles :], np.tile(plan.q[-1], (400 - plan.cycles, 1)), atol=1e-9)


def test_a_sequence_waits_for_its_event_and_for_the_move_in_execution():
    there, back = Move(joints=BENT + 0.2, wait=0.3), BENT
    moves = [
        there,
        Move(joints=back, after=("late",)),
        Move(wait=0.1),
        Move(joints=BENT - 0.1, after=("early",)),
    ]
    source, _ = follow(moves, ScriptedSurroundings(early=0.5, late=4.0), 8.0)
    duration = Planner(ARM, TOOL, joint_limits(ROBOT), PACE, PERIOD, BENT).plan([moves[0]]).moves[0][2]
    assert [move for move, _ in order(source)] == [0, 3, 1, 2]
    assert dict(order(source))[3] == pytest.approx(duration, abs=1.01 * PERIOD)
    assert dict(order(source))[1] == pytest.approx(4.0)


def test_a_sequence_whose_event_does_not_happen_never_starts():
    source, rows = follow(
        [Move(joints=BENT + 0.1), Move(joints=BENT, after=("never",))], ScriptedSurroundings(), 4.0
    )
    assert order(source) == [(0, 0.0)]
    assert (rows[-1] == rows[300]).all()


def test_first_sequence_of_a_run_may_wait_for_an_event():
    source, rows = follow([Move(joints=BENT + 0.1, after=("go",))], ScriptedSurroundings(go=1.0), 3.0)
    assert order(source) == [(0, 1.0)]
    assert (rows[:100] == BENT).all()


def test_an_interrupted_move_comes_to_rest_within_its_acceleration_bound():
    """The braking distance from the speed v at constant deceleration a is v^2 / (2 a), at most 0.1^2 / 1.0 m."""
    moves = [Move(by=2.0 * UP), Move(by=np.zeros(3), after=("stop",), at_once=True)]
    source, rows = follow(moves, ScriptedSurroundings(stop=1.0), 1.5)
    z = np.array([ARM.pose(q, *TOOL).p[2] for q in rows])
    speed = np.diff(z) / PERIOD
    assert order(source)[1][1] == pytest.approx(1.0 + 0.1 / 0.5, abs=2.01 * PERIOD)
    assert z[-1] - z[99] == pytest.approx(0.1**2 / (2 * 0.5), abs=0.1 * 2 * PERIOD)
    acceleration = np.abs(np.diff(speed) / PERIOD)
    assert acceleration.max() < 0.5 * (1.0 + 1e-3)


def test_a_tracked_frame_carries_the_goal_and_a_located_one_does_not():
    at = Pose(R=ARM.pose(BENT, *TOOL).R, p=ARM.pose(BENT, *TOOL).p)
    goal, R = np.array([0.02, 0.0, 0.05]), np.eye(3)
    script = ScriptedSurroundings()
    moves = [Move(to=goal, R=R, frame=("drifting", at), tracked=True, wait=1.0)]
    _, rows = follow(moves, script, 2.0)
    for cycle in (120, 199):
        script.time = cycle * PERIOD
        X = script.locate("drifting", at) @ Pose(R=R, p=goal)
        found = ARM.pose(rows[cycle], *TOOL)
        np.testing.assert_allclose(found.p, X.p, atol=1e-8)
        np.testing.assert_allclose(found.R, X.R, atol=1e-7)
    _, rows = follow([Move(to=goal, R=R, frame=("drifting", at))], ScriptedSurroundings(), 2.0)
    np.testing.assert_allclose(ARM.pose(rows[-1], *TOOL).p, (at @ Pose(R=R, p=goal)).p, atol=1e-8)


def test_a_goal_out_of_reach_is_approached_and_reported():
    """The arm stretches towards a goal that it cannot reach; its reach from the shoulder is 0.868 m."""
    fast = replace(PACE, line=Bounds(speed=1.0, acceleration=5.0, jerk=50.0))
    source, rows = follow([Move(wait=0.1), Move(by=6.0 * UP)], ScriptedSurroundings(), 1.2, fast)
    assert [one.move for one in source.unreachable] == [1]
    shoulder = np.array([0.0, 0.0, 0.3105])
    begin, end = (np.linalg.norm(ARM.pose(q, *TOOL).p - shoulder) for q in (rows[0], rows[-1]))
    assert begin < end < 0.868
    assert np.isfinite(rows).all()


BASE: dict[str, Any] = {
    "kind": "robot",
    "duration": "3 s",
    "bodies": {
        "target": {"mass": 10, "inertia": [1, 1, 1], "joint": {"type": "free", "position": [1, 0, 0]}}
    },
    "arm": {"file": "lwr4plus", "start": [0, 0.5, 0, -1.0, 0, 1.0, 0]},
    "control": {"stiffness": 200},
    "events": {"go": {"when": "time > 1 s"}},
    "moves": [{"by": [0, 0, 0.05], "frame": {"body": "target"}}, {"by": [0, 0, -0.05], "after": "go"}],
}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"duration": None}, "duration: Is required: when moves with `after`, `frame` or"),
        ({"moves.1.after": "stop"}, "moves.1.after: There is no event called 'stop'; there are: go."),
        ({"moves.0.frame.body": "port"}, "moves.0.frame.body: There is no body called 'port'"),
        ({"moves.0.frame.body": "link_5"}, "moves.0.frame.body: Must be a body that the arm does not move"),
        ({"moves.0": {"joints": [0] * 7, "frame": {"body": "target"}}}, "moves.0.frame: Goes with to, by or"),
        ({"moves.1.track": True}, "moves.1.track: Goes with frame."),
        ({"moves.0.at_once": True}, "moves.0.at_once: Goes with after, or with an action"),
        ({"moves.0.name": "a", "moves.1.name": "a"}, "moves.1.name: There is another move called 'a'"),
        ({"events.go.then": [{"move": "up"}]}, "events.go.then.0.move: There is no move called 'up'"),
        ({"moves.0.stiffness": [1, 2]}, "moves.0.stiffness: Needs one value for each of the 7 joints"),
        ({"moves.1.stiffness": 4000}, "is too long for the stiffness of joint"),
        (
            {"moves.0": {"to": [0, 0, 0], "frame": {"body": "target", "at": [3, 0, 0]}}},
            "moves.0.to: The pose is",
        ),
    ],
)
def test_impossible_moves_give_a_message(changes, said):
    from softdock.simulation.robot import PreparedRobot

    with pytest.raises(InputError) as caught:
        PreparedRobot(from_data(BASE, "base", overrides=changes)).begin()
    assert said in str(caught.value)


def test_a_robot_behind_a_link_refuses_moves_that_need_the_simulation():
    with pytest.raises(InputError, match=r"moves.0.frame: A robot behind a link reports no events"):
        Setup(from_data(BASE, "base")).experiment()


def test_actions_of_events_and_phases_start_moves():
    """An event starts `b`, the beginning of the second phase starts `c`, and the end of that phase starts `d`."""
    q = [0, 0.5, 0, -1.0, 0, 1.0, 0]
    data = {
        **BASE,
        "events": {"go": {"when": "time > 0.2 s", "then": [{"move": "b"}]}},
        "phases": [
            {"name": "first", "until": "time > 0.5 s"},
            {"name": "second", "do": [{"move": "c"}], "until": "time > 0.8 s"},
            {"name": "third", "until": "time > 1.2 s"},
        ],
        "moves": [
            {"name": "d", "joints": q, "after": "second"},
            {"name": "b", "joints": [0.004, *q[1:]], "duration": "0.2 s"},
            {"name": "c", "joints": q, "duration": "0.2 s"},
        ],
    }
    result = softdock.simulate(from_data(data, "phases"))
    started = {event.name: event.time for event in result.events if event.name.startswith("move-")}
    assert started == pytest.approx({"move-b": 0.2, "move-c": 0.5, "move-d": 0.8}, abs=1.01 * PERIOD)
    assert [phase.name for phase in result.phases] == ["first", "second", "third"]
    assert result.timing.simulated_s == pytest.approx(1.2)


def test_moves_belong_to_robots():
    data = {
        "kind": "multibody",
        "duration": 1,
        "bodies": {"ball": {"mass": 1, "inertia": [1, 1, 1]}},
        "events": {"go": {"when": "time > 0.5 s", "then": [{"move": "up"}]}},
    }
    with pytest.raises(
        InputError, match=r"events.go.then.0.move: Moves belong to the arm of a scenario of kind"
    ):
        from_data(data, "ball")
