"""Looking at states inside a step: for events, peaks and records."""

from softdock.dynamics.kernels.channels import read_channels
from softdock.dynamics.kernels.derivative import derivative
from softdock.dynamics.kernels.stepping import interpolate
from softdock.native.decorators import inline, kernel


@kernel
def look_at(system, channels, count, t, y, slope, values):
    """Evaluate a state and read the first channels there."""
    derivative(system, t, y, slope)
    read_channels(channels, count, system, t, y, values)


@inline
def keep_peak(channel, t, value):
    """Remember the largest and smallest value of a channel."""
    if value > channel.largest:
        channel.largest, channel.t_largest = value, t
    if value < channel.smallest:
        channel.smallest, channel.t_smallest = value, t


@kernel
def keep_peaks(channels, count, t, values):
    """Remember the largest and smallest values of the first channels."""
    for i in range(count):
        keep_peak(channels[i], t, values[i])


@kernel
def record_samples(system, channels, o, h, dense, whole, t_new, y, slope, values, record):
    """Write the samples that fall inside a step; tells whether one falls on its end.

    Where the end is recorded as well (`whole`), not later than a period after the last row, it stands for them.
    """
    if o.record_period == 0.0 or channels.shape[0] == 0:
        return False
    if whole and t_new - record[o.rows - 1, 0] <= o.record_period:
        while o.next_sample * o.record_period < t_new:
            o.next_sample += 1
    while o.next_sample * o.record_period < t_new and o.rows < record.shape[0]:
        t_sample = o.next_sample * o.record_period
        interpolate(dense, (t_sample - o.t) / h, y)
        look_at(system, channels, channels.shape[0], t_sample, y, slope, values)
        write_row(o, record, t_sample, values)
        o.next_sample += 1
    on_end = o.next_sample * o.record_period == t_new
    if on_end:
        o.next_sample += 1
    return on_end


@inline
def write_row(o, record, t, values):
    """Add a row to the record where there is room."""
    if o.rows < record.shape[0] and record.shape[1] > 1:
        record[o.rows, 0] = t
        for i in range(values.shape[0]):
            record[o.rows, 1 + i] = values[i]
        o.rows += 1
