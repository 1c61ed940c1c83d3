"""Simulated controller of the Fast Research Interface: it sends measurements and follows the commands that answer them.

It starts in monitor mode, enters command mode after the answers have been in time, and falls back when they are not,
when a command is impossible, or when its flags change. Then the arm holds its position.
"""

from collections import Counter, deque
from typing import Any

import numpy as np

from softdock.errors import InputError
from softdock.robot.command_supervisor import CommandSupervisor
from softdock.robot.fri_packets import (
    COMMAND,
    COMMAND_ID,
    JOINT_IMPEDANCE,
    JOINTS,
    MEASUREMENT,
    MEASUREMENT_ID,
    POWERED,
    FriControl,
    FriFlags,
    FriQuality,
    FriState,
    Record,
    empty_packet,
    read_packet,
    steps_between,
)
from softdock.robot.link import Command, Robot, RobotMode
from softdock.robot.link_server import Address, Outgoing
from softdock.robot.link_statistics import ServerStatistics
from softdock.robot.protocol import MalformedError

WINDOW = 100
"""Packets over which the share of answers in time is computed."""
SHARES = ((0.99, FriQuality.PERFECT), (0.95, FriQuality.GOOD), (0.7, FriQuality.BAD))
"""Least share of answers in time of each quality; assumed, because the interface does not state them."""
IN_TIME = (FriQuality.PERFECT, FriQuality.GOOD)
"""Qualities at which the controller follows commands."""
MAX_MISSES = 10
"""Answers in a row without which command mode ends; assumed."""


class FriController:
    """The controller's side of the interface; implements `softdock.robot.link_server.Served`."""

    def __init__(self, robot: Robot, period: float, remote: Address) -> None:
        if robot.limits.joints != JOINTS:
            message = f"The Fast Research Interface has {JOINTS} joints."
            raise InputError(message, given=str(robot.limits.joints))
        self.robot = robot
        self.supervisor = CommandSupervisor(robot.limits, period)
        self.state = FriState.MONITOR
        self.statistics = ServerStatistics()
        self.fallbacks: Counter[str] = Counter()
        """Number of falls back to monitor mode, by reason."""
        self.late = 0
        """Answers to earlier measurements, and second answers to one: they are ignored."""
        self._remote = remote
        self._measured = robot.state()
        self.supervisor.start_session(self._measured.q)
        self._sequence = 0
        self._answer: Record | None = None
        self._answered: deque[bool] = deque(maxlen=WINDOW)
        self._misses = self._accepted = 0
        self._flags: int | None = None

    @property
    def period(self) -> float:
        """Time between two measurements [s]."""
        return self.supervisor.period

    @property
    def quality(self) -> FriQuality:
        """Quality of the answers to the last 100 measurements; not acceptable before there are as many."""
        if len(self._answered) < WINDOW:
            return FriQuality.UNACCEPTABLE
        share = sum(self._answered) / WINDOW
        return next((quality for least, quality in SHARES if share >= least), FriQuality.UNACCEPTABLE)

    def receive(self, data: bytes, address: Address, now: float) -> Outgoing:
        """Process a datagram; the answer to the newest measurement counts, once."""
        try:
            packet = read_packet(data, COMMAND, COMMAND_ID)
        except MalformedError:
            self.statistics.malformed += 1
            return []
        if address != self._remote:
            self.statistics.foreign += 1
        elif steps_between(self._sequence, int(packet["reflected"][0])) == 0 and self._answer is None:
            self._answer = packet.copy()
        else:
            self.late += 1
        return []

    def tick(self, now: float) -> Outgoing:
        """Follow the answer to the last measurement for one period, then send the next measurement."""
        if self._sequence:
            self._follow(now)
        self.statistics.cycles += 1
        self._sequence += 1
        self._measured = self.robot.state()
        self.supervisor.check_state(self._measured)
        if self.supervisor.exceeded and self.state is FriState.COMMAND:
            self._fall_back("measured limit")
        return [(self._measurement().tobytes(), self._remote)]

    def stop(self) -> Outgoing:
        """Hold the position of the arm."""
        self._fall_back("stopped")
        return []

    def to_json(self) -> dict[str, Any]:
        """Return the statistics."""
        return {
            **self.statistics.to_json(),
            "state": self.state.name.lower(),
            "quality": self.quality.name.lower(),
            "accepted": self._accepted,
            "late": self.late,
            "fallbacks": dict(self.fallbacks),
        }

    def _follow(self, now: float) -> None:
        answer, self._answer = self._answer, None
        self._answered.append(answer is not None)
        self._misses = 0 if answer is not None else self._misses + 1
        if self.state is FriState.MONITOR:
            if self.quality in IN_TIME and answer is not None and self._echoes(answer):
                self.state, self._flags = FriState.COMMAND, int(answer["flags"][0])
        elif self._misses > MAX_MISSES or self.quality not in IN_TIME:
            self._fall_back("answers missing")
        elif answer is not None:
            self._obey(answer, now)
        self.robot.advance(self.supervisor.active_command, self.period)

    def _echoes(self, answer: Record) -> bool:
        """Return whether a command stays at the present command and has the flags of joint impedance."""
        near = (
            np.abs(answer["q"][0] - self.supervisor.active_command.q) < self.robot.limits.speed * self.period
        )
        return bool(near.all()) and int(answer["flags"][0]) == JOINT_IMPEDANCE

    def _obey(self, answer: Record, now: float) -> None:
        """Accept a command, or fall back where it is impossible."""
        if int(answer["flags"][0]) != self._flags:
            self._fall_back("flags changed")
            return
        limits, flags = self.robot.limits, FriFlags(int(answer["flags"][0]))
        command = Command(
            q=answer["q"][0].astype(float),
            stiffness=answer["stiffness"][0].astype(float) if FriFlags.STIFFNESS in flags else limits.holding,
            damping_ratio=answer["damping"][0].astype(float),
            tau_ff=answer["added_torque"][0].astype(float),
            low_impedance=True,
        )
        refusal = self.supervisor.submit(command, self._sequence, self._measured.q, now)
        if refusal is not None:
            self._fall_back(refusal.name.lower())
        else:
            self._accepted += 1

    def _fall_back(self, reason: str) -> None:
        if self.state is FriState.COMMAND:
            self.fallbacks[reason] += 1
        self.state = FriState.MONITOR
        self._answered.clear()
        self.supervisor.start_session(self._measured.q)

    def _measurement(self) -> Record:
        """Return the measurement of the cycle that begins."""
        packet, state = empty_packet(MEASUREMENT, MEASUREMENT_ID, self._sequence, 0), self._measured
        packet["time"], packet["state"], packet["quality"] = state.t, self.state, self.quality
        packet["measurement_period"] = packet["command_period"] = self.period
        packet["answer_rate"] = np.mean(self._answered) if self._answered else 0.0
        packet["misses"], packet["power"] = self._misses, POWERED
        packet["control"] = FriControl.JOINT_IMPEDANCE
        packet["q"], packet["q_command"] = state.q, self.supervisor.active_command.q
        packet["torque"], packet["external_torque"] = state.tau_measured, state.tau_external
        if state.wrench is not None:
            packet["external_wrench"] = state.wrench[[0, 1, 2, 5, 4, 3]]
        return packet

    @property
    def mode(self) -> RobotMode:
        """Whether the arm follows commands."""
        return RobotMode.COMMAND if self.state is FriState.COMMAND else RobotMode.MONITOR
