"""What ends a phase of the run, and what the next phase is."""

from softdock.lumped.kernels.motion import (
    AFTER,
    CHANGES,
    CLEAR,
    DISSIPATED,
    FREE,
    GRIP,
    IMPULSE,
    LATCH_TIME,
    MARKS,
    MASS,
    OUTCOME,
    OVERLAP,
    PAD,
    PART_IMPULSE,
    PART_TIME,
    PARTINGS,
    PENDING,
    PRESS,
    REST,
    SCRATCH,
    SLIDE_IN,
    SLIDE_OUT,
    STRUCK,
    STUCK,
    TIME,
    TOUCH_TIME,
    TOUCHES,
    F,
    R,
    S,
    audit,
    overlap,
    reduced_mass,
)
from softdock.lumped.kernels.polynomial import ORDER, derivative, evaluate, first_crossing
from softdock.native.decorators import kernel

# Events.
NOTHING, TOUCH, RELEASE, PRESS_AGAIN, RECOVERED, TURN, LATCH, LEAVE, SLIP_IN, SLIP_OUT, PART, SETTLE = range(
    12
)
# Outcomes that end a run; 0 while it goes on.
RUNNING, LATCHED, JAMMED, ENOUGH_IMPACTS, CHATTERING, TIME_OVER, TOO_FAST = range(7)
MOST_CHANGES = 50_000  # phases; a run with more is not an impact any more


@kernel
def next_event(law, work, end):
    """Return the first event within (0, end] and its time; NOTHING and `end` if there is none."""
    pad, grip = work.state[PAD], work.state[GRIP]
    k_p, d_p = law.pad_stiffness, law.pad_damping
    best, kind = end, NOTHING
    if grip == FREE and pad == CLEAR:
        t = crossing(work, 1.0, 0.0, 0.0, 0.0, best)
        best, kind = (t, TOUCH) if t >= 0.0 else (best, kind)
    if pad == PRESS:
        t = crossing(work, -k_p, -d_p, 0.0, 0.0, best)
        best, kind = (t, RELEASE) if t >= 0.0 else (best, kind)
    if pad == OVERLAP:
        t = crossing(work, k_p, d_p, 0.0, 0.0, best)
        best, kind = (t, PRESS_AGAIN) if t >= 0.0 else (best, kind)
    if pad == OVERLAP and grip == FREE:
        t = crossing(work, -1.0, 0.0, 0.0, 0.0, best)
        best, kind = (t, RECOVERED) if t >= 0.0 else (best, kind)
    if grip == SLIDE_IN:
        t = crossing(work, 1.0, 0.0, 0.0, -law.tip_length, best)
        best, kind = (t, LATCH) if t >= 0.0 else (best, kind)
    if grip == SLIDE_OUT:
        t = crossing(work, -1.0, 0.0, 0.0, 0.0, best)
        best, kind = (t, LEAVE) if t >= 0.0 else (best, kind)
    if grip == SLIDE_IN or grip == SLIDE_OUT:
        t = crossing(work, 0.0, -1.0 if grip == SLIDE_IN else 1.0, 0.0, 0.0, best)
        best, kind = (t, TURN) if t >= 0.0 else (best, kind)
    if grip == STUCK:
        pressed = k_p if pad == PRESS else 0.0  # the pad bears its part of the interface force
        t = crossing(work, -law.wedge_in - pressed, 0.0, 1.0, 0.0, best)
        best, kind = (t, SLIP_IN) if t >= 0.0 else (best, kind)
        t = crossing(work, law.wedge_out + pressed, 0.0, -1.0, 0.0, best)
        best, kind = (t, SLIP_OUT) if t >= 0.0 else (best, kind)
    if grip == REST:
        t = crossing(work, 0.0, 0.0, -1.0, 0.0, best)
        best, kind = (t, PART) if t >= 0.0 else (best, kind)
    return best, kind


@kernel
def crossing(work, of_s, of_r, of_f, constant, end):
    """First time in (0, end] at which `of_s s + of_r r + of_f f + constant` rises above 0, or -1."""
    c, g = work.c, work.c[SCRATCH]
    for k in range(ORDER + 1):
        g[k] = of_s * c[S, k] + of_r * c[R, k] + of_f * c[F, k]
    g[0] += constant
    return first_crossing(g, end)


@kernel
def starting_event(chain, work):
    """Return TOUCH if the bodies start in touch and approach each other, NOTHING otherwise."""
    if overlap(chain, work) >= 0.0 and approach_speed(chain, work) > 0.0:
        return TOUCH
    return NOTHING


@kernel
def approach_speed(chain, work):
    """Speed at which the touching bodies approach each other in the present state [m/s]."""
    v_a = chain.line.shape[1] + chain.touching
    return work.q[v_a, 0] - work.q[v_a + 1, 0]


@kernel
def relative_acceleration(work, t):
    """Second derivative of the overlap at t, by the polynomials of the phase that ends [m/s^2]."""
    return derivative(work.c[R], t)


@kernel
def change_phase(chain, law, work, kind, acceleration):
    """Go over to the phase that follows an event; the present state is that of the event."""
    state = work.state
    mark(work, float(kind))
    state[CHANGES] += 1
    if state[CHANGES] > MOST_CHANGES:
        state[OUTCOME] = CHATTERING
    if kind == TOUCH:
        touch(chain, law, work)
    elif kind == RELEASE:
        if law.pad_damping > 0.0:
            state[PAD] = OVERLAP
        else:
            state[PAD], state[GRIP] = CLEAR, FREE
        note_parting(chain, work)
    elif kind == PRESS_AGAIN:
        state[PAD] = PRESS
    elif kind == RECOVERED:
        state[PAD] = CLEAR
    elif kind == TURN:
        turn(chain, law, work, acceleration)
    elif kind == LATCH:
        state[OUTCOME] = LATCHED
        work.books[LATCH_TIME] = work.books[TIME]
    elif kind == LEAVE or kind == PART:
        state[PAD], state[GRIP] = CLEAR, FREE
        if kind == PART:
            equalise(chain, work)
        note_parting(chain, work)
    elif kind == SLIP_IN or kind == SLIP_OUT:
        state[GRIP] = SLIDE_IN if kind == SLIP_IN else SLIDE_OUT
        equalise(chain, work)


@kernel
def touch(chain, law, work):
    """Begin a contact: an impulse where the impact is impulsive, pad and wedge otherwise."""
    state, books = work.state, work.books
    state[TOUCHES] += 1
    if state[TOUCHES] == 1:
        books[TOUCH_TIME] = books[TIME]
    if law.jams:
        state[OUTCOME] = JAMMED
        return
    has_wedge = law.tip_length > 0.0
    if law.restitution >= 0.0 and not (has_wedge and state[STRUCK] == 1):
        strike(chain, law, work)
        state[STRUCK] = 1
        return
    if law.pad_stiffness > 0.0 or law.pad_damping > 0.0:
        state[PAD] = PRESS
    if has_wedge:
        state[GRIP] = SLIDE_IN


@kernel
def strike(chain, law, work):
    """Exchange the impulse of an impact with restitution; a negligible rebound settles into rest."""
    books, state = work.books, work.state
    mu, approach = reduced_mass(chain), approach_speed(chain, work)
    e = law.restitution
    settles = e * approach <= law.settle_speed and law.tip_length == 0.0
    if settles:
        e = 0.0
    impulse = (1.0 + e) * mu * approach  # Eq. (H9)
    v_a = chain.line.shape[1] + chain.touching
    work.q[v_a, 0] -= impulse / chain.line[MASS, chain.touching]
    work.q[v_a + 1, 0] += impulse / chain.line[MASS, chain.touching + 1]
    books[IMPULSE] += impulse
    books[DISSIPATED] += 0.5 * mu * (1.0 - e * e) * approach**2  # Eq. (H10)
    audit(chain, law, work)
    note_parting(chain, work)
    if settles:
        state[GRIP] = REST
        mark(work, float(SETTLE))
    if e == 0.0:
        equalise(chain, work)


@kernel
def turn(chain, law, work, acceleration):
    """Where the wedge comes to rest: stuck if friction bears what the bodies ask for, else it slides on."""
    state, depth = work.state, overlap(chain, work)
    slope = law.wedge_in if state[GRIP] == SLIDE_IN else law.wedge_out
    asked = slope * depth + reduced_mass(chain) * acceleration  # Eq. (H11)
    if asked > law.wedge_in * depth:
        state[GRIP] = SLIDE_IN
    elif asked < law.wedge_out * depth:
        state[GRIP] = SLIDE_OUT
    else:
        state[GRIP] = STUCK
        equalise(chain, work)


@kernel
def equalise(chain, work):
    """Remove the round-off by which two bodies at relative rest differ, which could pass for an approach."""
    a, q = chain.touching, work.q
    v_a = chain.line.shape[1] + a
    m_a, m_b = chain.line[MASS, a], chain.line[MASS, a + 1]
    common = (m_a * q[v_a, 0] + m_b * q[v_a + 1, 0]) / (m_a + m_b)
    q[v_a, 0] = common
    q[v_a + 1, 0] = common


@kernel
def note_parting(chain, work):
    """Count a parting, unless wedge or pad still presses, and keep the state of the first."""
    state, books = work.state, work.books
    if state[GRIP] != FREE or state[PAD] == PRESS:
        return
    state[PARTINGS] += 1
    if state[PARTINGS] == 1:
        books[PART_TIME] = books[TIME]
        books[PART_IMPULSE] = books[IMPULSE]
        n = chain.line.shape[1]
        for i in range(n):
            books[AFTER + i] = work.q[n + i, 0]


@kernel
def mark(work, kind):
    """Keep the time and the kind of an event as long as there is room."""
    state = work.state
    state[PENDING] = 1
    if state[MARKS] < work.marks.shape[0]:
        work.marks[state[MARKS], 0] = work.books[TIME]
        work.marks[state[MARKS], 1] = kind
        state[MARKS] += 1


@kernel
def highest(c, g, end):
    """Largest value of the polynomial on [0, end], with one interior maximum at most; `g` is scratch."""
    value = max(c[0], evaluate(c, end))
    if c[1] > 0.0 and derivative(c, end) < 0.0:
        for k in range(ORDER):
            g[k] = -(k + 1) * c[k + 1]
        g[ORDER] = 0.0
        t = first_crossing(g, end)
        if t >= 0.0:
            value = max(value, evaluate(c, t))
    return value
