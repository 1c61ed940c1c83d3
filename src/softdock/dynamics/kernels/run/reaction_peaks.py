"""Peaks of the observed reactions of a finished run, with their times and estimated numerical errors; Eq. (M145)."""

import math
from enum import IntEnum

import numpy as np

from softdock.dynamics.kernels.channels.channels import SMALLEST
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.native.decorators import inline, kernel


class Transmitter(IntEnum):
    """What transmits a reaction; it decides on the estimate of its error."""

    ELEMENT = 0
    """With errors of its own."""
    CONTACT = 1
    INTERFACE = 2
    STRUCTURE = 3
    """Joints, mounts and frames: the balance of forces gives their reaction."""


OBSERVED_REACTION = np.dtype(
    [
        ("channels", np.int64, 2),  # of force and moment; -1: it has none
        ("transmitter", np.int64),  # `Transmitter`
        ("row", np.int64),  # of the element or contact; -1 for others
    ],
    align=True,
)
"""A reaction whose peaks are results of a run."""
SIZE, TIME, ERROR = 0, 1, 2
PEAK_COLUMNS = 3
"""Columns of `RunData.reaction_peaks`: size [N or N m], first time [s], estimated error or NaN where it is unknown."""
# Error of a peak over that which `accuracy.force` allows, in addition to the estimate: what the estimate does not see.
# With it, the error of less than two peaks of a hundred is more than twice the estimate; see docs/theory/multibody.md.
ELEMENT_SHARE = 0.1
# The same for contacts and interfaces, whose forces have no estimate of their own: twice the largest errors that were
# seen in the dockings of the reference mechanism.
CONTACT_SHARE = 0.2
# Part of the relative error of the motion, measured by the energies of all elements, that every reaction has, too:
# their motions are coupled.
COUPLING_SHARE = 0.3
# Error of every reaction over the largest one of the run, with that of the motion of heavy parts.
LARGEST_SHARE = 2e-6
# Error of the force of a contact by its cells, over its resolved force; see docs/theory/contact.md. It hardly depends
# on the force, and acts on everything that the contact moves, however small the forces there are.
CELL_SHARE = 0.01
# Largest relative error of energies that errors of amplitudes explain: larger ones of these get a warning.
MOST_EXPLAINED = 0.02


@kernel
def write_reaction_peaks(run):
    """Write sizes, times and errors of all observed reactions, and what the summary has of them."""
    summary, peaks = run.summary[0], run.reaction_peaks
    for k in (FORCE, MOMENT):
        summary.element_errors[k], summary.largest_element[k], summary.impedance[k] = 0.0, 0.0, 0.0
    for r in range(peaks.shape[0]):
        for what in (FORCE, MOMENT):
            channel = run.observed_reactions[r].channels[what]
            if channel >= 0:
                write_size(run.channels[channel], run.peaks[channel], peaks[r, what])
    coupling, cells = summarise_elements(run, summary), error_of_cells(run.system)
    for r in range(peaks.shape[0]):
        for what in (FORCE, MOMENT):
            if run.observed_reactions[r].channels[what] >= 0:
                peaks[r, what, ERROR] = error_of_peak(run, r, what, coupling, cells)


@inline
def write_size(channel, peak, out):
    """Write the largest size of a channel on the sides that were searched, its first time, and its own error."""
    earlier = -peak.smallest == peak.largest and peak.t_smallest < peak.t_largest
    negative = (peak.track | channel.reaction) & SMALLEST != 0
    if negative and (-peak.smallest > peak.largest or earlier):
        out[SIZE], out[TIME], out[ERROR] = -peak.smallest, peak.t_smallest, peak.error_of_smallest
    else:
        out[SIZE], out[TIME], out[ERROR] = peak.largest, peak.t_largest, peak.error_of_largest


@inline
def summarise_elements(run, summary):
    """Write sums over elements to the summary; returns the relative error of the motion by the energies of elements."""
    elements, peaks = run.system.element_data, run.reaction_peaks
    stored, lost, largest = (
        0.0,
        0.0,
        0.0,
    )  # twice the energies at the peaks, of errors there, of largest errors [J]
    for r in range(peaks.shape[0]):
        if run.observed_reactions[r].transmitter == Transmitter.ELEMENT:
            stiffness = elements[run.observed_reactions[r].row].peak_stiffness
            for k in (FORCE, MOMENT):
                square = peaks[r, k, ERROR] * peaks[r, k, ERROR]
                summary.element_errors[k] += square
                lost += square / stiffness[k] if stiffness[k] > 0.0 else 0.0
    for i in range(elements.shape[0]):
        data = elements[i]
        for k in (FORCE, MOMENT):
            summary.largest_element[k] = max(summary.largest_element[k], data.peak[k])
            impedance = (
                math.sqrt(data.peak_stiffness[k] * data.inertia[k]) if data.peak_stiffness[k] > 0.0 else 0.0
            )
            summary.impedance[k] = max(summary.impedance[k], impedance)
            if data.peak_stiffness[k] > 0.0:
                stored += data.peak[k] * data.peak[k] / data.peak_stiffness[k]
                largest += data.largest_error[k] * data.largest_error[k] / data.peak_stiffness[k]
    for k in (FORCE, MOMENT):
        summary.element_errors[k] = math.sqrt(summary.element_errors[k])
    # Twice the estimate; Eq. (M146).
    share = math.sqrt(largest / stored) if stored > 0.0 else 0.0
    summary.energy_expected = min(4.0 * share, MOST_EXPLAINED) if run.settings[0].fixed_step == 0.0 else 0.0
    return math.sqrt(lost / stored) if stored > 0.0 else 0.0


@inline
def error_of_cells(system):
    """Return the error of a force by the cells of the contacts that have touched [N]: the largest of them."""
    error = 0.0
    for i in range(system.pairs.shape[0]):
        if system.pair_states[i].largest.force > 0.0:
            error = max(error, CELL_SHARE * system.pairs[i].resolved_force)
    return error


@inline
def error_of_peak(run, r, what, coupling, cells):
    """Return the error of the peak force or moment of a reaction, Eq. (M145); `cells`: error of forces by cells [N].

    NaN in runs of fixed steps, and for contacts whose force is not resolved by cells.
    """
    settings, summary, peaks = run.settings[0], run.summary[0], run.reaction_peaks
    reaction, size = run.observed_reactions[r], peaks[r, what, SIZE]
    if settings.fixed_step != 0.0:
        return math.nan
    allowed, coupled = settings.force_accuracy * size, coupling * size
    least = LARGEST_SHARE * summary.largest_element[what] + (
        cells if what == FORCE else cells * summary.lever
    )
    if reaction.transmitter == Transmitter.ELEMENT:
        return ELEMENT_SHARE * allowed + COUPLING_SHARE * coupled + (peaks[r, what, ERROR] + least)
    touching = reaction.transmitter == Transmitter.CONTACT or reaction.transmitter == Transmitter.INTERFACE
    if size == 0.0 and touching:
        return 0.0  # nothing has touched
    if reaction.transmitter == Transmitter.CONTACT and run.system.pairs[reaction.row].resolved_force == 0.0:
        return math.nan
    # At most, all elements act on what transmits the reaction, and all contacts.
    others = math.hypot(summary.element_errors[what], coupled) + least
    return (CONTACT_SHARE if touching or cells > 0.0 else ELEMENT_SHARE) * allowed + others
