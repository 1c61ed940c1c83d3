"""Events that end a phase of a run, and the transitions to the next phase."""

from softdock.lumped.kernels.motion import (
    COUPLING,
    DISSIPATED,
    EVENT_COUNT,
    IMPACT_DONE,
    IMPULSE,
    INTERFACE_FORCE,
    LATCH_TIME,
    MASS,
    OUTCOME,
    OVERLAP,
    OVERLAP_RATE,
    PAD_LOADED,
    PAD_OPEN,
    PAD_STATE,
    PAD_UNLOADED,
    PHASE_COUNT,
    RESTING,
    ROW_PENDING,
    SCRATCH,
    SEPARATION_COUNT,
    SEPARATION_IMPULSE,
    SEPARATION_TIME,
    SLIDING_IN,
    SLIDING_OUT,
    STUCK,
    TIME,
    TOUCH_COUNT,
    TOUCH_TIME,
    UNCOUPLED,
    VELOCITIES_AFTER,
    check_conservation,
    overlap,
    reduced_mass,
)
from softdock.lumped.kernels.polynomial import ORDER, derivative, first_crossing
from softdock.native.decorators import kernel

# Events.
NO_EVENT, TOUCH, RELEASE, PRESS_AGAIN, RECOVERED, TURN, LATCH, LEAVE, SLIP_IN, SLIP_OUT, SEPARATE, SETTLE = (
    range(12)
)
# Outcomes that end a run.
RUNNING, LATCHED, JAMMED, IMPACT_LIMIT, CHATTERING, END_OF_TIME, TOO_MANY_STEPS = range(7)
MAXIMUM_PHASES = 50_000  # a run with more phases is stopped as chattering


@kernel
def next_event(law, work, end):
    """Return the first event within (0, end] and its time; NO_EVENT and `end` if there is none."""
    pad, coupling = work.state[PAD_STATE], work.state[COUPLING]
    k_p, d_p = law.pad_stiffness, law.pad_damping
    best, kind = end, NO_EVENT
    if coupling == UNCOUPLED and pad == PAD_OPEN:
        t = first_rise(work, 1.0, 0.0, 0.0, 0.0, best)
        best, kind = (t, TOUCH) if t >= 0.0 else (best, kind)
    if pad == PAD_LOADED:
        t = first_rise(work, -k_p, -d_p, 0.0, 0.0, best)
        best, kind = (t, RELEASE) if t >= 0.0 else (best, kind)
    if pad == PAD_UNLOADED:
        t = first_rise(work, k_p, d_p, 0.0, 0.0, best)
        best, kind = (t, PRESS_AGAIN) if t >= 0.0 else (best, kind)
    if pad == PAD_UNLOADED and coupling == UNCOUPLED:
        t = first_rise(work, -1.0, 0.0, 0.0, 0.0, best)
        best, kind = (t, RECOVERED) if t >= 0.0 else (best, kind)
    if coupling == SLIDING_IN:
        t = first_rise(work, 1.0, 0.0, 0.0, -law.tip_length, best)
        best, kind = (t, LATCH) if t >= 0.0 else (best, kind)
    if coupling == SLIDING_OUT:
        t = first_rise(work, -1.0, 0.0, 0.0, 0.0, best)
        best, kind = (t, LEAVE) if t >= 0.0 else (best, kind)
    if coupling == SLIDING_IN or coupling == SLIDING_OUT:
        t = first_rise(work, 0.0, -1.0 if coupling == SLIDING_IN else 1.0, 0.0, 0.0, best)
        best, kind = (t, TURN) if t >= 0.0 else (best, kind)
    if coupling == STUCK:
        pressed = k_p if pad == PAD_LOADED else 0.0  # the pad carries part of the interface force
        t = first_rise(work, -law.wedge_in - pressed, 0.0, 1.0, 0.0, best)
        best, kind = (t, SLIP_IN) if t >= 0.0 else (best, kind)
        t = first_rise(work, law.wedge_out + pressed, 0.0, -1.0, 0.0, best)
        best, kind = (t, SLIP_OUT) if t >= 0.0 else (best, kind)
    if coupling == RESTING:
        t = first_rise(work, 0.0, 0.0, -1.0, 0.0, best)
        best, kind = (t, SEPARATE) if t >= 0.0 else (best, kind)
    return best, kind


@kernel
def first_rise(work, of_s, of_r, of_f, constant, end):
    """Return the first time in (0, end] at which `of_s s + of_r r + of_f f + constant` rises above 0, or -1.

    s, r and f are overlap, overlap rate and interface force.
    """
    c, g = work.c, work.c[SCRATCH]
    for k in range(ORDER + 1):
        g[k] = of_s * c[OVERLAP, k] + of_r * c[OVERLAP_RATE, k] + of_f * c[INTERFACE_FORCE, k]
    g[0] += constant
    return first_crossing(g, end)


@kernel
def starting_event(chain, work):
    """Return TOUCH if the bodies start in contact and approach each other, NO_EVENT otherwise."""
    if overlap(chain, work) >= 0.0 and approach_speed(chain, work) > 0.0:
        return TOUCH
    return NO_EVENT


@kernel
def approach_speed(chain, work):
    """Return the speed at which the touching bodies approach each other in the current state [m/s]."""
    v_a = chain.line.shape[1] + chain.touching
    return work.q[v_a, 0] - work.q[v_a + 1, 0]


@kernel
def relative_acceleration(work, t):
    """Return the second derivative of the overlap at t from the series of the phase that ends [m/s^2]."""
    return derivative(work.c[OVERLAP_RATE], t)


@kernel
def change_phase(chain, law, work, kind, acceleration):
    """Enter the phase that follows an event; the current state is that at the event."""
    state = work.state
    record_event(work, float(kind))
    state[PHASE_COUNT] += 1
    if state[PHASE_COUNT] > MAXIMUM_PHASES:
        state[OUTCOME] = CHATTERING
    if kind == TOUCH:
        begin_contact(chain, law, work)
    elif kind == RELEASE:
        if law.pad_damping > 0.0:
            state[PAD_STATE] = PAD_UNLOADED
        else:
            state[PAD_STATE], state[COUPLING] = PAD_OPEN, UNCOUPLED
        record_separation(chain, work)
    elif kind == PRESS_AGAIN:
        state[PAD_STATE] = PAD_LOADED
    elif kind == RECOVERED:
        state[PAD_STATE] = PAD_OPEN
    elif kind == TURN:
        resolve_turning_point(chain, law, work, acceleration)
    elif kind == LATCH:
        state[OUTCOME] = LATCHED
        work.totals[LATCH_TIME] = work.totals[TIME]
    elif kind == LEAVE or kind == SEPARATE:
        state[PAD_STATE], state[COUPLING] = PAD_OPEN, UNCOUPLED
        if kind == SEPARATE:
            equalise_velocities(chain, work)
        record_separation(chain, work)
    elif kind == SLIP_IN or kind == SLIP_OUT:
        state[COUPLING] = SLIDING_IN if kind == SLIP_IN else SLIDING_OUT
        equalise_velocities(chain, work)


@kernel
def begin_contact(chain, law, work):
    """Begin a contact: apply an impulse where the impact is impulsive, else load pad and wedge."""
    state, totals = work.state, work.totals
    state[TOUCH_COUNT] += 1
    if state[TOUCH_COUNT] == 1:
        totals[TOUCH_TIME] = totals[TIME]
    if law.jams:
        state[OUTCOME] = JAMMED
        return
    has_wedge = law.tip_length > 0.0
    if law.restitution >= 0.0 and not (has_wedge and state[IMPACT_DONE] == 1):
        apply_impact(chain, law, work)
        state[IMPACT_DONE] = 1
        return
    if law.pad_stiffness > 0.0 or law.pad_damping > 0.0:
        state[PAD_STATE] = PAD_LOADED
    if has_wedge:
        state[COUPLING] = SLIDING_IN


@kernel
def apply_impact(chain, law, work):
    """Apply the impulse of an impact with restitution; a negligible rebound becomes relative rest."""
    totals, state = work.totals, work.state
    mu, approach = reduced_mass(chain), approach_speed(chain, work)
    e = law.restitution
    settles = e * approach <= law.settle_speed and law.tip_length == 0.0
    if settles:
        e = 0.0
    impulse = (1.0 + e) * mu * approach  # Eq. (H9)
    v_a = chain.line.shape[1] + chain.touching
    work.q[v_a, 0] -= impulse / chain.line[MASS, chain.touching]
    work.q[v_a + 1, 0] += impulse / chain.line[MASS, chain.touching + 1]
    totals[IMPULSE] += impulse
    totals[DISSIPATED] += 0.5 * mu * (1.0 - e * e) * approach**2  # Eq. (H10)
    check_conservation(chain, law, work)
    record_separation(chain, work)
    if settles:
        state[COUPLING] = RESTING
        record_event(work, float(SETTLE))
    if e == 0.0:
        equalise_velocities(chain, work)


@kernel
def resolve_turning_point(chain, law, work, acceleration):
    """Enter the phase after the wedge comes to rest: stuck if friction carries the required force, else sliding."""
    state, depth = work.state, overlap(chain, work)
    slope = law.wedge_in if state[COUPLING] == SLIDING_IN else law.wedge_out
    required_force = slope * depth + reduced_mass(chain) * acceleration  # Eq. (H11)
    if required_force > law.wedge_in * depth:
        state[COUPLING] = SLIDING_IN
    elif required_force < law.wedge_out * depth:
        state[COUPLING] = SLIDING_OUT
    else:
        state[COUPLING] = STUCK
        equalise_velocities(chain, work)


@kernel
def equalise_velocities(chain, work):
    """Set the velocities of two bodies at relative rest equal: a round-off difference would count as an approach."""
    a, q = chain.touching, work.q
    v_a = chain.line.shape[1] + a
    m_a, m_b = chain.line[MASS, a], chain.line[MASS, a + 1]
    common = (m_a * q[v_a, 0] + m_b * q[v_a + 1, 0]) / (m_a + m_b)
    q[v_a, 0] = common
    q[v_a + 1, 0] = common


@kernel
def record_separation(chain, work):
    """Count a separation unless wedge or pad is still loaded; keep time, impulse and velocities of the first."""
    state, totals = work.state, work.totals
    if state[COUPLING] != UNCOUPLED or state[PAD_STATE] == PAD_LOADED:
        return
    state[SEPARATION_COUNT] += 1
    if state[SEPARATION_COUNT] == 1:
        totals[SEPARATION_TIME] = totals[TIME]
        totals[SEPARATION_IMPULSE] = totals[IMPULSE]
        n = chain.line.shape[1]
        for i in range(n):
            totals[VELOCITIES_AFTER + i] = work.q[n + i, 0]


@kernel
def record_event(work, kind):
    """Record time and kind of an event while there is room."""
    state = work.state
    state[ROW_PENDING] = 1
    if state[EVENT_COUNT] < work.events.shape[0]:
        work.events[state[EVENT_COUNT], 0] = work.totals[TIME]
        work.events[state[EVENT_COUNT], 1] = kind
        state[EVENT_COUNT] += 1
