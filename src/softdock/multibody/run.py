"""One run of a system: records in, kernels, raw history out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.kernels.layout import DEPTH, ContactArrays, ContactLists
from softdock.contact.pair import ContactPair
from softdock.errors import RunError
from softdock.multibody.assemble import (
    ANGLE,
    ANGULAR_MOMENTUM,
    LENGTH,
    MOMENTUM,
    QUATERNION,
    RATE,
    SPEED,
    Assembly,
)
from softdock.multibody.kernels import integrate as kernels
from softdock.multibody.kernels.channels import CHANNEL, read_channels
from softdock.multibody.kernels.contacts import PAIR, apply_contacts, refresh_lists
from softdock.multibody.kernels.derivative import EXTRA_STATES, books, derivative, set_motion
from softdock.multibody.kernels.events import ACTION, EVENT
from softdock.multibody.kernels.stepping import DORMAND_PRINCE, RUNGE_KUTTA_4
from softdock.multibody.kernels.tree import FREE, records

Floats = NDArray[np.float64]
SLOW = 1e-3  # m/s; what starts at rest is expected to move at least so fast


class Method(Enum):
    """How time is integrated."""

    DORMAND_PRINCE = "dormand-prince"
    """Order 5 with error control, or with a fixed step where one is given."""
    RUNGE_KUTTA_4 = "rk4"
    """Classical order 4 with a fixed step."""


class Ending(Enum):
    """Why a run ended, as a sentence."""

    TIME_REACHED = "The run reached its end time."
    STOPPED = "An event stopped the run."
    STEPS_USED_UP = "The run used up its steps before its end time; what happened until then is kept."
    NOT_FINITE = "The state became infinite or undefined; the last good state is kept."
    STEP_TOO_SMALL = "The steps became too small to go on; what happened until then is kept."
    LOG_FULL = "Too many events happened; what happened until then is kept."


ENDINGS = {
    kernels.TIME_REACHED: Ending.TIME_REACHED,
    kernels.STOPPED: Ending.STOPPED,
    kernels.STEPS_USED_UP: Ending.STEPS_USED_UP,
    kernels.NOT_FINITE: Ending.NOT_FINITE,
    kernels.STEP_TOO_SMALL: Ending.STEP_TOO_SMALL,
    kernels.LOG_FULL: Ending.LOG_FULL,
}


@dataclass(frozen=True, kw_only=True)
class Accuracy:
    """Error allowed in one step, by kind of state."""

    length: float = 1e-7
    """[m]"""
    angle: float = 1e-7
    """[rad], also of quaternions"""
    speed: float = 1e-6
    """[m/s]"""
    rate: float = 1e-6
    """[rad/s]"""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to integrate and what to keep."""

    duration: float
    """[s]"""
    method: Method = Method.DORMAND_PRINCE
    step: float | None = None
    """Fixed step [s]; None: error control."""
    accuracy: Accuracy = Accuracy()
    max_step: float = math.inf
    max_steps: int = 5_000_000
    record_rate: float = 100.0
    """Samples per second; 0: none but those of events and contacts."""
    record_contact: bool = True
    """Also keep every step while a contact pushes."""
    max_rows: int = 200_000
    max_events: int = 10_000


@dataclass(frozen=True, kw_only=True)
class Books:
    """Momentum and energy of a state."""

    angular_momentum: Floats
    linear_momentum: Floats
    kinetic: float
    stored: float
    dissipated: float
    work: float
    momentum_scale: float
    angular_momentum_scale: float
    kinetic_about_centre: float
    elastic: float

    @property
    def balance(self) -> float:
        """What must stay constant: kinetic + stored + dissipated - work [J]."""
        return self.kinetic + self.stored + self.dissipated - self.work


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run left behind, as arrays."""

    ending: Ending
    stop_event: int | None
    time: float
    state: Floats
    history: Floats
    """(rows, 1 + channels): time first."""
    final: Floats
    """(channels,) at the end of the run."""
    log: list[tuple[float, int]]
    """(time, event)."""
    peaks: np.recarray
    """The channel records, with their largest and smallest values."""
    pairs: np.recarray
    """The contact records, as the last evaluation left them."""
    start: Books
    end: Books
    steps: int
    rejected: int
    evaluations: int
    rebuilds: int


@dataclass(kw_only=True)
class Simulation:
    """A system ready to run: its assembly, what to watch, and what may happen."""

    assembly: Assembly
    settings: Settings
    channels: np.recarray = field(default_factory=lambda: records(0, CHANNEL))
    events: np.recarray = field(default_factory=lambda: records(0, EVENT))
    actions: np.recarray = field(default_factory=lambda: records(0, ACTION))
    pairs: np.recarray = field(default_factory=lambda: records(0, PAIR))
    contact_pairs: Sequence[ContactPair] = ()
    watched: int | None = None
    """So many channels, the first ones, are looked at in every step (events, peaks); None: all of them."""

    def run(self) -> Run:
        """Integrate and return what happened; the assembly stays untouched."""
        a, s = self.assembly, self.settings
        arrays = contact_arrays(self.contact_pairs)
        capacity = 64
        links, axes, elements, world = a.links.copy(), a.axes.copy(), a.elements.copy(), a.world.copy()
        pairs, events, channels = self.pairs.copy(), self.events.copy(), self.channels.copy()
        channels.largest, channels.smallest = -np.inf, np.inf
        pairs.overreach = -np.inf
        y = a.y.copy()
        options = self._options()
        rows = min(s.max_rows, 4 + int(s.duration * s.record_rate) + (50_000 if len(pairs) else 1_000))
        record = np.zeros((rows if len(channels) else 1, 1 + len(channels)))
        log = np.zeros((s.max_events, 2))
        lists = contact_lists(arrays, capacity)
        system = (links, axes, elements, a.tables, pairs, arrays, lists, world)
        self._meet(links, axes, pairs, arrays, lists)
        first = self._books(system, y, 0.0)
        memory = self._memory(len(y), first)
        while True:
            code = kernels.run(
                system, memory, channels, events, self.actions, a.breaks, options, y, record, log
            )
            if code != kernels.LISTS_TOO_LONG:
                break
            capacity *= 2
            if capacity > 100_000:
                raise RunError("A contact needs more than a million cells: its surfaces overlap too deeply.")
            lists = contact_lists(arrays, capacity)
            system = (links, axes, elements, a.tables, pairs, arrays, lists, world)
        o = options[0]
        evaluations = int(world[0].evaluations)
        last = self._books(system, y, o.t)
        final = np.zeros(len(channels))
        read_channels(channels, len(channels), links, elements, pairs, float(o.t), y, final)
        return Run(
            ending=ENDINGS[code],
            stop_event=int(o.stop_event) if code == kernels.STOPPED else None,
            time=float(o.t),
            state=y,
            history=record[: o.rows],
            final=final,
            log=[(float(t), int(i)) for t, i in log[: o.logged]],
            peaks=channels,
            pairs=pairs,
            start=first,
            end=last,
            steps=int(o.steps),
            rejected=int(o.rejected),
            evaluations=evaluations,
            rebuilds=int(world[0].rebuilds),
        )

    def depths_at_start(self) -> list[float]:
        """Return how deep the active contacts are at the initial state [m]."""
        links, axes, pairs = self.assembly.links.copy(), self.assembly.axes.copy(), self.pairs.copy()
        arrays = contact_arrays(self.contact_pairs)
        for capacity in (64, 1024, 16384):
            lists = contact_lists(arrays, capacity)
            if self._meet(links, axes, pairs, arrays, lists):
                break
        apply_contacts(links, pairs, arrays, lists)
        return [float(pair.out[DEPTH]) for pair in pairs]

    def _meet(
        self,
        links: np.recarray,
        axes: np.recarray,
        pairs: np.recarray,
        arrays: ContactArrays,
        lists: ContactLists,
    ) -> bool:
        """Bring links and near lists to the initial state; tells whether the lists had room."""
        a = self.assembly
        n_q, n_u = int(a.world[0].n_q), int(a.world[0].n_u)
        set_motion(links, axes, a.world[0].gravity, a.y, a.y[n_q : n_q + n_u])
        return int(refresh_lists(links, pairs, arrays, lists, True, 0.0, 0.0)[0]) >= 0

    def _options(self) -> np.recarray:
        s = self.settings
        options = records(1, kernels.OPTIONS)
        o = options[0]
        o.method = DORMAND_PRINCE if s.method is Method.DORMAND_PRINCE else RUNGE_KUTTA_4
        o.t_end = s.duration
        o.fixed_step = s.step or 0.0
        o.max_step = min(s.max_step, s.duration)
        o.min_step = 1e-14 * s.duration
        o.max_steps = s.max_steps
        o.record_period = 1.0 / s.record_rate if s.record_rate > 0.0 else 0.0
        o.record_contact = int(s.record_contact)
        o.watched = len(self.channels) if self.watched is None else self.watched
        o.stop_event = -1
        return options

    def _memory(self, n: int, start: Books) -> tuple[Floats, ...]:
        c = len(self.channels)
        return (
            np.zeros((7, n)),
            np.zeros(n),
            np.zeros(n),
            np.zeros((5, n)),
            self._tolerance(start),
            *np.zeros((4, c)),
        )

    def _tolerance(self, start: Books) -> Floats:
        """Tolerance of every state; that of the ledgers is the energy that the error of a speed makes.

        Ledgers need control of their own: a released stop still loses energy while nothing pushes.
        """
        a, accuracy = self.assembly, self.settings.accuracy
        n_q, n = int(a.world[0].n_q), int(a.world[0].n_q + a.world[0].n_u)
        mass = a.links.own[:, 0].sum()
        momentum = max(start.momentum_scale, math.sqrt(2.0 * mass * abs(start.stored)), SLOW * mass)
        out = np.full(n + EXTRA_STATES, accuracy.speed * momentum)
        fixed = {
            LENGTH: accuracy.length,
            ANGLE: accuracy.angle,
            QUATERNION: 0.5 * accuracy.angle,
            SPEED: accuracy.speed,
            RATE: accuracy.rate,
        }
        for i in range(n):
            if a.classes[i] not in (MOMENTUM, ANGULAR_MOMENTUM):
                out[i] = fixed[int(a.classes[i])]
        for link in a.links:
            if link.kind == FREE:
                # Speeds and rates times the inertia of the whole tree.
                at = n_q + link.at_u
                tree = a.links[a.links.root == link.root]
                mass = tree.own[:, 0].sum()
                inertia = max(tree.own[:, 4:7].sum() / 3.0, 1e-12)
                out[at : at + 3] = accuracy.rate * inertia
                out[at + 3 : at + 6] = accuracy.speed * mass
        return out

    def _books(self, system: tuple[object, ...], y: Floats, t: float) -> Books:
        out = np.zeros(14)
        derivative(system, t, y, np.zeros(len(y)))
        books(system, y, out)
        return Books(
            angular_momentum=out[:3].copy(),
            linear_momentum=out[3:6].copy(),
            kinetic=float(out[6]),
            stored=float(out[7]),
            dissipated=float(out[8]),
            work=float(out[9]),
            momentum_scale=float(out[10]),
            angular_momentum_scale=float(out[11]),
            kinetic_about_centre=float(out[12]),
            elastic=float(out[13]),
        )
