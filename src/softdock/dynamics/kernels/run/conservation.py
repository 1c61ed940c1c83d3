"""The conservation check of a run: energy and momentum against their scales, at every few accepted steps.

A system that nothing connects to the ground is described relative to its centre of mass, so that a common drift hides
no error.
"""

import math

import numpy as np

from softdock.dynamics.kernels.forces.derivative import EXTRA_STATES, momentum_of, total_stored_energy
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import rotate, rotate_inverse
from softdock.tree.kernels.appendages import motion_in_link
from softdock.tree.kernels.tree import FREE, GROUND

CONSERVED = np.dtype(
    [
        ("kinetic", np.float64),  # [J]
        ("elastic", np.float64),  # stored in elements, contacts and modes [J]
        # Potential of uniform gravity [J]; 0 relative to a centre of mass that falls with it.
        ("weight", np.float64),
        ("dissipated", np.float64),  # [J]
        ("work", np.float64),  # of drives and loads [J]
        ("momentum", np.float64, 3),  # in N [kg m/s]
        ("angular_momentum", np.float64, 3),  # in N, about the centre of mass or N's origin [kg m2/s]
        ("momentum_scale", np.float64),  # sum over links of the sizes of both
        ("angular_momentum_scale", np.float64),
        ("mass", np.float64),  # [kg]; 0 if relative to N
    ],
    align=True,
)
"""Energy and momentum of a state, relative to N or to the centre of mass."""
CHECK = np.dtype(
    [
        ("energy_residual", np.float64),  # largest error of the energy balance over its scale so far
        ("energy_gain", np.float64),  # the same where energy was gained
        ("energy_error", np.float64),  # largest error of the energy balance [J]
        ("largest_kinetic", np.float64),  # [J]
        ("largest_elastic", np.float64),  # largest change since the start [J]
        ("largest_dissipated", np.float64),
        ("gross_work", np.float64),  # sum of the sizes of all work [J]
        ("last_work", np.float64),  # work at the last comparison [J]
        ("momentum_error", np.float64),
        ("angular_momentum_error", np.float64),
        ("largest_momentum", np.float64),  # largest scales
        ("largest_angular_momentum", np.float64),
        ("energy_floor", np.float64),  # least energy scale during the run [J]
        ("rounding", np.float64),  # rounding error of work on the centre of mass [J]
        ("steps", np.int64),  # accepted steps so far
        ("floating", np.int64),  # 1: nothing connects any body to the ground
    ],
    align=True,
)
"""Largest errors and scales of a run so far."""
# Records of CONSERVED: at the start, at the last comparison, and relative to N now and at the start.
START, NOW, IN_WORLD, START_IN_WORLD = 0, 1, 2, 3
STATES = 4
LEAST_SPEED = 1e-2  # [m/s] the kinetic energy at this speed is the least energy scale during a run
EXACT = 1e-12  # part of the work that rounding leaves over many steps
FIRST_STEPS = 32  # these steps are all compared,
PERIOD = 16  # then one in so many: a comparison costs 0.9 us, and 1 % of a docking is allowed for all


@kernel
def begin_check(system, y, conserved, check):
    """Start the check at a state whose rates were just evaluated."""
    check[0].floating = 1 if is_floating(system) else 0
    write_conserved(system, y, check[0].floating == 1, conserved[START])
    write_conserved(system, y, False, conserved[START_IN_WORLD])
    mass = 0.0
    for i in range(system.links.shape[0]):
        mass += system.links[i].own[0]
    check[0].energy_floor = 0.5 * mass * LEAST_SPEED * LEAST_SPEED


@kernel
def check_step(system, y, conserved, check):
    """Compare energy and momentum with the start every few steps, where the rates of `y` were just evaluated."""
    check[0].steps += 1
    if check[0].steps <= FIRST_STEPS or check[0].steps % PERIOD == 0:
        compare_with_start(system, y, conserved, check)


@kernel
def compare_with_start(system, y, conserved, check):
    """Write the conserved quantities of a state; keep the largest errors and scales; Eqs. (E1)-(E3)."""
    now, start, seen = conserved[NOW], conserved[START], check[0]
    write_conserved(system, y, check[0].floating == 1, now)
    elastic, loss = now.elastic - start.elastic, now.dissipated - start.dissipated
    weight, work = now.weight - start.weight, now.work - start.work
    error = now.kinetic - start.kinetic + elastic + weight + loss - work  # Eq. (E1)
    seen.gross_work += abs(work - seen.last_work)
    seen.last_work = work
    seen.largest_kinetic = max(seen.largest_kinetic, now.kinetic)
    seen.largest_elastic = max(seen.largest_elastic, abs(elastic))
    seen.largest_dissipated = max(seen.largest_dissipated, abs(loss))
    seen.rounding = max(seen.rounding, EXACT * abs(y[system.world[0].n_q + system.world[0].n_u + 1]))
    scale = energy_scale(seen) + seen.energy_floor + seen.rounding
    if not math.isfinite(error):
        error, scale = math.inf, 1.0
    if scale > 0.0:
        seen.energy_residual = max(seen.energy_residual, abs(error) / scale)  # Eq. (E3)
        seen.energy_gain = max(seen.energy_gain, error / scale)
    seen.energy_error = max(seen.energy_error, abs(error))
    seen.momentum_error = max(seen.momentum_error, distance(now.momentum, start.momentum))
    seen.angular_momentum_error = max(
        seen.angular_momentum_error, distance(now.angular_momentum, start.angular_momentum)
    )
    seen.largest_momentum = max(seen.largest_momentum, now.momentum_scale)
    seen.largest_angular_momentum = max(seen.largest_angular_momentum, now.angular_momentum_scale)


@inline
def energy_scale(seen):
    """Return the energy scale of a run so far [J]; Eq. (E2)."""
    scale = max(seen.largest_kinetic, seen.largest_elastic)
    return max(scale, max(seen.largest_dissipated, seen.gross_work))


@inline
def distance(a, b):
    """Return the magnitude of the difference of two vectors."""
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def is_floating(system):
    """Return whether nothing connects any body to the ground, so that the centre of mass is free."""
    links, elements = system.links, system.elements
    for i in range(links.shape[0]):
        if links[i].kind != GROUND and links[links[i].root].kind != FREE:
            return False
    for i in range(system.appendages.shape[0]):
        if links[system.appendages[i].link].kind == GROUND:
            return False
    for i in range(elements.shape[0]):
        if elements[i].a >= 0 and touches_ground(links, elements[i]):
            return False
    for i in range(system.pairs.shape[0]):
        if touches_ground(links, system.pairs[i]):
            return False
    for i in range(system.interfaces.shape[0]):
        if touches_ground(links, system.interfaces[i]):
            return False
    return True


@inline
def touches_ground(links, connection):
    """Return whether one of the links a and b of a connection is the ground."""
    return links[connection.a].kind == GROUND or links[connection.b].kind == GROUND


@kernel
def write_conserved(system, y, relative_to_centre, out):
    """Write energies and momenta of a state whose rates were just evaluated; Eq. (E1)."""
    links, motions, w = system.links, system.motions, system.world[0]
    clear(out)
    cx, cy, cz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if relative_to_centre:
        for i in range(links.shape[0]):
            if links[i].kind == FREE:
                base = motions[i]
                m, at = base.total[0], w.n_q + links[i].at_u + 3
                x, y_, z = rotate(base.R_NB, base.total[1], base.total[2], base.total[3])
                cx, cy, cz = cx + x + m * base.p_NB[0], cy + y_ + m * base.p_NB[1], cz + z + m * base.p_NB[2]
                vx, vy, vz = vx + y[at], vy + y[at + 1], vz + y[at + 2]
                out.mass += m
        if out.mass > 0.0:
            m = 1.0 / out.mass
            cx, cy, cz, vx, vy, vz = m * cx, m * cy, m * cz, m * vx, m * vy, m * vz
    for i in range(links.shape[0]):
        if links[i].kind != GROUND:
            add_link(system, i, (cx, cy, cz), (vx, vy, vz), out)
    out.elastic = total_stored_energy(system)
    for i in range(system.appendages.shape[0]):
        root = links[system.appendages[i].link].root
        x, y_, z = rotate_inverse(motions[root].R_NB, vx, vy, vz)
        add_modes(system, i, y, (x, y_, z), out)
    add_to(out.momentum, out.mass * vx, out.mass * vy, out.mass * vz)
    at = w.n_q + w.n_u
    out.dissipated, out.work = y[at], y[at + 1]
    if relative_to_centre:
        out.weight = 0.0
        if y.shape[0] > at + EXTRA_STATES:
            out.work = y[at + EXTRA_STATES]


@inline
def clear(out):
    """Set all sums to zero."""
    out.kinetic = out.elastic = out.weight = out.mass = 0.0
    out.momentum_scale = out.angular_momentum_scale = 0.0
    for k in range(3):
        out.momentum[k] = out.angular_momentum[k] = 0.0


@inline
def add_to(vector, x, y, z):
    """Add three components to a vector."""
    vector[0], vector[1], vector[2] = vector[0] + x, vector[1] + y, vector[2] + z


@inline
def add_link(system, i, centre, v, out):
    """Add kinetic energy, weight and momenta of link i, relative to a centre that moves with a velocity."""
    link, motion, g = system.links[i], system.motions[i], system.world[0].gravity
    base = system.motions[link.root]
    h, (m, mx, my, mz) = momentum_of(link, motion, system.group_motions)
    x, y, z = rotate_inverse(base.R_NB, v[0], v[1], v[2])
    V, R = motion.V, base.R_NB
    h0, h1, h2 = h[0] - (my * z - mz * y), h[1] - (mz * x - mx * z), h[2] - (mx * y - my * x)
    h3, h4, h5 = h[3] - m * x, h[4] - m * y, h[5] - m * z
    out.kinetic += 0.5 * (
        h0 * V[0] + h1 * V[1] + h2 * V[2] + h3 * (V[3] - x) + h4 * (V[4] - y) + h5 * (V[5] - z)
    )
    ax, ay, az = rotate(R, h0, h1, h2)
    lx, ly, lz = rotate(R, h3, h4, h5)
    px, py, pz = base.p_NB[0] - centre[0], base.p_NB[1] - centre[1], base.p_NB[2] - centre[2]
    ax, ay, az = ax + py * lz - pz * ly, ay + pz * lx - px * lz, az + px * ly - py * lx
    add_to(out.angular_momentum, ax, ay, az)
    add_to(out.momentum, lx, ly, lz)
    size = math.sqrt(lx * lx + ly * ly + lz * lz)
    out.momentum_scale += size
    out.angular_momentum_scale += (
        math.sqrt(h0 * h0 + h1 * h1 + h2 * h2) + math.sqrt(px * px + py * py + pz * pz) * size
    )
    x, y, z = rotate(R, mx, my, mz)
    x, y, z = x + m * base.p_NB[0], y + m * base.p_NB[1], z + m * base.p_NB[2]
    out.weight -= x * g[0] + y * g[1] + z * g[2]


@inline
def add_modes(system, i, q, v, out):
    """Add the energy of the modes of structure i, relative to a velocity in base axes; Eq. (F46)."""
    a, structure, gravity = system.appendages[i], system.appendage_motions[i], system.world[0].gravity
    motion, m = system.motions[a.link], structure.moving
    V = motion.V
    w0, w1, w2, v0, v1, v2 = motion_in_link(motion, V[0], V[1], V[2], V[3] - v[0], V[4] - v[1], V[5] - v[2])
    out.elastic += structure.energy
    out.kinetic += structure.kinetic_energy
    if system.links[a.link].kind != GROUND:  # the other half is in the link's momentum times its velocity
        out.kinetic += 0.5 * (m[0] * w0 + m[1] * w1 + m[2] * w2 + m[3] * v0 + m[4] * v1 + m[5] * v2)
    else:  # the ground has no momentum: the weight of what moves on it
        for k in range(a.count):
            c, x = system.modes[a.first + k].c, q[a.at_q + k]
            out.weight -= (c[3] * gravity[0] + c[4] * gravity[1] + c[5] * gravity[2]) * x
