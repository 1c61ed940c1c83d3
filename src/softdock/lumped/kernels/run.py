"""The run: expand, find the event, advance, change the phase."""

from softdock.jit import kernel
from softdock.lumped.kernels.events import (
    ENOUGH_IMPACTS,
    NOTHING,
    RUNNING,
    TIME_OVER,
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
    STEPS,
    TIME,
    advance,
    dissipated,
    energy,
    expand,
    longest_step,
    momentum,
)
from softdock.lumped.kernels.polynomial import evaluate

# Columns of a row before the positions and velocities.
ROW_TIME, ROW_FORCE, ROW_DISSIPATED, ROW_STATE = range(4)


@kernel
def run(chain, law, work, end_time, most_impacts, interval):
    """Run the chain from the state in u[:, 0], v[:, 0].

    Until it latches, jams, has parted often enough, or time is over.
    """
    state, books = work.state, work.books
    books[ENERGY_START] = energy(chain, law, work)
    books[MOMENTUM_START] = momentum(chain, work)
    state[PENDING] = 1
    kind = starting_event(chain, work)
    if kind != NOTHING:
        change_phase(chain, law, work, kind, 0.0)
    while state[OUTCOME] == RUNNING:
        expand(chain, law, work)
        remaining = end_time - books[TIME]
        longest = longest_step(chain, law, state)
        step = min(longest, remaining) if longest > 0.0 else remaining
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
    books[PEAK_FORCE] = max(books[PEAK_FORCE], highest(work.f, work.g, end))
    books[DEEPEST] = max(books[DEEPEST], highest(work.s, work.g, end))


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
    state, books, n = work.state, work.books, chain.mass.size
    if state[ROWS] >= work.rows.shape[0]:
        return
    row = work.rows[state[ROWS]]
    row[ROW_TIME] = books[TIME] + t
    row[ROW_FORCE] = evaluate(work.f, t)
    row[ROW_DISSIPATED] = books[DISSIPATED] + dissipated(chain, law, work, t)
    for i in range(n):
        row[ROW_STATE + i] = evaluate(work.u[i], t)
        row[ROW_STATE + n + i] = evaluate(work.v[i], t)
    state[ROWS] += 1
