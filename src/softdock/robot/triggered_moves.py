"""Moves of an arm that events start, with goals in frames of bodies that move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softdock.robot.plan import Impedance, Move, Path, Planner, Setpoint
from softdock.robot.trajectory import planned_speed
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
STEPS_PER_CYCLE = 12
"""Largest number of steps of the inverse kinematics in a cycle; a pose near the last one takes two or three."""


class ArmSurroundings(Protocol):
    """What an arm knows about its surroundings: events and relative poses, without measurement errors."""

    @property
    def time(self) -> float:
        """Present time [s]."""

    def event_time(self, events: Sequence[str]) -> float | None:
        """Return when the first of some events happened [s]; None if none has happened."""

    def locate(self, body: str, at: Pose) -> Pose:
        """Return the present pose X_BF of a frame on a body, in the base of the arm."""

    def measured_force(self) -> float:
        """Return the force that the force-torque sensor measured last [N]; 0 without one."""


@dataclass(frozen=True, kw_only=True)
class Started:
    """A move that has started, for the list of events."""

    time: float
    """[s]"""
    move: int


class TriggeredMoves:
    """Setpoints of moves in sequences, each started by an event; implements `Setpoints`.

    A sequence is a move with `after` and the moves that follow it, up to the next move with `after`; the moves before
    the first of these start with the run. A sequence starts when its event has happened and no move is executed. If it
    is to start `at_once`, it interrupts the move in execution, whose path is then followed with decreasing speed until
    the command is at rest. Of several sequences whose events have happened, that of the earliest event starts first.
    Each sequence starts once. Between sequences the arm holds its position: in the frame of the last move if that was
    tracked.
    """

    def __init__(
        self,
        planner: Planner,
        moves: Sequence[Move],
        impedances: Sequence[Impedance],
        surroundings: ArmSurroundings,
        duration: float,
    ) -> None:
        self.planner, self.moves, self.impedances, self.surroundings = (
            planner,
            moves,
            impedances,
            surroundings,
        )
        self.cycles = round(duration / planner.period)
        self.started: list[Started] = []
        """Moves in the order of their execution."""
        self.unreachable: list[Started] = []
        """Moves that left the reach of the arm, which then went to the closest pose, with the time when they did so."""
        self.stopped: list[Started] = []
        """Moves that ended early because of the measured force, with the time when they did so."""
        heads = [i for i, move in enumerate(moves) if move.after]
        self._ended: list[int] = []
        self._waiting = set(heads)
        self._queue = list(range(heads[0] if heads else len(moves)))
        self._ends = dict(zip(heads, [*heads[1:], len(moves)]))
        self._q = planner.q
        self._move: int | None = None
        self._path: Path | None = None
        self._clock = self._rate = 0.0
        self._pause_end = 0.0
        self._interrupted = False
        self._speed = np.zeros_like(self._q)
        self._X_BF: Pose | None = None

    @property
    def period(self) -> float:
        """Duration of a cycle [s]."""
        return self.planner.period

    def setpoint(self, cycle: int) -> Setpoint:
        """Return the setpoint for the cycle that begins now."""
        now = self.surroundings.time
        self._check_force(now)
        self._note_end()
        self._check_events(now)
        self._begin_moves(now)
        self._follow(now)
        impedance = self.impedances[self._move or 0]
        return Setpoint(
            q=self._q,
            qdot=self._speed,
            stiffness=impedance.stiffness,
            damping_ratio=impedance.damping_ratio,
            cartesian=impedance.cartesian,
        )

    def ended(self, cycle: int) -> Sequence[int]:
        """Return the moves whose motions have ended; those that were interrupted have not."""
        return self._ended

    def _check_force(self, now: float) -> None:
        """End a motion at whose force it is to stop; the command comes to rest within its bound of acceleration."""
        i = self._move
        limit = None if i is None else self.moves[i].until_force
        if i is None or limit is None or not self._is_moving or self._interrupted:
            return
        if self.surroundings.measured_force() >= limit:
            self._interrupted, self._pause_end = True, now + self.moves[i].wait
            self.stopped.append(Started(time=now, move=i))
            self._ended.append(i)

    def _note_end(self) -> None:
        """Note the present move once its motion has ended."""
        i = self._move
        if i is not None and not self._is_moving and not self._interrupted and i not in self._ended:
            self._ended.append(i)

    @property
    def _is_moving(self) -> bool:
        return self._path is not None and self._clock < self._path.timing.duration

    def _check_events(self, now: float) -> None:
        """Queue the sequence whose event happened first, if the arm is free for it."""
        times = {i: self.surroundings.event_time(self.moves[i].after) for i in sorted(self._waiting)}
        due = sorted((t, i) for i, t in times.items() if t is not None)
        idle = not self._queue and not self._is_moving and now > self._pause_end - 0.5 * self.period
        for _, i in due:
            if not idle and not self.moves[i].at_once:
                continue
            self._waiting.remove(i)
            self._queue = list(range(i, self._ends[i]))
            self._interrupted, self._pause_end = self._is_moving, now
            return

    def _begin_moves(self, now: float) -> None:
        """Begin the next move if the last one and its pause are over; moves without a path or pause are skipped."""
        half = 0.5 * self.period  # times are multiples of the period up to rounding
        while self._queue and not self._is_moving and now > self._pause_end - half:
            i = self._queue[0]
            if self.moves[i].start > now + half:
                return
            self._queue.pop(0)
            self._begin(i, now)

    def _begin(self, i: int, now: float) -> None:
        move = self.moves[i]
        X_BF = None if move.frame is None else self.surroundings.locate(*move.frame)
        path = self.planner.path(i, move, self._q, X_BF, in_run=True)
        self._move, self._clock, self._rate, self._interrupted = i, 0.0, 1.0, False
        self._path, self._X_BF = path, X_BF if move.tracked else None
        duration = (move.duration or 0.0) if path is None else path.timing.duration
        self._pause_end = now + self.period * np.ceil(duration / self.period - 1e-9) + move.wait
        self.started.append(Started(time=now, move=i))
        if path is None:
            self._ended.append(i)

    def _follow(self, now: float) -> None:
        """Move the command along the path by one cycle."""
        path, move, before = self._path, None if self._move is None else self.moves[self._move], self._q
        self._speed = np.zeros_like(before)
        if path is None or move is None:
            return
        held = not self._is_moving
        if held and not move.tracked:
            return
        self._advance_clock(path)
        X_BF = self.surroundings.locate(*move.frame) if move.tracked and move.frame is not None else None
        solution = path.solve(path.timing.at(self._clock), self._q, X_BF, STEPS_PER_CYCLE)
        self._q = solution.q
        if not solution.converged and (not self.unreachable or self.unreachable[-1].move != self._move):
            self.unreachable.append(Started(time=now, move=self._move or 0))
        self._speed = planned_speed(before, self._q, self._next(path, X_BF), self.period)
        self._X_BF = X_BF
        if self._rate == 0.0:
            self._path = None  # at rest on the way

    def _next(self, path: Path, X_BF: Pose | None) -> Floats:
        """Return the command that is expected one cycle later, if a tracked frame moves on as in the last cycle."""
        if X_BF is not None and self._X_BF is not None:
            X_BF = X_BF @ self._X_BF.relative(X_BF)
        s = path.timing.at(self._clock + self._rate * self.period)
        return path.solve(s, self._q, X_BF, STEPS_PER_CYCLE).q

    def _advance_clock(self, path: Path) -> None:
        """Advance the clock of the path; once the move is interrupted, its rate decreases linearly to zero."""
        before = self._rate
        if self._interrupted:
            self._rate = max(0.0, before - self.period / max(path.timing.braking_time, self.period))
        self._clock += 0.5 * (before + self._rate) * self.period
