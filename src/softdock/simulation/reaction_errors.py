"""Estimated numerical errors of peak reactions; Eq. (M145)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.run_results import Run
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.elements.registry import ELEMENT_KINDS
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.reactions import ChannelPeaks, ReactionRows

Floats = NDArray[np.float64]
ELEMENT_SHARE = 0.1
"""Error of a peak over that which `accuracy.force` allows, in addition to the estimate: what the estimate does not see.

With it, the error of less than two peaks of a hundred is more than twice the estimate; see `docs/theory/multibody.md`.
"""
CONTACT_SHARE = 0.2
"""The same for contacts and interfaces, whose forces have no estimate of their own: twice the largest errors that were
seen in the dockings of the reference mechanism."""
COUPLING_SHARE = 0.3
"""Part of the relative error of the motion, measured by the energies of all elements, that every reaction has, too:
their motions are coupled."""
LARGEST_SHARE = 2e-6
"""Error of every reaction over the largest one of the run, with that of the motion of heavy parts."""
CELL_SHARE = 0.01
"""Error of the force of a contact by its cells, over its resolved force; see `docs/theory/contact.md`."""
MOST_EXPLAINED = 0.02
"""Largest relative error of energies that errors of amplitudes explain: larger ones of these get a warning."""
ELEMENT_REACTIONS = frozenset(kind.reaction for kind in ELEMENT_KINDS.values() if kind.reaction is not None)


class ReactionErrors:
    """Errors of the peak reactions of a run: those of elements have their own, from which all others follow."""

    def __init__(
        self, scenario: MultibodyScenario, run: Run, rows: Sequence[ReactionRows], peaks: ChannelPeaks
    ) -> None:
        """`rows` are the channels of the reactions."""
        data, numbers = (
            run.element_data.view(np.ndarray),
            {name: row for row, name in run.element_names.items()},
        )
        self._contacts, self._peaks = scenario.contacts, peaks
        self._accuracy = scenario.integrator.accuracy.force
        self._known = scenario.integrator.step is None
        errors: Floats = np.zeros((len(data), 2))
        # Couplings and sets of pins are both called interfaces.
        self._elements = {row for row in rows if row.kind in ELEMENT_REACTIONS and row.name in numbers}
        for row in rows:
            if row in self._elements:
                for what, channel in ((FORCE, row.force), (MOMENT, row.moment)):
                    if channel is not None:
                        errors[numbers[row.name], what] = peaks.errors[channel]
        self._sums: list[float] = np.sqrt((errors**2).sum(axis=0)).tolist()
        self._largest: list[float] = data["peak"].max(axis=0, initial=0.0).tolist()
        # Twice the energies that elements have stored at their peaks, and those of their errors [J].
        stiff = data["peak_stiffness"] > 0.0
        compliance = np.divide(1.0, data["peak_stiffness"], out=np.zeros_like(errors), where=stiff)
        stored = float((data["peak"] ** 2 * compliance).sum())
        lost, largest = (errors**2 * compliance).sum(), (data["largest_error"] ** 2 * compliance).sum()
        self._share = math.sqrt(lost / stored) if stored > 0.0 else 0.0
        self._largest_share = math.sqrt(largest / stored) if stored > 0.0 else 0.0

    @property
    def energy_share(self) -> float:
        """Relative error of energies that the largest errors of amplitudes explain, twice the estimate; Eq. (M146)."""
        return min(4.0 * self._largest_share, MOST_EXPLAINED) if self._known else 0.0

    def error(self, row: ReactionRows, what: int) -> float | None:
        """Return the error of the peak force or moment of a reaction, Eq. (M145).

        None without a peak, in runs of fixed steps, and for contacts of other quadratures than cells.
        """
        channel = row.force if what == FORCE else row.moment
        if channel is None or not self._known:
            return None
        size = self._peaks.sizes[channel]
        allowed, coupled = self._accuracy * size, self._share * size
        if row in self._elements:
            own = self._peaks.errors[channel] + LARGEST_SHARE * self._largest[what]
            return ELEMENT_SHARE * allowed + COUPLING_SHARE * coupled + own
        if size == 0.0 and row.kind in ("contact", "interface"):
            return 0.0  # nothing has touched
        # At most, all elements act on what transmits the reaction.
        others = math.hypot(self._sums[what], coupled) + LARGEST_SHARE * self._largest[what]
        if row.kind == "interface":
            return CONTACT_SHARE * allowed + others
        if row.kind != "contact":
            return ELEMENT_SHARE * allowed + others
        contact = self._contacts[row.name]
        if contact.quadrature != "cells":
            return None
        force = 0.0 if row.force is None else self._peaks.sizes[row.force]
        cells = CELL_SHARE * contact.resolved_force / force if force > 0.0 else 0.0
        return CONTACT_SHARE * allowed + others + cells * size
