"""Looking at states inside a step: for events, peaks and records."""

from softdock.multibody.kernels.channels import read_channels
from softdock.multibody.kernels.derivative import derivative
from softdock.multibody.kernels.stepping import (
    BOGACKI_SHAMPINE,
    DORMAND_PRINCE,
    ROSENBROCK,
    RUNGE_KUTTA_4,
    interpolate,
)
from softdock.native.decorators import inline, kernel

DOUBT = 0.5  # of the range of the values seen: values between them may lie so far outside


@kernel
def look_at(system, channels, count, t, y, slope, values):
    """Evaluate a state and read the first channels there."""
    derivative(system, t, y, slope)
    read_channels(channels, count, system, t, y, values)


@kernel
def is_quiet(method, channels, count, events, start, early, late, end):
    """Tell whether a step needs no look inside, from the channels at its ends and at two of its stages; Eq. (M34).

    It does where a condition may begin to hold, or where a peak may lie between the ends.
    """
    for i in range(events.shape[0]):
        if events[i].armed == 1:
            a, sign, c = events[i].threshold, events[i].direction, events[i].channel
            g_0, g_1 = sign * (start[c] - a), sign * (early[c] - a)
            g_2, g_3 = sign * (late[c] - a), sign * (end[c] - a)
            low, high = min(min(g_0, g_1), min(g_2, g_3)), max(max(g_0, g_1), max(g_2, g_3))
            if high + DOUBT * (high - low) > 0.0 and low - DOUBT * (high - low) <= 0.0:
                return False
    for i in range(count):
        if may_turn(method, channels[i], start[i], early[i], late[i], end[i]):
            return False
    return True


@inline
def may_turn(method, channel, start, early, late, end):
    """Tell whether a peak above all before may lie inside a step, not at its ends."""
    low, high = min(min(start, early), min(late, end)), max(max(start, early), max(late, end))
    doubt = DOUBT * (high - low)
    if high + doubt <= channel.largest and low - doubt >= channel.smallest:
        return False
    if method == ROSENBROCK:  # whose stages are all late in the step
        return True
    # Slopes of the parabolas through the first and the last three values
    if method == BOGACKI_SHAMPINE:  # at 0, 1/2, 3/4 and 1
        begin = -3.3333333333333335 * start + 6.0 * early - 2.6666666666666665 * late
        close = 2.0 * early - 8.0 * late + 6.0 * end
    else:  # at 0, 0.3, 0.8 and 1
        begin = -4.583333333333333 * start + 5.333333333333333 * early - 0.75 * late
        close = 0.5714285714285714 * early - 7.0 * late + 6.428571428571429 * end
    return not (start <= early <= late <= end and begin >= doubt and close >= doubt) and not (
        start >= early >= late >= end and -begin >= doubt and -close >= doubt
    )


@kernel
def refine_peaks(system, channels, o, h, span, dense, start, mid, end, y, slope, values):
    """Look at the vertex of a parabola through three values wherever it may beat a peak.

    The values are those at the start, in the middle and at the end of the part `span` of a step of h.
    """
    seen = 0.0
    for i in range(o.watched):
        channel = channels[i]
        bend = 2.0 * (start[i] - 2.0 * mid[i] + end[i])
        if bend == 0.0:
            continue
        slant = 4.0 * mid[i] - 3.0 * start[i] - end[i]
        theta = -0.5 * slant / bend
        best = start[i] + 0.5 * slant * theta
        if 0.0 < theta < 1.0 and (best > channel.largest if bend < 0.0 else best < channel.smallest):
            if theta != seen:  # the largest of all contacts has the vertex of one of them
                seen = theta
                interpolate(dense, theta * span, y)
                look_at(system, channels, o.watched, o.t + theta * span * h, y, slope, values)
            keep_peak(channel, o.t + theta * span * h, values[i])


@kernel
def look_where_stages_were(method, system, channels, o, h, span, dense, early, late, y, slope, values):
    """Look at the instants of two stages wherever these saw more than all before: a peak between the other looks."""
    if method == RUNGE_KUTTA_4:
        return
    for which in range(2):
        if method == DORMAND_PRINCE:
            theta = 0.8 if which == 1 else 0.3
        elif method == BOGACKI_SHAMPINE:
            theta = 0.75 if which == 1 else 0.5
        else:
            theta = 0.8717 if which == 1 else 0.7316
        for i in range(o.watched):
            seen = late[i] if which == 1 else early[i]
            if theta < span and (seen > channels[i].largest or seen < channels[i].smallest):
                interpolate(dense, theta, y)
                look_at(system, channels, o.watched, o.t + theta * h, y, slope, values)
                keep_peaks(channels, o.watched, o.t + theta * h, values)
                break


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
