"""Evaluation of states inside a step, and the record of samples and peaks."""

from softdock.dynamics.kernels.channels import read_channels
from softdock.dynamics.kernels.derivative import derivative
from softdock.dynamics.kernels.stepping import interpolate
from softdock.native.decorators import inline, kernel


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
    evaluate_channels(run, count, run.state[0].t + theta * h, work.y_stage, work.k[1], work.values)


@inline
def update_peak(channel, t, value):
    """Update the largest and smallest value of a channel."""
    if value > channel.largest:
        channel.largest, channel.t_largest = value, t
    if value < channel.smallest:
        channel.smallest, channel.t_smallest = value, t


@kernel
def update_peaks(channels, count, t, values):
    """Update the largest and smallest values of the first channels."""
    for i in range(count):
        update_peak(channels[i], t, values[i])


@kernel
def record_samples(run, h, t_new, contact_step):
    """Write the samples inside a step of size h; returns whether one is at its end t_new.

    If the end of a step in contact is recorded at most one period after the last row, it replaces them.
    """
    s, channels = run.state[0], run.channels
    if s.record_period == 0.0 or channels.shape[0] == 0:
        return False
    if contact_step and t_new - run.record[s.record_rows - 1, 0] <= s.record_period:
        while s.next_sample * s.record_period < t_new:
            s.next_sample += 1
    while s.next_sample * s.record_period < t_new and s.record_rows < run.record.shape[0]:
        t_sample = s.next_sample * s.record_period
        work = run.workspace
        interpolate(work.dense, (t_sample - s.t) / h, work.y_stage)
        evaluate_channels(run, channels.shape[0], t_sample, work.y_stage, work.k[1], work.values)
        write_row(run, t_sample, work.values)
        s.next_sample += 1
    on_end = s.next_sample * s.record_period == t_new
    if on_end:
        s.next_sample += 1
    return on_end


@kernel
def record_inside(run, h, theta):
    """Write a row at the fraction theta of a step, after all samples before it."""
    s = run.state[0]
    t = s.t + theta * h
    record_samples(run, h, t, False)
    if s.record_rows < run.record.shape[0]:
        evaluate_inside(run, run.channels.shape[0], h, theta)
        write_row(run, t, run.workspace.values)


@inline
def write_row(run, t, values):
    """Add a row to the record unless it is full."""
    s, record = run.state[0], run.record
    if s.record_rows < record.shape[0] and record.shape[1] > 1:
        record[s.record_rows, 0] = t
        for i in range(values.shape[0]):
            record[s.record_rows, 1 + i] = values[i]
        s.record_rows += 1
