"""Motion of a mass chain over one step: Taylor coefficients, state after the step, energy and momentum totals."""

import math
from collections import namedtuple

from softdock.lumped.kernels.polynomial import (
    ORDER,
    RADIANS_PER_STEP,
    VALUE_COLUMN,
    evaluate_all,
    integral,
    product_integral,
)
from softdock.native.decorators import kernel

# ChainArrays: `line` has the rows MASS to INVERSE_MASS; masses are ordered from the chaser's rear to the target's far
# end. Link i joins masses i and i+1, the last link the wall; the link of the interface (index `touching`) is empty.
ChainArrays = namedtuple("ChainArrays", "line touching gap")
MASS, STIFFNESS, DAMPING, INVERSE_MASS = range(4)
# InterfaceLaw: pad (Kelvin-Voigt; zeros without a pad), restitution (-1 without), wedge (tip_length 0 without).
InterfaceLaw = namedtuple(
    "InterfaceLaw",
    "pad_stiffness pad_damping restitution wedge_in wedge_out wedge_elastic tip_length jams settle_speed",
)
# ChainWork: `q` has the Taylor coefficients of all positions, then of all velocities; `c` those of overlap, overlap
# rate, interface force, wall force and the wedge's share of the interface force, and two scratch rows. `events` has
# time and kind of each event; `sizes` and `peaks` have size and row of the peak of each reaction.
ChainWork = namedtuple("ChainWork", "q c state totals rows events sizes peaks")
OVERLAP, OVERLAP_RATE, INTERFACE_FORCE, WALL_FORCE, WEDGE_FORCE, LINK_FORCE, SCRATCH = range(7)
SERIES_COUNT = 7

# Indices of ChainWork.state (integers).
(
    PAD_STATE,
    COUPLING,
    IMPACT_DONE,
    TOUCH_COUNT,
    SEPARATION_COUNT,
    OUTCOME,
    ROW_COUNT,
    EVENT_COUNT,
    STEP_COUNT,
    ROW_PENDING,
    PHASE_COUNT,
) = range(11)
STATE_SIZE = 11
# Indices of Work.totals (floats, SI).
(
    TIME,
    DISSIPATED,
    IMPULSE,
    WALL_IMPULSE,
    ENERGY_START,
    ENERGY_ERROR,
    MOMENTUM_START,
    MOMENTUM_ERROR,
    SAMPLE_COUNT,
    TOUCH_TIME,
    SEPARATION_TIME,
    SEPARATION_IMPULSE,
    LATCH_TIME,
) = range(13)
VELOCITIES_AFTER = 13  # and following: velocities of the masses at the first separation

# Values of PAD_STATE: no contact; overlap without force after release; overlap with force.
PAD_OPEN, PAD_UNLOADED, PAD_LOADED = range(3)
# Values of COUPLING: how wedge or rigid contact joins the touching bodies; STUCK and RESTING lock them together.
UNCOUPLED, SLIDING_IN, SLIDING_OUT, STUCK, RESTING = range(5)


@kernel
def interface_stiffness(law, state):
    """Return the stiffness of the interface in the current phase [N/m]."""
    stiffness = law.pad_stiffness if state[PAD_STATE] == PAD_LOADED else 0.0
    if state[COUPLING] == SLIDING_IN:
        stiffness += law.wedge_in
    elif state[COUPLING] == SLIDING_OUT:
        stiffness += law.wedge_out
    return stiffness


@kernel
def interface_damping(law, state):
    """Return the damping of the interface in the current phase [N s/m]."""
    return law.pad_damping if state[PAD_STATE] == PAD_LOADED else 0.0


@kernel
def reduced_mass(chain):
    """Return the reduced mass of the touching bodies [kg]."""
    m_a, m_b = chain.line[MASS, chain.touching], chain.line[MASS, chain.touching + 1]
    return m_a * m_b / (m_a + m_b)


@kernel
def longest_step(chain, k_e, d_e):
    """Return the longest step whose truncated power series is exact to round-off [s]; infinite without forces."""
    stiffest, most_damped, k_left, d_left = 0.0, 0.0, 0.0, 0.0
    for i in range(chain.line.shape[1]):
        k_right, d_right = chain.line[STIFFNESS, i], chain.line[DAMPING, i]
        if i == chain.touching:
            k_right, d_right = abs(k_e), d_e
        stiffest = max(stiffest, 2.0 * (k_left + k_right) / chain.line[MASS, i])
        most_damped = max(most_damped, 2.0 * (d_left + d_right) / chain.line[MASS, i])
        k_left, d_left = k_right, d_right
    rate = stiffest**0.5 + most_damped  # Eq. (H5)
    return RADIANS_PER_STEP / rate if rate > 0.0 else math.inf


@kernel
def shortest_step(chain, law):
    """Return the step in the stiffest phase that a run can have [s]."""
    wedge = max(law.wedge_in, abs(law.wedge_out))
    return longest_step(chain, law.pad_stiffness + wedge, law.pad_damping)


@kernel
def expand_series(chain, law, work):
    """Compute the Taylor coefficients of the motion from the state in the first column of q."""
    line, q, c, a = chain.line, work.q, work.c, chain.touching
    n = line.shape[1]
    k_e, d_e = interface_stiffness(law, work.state), interface_damping(law, work.state)
    coupling = work.state[COUPLING]
    locked = coupling == STUCK or coupling == RESTING
    in_wedge = coupling == SLIDING_IN or coupling == SLIDING_OUT or coupling == STUCK
    k_p = law.pad_stiffness if work.state[PAD_STATE] == PAD_LOADED else 0.0
    mu = reduced_mass(chain)
    for k in range(ORDER + 1):
        c[OVERLAP, k] = q[a, k] - q[a + 1, k] - (chain.gap if k == 0 else 0.0)
        c[OVERLAP_RATE, k] = q[n + a, k] - q[n + a + 1, k]
        left = 0.0
        for i in range(n):  # Eq. (H1); the acceleration is stored in the next coefficient of v
            stretch, rate = -q[i, k], -q[n + i, k]
            if i < n - 1:
                stretch += q[i + 1, k]
                rate += q[n + i + 1, k]
            right = line[STIFFNESS, i] * stretch + line[DAMPING, i] * rate
            q[n + i, k + 1] = (right - left) * line[INVERSE_MASS, i]
            left = right
        c[WALL_FORCE, k] = left
        if locked:
            c[INTERFACE_FORCE, k] = mu * (q[n + a, k + 1] - q[n + a + 1, k + 1])  # Eq. (H4)
        else:
            c[INTERFACE_FORCE, k] = k_e * c[OVERLAP, k] + d_e * c[OVERLAP_RATE, k]  # Eq. (H2)
        pad_force = k_p * c[OVERLAP, k] + d_e * c[OVERLAP_RATE, k]
        c[WEDGE_FORCE, k] = c[INTERFACE_FORCE, k] - pad_force if in_wedge else 0.0
        q[n + a, k + 1] -= c[INTERFACE_FORCE, k] * line[INVERSE_MASS, a]
        q[n + a + 1, k + 1] += c[INTERFACE_FORCE, k] * line[INVERSE_MASS, a + 1]
        share = 1.0 / (k + 1)
        for i in range(n):  # Eq. (H3)
            q[n + i, k + 1] *= share
            q[i, k + 1] = q[n + i, k] * share


@kernel
def dissipated(chain, law, work, t):
    """Return the energy dissipated from the start of the step to t [J]."""
    line, q, c, state = chain.line, work.q, work.c, work.state
    n = line.shape[1]
    total = 0.0
    for i in range(n):
        if line[DAMPING, i] > 0.0:
            for k in range(ORDER + 1):
                c[SCRATCH, k] = q[n + i, k] - (q[n + i + 1, k] if i < n - 1 else 0.0)
            total += line[DAMPING, i] * product_integral(c[SCRATCH], c[SCRATCH], t)  # Eq. (H6)
    if state[PAD_STATE] == PAD_LOADED and law.pad_damping > 0.0:
        total += law.pad_damping * product_integral(c[OVERLAP_RATE], c[OVERLAP_RATE], t)
    lost = 0.0  # stiffness whose work is not stored elastically: wedge friction, recovery of the released pad
    if state[COUPLING] == SLIDING_IN:
        lost += law.wedge_in - law.wedge_elastic
    elif state[COUPLING] == SLIDING_OUT:
        lost += law.wedge_out - law.wedge_elastic
    if state[PAD_STATE] == PAD_UNLOADED:
        lost -= law.pad_stiffness
    if lost != 0.0:
        total += lost * product_integral(c[OVERLAP], c[OVERLAP_RATE], t)  # Eq. (H7)
    return total


@kernel
def overlap(chain, work):
    """Return the overlap of the touching bodies in the current state [m]."""
    return work.q[chain.touching, 0] - work.q[chain.touching + 1, 0] - chain.gap


@kernel
def energy(chain, law, work):
    """Return the kinetic and elastic energy of the current state [J]."""
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
    """Return the momentum of the current state [N s]."""
    total, n = 0.0, chain.line.shape[1]
    for i in range(n):
        total += chain.line[MASS, i] * work.q[n + i, 0]
    return total


@kernel
def advance_state(chain, law, work, t):
    """Advance the state by t [s] along the power series and update the totals."""
    totals, q = work.totals, work.q
    totals[DISSIPATED] += dissipated(chain, law, work, t)
    totals[IMPULSE] += integral(work.c[INTERFACE_FORCE], t)
    totals[WALL_IMPULSE] += integral(work.c[WALL_FORCE], t)
    totals[TIME] += t
    evaluate_all(q, t)
    for i in range(q.shape[0]):
        q[i, 0] = q[i, VALUE_COLUMN]
    check_conservation(chain, law, work)


@kernel
def check_conservation(chain, law, work):
    """Update the largest errors of the energy and momentum balances."""
    totals = work.totals
    gained = energy(chain, law, work) + totals[DISSIPATED] - totals[ENERGY_START]
    totals[ENERGY_ERROR] = max(totals[ENERGY_ERROR], abs(gained))
    pushed = momentum(chain, work) - totals[WALL_IMPULSE] - totals[MOMENTUM_START]
    totals[MOMENTUM_ERROR] = max(totals[MOMENTUM_ERROR], abs(pushed))
