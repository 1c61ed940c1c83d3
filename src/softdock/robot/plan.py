"""A plan: where the joints shall be at every cycle, from a list of moves."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem
from softdock.robot.arm import Arm
from softdock.robot.inverse import Solution, rotation_vector, solve_pose
from softdock.robot.link import Limits
from softdock.robot.trajectory import Bounds, Profile, fastest, tightest
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
NEAR = 1e-12  # a move shorter than this is none


@dataclass(frozen=True, kw_only=True, eq=False)
class Move:
    """One move, from rest to rest: to joint positions, or along a straight line to a pose of the tool."""

    joints: Floats | None = None
    """Where to go in joint space (joints,) [rad or m]."""
    to: Floats | None = None
    """Where to take the tool, in the world [m]."""
    by: Floats | None = None
    """How far to take the tool from where the last move ended, in the world [m]."""
    R: Floats | None = None
    """Attitude of the tool in the world at the end; None: it keeps the one it has."""
    start: float = 0.0
    """Not before this time [s]."""
    duration: float | None = None
    """[s]; None: as fast as the bounds allow."""
    wait: float = 0.0
    """Rest afterwards [s]."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How fast moves may be."""

    line: Bounds
    """Of the tool along a line [m/s ...]."""
    turn: Bounds
    """Of the tool's attitude [rad/s ...]."""
    joint: Bounds
    """Of a joint: its speed as a share of its highest, acceleration and jerk [rad/s2, rad/s3; m for sliding ones]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Commanded joint positions, one row per cycle."""

    period: float
    """[s]"""
    q: Floats
    """(cycles, joints); row k is held from k period to (k + 1) period."""
    moves: tuple[tuple[float, float, float], ...]
    """Of every move: when it begins, when it ends and until when it waits [s]."""

    @property
    def duration(self) -> float:
        """[s]"""
        return len(self.q) * self.period


class Planner:
    """Makes a plan out of moves for one arm."""

    def __init__(
        self, arm: Arm, tool: tuple[str, Pose], limits: Limits, pace: Pace, period: float, start: Floats
    ) -> None:
        self.arm, self.tool, self.limits, self.pace, self.period = arm, tool, limits, pace, period
        self.q = np.asarray(start, float)
        self.rows: list[Floats] = []

    def plan(self, moves: Sequence[Move]) -> Plan:
        """Return the plan; raises InputError for what cannot be reached, or not in time."""
        times = []
        for i, move in enumerate(moves):
            self._rest(max(0.0, move.start - len(self.rows) * self.period))
            begin = len(self.rows) * self.period
            self._go(i, move)
            end = len(self.rows) * self.period
            self._rest(move.wait)
            times.append((begin, end, len(self.rows) * self.period))
        q = np.array(self.rows).reshape(-1, self.arm.joints)
        self._check_speed(q, times)
        return Plan(period=self.period, q=q, moves=tuple(times))

    def _rest(self, time: float) -> None:
        self.rows += [self.q] * round(time / self.period)

    def _go(self, i: int, move: Move) -> None:
        if move.joints is not None:
            self._along_joints(i, move, np.asarray(move.joints, float))
        elif move.to is not None or move.by is not None or move.R is not None:
            self._along_line(i, move)
        elif move.duration is not None:
            self._rest(move.duration)

    def _samples(self, i: int, move: Move, bounds: Sequence[Bounds]) -> Floats:
        """Return the way covered by the end of every cycle, 0 to 1."""
        if not bounds:
            return np.ones(round((move.duration or 0.0) / self.period))
        profile: Profile = fastest(tightest(*bounds))
        if move.duration is not None:
            if move.duration < profile.duration * (1.0 - 1e-9):
                raise _problem(
                    f"moves.{i}.duration",
                    f"The move takes at least {profile.duration:.4g} s within the bounds of its speed.",
                    f"{move.duration:g} s",
                )
            profile = profile.slowed_to(move.duration)
        cycles = max(1, int(np.ceil(profile.duration / self.period - 1e-9)))
        return profile.at(self.period * np.arange(1.0, cycles + 1.0))

    def _along_joints(self, i: int, move: Move, goal: Floats) -> None:
        outside = (goal < self.limits.q_min) | (goal > self.limits.q_max)
        if outside.any():
            k = int(np.flatnonzero(outside)[0])
            allowed = f"{self.limits.q_min[k]:.4g} to {self.limits.q_max[k]:.4g}"
            raise _problem(
                f"moves.{i}.joints.{k}", f"Lies outside the joint's limits of {allowed}.", f"{goal[k]:.4g}"
            )
        way, pace = goal - self.q, self.pace.joint
        bounds = []
        for length, limit in zip(np.abs(way), self.limits.speed):
            if length > NEAR:
                speed = pace.speed * min(limit, 1e3)
                bounds.append(
                    Bounds(speed=speed, acceleration=pace.acceleration, jerk=pace.jerk).over(float(length))
                )
        for s in self._samples(i, move, bounds):
            self.rows.append(self.q + s * way)
        self.q = goal

    def _along_line(self, i: int, move: Move) -> None:
        begin = self.arm.pose(self.q, *self.tool)
        X_BN = _inverse(self.arm.X_NB)
        p = begin.p
        if move.to is not None:
            p = X_BN.p + X_BN.R @ move.to
        elif move.by is not None:
            p = begin.p + X_BN.R @ move.by
        end = Pose(R=begin.R if move.R is None else X_BN.R @ move.R, p=p)
        way, turn = end.p - begin.p, rotation_vector(end.R @ begin.R.T)
        lengths = (
            (float(np.linalg.norm(way)), self.pace.line),
            (float(np.linalg.norm(turn)), self.pace.turn),
        )
        bounds = [bound.over(length) for length, bound in lengths if length > NEAR]
        for s in self._samples(i, move, bounds):
            wanted = Pose(R=_turned(s * turn) @ begin.R, p=begin.p + s * way)
            found = solve_pose(self.arm, self.tool, wanted, self.q, self.limits)
            if not found.met:
                raise _out_of_reach(i, move, found, float(s))
            self.q = found.q
            self.rows.append(found.q)

    def _check_speed(self, q: Floats, times: list[tuple[float, float, float]]) -> None:
        """Refuse a line that asks a joint for more than its highest speed; near a singular posture it may."""
        for i, (begin, end, _) in enumerate(times):
            rows = q[max(0, round(begin / self.period) - 1) : round(end / self.period)]
            for a, b in itertools.pairwise(rows):
                ratio = np.abs(b - a) / (self.period * self.limits.speed)
                if ratio.max() > 1.0 + 1e-9:
                    k = int(np.argmax(ratio))
                    raise _problem(
                        f"moves.{i}",
                        f"Joint {k + 1} would have to move {ratio[k]:.3g} times as fast as it can.",
                        hint="Give the move a longer duration, or take the arm around its singular posture.",
                    )


def _problem(field: str, message: str, given: str = "", hint: str = "") -> InputError:
    return InputError(Problem(message=message, field=field, given=given, hint=hint))


def _out_of_reach(i: int, move: Move, found: Solution, s: float) -> InputError:
    field = "to" if move.to is not None else "by" if move.by is not None else "attitude"
    place = "The pose" if s > 1.0 - 1e-9 else f"A pose at {100 * s:.0f} % of the way"
    return _problem(
        f"moves.{i}.{field}",
        f"{place} is out of the arm's reach: the closest is {found.distance * 1e3:.3g} mm and "
        f"{np.degrees(found.angle):.3g} deg away.",
        hint="Change the target, its attitude or the posture that the arm starts from.",
    )


def _turned(v: Floats) -> Floats:
    """Return the rotation matrix of a rotation vector [rad]."""
    angle = float(np.linalg.norm(v))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = v / angle
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K)


def _inverse(X: Pose) -> Pose:
    return Pose(R=X.R.T, p=-X.R.T @ X.p)
