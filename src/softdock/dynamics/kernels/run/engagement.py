"""Instants at which stops begin and cease to push, which end a step.

Where a joint reaches its stop, the slope of the force jumps, and with damping the force itself. Estimated error and
interpolation of a step over such an instant are wrong, and an implicit step may not notice the stop at all. Therefore a
stop stays engaged or free during a step, so that its force is smooth, and the step is shortened to the first instant at
which its interpolation shows a change; Eqs. (M116), (M117), (M120).
"""

import math

from softdock.dynamics.kernels.integration.force_errors import forget_displacement
from softdock.dynamics.kernels.integration.stepping import INSTANT_WIDTH, interpolate, interpolate_entries
from softdock.elements.kinds import kind_number
from softdock.elements.stop.kernels import stop_depth, stop_force
from softdock.native.decorators import inline, kernel

STOP = kind_number("stop")
# Instants of a step at which stops are examined, besides those of largest depth between them.
SAMPLES = 16
# Of the resting depth: by how much an engaged stop is stretched before it is freed. Without this the interpolation of
# implicit steps, whose slope is not exact at their start, would free and engage a stop at the same instant.
RELEASE_SHARE = 0.25
# Of the resting speed: by how much the pull of an engaged stop changes the speed of its joint before it is freed.
# Without this a pull below that of RELEASE_SHARE would hold a joint.
IMPULSE_SHARE = 0.05
# Largest step in which a stop is freed, in relaxation times. The interpolation of a longer step does not contain the
# decay of the force and would show the instant too late.
RELEASE_STEP = 0.5


@kernel
def keep_states_in_steps(stops):
    """Let stops stay engaged or free during a step; without this, every evaluation decides whether they act."""
    for i in range(stops.shape[0]):
        stops[i].keeps_state = 1


@inline
def is_stop(system, i):
    """Return whether element i is a stop that is switched on."""
    return system.elements[i].kind == STOP and system.element_data[i].active == 1


@inline
def law_of(system, i):
    """Return the law of element i, a stop."""
    return system.laws.stop[system.elements[i].row]


@inline
def state_of(system, i):
    """Return the state of element i, a stop."""
    return system.states.stop[system.elements[i].row]


@kernel
def engage_stops(run):
    """Engage and free stops according to the present state, which an event or the caller of a run may have changed."""
    w, system, y = run.system.world[0], run.system, run.y
    u = y[w.n_q : w.n_q + w.n_u]
    for i in range(system.elements.shape[0]):
        if is_stop(system, i):
            element, stop, state = system.elements[i], law_of(system, i), state_of(system, i)
            if state.keeps_state == 1:
                depth, rate, _, _, _ = stop_depth(element, stop, y, u, state.engaged)
                if state.engaged != 0 and not stays_engaged(stop, state, depth, rate):
                    change_stop(run, i)
                    # The other limit may be nearer.
                    depth, rate, _, _, _ = stop_depth(element, stop, y, u, 0)
                if state.engaged == 0 and not stays_free(stop, state, depth, rate):
                    change_stop(run, i)


@kernel
def change_stop(run, i):
    """Engage or free a stop at the present state; an engaged one limits the next step to its response time.

    The energy that a freed stop still stores is dissipated by its damper; a stop that is engaged again has it again.
    Energies are not accounted for here at the start of a run, nor while an event acts (`account_switch`).
    """
    s, w, y = run.progress[0], run.system.world[0], run.y
    element, stop, state = run.system.elements[i], law_of(run.system, i), state_of(run.system, i)
    depth, _, n, _, _ = stop_depth(element, stop, y, y[w.n_q : w.n_q + w.n_u], state.engaged)
    sign = 1.0 if state.engaged != 0 else -1.0
    state.tension_impulse = 0.0
    if state.engaged != 0:
        x = depth - state.engaged_depth
        state.engaged, state.engaged_depth = 0, 0.0
    else:
        state.engaged = -1 if element.rows == 1 and n < 0.0 else 1
        state.engaged_depth = min(max(depth, 0.0), state.resting_depth)
        x = depth - state.engaged_depth
        s.step = max(min(s.step, state.response_time), run.settings[0].min_step)
        forget_displacement(run, i)
    if s.started == 1 and s.switched == 0:
        y[w.n_q + w.n_u] += sign * 0.5 * stop.stiffness * x * x


@inline
def stays_engaged(stop, state, depth, rate):
    """Return whether an engaged stop is neither stretched nor pulls, at a depth [m or rad] and its rate; Eq. (M116)."""
    stretch = RELEASE_SHARE * state.resting_depth
    pulls = stop_force(stop, state, depth, rate) < -stop.stiffness * stretch
    return depth >= state.engaged_depth - stretch and not pulls


@inline
def largest_tension_impulse(stop, state):
    """Return the impulse [N s or N m s] of its pull after which an engaged stop is freed; Eq. (M120)."""
    inertia = stop.stiffness * state.response_time * state.response_time
    return IMPULSE_SHARE * inertia * state.resting_speed


@inline
def longest_step_to_change(system, i):
    """Return the size of the longest step whose interpolation shows when a stop changes [s]; infinite if it is free."""
    stop, state = law_of(system, i), state_of(system, i)
    relaxation_time = state.response_time + stop.damping / stop.stiffness
    return RELEASE_STEP * relaxation_time if state.engaged != 0 else math.inf


@inline
def stays_free(stop, state, depth, rate):
    """Return whether a free stop would not push, at a depth [m or rad] and its rate, or its joint is at rest at it.

    Eqs. (M116), (M117).
    """
    force, rest = stop_force(stop, state, depth, rate), state.resting_depth
    arrives = force > 0.0 and rate > state.resting_speed
    is_pressed = depth > rest and force > stop.stiffness * rest
    return depth <= 0.0 or not (arrives or is_pressed)


@kernel
def first_change(run, h):
    """Return the first instant theta of a step of size h at which a stop is engaged or freed, and its index.

    Returns infinity and -1 if none changes. Writes into `workspace.y_stage`.
    """
    first, index = math.inf, -1
    for i in range(run.system.elements.shape[0]):
        if is_stop(run.system, i) and may_change(run.system, i, run.workspace.dense):
            theta = first_change_of(run, i, h)
            if theta < first:
                first, index = theta, i
    return first, index


@inline
def may_change(system, i, dense):
    """Return whether a stop may change in a step: not if it is free and bounds show that the joint keeps its limits."""
    element, stop, state = system.elements[i], law_of(system, i), state_of(system, i)
    if state.engaged != 0 or element.ball == 1:
        return True
    square = 0.0
    for at in range(element.at_q, element.at_q + element.rows):
        x_0 = dense[0, at]
        x_1 = x_0 + dense[1, at]
        # Largest distance from the chord, with the largest values of the products in Eq. (M33).
        beyond = 0.25 * abs(dense[2, at]) + 4.0 / 27.0 * abs(dense[3, at]) + 0.0625 * abs(dense[4, at])
        if element.rows == 1:
            return max(x_0, x_1) + beyond > stop.upper or min(x_0, x_1) - beyond < stop.lower
        most = max(abs(x_0), abs(x_1)) + beyond
        square += most * most
    return square > stop.upper * stop.upper


@kernel
def first_change_of(run, i, h):
    """Return the first instant theta of a step of size h at which a stop is engaged or freed, or infinity."""
    element, state = run.system.elements[i], state_of(run.system, i)
    if state.engaged != 0:
        return first_release(run, i, h)
    first = first_engagement(run, i, 1)
    return min(first, first_engagement(run, i, -1)) if element.rows == 1 else first


@kernel
def first_release(run, i, h):
    """Return the first instant theta of a step of size h at which a stop is freed, or infinity; Eqs. (M116), (M120)."""
    stop, state = law_of(run.system, i), state_of(run.system, i)
    left, impulse, largest = 0.0, state.tension_impulse, largest_tension_impulse(stop, state)
    depth, rate = depth_inside(run, i, state.engaged, left)
    tension = -stop_force(stop, state, depth, rate)
    for k in range(1, SAMPLES + 1):
        right, previous = k / SAMPLES, tension
        depth, rate = depth_inside(run, i, state.engaged, right)
        if has_changed(stop, state, depth, rate):
            return bisect_change(run, i, state.engaged, left, right)
        tension = -stop_force(stop, state, depth, rate)
        added = 0.5 * (right - left) * h * (previous + tension)
        if impulse + added > largest:
            return left + (right - left) * max(largest - impulse, 0.0) / added
        impulse = max(impulse + added, 0.0)
        left = right
    return math.inf


@kernel
def first_engagement(run, i, limit):
    """Return the first instant theta of a step at which a free stop is engaged at a limit (1 or -1), or infinity.

    Eq. (M116).
    """
    stop, state = law_of(run.system, i), state_of(run.system, i)
    left = 0.0
    _, rate = depth_inside(run, i, limit, left)
    for k in range(1, SAMPLES + 1):
        right, previous = k / SAMPLES, rate
        depth, rate = depth_inside(run, i, limit, right)
        if previous > 0.0 > rate:
            # The joint turned back before its limit, or beyond it.
            turn = locate_largest_depth(run, i, limit, left, right)
            depth_there, rate_there = depth_inside(run, i, limit, turn)
            if has_changed(stop, state, depth_there, rate_there):
                return bisect_change(run, i, limit, left, turn)
        if has_changed(stop, state, depth, rate):
            return bisect_change(run, i, limit, left, right)
        left = right
    return math.inf


@kernel
def accumulate_tension(run, h):
    """Update the impulse of the pull of engaged stops by a step of size h from `y` to `workspace.y_new`; Eq. (M120)."""
    w, y, y_new = run.system.world[0], run.y, run.workspace.y_new
    for i in range(run.system.elements.shape[0]):
        if run.system.elements[i].kind == STOP:
            element, stop, state = run.system.elements[i], law_of(run.system, i), state_of(run.system, i)
            if state.engaged != 0:
                depth, rate, _, _, _ = stop_depth(
                    element, stop, y_new, y_new[w.n_q : w.n_q + w.n_u], state.engaged
                )
                tension = -stop_force(stop, state, depth, rate)
                depth, rate, _, _, _ = stop_depth(element, stop, y, y[w.n_q : w.n_q + w.n_u], state.engaged)
                added = 0.5 * h * (tension - stop_force(stop, state, depth, rate))
                state.tension_impulse = max(state.tension_impulse + added, 0.0)


@inline
def has_changed(stop, state, depth, rate):
    """Return whether a stop leaves the state of the start of the step, at a depth [m or rad] and its rate."""
    if state.engaged != 0:
        return not stays_engaged(stop, state, depth, rate)
    return not stays_free(stop, state, depth, rate)


@kernel
def bisect_change(run, i, limit, left, right):
    """Return the instant theta at which a stop has changed, between one at which it has not and one at which it has."""
    stop, state = law_of(run.system, i), state_of(run.system, i)
    while right - left > INSTANT_WIDTH:
        theta = 0.5 * (left + right)
        if not left < theta < right:  # neighbouring numbers
            break
        depth, rate = depth_inside(run, i, limit, theta)
        if has_changed(stop, state, depth, rate):
            right = theta
        else:
            left = theta
    return right


@kernel
def locate_largest_depth(run, i, limit, left, right):
    """Return the instant theta between two at which the depth at a limit, which grows at first, is largest."""
    while right - left > INSTANT_WIDTH:
        theta = 0.5 * (left + right)
        if not left < theta < right:  # neighbouring numbers
            break
        _, rate = depth_inside(run, i, limit, theta)
        if rate > 0.0:
            left = theta
        else:
            right = theta
    return left


@inline
def depth_inside(run, i, limit, theta):
    """Return depth [m or rad] and rate of a stop at theta of a step, at a limit (1 or -1); Eq. (M33)."""
    w, y, dense = run.system.world[0], run.workspace.y_stage, run.workspace.dense
    element, stop = run.system.elements[i], law_of(run.system, i)
    coordinates = 4 if element.ball == 1 else element.rows
    at_u = w.n_q + element.at_u
    interpolate_entries(dense, theta, element.at_q, element.at_q + coordinates, y)
    interpolate_entries(dense, theta, at_u, at_u + element.rows, y)
    depth, rate, _, _, _ = stop_depth(element, stop, y, y[w.n_q : w.n_q + w.n_u], limit)
    return depth, rate


@kernel
def shorten_step(work, theta):
    """Let a step end at theta: its interpolation becomes that of the shorter step, `y_new` the state at its end."""
    dense = work.dense
    for i in range(work.y_new.shape[0]):
        # Coefficients of the powers of theta, and back; Eq. (M33).
        first = theta * (dense[1, i] + dense[2, i])
        second = theta**2 * (dense[3, i] + dense[4, i] - dense[2, i])
        third = -(theta**3) * (dense[3, i] + 2.0 * dense[4, i])
        dense[4, i] *= theta**4
        dense[3, i] = -third - 2.0 * dense[4, i]
        dense[2, i] = dense[3, i] + dense[4, i] - second
        dense[1, i] = first - dense[2, i]
    interpolate(dense, 1.0, work.y_new)
