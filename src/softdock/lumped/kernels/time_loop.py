"""Time loop of a mass chain: expand the series, find the next event, record, advance, change the phase."""

from softdock.lumped.kernels.events import (
    END_OF_TIME,
    IMPACT_LIMIT,
    NO_EVENT,
    RUNNING,
    TOO_MANY_STEPS,
    change_phase,
    next_event,
    relative_acceleration,
    starting_event,
)
from softdock.lumped.kernels.motion import (
    ENERGY_START,
    MOMENTUM_START,
    OUTCOME,
    ROW_PENDING,
    SAMPLE_COUNT,
    SEPARATION_COUNT,
    STEP_COUNT,
    TIME,
    advance_state,
    energy,
    expand_series,
    interface_damping,
    interface_stiffness,
    longest_step,
    momentum,
    shortest_step,
)
from softdock.lumped.kernels.peaks import track_link_peaks, track_peaks
from softdock.lumped.kernels.rows import write_row
from softdock.native.decorators import kernel


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
        track_peaks(chain, work, step, kind != NO_EVENT or step >= remaining)
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
    track_link_peaks(chain, work, 0.0, True)  # dampers after a last impulse
    write_row(chain, law, work, 0.0)


@kernel
def record(chain, law, work, end, kind, interval):
    """Write the rows of this step: its start after an event, its samples, and its end if an event follows."""
    state, totals = work.state, work.totals
    recorded_until = -1.0
    if state[ROW_PENDING] == 1:
        write_row(chain, law, work, 0.0)
        state[ROW_PENDING] = 0
        recorded_until = totals[TIME]
    following = (totals[SAMPLE_COUNT] + 1.0) * interval
    while following < totals[TIME] + end:
        if following >= totals[TIME] and following > recorded_until:
            write_row(chain, law, work, following - totals[TIME])
        totals[SAMPLE_COUNT] += 1.0
        following = (totals[SAMPLE_COUNT] + 1.0) * interval
    if kind != NO_EVENT:
        write_row(chain, law, work, end)
