"""Motion planning: commanded joint positions for every cycle, from a list of moves."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.robot.arm import Arm
from softdock.robot.inverse_kinematics import MAX_STEPS, Solution, solve_pose
from softdock.robot.link import CartesianImpedance, JointLimits
from softdock.robot.trajectory import Bounds, JerkProfile, fastest_profile, planned_speed, tightest_bounds
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_rotation_vector, rotation_vector_from_matrix

Floats = NDArray[np.float64]
MIN_LENGTH = 1e-12  # m or rad; shorter moves are ignored


@dataclass(frozen=True, kw_only=True, eq=False)
class Move:
    """A rest-to-rest move to joint positions, or along a straight line to a pose of the tool."""

    joints: Floats | None = None
    """Goal in joint space (joints,) [rad or m]."""
    to: Floats | None = None
    """Goal position of the tool in the frame [m]."""
    by: Floats | None = None
    """Displacement of the tool from the end of the last move, in the frame [m]."""
    R: Floats | None = None
    """Attitude of the tool in the frame at the end; None keeps the present attitude."""
    frame: tuple[str, Pose] | None = None
    """Frame F of the goal, on a body; None for the world at the start of the run."""
    tracked: bool = False
    """Whether the line moves with the frame; otherwise the frame is located once, when the move begins."""
    start: float = 0.0
    """Earliest start time [s]."""
    duration: float | None = None
    """[s]; None for the shortest duration within the bounds."""
    wait: float = 0.0
    """Waiting time after the move [s]."""
    after: tuple[str, ...] = ()
    """Events of which the first starts the move, and those that follow it up to the next one with `after`; empty for a
    move that follows the one before it."""
    at_once: bool = False
    """Whether the event interrupts a move; otherwise that move ends first."""
    until_force: float | None = None
    """Measured force at which the motion ends [N]."""


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
class Impedance:
    """Impedance of one move; arrays (joints,)."""

    stiffness: Floats
    damping_ratio: Floats
    cartesian: CartesianImpedance | None = None
    """Of the tool, instead of that of the joints."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Setpoint:
    """What one command asks for; arrays (joints,)."""

    q: Floats
    """At the end of the cycle [rad or m]."""
    qdot: Floats | None = None
    """Planned speed at the end of the cycle [rad/s or m/s]; None if it is not known."""
    stiffness: Floats
    """[N m/rad or N/m]"""
    damping_ratio: Floats
    cartesian: CartesianImpedance | None = None


class Setpoints(Protocol):
    """Setpoints of consecutive cycles: a plan that is known in advance, or moves that events start."""

    @property
    def period(self) -> float:
        """Duration of a cycle [s]."""

    @property
    def cycles(self) -> int:
        """Number of cycles."""

    def setpoint(self, cycle: int) -> Setpoint:
        """Return the setpoint of a cycle; cycles are asked for in increasing order."""

    def ended(self, cycle: int) -> Sequence[int]:
        """Return the moves whose motions have ended at the beginning of a cycle whose setpoint was asked for."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointPlan:
    """Commanded joint positions, one row per cycle; implements `Setpoints` if it has `impedance`."""

    period: float
    """[s]"""
    q: Floats
    """(cycles, joints); row k is the goal of the cycle from k period to (k + 1) period, planned for its end."""
    start: Floats
    """Joint positions before the first cycle (joints,)."""
    moves: tuple[tuple[float, float, float], ...]
    """Begin, end and end of the waiting time of every move [s]."""
    impedance: tuple[Impedance, ...] = ()
    """Of every move."""

    @property
    def cycles(self) -> int:
        """Number of cycles."""
        return len(self.q)

    def setpoint(self, cycle: int) -> Setpoint:
        """Return the setpoint of a cycle; after the end of the plan, the last one."""
        row = min(cycle, self.cycles - 1)
        begun = [begin <= (row + 0.5) * self.period for begin, _, _ in self.moves]
        impedance = self.impedance[max(0, sum(begun) - 1)]
        before = self.q[row - 1] if row else self.start
        after = self.q[min(row + 1, self.cycles - 1)]
        speed = planned_speed(before, self.q[row], after, self.period)
        return Setpoint(
            q=self.q[row],
            qdot=speed,
            stiffness=impedance.stiffness,
            damping_ratio=impedance.damping_ratio,
            cartesian=impedance.cartesian,
        )

    def ended(self, cycle: int) -> Sequence[int]:
        """Return the moves whose motions have ended at the beginning of a cycle."""
        return [i for i, (_, end, _) in enumerate(self.moves) if round(end / self.period) <= cycle]

    @property
    def duration(self) -> float:
        """[s]"""
        return len(self.q) * self.period


@dataclass(frozen=True, kw_only=True)
class PathTiming:
    """Motion along a path."""

    profile: JerkProfile | None
    """None where nothing moves."""
    duration: float
    """[s]"""
    braking_time: float
    """Time from the highest speed of the path to rest at its bound of acceleration [s]."""

    def at(self, t: float) -> float:
        """Return the path coordinate at a time after the start of the move [s]."""
        return 1.0 if self.profile is None else float(self.profile.at(t))


@dataclass(frozen=True, kw_only=True, eq=False)
class JointPath:
    """A straight line in joint space."""

    begin: Floats
    displacement: Floats
    timing: PathTiming

    def solve(self, s: float, q: Floats, X_BF: Pose | None = None, max_steps: int = MAX_STEPS) -> Solution:
        """Return the joint positions at the path coordinate s, 0 to 1."""
        return Solution(q=self.begin + s * self.displacement, distance=0.0, angle=0.0, steps=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class LinePath:
    """A straight line of the tool with a rotation about a fixed axis, in B or in a tracked frame F."""

    planner: "Planner"
    begin: Pose
    translation: Floats
    rotation: Floats
    """Rotation vector [rad]."""
    timing: PathTiming

    def solve(self, s: float, q: Floats, X_BF: Pose | None = None, max_steps: int = MAX_STEPS) -> Solution:
        """Return joint positions near q at the path coordinate s, 0 to 1; `X_BF` is the pose of a tracked frame now."""
        wanted = Pose(
            R=matrix_from_rotation_vector(s * self.rotation) @ self.begin.R,
            p=self.begin.p + s * self.translation,
        )
        if X_BF is not None:
            wanted = X_BF @ wanted
        planner = self.planner
        return solve_pose(planner.arm, planner.tool, wanted, q, planner.limits, max_steps=max_steps)


Path = JointPath | LinePath


class Planner:
    """Plans the moves of one arm."""

    def __init__(
        self, arm: Arm, tool: tuple[str, Pose], limits: JointLimits, pace: Pace, period: float, start: Floats
    ) -> None:
        self.arm, self.tool, self.limits, self.pace, self.period = arm, tool, limits, pace, period
        self.q = np.asarray(start, float)
        self.rows: list[Floats] = []

    def plan(self, moves: Sequence[Move]) -> JointPlan:
        """Return the plan; raise InputError for goals that cannot be reached, or not within the given duration."""
        times, start = [], self.q
        for i, move in enumerate(moves):
            self._rest(max(0.0, move.start - len(self.rows) * self.period))
            begin = len(self.rows) * self.period
            self._plan_move(i, move)
            end = len(self.rows) * self.period
            self._rest(move.wait)
            times.append((begin, end, len(self.rows) * self.period))
        q = np.array(self.rows).reshape(-1, self.arm.joints)
        self._check_speed(q, times)
        return JointPlan(period=self.period, q=q, start=start, moves=tuple(times))

    def path(
        self, i: int, move: Move, q: Floats, X_BF: Pose | None = None, *, in_run: bool = False
    ) -> Path | None:
        """Return the path of move number i from the commanded positions q; None for a pause.

        `X_BF` is the pose of the frame of the move; None for the world at the start. Raises InputError for goals
        outside the joint limits and for durations that are too short; during a run the shortest one is used instead.
        """
        if in_run and move.duration is not None:
            fastest = self.path(i, replace(move, duration=None), q, X_BF)
            if fastest is not None and fastest.timing.duration > move.duration:
                return fastest
        if move.joints is not None:
            return self._joint_path(i, move, q, np.asarray(move.joints, float))
        if move.to is not None or move.by is not None or move.R is not None:
            return self._line_path(i, move, q, self.arm.X_NB.inverse() if X_BF is None else X_BF)
        return None

    def _rest(self, time: float) -> None:
        self.rows += [self.q] * round(time / self.period)

    def _plan_move(self, i: int, move: Move) -> None:
        path = self.path(i, move, self.q)
        if path is None:
            self._rest(move.duration or 0.0)
            return
        for s in self._samples(path):
            solution = path.solve(s, self.q)
            if not solution.converged:
                raise out_of_reach(i, move, solution, float(s))
            self.q = solution.q
            self.rows.append(solution.q)
        if move.joints is not None:
            self.q = np.asarray(move.joints, float)  # without the rounding of the path

    def _samples(self, path: Path) -> Floats:
        """Return the path coordinate at the end of every cycle, 0 to 1."""
        timing = path.timing
        if timing.profile is None:
            return np.ones(round(timing.duration / self.period))
        cycles = max(1, int(np.ceil(timing.duration / self.period - 1e-9)))
        return timing.profile.at(self.period * np.arange(1.0, cycles + 1.0))

    def _timing(self, i: int, move: Move, bounds: Sequence[Bounds]) -> PathTiming:
        """Return the motion along the path within bounds; of a path where nothing moves there are none."""
        if not bounds:
            return PathTiming(profile=None, duration=move.duration or 0.0, braking_time=0.0)
        tightest = tightest_bounds(*bounds)
        profile: JerkProfile = fastest_profile(tightest)
        if move.duration is not None:
            if move.duration < profile.duration * (1.0 - 1e-9):
                raise _problem(
                    f"moves.{i}.duration",
                    f"Takes at least {profile.duration:.4g} s within its speed, acceleration and jerk bounds.",
                    f"{move.duration:g} s",
                )
            profile = profile.stretched_to(move.duration)
        braking_time = profile.top_speed / tightest.acceleration
        return PathTiming(profile=profile, duration=profile.duration, braking_time=braking_time)

    def _joint_path(self, i: int, move: Move, q: Floats, goal: Floats) -> JointPath:
        outside = (goal < self.limits.q_min) | (goal > self.limits.q_max)
        if outside.any():
            k = int(np.flatnonzero(outside)[0])
            allowed = f"{self.limits.q_min[k]:.4g} to {self.limits.q_max[k]:.4g}"
            raise _problem(
                f"moves.{i}.joints.{k}", f"Is outside the joint's limits of {allowed}.", f"{goal[k]:.4g}"
            )
        displacement, pace = goal - q, self.pace.joint
        bounds = []
        for length, limit in zip(np.abs(displacement), self.limits.speed):
            if length > MIN_LENGTH:
                speed = pace.speed * min(limit, 1e3)
                bounds.append(
                    Bounds(speed=speed, acceleration=pace.acceleration, jerk=pace.jerk).normalised(
                        float(length)
                    )
                )
        return JointPath(begin=q, displacement=displacement, timing=self._timing(i, move, bounds))

    def _line_path(self, i: int, move: Move, q: Floats, X_BF: Pose) -> LinePath:
        begin = self.arm.pose(q, *self.tool)
        p = begin.p
        if move.to is not None:
            p = X_BF.p + X_BF.R @ move.to
        elif move.by is not None:
            p = begin.p + X_BF.R @ move.by
        end = Pose(R=begin.R if move.R is None else X_BF.R @ move.R, p=p)
        if move.tracked:
            begin, end = X_BF.relative(begin), X_BF.relative(end)
        translation, rotation = end.p - begin.p, rotation_vector_from_matrix(end.R @ begin.R.T)
        lengths = (
            (float(np.linalg.norm(translation)), self.pace.line),
            (float(np.linalg.norm(rotation)), self.pace.attitude),
        )
        bounds = [bound.normalised(length) for length, bound in lengths if length > MIN_LENGTH]
        return LinePath(
            planner=self,
            begin=begin,
            translation=translation,
            rotation=rotation,
            timing=self._timing(i, move, bounds),
        )

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
    return InputError(message, field=field, given=given, hint=hint)


def out_of_reach(i: int, move: Move, solution: Solution, s: float) -> InputError:
    """Return the error of a pose at the path coordinate s of move number i that the arm cannot reach."""
    field = "to" if move.to is not None else "by" if move.by is not None else "attitude"
    place = "The pose" if s > 1.0 - 1e-9 else f"A pose at {100 * s:.0f} % of the way"
    return _problem(
        f"moves.{i}.{field}",
        f"{place} is out of the arm's reach: the closest is {solution.distance * 1e3:.3g} mm and "
        f"{np.degrees(solution.angle):.3g} deg away.",
        hint="Change the target, its attitude or the start posture of the arm.",
    )
