"""Evaluation of states inside a step, and the record of samples and peaks."""

from softdock.contact.kernels.layout import DEPTH, ENERGY
from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST, read_channels
from softdock.dynamics.kernels.forces.derivative import derivative
from softdock.dynamics.kernels.integration.stepping import copy, interpolate
from softdock.dynamics.kernels.recording.run_data import PendingRow
from softdock.native.decorators import inline, kernel

# Least time between two rows of a history [s].
ROW_SPACING = 1e-6
# Time between the rows before and after a jump [s]: rounding leaves the difference above the least, up to 4e6 s.
AFTER_JUMP = 1.001 * ROW_SPACING


@kernel
def evaluate_channels(run, count, t, y, slope, values):
    """Evaluate a state and read the first channels there."""
    derivative(run.system, t, y, slope)
    read_channels(run.channels, count, run.system, t, y, values)


@kernel
def evaluate_inside(run, count, h, theta):
    """Evaluate the state at theta of a step of size h: channels to `workspace.values`, state to `y_stage`."""
    work = run.workspace
    interpolate(work.dense, theta, work.y_stage)
    evaluate_channels(run, count, run.progress[0].t + theta * h, work.y_stage, work.k[1], work.values)


@inline
def update_peak(peak, t, theta, value):
    """Update the largest and smallest value of a channel; returns whether one of them changed."""
    changed = False
    if value > peak.largest:
        peak.largest, peak.t_largest, peak.theta_largest, changed = value, t, theta, True
    if value < peak.smallest:
        peak.smallest, peak.t_smallest, peak.theta_smallest, changed = value, t, theta, True
    return changed


@kernel
def update_peaks(peaks, count, t, theta, values):
    """Update the largest and smallest values of the first channels, at theta of a step; returns whether any changed."""
    changed = False
    for i in range(count):
        if update_peak(peaks[i], t, theta, values[i]):
            changed = True
        peaks[i].seen = max(peaks[i].seen, abs(values[i]))
    return changed


@kernel
def exceeds_tracked(peaks, count, values):
    """Return whether a value of the first channels exceeds a peak of the search for events and peaks."""
    for i in range(count):
        peak = peaks[i]
        if (peak.track & LARGEST != 0 and values[i] > peak.largest) or (
            peak.track & SMALLEST != 0 and values[i] < peak.smallest
        ):
            return True
    return False


@kernel
def record_samples(run, h, t_new, contact_step):
    """Write the samples inside a step of size h; returns whether one is at its end t_new.

    If the end of a step in contact is recorded at most one period after the last row, it replaces them.
    """
    settings, s, channels = run.settings[0], run.progress[0], run.channels
    if settings.record_period == 0.0 or channels.shape[0] == 0:
        return False
    if contact_step and t_new - run.record[s.record_rows - 1, 0] <= settings.record_period:
        while s.next_sample * settings.record_period < t_new:
            s.next_sample += 1
    while s.next_sample * settings.record_period < t_new and s.record_rows < run.record.shape[0]:
        t_sample = s.next_sample * settings.record_period
        work = run.workspace
        interpolate(work.dense, (t_sample - s.t) / h, work.y_stage)
        evaluate_channels(run, channels.shape[0], t_sample, work.y_stage, work.k[1], work.values)
        write_row(run, t_sample, work.values)
        s.next_sample += 1
    on_end = s.next_sample * settings.record_period == t_new
    if on_end:
        s.next_sample += 1
    return on_end


@kernel
def record_inside(run, h, theta):
    """Write a row at the fraction theta of a step, after all samples before it."""
    s = run.progress[0]
    t = s.t + theta * h
    record_samples(run, h, t, False)
    if s.record_rows < run.record.shape[0]:
        evaluate_inside(run, run.channels.shape[0], h, theta)
        write_row(run, t, run.workspace.values)


@inline
def write_row(run, t, values):
    """Add a row to the record unless it is full."""
    s, record = run.progress[0], run.record
    commit_pending_row(run)
    if s.record_rows < record.shape[0] and record.shape[1] > 1:
        fill_row(run, t, values)
        s.record_rows += 1


@inline
def fill_row(run, t, values):
    """Write time and values to the row after the last one."""
    row = run.record[run.progress[0].record_rows]
    row[0] = t
    for i in range(values.shape[0]):
        row[1 + i] = values[i]


@kernel
def commit_pending_row(run):
    """Keep the pending row if a peak is still there; otherwise discard it. May evaluate another state."""
    settings, s = run.settings[0], run.progress[0]
    if s.pending_row != PendingRow.NONE:
        if has_peak_at(run.channels, run.peaks, settings.searched, run.record[s.record_rows, 0]):
            complete_pending_row(run)
            s.record_rows += 1
        s.pending_row = PendingRow.NONE.value


@kernel
def complete_pending_row(run):
    """Evaluate the channels of a deferred row: before an element or a controller changes, or the row is kept."""
    s, work = run.progress[0], run.workspace
    if s.pending_row == PendingRow.DEFERRED:
        s.pending_row = PendingRow.WRITTEN.value
        row = run.record[s.record_rows]
        derivative(run.system, s.pending_time, work.pending, work.k[1])
        read_channels(run.channels, run.channels.shape[0], run.system, row[0], work.pending, row[1:])


@inline
def nothing_touches(system):
    """Return whether contacts have no effect, so that the state alone gives all channels."""
    for i in range(system.pairs.shape[0]):
        out = system.pair_states[i].out
        if system.pair_states[i].force != 0.0 or out[DEPTH] != 0.0 or out[ENERGY] != 0.0:
            return False
    return system.interfaces.shape[0] == 0


@kernel
def has_peak_at(channels, peaks, count, t):
    """Return whether a peak of the first channels that is searched for is at a time."""
    for i in range(count):
        peak = peaks[i]
        sides = peak.track | channels[i].reaction
        if (sides & LARGEST != 0 and peak.t_largest == t) or (sides & SMALLEST != 0 and peak.t_smallest == t):
            return True
    return False


@inline
def has_room_beside_samples(run):
    """Return whether the record has room for steps in contact and peaks besides the remaining samples."""
    settings, s = run.settings[0], run.progress[0]
    remaining = (settings.duration - s.t) / settings.record_period if settings.record_period > 0.0 else 0.0
    return s.record_rows + remaining + 4.0 < run.record.shape[0]


@inline
def needs_peak_row(run, t):
    """Return whether a peak at time t gets a row."""
    settings = run.settings[0]
    return (
        settings.record_peaks == 1
        and has_room_beside_samples(run)
        and has_peak_at(run.channels, run.peaks, settings.searched, t)
    )


@kernel
def defer_peak_at_end(run, t, t_evaluated, y):
    """Store the state y at the end t of a step with a peak as pending row; expects that nothing touches there.

    `t_evaluated` is the time at which y was evaluated, which may be the instant before a jump at t.
    """
    s, work = run.progress[0], run.workspace
    commit_pending_row(run)
    if s.record_rows < run.record.shape[0] and run.record.shape[1] > 1:
        run.record[s.record_rows, 0], s.pending_time = t, t_evaluated
        copy(y, work.pending)
        s.pending_row = PendingRow.DEFERRED.value


@kernel
def record_peak_at_end(run, t, t_max, y, evaluated):
    """Write a pending row for a peak at the present end t; `evaluated`: the system is evaluated there already.

    Its values are those at t, or before a jump there: at `t_max`, the instant before.
    """
    s, work = run.progress[0], run.workspace
    if evaluated:
        read_channels(run.channels, run.channels.shape[0], run.system, t, y, work.values)
    else:
        evaluate_channels(run, run.channels.shape[0], min(t, t_max), y, work.k[1], work.values)
    commit_pending_row(run)
    if s.record_rows < run.record.shape[0] and run.record.shape[1] > 1:
        fill_row(run, t, work.values)
        s.pending_row = PendingRow.WRITTEN.value


@kernel
def record_peaks_inside(run, h, t_new):
    """Write a row at every peak inside a step, whose end is t_new, in order of time."""
    settings, s, last = run.settings[0], run.progress[0], 0.0
    while settings.record_peaks == 1 and has_room_beside_samples(run):
        first = 2.0
        for i in range(settings.searched):
            peak = run.peaks[i]
            sides = peak.track | run.channels[i].reaction
            if sides & LARGEST != 0 and s.t < peak.t_largest < t_new and last < peak.theta_largest:
                first = min(first, peak.theta_largest)
            if sides & SMALLEST != 0 and s.t < peak.t_smallest < t_new and last < peak.theta_smallest:
                first = min(first, peak.theta_smallest)
        if first > 1.0:
            break
        record_inside(run, h, first)
        last = first
