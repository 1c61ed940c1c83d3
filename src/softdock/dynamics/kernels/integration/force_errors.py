"""Errors of the forces that elements transmit, from the estimated errors of positions and speeds of the steps.

The tolerances of states limit errors of positions and speeds, which for a stiff element are large errors of its force:
an error v of the speed becomes an oscillation with the force v sqrt(m k). Errors of successive steps add up, with the
phase of that oscillation, until damping has removed them. Every joint axis and every element between bodies is followed
as an oscillator of its own, with its stiffness, damping and inertia; Eqs. (M140) to (M144).
"""

import math

from softdock.dynamics.kernels.channels.channels import WRENCH_TORQUE, ChannelKind
from softdock.dynamics.kernels.forces.linear import motion_in_N
from softdock.dynamics.kernels.integration.stages import write_motion
from softdock.elements.kernels.dispatch import connect, error_gains
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES
from softdock.spatial.kernels import rotate_inverse
from softdock.tree.kernels.poses import link_point
from softdock.tree.kernels.tree import FREE

# Rows of `workspace.dense` that hold small motions of free bases and joints by the errors of a step, and accelerations.
DISPLACEMENT, VELOCITY, ACCELERATION = 0, 1, 2
# Columns of `workspace.axis_errors`, one row per momentum or speed: sums of errors of displacement and speed at the
# start of the step, what is left of them at its end, total stiffness and damping of the elements along the axis, and
# the mass or inertia that a force along it moves at the start of the run.
SUM, SPEED_SUM, LEFT, SPEED_LEFT, STIFFNESS, DAMPING, INERTIA = 0, 1, 2, 3, 4, 5, 6
AXIS_ERROR_COLUMNS = 7
# An error of a force counts at most over this part of the largest force that any element has transmitted so far.
LEAST_SHARE = 0.01
# Of the force that an error of the speed by its tolerance becomes: an error that is allowed in any case, so that a
# mechanism at rest does not follow its own rounding errors.
UNRESOLVED_SHARE = 1e-4
# Of the largest force of an element so far: where earlier errors are larger, its force is lost and is not followed.
LOST_SHARE = 0.1
MIN_FORCE = 1e-300  # [N or N m]: what is compared with it is never divided by zero
# Of the force of the depth at which a slow joint meets its stop, Eq. (M117): what it changes of a peak, if nothing
# damps the oscillation about the place where the joint then rests.
RESTING_SHARE = 1.0
# Part of the allowed error that one step may have in any case, however large the sum of earlier errors is.
LEAST_BUDGET = 0.2


@kernel
def error_of_forces(run, t, h, implicit):
    """Return the largest error of a transmitted force in units of what is allowed; Eq. (M140).

    Expects that the end of the step, at the time t, was evaluated last, and its errors in `workspace.error`.
    """
    system, work, worst = run.system, run.workspace, 0.0
    write_motion(system.links, work.y_new, work.error, work.dense[DISPLACEMENT])
    if run.settings[0].any_connection == 1:
        write_velocities(system, work.error, work.dense[VELOCITY])
        write_velocities(system, work.k[0], work.dense[ACCELERATION])
    propagate_axes(run, t, h)
    c = system.pairs.shape[0]
    for i in range(system.elements.shape[0]):
        element, data = system.elements[i], system.element_data[i]
        if data.active == 1:
            if element.at_u >= 0:
                worst = max(worst, joint_error(run, i, h, implicit))
            elif element.connection == 1:
                worst = max(worst, connection_error(run, i, c, t, h, implicit))
        c += element.connection
    return worst


@inline
def oscillate(k, c, m, h, x, v):
    """Return displacement and speed of an oscillator after a time h, of an overdamped one nearly; Eq. (M143)."""
    if k <= 0.0 or m <= 0.0:
        decay = math.exp(-c * h / m) if c > 0.0 and m > 0.0 else 1.0
        return x + h * v, decay * v
    w, damping = math.sqrt(k / m), 0.5 * c / m
    if damping > w:
        # A speed beyond that of creeping back decays at once.
        fast, slow, excess = math.exp(-c * h / m), math.exp(-k * h / c), v + k * x / c
        x = slow * x + (1.0 - fast) * excess * m / c
        return x, fast * excess - k * x / c
    decay, cosine, sine = math.exp(-h * damping), math.cos(w * h), math.sin(w * h)
    return decay * (cosine * x + sine * v / w), decay * (cosine * v - sine * w * x)


@inline
def force_per_speed(k, c, m):
    """Return the force of an element per error of the speed, at once or later; Eq. (M119)."""
    return max(c, math.sqrt(k * m))


@inline
def size_of_error(k, c, m, x, v):
    """Return the error of a force by errors of displacement and speed, at once or later; Eq. (M141)."""
    by_speed = force_per_speed(k, c, m) * v
    return math.sqrt(k * k * x * x + by_speed * by_speed)


@inline
def propagate_axes(run, t, h):
    """Write total stiffness and damping along all axes, and what is left of the sums of errors after the step."""
    system, work, n_q, n_u = run.system, run.workspace, run.system.world[0].n_q, run.system.world[0].n_u
    axes = work.axis_errors
    for j in range(axes.shape[0]):
        axes[j, STIFFNESS], axes[j, DAMPING] = 0.0, 0.0
    for i in range(system.elements.shape[0]):
        element = system.elements[i]
        if element.at_u >= 0 and system.element_data[i].active == 1:
            k, c = error_gains(system, i, t, work.y_new, work.y_new[n_q : n_q + n_u])
            system.element_data[i].joint_gains[0], system.element_data[i].joint_gains[1] = k, c
            for j in range(element.at_u, element.at_u + element.rows):
                axes[j, STIFFNESS] += k
                axes[j, DAMPING] += c
    for j in range(axes.shape[0]):
        axes[j, LEFT], axes[j, SPEED_LEFT] = axes[j, SUM], axes[j, SPEED_SUM]
        if axes[j, STIFFNESS] > 0.0 or axes[j, DAMPING] > 0.0:
            axes[j, LEFT], axes[j, SPEED_LEFT] = oscillate(
                axes[j, STIFFNESS], axes[j, DAMPING], axes[j, INERTIA], h, axes[j, SUM], axes[j, SPEED_SUM]
            )


@inline
def joint_error(run, i, h, implicit):
    """Return the error of the force of an element along a joint in units of what is allowed; Eqs. (M140), (M141)."""
    work, n_q = run.workspace, run.system.world[0].n_q
    element, data, axes = run.system.elements[i], run.system.element_data[i], run.workspace.axis_errors
    kind = FORCE if data.inertia[FORCE] > 0.0 else MOMENT
    k, c, m = data.joint_gains[0], data.joint_gains[1], data.inertia[kind]
    x, v, left, speed_left, x_sum, v_sum, a = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(element.at_u, element.at_u + element.rows):
        dx, dv, slope = work.dense[DISPLACEMENT, j], work.error[n_q + j], work.k[0, n_q + j]
        x, v, a = x + dx * dx, v + dv * dv, a + slope * slope
        left, speed_left = (
            left + axes[j, LEFT] * axes[j, LEFT],
            speed_left + axes[j, SPEED_LEFT] * axes[j, SPEED_LEFT],
        )
        dx, dv = axes[j, LEFT] + dx, axes[j, SPEED_LEFT] + dv
        x_sum, v_sum = x_sum + dx * dx, v_sum + dv * dv
    if k == 0.0 and c == 0.0:
        data.force_error[kind] = 0.0
        return 0.0
    data.stiffness[kind], data.impedance[kind] = k, force_per_speed(k, c, m)
    widen_scale(run, data, kind, force_to_come(k, c, m, math.sqrt(a), h))
    data.force_error[kind] = size_of_error(k, c, m, math.sqrt(x_sum), math.sqrt(v_sum))
    data.force_error[kind] += RESTING_SHARE * k * data.engaged_depth
    return over_allowed(
        run,
        data,
        kind,
        size_of_error(k, c, m, math.sqrt(x), math.sqrt(v)),
        size_of_error(k, c, m, math.sqrt(left), math.sqrt(speed_left)),
        implicit,
    )


@inline
def force_to_come(k, c, m, acceleration, h):
    """Return the force that follows from an acceleration in a step of size h, at once or later [N or N m]; Eq. (M142).

    Until an element has transmitted a force, this is what its error is compared with.
    """
    return m * acceleration * min(max(math.sqrt(k / m), c / m) * h, 1.0)


@inline
def over_allowed(run, data, kind, error, left, implicit):
    """Return the error of a force in a step over what earlier errors leave of the allowed one; Eq. (M140)."""
    settings, s = run.settings[0], run.progress[0]
    scale = max(data.force_scale[kind], LEAST_SHARE * s.largest_force[kind])
    allowed = settings.force_accuracy * scale
    unresolved = settings.speed_tolerance[kind] * data.impedance[kind]
    budget = max(allowed - left, LEAST_BUDGET * allowed) + UNRESOLVED_SHARE * unresolved + MIN_FORCE
    # A force that is little more than error so far, as in a mechanism at rest: an implicit step may remove it.
    return error / (max(budget, left) if implicit and left >= LOST_SHARE * scale else budget)


@inline
def widen_scale(run, data, kind, size):
    """Let the scale of the force of an element and the largest one contain a size [N or N m]."""
    data.force_scale[kind] = max(data.force_scale[kind], size)
    run.progress[0].largest_force[kind] = max(run.progress[0].largest_force[kind], data.force_scale[kind])


@inline
def forget_displacement(run, i):
    """Forget the error of the displacement along the joint of an element that begins to act.

    It is one of the instant, not of the force that follows.
    """
    element = run.system.elements[i]
    for j in range(element.at_u, element.at_u + element.rows):
        run.workspace.axis_errors[j, SUM] = 0.0


@inline
def add_speed_error(run, i, error):
    """Add an error of the speed along an element [m/s or rad/s] to the sums; of several axes, to the first."""
    element, data = run.system.elements[i], run.system.element_data[i]
    if element.at_u >= 0:
        run.workspace.axis_errors[element.at_u, SPEED_SUM] += error
    else:
        data.error_sums[9] += error


@kernel
def connection_error(run, i, c, t, h, implicit):
    """Return the errors of force and moment of an element between bodies in units of what is allowed; Eq. (M144).

    `c` is the row of its stiffness in the memory of linear equations.
    """
    system, work, linear = run.system, run.workspace, run.workspace.linear
    element, data, w = system.elements[i], system.element_data[i], system.world[0]
    K, D = linear.K[c], linear.D[c]
    for k in range(6):
        for j in range(6):
            K[k, j], D[k, j] = 0.0, 0.0
    linear.connections[c, 0] = 0
    connect(system, i, t, work.y_new, work.y_new[w.n_q : w.n_q + w.n_u], linear, c)
    if linear.connections[c, 0] == 0:
        forget_connection(data)
        return 0.0
    R = linear.frames[c]
    x = relative_motion(system, element, R, work.dense[DISPLACEMENT])
    v = relative_motion(system, element, R, work.dense[VELOCITY])
    a = relative_motion(system, element, R, work.dense[ACCELERATION])
    for row in range(6):
        data.step_errors[row], data.step_errors[6 + row] = x[row], v[row]
    worst = 0.0
    for kind in range(2):
        at, m = 3 - 3 * kind, data.inertia[kind]
        k, d = block_size(K, at), block_size(D, at)
        if k == 0.0 and d == 0.0:
            continue
        data.stiffness[kind], data.impedance[kind] = k, force_per_speed(k, d, m)
        acceleration = math.sqrt(a[at] * a[at] + a[at + 1] * a[at + 1] + a[at + 2] * a[at + 2])
        widen_scale(run, data, kind, force_to_come(k, d, m, acceleration, h))
        for row in range(at, at + 3):
            data.errors_left[row], data.errors_left[6 + row] = oscillate(
                k, d, m, h, data.error_sums[row], data.error_sums[6 + row]
            )
        step = block_error(K, D, at, k, m, data.step_errors)
        left = block_error(K, D, at, k, m, data.errors_left)
        data.force_error[kind] = math.sqrt(step * step + left * left)
        worst = max(worst, over_allowed(run, data, kind, step, left, implicit))
    return worst


@inline
def forget_connection(data):
    """Keep only the errors of the velocities of an element that does not act; see `forget_displacement`."""
    for row in range(6):
        data.step_errors[row], data.step_errors[6 + row] = 0.0, 0.0
        data.errors_left[row], data.errors_left[6 + row] = 0.0, data.error_sums[6 + row]
    data.force_error[FORCE], data.force_error[MOMENT] = 0.0, 0.0


@inline
def block_size(K, at):
    """Return the mean eigenvalue of a symmetric diagonal block of 3 by 3, weighted with the eigenvalues; Eq. (M144).

    It is k for stiffnesses k along one, two or three directions.
    """
    squares, trace = 0.0, 0.0
    for i in range(at, at + 3):
        trace += abs(K[i, i])
        for j in range(at, at + 3):
            squares += K[i, j] * K[i, j]
    return squares / trace if trace > 0.0 else 0.0


@inline
def block_error(K, D, at, k, m, e):
    """Return the error of force or moment by errors of displacements (first six entries of e) and velocities."""
    square, per_speed = 0.0, math.sqrt(m / k) if k > 0.0 else 0.0
    for row in range(at, at + 3):
        elastic, damped, later = 0.0, 0.0, 0.0
        for j in range(at, at + 3):
            elastic += K[row, j] * e[j]
            damped += D[row, j] * e[6 + j]
            later += K[row, j] * e[6 + j] * per_speed
        by_speed = max(abs(damped), abs(later))
        square += elastic * elastic + by_speed * by_speed
    return math.sqrt(square)


@inline
def relative_motion(system, element, R, motion):
    """Return the small motion of b against a at a connection, in its frame: rotations first.

    `motion` has those of free bases, in N about its origin, and of joints.
    """
    a, b = link_motion(system, element.a, motion), link_motion(system, element.b, motion)
    x, y, z = R[9], R[10], R[11]
    w0, w1, w2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    wx, wy, wz = rotate_inverse(R, w0, w1, w2)
    vx, vy, vz = rotate_inverse(
        R, b[3] - a[3] + w1 * z - w2 * y, b[4] - a[4] + w2 * x - w0 * z, b[5] - a[5] + w0 * y - w1 * x
    )
    return wx, wy, wz, vx, vy, vz


@kernel
def link_motion(system, i, motion):
    """Return the motion of link i, in N about its origin, by those of its base and the joints that carry it."""
    links, root = system.links, system.links[i].root
    x0, x1, x2, x3, x4, x5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    while links[i].parent >= 0:
        link = links[i]
        for n in range(link.rows):
            j, S = (link.column + n) % LANES, system.group_motions[(link.column + n) // LANES].S
            speed = motion[link.at_u + n]
            x0, x1, x2 = x0 + S[0, j] * speed, x1 + S[1, j] * speed, x2 + S[2, j] * speed
            x3, x4, x5 = x3 + S[3, j] * speed, x4 + S[4, j] * speed, x5 + S[5, j] * speed
        i = link.parent
    x0, x1, x2, x3, x4, x5 = motion_in_N(system.motions[root], (x0, x1, x2, x3, x4, x5))
    if links[root].kind == FREE:
        at = links[root].at_u
        x0, x1, x2 = x0 + motion[at], x1 + motion[at + 1], x2 + motion[at + 2]
        x3, x4, x5 = x3 + motion[at + 3], x4 + motion[at + 4], x5 + motion[at + 5]
    return x0, x1, x2, x3, x4, x5


@kernel
def write_velocities(system, e, out):
    """Write velocities of free bases, in N about its origin, and of joints, for momenta and speeds `e`; Eq. (M46)."""
    n_q = system.world[0].n_q
    for i in range(system.links.shape[0]):
        link, motion = system.links[i], system.motions[i]
        at = link.at_u
        if link.kind != FREE:
            for k in range(at, at + link.rows):
                out[k] = e[n_q + k]
            continue
        h, p, R, M = e[n_q + at : n_q + at + 6], motion.p_NB, motion.R_NB, motion.inverse
        a0, a1, a2 = rotate_inverse(
            R,
            h[0] - (p[1] * h[5] - p[2] * h[4]),
            h[1] - (p[2] * h[3] - p[0] * h[5]),
            h[2] - (p[0] * h[4] - p[1] * h[3]),
        )
        l0, l1, l2 = rotate_inverse(R, h[3], h[4], h[5])
        for k in range(6):
            v = M[k, 0] * a0 + M[k, 1] * a1 + M[k, 2] * a2 + M[k, 3] * l0 + M[k, 4] * l1 + M[k, 5] * l2
            for column in range(link.column, link.column + link.columns):
                Y, speed = (
                    system.group_motions[column // LANES].Y,
                    e[n_q + system.groups[column // LANES].at_u[column % LANES]],
                )
                v -= Y[k, column % LANES] * speed
            out[at + k] = v
        V = motion_in_N(motion, (out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4], out[at + 5]))
        for k in range(6):
            out[at + k] = V[k]


@kernel
def add_up_errors(run):
    """Add the errors of an accepted step to their sums, and let scales and peaks contain the forces at its end."""
    system, work, n_q = run.system, run.workspace, run.system.world[0].n_q
    axes = work.axis_errors
    for i in range(system.elements.shape[0]):
        element, data = system.elements[i], system.element_data[i]
        if data.active == 1 and element.at_u >= 0:
            kind = FORCE if data.inertia[FORCE] > 0.0 else MOMENT
            for j in range(element.at_u, element.at_u + element.rows):
                axes[j, SUM] = axes[j, LEFT] + work.dense[DISPLACEMENT, j]
                axes[j, SPEED_SUM] = axes[j, SPEED_LEFT] + work.error[n_q + j]
            widen_peak(run, data, kind, abs(data.force))
        elif data.active == 1 and element.connection == 1:
            for k in range(12):
                data.error_sums[k] = data.errors_left[k] + data.step_errors[k]
            F = data.total
            widen_peak(run, data, FORCE, math.sqrt(F[3] * F[3] + F[4] * F[4] + F[5] * F[5]))
            base = system.motions[system.links[element.b].root]
            px, py, pz = link_point(system.motions[element.b], base, element.p_bG)
            tx = F[0] - (py * F[5] - pz * F[4])
            ty = F[1] - (pz * F[3] - px * F[5])
            tz = F[2] - (px * F[4] - py * F[3])
            widen_peak(run, data, MOMENT, math.sqrt(tx * tx + ty * ty + tz * tz))


@inline
def widen_peak(run, data, kind, size):
    """Let scale and largest size of an element contain a size [N or N m], and the largest error the present one."""
    widen_scale(run, data, kind, size)
    data.largest_error[kind] = max(data.largest_error[kind], data.force_error[kind])
    if size > data.peak[kind]:
        data.peak[kind], data.peak_stiffness[kind] = size, data.stiffness[kind]


@kernel
def keep_errors_of_peaks(run):
    """Give the peaks of forces and moments of elements that were found in a step the errors of its end."""
    start = run.progress[0].t
    for i in range(run.settings[0].searched):
        channel, peak = run.channels[i], run.peaks[i]
        if channel.kind == ChannelKind.ELEMENT_FORCE or channel.kind == ChannelKind.ELEMENT_WRENCH:
            data = run.system.element_data[channel.i]
            error = data.force_error[MOMENT if is_moment(channel, data) else FORCE]
            if peak.t_largest >= start:
                peak.error_of_largest = error
            if peak.t_smallest >= start:
                peak.error_of_smallest = error


@inline
def is_moment(channel, data):
    """Return whether the force of an element is a moment: a part of a wrench, or along the axis of a turning joint."""
    if channel.kind == ChannelKind.ELEMENT_WRENCH:
        return channel.component >= WRENCH_TORQUE
    return data.inertia[FORCE] == 0.0
