"""The conservation check of a run: energy and momentum against their scales, at every few accepted steps.

Three rows of numbers hold it: the present state, the state at the start, and what the run has shown so far. A system
that nothing connects to the ground is seen from its centre of mass, so that a common drift hides no error.
"""

import math

from softdock.dynamics.kernels.appendages import motion_in_link
from softdock.dynamics.kernels.derivative import EXTRA_STATES, energy_held, momentum_of
from softdock.dynamics.kernels.poses import turn, turn_back
from softdock.dynamics.kernels.tree import FREE, GROUND
from softdock.native.decorators import inline, kernel

# Rows of the memory of the check.
NOW, START, SEEN = 0, 1, 2
# Columns of a state.
KINETIC = 0  # seen from the centre of mass [J]
ELASTIC = 1  # stored in elements, contacts and modes [J]
WEIGHT = 2  # potential of uniform gravity [J]; 0 for what is seen from a centre of mass that falls with it
DISSIPATED, WORK = 3, 4  # [J]; work as it is seen from the centre of mass
MOMENTUM, ANGULAR = 5, 8  # in N [kg m/s], and about the centre of mass [kg m2/s]
MOMENTUM_SCALE, ANGULAR_SCALE = 11, 12  # sums over links of the sizes of both, seen from there
MASS = 13  # [kg]; 0 for a system that is connected to the ground
# Columns of what the run has shown.
RESIDUAL = 0  # largest error of the energy balance over its scale so far
GAIN = 1  # the same where energy was gained
ERROR = 2  # largest error of the energy balance [J]
LARGEST_KINETIC = 3  # [J]
LARGEST_ELASTIC, LARGEST_LOSS = 4, 5  # changes since the start [J]
GROSS_WORK, WORK_BEFORE = 6, 7  # sum of the sizes of all work, and work until the last look [J]
MOMENTUM_ERROR, ANGULAR_ERROR = 8, 9
MOMENTUM_MOST, ANGULAR_MOST = 10, 11  # largest scales
FLOOR = 12  # energy that a running scale has at least [J]
STEPS = 13  # accepted steps so far
ROUNDING = 14  # energy that rounding may make of work on the centre of mass [J]
COLUMNS = 15
EXACT = 1e-12  # part of the work that rounding leaves over many steps
EVERY = 32.0  # so many steps at first are compared,
PERIOD = 16.0  # then one in so many: a comparison costs 0.9 us, and 1 % of a docking is allowed for all


@kernel
def watch_conservation(system, y, check):
    """Compare energy and momentum with the start every few steps, where the rates of `y` were just evaluated."""
    steps = check[SEEN, STEPS] + 1.0
    check[SEEN, STEPS] = steps
    if steps <= EVERY or steps % PERIOD == 0.0:
        compare_with_start(system, y, check)


@kernel
def compare_with_start(system, y, check):
    """Write the conserved quantities of a state; keep the largest errors and scales; Eqs. (E1)-(E3)."""
    now, start, seen = check[NOW], check[START], check[SEEN]
    write_conserved(system, y, now)
    elastic, loss = now[ELASTIC] - start[ELASTIC], now[DISSIPATED] - start[DISSIPATED]
    weight, work = now[WEIGHT] - start[WEIGHT], now[WORK] - start[WORK]
    error = now[KINETIC] - start[KINETIC] + elastic + weight + loss - work  # Eq. (E1)
    seen[GROSS_WORK] += abs(work - seen[WORK_BEFORE])
    seen[WORK_BEFORE] = work
    seen[LARGEST_KINETIC] = max(seen[LARGEST_KINETIC], now[KINETIC])
    seen[LARGEST_ELASTIC] = max(seen[LARGEST_ELASTIC], abs(elastic))
    seen[LARGEST_LOSS] = max(seen[LARGEST_LOSS], abs(loss))
    scale = max(seen[LARGEST_KINETIC], seen[LARGEST_ELASTIC])  # Eq. (E2)
    scale = max(scale, max(seen[LARGEST_LOSS], seen[GROSS_WORK])) + seen[FLOOR]
    seen[ROUNDING] = max(seen[ROUNDING], EXACT * abs(y[system.world[0].n_q + system.world[0].n_u + 1]))
    scale += seen[ROUNDING]
    if not math.isfinite(error):
        error, scale = math.inf, 1.0
    if scale > 0.0:
        seen[RESIDUAL] = max(seen[RESIDUAL], abs(error) / scale)  # Eq. (E3)
        seen[GAIN] = max(seen[GAIN], error / scale)
    seen[ERROR] = max(seen[ERROR], abs(error))
    seen[MOMENTUM_ERROR] = max(seen[MOMENTUM_ERROR], distance(now, start, MOMENTUM))
    seen[ANGULAR_ERROR] = max(seen[ANGULAR_ERROR], distance(now, start, ANGULAR))
    seen[MOMENTUM_MOST] = max(seen[MOMENTUM_MOST], now[MOMENTUM_SCALE])
    seen[ANGULAR_MOST] = max(seen[ANGULAR_MOST], now[ANGULAR_SCALE])


@inline
def distance(a, b, first):
    """Distance of two vectors in rows of numbers."""
    x, y, z = a[first] - b[first], a[first + 1] - b[first + 1], a[first + 2] - b[first + 2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def write_conserved(system, y, out):
    """Write energies and momenta of a state into a row; Eq. (E1)."""
    links, w = system.links, system.world[0]
    for k in range(COLUMNS):
        out[k] = 0.0
    cx, cy, cz, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if w.floating == 1:
        for i in range(links.shape[0]):
            base = links[i]
            if base.kind == FREE:
                m, at = base.total[0], w.n_q + base.at_u + 3
                x, y_, z = turn(base.R_NB, base.total[1], base.total[2], base.total[3])
                cx, cy, cz = cx + x + m * base.p_NB[0], cy + y_ + m * base.p_NB[1], cz + z + m * base.p_NB[2]
                vx, vy, vz = vx + y[at], vy + y[at + 1], vz + y[at + 2]
                out[MASS] += m
        if out[MASS] > 0.0:
            m = 1.0 / out[MASS]
            cx, cy, cz, vx, vy, vz = m * cx, m * cy, m * cz, m * vx, m * vy, m * vz
    for i in range(links.shape[0]):
        if links[i].kind != GROUND:
            add_link(system, links[i], (cx, cy, cz), (vx, vy, vz), out)
    out[ELASTIC] = energy_held(system.elements, system.pairs, system.interfaces)
    for i in range(system.appendages.shape[0]):
        link = links[system.appendages[i].link]
        x, y_, z = turn_back(links[link.root].R_NB, vx, vy, vz)
        add_modes(link, system.appendages[i], system.modes, y, w.gravity, (x, y_, z), out)
    m = out[MASS]
    out[MOMENTUM], out[MOMENTUM + 1], out[MOMENTUM + 2] = (
        out[MOMENTUM] + m * vx,
        out[MOMENTUM + 1] + m * vy,
        out[MOMENTUM + 2] + m * vz,
    )
    at = w.n_q + w.n_u
    out[DISSIPATED], out[WORK] = y[at], y[at + 1]
    if w.floating == 1:
        out[WEIGHT] = 0.0
        if y.shape[0] > at + EXTRA_STATES:
            out[WORK] = y[at + EXTRA_STATES]


@inline
def add_link(system, link, centre, v, out):
    """Add kinetic energy, weight and momenta of a link, seen from a point that moves with a velocity."""
    base, g = system.links[link.root], system.world[0].gravity
    h, (m, mx, my, mz) = momentum_of(system.groups, link)
    x, y, z = turn_back(base.R_NB, v[0], v[1], v[2])
    V, R = link.V, base.R_NB
    h0, h1, h2 = h[0] - (my * z - mz * y), h[1] - (mz * x - mx * z), h[2] - (mx * y - my * x)
    h3, h4, h5 = h[3] - m * x, h[4] - m * y, h[5] - m * z
    out[KINETIC] += 0.5 * (
        h0 * V[0] + h1 * V[1] + h2 * V[2] + h3 * (V[3] - x) + h4 * (V[4] - y) + h5 * (V[5] - z)
    )
    ax, ay, az = turn(R, h0, h1, h2)
    lx, ly, lz = turn(R, h3, h4, h5)
    px, py, pz = base.p_NB[0] - centre[0], base.p_NB[1] - centre[1], base.p_NB[2] - centre[2]
    ax, ay, az = ax + py * lz - pz * ly, ay + pz * lx - px * lz, az + px * ly - py * lx
    out[ANGULAR], out[ANGULAR + 1], out[ANGULAR + 2] = (
        out[ANGULAR] + ax,
        out[ANGULAR + 1] + ay,
        out[ANGULAR + 2] + az,
    )
    out[MOMENTUM], out[MOMENTUM + 1], out[MOMENTUM + 2] = (
        out[MOMENTUM] + lx,
        out[MOMENTUM + 1] + ly,
        out[MOMENTUM + 2] + lz,
    )
    size = math.sqrt(lx * lx + ly * ly + lz * lz)
    out[MOMENTUM_SCALE] += size
    out[ANGULAR_SCALE] += (
        math.sqrt(h0 * h0 + h1 * h1 + h2 * h2) + math.sqrt(px * px + py * py + pz * pz) * size
    )
    x, y, z = turn(R, mx, my, mz)
    x, y, z = x + m * base.p_NB[0], y + m * base.p_NB[1], z + m * base.p_NB[2]
    out[WEIGHT] -= x * g[0] + y * g[1] + z * g[2]


@inline
def add_modes(link, a, modes, q, gravity, v, out):
    """Add the energy of the modes of a structure, seen with a velocity in base axes; Eq. (F46)."""
    V, m = link.V, a.moving
    w0, w1, w2, v0, v1, v2 = motion_in_link(link, V[0], V[1], V[2], V[3] - v[0], V[4] - v[1], V[5] - v[2])
    out[ELASTIC] += a.energy
    out[KINETIC] += a.swing
    if link.kind != GROUND:  # the other half is in the link's momentum times its velocity
        out[KINETIC] += 0.5 * (m[0] * w0 + m[1] * w1 + m[2] * w2 + m[3] * v0 + m[4] * v1 + m[5] * v2)
    else:  # the ground has no momentum: the weight of what moves on it
        for k in range(a.count):
            c, x = modes[a.first + k].c, q[a.at_q + k]
            out[WEIGHT] -= (c[3] * gravity[0] + c[4] * gravity[1] + c[5] * gravity[2]) * x
