"""Evaluation of one contact pair from the motion states of its bodies, for use in any simulator."""

import math
import threading

import numpy as np
from numpy.typing import NDArray

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.entry_points import evaluate_states, touching_cells
from softdock.contact.kernels import layout
from softdock.contact.kernels.motion_states import RESULT_SIZE, STATE_SIZE, WRENCHES_SIZE
from softdock.contact.pair import ContactEvaluation, ContactPair, ContactWrench, MotionState, Patch
from softdock.errors import InputError

_concatenate = np.concatenate
Vector = tuple[float, float, float]
Rows = tuple[Vector, Vector, Vector]


class ForceEvaluator:
    """Evaluates one contact pair; keeps its near list between calls, which does not change the results."""

    def __init__(self, pair: ContactPair) -> None:
        self._arrays = contact_arrays([pair])
        self._arrays.pairs["include_edges"] = 1
        self._skin = pair.skin
        self._valid = np.array([-np.inf])  # motion for which the near list is valid [m]
        self._states = np.zeros((2, STATE_SIZE))
        self._numbers = self._states.reshape(-1)
        self._result = np.zeros((1, RESULT_SIZE))
        self._row = self._result[0]
        self._use(contact_lists(self._arrays))
        self._lock = threading.Lock()

    def _use(self, lists: layout.ContactLists) -> None:
        """Use empty near lists, and pass all arrays to the kernel once for all calls."""
        self._lists, self._valid[0] = lists, -np.inf
        a, b = self._states[:1], self._states[1:]
        self._evaluate = evaluate_states.bind(
            self._arrays, lists, 0, self._skin, self._valid, a, b, self._result
        )

    def forces(self, state_A: MotionState, state_B: MotionState) -> tuple[ContactWrench, ContactWrench]:
        """Return the wrenches on A and B about their reference points, in inertial axes."""
        with self._lock:
            self._load(state_A, state_B)
            result = self._row.copy()
        return ContactWrench(result[3:6], result[:3]), ContactWrench(result[9:12], result[6:9])

    def forces_many(self, state_A: MotionState, state_B: MotionState) -> tuple[ContactWrench, ContactWrench]:
        """Return the wrenches for arrays of motion states: T and F have the shape (n, 3)."""
        a, b = _rows(state_A, "state_A"), _rows(state_B, "state_B")
        count = max(len(a), len(b))
        for name, rows in (("state_A", a), ("state_B", b)):
            if len(rows) not in (1, count):
                message = f"Must have one state or {count}, as many as the other one."
                raise InputError(message, field=name, given=f"{len(rows)} states")
        a, b = (np.ascontiguousarray(np.broadcast_to(rows, (count, STATE_SIZE))) for rows in (a, b))
        results, done = np.empty((count, RESULT_SIZE)), 0
        with self._lock:
            while done < count:
                done += evaluate_states(
                    self._arrays, self._lists, 0, self._skin, self._valid, a[done:], b[done:], results[done:]
                )
                if done < count:
                    self._make_room(a[done], b[done])
        return (
            ContactWrench(T=results[:, 3:6], F=results[:, :3]),
            ContactWrench(T=results[:, 9:12], F=results[:, 6:9]),
        )

    def contact(self, state_A: MotionState, state_B: MotionState) -> ContactEvaluation:
        """Return the wrenches, energy, dissipation, area, pressure and depth."""
        result = self._result_of(state_A, state_B)
        out = result[WRENCHES_SIZE:]
        return ContactEvaluation(
            wrench_A=ContactWrench(T=result[3:6], F=result[:3]),
            wrench_B=ContactWrench(T=result[9:12], F=result[6:9]),
            energy=float(out[layout.ENERGY]),
            dissipation=float(out[layout.DISSIPATION]),
            area=float(out[layout.CONTACT_AREA]),
            pressure=float(out[layout.PRESSURE]),
            depth=float(out[layout.DEPTH]),
        )

    def _result_of(self, state_A: MotionState, state_B: MotionState) -> NDArray[np.float64]:
        """Return the row of results of the kernel `evaluate_states`."""
        with self._lock:
            self._load(state_A, state_B)
            result: NDArray[np.float64] = self._row.copy()
            return result

    def _load(self, state_A: MotionState, state_B: MotionState) -> None:
        """Evaluate two motion states; afterwards the near list is that of their relative pose."""
        a, b = state_A, state_B
        try:  # 36 numbers in one call, which takes a fifth of the time of as many assignments
            _concatenate((a.r, a.v, a.omega, a.A, b.r, b.v, b.omega, b.A), axis=None, out=self._numbers)
        except (TypeError, ValueError):
            states = _rows(a, "state_A"), _rows(b, "state_B")  # says which field is wrong
            if max(map(len, states)) > 1:
                raise InputError("Must be one state; use forces_many for several.", field="state") from None
            self._states[:] = np.vstack(states)
        while not self._evaluate():
            self._make_room(self._states[0], self._states[1])

    def _make_room(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
        """Use larger near lists after states that do not fit in them; raises InputError where these are no numbers."""
        if not (np.isfinite(a).all() and np.isfinite(b).all()):
            raise InputError("Positions, velocities and attitudes must be finite.", field="state")
        self._use(contact_lists(self._arrays, capacity=2 * int(self._lists.work[0]["block_count"])))

    def patches(self, state_A: MotionState, state_B: MotionState) -> tuple[Patch, ...]:
        """Return the connected regions of the contact, largest force first."""
        R_NA, _, relative = _relative_motion(state_A, state_B)
        cells = self._cells(state_A, state_B, relative)
        p_NA_N = np.asarray(state_A.r, float)
        patches = []
        for label in np.unique(labels := _patch_labels(cells)):
            part = cells[labels == label]
            share = np.linalg.norm(part[:, 3:6], axis=1)
            patches.append(
                Patch(
                    centre=p_NA_N
                    + R_NA @ np.average(part[:, :3], axis=0, weights=share + np.finfo(float).tiny),
                    force_B=R_NA @ part[:, 3:6].sum(axis=0),
                    area=float(part[:, 9].sum()),
                    pressure=float(part[:, 10].max()),
                )
            )
        return tuple(sorted(patches, key=lambda patch: -float(np.linalg.norm(patch.force_B))))

    def cells(self, state_A: MotionState, state_B: MotionState) -> NDArray[np.float64]:
        """Return one row per touching cell with the columns of the kernel `touching_cells`."""
        return self._cells(state_A, state_B, _relative_motion(state_A, state_B)[2])

    def _cells(
        self, state_A: MotionState, state_B: MotionState, relative: tuple[Rows, Vector, Vector, Vector]
    ) -> NDArray[np.float64]:
        with self._lock:
            self._load(state_A, state_B)
            table = np.empty((int(self._lists.work[0]["cell_count"]), 12))
            return table[: touching_cells(self._arrays, self._lists, 0, *relative, table)]


def _rows(state: MotionState, name: str) -> NDArray[np.float64]:
    """Return motion states as rows of numbers. Raises InputError for a field of another shape."""
    parts, count = [], 1
    for key, shape in (("r", (3,)), ("v", (3,)), ("omega", (3,)), ("A", (3, 3))):
        try:
            values = np.asarray(getattr(state, key), float)
        except (TypeError, ValueError):
            values = np.empty(0)
        if values.shape[-len(shape) :] != shape or values.ndim > len(shape) + 1:
            wanted = (
                f"Must be numbers of the shape {shape}, or (n, {', '.join(map(str, shape))}) for n states."
            )
            raise InputError(wanted, field=f"{name}.{key}", given=f"shape {np.shape(getattr(state, key))}")
        parts.append(values.reshape(-1, math.prod(shape)))
        count = max(count, len(parts[-1]))
    return np.hstack([np.broadcast_to(part, (count, part.shape[1])) for part in parts])


def _relative_motion(
    state_A: MotionState, state_B: MotionState
) -> tuple[NDArray[np.float64], NDArray[np.float64], tuple[Rows, Vector, Vector, Vector]]:
    """Return R_NA, p_AB_N and the arguments of the kernels: R_AB, p_AB_A, w_AB_A, v_AB_A."""
    R_NA, w_NA_N = np.asarray(state_A.A, float), np.asarray(state_A.omega, float)
    p_AB_N = np.asarray(state_B.r, float) - np.asarray(state_A.r, float)
    v_AB_N = np.asarray(state_B.v, float) - np.asarray(state_A.v, float) - np.cross(w_NA_N, p_AB_N)
    w_AB_N = np.asarray(state_B.omega, float) - w_NA_N
    x, y, z = (_vector(row) for row in R_NA.T @ np.asarray(state_B.A, float))
    return R_NA, p_AB_N, ((x, y, z), *(_vector(R_NA.T @ a) for a in (p_AB_N, w_AB_N, v_AB_N)))  # type: ignore[return-value]


def _vector(values: NDArray[np.float64]) -> Vector:
    x, y, z = map(float, values)
    return x, y, z


def _patch_labels(cells: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return a patch label for each cell: cells with stress centres less than a cell apart belong to one patch."""
    centres, extents = cells[:, :3], cells[:, 11]
    labels = np.arange(len(cells))
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    near = apart <= 0.5 * (extents[:, None] + extents[None])
    while True:
        lowest = np.where(near, labels[None], len(cells)).min(axis=1, initial=len(cells))
        if np.array_equal(lowest, labels):
            return labels
        labels = lowest
