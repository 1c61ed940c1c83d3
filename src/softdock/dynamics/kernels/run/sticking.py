"""Friction that sticks: axes of joints that are held, and where they begin and cease to slide.

An axis that sticks does not accelerate; the force that this takes follows from the accelerations of all others, exactly
and without any stiffness (`forces.holding`). It begins to slide where that force exceeds the static friction. It sticks
where it has come to rest and the force is within static friction; Eqs. (M127)-(M136). Friction of all elements on an
axis adds up. A joint of several axes on which elements act as a whole sticks as a whole. States change only between
steps.
"""

import math

from softdock.dynamics.kernels.forces.derivative import derivative
from softdock.dynamics.kernels.forces.holding import used_friction
from softdock.dynamics.kernels.integration.stepping import INSTANT_WIDTH, interpolate, interpolate_entries
from softdock.dynamics.kernels.run.engagement import SAMPLES
from softdock.elements.kernels.dispatch import friction_axes
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.dynamics import solve

# Relative rounding of a holding force: it must exceed static friction by this for an axis to slide.
ROUNDING = 1e-9
# Of the resting speed: speed backwards at which a sliding axis counts as arrived at rest. It is above the rounding of
# the interpolation of a speed that has just begun to grow.
ARRIVAL_SHARE = 1e-3
SETTLED = 0.9
# Resting speed of several axes over the tolerance of speed. The direction of their friction turns until they stick, the
# faster the slower they are; it is resolved by its damping in `error_gains`.
SEVERAL_SPEED_SHARE = 0.01
# Of the resting speed: that at which several axes arrive at rest together, beyond what errors of steps leave of a speed
# that smoothed friction brakes, and their first speed when they begin to slide.
SEVERAL_AT_REST = 10.0
FIRST_SPEED = 12.0
# Several axes that come to rest in a step are followed until their speed is at most so many times that of arrival:
# after a long step their direction would be that of its error. Until then a step ends at this part of the time to rest.
FOLLOWED_SPEED = 4.0
FOLLOWED_SHARE = 0.75
# Of a step: interval to which the instant is narrowed at which a holding force reaches its limit.
RELEASE_WIDTH = 1e-12
# Instants of a step at which holding forces are evaluated if they may exceed static friction between its stages.
HELD_SAMPLES = 8
MOST_DIVISIONS = 100  # bisection alone needs 40
# Passes over all axes in which their states settle; each pass changes one. Least index first, which ends for the
# positive definite inertia of joints (Murty, 1974); the limit is for rounding.
MOST_PASSES_PER_AXIS = 4


@kernel
def begin_friction(run):
    """Give joints states of friction: first single axes, then joints as a whole that share no axis with these."""
    system, n_q = run.system, run.system.world[0].n_q
    for whole in range(2):
        for i in range(system.elements.shape[0]):
            rows, at = friction_axes(system, i), system.elements[i].at_u
            if rows > 0 and (rows > 1) == (whole == 1):
                taken = False
                for k in range(at, at + rows):
                    taken = taken or (rows > 1 and system.axes[k].friction_axes == 1)
                if not taken:
                    system.axes[at].friction_axes = rows
                    share = SEVERAL_SPEED_SHARE if rows > 1 else 1.0
                    system.axes[at].resting_speed = share * run.workspace.tolerance[n_q + at]


@kernel
def settle_friction(run, reached):
    """Decide which axes stick and which slide at the present state; Eq. (M134).

    The axis `reached` has reached the limit of its holding force if it sticks (-1: none). Speeds of axes that stick
    become zero.
    Expects valid near lists; the slope must be updated afterwards.
    """
    system, y, w, count = run.system, run.y, run.system.world[0], 0
    for i in range(system.axes.shape[0]):
        count += system.axes[i].friction_axes
    if count == 0:
        return
    if reached >= 0 and system.axes[reached].stuck == 0:
        reached = -1
    for n in range(MOST_PASSES_PER_AXIS * count + 2):
        derivative(system, run.progress[0].t, y, run.workspace.k[0])
        changed = n == 0 and follow_speeds(system, y[w.n_q : w.n_q + w.n_u])
        if not changed:
            changed = change_first(system, y, reached)
            reached = -1
        if not changed:
            break
    if system.counters[0].stuck > 0:
        y[w.n_q + w.n_u] += stop_stuck_axes(system, y[w.n_q : w.n_q + w.n_u])


@kernel
def stop_stuck_axes(system, u):
    """Set the speeds `u` of stuck axes to zero by impulses along them; returns the energy lost [J].

    The impulses change the speeds of all other axes.
    Momenta of free trees stay. Expects that the derivative was evaluated with these axes stuck; Eq. (M136).
    """
    groups, group_motions, axes, lost, moves = system.groups, system.group_motions, system.axes, 0.0, False
    for i in range(axes.shape[0]):
        moves = moves or (axes[i].stuck == 1 and u[i] != 0.0)
    if not moves:
        return 0.0
    for g in range(groups.shape[0]):
        for j in range(groups[g].count):
            push, at = 0.0, groups[g].at_u[j]
            for i in range(axes.shape[0]):
                if axes[i].stuck == 1:
                    push += system.held_inertia[i, at] * u[i]
            group_motions[g].b[0, j] = push
    solve(system)
    for g in range(groups.shape[0]):
        for j in range(groups[g].count):
            at = groups[g].at_u[j]
            if axes[at].stuck == 0:
                change = group_motions[g].udot[0, j]
                u[at] += change
                for i in range(axes.shape[0]):
                    if axes[i].stuck == 1:
                        lost -= 0.5 * system.held_inertia[i, at] * u[i] * change
    for i in range(axes.shape[0]):
        for k in range(axes.shape[0]):
            if axes[i].stuck == 1 and axes[k].stuck == 1:
                # An entry between two of them is stored in one of their rows.
                lost += (0.5 if i == k else 1.0) * system.held_inertia[i, k] * u[i] * u[k]
    for i in range(axes.shape[0]):
        if axes[i].stuck == 1:
            u[i] = 0.0
    return lost


@inline
def set_stuck(system, at, stuck, direction):
    """Let the axes from `at` on stick, or slide in a direction."""
    axes = system.axes
    for k in range(at, at + axes[at].friction_axes):
        system.counters[0].stuck += stuck - axes[k].stuck
        axes[k].stuck = stuck
    axes[at].slides = direction


@inline
def speed_of(axes, at, u):
    """Return the speed along the axes from `at` on; of a single one with its sign."""
    if axes[at].friction_axes == 1:
        return u[at]
    square = 0.0
    for k in range(at, at + axes[at].friction_axes):
        square += u[k] * u[k]
    return math.sqrt(square)


@inline
def direction_of(axes, at, speed):
    """Return the direction in which axes slide at a speed: 1 or -1, of several axes 1."""
    return -1 if axes[at].friction_axes == 1 and speed < 0.0 else 1


@inline
def least_speed(axes, at):
    """Return the speed up to which axes count as at rest."""
    several = axes[at].friction_axes > 1
    return (SEVERAL_AT_REST if several else 2.0 * ARRIVAL_SHARE) * axes[at].resting_speed


@kernel
def follow_speeds(system, u):
    """Let axes that move slide in the direction of their speed, and those that arrived at rest stick.

    Returns whether any state changed. Expects that the forces were evaluated.
    """
    axes, changed = system.axes, False
    for at in range(axes.shape[0]):
        axis = axes[at]
        if axis.friction_axes > 0:
            stuck, direction, speed = axis.stuck, axis.slides, speed_of(axes, at, u)
            if axis.rubbed == 0:
                stuck, direction = 0, 0
            elif abs(speed) > least_speed(axes, at):
                stuck, direction = 0, direction_of(axes, at, speed)
            elif direction == 0 or has_arrived(axes, at, speed, SETTLED):
                stuck, direction = 1, 0
            if stuck != axis.stuck or direction != axis.slides:
                set_stuck(system, at, stuck, direction)
                changed = True
    return changed


@inline
def has_arrived(axes, at, speed, share):
    """Return whether sliding axes have come to rest: a single one moves backwards.

    An instant is located with the `share` 1, so that rounding does not hide it where states settle, with `SETTLED`.
    """
    if axes[at].friction_axes > 1:
        return share * speed <= SETTLED * SEVERAL_AT_REST * axes[at].resting_speed
    return axes[at].slides * speed < -share * ARRIVAL_SHARE * axes[at].resting_speed


@kernel
def change_first(system, y, reached):
    """Let the first axis slide whose holding force is beyond its limit, or stick if friction would turn it back.

    Returns whether there is one; Eq. (M134).
    """
    axes, w = system.axes, system.world[0]
    u = y[w.n_q : w.n_q + w.n_u]
    for at in range(axes.shape[0]):
        axis = axes[at]
        if axis.friction_axes > 0:
            if axis.stuck == 1:
                if at == reached or used_friction(axes, at) > 1.0 + ROUNDING:
                    direction = -1 if axis.friction_axes == 1 and axis.holding > 0.0 else 1
                    begin_to_slide(system, at, y)
                    set_stuck(system, at, 0, direction)
                    return True
            elif axis.friction_axes == 1 and axis.slides != 0 and u[at] == 0.0:
                inertia = system.held_inertia[at, at]  # of its last time at rest
                if axis.slides * axis.udot * inertia < -10.0 * ROUNDING * axis.static_friction:
                    set_stuck(system, at, 1, 0)
                    return True
    return False


@kernel
def begin_to_slide(system, at, y):
    """Give stuck axes that begin to slide their first speed: none to a single one, which may have arrived backwards.

    Several axes have a direction only if they move: against the force that held them. Impulses along them and their
    energy are as where they stick; Eq. (M136).
    """
    axes, w = system.axes, system.world[0]
    u, e = y[w.n_q : w.n_q + w.n_u], w.n_q + w.n_u
    y[e] += stop_stuck_axes(system, u)
    if axes[at].friction_axes == 1:
        return
    size = 0.0
    for k in range(at, at + axes[at].friction_axes):
        size += axes[k].holding * axes[k].holding
    if size == 0.0:
        return
    for k in range(at, at + axes[at].friction_axes):
        u[k] = FIRST_SPEED * axes[at].resting_speed * axes[k].holding / math.sqrt(size)
    y[e] -= stop_stuck_axes(system, u)
    for k in range(at, at + axes[at].friction_axes):
        u[k] = -FIRST_SPEED * axes[at].resting_speed * axes[k].holding / math.sqrt(size)


@kernel
def release_all(system):
    """Let all axes move without friction, as in an impulse, which friction cannot resist."""
    for at in range(system.axes.shape[0]):
        if system.axes[at].friction_axes > 0:
            set_stuck(system, at, 0, 0)


@inline
def forget_used_friction(system):
    """Forget the extremes of holding forces before a step."""
    if system.counters[0].stuck > 0:
        for at in range(system.axes.shape[0]):
            system.axes[at].most_used, system.axes[at].least_used = 0.0, math.inf


@kernel
def first_friction_change(run, h, t_max, last):
    """Return the first instant theta of a step of size h, up to `last`, at which an axis begins or ceases to slide.

    And the axis; infinity and -1 if there is none. Writes into `workspace.y_stage` and `workspace.k[1]`. Forces are
    evaluated no later than `t_max`.
    """
    system, theta, axis = run.system, math.inf, -1
    for at in range(system.axes.shape[0]):
        if system.axes[at].friction_axes > 0 and system.axes[at].slides != 0:
            arrival = first_arrival(run, at, min(theta, last))
            if arrival < theta:
                theta, axis = arrival, at
    if system.counters[0].stuck > 0 and may_release(system.axes):
        release, at = first_release(run, h, t_max, min(theta, last))
        if at >= 0:
            theta, axis = release, at
    return theta, axis


@inline
def may_release(axes):
    """Return whether a holding force may exceed its limit in a step, by its values at the stages; Eq. (M135)."""
    for at in range(axes.shape[0]):
        axis = axes[at]
        beyond = axis.most_used + 0.5 * (axis.most_used - axis.least_used)
        if axis.stuck == 1 and axis.friction_axes > 0 and beyond > 1.0:
            return True
    return False


@kernel
def first_arrival(run, at, last):
    """Return the first instant theta of a step, up to `last`, at which sliding axes come to rest, or infinity."""
    axes, left = run.system.axes, 0.0
    if axes[at].friction_axes > 1:
        # What begins to slide is slow at first; it may stick again at the end of every step.
        if has_arrived(axes, at, speed_inside(run, at, 0.0), SETTLED):
            return 1.0 if last >= 1.0 and has_arrived(axes, at, speed_inside(run, at, 1.0), 1.0) else math.inf
    elif keeps_direction(run, at):
        return math.inf
    for sample in range(1, SAMPLES + 1):
        right = min(sample / SAMPLES, last)
        if has_stopped(run, at, right):
            while right - left > INSTANT_WIDTH:
                theta = 0.5 * (left + right)
                if not left < theta < right:  # neighbouring numbers
                    break
                if has_stopped(run, at, theta):
                    right = theta
                else:
                    left = theta
            return right
        if right >= last:
            break
        left = right
    return math.inf


@inline
def has_stopped(run, at, theta):
    """Return whether sliding axes have come to rest at theta of a step, or several axes move backwards since."""
    axes, n_q, along = run.system.axes, run.system.world[0].n_q, 0.0
    speed = speed_inside(run, at, theta)
    if has_arrived(axes, at, speed, 1.0):
        return True
    for k in range(n_q + at, n_q + at + axes[at].friction_axes):
        along += run.y[k] * run.workspace.y_stage[k]
    return axes[at].friction_axes > 1 and along < 0.0


@inline
def arrives_unresolved(run, at):
    """Return whether several axes come to rest in a step that begins too fast for their last direction to be known."""
    axes = run.system.axes
    return (
        axes[at].friction_axes > 1
        and axes[at].slides != 0
        and not has_arrived(axes, at, speed_inside(run, at, 0.0) / FOLLOWED_SPEED, 1.0)
    )


@inline
def keeps_direction(run, at):
    """Return whether bounds of the interpolation show that a sliding axis does not come to rest in a step."""
    dense, i, direction = run.workspace.dense, run.system.world[0].n_q + at, run.system.axes[at].slides
    # Largest distance from the chord, with the largest values of the products in Eq. (M33).
    beyond = 0.25 * abs(dense[2, i]) + 4.0 / 27.0 * abs(dense[3, i]) + 0.0625 * abs(dense[4, i])
    return direction * dense[0, i] > beyond and direction * (dense[0, i] + dense[1, i]) > beyond


@inline
def speed_inside(run, at, theta):
    """Return the speed along axes at theta of a step; see `speed_of`."""
    w, y, axes = run.system.world[0], run.workspace.y_stage, run.system.axes
    interpolate_entries(run.workspace.dense, theta, w.n_q + at, w.n_q + at + axes[at].friction_axes, y)
    return speed_of(axes, at, y[w.n_q : w.n_q + w.n_u])


@kernel
def first_release(run, h, t_max, last):
    """Return the first instant theta of a step, up to `last`, at which a holding force reaches its limit, and its axis.

    The axis is -1 if there is none; Eq. (M135).
    """
    system, left, theta, axis = run.system, 0.0, math.inf, -1
    before, _ = excess_inside(run, 0.0, h, t_max)
    for sample in range(1, HELD_SAMPLES + 1):
        right = min(sample / HELD_SAMPLES, last)
        after, at = excess_inside(run, right, h, t_max)
        if after > 0.0:
            theta, axis = narrow_release(run, h, t_max, (left, before), (right, after, at))
            break
        if right >= last:
            break
        left, before = right, after
    derivative(system, min(run.progress[0].t + h, t_max), run.workspace.y_new, run.workspace.k[1])
    return theta, axis


@kernel
def narrow_release(run, h, t_max, before, after):
    """Return the instant theta at which a holding force reaches its limit, between two of a step, and its axis.

    `before` and `after` are instants and the largest excess there, the latter with its axis. Regula falsi (Illinois).
    """
    left, low = before
    right, high, axis = after
    weight_left, weight_right = min(low, 0.0), high
    for _ in range(MOST_DIVISIONS):
        if right - left <= RELEASE_WIDTH or high <= ROUNDING:
            break
        theta = right - (right - left) * weight_right / (weight_right - weight_left)
        if not left < theta < right:
            theta = 0.5 * (left + right)
        excess, at = excess_inside(run, theta, h, t_max)
        if excess > 0.0:
            right, high, axis, weight_right, weight_left = theta, excess, at, excess, 0.5 * weight_left
        else:
            left, weight_left, weight_right = theta, excess, 0.5 * weight_right
    return right, axis


@kernel
def excess_inside(run, theta, h, t_max):
    """Return by how much the largest part of a limit that a holding force uses exceeds it at theta, and its axis."""
    system, work = run.system, run.workspace
    interpolate(work.dense, theta, work.y_stage)
    derivative(system, min(run.progress[0].t + theta * h, t_max), work.y_stage, work.k[1])
    most, axis = 0.0, -1
    for at in range(system.axes.shape[0]):
        if system.axes[at].stuck == 1 and system.axes[at].friction_axes > 0:
            used = used_friction(system.axes, at)
            if used > most:
                most, axis = used, at
    return most - 1.0 - 2.0 * ROUNDING, axis
