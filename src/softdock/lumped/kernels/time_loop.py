"""Time loop of a mass chain: expand the series, find the next event, record, advance, change the phase."""

from softdock.lumped.kernels.events import (
    END_OF_TIME,
    IMPACT_LIMIT,
    NO_EVENT,
    RUNNING,
    TOO_MANY_STEPS,
    change_phase,
    largest_value,
    next_event,
    relative_acceleration,
    starting_event,
)
from softdock.lumped.kernels.motion import (
    COUPLING,
    DISSIPATED,
    ENERGY_START,
    INTERFACE_FORCE,
    LARGEST_OVERLAP,
    MOMENTUM_START,
    OUTCOME,
    OVERLAP,
    PAD_OPEN,
    PAD_STATE,
    PEAK_FORCE,
    ROW_COUNT,
    ROW_PENDING,
    SAMPLE_COUNT,
    SCRATCH,
    SEPARATION_COUNT,
    STEP_COUNT,
    TIME,
    UNCOUPLED,
    advance_state,
    dissipated,
    energy,
    expand_series,
    interface_damping,
    interface_stiffness,
    longest_step,
    momentum,
    shortest_step,
)
from softdock.lumped.kernels.polynomial import VALUE_COLUMN, evaluate, evaluate_all
from softdock.native.decorators import kernel

# Columns of a row before the positions and velocities.
ROW_TIME, ROW_FORCE, ROW_DISSIPATED, ROW_STATE = range(4)


@kernel
def run(chain, law, work, end_time, maximum_impacts, interval, maximum_steps):
    """Run the chain from the state in the first column of q.

    Ends when it latches or jams, after `maximum_impacts` separations, or at `end_time` [s]. Records a row every
    `interval` [s].
    """
    state, totals = work.state, work.totals
    totals[ENERGY_START] = energy(chain, law, work)
    totals[MOMENTUM_START] = momentum(chain, work)
    state[ROW_PENDING] = 1
    if shortest_step(chain, law) * maximum_steps < end_time:
        state[OUTCOME] = TOO_MANY_STEPS
        return
    kind = starting_event(chain, work)
    if kind != NO_EVENT:
        change_phase(chain, law, work, kind, 0.0)
    while state[OUTCOME] == RUNNING:
        expand_series(chain, law, work)
        remaining = end_time - totals[TIME]
        longest = longest_step(chain, interface_stiffness(law, state), interface_damping(law, state))
        step = min(longest, remaining)
        step, kind = next_event(law, work, step)
        record(chain, law, work, step, kind, interval)
        track_peaks(work, step)
        acceleration = relative_acceleration(work, step)
        advance_state(chain, law, work, step)
        state[STEP_COUNT] += 1
        if kind != NO_EVENT:
            change_phase(chain, law, work, kind, acceleration)
            if state[OUTCOME] == RUNNING and state[SEPARATION_COUNT] >= maximum_impacts:
                state[OUTCOME] = IMPACT_LIMIT
        elif step >= remaining:
            state[OUTCOME] = END_OF_TIME
    expand_series(chain, law, work)
    write_row(chain, law, work, 0.0)


@kernel
def track_peaks(work, end):
    """Update the largest interface force and overlap while there is contact."""
    state, totals = work.state, work.totals
    if state[COUPLING] == UNCOUPLED and state[PAD_STATE] == PAD_OPEN:
        return
    totals[PEAK_FORCE] = max(totals[PEAK_FORCE], largest_value(work.c[INTERFACE_FORCE], work.c[SCRATCH], end))
    totals[LARGEST_OVERLAP] = max(
        totals[LARGEST_OVERLAP], largest_value(work.c[OVERLAP], work.c[SCRATCH], end)
    )


@kernel
def record(chain, law, work, end, kind, interval):
    """Write the rows of this step: its start after an event, its samples, and its end if an event follows."""
    state, totals = work.state, work.totals
    if state[ROW_PENDING] == 1:
        write_row(chain, law, work, 0.0)
        state[ROW_PENDING] = 0
    following = (totals[SAMPLE_COUNT] + 1.0) * interval
    while following < totals[TIME] + end:
        if following > totals[TIME]:
            write_row(chain, law, work, following - totals[TIME])
        totals[SAMPLE_COUNT] += 1.0
        following = (totals[SAMPLE_COUNT] + 1.0) * interval
    if kind != NO_EVENT:
        write_row(chain, law, work, end)


@kernel
def write_row(chain, law, work, t):
    """Write time, force, dissipated energy, positions and velocities at t [s] after the start of the step."""
    state, totals, q = work.state, work.totals, work.q
    if state[ROW_COUNT] >= work.rows.shape[0]:
        return
    row = work.rows[state[ROW_COUNT]]
    row[ROW_TIME] = totals[TIME] + t
    row[ROW_FORCE] = evaluate(work.c[INTERFACE_FORCE], t)
    row[ROW_DISSIPATED] = totals[DISSIPATED] + dissipated(chain, law, work, t)
    evaluate_all(q, t)
    for i in range(q.shape[0]):
        row[ROW_STATE + i] = q[i, VALUE_COLUMN]
    state[ROW_COUNT] += 1
