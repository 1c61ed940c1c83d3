"""The command supervisor refuses and counts commands outside the limits."""

import numpy as np
import pytest
from tests.robot.link_fixtures import JOINTS, START, command, limits, robot

from softdock.errors import InputError
from softdock.robot.command_supervisor import CommandSupervisor
from softdock.robot.link import Command, Refusal, RobotMode, monitor
from softdock.robot.link_local import LocalLink

PERIOD = 1e-3
ONE = np.ones(JOINTS)
FULL_STEP = limits().speed[0] * PERIOD  # rad in one cycle


def with_value(i: int, value: float) -> np.ndarray:
    array = np.zeros(JOINTS)
    array[i] = value
    return array


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (command(START[:2]), Refusal.JOINT_COUNT),
        (command(np.append(START, 0.0)), Refusal.JOINT_COUNT),
        (command(START, stiffness=np.ones(2)), Refusal.JOINT_COUNT),
        (command(START + with_value(1, np.nan)), Refusal.NOT_FINITE),
        (command(START, tau_ff=with_value(2, np.inf)), Refusal.NOT_FINITE),
        (command(START, stiffness=ONE * np.nan), Refusal.NOT_FINITE),
        (command(START + with_value(0, 5.0)), Refusal.POSITION),
        (command(START - with_value(2, 5.0)), Refusal.POSITION),
        (command(START + with_value(1, 1.01 * FULL_STEP)), Refusal.SPEED),
        (command(START, tau_ff=with_value(0, -50.1)), Refusal.TORQUE),
        (command(START, stiffness=-ONE), Refusal.STIFFNESS),
        (command(START, stiffness=2001.0 * ONE), Refusal.STIFFNESS),
        (command(START, damping_ratio=-ONE), Refusal.DAMPING),
        (command(START, damping_ratio=2.1 * ONE), Refusal.DAMPING),
    ],
)
def test_invalid_commands_are_refused_and_do_not_move_the_robot(wrong: Command, why: Refusal) -> None:
    link = LocalLink(robot(), PERIOD)
    for _ in range(20):
        state = link.cycle(wrong)
    assert state.refusal is why
    assert state.mode is RobotMode.MONITOR
    assert link.supervisor.refused[why] == 20
    np.testing.assert_array_equal(state.q, START)
    assert (
        link.cycle(command(START + 0.99 * FULL_STEP)).mode is RobotMode.COMMAND
    )  # a valid command is followed


def test_after_a_refused_command_the_last_one_stays_active() -> None:
    refused, obedient = LocalLink(robot(), PERIOD), LocalLink(robot(), PERIOD)
    for _ in range(3):
        refused.cycle(command(START + 0.5 * FULL_STEP))
        obedient.cycle(command(START + 0.5 * FULL_STEP))
    state = refused.cycle(command(START + 100.0 * FULL_STEP))
    assert state.refusal is Refusal.SPEED
    np.testing.assert_array_equal(state.q, obedient.cycle(command(START + 0.5 * FULL_STEP)).q)


def test_old_sequence_numbers_are_stale() -> None:
    supervisor = CommandSupervisor(limits(), PERIOD)
    assert supervisor.submit(command(START), 5, START, 0.0) is None
    for old in (5, 4, 0, -3):
        assert supervisor.submit(command(START), old, START, 1e-3) is Refusal.STALE
    assert supervisor.submit(command(START), 6, START, 2e-3) is None
    assert supervisor.refused[Refusal.STALE] == 4


def test_a_gap_in_the_sequence_numbers_allows_a_larger_step() -> None:
    supervisor = CommandSupervisor(limits(), PERIOD)
    assert supervisor.submit(command(START), 1, START, 0.0) is None
    assert supervisor.submit(command(START + 3.5 * FULL_STEP), 4, START, 3e-3) is Refusal.SPEED
    assert supervisor.submit(command(START + 3.9 * FULL_STEP), 8, START, 7e-3) is None


def test_a_client_that_missed_cycles_may_catch_up_with_the_clock() -> None:
    supervisor = CommandSupervisor(limits(), PERIOD)
    assert supervisor.submit(command(START), 1, START, 0.0) is None
    assert supervisor.submit(command(START + 4.1 * FULL_STEP), 2, START, 4e-3) is Refusal.SPEED
    assert supervisor.submit(command(START + 3.9 * FULL_STEP), 3, START, 4e-3) is None


def test_sending_faster_does_not_move_the_robot_faster() -> None:
    """Ten commands in every cycle, each a full step: the robot accepts one step per cycle and a small lead."""
    supervisor = CommandSupervisor(limits(), PERIOD)
    supervisor.submit(command(START), 1, START, 0.0)
    q, sequence, cycles = START, 1, 100
    for i in range(1, cycles + 1):
        for j in range(10):
            sequence += 1
            if supervisor.submit(command(q + FULL_STEP), sequence, START, (i + 0.1 * j) * PERIOD) is None:
                q = q + FULL_STEP
    assert cycles <= round((q[0] - START[0]) / FULL_STEP) <= cycles + 4


def test_the_robot_holds_after_a_timeout_until_monitor_mode_is_requested() -> None:
    supervisor = CommandSupervisor(limits(), PERIOD, timeout=0.02)
    supervisor.submit(command(START), 1, START, 0.0)
    here = START + 0.01
    supervisor.check_timeout(here, 0.02)
    assert supervisor.mode is RobotMode.COMMAND
    supervisor.check_timeout(here, 0.0201)
    assert supervisor.mode is RobotMode.MONITOR
    assert supervisor.fallbacks == 1
    np.testing.assert_array_equal(supervisor.active_command.q, here)
    np.testing.assert_array_equal(supervisor.active_command.tau_ff, 0.0)
    np.testing.assert_array_equal(supervisor.active_command.stiffness, command(START).stiffness)
    assert supervisor.submit(command(here), 2, here, 0.03) is Refusal.FELL_BACK
    assert supervisor.submit(monitor(JOINTS), 3, here, 0.031) is None
    assert supervisor.submit(command(here), 4, here, 0.032) is None
    assert supervisor.mode is RobotMode.COMMAND


def test_refused_commands_do_not_prevent_the_timeout() -> None:
    supervisor = CommandSupervisor(limits(), PERIOD, timeout=0.02)
    supervisor.submit(command(START), 1, START, 0.0)
    for i in range(1, 30):
        supervisor.submit(command(START + 1.0), 1 + i, START, i * PERIOD)
        supervisor.check_timeout(START, i * PERIOD)
    assert supervisor.mode is RobotMode.MONITOR
    assert supervisor.refused[Refusal.FELL_BACK] > 0


def test_monitor_mode_is_granted_at_once() -> None:
    link = LocalLink(robot(), PERIOD)
    assert link.cycle(command(START)).mode is RobotMode.COMMAND
    assert link.cycle(monitor(JOINTS)).mode is RobotMode.MONITOR


@pytest.mark.parametrize("period", [0.0009, 0.11, 0.0, -1.0, float("nan")])
def test_cycles_are_1_to_100_ms(period: float) -> None:
    with pytest.raises(InputError, match="1 to 100 ms"):
        CommandSupervisor(limits(), period)


def test_a_timeout_shorter_than_a_cycle_is_refused() -> None:
    with pytest.raises(InputError, match="at least one cycle"):
        CommandSupervisor(limits(), 0.01, timeout=0.005)
