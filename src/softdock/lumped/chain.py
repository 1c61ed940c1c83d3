"""A chain of masses as people describe it, one run of it, and what the run left behind."""

import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softdock.errors import RunError
from softdock.lumped import entry_points
from softdock.lumped.kernels import events, motion
from softdock.lumped.kernels.polynomial import COLUMNS
from softdock.lumped.kernels.run import ROW_DISSIPATED, ROW_FORCE, ROW_STATE, ROW_TIME

Array = NDArray[np.float64]
SETTLE = 1e-9  # of the closing speed: a rebound that holds 1e-18 of the energy is none
MOST_MARKS = 300
MOST_STEPS = 2e8  # some minutes
UNLIMITED = 2**62
EVENT_NAMES = {
    events.TOUCH: "touch",
    events.RELEASE: "release",
    events.PRESS_AGAIN: "press_again",
    events.RECOVERED: "recovered",
    events.TURN: "turn",
    events.LATCH: "latch",
    events.LEAVE: "leave",
    events.SLIP_IN: "slip_in",
    events.SLIP_OUT: "slip_out",
    events.PART: "part",
    events.SETTLE: "settle",
}


class Outcome(Enum):
    """How a run ended, as a sentence."""

    SEPARATED = "The bodies have touched and are apart."
    IN_CONTACT = "The bodies are in contact at the end of the run."
    RESTING = "The bodies rest against each other: every rebound has died out."
    NO_CONTACT = "The bodies did not touch."
    LATCHED = "The probe tip is in: the latch has closed."
    NOT_LATCHED = "The probe was not pushed in far enough to latch."
    HELD = "Friction holds the probe in the wedge, short of the latch."
    JAMMED = "The wedge jams at first touch: friction is too large for the latch to be lifted."
    CHATTERING = "The contact opened and closed too often to follow; the run was stopped."

    @property
    def identifier(self) -> str:
        """Short name, for example `not_latched`."""
        return self.name.lower()


@dataclass(frozen=True, kw_only=True)
class Pad:
    """A spring and damper that cannot pull [N/m, N s/m]."""

    stiffness: float
    damping: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Wedge:
    """Stiffness along the axis while sliding in, out and as stored in the spring [N/m]; tip length [m]."""

    inward: float
    outward: float
    elastic: float
    tip_length: float
    jams: bool = False

    @classmethod
    def of(cls, *, stiffness: float, angle: float, tip_length: float, friction_angle: float = 0.0) -> "Wedge":
        """Return the wedge of this angle from the axis [rad] under a latch spring of this stiffness [N/m]."""
        lift = math.tan(angle)
        jams = angle + friction_angle >= 0.5 * math.pi
        return cls(
            inward=math.inf if jams else stiffness * lift * math.tan(angle + friction_angle),  # Eq. (L4)
            outward=stiffness * lift * math.tan(angle - friction_angle),  # Eq. (L5)
            elastic=stiffness * lift**2,  # Eq. (L3)
            tip_length=tip_length,
            jams=jams,
        )


@dataclass(frozen=True, kw_only=True)
class Chain:
    """Two chains on one line; masses [kg], stiffness [N/m], damping [N s/m], velocities [m/s].

    The chaser's masses are listed from the rear to the touching one, the target's from the touching one to
    the far end. Springs and dampers are those between neighbours; of an anchored target the last pair joins
    the wall.
    """

    chaser_masses: tuple[float, ...]
    target_masses: tuple[float, ...]
    chaser_stiffness: tuple[float, ...] = ()
    target_stiffness: tuple[float, ...] = ()
    chaser_damping: tuple[float, ...] = ()
    target_damping: tuple[float, ...] = ()
    anchored: bool = False
    speed: float
    """Closing speed of the chaser relative to the target."""
    target_velocity: float = 0.0
    gap: float = 0.0
    pad: Pad | None = None
    restitution: float | None = None
    """Coefficient of restitution of an impulsive impact; with a wedge, only the first touch is one."""
    wedge: Wedge | None = None

    @cached_property
    def mass(self) -> Array:
        """All masses in one line [kg]."""
        return np.array(self.chaser_masses + self.target_masses, dtype=np.float64)

    @cached_property
    def velocities(self) -> Array:
        """Velocities at the start [m/s]."""
        chaser = [self.target_velocity + self.speed] * len(self.chaser_masses)
        return np.array(chaser + [self.target_velocity] * len(self.target_masses))

    @cached_property
    def arrays(self) -> tuple[motion.Chain, motion.Interface]:
        """The chain and its interface as the kernels take them."""
        return _arrays(self), _law(self)

    @cached_property
    def velocities_in_frame(self) -> Array:
        """Velocities at the start in the frame the run is computed in [m/s]."""
        return self.velocities - self.frame_velocity

    @cached_property
    def system_weights(self) -> Array:
        """Columns that give the velocities of chaser and target from those of all masses [1].

        Those of their centres of mass; an anchored target is at rest with its wall.
        """
        n = len(self.chaser_masses)
        weights = np.zeros((len(self.mass), 2))
        weights[:n, 0] = self.mass[:n] / self.mass[:n].sum()
        if not self.anchored:
            weights[n:, 1] = self.mass[n:] / self.mass[n:].sum()
        return weights

    @cached_property
    def frame_velocity(self) -> float:
        """Velocity of the frame the run is computed in: the centre of mass, or the wall [m/s]."""
        return 0.0 if self.anchored else float(self.mass @ self.velocities / self.mass.sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class ChainRun:
    """What one run left behind; SI. Rows at an event come twice, just before and just after."""

    chain: Chain
    work: motion.Work

    @cached_property
    def outcome(self) -> Outcome:
        """How the run ended."""
        return _outcome(self.chain, self.work.state)

    @cached_property
    def rows(self) -> Array:
        """Recorded rows, as the kernels write them."""
        rows: Array = self.work.rows[: self.work.state[motion.ROWS]].copy()
        return rows

    @property
    def time(self) -> Array:
        """Time of the rows [s]."""
        return self.rows[:, ROW_TIME]

    @property
    def force(self) -> Array:
        """Force between the touching bodies [N]; positive pushes them apart."""
        return self.rows[:, ROW_FORCE]

    @property
    def dissipated(self) -> Array:
        """Energy lost so far [J]."""
        return self.rows[:, ROW_DISSIPATED]

    @cached_property
    def positions(self) -> Array:
        """Of all masses, counted from where each started, shape (rows, masses) [m]."""
        n = len(self.chain.mass)
        drift = self.chain.frame_velocity * self.time[:, None]
        positions: Array = self.rows[:, ROW_STATE : ROW_STATE + n] + drift
        return positions

    @cached_property
    def velocities(self) -> Array:
        """Of all masses, shape (rows, masses) [m/s]."""
        velocities: Array = self.rows[:, ROW_STATE + len(self.chain.mass) :] + self.chain.frame_velocity
        return velocities

    @property
    def overlap(self) -> Array:
        """Overlap of the touching bodies, negative while apart [m]."""
        a = len(self.chain.chaser_masses) - 1
        overlap: Array = self.positions[:, a] - self.positions[:, a + 1] - self.chain.gap
        return overlap

    @property
    def events(self) -> tuple[tuple[float, str], ...]:
        """Times [s] and names of what happened, the first few hundred."""
        marks = self.work.marks[: self.work.state[motion.MARKS]]
        return tuple((float(time), EVENT_NAMES[int(kind)]) for time, kind in marks)

    @property
    def impacts(self) -> int:
        """How often the bodies touched."""
        return int(self.work.state[motion.TOUCHES])

    @property
    def steps(self) -> int:
        """How many power series were summed."""
        return int(self.work.state[motion.STEPS])

    @property
    def touch_time(self) -> float:
        """Time of the first touch [s]; NaN if there is none."""
        return float(self.work.books[motion.TOUCH_TIME])

    @property
    def part_time(self) -> float:
        """Time at which the touching bodies first part [s]; NaN if they do not."""
        return float(self.work.books[motion.PART_TIME])

    @property
    def velocities_after(self) -> Array:
        """Of all masses where the touching bodies first part [m/s]; NaN if they do not."""
        after: Array = self.work.books[motion.AFTER :] + self.chain.frame_velocity
        return after

    @property
    def impulse(self) -> float:
        """Impulse of the first impact, up to the first parting [N s]; NaN if there is none."""
        return float(self.work.books[motion.PART_IMPULSE])

    @property
    def peak_force(self) -> float:
        """Largest force between the touching bodies [N], impulses aside."""
        return float(self.work.books[motion.PEAK_FORCE])

    @property
    def deepest(self) -> float:
        """Largest overlap or insertion [m]."""
        return float(self.work.books[motion.DEEPEST])

    @property
    def latch_time(self) -> float:
        """Time at which the latch closes [s]; NaN if it does not."""
        return float(self.work.books[motion.LATCH_TIME])

    @property
    def energy_error(self) -> float:
        """Largest error of kinetic + elastic + dissipated energy during the run [J]."""
        return float(self.work.books[motion.ENERGY_ERROR])

    @property
    def energy_scale(self) -> float:
        """Kinetic energy at the start, in the frame of the centre of mass (of the wall, if anchored) [J]."""
        return float(self.work.books[motion.ENERGY_START])

    @property
    def momentum_error(self) -> float:
        """Largest error of the momentum balance during the run [N s]."""
        return float(self.work.books[motion.MOMENTUM_ERROR])

    @property
    def momentum_scale(self) -> float:
        """Sum of the magnitudes of all momenta at the start, in the same frame [N s]."""
        return float(self.chain.mass @ np.abs(self.chain.velocities_in_frame))


def run_chain(chain: Chain, *, end_time: float, impacts: int | None = None, rate: float = 1000.0) -> ChainRun:
    """Run a chain until `end_time` [s], or its `impacts`-th parting; record `rate` rows per second."""
    arrays, law = chain.arrays
    n = len(chain.mass)
    work = _workspace(n, rows=int(end_time * rate) + 2 * MOST_MARKS + 4)
    work.q[n:, 0] = chain.velocities_in_frame
    most = impacts if impacts is not None else UNLIMITED
    entry_points.run(arrays, law, work, end_time, most, 1.0 / rate, MOST_STEPS)
    if work.state[motion.OUTCOME] == events.TOO_FAST:
        step = entry_points.shortest_step(arrays, law)
        raise RunError(
            f"the stiffest part moves within {step:.1e} s, and {end_time:g} s of it would take "
            f"{end_time / step:.1e} steps; soften it, make its mass larger, or stop earlier"
        )
    return ChainRun(chain=chain, work=work)


def _outcome(chain: Chain, state: NDArray[np.int64]) -> Outcome:
    ended, grip = state[motion.OUTCOME], state[motion.GRIP]
    named = {
        events.LATCHED: Outcome.LATCHED,
        events.JAMMED: Outcome.JAMMED,
        events.CHATTERING: Outcome.CHATTERING,
    }
    if ended in named:
        return named[ended]
    if not state[motion.TOUCHES]:
        return Outcome.NO_CONTACT
    if grip == motion.STUCK:
        return Outcome.HELD
    if chain.wedge is not None:
        return Outcome.NOT_LATCHED
    if grip == motion.REST:
        return Outcome.RESTING
    return Outcome.IN_CONTACT if state[motion.PAD] == motion.PRESS else Outcome.SEPARATED


def _arrays(chain: Chain) -> motion.Chain:
    """Return the chain as the kernels take it: one line of masses, each with the link to its right."""
    wall = int(chain.anchored)
    links = {}
    for name in ("stiffness", "damping"):
        chaser, target = getattr(chain, f"chaser_{name}"), getattr(chain, f"target_{name}")
        line = np.zeros(len(chain.mass))
        line[: len(chaser)] = chaser
        first = len(chain.chaser_masses)
        line[first : first + len(target)] = target
        expected = (len(chain.chaser_masses) - 1, len(chain.target_masses) - 1 + wall)
        if name == "stiffness" and (len(chaser), len(target)) != expected:
            raise ValueError(f"springs: expected {expected}, given {(len(chaser), len(target))}")
        links[name] = line
    line = np.stack((chain.mass, links["stiffness"], links["damping"], 1.0 / chain.mass))
    return motion.Chain(line, len(chain.chaser_masses) - 1, float(chain.gap))


def _law(chain: Chain) -> motion.Interface:
    pad = chain.pad or Pad(stiffness=0.0)
    wedge = chain.wedge or Wedge(inward=0.0, outward=0.0, elastic=0.0, tip_length=0.0)
    return motion.Interface(
        float(pad.stiffness),
        float(pad.damping),
        -1.0 if chain.restitution is None else float(chain.restitution),
        0.0 if wedge.jams else float(wedge.inward),
        float(wedge.outward),
        float(wedge.elastic),
        float(wedge.tip_length),
        int(wedge.jams),
        SETTLE * abs(float(chain.speed)),
    )


def _workspace(n: int, rows: int) -> motion.Work:
    books = np.empty(motion.AFTER + n)
    books.fill(np.nan)
    books[: motion.TOUCH_TIME] = 0.0  # what follows is unknown until it happens
    return motion.Work(
        np.zeros((2 * n, COLUMNS)),
        np.zeros((5, COLUMNS)),
        np.zeros(motion.STATES, dtype=np.int64),
        books,
        np.empty((rows, ROW_STATE + 2 * n)),
        np.empty((MOST_MARKS, 2)),
    )
