"""The chain over one step: its Taylor coefficients, its state after the step, its books."""

from collections import namedtuple

from softdock.jit import kernel
from softdock.lumped.kernels.polynomial import ORDER, evaluate, integral, product_integral

# Chain: masses from the chaser's rear to the target's far end; link i joins i and i+1, the last one the wall;
# the link of the interface (index `touching`) has neither stiffness nor damping of its own.
Chain = namedtuple("Chain", "mass stiffness damping touching gap")
# Interface: pad (Kelvin-Voigt; zeros if none), restitution (-1 if none), wedge (tip_length 0 if none).
Interface = namedtuple(
    "Interface",
    "pad_stiffness pad_damping restitution wedge_in wedge_out wedge_elastic tip_length jams settle_speed",
)
# Work: Taylor coefficients of position, velocity, overlap, its rate, interface and wall force; the books.
Work = namedtuple("Work", "u v s r f wall g state books after rows marks")

# Indices of Work.state (integers).
PAD, GRIP, STRUCK, TOUCHES, PARTINGS, OUTCOME, ROWS, MARKS, STEPS, PENDING, CHANGES = range(11)
STATES = 11
# Indices of Work.books (floats, SI).
(
    TIME,
    DISSIPATED,
    IMPULSE,
    WALL_IMPULSE,
    ENERGY_START,
    ENERGY_ERROR,
    MOMENTUM_START,
    MOMENTUM_ERROR,
    PEAK_FORCE,
    DEEPEST,
    TOUCH_TIME,
    PART_TIME,
    PART_IMPULSE,
    LATCH_TIME,
    SAMPLES,
) = range(15)
BOOKS = 15

# Values of PAD.
CLEAR, OVERLAP, PRESS = range(3)
# Values of GRIP.
FREE, SLIDE_IN, SLIDE_OUT, STUCK, REST = range(5)


@kernel
def interface_stiffness(law, state):
    """Stiffness of the interface in the present phase [N/m]."""
    stiffness = law.pad_stiffness if state[PAD] == PRESS else 0.0
    if state[GRIP] == SLIDE_IN:
        stiffness += law.wedge_in
    elif state[GRIP] == SLIDE_OUT:
        stiffness += law.wedge_out
    return stiffness


@kernel
def interface_damping(law, state):
    """Damping of the interface in the present phase [N s/m]."""
    return law.pad_damping if state[PAD] == PRESS else 0.0


@kernel
def reduced_mass(chain):
    """Effective mass of the touching bodies [kg]."""
    m_a, m_b = chain.mass[chain.touching], chain.mass[chain.touching + 1]
    return m_a * m_b / (m_a + m_b)


@kernel
def longest_step(chain, law, state):
    """Step that spans one radian of the fastest motion of the present phase [s]; 0 if there is no force."""
    n, a = chain.mass.size, chain.touching
    stiffest, most_damped, k_left, d_left = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        k_right, d_right = chain.stiffness[i], chain.damping[i]
        if i == a:
            k_right, d_right = abs(interface_stiffness(law, state)), interface_damping(law, state)
        stiffest = max(stiffest, 2.0 * (k_left + k_right) / chain.mass[i])
        most_damped = max(most_damped, 2.0 * (d_left + d_right) / chain.mass[i])
        k_left, d_left = k_right, d_right
    rate = stiffest**0.5 + most_damped  # Eq. (H5)
    return 1.0 / rate if rate > 0.0 else 0.0


@kernel
def expand(chain, law, work):
    """Write the Taylor coefficients of the motion from the state in u[:, 0], v[:, 0]."""
    n, a, mass = chain.mass.size, chain.touching, chain.mass
    u, v, s, r, f = work.u, work.v, work.s, work.r, work.f
    k_e, d_e = interface_stiffness(law, work.state), interface_damping(law, work.state)
    locked = work.state[GRIP] >= STUCK
    mu = reduced_mass(chain)
    for k in range(ORDER + 1):
        s[k] = u[a, k] - u[a + 1, k] - (chain.gap if k == 0 else 0.0)
        r[k] = v[a, k] - v[a + 1, k]
        left = 0.0
        for i in range(n):  # Eq. (H1); the acceleration is put where the next coefficient of v belongs
            if i < n - 1:
                right = chain.stiffness[i] * (u[i + 1, k] - u[i, k]) + chain.damping[i] * (
                    v[i + 1, k] - v[i, k]
                )
            else:
                right = -chain.stiffness[i] * u[i, k] - chain.damping[i] * v[i, k]
            v[i, k + 1] = (right - left) / mass[i]
            left = right
        work.wall[k] = left
        if locked:
            f[k] = mu * (v[a, k + 1] - v[a + 1, k + 1])  # Eq. (H4)
        else:
            f[k] = k_e * s[k] + d_e * r[k]  # Eq. (H2)
        v[a, k + 1] -= f[k] / mass[a]
        v[a + 1, k + 1] += f[k] / mass[a + 1]
        for i in range(n):  # Eq. (H3)
            v[i, k + 1] /= k + 1
            u[i, k + 1] = v[i, k] / (k + 1)


@kernel
def dissipated(chain, law, work, t):
    """Energy lost from the start of the step to t [J], integrated from the motion."""
    n, state, g = chain.mass.size, work.state, work.g
    total = 0.0
    for i in range(n):
        if chain.damping[i] > 0.0:
            for k in range(ORDER + 1):
                g[k] = work.v[i, k] - (work.v[i + 1, k] if i < n - 1 else 0.0)
            total += chain.damping[i] * product_integral(g, g, t)  # Eq. (H6)
    if state[PAD] == PRESS and law.pad_damping > 0.0:
        total += law.pad_damping * product_integral(work.r, work.r, t)
    lost = 0.0  # stiffness whose work is not stored: friction of the wedge, recovery of the released pad
    if state[GRIP] == SLIDE_IN:
        lost += law.wedge_in - law.wedge_elastic
    elif state[GRIP] == SLIDE_OUT:
        lost += law.wedge_out - law.wedge_elastic
    if state[PAD] == OVERLAP:
        lost -= law.pad_stiffness
    if lost != 0.0:
        total += lost * product_integral(work.s, work.r, t)  # Eq. (H7)
    return total


@kernel
def energy(chain, law, work):
    """Kinetic and elastic energy of the state in u[:, 0], v[:, 0] [J]."""
    n, u, v = chain.mass.size, work.u, work.v
    total = 0.0
    for i in range(n):
        stretch = u[i, 0] - (u[i + 1, 0] if i < n - 1 else 0.0)
        total += 0.5 * chain.mass[i] * v[i, 0] ** 2 + 0.5 * chain.stiffness[i] * stretch**2
    depth = max(0.0, u[chain.touching, 0] - u[chain.touching + 1, 0] - chain.gap)
    return total + 0.5 * (law.pad_stiffness + law.wedge_elastic) * depth**2


@kernel
def momentum(chain, work):
    """Momentum of the state in v[:, 0] [N s]."""
    total = 0.0
    for i in range(chain.mass.size):
        total += chain.mass[i] * work.v[i, 0]
    return total


@kernel
def advance(chain, law, work, t):
    """Move the state by t along the polynomials and keep the books."""
    books, u, v = work.books, work.u, work.v
    books[DISSIPATED] += dissipated(chain, law, work, t)
    books[IMPULSE] += integral(work.f, t)
    books[WALL_IMPULSE] += integral(work.wall, t)
    books[TIME] += t
    for i in range(chain.mass.size):
        u[i, 0] = evaluate(u[i], t)
        v[i, 0] = evaluate(v[i], t)
    audit(chain, law, work)


@kernel
def audit(chain, law, work):
    """Note the largest error of the energy and momentum balances so far."""
    books = work.books
    gained = energy(chain, law, work) + books[DISSIPATED] - books[ENERGY_START]
    books[ENERGY_ERROR] = max(books[ENERGY_ERROR], abs(gained))
    pushed = momentum(chain, work) - books[WALL_IMPULSE] - books[MOMENTUM_START]
    books[MOMENTUM_ERROR] = max(books[MOMENTUM_ERROR], abs(pushed))
