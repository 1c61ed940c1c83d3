"""Peaks of the reactions of a mass chain: largest values of the polynomials of every step, and the state then."""

from softdock.lumped.kernels.motion import (
    COUPLING,
    DAMPING,
    INTERFACE_FORCE,
    LINK_FORCE,
    OVERLAP,
    PAD_OPEN,
    PAD_STATE,
    SCRATCH,
    STIFFNESS,
    UNCOUPLED,
    WEDGE_FORCE,
)
from softdock.lumped.kernels.polynomial import ORDER, evaluate, next_crossing
from softdock.lumped.kernels.rows import ROW_TIME, fill_row
from softdock.native.decorators import kernel

# Reactions after those of the links; the reaction of the empty link `touching` is that of the interface.
WEDGE_REACTION, OVERLAP_PEAK = 0, 1
EXTRA_PEAKS = 2
PENDING = -1.0  # time in the row of a peak at the end of a step, until the next step exceeds it or not


@kernel
def track_peaks(chain, work, end, is_last):
    """Update the peaks of all reactions and of the overlap within a step; `is_last` before an event or the end."""
    state, n = work.state, chain.line.shape[1]
    track_link_peaks(chain, work, end, is_last)
    if state[COUPLING] == UNCOUPLED and state[PAD_STATE] == PAD_OPEN:
        return
    track_peak(work, INTERFACE_FORCE, chain.touching, False, end, is_last)
    track_peak(work, WEDGE_FORCE, n + WEDGE_REACTION, True, end, is_last)
    track_peak(work, OVERLAP, n + OVERLAP_PEAK, False, end, is_last)


@kernel
def track_link_peaks(chain, work, end, is_last):
    """Update the peaks of the forces of all springs with their dampers; Eq. (H12)."""
    line, q, force = chain.line, work.q, work.c[LINK_FORCE]
    n = line.shape[1]
    for i in range(n):
        stiffness, damping = line[STIFFNESS, i], line[DAMPING, i]
        if stiffness > 0.0 or damping > 0.0:
            for k in range(ORDER + 1):
                compression, rate = q[i, k], q[n + i, k]
                if i < n - 1:
                    compression -= q[i + 1, k]
                    rate -= q[n + i + 1, k]
                force[k] = stiffness * compression + damping * rate
            track_peak(work, LINK_FORCE, i, True, end, is_last)


@kernel
def track_peak(work, quantity, reaction, both_signs, end, is_last):
    """Update the peak of one reaction and the row of the state at that time.

    A reaction that still rises at the end of a step is filled in by a later step: rows of long chains are expensive.
    """
    c, row = work.c[quantity], work.peaks[reaction]
    size, t = 0.0, 0.0
    if largest_possible_size(c, end) > work.sizes[reaction]:
        size, t = largest_size(c, work.c[SCRATCH], both_signs, end)
    if size > work.sizes[reaction]:
        work.sizes[reaction] = size
        if t < end or is_last:
            fill_row(work, row, t)
        else:
            row[ROW_TIME] = PENDING
    elif row[ROW_TIME] == PENDING:
        fill_row(work, row, 0.0)


@kernel
def largest_possible_size(c, end):
    """Return a bound of the size of a polynomial on [0, end]."""
    bound, power = 0.0, 1.0
    for k in range(ORDER + 1):
        bound += abs(c[k]) * power
        power *= end
    return bound


@kernel
def largest_size(c, g, both_signs, end):
    """Return the largest value of a polynomial on [0, end], or with `both_signs` its largest size, and its time.

    Compares both ends and all extrema, the zeros of the slope; `g` is scratch.
    """
    best, time = c[0], 0.0
    if both_signs:
        best = abs(best)
    sign = -1.0 if c[1] > 0.0 else 1.0
    for k in range(ORDER):
        g[k] = sign * (k + 1) * c[k + 1]
    g[ORDER] = 0.0
    t = 0.0
    for _ in range(ORDER):  # a polynomial has fewer extrema
        t = next_crossing(g, t, end)
        at = t if t >= 0.0 else end
        size = evaluate(c, at)
        if both_signs:
            size = abs(size)
        if size > best:
            best, time = size, at
        if t < 0.0:
            break
        for k in range(ORDER):
            g[k] = -g[k]
    return best, time
