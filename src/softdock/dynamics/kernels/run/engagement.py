"""States of elements that change at located instants, which end a step.

Where a joint reaches its stop, the slope of the force jumps, and with damping the force itself. Estimated error and
interpolation of a step over such an instant are wrong, and an implicit step may not notice the stop at all. Therefore
whatever pushes only on one side stays engaged or free during a step, and a law with several branches stays on one of
them, so that forces are smooth; the step is shortened to the first instant at which its interpolation shows a change;
Eqs. (M116), (M117), (M120), (M126). Which elements have such states, and where these change, say the functions of their
kinds; see `elements.kernels.dispatch`. Friction that sticks is in `sticking`.
"""

import math

from softdock.dynamics.kernels.forces.derivative import set_motion
from softdock.dynamics.kernels.integration.force_errors import add_speed_error, forget_displacement
from softdock.dynamics.kernels.integration.stepping import INSTANT_WIDTH, interpolate, interpolate_entries
from softdock.elements.kernels.dispatch import (
    branch_at,
    depth_at,
    has_branches,
    may_engage,
    one_sided,
    present_branch,
    set_branch,
)
from softdock.elements.kernels.one_sided import (
    free,
    has_changed,
    largest_tension_impulse,
    longest_step_to_change,
    may_reach_limit,
    one_sided_force,
    speed_error_of_release,
    stays_engaged,
    stays_free,
)
from softdock.native.decorators import inline, kernel

# Instants of a step at which states are examined, besides those of largest depth between them.
SAMPLES = 16
# The same for branches: the force is continuous from one to the next, so that a short excursion changes little.
BRANCH_SAMPLES = 8


@kernel
def keep_states_in_steps(element_data):
    """Let states change only between steps; without this, every evaluation decides whether an element acts."""
    for i in range(element_data.shape[0]):
        element_data[i].keeps_state = 1


@kernel
def update_states(run):
    """Change states according to the present state, which an event or the caller of a run may have changed."""
    w, system, y, t = run.system.world[0], run.system, run.y, run.progress[0].t
    u = y[w.n_q : w.n_q + w.n_u]
    for i in range(system.elements.shape[0]):
        data = system.element_data[i]
        if data.keeps_state == 1:
            sides, k, c, _ = one_sided(system, i)
            if sides > 0:
                place_bodies(system, i, y)
                depth, rate, _ = depth_at(system, i, data.engaged, t, y, u)
                if data.engaged != 0 and not stays_engaged(data, k, c, depth, rate):
                    change_engagement(run, i)
                    # The other limit may be nearer.
                    depth, rate, _ = depth_at(system, i, 0, t, y, u)
                if data.engaged == 0 and not stays_free(data, k, c, depth, rate):
                    change_engagement(run, i)
            if has_branches(system, i):
                set_branch(system, i, branch_at(system, i, t, y, u))


@kernel
def change_state(run, i):
    """Change the state of an element that the present state asks for."""
    w, system, y, t = run.system.world[0], run.system, run.y, run.progress[0].t
    u = y[w.n_q : w.n_q + w.n_u]
    branch = branch_at(system, i, t, y, u) if has_branches(system, i) else 0
    if has_branches(system, i) and branch != present_branch(system, i):
        set_branch(system, i, branch)
    else:
        change_engagement(run, i)
        if has_branches(system, i):
            set_branch(system, i, branch_at(system, i, t, y, u))


@kernel
def change_engagement(run, i):
    """Engage or free an element at the present state; an engaged one limits the next step to its response time.

    The energy that a freed one still stores is dissipated by its damper; one that is engaged again has it again.
    Energies are not accounted for here at the start of a run, nor while an event acts (`account_switch`).
    """
    s, w, y, data = run.progress[0], run.system.world[0], run.y, run.system.element_data[i]
    _, k, _, stored = one_sided(run.system, i)
    place_bodies(run.system, i, y)
    depth, rate, side = depth_at(run.system, i, data.engaged, s.t, y, y[w.n_q : w.n_q + w.n_u])
    sign = 1.0 if data.engaged != 0 else -1.0
    data.tension_impulse = 0.0
    if data.engaged != 0:
        x = depth - data.engaged_depth
        add_speed_error(run, i, speed_error_of_release(data, rate))
        free(data)
    else:
        data.engaged = side
        data.engaged_depth = min(max(depth, 0.0), data.resting_depth)
        x = depth - data.engaged_depth
        s.step = max(min(s.step, data.response_time), run.settings[0].min_step)
        if run.system.elements[i].at_u >= 0:
            forget_displacement(run, i)
        else:
            for row in range(3, 6):  # the same for the displacement between bodies
                data.error_sums[row] = 0.0
    if s.started == 1 and s.switched == 0:
        y[w.n_q + w.n_u] += sign * stored * 0.5 * k * x * x


@kernel
def first_change(run, h):
    """Return the first instant theta of a step of size h at which an element changes its state, and its index.

    Returns infinity and -1 if none changes. Writes into `workspace.y_stage`.
    """
    first, index, system, moved = math.inf, -1, run.system, False
    for i in range(system.elements.shape[0]):
        data = system.element_data[i]
        if data.keeps_state == 1:
            sides, k, c, _ = one_sided(system, i)
            theta = math.inf
            if sides > 0 and data.engaged != 0:
                moved = moved or system.elements[i].at_u < 0
                theta = first_release(run, i, h, k, c)
            elif sides > 0 and may_begin_to_push(run, i, h):
                moved = moved or system.elements[i].at_u < 0
                theta = first_engagement(run, i, h, k, c, 1)
                if sides == 2:
                    theta = min(theta, first_engagement(run, i, h, k, c, -1))
            if has_branches(system, i):
                theta = min(theta, first_other_branch(run, i, h))
            if theta < first:
                first, index = theta, i
    if moved:
        set_motion(system, run.workspace.y_new)
    return first, index


@inline
def may_begin_to_push(run, i, h):
    """Return whether bounds of the motion in a step of size h let a free element begin to push."""
    if run.system.elements[i].at_u >= 0:
        return may_engage(run.system, i, run.workspace.dense)
    return may_reach_limit(run.system.element_data[i], h)


@inline
def place_bodies(system, i, y):
    """Set poses and velocities of links to a state, on which an element between bodies depends."""
    if system.elements[i].at_u < 0:
        set_motion(system, y)


@inline
def longest_step_to(run, i):
    """Return the size of the longest step whose interpolation shows when an element changes its state [s]."""
    sides, k, c, _ = one_sided(run.system, i)
    return longest_step_to_change(run.system.element_data[i], k, c) if sides > 0 else math.inf


@kernel
def first_release(run, i, h, k, c):
    """Return the first instant theta of a step of size h at which an element is freed, or infinity.

    Eqs. (M116), (M120).
    """
    data = run.system.element_data[i]
    left, impulse, largest = 0.0, data.tension_impulse, largest_tension_impulse(data, k)
    depth, rate = depth_inside(run, i, h, data.engaged, left)
    tension = -one_sided_force(data, k, c, depth, rate)
    for sample in range(1, SAMPLES + 1):
        right, previous = sample / SAMPLES, tension
        depth, rate = depth_inside(run, i, h, data.engaged, right)
        if has_changed(data, k, c, depth, rate):
            return bisect_change(run, i, h, k, c, data.engaged, left, right)
        tension = -one_sided_force(data, k, c, depth, rate)
        added = 0.5 * (right - left) * h * (previous + tension)
        if impulse + added > largest:
            return left + (right - left) * max(largest - impulse, 0.0) / added
        impulse = max(impulse + added, 0.0)
        left = right
    return math.inf


@kernel
def first_engagement(run, i, h, k, c, side):
    """Return the first instant theta of a step at which a free element is engaged on a side (1 or -1), or infinity.

    Eq. (M116).
    """
    data = run.system.element_data[i]
    left = 0.0
    _, rate = depth_inside(run, i, h, side, left)
    for sample in range(1, SAMPLES + 1):
        right, previous = sample / SAMPLES, rate
        depth, rate = depth_inside(run, i, h, side, right)
        if previous > 0.0 > rate:
            # The joint turned back before its limit, or beyond it.
            turn = locate_largest_depth(run, i, h, side, left, right)
            depth_there, rate_there = depth_inside(run, i, h, side, turn)
            if has_changed(data, k, c, depth_there, rate_there):
                return bisect_change(run, i, h, k, c, side, left, turn)
        if has_changed(data, k, c, depth, rate):
            return bisect_change(run, i, h, k, c, side, left, right)
        left = right
    return math.inf


@kernel
def first_other_branch(run, i, h):
    """Return the first instant theta of a step of size h at which an element is on another branch, or infinity."""
    left, present = 0.0, present_branch(run.system, i)
    for sample in range(1, BRANCH_SAMPLES + 1):
        right = sample / BRANCH_SAMPLES
        if branch_inside(run, i, h, right) != present:
            while right - left > INSTANT_WIDTH:
                theta = 0.5 * (left + right)
                if not left < theta < right:  # neighbouring numbers
                    break
                if branch_inside(run, i, h, theta) != present:
                    right = theta
                else:
                    left = theta
            return right
        left = right
    return math.inf


@kernel
def accumulate_tension(run, h):
    """Update the impulse of the pull of engaged elements by a step of size h to `workspace.y_new`; Eq. (M120)."""
    w, t, y, y_new = run.system.world[0], run.progress[0].t, run.y, run.workspace.y_new
    for i in range(run.system.elements.shape[0]):
        data = run.system.element_data[i]
        if data.engaged != 0:
            _, k, c, _ = one_sided(run.system, i)
            place_bodies(run.system, i, y)
            depth, rate, _ = depth_at(run.system, i, data.engaged, t, y, y[w.n_q : w.n_q + w.n_u])
            tension = -one_sided_force(data, k, c, depth, rate)
            place_bodies(run.system, i, y_new)
            depth, rate, _ = depth_at(run.system, i, data.engaged, t + h, y_new, y_new[w.n_q : w.n_q + w.n_u])
            added = 0.5 * h * (tension - one_sided_force(data, k, c, depth, rate))
            data.tension_impulse = max(data.tension_impulse + added, 0.0)


@kernel
def bisect_change(run, i, h, k, c, side, left, right):
    """Return the instant theta at which an element changes, between one at which it has not and one at which it has."""
    data = run.system.element_data[i]
    while right - left > INSTANT_WIDTH:
        theta = 0.5 * (left + right)
        if not left < theta < right:  # neighbouring numbers
            break
        depth, rate = depth_inside(run, i, h, side, theta)
        if has_changed(data, k, c, depth, rate):
            right = theta
        else:
            left = theta
    return right


@kernel
def locate_largest_depth(run, i, h, side, left, right):
    """Return the instant theta between two at which the depth on a side, which grows at first, is largest."""
    while right - left > INSTANT_WIDTH:
        theta = 0.5 * (left + right)
        if not left < theta < right:  # neighbouring numbers
            break
        _, rate = depth_inside(run, i, h, side, theta)
        if rate > 0.0:
            left = theta
        else:
            right = theta
    return left


@inline
def interpolate_motion(run, i, theta):
    """Write what an element depends on at theta of a step into `workspace.y_stage`; Eq. (M33).

    For an element between bodies also the poses and velocities of all links.
    """
    n_q, y, dense, element = (
        run.system.world[0].n_q,
        run.workspace.y_stage,
        run.workspace.dense,
        run.system.elements[i],
    )
    if element.at_u < 0:
        interpolate(dense, theta, y)
        set_motion(run.system, y)
        return
    interpolate_entries(
        dense, theta, element.at_q, element.at_q + (4 if element.ball == 1 else element.rows), y
    )
    interpolate_entries(dense, theta, n_q + element.at_u, n_q + element.at_u + element.rows, y)
    if element.at_state >= 0:
        interpolate_entries(dense, theta, element.at_state, element.at_state + 1, y)


@inline
def depth_inside(run, i, h, side, theta):
    """Return depth [m or rad] and rate of an element at theta of a step of size h, on a side (1 or -1)."""
    w, y = run.system.world[0], run.workspace.y_stage
    interpolate_motion(run, i, theta)
    t = run.progress[0].t + theta * h
    depth, rate, _ = depth_at(run.system, i, side, t, y, y[w.n_q : w.n_q + w.n_u])
    return depth, rate


@inline
def branch_inside(run, i, h, theta):
    """Return the branch of the law of an element at theta of a step of size h."""
    w, y = run.system.world[0], run.workspace.y_stage
    interpolate_motion(run, i, theta)
    return branch_at(run.system, i, run.progress[0].t + theta * h, y, y[w.n_q : w.n_q + w.n_u])


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
