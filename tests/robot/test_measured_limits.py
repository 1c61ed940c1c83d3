"""The command supervisor checks the measured state and bounds the commanded path over changes of mode."""

from dataclasses import replace

import numpy as np
import pytest
from tests.robot.link_fixtures import JOINTS, START, command, limits, serve_robot

from softdock.robot.command_supervisor import (
    MAX_LEAD_CYCLES,
    MIN_POSITION_MARGIN,
    POSITION_MARGIN,
    SPEED_MARGIN,
    CommandSupervisor,
)
from softdock.robot.link import Array, Command, Exceeded, Refusal, RobotMode, RobotState, monitor
from softdock.robot.link_local import LocalLink
from softdock.robot.protocol import CommandMessage, StateMessage, decode, encode
from softdock.robot.simple_robots import IndependentJoints, seven_joint_robot

PERIOD = 1e-3
ONE = np.ones(JOINTS)


def push(arm: IndependentJoints, **changes: object) -> Command:
    """Return the largest allowed torque without stiffness and damping."""
    zero = np.zeros(arm.limits.joints)
    given = {"q": arm.state().q, "stiffness": zero, "damping_ratio": zero, "tau_ff": arm.limits.torque}
    return Command(**(given | changes))  # type: ignore[arg-type]


def measured(q: Array = START, qdot: Array = 0.0 * ONE, tau: Array = 0.0 * ONE) -> RobotState:
    return RobotState(t=0.0, q=q, qdot=qdot, tau_measured=tau, tau_external=0.0 * ONE)


def test_commands_without_stiffness_and_damping_are_refused() -> None:
    arm = seven_joint_robot()
    link = LocalLink(arm, PERIOD)
    for _ in range(300):
        state = link.cycle(push(arm))
    assert state.refusal is Refusal.STIFFNESS
    assert link.cycle(push(arm, stiffness=arm.limits.stiffness)).refusal is Refusal.DAMPING
    np.testing.assert_array_equal(state.q, 0.0)


def test_the_largest_torque_exceeds_neither_speed_nor_position_limits() -> None:
    """The attack with explicit takeover: with the margins and the motion of one cycle, all limits are kept."""
    arm = seven_joint_robot()
    link = LocalLink(arm, PERIOD)
    one_cycle = arm.limits.torque / np.array([3.0, 3.0, 1.0, 1.0, 0.3, 0.1, 0.05]) * PERIOD  # rad/s
    highest, furthest = np.zeros(7), np.zeros(7)
    for i in range(3000):
        # The attacker requests monitor mode as soon as it is refused.
        state = link.cycle(monitor(7) if i % 2 else push(arm, low_impedance=True))
        highest = np.maximum(highest, np.abs(state.qdot))
        furthest = np.maximum(furthest, np.abs(state.q))
    assert link.supervisor.fallbacks > 0
    assert (highest <= (1.0 + SPEED_MARGIN) * arm.limits.speed + one_cycle).all()
    margin = np.maximum(POSITION_MARGIN * 2.0 * arm.limits.q_max, MIN_POSITION_MARGIN)
    assert (furthest <= arm.limits.q_max + 2.0 * margin).all()


def test_requests_of_monitor_mode_do_not_add_speed() -> None:
    """Monitor mode and a full step from the measured position in every cycle of an underdamped joint.

    Half a period of the joint is one cycle, so that it overshoots every step by 73 %.
    """
    period, cycles = 0.01, 40
    arm = seven_joint_robot()
    limits, last = arm.limits, 6
    supervisor, sequence = CommandSupervisor(limits, period), 0
    for i in range(cycles):
        state = arm.state()
        q = np.zeros(7)
        q[last] = state.q[last] + limits.speed[last] * period
        step = Command(q=q, stiffness=limits.stiffness, damping_ratio=np.full(7, 0.1), tau_ff=np.zeros(7))
        for one in (monitor(7), step):
            sequence += 1
            supervisor.submit(one, sequence, state.q, i * period)
        arm.advance(supervisor.active_command, period)
    mean_speed = arm.state().q[last] / (cycles * period)
    assert supervisor.refused[Refusal.SPEED] > 0
    assert mean_speed <= (1.0 + (1.0 + MAX_LEAD_CYCLES) / cycles) * limits.speed[last]


def test_the_path_continues_over_changes_of_mode_and_sessions() -> None:
    supervisor, full_step = CommandSupervisor(limits(), PERIOD), limits().speed * PERIOD
    q, sequence, accepted = START, 0, 0
    for i in range(50):  # within one instant: a joint that is at every command
        sequence += 1
        if supervisor.submit(command(q + full_step), sequence, q, 0.0) is None:
            q, accepted = q + full_step, accepted + 1
        if i % 5:
            sequence += 1
            supervisor.submit(monitor(JOINTS), sequence, q, 0.0)
        else:
            supervisor.start_session(q)
            sequence = 0
    assert accepted <= 1 + MAX_LEAD_CYCLES


def test_a_command_may_start_at_a_held_joint_after_the_time_that_the_path_takes() -> None:
    supervisor = CommandSupervisor(limits(), PERIOD)
    assert supervisor.submit(command(START), 1, START, 0.0) is None
    behind = START - 0.05  # 33 cycles at full speed
    assert supervisor.submit(monitor(JOINTS), 2, behind, PERIOD) is None
    assert supervisor.submit(command(behind), 3, behind, 2 * PERIOD) is Refusal.SPEED
    assert supervisor.submit(command(behind), 4, behind, 0.05 / limits().speed[0]) is None


@pytest.mark.parametrize("mode", [RobotMode.MONITOR, RobotMode.COMMAND])
@pytest.mark.parametrize(
    ("state", "exceeded"),
    [
        (measured(q=START + np.array([0.0, 2.3, 0.0])), Exceeded.POSITION),
        (measured(qdot=np.array([0.0, 0.0, -1.81])), Exceeded.SPEED),
        (measured(tau=np.array([61.0, 0.0, 0.0])), Exceeded.TORQUE),
        (measured(q=np.array([0.1, np.nan, 0.3])), Exceeded.NOT_FINITE),
    ],
)
def test_a_measured_value_beyond_its_margin_causes_a_fallback(
    mode: RobotMode, state: RobotState, exceeded: Exceeded
) -> None:
    supervisor = CommandSupervisor(limits(), PERIOD)
    first = command(START) if mode is RobotMode.COMMAND else monitor(JOINTS)
    assert supervisor.submit(first, 1, START, 0.0) is None
    supervisor.check_state(measured())
    assert supervisor.fallbacks == 0
    for _ in range(5):
        supervisor.check_state(state)
    assert supervisor.exceeded == exceeded
    assert supervisor.exceedances == {exceeded: 1}
    assert supervisor.fallbacks == 1
    assert supervisor.mode is RobotMode.MONITOR
    held = supervisor.active_command
    assert (np.abs(held.q) <= limits().q_max).all()  # and finite
    np.testing.assert_array_equal(held.stiffness, limits().holding)
    assert supervisor.submit(monitor(JOINTS), 2, START, PERIOD) is None
    assert supervisor.submit(command(START), 3, START, PERIOD) is Refusal.FELL_BACK  # still exceeded
    supervisor.check_state(measured())
    assert supervisor.submit(command(START), 4, START, PERIOD) is Refusal.FELL_BACK  # monitor mode first
    assert supervisor.submit(monitor(JOINTS), 5, START, PERIOD) is None
    assert supervisor.submit(command(START), 6, START, PERIOD) is None


def test_after_low_impedance_the_position_is_held_with_the_minimum() -> None:
    supervisor = CommandSupervisor(limits(), PERIOD)
    soft = command(START, stiffness=0.0 * ONE, damping_ratio=0.0 * ONE, low_impedance=True)
    assert supervisor.submit(soft, 1, START, 0.0) is None
    assert supervisor.submit(monitor(JOINTS), 2, START, PERIOD) is None
    np.testing.assert_array_equal(supervisor.active_command.stiffness, limits().lowest_stiffness)
    np.testing.assert_array_equal(supervisor.active_command.damping_ratio, limits().min_damping_ratio)


def test_the_client_learns_which_limit_was_exceeded() -> None:
    network, link = serve_robot()
    for _ in range(100):
        soft = command(START, stiffness=0.0 * ONE, damping_ratio=0.0 * ONE, low_impedance=True)
        state = link.cycle(replace(soft, tau_ff=limits().torque))
        if state.exceeded:
            break
    assert state.exceeded == Exceeded.SPEED
    assert state.mode is RobotMode.MONITOR
    assert network.server.to_json()["exceeded"] == {"position": 0, "speed": 1, "torque": 0, "not_finite": 0}


def test_the_new_fields_use_bytes_that_earlier_versions_ignore() -> None:
    plain = encode(1, 1, CommandMessage(command(START), 0.5))
    flagged = encode(1, 1, CommandMessage(command(START, low_impedance=True), 0.5))
    assert [i for i, (a, b) in enumerate(zip(plain[:-4], flagged[:-4], strict=True)) if a != b] == [25]
    assert decode(flagged).body.command.low_impedance  # type: ignore[union-attr]
    assert not decode(plain).body.command.low_impedance  # type: ignore[union-attr]
    state = replace(measured(), exceeded=Exceeded.SPEED | Exceeded.TORQUE)
    data = encode(1, 1, StateMessage(state))
    assert data[28:32] == b"\x06\0\0\0"
    assert decode(data).body.state.exceeded == Exceeded.SPEED | Exceeded.TORQUE  # type: ignore[union-attr]
