"""Looking at states inside a step: for events, peaks and records."""

from softdock.jit import inlined, kernel
from softdock.multibody.kernels.channels import read_channels
from softdock.multibody.kernels.derivative import derivative
from softdock.multibody.kernels.stepping import interpolate


@kernel
def look_at(system, channels, count, t, y, slope, values):
    """Evaluate a state and read the first channels there."""
    derivative(system, t, y, slope)
    read_channels(channels, count, system, t, y, values)


@kernel
def refine_peaks(system, channels, o, h, span, dense, start, mid, end, y, slope, values):
    """Look at the vertex of a parabola through three values wherever it may beat a peak.

    The values are those at the start, in the middle and at the end of the part `span` of a step of h.
    """
    for i in range(o.watched):
        channel = channels[i]
        bend = 2.0 * (start[i] - 2.0 * mid[i] + end[i])
        if channel.track == 0 or bend == 0.0:
            continue
        slant = 4.0 * mid[i] - 3.0 * start[i] - end[i]
        theta = -0.5 * slant / bend
        best = start[i] + 0.5 * slant * theta
        if 0.0 < theta < 1.0 and (best > channel.largest if bend < 0.0 else best < channel.smallest):
            interpolate(dense, theta * span, y)
            look_at(system, channels, o.watched, o.t + theta * span * h, y, slope, values)
            keep_peak(channel, o.t + theta * span * h, values[i])


@inlined
def keep_peak(channel, t, value):
    """Remember the largest and smallest value of a channel."""
    if value > channel.largest:
        channel.largest, channel.t_largest = value, t
    if value < channel.smallest:
        channel.smallest, channel.t_smallest = value, t


@kernel
def keep_peaks(channels, t, values):
    """Remember the largest and smallest values of the tracked channels."""
    for i in range(channels.shape[0]):
        if channels[i].track == 1:
            keep_peak(channels[i], t, values[i])


@kernel
def record_samples(system, channels, o, h, dense, t_new, y, slope, values, record):
    """Write the samples that fall inside a step; tells whether one falls on its end."""
    if o.record_period == 0.0 or channels.shape[0] == 0:
        return False
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


@inlined
def write_row(o, record, t, values):
    """Add a row to the record where there is room."""
    if o.rows < record.shape[0] and record.shape[1] > 1:
        record[o.rows, 0] = t
        for i in range(values.shape[0]):
            record[o.rows, 1 + i] = values[i]
        o.rows += 1
