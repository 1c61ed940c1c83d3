"""A run under way: advanced piece by piece, looked at in between, driven by efforts that are held meanwhile."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.kernels.layout import BLOCK_CELLS, DEPTH
from softdock.errors import RunError
from softdock.multibody.assemble import (
    ANGLE,
    LENGTH,
    MODAL,
    MODAL_RATE,
    QUATERNION,
    RATE,
    SPEED,
    Assembly,
)
from softdock.multibody.books import Books, books_of
from softdock.multibody.conservation import Conservation, begin_check, is_floating, new_check, read_check
from softdock.multibody.entry_points import (
    SYSTEM,
    WORKSPACE,
    compare_with_start,
    observe,
    refresh_lists,
    run,
    set_motion,
)
from softdock.multibody.kernels import integrate as kernels
from softdock.multibody.kernels.channels import LARGEST, SMALLEST
from softdock.multibody.kernels.conservation import MOMENTUM_SCALE, START
from softdock.multibody.kernels.derivative import BOOKS, EXTRA_STATES, Machine
from softdock.multibody.kernels.elements import LOAD, STRUT, WELD
from softdock.multibody.kernels.interfaces import RESULT_DEPTH
from softdock.multibody.kernels.linear import Linear, room_for
from softdock.multibody.kernels.stepping import BOGACKI_SHAMPINE, DORMAND_PRINCE, ROSENBROCK, RUNGE_KUTTA_4
from softdock.multibody.kernels.tree import FREE, copied, records
from softdock.multibody.machine import machine_of
from softdock.multibody.resolution import search_room, set_resolutions
from softdock.multibody.settings import Accuracy, Method, Settings
from softdock.native.argument_types import PreparedStructure

if TYPE_CHECKING:
    from softdock.multibody.run import Simulation

Floats = NDArray[np.float64]
SLOW = 1e-3  # m/s; what starts at rest is expected to move at least so fast
MOST_BLOCKS = 100_000  # of cells in a near list


class Ending(Enum):
    """Why a run ended, as a sentence."""

    TIME_REACHED = "The run reached its end time."
    STOPPED = "An event stopped the run."
    STEPS_USED_UP = "The run used up its steps before its end time; what happened until then is kept."
    NOT_FINITE = "The state became infinite or undefined; the last good state is kept."
    STEP_TOO_SMALL = "The steps became too small to go on; what happened until then is kept."
    LOG_FULL = "Too many events happened; what happened until then is kept."
    PENETRATED = (
        "A body passed the middle of a wall, where the contact model ends; what happened until then is kept."
    )


LOST_INERTIA = (
    "The modes of a structure, deflected this far, take more inertia from the body that carries it than the body has: "
    "modes are linear, and their deflection must stay small against what the body has beside them. "
    "Give the body at the base of the structure more mass, keep fewer modes, or load the structure less."
)
"""Why steps become too small where a structure hangs on a very light body."""

ENDINGS = {
    kernels.TIME_REACHED: Ending.TIME_REACHED,
    kernels.STOPPED: Ending.STOPPED,
    kernels.STEPS_USED_UP: Ending.STEPS_USED_UP,
    kernels.NOT_FINITE: Ending.NOT_FINITE,
    kernels.STEP_TOO_SMALL: Ending.STEP_TOO_SMALL,
    kernels.LOG_FULL: Ending.LOG_FULL,
    kernels.PENETRATED: Ending.PENETRATED,
}

WAYS = {
    Method.AUTOMATIC: DORMAND_PRINCE,
    Method.DORMAND_PRINCE: DORMAND_PRINCE,
    Method.BOGACKI_SHAMPINE: BOGACKI_SHAMPINE,
    Method.ROSENBROCK: ROSENBROCK,
    Method.RUNGE_KUTTA_4: RUNGE_KUTTA_4,
}
"""How the first step is taken."""
STEADY = 0.01  # of the error allowed in speeds: that of the momentum of a free tree, as a speed
MOST_IMPLICIT = 64  # momenta and speeds: beyond, linear equations cost more than they save


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
    """The channel records, with the largest and smallest values that were looked for."""
    pairs: np.recarray
    """The contact records, as the last evaluation left them, with the largest depths and forces of the run."""
    interfaces: np.recarray
    elements: np.recarray
    element_names: dict[int, str]
    overlaps: Floats
    """(pairs,): depth of every contact at the start [m]."""
    pin_overlaps: Floats
    """(interfaces,)"""
    start: Books
    end: Books
    conservation: Conservation
    unsearched: int
    """Intervals that the search for events and peaks gave up at its limits."""
    lost_inertia: bool
    """Whether deflected modes had left a body no inertia where the run ended; the model does not hold then."""
    steps: int
    rejected: int
    evaluations: int
    rebuilds: int


class Session:
    """A run under way; `advance` may be called as often as wished, `finish` tells what happened.

    `efforts` (N or N m, one per joint axis, row `JointPlace.at_u` of a joint) stay until changed: a controller
    that sets them between two calls of `advance` acts through a zero-order hold. Their work is in the ledgers.
    """

    def __init__(self, simulation: "Simulation") -> None:
        a, s = simulation.assembly, simulation.settings
        self._assembly, self._settings = a, s
        self._actions = simulation.actions
        self._capacity = 64
        self._events, self._channels = copied(simulation.events), copied(simulation.channels)
        peaks = self._channels.view(np.ndarray)
        peaks["largest"] = np.where(peaks["track"] & LARGEST, -np.inf, np.inf)
        peaks["smallest"] = np.where(peaks["track"] & SMALLEST, np.inf, -np.inf)
        pairs = copied(simulation.pairs)
        pairs.view(np.ndarray)["overreach"] = -np.inf
        arrays = contact_arrays(simulation.contact_pairs)
        self.machine = machine_of(a)._replace(
            pairs=pairs,
            arrays=arrays,
            lists=contact_lists(arrays, self._capacity),
            interfaces=copied(simulation.interfaces),
            pins=simulation.pins,
        )
        self.machine.world[0].floating = is_floating(self.machine)
        # Work of loads is also integrated as it is seen from the centre of mass: the conservation check needs it.
        loaded = len(a.orbit) > 0 or bool((a.elements.kind == LOAD).any())
        self.state: Floats = np.append(a.y, np.zeros(int(loaded)))
        self.ending: Ending | None = None
        channels = len(self._channels)
        self._options = _options(a, s, channels if simulation.watched is None else simulation.watched)
        touching = s.record_contact and len(pairs) + len(simulation.interfaces) > 0
        rows = min(s.max_rows, 4 + int(s.duration * s.record_rate) + (50_000 if touching else 1_000))
        self._record = np.empty((rows if channels else 1, 1 + channels))  # read as far as it is written
        self._log = np.empty((s.max_events, 2))
        n = len(self.state)
        self._values, self._ledger, tolerance = np.zeros((5, channels)), np.zeros(BOOKS), np.zeros(n)
        self._check = new_check()
        start, early, late, end, values = self._values
        self._workspace = kernels.Workspace(
            k=np.zeros((7, n)), y_new=np.zeros(n), y_stage=np.zeros(n), dense=np.zeros((5, n)), tolerance=tolerance,
            start=start, early=early, late=late, end=end, values=values, ledger=self._ledger,
            check=self._check, linear=_linear(a, len(pairs)),
            search=search_room(a, self._channels, int(self._options[0].watched)),
        )  # fmt: skip
        self._bind()
        self.near_at_start = meet(self.machine, self.state, self._prepared)
        """Whether the near lists had room for all that is near at the start."""
        self._observe()
        self._start = books_of(self._ledger)
        compare_with_start(self._prepared, self.state, self._check)
        begin_check(self._check, self.machine.links)
        self._overlaps = pairs["out"][:, DEPTH].copy()
        self._pin_overlaps = self.machine.interfaces["result"][:, RESULT_DEPTH].copy()
        tolerance[: len(a.y)] = tolerances(a, s.accuracy, self._start)
        tolerance[len(a.y) :] = s.accuracy.speed * self._scale()
        set_resolutions(self._channels, s.accuracy, tolerance, a.lightest_mass)

    @property
    def time(self) -> float:
        """Where the run stands [s]."""
        return float(self._options[0].t)

    @property
    def efforts(self) -> Floats:
        """Efforts held at the joint axes [N or N m]: a view to write into."""
        return self.machine.axes["held"]

    def advance(self, until: float) -> Ending | None:
        """Go on to a time, at most to the duration of the run; tells how the run ended, None while it goes on."""
        if self.ending is not None:
            return self.ending
        o = self._options[0]
        o.t_end = min(until, self._settings.duration)
        while (code := int(self._run())) == kernels.LISTS_TOO_LONG:
            self._capacity *= 2
            if self._capacity > MOST_BLOCKS:
                cells = MOST_BLOCKS * BLOCK_CELLS
                raise RunError(
                    f"A contact needs more than {cells} cells: its surfaces overlap too deeply for their resolution. "
                    "Increase `resolved_force` of the contact, or its stiffness."
                )
            self.machine = self.machine._replace(lists=contact_lists(self.machine.arrays, self._capacity))
            self._bind()
        if code != kernels.TIME_REACHED or o.t >= self._settings.duration:
            self.ending = ENDINGS[code]
        return self.ending

    def evaluate(self) -> None:
        """Evaluate the present state: forces, accelerations and channels."""
        self._observe()

    def values(self) -> Floats:
        """Return all channels at the present state, in their order."""
        self._observe()
        return np.array(self._values[-1])

    def finish(self) -> Run:
        """Return what happened so far."""
        o, m = self._options[0], self.machine
        evaluations = int(m.world[0].evaluations)
        final = self.values()
        compare_with_start(self._prepared, self.state, self._check)
        return Run(
            ending=self.ending or Ending.TIME_REACHED,
            stop_event=int(o.stop_event) if self.ending is Ending.STOPPED else None,
            time=self.time,
            state=self.state[: len(self._assembly.y)].copy(),
            history=self._record[: o.rows],
            final=final,
            log=[(float(t), int(i)) for t, i in self._log[: o.logged]],
            peaks=self._channels,
            pairs=m.pairs,
            interfaces=m.interfaces,
            elements=m.elements,
            element_names={row: name for name, row in self._assembly.element_index.items()},
            overlaps=self._overlaps,
            pin_overlaps=self._pin_overlaps,
            start=self._start,
            end=books_of(self._ledger),
            conservation=read_check(self._check, m.links),
            unsearched=int(o.unsearched),
            lost_inertia=_lost_inertia(m.links),
            steps=int(o.steps),
            rejected=int(o.rejected),
            evaluations=evaluations,
            rebuilds=int(m.world[0].rebuilds),
        )

    def _scale(self) -> float:
        """Return the momentum that bodies have at the start, seen from the centre of mass [kg m/s]."""
        mass = float(self._assembly.links.own[:, 0].sum())
        return max(float(self._check[START, MOMENTUM_SCALE]), SLOW * mass)

    def _bind(self) -> None:
        """Pass the arrays of the run to the kernels, once for all calls."""
        machine, workspace = SYSTEM.prepare(self.machine), WORKSPACE.prepare(self._workspace)
        self._prepared = machine
        self._run = run.bind(
            machine, workspace, self._channels, self._events, self._actions, self._assembly.breaks,
            self._options, self.state, self._record, self._log,
        )  # fmt: skip
        self._observe = observe.bind(machine, workspace, self._channels, self._options, self.state)


def _lost_inertia(links: np.recarray) -> bool:
    """Tell whether modes have left a free body an inertia that is not positive definite."""
    bodies = links[(links.kind == FREE) & (links.flexible == 1)]
    for M in bodies.inverse:
        scale = np.sqrt(np.abs(np.diag(M)))
        if not np.isfinite(M).all() or not scale.all():
            return True
        if np.linalg.eigvalsh(0.5 * (M + M.T) / np.outer(scale, scale))[0] <= 0.0:
            return True
    return False


def meet(m: Machine, y: Floats, prepared: PreparedStructure | None = None) -> bool:
    """Bring links and near lists to a state; tells whether the lists had room."""
    set_motion(prepared or m, y)
    if not len(m.pairs):
        return True
    return int(refresh_lists(m.links, m.pairs, m.arrays, m.lists, True, 0.0)[0]) >= 0


def knows_all_that_is_stiff(a: Assembly) -> bool:
    """Tell whether implicit steps apply to a system: they know nothing of locks and flexible structures."""
    return len(a.flexible.appendages) == len(a.locks) == 0 < _speeds(a)


def _speeds(a: Assembly) -> int:
    """Number of momenta and speeds."""
    return int(a.world.view(np.ndarray)["n_u"][0])


def _linear(a: Assembly, pairs: int) -> Linear:
    """Return room for the linear equations of implicit steps, none where they do not apply."""
    if not knows_all_that_is_stiff(a):
        return room_for(0, 0, 0)
    kinds = a.elements.view(np.ndarray)["kind"]
    couplings = pairs + int(((kinds == STRUT) | (kinds == WELD)).sum())
    return room_for(_speeds(a), len(a.links), couplings)


def _options(a: Assembly, s: Settings, watched: int) -> np.recarray:
    """What the kernel of a run is told, and where it stands."""
    options = records(1, kernels.OPTIONS)
    o = options.view(np.ndarray)
    o["way"] = WAYS[s.method]
    o["contest"] = s.method is Method.AUTOMATIC
    o["implicit"] = knows_all_that_is_stiff(a) and _speeds(a) <= MOST_IMPLICIT
    o["duration"] = s.duration
    o["fixed_step"] = s.step or 0.0
    o["max_step"] = min(s.max_step, s.duration)
    o["min_step"] = 1e-14 * s.duration
    o["max_steps"] = s.max_steps
    o["record_period"] = 1.0 / s.record_rate if s.record_rate > 0.0 else 0.0
    o["record_contact"] = s.record_contact
    o["watched"] = watched
    o["stop_event"] = -1
    return options


def tolerances(a: Assembly, accuracy: Accuracy, start: Books) -> Floats:
    """Tolerance of every state; that of the ledgers is the energy that the error of a speed makes.

    Ledgers need control of their own: a released stop still loses energy while nothing pushes.
    """
    links, world = (
        a.links.view(np.ndarray),
        a.world.view(np.ndarray),
    )  # whose fields are found in a tenth of the time
    root, own = links["root"], links["own"]
    n_q, n = int(world["n_q"][0]), int(world["n_q"][0] + world["n_u"][0])
    mass = own[:, 0].sum()
    momentum = max(start.momentum_scale, math.sqrt(2.0 * mass * abs(start.stored)), SLOW * mass)
    out = np.full(n + EXTRA_STATES, accuracy.speed * momentum)
    fixed = {
        LENGTH: accuracy.length,
        ANGLE: accuracy.angle,
        QUATERNION: 0.5 * accuracy.angle,
        SPEED: accuracy.speed,
        RATE: accuracy.rate,
    }
    if a.attached:
        modal = np.concatenate([attached.scales() for attached in a.attached])
        out[a.classes == MODAL] = accuracy.length * modal
        out[a.classes == MODAL_RATE] = accuracy.speed * modal
    for kind, allowed in fixed.items():
        out[a.classes == kind] = allowed
    for i in np.flatnonzero(links["kind"] == FREE):
        # Speeds and rates times the inertia of the whole tree, and finer: nothing damps an error of its momentum.
        at = n_q + links["at_u"][i]
        tree = own[root == root[i]]
        mass = tree[:, 0].sum()
        inertia = max(tree[:, 4:7].sum() / 3.0, 1e-12)
        out[at : at + 3] = STEADY * accuracy.rate * inertia
        out[at + 3 : at + 6] = STEADY * accuracy.speed * mass
    return out
