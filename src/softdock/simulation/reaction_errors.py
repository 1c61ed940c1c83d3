"""Estimated numerical errors of peak reactions; Eq. (M145)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.run_results import Run
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.elements.registry import ELEMENT_KINDS
from softdock.result import PeakReaction
from softdock.scenario.multibody import MultibodyScenario

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
ELEMENT_REACTIONS = frozenset(kind.reaction for kind in ELEMENT_KINDS.values() if kind.reaction is not None)


class ReactionErrors:
    """Errors of the peak reactions of a run: those of elements have their own, from which all others follow."""

    def __init__(self, scenario: MultibodyScenario, run: Run, reactions: tuple[PeakReaction, ...]) -> None:
        """Expects peak reactions with the errors of elements, and zeros for what has none of its own."""
        data, rows = run.element_data.view(np.ndarray), {name: row for row, name in run.element_names.items()}
        self._scenario, self._reactions = scenario, reactions
        self._known = scenario.integrator.step is None
        errors: Floats = np.zeros((len(data), 2))
        for reaction in reactions:
            if reaction.kind in ELEMENT_REACTIONS and reaction.name in rows:
                errors[rows[reaction.name]] = reaction.force_error or 0.0, reaction.moment_error or 0.0
        self._sums: list[float] = np.sqrt((errors**2).sum(axis=0)).tolist()
        self._largest: list[float] = data["peak"].max(axis=0, initial=0.0).tolist()
        # Twice the energies that elements have stored at their peaks, and those of their errors [J].
        stiff = data["peak_stiffness"] > 0.0
        compliance = np.divide(1.0, data["peak_stiffness"], out=np.zeros_like(errors), where=stiff)
        stored = (data["peak"] ** 2 * compliance).sum()
        lost, largest = (errors**2 * compliance).sum(), (data["largest_error"] ** 2 * compliance).sum()
        self._share = float(np.sqrt(lost / stored)) if stored > 0.0 else 0.0
        self._largest_share = float(np.sqrt(largest / stored)) if stored > 0.0 else 0.0

    @property
    def energy_share(self) -> float:
        """Relative error of energies that the largest errors of amplitudes explain, twice the estimate; Eq. (M146)."""
        return 4.0 * self._largest_share if self._known else 0.0

    def reactions(self) -> tuple[PeakReaction, ...]:
        """Return the peak reactions with their errors, which are unknown in runs of fixed steps."""
        return tuple(
            replace(
                reaction,
                force_error=self._error(reaction, reaction.peak_force, reaction.force_error, FORCE),
                moment_error=self._error(reaction, reaction.peak_moment, reaction.moment_error, MOMENT),
            )
            for reaction in self._reactions
        )

    def _error(
        self, reaction: PeakReaction, size: float | None, own: float | None, what: int
    ) -> float | None:
        """Return the error of the peak of a force or moment of a size; None without a peak, and where it is unknown."""
        if size is None or own is None or not self._known:
            return None
        allowed, coupled = self._scenario.integrator.accuracy.force * size, self._share * size
        own += LARGEST_SHARE * self._largest[what]
        if reaction.kind in ELEMENT_REACTIONS:
            return ELEMENT_SHARE * allowed + COUPLING_SHARE * coupled + own
        # At most, all elements act on what transmits the reaction.
        others = float(np.hypot(self._sums[what], coupled))
        if reaction.kind == "interface":
            return CONTACT_SHARE * allowed + others
        if reaction.kind != "contact":
            return ELEMENT_SHARE * allowed + others
        contact = self._scenario.contacts[reaction.name]
        if contact.quadrature != "cells":
            return None
        cells = CELL_SHARE * contact.resolved_force / reaction.peak_force if reaction.peak_force else 0.0
        return float(CONTACT_SHARE * allowed + others + cells * size)
