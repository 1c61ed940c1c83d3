"""Update of everything that depends on the present state of a run: near lists, slope, channels, peaks."""

from softdock.dynamics.kernels.forces.contacts import refresh_lists, worst_overreach
from softdock.dynamics.kernels.forces.derivative import set_motion
from softdock.dynamics.kernels.integration.step_errors import store_branches
from softdock.dynamics.kernels.recording.evaluation import (
    AFTER_JUMP,
    complete_pending_row,
    evaluate_channels,
    needs_peak_row,
    record_peak_at_end,
    update_peaks,
)
from softdock.dynamics.kernels.recording.run_data import PendingRow
from softdock.dynamics.kernels.run.engagement import update_states
from softdock.dynamics.kernels.run.sticking import settle_friction
from softdock.dynamics.kernels.search.events import mark_changed_events
from softdock.dynamics.kernels.search.windows import begin_statistics
from softdock.native.decorators import inline, kernel


@inline
def restore_links(system, y):
    """Set poses and velocities of the links to a state again after evaluations inside the step."""
    if system.pairs.shape[0] > 0:
        set_motion(system, y)
        worst_overreach(system.pair_states)  # resets it for the next step


@inline
def complete_deferred_row(run):
    """Evaluate a deferred row before something changes that is not part of the state, and restore the links."""
    if run.progress[0].pending_row == PendingRow.DEFERRED:
        complete_pending_row(run)
        restore_links(run.system, run.y)


@kernel
def apply_jumps(run):
    """Update peaks, begin statistics of windows and mark events whose conditions changed at a jump of the channels.

    `workspace.end` has the channels before it, `workspace.start` those after it. Their peaks and their row have a time
    of their own, so that the row before the jump keeps that of the jump.
    """
    settings, s, work = run.settings[0], run.progress[0], run.workspace
    t_after = s.t + AFTER_JUMP
    begin_statistics(run)
    if update_peaks(run.peaks, settings.searched, t_after, 0.0, work.start) and needs_peak_row(run, t_after):
        record_peak_at_end(run, t_after, s.t, run.y, False)
        restore_links(run.system, run.y)
    mark_changed_events(run, work.end, work.start, -1)


@kernel
def update_state(run, switched):
    """Update near lists, slope and channels to the present state; returns whether the near lists fit in memory.

    `switched`: an element, a load or the state may have been changed. Otherwise the links are at the present state
    already, and the slope is not computed again: a new near list gives the same forces as the old one up to the error
    of its cells.
    """
    s, system = run.progress[0], run.system
    if not switched and system.pairs.shape[0] == 0:
        return True
    if switched:
        set_motion(system, run.y)
    rebuilt = 0
    if system.pairs.shape[0] > 0:
        rebuilt, s.list_step = refresh_lists(system, bool(switched), s.step)
        system.counters[0].rebuilds += max(rebuilt, 0)
    if switched:
        update_states(run)
        settle_friction(run, s.reached_axis)
        update_slope(run)
    if switched or rebuilt > 0:
        worst_overreach(system.pair_states)  # resets it for the next step
    return rebuilt >= 0


@inline
def update_slope(run):
    """Update slope, channels and branches to the present state after a jump of the forces or of their slopes."""
    settings, s, work = run.settings[0], run.progress[0], run.workspace
    evaluate_channels(run, settings.searched, s.t, run.y, work.k[0], work.start)
    store_branches(run)
    s.previous_step = 0.0
