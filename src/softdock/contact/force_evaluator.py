"""Evaluation of one contact pair from the motion states of its bodies, for use in any simulator."""

import math
import threading

import numpy as np
from numpy.typing import NDArray

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.entry_points import evaluate, motion_bound, rebuild, touching_cells
from softdock.contact.kernels import layout
from softdock.contact.pair import ContactEvaluation, ContactPair, ContactWrench, MotionState, Patch
from softdock.errors import InputError

FARTHEST_MOTION = 1e6
"""[m] Motion after which a near list begins anew: its accumulated motion would lose digits of the gaps."""

Vector = tuple[float, float, float]
Rows = tuple[Vector, Vector, Vector]


class ForceEvaluator:
    """Evaluates one contact pair; keeps its near list between calls, which does not change the results."""

    def __init__(self, pair: ContactPair) -> None:
        self._arrays = contact_arrays([pair])
        self._arrays.pairs["include_edges"] = 1
        self._lists = contact_lists(self._arrays)
        self._skin = pair.skin
        self._valid_motion = -np.inf
        self._lock = threading.Lock()

    def forces(self, state_A: MotionState, state_B: MotionState) -> tuple[ContactWrench, ContactWrench]:
        """Return the wrenches on A and B about their reference points, in inertial axes."""
        contact = self.contact(state_A, state_B)
        return contact.wrench_A, contact.wrench_B

    def contact(self, state_A: MotionState, state_B: MotionState) -> ContactEvaluation:
        """Return the wrenches, energy, dissipation, area, pressure and depth."""
        R_NA, p_AB_N, relative = _relative_motion(state_A, state_B)
        out = np.empty(layout.OUTPUT_SIZE)
        with self._lock:
            self._update_list(*relative[:2])
            evaluate(self._arrays, self._lists, 0, *relative, out)
        force, torque = (R_NA @ out[at : at + 3] for at in (layout.FORCE, layout.TORQUE))
        wrench_A, wrench_B = ContactWrench(T=torque, F=force).action_and_reaction(p_AB_N)
        return ContactEvaluation(
            wrench_A=wrench_A,
            wrench_B=wrench_B,
            energy=float(out[layout.ENERGY]),
            dissipation=float(out[layout.DISSIPATION]),
            area=float(out[layout.CONTACT_AREA]),
            pressure=float(out[layout.PRESSURE]),
            depth=float(out[layout.DEPTH]),
        )

    def patches(self, state_A: MotionState, state_B: MotionState) -> tuple[Patch, ...]:
        """Return the connected regions of the contact, largest force first."""
        R_NA, _, relative = _relative_motion(state_A, state_B)
        cells = self._cells(relative)
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
        return self._cells(_relative_motion(state_A, state_B)[2])

    def _cells(self, relative: tuple[Rows, Vector, Vector, Vector]) -> NDArray[np.float64]:
        with self._lock:
            self._update_list(*relative[:2])
            table = np.empty((int(self._lists.work[0]["cell_count"]), 12))
            return table[: touching_cells(self._arrays, self._lists, 0, *relative, table)]

    def _update_list(self, rotation: Rows, position: Vector) -> None:
        """Rebuild the near list unless it is still valid."""
        moved = motion_bound(self._arrays, self._lists, 0, rotation, position)
        if moved <= self._valid_motion:
            return
        if not all(math.isfinite(x) for row in (*rotation, position) for x in row):
            raise InputError("Poses of both bodies must be finite.", field="state")
        if not moved <= FARTHEST_MOTION:  # also if it overflows
            self._lists = contact_lists(self._arrays)
        rebuild(self._arrays, self._lists, 0, rotation, position, self._skin)
        while (blocks := int(self._lists.work[0]["block_count"])) > self._lists.blocks.shape[1]:
            self._lists = contact_lists(self._arrays, capacity=2 * blocks)
            rebuild(self._arrays, self._lists, 0, rotation, position, self._skin)
        self._valid_motion = max(min(float(self._lists.work[0]["clearance"]), FARTHEST_MOTION), self._skin)


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
