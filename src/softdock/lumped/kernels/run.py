"""The run: expand, find the event, advance, change the phase."""

from softdock.lumped.kernels.events import (
    ENOUGH_IMPACTS,
    NOTHING,
    RUNNING,
    TIME_OVER,
    TOO_FAST,
    change_phase,
    highest,
    next_event,
    relative_acceleration,
    starting_event,
)
from softdock.lumped.kernels.motion import (
    CLEAR,
    DEEPEST,
    DISSIPATED,
    ENERGY_START,
    FREE,
    GRIP,
    MOMENTUM_START,
    OUTCOME,
    PAD,
    PARTINGS,
    PEAK_FORCE,
    PENDING,
    ROWS,
    SAMPLES,
    SCRATCH,
    STEPS,
    TIME,
    F,
    S,
    advance,
    dissipated,
    energy,
    expand,
    interface_damping,
    interface_stiffness,
    longest_step,
    momentum,
    shortest_step,
)
from softdock.lumped.kernels.polynomial import SPARE, evaluate, evaluate_all
from softdock.native.decorators import kernel

# Columns of a row before the positions and velocities.
ROW_TIME, ROW_FORCE, ROW_DISSIPATED, ROW_STATE = range(4)


@kernel
def run(chain, law, work, end_time, most_impacts, interval, most_steps):
    """Run the chain from the state in the first column of q.

    Until it latches, jams, has parted often enough, or time is over.
    """

    state, books = work.state, work.books
    books[ENERGY_START] = energy(chain, law, work)
    books[MOMENTUM_START] = momentum(chain, work)
    state[PENDING] = 1
    if shortest_step(chain, law) * most_steps < end_time:
        state[OUTCOME] = TOO_FAST
        return
    kind = starting_event(chain, work)
    if kind != NOTHING:
        change_phase(chain, law, work, kind, 0.0)
    while state[OUTCOME] == RUNNING:
        expand(chain, law, work)
        remaining = end_time - books[TIME]
        longest = longest_step(chain, interface_stiffness(law, state), interface_damping(law, state))
        step = min(longest, remaining)
        step, kind = next_event(law, work, step)
        record(chain, law, work, step, kind, interval)
        track_peaks(work, step)
        acceleration = relative_acceleration(work, step)
        advance(chain, law, work, step)
        state[STEPS] += 1
        if kind != NOTHING:
            change_phase(chain, law, work, kind, acceleration)
            if state[OUTCOME] == RUNNING and state[PARTINGS] >= most_impacts:
                state[OUTCOME] = ENOUGH_IMPACTS
        elif step >= remaining:
            state[OUTCOME] = TIME_OVER
    expand(chain, law, work)
    write_row(chain, law, work, 0.0)


@kernel
def track_peaks(work, end):
    """Keep the largest interface force and the deepest overlap while there is contact."""
    state, books = work.state, work.books
    if state[GRIP] == FREE and state[PAD] == CLEAR:
        return
    books[PEAK_FORCE] = max(books[PEAK_FORCE], highest(work.c[F], work.c[SCRATCH], end))
    books[DEEPEST] = max(books[DEEPEST], highest(work.c[S], work.c[SCRATCH], end))


@kernel
def record(chain, law, work, end, kind, interval):
    """Write the rows of this step: its start after an event, its samples, its end before an event."""
    state, books = work.state, work.books
    if state[PENDING] == 1:
        write_row(chain, law, work, 0.0)
        state[PENDING] = 0
    following = (books[SAMPLES] + 1.0) * interval
    while following < books[TIME] + end:
        if following > books[TIME]:
            write_row(chain, law, work, following - books[TIME])
        books[SAMPLES] += 1.0
        following = (books[SAMPLES] + 1.0) * interval
    if kind != NOTHING:
        write_row(chain, law, work, end)


@kernel
def write_row(chain, law, work, t):
    """Write time, force, losses so far, positions and velocities at t after the start of the step."""
    state, books, q = work.state, work.books, work.q
    if state[ROWS] >= work.rows.shape[0]:
        return
    row = work.rows[state[ROWS]]
    row[ROW_TIME] = books[TIME] + t
    row[ROW_FORCE] = evaluate(work.c[F], t)
    row[ROW_DISSIPATED] = books[DISSIPATED] + dissipated(chain, law, work, t)
    evaluate_all(q, t)
    for i in range(q.shape[0]):
        row[ROW_STATE + i] = q[i, SPARE]
    state[ROWS] += 1
