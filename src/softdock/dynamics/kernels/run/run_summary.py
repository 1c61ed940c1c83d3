"""What is read of a finished run beside channels, events and reactions: one record."""

import math

import numpy as np

from softdock.dynamics.kernels.forces.contacts import CHECKED_DEPTH_SHARE
from softdock.dynamics.kernels.run.conservation import energy_scale
from softdock.dynamics.kernels.run.run_start import sum_inertias
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.native.decorators import inline, kernel

SUMMARY = np.dtype(
    [
        # Largest error of the energy balance over its scale; NaN where no energy took part.
        ("energy_residual", np.float64),
        ("energy_gain", np.float64),  # largest gain of energy over its scale
        ("linear_momentum_drift", np.float64),  # largest errors over their scales
        ("angular_momentum_drift", np.float64),
        ("gross_work", np.float64),  # sum of the sizes of all work [J]
        ("floating", np.int64),  # 1: nothing connects any body to the ground
        (
            "energy_expected",
            np.float64,
        ),  # part of the energy residual that stated errors of reactions explain
        ("lever", np.float64),  # largest radius of gyration of a link about its origin [m]; 0 without masses
        ("undefined_formulas", np.int64),  # number of formulas that had no value at some instant
        ("exceeded_contacts", np.int64),  # number of contacts that exceeded a limit of their model
        # Of all elements, forces [N] and moments [N m]: root of the sum of squares of the errors of their peaks,
        ("element_errors", np.float64, 2),
        ("largest_element", np.float64, 2),  # largest peak,
        ("impedance", np.float64, 2),  # largest one at a peak [N s/m, N m s/rad].
    ],
    align=True,
)
"""Results of a run that are computed when it is finished."""
ALLOWED = 100.0  # an energy error as large as that of an error of speeds by the accuracy has a residual of one percent
MIN_OVERLAP = 1e-9  # [m] initial depth above which surfaces overlap; smaller ones are rounding
# Fraction of the largest contact force below which the resolution of another contact is not checked: coarse cells have
# errors of a few per cent.
NEGLIGIBLE_FORCE_SHARE = 0.05
LARGEST_ERROR = 1e9  # relative error of a run that is no longer finite


@kernel
def summarise(run):
    """Write errors of energy and momentum, and the lever, of a run whose final state was compared with its start."""
    summary, links = run.summary[0], run.system.links
    summarise_check(run, summary)
    summary.lever = 0.0
    for i in range(links.shape[0]):
        own = links[i].own
        if own[0] > 0.0:
            square = (own[4] + own[5] + own[6]) / 3.0 / own[0]
            summary.lever = max(summary.lever, math.sqrt(square))
    summary.undefined_formulas = 0
    for i in range(run.system.formula_values.shape[0]):
        summary.undefined_formulas += run.system.formula_values[i].undefined
    largest = 0.0
    for i in range(run.system.pairs.shape[0]):
        largest = max(largest, run.system.pair_states[i].largest.force)
    summary.exceeded_contacts = 0
    for i in range(run.system.pairs.shape[0]):
        if exceeds_limits(run.system.pairs[i], run.system.pair_states[i], run.overlaps[i], largest):
            summary.exceeded_contacts += 1


@inline
def exceeds_limits(pair, state, overlap, largest):
    """Return whether a contact has exceeded a limit of its model; `largest` is the largest force of any contact [N].

    Eqs. (C34), (C35).
    """
    seen = state.largest
    return (
        overlap > MIN_OVERLAP
        or seen.through == 1
        or state.may_have_tunnelled == 1
        or seen.beyond == 1
        or seen.end_touched == 1
        or not math.isnan(seen.edge[0])
        or seen.wall_share > CHECKED_DEPTH_SHARE
        or seen.depth > pair.smallest_radius
        or seen.pressure > pair.strength
        or NEGLIGIBLE_FORCE_SHARE * largest < seen.force < pair.resolved_force
    )


@inline
def summarise_check(run, summary):
    """Write the largest errors of energy and momentum over their scales; Eqs. (E2), (E3)."""
    seen, speed = run.workspace.check[0], run.settings[0].speed_tolerance
    links, parts = run.system.links, run.workspace.search.instants
    mass = sum_inertias(links, -1, 0, 1, parts)
    inertia = sum_inertias(links, -1, 4, 7, parts) / 3.0
    scale = energy_scale(seen)
    if not math.isfinite(scale):
        scale = LARGEST_ERROR
    floor = 0.5 * mass * (speed[FORCE] * speed[FORCE]) + seen.rounding
    floor += ALLOWED * speed[FORCE] * math.sqrt(2.0 * mass * scale)
    summary.energy_residual = math.nan
    if scale > 0.0:
        residual = max(seen.energy_residual, seen.energy_error / (scale + floor))
        summary.energy_residual = min(residual, LARGEST_ERROR)
    summary.energy_gain, summary.gross_work = seen.energy_gain, seen.gross_work
    summary.floating = seen.floating
    summary.linear_momentum_drift = share(seen.momentum_error, seen.largest_momentum + mass * speed[FORCE])
    scale = seen.largest_angular_momentum + inertia * speed[MOMENT]
    summary.angular_momentum_drift = share(seen.angular_momentum_error, scale)


@inline
def share(error, scale):
    """Return an error over its scale, 0 where nothing has a size."""
    return min(error / scale, LARGEST_ERROR) if scale > 0.0 else 0.0
