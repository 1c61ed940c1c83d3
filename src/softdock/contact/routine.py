"""The regular force routine: two motion states in, two wrenches out, for anybody's simulator."""

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.kernels import layout
from softdock.contact.kernels.force import evaluate, motion_bound
from softdock.contact.kernels.near import rebuild
from softdock.contact.pair import ContactPair, MotionState, Wrench

Rows = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


@dataclass(frozen=True, kw_only=True)
class Contact:
    """One evaluation of a contact pair."""

    wrench_A: Wrench
    wrench_B: Wrench
    energy: float
    """Elastic energy [J]."""
    dissipation: float
    """Power lost in damping and friction [W], 0 or more."""
    area: float
    """Contact area [m2]."""
    pressure: float
    """Largest pressure [Pa]."""
    depth: float
    """Largest depth [m]."""


class ForceRoutine:
    """Evaluates one contact pair; keeps its near list between calls, which changes nothing but the time."""

    def __init__(self, pair: ContactPair) -> None:
        self._arrays = contact_arrays([pair])
        self._lists = contact_lists(self._arrays)
        self._skin = pair.skin
        self._valid = -np.inf
        self._lock = threading.Lock()

    def forces(self, state_A: MotionState, state_B: MotionState) -> tuple[Wrench, Wrench]:
        """Return the wrenches on A and B about their reference points, in inertial axes."""
        contact = self.contact(state_A, state_B)
        return contact.wrench_A, contact.wrench_B

    def contact(self, state_A: MotionState, state_B: MotionState) -> Contact:
        """Return the wrenches and what else the contact knows."""
        R_NA = np.asarray(state_A.A, float)
        w_NA_N, p_NA_N = np.asarray(state_A.omega, float), np.asarray(state_A.r, float)
        p_AB_N = np.asarray(state_B.r, float) - p_NA_N
        v_AB_N = np.asarray(state_B.v, float) - np.asarray(state_A.v, float) - np.cross(w_NA_N, p_AB_N)
        w_AB_N = np.asarray(state_B.omega, float) - w_NA_N
        out = self._evaluate(
            R_NA.T @ np.asarray(state_B.A, float), R_NA.T @ p_AB_N, R_NA.T @ w_AB_N, R_NA.T @ v_AB_N
        )
        F_B_N = R_NA @ out[layout.FORCE : layout.FORCE + 3]
        T_about_A_N = R_NA @ out[layout.TORQUE : layout.TORQUE + 3]
        return Contact(
            wrench_A=Wrench(T=-T_about_A_N, F=-F_B_N),
            wrench_B=Wrench(T=T_about_A_N - np.cross(p_AB_N, F_B_N), F=F_B_N),
            energy=float(out[layout.ENERGY]),
            dissipation=float(out[layout.DISSIPATION]),
            area=float(out[layout.CONTACT_AREA]),
            pressure=float(out[layout.PRESSURE]),
            depth=float(out[layout.DEPTH]),
        )

    def _evaluate(
        self,
        R_AB: NDArray[np.float64],
        p_AB_A: NDArray[np.float64],
        w_AB_A: NDArray[np.float64],
        v_AB_A: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        rotation: Rows = tuple(tuple(map(float, row)) for row in R_AB)  # type: ignore[assignment]
        position = tuple(map(float, p_AB_A))
        out = np.empty(layout.OUTPUT)
        with self._lock:
            if not motion_bound(self._arrays, self._lists, 0, rotation, position) <= self._valid:
                self._rebuild(rotation, position)
            twist = tuple(map(float, w_AB_A)), tuple(map(float, v_AB_A))
            evaluate(self._arrays, self._lists, 0, rotation, position, *twist, out)
        return out

    def _rebuild(self, rotation: Rows, position: tuple[float, ...]) -> None:
        clearance, blocks = rebuild(self._arrays, self._lists, 0, rotation, position, self._skin)
        if blocks > self._lists.blocks.shape[1]:
            self._lists = contact_lists(self._arrays, capacity=2 * blocks)
            clearance, _ = rebuild(self._arrays, self._lists, 0, rotation, position, self._skin)
        self._valid = max(clearance, self._skin)
