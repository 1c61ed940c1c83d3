"""Motion planning: commanded joint positions for every cycle, from a list of moves."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem
from softdock.robot.arm import Arm
from softdock.robot.inverse_kinematics import Solution, rotation_vector, solve_pose
from softdock.robot.link import Limits
from softdock.robot.trajectory import Bounds, Profile, fastest_profile, tightest_bounds
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_rotation_vector

Floats = NDArray[np.float64]
MIN_LENGTH = 1e-12  # m or rad; shorter moves are ignored


@dataclass(frozen=True, kw_only=True, eq=False)
class Move:
    """A rest-to-rest move to joint positions, or along a straight line to a pose of the tool."""

    joints: Floats | None = None
    """Goal in joint space (joints,) [rad or m]."""
    to: Floats | None = None
    """Goal position of the tool in the world [m]."""
    by: Floats | None = None
    """Displacement of the tool from the end of the last move, in the world [m]."""
    R: Floats | None = None
    """Attitude of the tool in the world at the end; None keeps the present attitude."""
    start: float = 0.0
    """Earliest start time [s]."""
    duration: float | None = None
    """[s]; None for the shortest duration within the bounds."""
    wait: float = 0.0
    """Waiting time after the move [s]."""


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Bounds of speed, acceleration and jerk of moves."""

    line: Bounds
    """Tool along a line [m/s, m/s2, m/s3]."""
    attitude: Bounds
    """Attitude of the tool [rad/s, rad/s2, rad/s3]."""
    joint: Bounds
    """Joint: speed as a fraction of its limit, acceleration and jerk [rad/s2, rad/s3; prismatic m/s2, m/s3]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Commanded joint positions, one row per cycle."""

    period: float
    """[s]"""
    q: Floats
    """(cycles, joints); row k applies from k period to (k + 1) period."""
    moves: tuple[tuple[float, float, float], ...]
    """Begin, end and end of the waiting time of every move [s]."""

    @property
    def duration(self) -> float:
        """[s]"""
        return len(self.q) * self.period


class Planner:
    """Plans the moves of one arm."""

    def __init__(
        self, arm: Arm, tool: tuple[str, Pose], limits: Limits, pace: Pace, period: float, start: Floats
    ) -> None:
        self.arm, self.tool, self.limits, self.pace, self.period = arm, tool, limits, pace, period
        self.q = np.asarray(start, float)
        self.rows: list[Floats] = []

    def plan(self, moves: Sequence[Move]) -> Plan:
        """Return the plan; raise InputError for goals that cannot be reached, or not within the given duration."""
        times = []
        for i, move in enumerate(moves):
            self._rest(max(0.0, move.start - len(self.rows) * self.period))
            begin = len(self.rows) * self.period
            self._plan_move(i, move)
            end = len(self.rows) * self.period
            self._rest(move.wait)
            times.append((begin, end, len(self.rows) * self.period))
        q = np.array(self.rows).reshape(-1, self.arm.joints)
        self._check_speed(q, times)
        return Plan(period=self.period, q=q, moves=tuple(times))

    def _rest(self, time: float) -> None:
        self.rows += [self.q] * round(time / self.period)

    def _plan_move(self, i: int, move: Move) -> None:
        if move.joints is not None:
            self._plan_joint_move(i, move, np.asarray(move.joints, float))
        elif move.to is not None or move.by is not None or move.R is not None:
            self._plan_line(i, move)
        elif move.duration is not None:
            self._rest(move.duration)

    def _samples(self, i: int, move: Move, bounds: Sequence[Bounds]) -> Floats:
        """Return the path coordinate at the end of every cycle, 0 to 1."""
        if not bounds:
            return np.ones(round((move.duration or 0.0) / self.period))
        profile: Profile = fastest_profile(tightest_bounds(*bounds))
        if move.duration is not None:
            if move.duration < profile.duration * (1.0 - 1e-9):
                raise _problem(
                    f"moves.{i}.duration",
                    f"Takes at least {profile.duration:.4g} s within its speed, acceleration and jerk bounds.",
                    f"{move.duration:g} s",
                )
            profile = profile.stretched_to(move.duration)
        cycles = max(1, int(np.ceil(profile.duration / self.period - 1e-9)))
        return profile.at(self.period * np.arange(1.0, cycles + 1.0))

    def _plan_joint_move(self, i: int, move: Move, goal: Floats) -> None:
        outside = (goal < self.limits.q_min) | (goal > self.limits.q_max)
        if outside.any():
            k = int(np.flatnonzero(outside)[0])
            allowed = f"{self.limits.q_min[k]:.4g} to {self.limits.q_max[k]:.4g}"
            raise _problem(
                f"moves.{i}.joints.{k}", f"Is outside the joint's limits of {allowed}.", f"{goal[k]:.4g}"
            )
        displacement, pace = goal - self.q, self.pace.joint
        bounds = []
        for length, limit in zip(np.abs(displacement), self.limits.speed):
            if length > MIN_LENGTH:
                speed = pace.speed * min(limit, 1e3)
                bounds.append(
                    Bounds(speed=speed, acceleration=pace.acceleration, jerk=pace.jerk).normalised(
                        float(length)
                    )
                )
        for s in self._samples(i, move, bounds):
            self.rows.append(self.q + s * displacement)
        self.q = goal

    def _plan_line(self, i: int, move: Move) -> None:
        begin = self.arm.pose(self.q, *self.tool)
        X_BN = self.arm.X_NB.inverse()
        p = begin.p
        if move.to is not None:
            p = X_BN.p + X_BN.R @ move.to
        elif move.by is not None:
            p = begin.p + X_BN.R @ move.by
        end = Pose(R=begin.R if move.R is None else X_BN.R @ move.R, p=p)
        translation, rotation = end.p - begin.p, rotation_vector(end.R @ begin.R.T)
        lengths = (
            (float(np.linalg.norm(translation)), self.pace.line),
            (float(np.linalg.norm(rotation)), self.pace.attitude),
        )
        bounds = [bound.normalised(length) for length, bound in lengths if length > MIN_LENGTH]
        for s in self._samples(i, move, bounds):
            wanted = Pose(R=matrix_from_rotation_vector(s * rotation) @ begin.R, p=begin.p + s * translation)
            found = solve_pose(self.arm, self.tool, wanted, self.q, self.limits)
            if not found.converged:
                raise _out_of_reach(i, move, found, float(s))
            self.q = found.q
            self.rows.append(found.q)

    def _check_speed(self, q: Floats, times: list[tuple[float, float, float]]) -> None:
        """Raise InputError if a move exceeds the speed limit of a joint, as lines near singular postures may."""
        for i, (begin, end, _) in enumerate(times):
            rows = q[max(0, round(begin / self.period) - 1) : round(end / self.period)]
            for a, b in itertools.pairwise(rows):
                ratio = np.abs(b - a) / (self.period * self.limits.speed)
                if ratio.max() > 1.0 + 1e-9:
                    k = int(np.argmax(ratio))
                    raise _problem(
                        f"moves.{i}",
                        f"Joint {k + 1} would exceed its speed limit by a factor of {ratio[k]:.3g}.",
                        hint="Give the move a longer duration, or avoid the singular posture of the arm.",
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
        hint="Change the target, its attitude or the start posture of the arm.",
    )
