"""The right-hand side of the equations of motion, and the energy of a state.

A state is one vector: positions of all joints, modal coordinates of all flexible structures, own entries of elements
(the delay of a self-locking drive, for example), then for every free base the momentum of its whole tree (in N, about
N's origin), the speeds of all other joints and modal rates, then the energy dissipated and the work of external forces.
With momentum as a state, every Runge-Kutta method conserves momentum to rounding, because it is a linear invariant.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.contact.kernels.layout import ContactArrays, ContactLists
from softdock.dynamics.kernels.control.actuators import apply_thrusters
from softdock.dynamics.kernels.control.gnc_records import GncRecords
from softdock.dynamics.kernels.forces.bonds import apply_bonds, bond_energy
from softdock.dynamics.kernels.forces.contacts import apply_contacts, contact_energy
from softdock.dynamics.kernels.forces.holding import apply_holding_forces
from softdock.dynamics.kernels.forces.interfaces import apply_interfaces, interface_energy
from softdock.dynamics.kernels.forces.locks import apply_lock_forces, apply_lock_impulses
from softdock.elements.kernels.dispatch import Laws, States, apply_elements
from softdock.elements.load.kernels import load_structures
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES
from softdock.spatial.kernels import quaternion_rate, rotate
from softdock.tree.kernels.appendages import (
    add_modal_bias,
    add_modal_momentum,
    deform,
    eliminate_modes,
    reset_modal_loads,
    write_modal_rates,
)
from softdock.tree.kernels.composites import sum_inertias
from softdock.tree.kernels.dynamics import accelerations, link_accelerations
from softdock.tree.kernels.fused_algebra import read_six
from softdock.tree.kernels.kinematics import (
    base_velocities,
    joint_velocities,
    link_velocities,
    place_links,
)
from softdock.tree.kernels.orbit import apply_gravity, apply_plates, move_orbit
from softdock.tree.kernels.tree import BALL, FREE, GROUND

WORLD = np.dtype(
    [
        ("gravity", np.float64, 3),  # uniform, in N [m/s2]
        ("n_q", np.int64),  # number of positions in the state, and of the states of elements
        ("element_states", np.int64),  # number of those, which are the last of the positions
        ("n_u", np.int64),  # number of momenta and speeds
    ],
    align=True,
)
"""Gravity and sizes of the state: constants."""

COUNTERS = np.dtype(
    [
        ("evaluations", np.int64),  # of the derivative
        ("rebuilds", np.int64),  # of near lists
        ("stuck", np.int64),  # axes of joints that friction holds at present
    ],
    align=True,
)
"""Counts: data."""

# Dissipated energy and external work; a run under loads has a third entry: work relative to the centre of mass.
EXTRA_STATES = 2


class SystemRecords(NamedTuple):
    """A system in the kernels: its model, which kernels only read, and data, which they write."""

    # The model.
    world: np.recarray
    """One record: gravity and sizes of the state."""
    links: np.recarray
    groups: np.recarray
    """Joint axes in SIMD lanes."""
    tiles: np.recarray
    """Blocks of the joint-space inertia matrix."""
    appendages: np.recarray
    """Flexible structures on links."""
    modes: np.recarray
    nodes: np.recarray
    """Nodes of structures that are loaded or observed."""
    shapes: NDArray[np.float64]
    """Their mode shapes, one row per node and mode."""
    orbit: np.recarray
    """One record for a system in orbit, none in free space."""
    plates: np.recarray
    tables: NDArray[np.float64]
    """Loads over time."""
    pairs: np.recarray
    arrays: ContactArrays
    interfaces: np.recarray
    """Pins in holes."""
    pins: np.recarray
    """Of all interfaces."""
    reactions: np.recarray
    """Joint reactions that channels refer to."""
    items: np.recarray
    """What acts beyond the fixed mounts among them."""
    elements: np.recarray
    """Of all kinds."""
    laws: Laws
    """Parameters of the elements of each kind."""
    formulas: np.recarray
    """Nodes of all formulas of channels."""
    # Data.
    counters: np.recarray
    element_data: np.recarray
    """Whether the elements are switched on, and their results."""
    states: States
    """What the elements of each kind remember."""
    motions: np.recarray
    """One per link."""
    axes: np.recarray
    group_motions: np.recarray
    """One per group of axes."""
    tile_inertias: np.recarray
    """One per tile, and one more as scratch memory."""
    held_inertia: NDArray[np.float64]
    """(axes, axes): rows of the inertia of joints of the axes that friction holds."""
    appendage_motions: np.recarray
    """One per structure."""
    mode_forces: np.recarray
    """One per mode."""
    orbit_motion: np.recarray
    pair_states: np.recarray
    """One per pair."""
    bonds: np.recarray
    """One per pair if an action bonds contacts, else none."""
    lists: ContactLists
    interface_states: np.recarray
    """One per interface."""
    reaction_wrenches: np.recarray
    """One per reaction."""
    formula_values: np.recarray
    """One per node."""
    locks: NDArray[np.float64]
    """Work array for the equations of rigid connections: six rows per lock, and one column more than rows."""
    gnc: GncRecords


@kernel
def derivative(system, t, y, dy):
    """Write the rate of the state into `dy`: kinematics, forces, accelerations; Eq. (M14)."""
    w = system.world[0]
    n_q, n_u = w.n_q, w.n_u
    u = y[n_q : n_q + n_u]
    flexible, locked = system.appendages.shape[0] > 0, system.locks.shape[0] > 0
    system.counters[0].evaluations += 1
    move_orbit(system, t)
    set_motion(system, y)
    effort_power = clear_forces(system.links, system.motions, system.axes, u)
    loss, power = apply_elements(system, t, y, u, dy)
    if system.pairs.shape[0] > 0:
        loss += apply_contacts(system, y, dy)
    if system.bonds.shape[0] > 0:
        loss += apply_bonds(system)
    if system.interfaces.shape[0] > 0:
        loss += apply_interfaces(system)
    if flexible:
        reset_modal_loads(system)
        power += load_structures(system, t, u)
    if system.orbit.shape[0] > 0:
        power += apply_gravity(system)
        power += apply_plates(system)
    if system.gnc.controllers.shape[0] > 0:
        power += apply_thrusters(system)
    if flexible:
        loss += eliminate_modes(system, y, u)
    accelerations(system)
    if flexible or locked:
        link_accelerations(system, 0)
    if locked:
        loss += apply_lock_forces(system)
    if system.counters[0].stuck > 0:
        apply_holding_forces(system, y)
    write_rates(system, y, u, dy)
    if flexible:
        write_modal_rates(system, u, dy)
    dy[n_q + n_u] = loss
    dy[n_q + n_u + 1] = power + effort_power
    if dy.shape[0] > n_q + n_u + EXTRA_STATES:
        dy[n_q + n_u + EXTRA_STATES] = power + effort_power - common_power(system, u, dy)


@kernel
def set_motion(system, y):
    """Set poses and velocities of all links to the given state; no forces."""
    w, flexible = system.world[0], system.appendages.shape[0] > 0
    q, u = y, y[w.n_q : w.n_q + w.n_u]
    place_links(system, q)
    if flexible:
        deform(system, q)
    sum_inertias(system, u)
    joint_velocities(system, u)
    if flexible:
        add_modal_momentum(system, u)
    base_velocities(system.links, system.motions, u)
    link_velocities(system)
    if flexible:
        add_modal_bias(system)


@kernel
def impose_locks(system, y):
    """Apply the impulses after which locked links move as one; adds the energy lost to the dissipated energy."""
    if system.locks.shape[0] > 0:
        w = system.world[0]
        y[w.n_q + w.n_u] += apply_lock_impulses(system, y)


@inline
def clear_forces(links, motions, axes, u):
    """Reset forces to the efforts that controllers apply at joints; returns the power of these efforts [W]."""
    for i in range(links.shape[0]):
        motion = motions[i]
        if motion.loaded == 1 or links[i].kind == FREE:
            for k in range(6):
                motion.W[k] = 0.0
    power = 0.0
    for i in range(axes.shape[0]):
        axes[i].tau = axes[i].effort
        axes[i].rubbed, axes[i].static_friction = 0, 0.0
        power += axes[i].effort * u[i]
    return power


@kernel
def write_rates(system, q, u, dy):
    """Write the rates of positions, momenta and speeds into `dy`; Eqs. (M15)-(M17)."""
    links, n_q = system.links, system.world[0].n_q
    for i in range(links.shape[0]):
        link, motion = links[i], system.motions[i]
        kind = link.kind
        if kind == GROUND:
            continue
        at_q, at_u = link.at_q, link.at_u
        if kind == FREE:
            V, W = motion.V, motion.W
            dy[at_q], dy[at_q + 1], dy[at_q + 2] = rotate(motion.R_NB, V[3], V[4], V[5])
            write_quaternion_rate(q, dy, at_q + 3, V[0], V[1], V[2])
            add_weight(motion, system.world[0].gravity)
            for k in range(6):
                dy[n_q + at_u + k] = W[k]
        else:
            if kind == BALL:
                write_quaternion_rate(q, dy, at_q, u[at_u], u[at_u + 1], u[at_u + 2])
            else:
                dy[at_q] = u[at_u]
            for row in range(at_u, at_u + link.rows):
                dy[n_q + row] = system.axes[row].udot
            base = links[link.root]
            if motion.loaded == 1 and base.kind == FREE:
                for k in range(6):
                    dy[n_q + base.at_u + k] += motion.W[k]


@inline
def common_power(system, u, dy):
    """Return the power of external forces except weight on the motion of the common centre of mass [W]; Eq. (E1)."""
    gravity, n_q = system.world[0].gravity, system.world[0].n_q
    mass, fx, fy, fz, px, py, pz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(system.links.shape[0]):
        base = system.links[i]
        if base.kind == FREE:
            m, at = system.motions[i].total[0], base.at_u + 3
            mass += m
            px, py, pz = px + u[at], py + u[at + 1], pz + u[at + 2]
            fx, fy, fz = fx + dy[n_q + at], fy + dy[n_q + at + 1], fz + dy[n_q + at + 2]
    if mass == 0.0:
        return 0.0
    weight = gravity[0] * px + gravity[1] * py + gravity[2] * pz
    return (fx * px + fy * py + fz * pz) / mass - weight


@inline
def add_weight(base, gravity):
    """Add the weight of a free tree in uniform gravity to the wrench on its base, in N about N's origin."""
    W, total, p = base.W, base.total, base.p_NB
    hx, hy, hz = rotate(base.R_NB, total[1], total[2], total[3])
    m = total[0]
    hx, hy, hz = hx + m * p[0], hy + m * p[1], hz + m * p[2]
    W[0] += hy * gravity[2] - hz * gravity[1]
    W[1] += hz * gravity[0] - hx * gravity[2]
    W[2] += hx * gravity[1] - hy * gravity[0]
    for k in range(3):
        W[3 + k] += m * gravity[k]


@inline
def write_quaternion_rate(q, dy, at, wx, wy, wz):
    """Write the rate of the quaternion at `at` for an angular velocity in the rotated axes [rad/s]."""
    dy[at], dy[at + 1], dy[at + 2], dy[at + 3] = quaternion_rate(
        q[at], q[at + 1], q[at + 2], q[at + 3], wx, wy, wz
    )


@kernel
def total_stored_energy(system):
    """Return the energy stored in all elements and contacts at the last evaluation [J]."""
    energy = contact_energy(system.pair_states) + interface_energy(system.interface_states)
    if system.bonds.shape[0] > 0:
        energy += bond_energy(system.bonds)
    for i in range(system.elements.shape[0]):
        energy += system.element_data[i].energy
    return energy


@inline
def momentum_of(link, motion, group_motions):
    """Return the momentum of a moving link against N, and its mass and mass times centre, in its base frame."""
    if link.kind == FREE:
        D = motion.deformed
        return read_six(motion.h), (D[0], D[1], D[2], D[3])
    last = link.column + link.rows - 1
    h, own, j = group_motions[last // LANES].h, group_motions[last // LANES].inertia, last % LANES
    return (h[0, j], h[1, j], h[2, j], h[3, j], h[4, j], h[5, j]), (
        own[0, j],
        own[1, j],
        own[2, j],
        own[3, j],
    )
