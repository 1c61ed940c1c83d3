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
        ("evaluations", np.int64),
        ("rebuilds", np.int64),
        ("floating", np.int64),  # 1: nothing connects any body to the ground
    ],
    align=True,
)
# Dissipated energy and external work; a run under loads has a third entry: work relative to the centre of mass.
EXTRA_STATES = 2


class SystemRecords(NamedTuple):
    """A system in the kernels: records of the model with their scratch memory, and counters."""

    links: np.recarray
    axes: np.recarray
    elements: np.recarray
    element_data: np.recarray
    """Whether the elements are switched on, and their results."""
    laws: Laws
    states: States
    tables: NDArray[np.float64]
    """Loads over time."""
    pairs: np.recarray
    bonds: np.recarray
    """One per pair if an action bonds contacts, else none."""
    arrays: ContactArrays
    lists: ContactLists
    world: np.recarray
    appendages: np.recarray
    """Flexible structures on links."""
    modes: np.recarray
    nodes: np.recarray
    """Nodes of structures that are loaded or observed."""
    shapes: NDArray[np.float64]
    """Their mode shapes, one row per node and mode."""
    locks: NDArray[np.float64]
    """Work array for the equations of rigid connections: six rows per lock."""
    orbit: np.recarray
    """One record for a system in orbit, none in free space."""
    plates: np.recarray
    interfaces: np.recarray
    """Pins in holes."""
    pins: np.recarray
    """Of all interfaces."""
    groups: np.recarray
    """Joint axes in SIMD lanes."""
    tiles: np.recarray
    """Blocks of the joint-space inertia matrix."""
    reactions: np.recarray
    """Joint reactions that channels refer to."""
    items: np.recarray
    """What acts beyond the fixed mounts among them."""
    formulas: np.recarray
    """Nodes of all formulas of channels."""
    gnc: GncRecords


@kernel
def derivative(system, t, y, dy):
    """Write the rate of the state into `dy`: kinematics, forces, accelerations; Eq. (M14)."""
    links, axes, groups, pairs = system.links, system.axes, system.groups, system.pairs
    w = system.world[0]
    n_q, n_u = w.n_q, w.n_u
    appendages, modes = system.appendages, system.modes
    u = y[n_q : n_q + n_u]
    w.evaluations += 1
    move_orbit(system.orbit, links, t)
    set_motion(system, y)
    effort_power = clear_forces(links, axes, u)
    loss, power = apply_elements(system, t, y, u, dy)
    if pairs.shape[0] > 0:
        loss += apply_contacts(links, pairs, system.arrays, system.lists)
    if system.bonds.shape[0] > 0:
        loss += apply_bonds(links, pairs, system.bonds)
    if system.interfaces.shape[0] > 0:
        apply_interfaces(links, system.interfaces, system.pins, dy[n_q + n_u :])
        loss += dy[n_q + n_u]
    if appendages.shape[0] > 0:
        reset_modal_loads(links, appendages, modes)
        power += load_structures(system, t, u)
    if system.orbit.shape[0] > 0:
        power += apply_gravity(links, groups, system.orbit, appendages)
        power += apply_plates(links, system.orbit, system.plates)
    if system.gnc.controllers.shape[0] > 0:
        power += apply_thrusters(links, system.gnc)
    if appendages.shape[0] > 0:
        loss += eliminate_modes(links, groups, appendages, modes, y, u, w.gravity)
    accelerations(links, axes, groups, system.tiles)
    if appendages.shape[0] > 0 or system.locks.shape[0] > 0:
        link_accelerations(links, groups, 0)
    if system.locks.shape[0] > 0:
        loss += apply_lock_forces(system)
    write_rates(links, axes, w.gravity, y, u, dy, n_q)
    if appendages.shape[0] > 0:
        write_modal_rates(links, groups, appendages, modes, u, dy, n_q, w.gravity)
    dy[n_q + n_u] = loss
    dy[n_q + n_u + 1] = power + effort_power
    if dy.shape[0] > n_q + n_u + EXTRA_STATES:
        dy[n_q + n_u + EXTRA_STATES] = power + effort_power - common_power(links, w.gravity, n_q, u, dy)


@kernel
def set_motion(system, y):
    """Set poses and velocities of all links to the given state; no forces."""
    links, groups, appendages, modes = system.links, system.groups, system.appendages, system.modes
    w = system.world[0]
    q, u = y, y[w.n_q : w.n_q + w.n_u]
    place_links(links, groups, q)
    if appendages.shape[0] > 0:
        deform(links, groups, appendages, modes, q)
    sum_inertias(links, groups, u)
    joint_velocities(links, groups, u)
    if appendages.shape[0] > 0:
        add_modal_momentum(links, appendages, modes, u)
    base_velocities(links, u)
    link_velocities(links, groups, w.gravity)
    if appendages.shape[0] > 0:
        add_modal_bias(links, groups, appendages)


@kernel
def impose_locks(system, y):
    """Apply the impulses after which locked links move as one; adds the energy lost to the dissipated energy."""
    if system.locks.shape[0] > 0:
        w = system.world[0]
        y[w.n_q + w.n_u] += apply_lock_impulses(system, w.n_q, y)


@inline
def clear_forces(links, axes, u):
    """Reset forces to the efforts that controllers apply at joints; returns the power of these efforts [W]."""
    for i in range(links.shape[0]):
        link = links[i]
        if link.loaded == 1 or link.kind == FREE:
            for k in range(6):
                link.W[k] = 0.0
    power = 0.0
    for i in range(axes.shape[0]):
        axes[i].tau = axes[i].effort
        power += axes[i].effort * u[i]
    return power


@kernel
def write_rates(links, axes, gravity, q, u, dy, n_q):
    """Write the rates of positions, momenta and speeds into `dy`; Eqs. (M15)-(M17)."""
    for i in range(links.shape[0]):
        link = links[i]
        kind = link.kind
        if kind == GROUND:
            continue
        at_q, at_u = link.at_q, link.at_u
        if kind == FREE:
            V, W = link.V, link.W
            dy[at_q], dy[at_q + 1], dy[at_q + 2] = rotate(link.R_NB, V[3], V[4], V[5])
            write_quaternion_rate(q, dy, at_q + 3, V[0], V[1], V[2])
            add_weight(link, gravity)
            for k in range(6):
                dy[n_q + at_u + k] = W[k]
        else:
            if kind == BALL:
                write_quaternion_rate(q, dy, at_q, u[at_u], u[at_u + 1], u[at_u + 2])
            else:
                dy[at_q] = u[at_u]
            for row in range(at_u, at_u + link.rows):
                dy[n_q + row] = axes[row].udot
            base = links[link.root]
            if link.loaded == 1 and base.kind == FREE:
                for k in range(6):
                    dy[n_q + base.at_u + k] += link.W[k]


@inline
def common_power(links, gravity, n_q, u, dy):
    """Return the power of external forces except weight on the motion of the common centre of mass [W]; Eq. (E1)."""
    mass, fx, fy, fz, px, py, pz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(links.shape[0]):
        base = links[i]
        if base.kind == FREE:
            m, at = base.total[0], base.at_u + 3
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
    energy = contact_energy(system.pairs) + interface_energy(system.interfaces)
    if system.bonds.shape[0] > 0:
        energy += bond_energy(system.bonds)
    for i in range(system.elements.shape[0]):
        energy += system.element_data[i].energy
    return energy


@inline
def momentum_of(groups, link):
    """Return the momentum of a moving link against N, and its mass and mass times centre, in its base frame."""
    if link.kind == FREE:
        return read_six(link.h), (link.deformed[0], link.deformed[1], link.deformed[2], link.deformed[3])
    last = link.column + link.rows - 1
    h, own, j = groups[last // LANES].h, groups[last // LANES].inertia, last % LANES
    return (h[0, j], h[1, j], h[2, j], h[3, j], h[4, j], h[5, j]), (
        own[0, j],
        own[1, j],
        own[2, j],
        own[3, j],
    )
