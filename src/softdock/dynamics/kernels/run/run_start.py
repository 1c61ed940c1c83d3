"""What a run has from its initial state: tolerances, inertias that elements move, depths of enclosed surfaces."""

import math

import numpy as np

from softdock.contact.kernels.layout import DEPTH, SOLID_PAIR
from softdock.contact.kernels.solids.tables import depth_below_B
from softdock.dynamics.kernels.forces.contacts import relative_pose
from softdock.dynamics.kernels.forces.interfaces import RESULT_DEPTH
from softdock.dynamics.kernels.integration.force_errors import INERTIA
from softdock.dynamics.kernels.run.conservation import IN_WORLD, START
from softdock.elements.kernels.dispatch import one_sided, set_tolerance
from softdock.elements.kernels.joints import LEAST_MOBILITY, largest_mobility
from softdock.elements.kernels.one_sided import set_resting_limits
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.geometry.kernels import nearest_segment
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import rotate_inverse
from softdock.tree.kernels.dynamics import tile_index
from softdock.tree.kernels.tree import FREE, GROUND

START_POINT = np.dtype(
    [
        # On surface A, in A [m]; of a meridian y is 0. Where the surfaces do not cross, all points of A are on one side
        # of B.
        ("place", np.float64, 3),
        # Segments of B that its profile describes, counted from the first one of its closed meridian.
        ("first", np.int64),
        ("last", np.int64),
    ],
    align=True,
)
"""Point of surface A of a pair whose depth below surface B is checked at the start of a run."""
# Of the energy that an error of the speed by its tolerance changes: the error of an energy in a step. The energy
# balance shows errors of the motion only where those of the energies are smaller; it costs 2 % more steps.
ENERGY_ACCURACY = 0.01
MIN_SPEED_SCALE = 1e-3  # [m/s]; speed scale of systems that start at rest
MOMENTUM_ACCURACY = 0.01  # tolerance of the momentum of a free tree, as a fraction of the tolerance of speeds
LEAST_INERTIA = 1e-12  # [kg m2] of a tree, for the tolerance of its momentum
PARTS = 8  # interleaved partial sums, whose rounding errors grow slower than those of one sum


@kernel
def set_run_start(run):
    """Set tolerances, mobilities and inertias from the initial state, which has been observed."""
    system = run.system
    set_tolerances(run)
    write_mobilities(run)
    set_inertias(run)
    set_all_resting_limits(run)
    for i in range(system.pairs.shape[0]):
        active = system.pairs[i].active == 1
        run.enclosed[i] = enclosed_depth(system, run.start_points[i], i) if active else 0.0
        run.overlaps[i] = system.pair_states[i].out[DEPTH]
    for i in range(system.interfaces.shape[0]):
        run.pin_overlaps[i] = system.interface_states[i].result[RESULT_DEPTH]


@kernel
def set_tolerances(run):
    """Set the tolerance of every state; that of momenta and energies follows from the tolerance of speeds.

    Energies need error control of their own: the end stop of a coupling still dissipates after its release, while it
    exerts no force.
    """
    system, settings, tolerance = run.system, run.settings[0], run.workspace.tolerance
    now, start = run.workspace.conserved[IN_WORLD], run.workspace.conserved[START]
    parts, links, speed = run.workspace.search.instants, system.links, settings.speed_tolerance[FORCE]
    mass = sum_inertias(links, -1, 0, 1, parts)
    stored = now.elastic + now.weight
    momentum = max(now.momentum_scale, math.sqrt(2.0 * mass * abs(stored)), MIN_SPEED_SCALE * mass)
    count = run.accuracies.shape[0]
    for k in range(count):
        tolerance[k] = run.accuracies[k] if run.accuracies[k] > 0.0 else ENERGY_ACCURACY * speed * momentum
    for k in range(count, tolerance.shape[0]):  # work of external forces relative to the centre of mass
        tolerance[k] = speed * max(start.momentum_scale, MIN_SPEED_SCALE * mass)
    for i in range(system.elements.shape[0]):
        set_tolerance(system, i, tolerance)
    for i in range(links.shape[0]):
        if links[i].kind == FREE:
            set_momentum_tolerance(settings, links, i, system.world[0].n_q, parts, tolerance)


@inline
def set_momentum_tolerance(settings, links, i, n_q, parts, tolerance):
    """Set the tolerance of the momentum of a free tree with base i.

    Speeds and rates times the inertia of the whole tree, and finer: nothing damps an error of its momentum. The torque
    of a contact has an error of its force times a lever, so that the moment has one of the momentum times the radius of
    gyration.
    """
    at = n_q + links[i].at_u
    mass = sum_inertias(links, links[i].root, 0, 1, parts)
    inertia = max(sum_inertias(links, links[i].root, 4, 7, parts) / 3.0, LEAST_INERTIA)
    lever = math.sqrt(inertia / mass)
    speed, rate = settings.speed_tolerance[FORCE], settings.speed_tolerance[MOMENT]
    for k in range(at, at + 3):
        tolerance[k] = MOMENTUM_ACCURACY * (rate * inertia + speed * mass * lever)
    for k in range(at + 3, at + 6):
        tolerance[k] = MOMENTUM_ACCURACY * speed * mass


@kernel
def sum_inertias(links, root, first, last, parts):
    """Return the sum of the numbers first..last-1 of the inertias of the links of a tree; of all links for root -1."""
    count = 0
    for i in range(links.shape[0]):
        if root < 0 or links[i].root == root:
            count += last - first
    whole, seen, total = PARTS * (count // PARTS), 0, 0.0
    for k in range(PARTS):
        parts[k] = 0.0
    for i in range(links.shape[0]):
        if root >= 0 and links[i].root != root:
            continue
        for j in range(first, last):
            if seen < whole:
                parts[seen % PARTS] += links[i].own[j]
            else:
                total += links[i].own[j]
            seen += 1
            if seen == whole:
                pairs = (parts[0] + parts[1]) + (parts[2] + parts[3])
                total = pairs + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    return total


@kernel
def write_mobilities(run):
    """Write the acceleration along each joint axis per force [1/kg or 1/(kg m2)] to `error`, and to `y_new` its motion.

    The latter is 1 for an axis that slides. All joints and free bases may move; momenta have the mobility 0.
    """
    system, work = run.system, run.workspace
    for k in range(system.world[0].n_u):
        work.error[k] = 0.0
    for g in range(system.groups.shape[0]):
        group = system.groups[g]
        for lane in range(group.count):
            work.error[group.at_u[lane]] = axis_mobility(system, g, lane, work.y_stage)
            work.y_new[group.at_u[lane]] = group.slides[0, lane]


@kernel
def axis_mobility(system, g, lane, left):
    """Return the mobility of an axis of group g: its entry on the diagonal of the inverse of the joint inertia.

    Expects inertias as Eq. (M11) leaves them: for each group of axes, which is eliminated after all later ones, the
    negative inverse of its diagonal tile and the tiles of earlier groups. `left` has forces on the axes of earlier
    groups while they are eliminated in turn.
    """
    groups, tiles = system.groups, system.tile_inertias
    own = tiles[tile_index(g, g)].H
    total = -own[lane, lane]
    for i in range(g):
        coupling = tiles[tile_index(g, i)].H
        for j in range(groups[i].count):
            force = 0.0
            for k in range(groups[g].count):
                force -= coupling[k, j] * own[k, lane]
            left[groups[i].at_u[j]] = force
    for n in range(g - 1, -1, -1):
        inverse = tiles[tile_index(n, n)].H
        for j in range(groups[n].count):
            response = 0.0
            for k in range(groups[n].count):
                response -= inverse[j, k] * left[groups[n].at_u[k]]
            total += response * left[groups[n].at_u[j]]
            for i in range(n):
                coupling = tiles[tile_index(n, i)].H
                for k in range(groups[i].count):
                    left[groups[i].at_u[k]] -= coupling[j, k] * response
    return total


@kernel
def set_inertias(run):
    """Set mass and inertia that every axis and every element moves; Eq. (M141).

    An element moves them along its joint, or those of the bodies that it connects: of all that a body carries, as if
    joints farther out were locked.
    """
    system, work = run.system, run.workspace
    links, carried = system.links, work.search.motion
    for i in range(links.shape[0]):
        own = links[i].own
        carried[i, FORCE], carried[i, MOMENT] = own[0], (own[4] + own[5] + own[6]) / 3.0
    for i in range(links.shape[0] - 1, 0, -1):
        if links[i].parent >= 0:
            for k in (FORCE, MOMENT):
                carried[links[i].parent, k] += carried[i, k]
    for i in range(work.axis_errors.shape[0] if system.elements.shape[0] > 0 else 0):
        work.axis_errors[i, INERTIA] = 1.0 / work.error[i] if work.error[i] > 0.0 else 0.0
    for i in range(system.elements.shape[0]):
        element, data = system.elements[i], system.element_data[i]
        if element.at_u >= 0:
            what = FORCE if work.y_new[element.at_u] == 1.0 else MOMENT
            data.inertia[what] = 1.0 / largest_mobility(element, work.error)
        elif element.connection == 1:
            for k in (FORCE, MOMENT):
                share = mobility_of(links, carried, element.a, k) + mobility_of(links, carried, element.b, k)
                data.inertia[k] = 1.0 / share if share > 0.0 else math.inf


@kernel
def set_all_resting_limits(run):
    """Set depth and speed up to which elements that push on one side rest at their limits; Eq. (M117)."""
    system, work, settings, n_q = run.system, run.workspace, run.settings[0], run.system.world[0].n_q
    for i in range(system.elements.shape[0]):
        element, data = system.elements[i], system.element_data[i]
        _, stiffness, _, _ = one_sided(system, i)
        if stiffness > 0.0 and element.at_u >= 0:
            mobility, at_u = largest_mobility(element, work.error), n_q + element.at_u
            set_resting_limits(data, stiffness, mobility, work.tolerance[at_u], work.tolerance[element.at_q])
        elif stiffness > 0.0:
            mobility = max(1.0 / data.inertia[FORCE], LEAST_MOBILITY)
            set_resting_limits(
                data, stiffness, mobility, settings.speed_tolerance[FORCE], settings.length_accuracy
            )


@inline
def mobility_of(links, carried, i, what):
    """Return the acceleration of a link with all that it carries per force or moment; 0 for the ground."""
    if links[i].kind == GROUND:
        return 0.0
    return 1.0 / carried[i, what] if carried[i, what] > 0.0 else math.inf


@kernel
def enclosed_depth(system, point, i):
    """Return the depth [m] of a point of surface A of pair i below surface B; 0 outside, and below its closure.

    Little is known about the closure of a surface.
    """
    pair, arrays = system.pairs[i], system.arrays
    _, p_NA, p_NB, R_AB, p_AB = relative_pose(pair, system.links, system.motions)
    R = (*R_AB[0], *R_AB[1], *R_AB[2])
    place = point.place
    x, y, z = rotate_inverse(R, place[0] - p_AB[0], place[1] - p_AB[1], place[2] - p_AB[2])
    if arrays.pairs[i].surface_kind == SOLID_PAIR:
        return max(0.0, depth_below_B(arrays, system.lists, i, x, y, z))
    first, last = arrays.pairs[i].first_segment_B, arrays.pairs[i].last_segment_B
    row, depth, _, _ = nearest_segment(arrays.segments, first, last, z, math.hypot(x, y))
    described = first + point.first <= row <= first + point.last
    return depth if described and depth > 0.0 else 0.0
