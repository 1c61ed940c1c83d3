"""A chain of masses as people describe it, one run of it, and what the run left behind."""

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from softdock.errors import RunError
from softdock.lumped.kernels import events, motion
from softdock.lumped.kernels.polynomial import ORDER
from softdock.lumped.kernels.run import ROW_DISSIPATED, ROW_FORCE, ROW_STATE, ROW_TIME
from softdock.lumped.kernels.run import run as run_kernel

Array = NDArray[np.float64]
SETTLE = 1e-9  # of the closing speed: a rebound that holds 1e-18 of the energy is none
MOST_MARKS = 1000
MOST_STEPS = 2e8  # about two minutes
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
    NOT_LATCHED = "The probe did not reach the latch."
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

    @property
    def mass(self) -> Array:
        """All masses in one line [kg]."""
        return np.array(self.chaser_masses + self.target_masses)

    @property
    def velocities(self) -> Array:
        """Velocities at the start [m/s]."""
        chaser = [self.target_velocity + self.speed] * len(self.chaser_masses)
        return np.array(chaser + [self.target_velocity] * len(self.target_masses))

    @property
    def frame_velocity(self) -> float:
        """Velocity of the frame the run is computed in: the centre of mass, or the wall [m/s]."""
        return 0.0 if self.anchored else float(self.mass @ self.velocities / self.mass.sum())


@dataclass(frozen=True, kw_only=True)
class ChainRun:
    """What one run left behind; SI. Rows at an event come twice, just before and just after."""

    chain: Chain
    outcome: Outcome
    time: Array
    force: Array
    """Between the touching bodies; positive pushes them apart."""
    dissipated: Array
    positions: Array
    """Of all masses, shape (rows, masses), counted from where each started."""
    velocities: Array
    events: tuple[tuple[float, str], ...]
    impacts: int
    partings: int
    steps: int
    touch_time: float
    part_time: float
    velocities_after: Array
    """Of all masses where the touching bodies first part; NaN if they do not."""
    impulse: float
    """Of the first impact, up to the first parting; NaN if there is none."""
    peak_force: float
    deepest: float
    """Largest overlap or insertion."""
    latch_time: float
    energy_error: float
    """Largest error of kinetic + elastic + dissipated energy during the run."""
    energy_scale: float
    """Kinetic energy at the start, in the frame of the centre of mass (of the wall, if anchored)."""
    momentum_error: float
    momentum_scale: float
    """Sum of the magnitudes of all momenta at the start, in the same frame."""

    @property
    def overlap(self) -> Array:
        """Overlap of the touching bodies, negative while apart [m]."""
        a = len(self.chain.chaser_masses) - 1
        overlap: Array = self.positions[:, a] - self.positions[:, a + 1] - self.chain.gap
        return overlap


def run_chain(chain: Chain, *, end_time: float, impacts: int | None = None, rate: float = 1000.0) -> ChainRun:
    """Run a chain until `end_time` [s], or its `impacts`-th parting; record `rate` rows per second."""
    arrays, law = _arrays(chain), _law(chain)
    _must_be_affordable(arrays, law, end_time)
    n = arrays.mass.size
    work = _workspace(n, rows=int(end_time * rate) + 2 * MOST_MARKS + 4)
    work.v[:, 0] = chain.velocities - chain.frame_velocity
    scale_energy = 0.5 * float(arrays.mass @ work.v[:, 0] ** 2)
    scale_momentum = float(arrays.mass @ np.abs(work.v[:, 0]))
    most = impacts if impacts is not None else np.iinfo(np.int64).max
    run_kernel(arrays, law, work, float(end_time), most, 1.0 / rate)
    return _collect(chain, work, scale_energy, scale_momentum)


def _collect(chain: Chain, work: motion.Work, scale_energy: float, scale_momentum: float) -> ChainRun:
    state, books, n = work.state, work.books, len(work.after)
    rows = work.rows[: state[motion.ROWS]].copy()
    time = rows[:, ROW_TIME]
    V = chain.frame_velocity
    touched = bool(state[motion.TOUCHES])
    return ChainRun(
        chain=chain,
        outcome=_outcome(chain, state),
        time=time,
        force=rows[:, ROW_FORCE],
        dissipated=rows[:, ROW_DISSIPATED],
        positions=rows[:, ROW_STATE : ROW_STATE + n] + V * time[:, None],
        velocities=rows[:, ROW_STATE + n :] + V,
        events=tuple((float(t), EVENT_NAMES[int(k)]) for t, k in work.marks[: state[motion.MARKS]]),
        impacts=int(state[motion.TOUCHES]),
        partings=int(state[motion.PARTINGS]),
        steps=int(state[motion.STEPS]),
        touch_time=float(books[motion.TOUCH_TIME]),
        part_time=float(books[motion.PART_TIME]),
        velocities_after=work.after + V,
        impulse=float(books[motion.PART_IMPULSE]),
        peak_force=float(books[motion.PEAK_FORCE]) if touched else 0.0,
        deepest=float(books[motion.DEEPEST]),
        latch_time=float(books[motion.LATCH_TIME]),
        energy_error=float(books[motion.ENERGY_ERROR]),
        energy_scale=scale_energy,
        momentum_error=float(books[motion.MOMENTUM_ERROR]),
        momentum_scale=scale_momentum,
    )


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
    return motion.Chain(
        chain.mass, links["stiffness"], links["damping"], len(chain.chaser_masses) - 1, float(chain.gap)
    )


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
    u, v = np.zeros((n, ORDER + 2)), np.zeros((n, ORDER + 2))
    s, r, f, wall, g = np.zeros((5, ORDER + 2))
    state, books = np.zeros(motion.STATES, dtype=np.int64), np.zeros(motion.BOOKS)
    for unknown in (motion.TOUCH_TIME, motion.PART_TIME, motion.PART_IMPULSE, motion.LATCH_TIME):
        books[unknown] = np.nan
    after = np.full(n, np.nan)
    record, marks = np.empty((rows, ROW_STATE + 2 * n)), np.empty((MOST_MARKS, 2))
    return motion.Work(u, v, s, r, f, wall, g, state, books, after, record, marks)


def _must_be_affordable(arrays: motion.Chain, law: motion.Interface, end_time: float) -> None:
    """Refuse a run whose fastest motion is so fast that the run would not end."""
    state = np.zeros(motion.STATES, dtype=np.int64)
    state[motion.PAD], state[motion.GRIP] = motion.PRESS, motion.SLIDE_IN
    step = motion.longest_step(arrays, law, state)
    if step > 0.0 and end_time / step > MOST_STEPS:
        raise RunError(
            f"the stiffest part moves in {step:.1e} s, and {end_time:g} s of it would take "
            f"{end_time / step:.1e} steps; soften it, make its mass larger, or stop earlier"
        )
