"""Switching between robots during an experiment without jumps."""

import numpy as np
import pytest
from tests.robot.link_fixtures import JOINTS, START, command, robot, serve_robot

from softdock.robot.link import RobotMode, RobotState
from softdock.robot.link_local import LocalLink
from softdock.robot.link_switch import SwitchableLink, SwitchError

ONE = np.ones(JOINTS)
GOAL = START + 0.3


def path(i: int) -> np.ndarray:
    """Return a smooth path from START to GOAL within 1000 cycles."""
    s = min(1.0, i / 1000.0)
    return START + (GOAL - START) * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


def switchable_link() -> SwitchableLink:
    return SwitchableLink({"simulated": LocalLink(robot()), "remote": serve_robot()[1]}, "simulated")


def follow(link: SwitchableLink, start: int, end: int) -> list[RobotState]:
    return [link.cycle(command(path(i))) for i in range(start, end)]


def test_switching_to_another_robot_and_back_has_no_jump() -> None:
    link = switchable_link()
    states = follow(link, 1, 400)
    link.align("remote", 800.0 * ONE, 0.7 * ONE)
    states.append(link.switch("remote"))
    states += follow(link, 400, 700)
    assert link.active == "remote"
    link.align("simulated", 800.0 * ONE, 0.7 * ONE)
    states.append(link.switch("simulated"))
    states += follow(link, 700, 1200)
    assert all(state.refusal is None and state.mode is RobotMode.COMMAND for state in states)
    assert [s.sequence for s in states] == sorted({s.sequence for s in states})
    t, q = np.array([s.t for s in states]), np.array([s.q for s in states])
    assert np.diff(t) == pytest.approx(link.period, abs=1e-9)
    fastest_profile = 0.3 * 1.875  # rad/s, of the path
    steps = np.abs(np.diff(q, axis=0)).max(axis=1)
    switched = np.isin(np.arange(len(steps)), [398, 399, 699, 700])
    assert steps[~switched].max() < 1.5 * fastest_profile * link.period
    lag = (
        fastest_profile * 2.0 * 0.7 / np.sqrt(800.0 / 0.5)
    )  # lag of a moving robot behind its command, which it catches up during the switch
    assert steps[switched].max() < lag + 0.01
    np.testing.assert_allclose(q[-1], GOAL, atol=1e-3)


def test_the_inactive_robot_holds_its_position() -> None:
    link = switchable_link()
    follow(link, 1, 400)
    link.align("remote", 800.0 * ONE, 0.7 * ONE)
    link.switch("remote")
    left = link._links["simulated"]
    held = left.robot.state().q  # type: ignore[attr-defined]
    follow(link, 400, 900)
    assert np.abs(left.robot.state().q - held).max() < 0.01  # type: ignore[attr-defined]
    assert np.abs(link.cycle(command(path(900))).q - held).max() > 0.05


def test_a_robot_at_another_position_cannot_take_over() -> None:
    link = switchable_link()
    follow(link, 1, 700)
    with pytest.raises(SwitchError, match=r"is 0\.\d+ rad from the last command at joint \d"):
        link.switch("remote")
    assert link.active == "simulated"
    assert link.cycle(command(path(700))).refusal is None


def test_switching_to_an_unknown_or_active_robot_raises() -> None:
    link = switchable_link()
    with pytest.raises(ValueError, match="there are: simulated, remote"):
        link.switch("other")
    with pytest.raises(SwitchError, match="already active"):
        link.switch("simulated")
    with pytest.raises(ValueError, match="numbers of joints"):
        SwitchableLink({"one": LocalLink(robot()), "two": LocalLink(robot(np.zeros(2)))}, "one")


def test_time_of_the_experiment_does_not_advance_during_alignment() -> None:
    link = switchable_link()
    before = follow(link, 1, 400)[-1]
    link.align("remote", 800.0 * ONE, 0.7 * ONE)
    after = link.cycle(command(path(400)))
    assert after.t == pytest.approx(before.t + link.period, abs=1e-9)
    assert after.refusal is None
