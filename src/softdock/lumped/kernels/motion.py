"""The chain over one step: its Taylor coefficients, its state after the step, its books."""

import math
from collections import namedtuple

from softdock.lumped.kernels.polynomial import ORDER, RADIANS, SPARE, evaluate_all, integral, product_integral
from softdock.native.decorators import kernel

# Chain: `line` has the rows MASS to INVERSE_MASS; masses from the chaser's rear to the target's far end;
# link i joins i and i+1, the last one the wall; the link of the interface (index `touching`) is empty.
Chain = namedtuple("Chain", "line touching gap")
MASS, STIFFNESS, DAMPING, INVERSE_MASS = range(4)
# Interface: pad (Kelvin-Voigt; zeros if none), restitution (-1 if none), wedge (tip_length 0 if none).
Interface = namedtuple(
    "Interface",
    "pad_stiffness pad_damping restitution wedge_in wedge_out wedge_elastic tip_length jams settle_speed",
)
# Work: `q` has the Taylor coefficients of all positions, then of all velocities; `c` those of overlap, its
# rate, interface force and wall force, and a row of scratch. Few arrays: each costs every call of a kernel.
Work = namedtuple("Work", "q c state books rows marks")
S, R, F, WALL, SCRATCH = range(5)

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
    SAMPLES,
    TOUCH_TIME,
    PART_TIME,
    PART_IMPULSE,
    LATCH_TIME,
) = range(15)
AFTER = 15  # and following: velocities of the masses where they first part

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
    m_a, m_b = chain.line[MASS, chain.touching], chain.line[MASS, chain.touching + 1]
    return m_a * m_b / (m_a + m_b)


@kernel
def longest_step(chain, k_e, d_e):
    """Longest step whose power series ends in round-off [s]; infinite without a force."""
    stiffest, most_damped, k_left, d_left = 0.0, 0.0, 0.0, 0.0
    for i in range(chain.line.shape[1]):
        k_right, d_right = chain.line[STIFFNESS, i], chain.line[DAMPING, i]
        if i == chain.touching:
            k_right, d_right = abs(k_e), d_e
        stiffest = max(stiffest, 2.0 * (k_left + k_right) / chain.line[MASS, i])
        most_damped = max(most_damped, 2.0 * (d_left + d_right) / chain.line[MASS, i])
        k_left, d_left = k_right, d_right
    rate = stiffest**0.5 + most_damped  # Eq. (H5)
    return RADIANS / rate if rate > 0.0 else math.inf


@kernel
def shortest_step(chain, law):
    """Step in the stiffest phase a run can have [s]."""
    wedge = max(law.wedge_in, abs(law.wedge_out))
    return longest_step(chain, law.pad_stiffness + wedge, law.pad_damping)


@kernel
def expand(chain, law, work):
    """Write the Taylor coefficients of the motion from the state in the first column of q."""
    line, q, c, a = chain.line, work.q, work.c, chain.touching
    n = line.shape[1]
    k_e, d_e = interface_stiffness(law, work.state), interface_damping(law, work.state)
    locked = work.state[GRIP] >= STUCK
    mu = reduced_mass(chain)
    for k in range(ORDER + 1):
        c[S, k] = q[a, k] - q[a + 1, k] - (chain.gap if k == 0 else 0.0)
        c[R, k] = q[n + a, k] - q[n + a + 1, k]
        left = 0.0
        for i in range(n):  # Eq. (H1); the acceleration is put where the next coefficient of v belongs
            stretch, rate = -q[i, k], -q[n + i, k]
            if i < n - 1:
                stretch += q[i + 1, k]
                rate += q[n + i + 1, k]
            right = line[STIFFNESS, i] * stretch + line[DAMPING, i] * rate
            q[n + i, k + 1] = (right - left) * line[INVERSE_MASS, i]
            left = right
        c[WALL, k] = left
        if locked:
            c[F, k] = mu * (q[n + a, k + 1] - q[n + a + 1, k + 1])  # Eq. (H4)
        else:
            c[F, k] = k_e * c[S, k] + d_e * c[R, k]  # Eq. (H2)
        q[n + a, k + 1] -= c[F, k] * line[INVERSE_MASS, a]
        q[n + a + 1, k + 1] += c[F, k] * line[INVERSE_MASS, a + 1]
        share = 1.0 / (k + 1)
        for i in range(n):  # Eq. (H3)
            q[n + i, k + 1] *= share
            q[i, k + 1] = q[n + i, k] * share


@kernel
def dissipated(chain, law, work, t):
    """Energy lost from the start of the step to t [J], integrated from the motion."""
    line, q, c, state = chain.line, work.q, work.c, work.state
    n = line.shape[1]
    total = 0.0
    for i in range(n):
        if line[DAMPING, i] > 0.0:
            for k in range(ORDER + 1):
                c[SCRATCH, k] = q[n + i, k] - (q[n + i + 1, k] if i < n - 1 else 0.0)
            total += line[DAMPING, i] * product_integral(c[SCRATCH], c[SCRATCH], t)  # Eq. (H6)
    if state[PAD] == PRESS and law.pad_damping > 0.0:
        total += law.pad_damping * product_integral(c[R], c[R], t)
    lost = 0.0  # stiffness whose work is not stored: friction of the wedge, recovery of the released pad
    if state[GRIP] == SLIDE_IN:
        lost += law.wedge_in - law.wedge_elastic
    elif state[GRIP] == SLIDE_OUT:
        lost += law.wedge_out - law.wedge_elastic
    if state[PAD] == OVERLAP:
        lost -= law.pad_stiffness
    if lost != 0.0:
        total += lost * product_integral(c[S], c[R], t)  # Eq. (H7)
    return total


@kernel
def overlap(chain, work):
    """Overlap of the touching bodies in the present state [m]."""
    return work.q[chain.touching, 0] - work.q[chain.touching + 1, 0] - chain.gap


@kernel
def energy(chain, law, work):
    """Kinetic and elastic energy of the present state [J]."""
    line, q = chain.line, work.q
    n = line.shape[1]
    total = 0.0
    for i in range(n):
        stretch = q[i, 0] - (q[i + 1, 0] if i < n - 1 else 0.0)
        total += 0.5 * line[MASS, i] * q[n + i, 0] ** 2 + 0.5 * line[STIFFNESS, i] * stretch**2
    depth = max(0.0, overlap(chain, work))
    return total + 0.5 * (law.pad_stiffness + law.wedge_elastic) * depth**2


@kernel
def momentum(chain, work):
    """Momentum of the present state [N s]."""
    total, n = 0.0, chain.line.shape[1]
    for i in range(n):
        total += chain.line[MASS, i] * work.q[n + i, 0]
    return total


@kernel
def advance(chain, law, work, t):
    """Move the state by t along the polynomials and keep the books."""
    books, q = work.books, work.q
    books[DISSIPATED] += dissipated(chain, law, work, t)
    books[IMPULSE] += integral(work.c[F], t)
    books[WALL_IMPULSE] += integral(work.c[WALL], t)
    books[TIME] += t
    evaluate_all(q, t)
    for i in range(q.shape[0]):
        q[i, 0] = q[i, SPARE]
    audit(chain, law, work)


@kernel
def audit(chain, law, work):
    """Note the largest error of the energy and momentum balances so far."""
    books = work.books
    gained = energy(chain, law, work) + books[DISSIPATED] - books[ENERGY_START]
    books[ENERGY_ERROR] = max(books[ENERGY_ERROR], abs(gained))
    pushed = momentum(chain, work) - books[WALL_IMPULSE] - books[MOMENTUM_START]
    books[MOMENTUM_ERROR] = max(books[MOMENTUM_ERROR], abs(pushed))
