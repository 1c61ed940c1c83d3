"""Quantities that are recorded, watched by events and searched for peaks."""

import math
from enum import IntEnum

import numpy as np

from softdock.contact.kernels.layout import DEPTH, ENERGY, PRESSURE, TORQUE
from softdock.dynamics.kernels.channels.formulas import formula_value
from softdock.dynamics.kernels.control.actuators import firings_until, propellant_used, time_on
from softdock.dynamics.kernels.control.gnc_records import ControllerValue
from softdock.dynamics.kernels.forces.contacts import sharpen_pair
from softdock.dynamics.kernels.forces.interfaces import RESULT_DEPTH, RESULT_ENERGY, RESULT_FORCE
from softdock.dynamics.kernels.forces.reactions import (
    balance_links,
    frame_acceleration,
    reaction_value,
    update_accelerations,
    update_reaction,
)
from softdock.dynamics.kernels.forces.zones import ZONE_FORCE_SIZE, add_zone
from softdock.elements.kernels.dispatch import element_value
from softdock.elements.kernels.wrenches import element_wrench
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import matrix_product, quaternion_from_matrix, rotate_inverse, transpose
from softdock.tree.kernels.appendages import node_value
from softdock.tree.kernels.poses import (
    link_angular_velocity,
    link_point,
    link_rotation,
    point_velocity,
)


class ChannelKind(IntEnum):
    """Readers of channels; `component` is the component of the channel."""

    TIME = 0
    JOINT_POSITION = 1
    JOINT_SPEED = 2
    POSITION = 3
    """Of frame F on link i, seen from frame G on link j; component 3 is the norm."""
    VELOCITY = 4
    """Rate of that position, as seen from G."""
    TURN_RATE = 5
    """Angular velocity of F against G, in G."""
    TILT = 6
    """Angle between the z axes of F and G."""
    ATTITUDE = 7
    """Quaternion of F in G: components 0 to 2 are its vector part, 3 its scalar part."""
    ELEMENT_FORCE = 8
    ELEMENT_ENERGY = 9
    ELEMENT_DEFLECTION = 10
    CONTACT_FORCE = 11
    """Size of the force of a pair."""
    CONTACT_RESULT = 12
    """One entry of the results of a pair, by component."""
    ANY_CONTACT = 13
    """The largest such entry of all pairs and interfaces; component -1 is the force."""
    NODE_DEFLECTION = 14
    """Of a structure's node against its body, by component; 6 is the size of the shift."""
    NODE_RATE = 15
    """Rate of that."""
    STRUCTURE_ENERGY = 16
    """Elastic energy of a structure."""
    INTERFACE_RESULT = 17
    """One entry of the results of an interface, by component."""
    CONTROLLER_VALUE = 18
    """Of a controller, by component; see controller_value."""
    SUNLIGHT = 19
    """Visible fraction of the Sun's disc."""
    ELEMENT_WRENCH = 20
    """Of an element between two bodies, by component: force, torque, size of the torque."""
    CONTACT_MOMENT = 21
    """Size of the torque of a pair about the origin of surface A."""
    ELEMENT_VALUE = 22
    """Of an element, by component; see `value` of the kernels of its kind."""
    ZONE = 23
    """Of a part of surface A of a pair, by component: force (3), area, pressure, size of the force."""
    ACCELERATION = 24
    """Of the origin of frame F against N, in axes of G."""
    TURN_ACCELERATION = 25
    """Of frame F against N, in axes of G."""
    REACTION = 26
    """Of a joint or mount, by component: force, torque, sizes of both."""
    FORMULA = 27
    """Of channels before it: nodes i to j of `system.formulas`."""


BOUNDED = (
    ChannelKind.TIME, ChannelKind.JOINT_POSITION, ChannelKind.JOINT_SPEED, ChannelKind.POSITION, ChannelKind.TILT,
    ChannelKind.ATTITUDE, ChannelKind.FORMULA,
)  # fmt: skip
"""Channels whose second derivative has a bound; see enclosure."""


class Form(IntEnum):
    """Functions of a channel that are smooth where it may have a kink."""

    PLAIN = 0
    """The channel itself."""
    SQUARE = 1
    """Of a distance or another norm, or of the length of a strut."""
    COSINE = 2
    """Of an angle between axes."""


# Peaks to search for.
LARGEST = 1
SMALLEST = 2
INTEGRAL = 4  # over time, not a peak

ANY_CONTACT_FORCE = -1
"""Component of `contact`: the largest force, which is no entry of the results of a pair."""

CHANNEL = np.dtype(
    [
        ("kind", np.int64),
        ("i", np.int64),
        ("j", np.int64),
        ("component", np.int64),
        ("at", np.int64),  # index in the state
        ("shared", np.int64),  # 1: another component of what the channel before is about
        ("in_world", np.int64),  # 1: frame G is N itself
        ("R_iF", np.float64, 9),
        ("p_iF", np.float64, 3),  # of a zone that is not segment j: first and last z in A
        ("R_jG", np.float64, 9),
        ("p_jG", np.float64, 3),
        ("bounded", np.int64),  # 1: its second derivative has a bound; 0: estimated from samples
        ("form", np.int64),  # smooth function of it
        ("scale", np.float64),  # SQUARE: that of the value times the scale plus the offset
        ("offset", np.float64),
        (
            "track",
            np.int64,
        ),  # what is searched for in the whole run: LARGEST, SMALLEST, INTEGRAL, their sum or 0
        # The same for the search for peak reactions, whose instants do not change other peaks.
        ("reaction", np.int64),
    ],
    align=True,
)
"""Constants of a channel."""

RESOLUTION = np.dtype(
    [
        ("resolution", np.float64),  # difference that does not matter; 0: in proportion to the value,
        ("negligible", np.float64),  # but at least this
        ("floor", np.float64),  # difference of reactions that does not matter, however small they are
    ],
    align=True,
)
"""Resolution of the search for peaks of a channel: constants of a run, from its tolerances."""

# Components of a wrench from which on they are torques, and that of the size of the torque.
WRENCH_TORQUE, WRENCH_TORQUE_SIZE = 3, 6
PEAK = np.dtype(
    [
        # What is searched for at present; that of a channel in a window is 0 while it is closed.
        ("track", np.int64),
        # Values that are not searched for start at infinity, which no value exceeds.
        ("largest", np.float64),
        ("t_largest", np.float64),
        ("theta_largest", np.float64),  # fraction of the step in which it was found
        ("smallest", np.float64),
        ("t_smallest", np.float64),
        ("theta_smallest", np.float64),
        ("integral", np.float64),  # over time
        ("magnitude", np.float64),  # largest magnitude that the integration has met
        ("seen", np.float64),  # largest magnitude that the search has met
        # Of a force or moment of an element: estimated errors of the largest and smallest value; see force_errors.
        ("error_of_largest", np.float64),
        ("error_of_smallest", np.float64),
    ],
    align=True,
)
"""Peaks and integral of a channel in a run so far."""


@inline
def is_about_frames(kind):
    """Return whether a channel is about a frame seen from another one, and follows from the motion of two links."""
    return (
        kind == ChannelKind.POSITION
        or kind == ChannelKind.VELOCITY
        or kind == ChannelKind.TURN_RATE
        or kind == ChannelKind.TILT
        or kind == ChannelKind.ATTITUDE
    )


@inline
def is_about_structures(kind):
    """Return whether a channel is about a flexible structure or a node of it."""
    return (
        kind == ChannelKind.NODE_DEFLECTION
        or kind == ChannelKind.NODE_RATE
        or kind == ChannelKind.STRUCTURE_ENERGY
    )


@inline
def is_about_elements(kind):
    """Return whether a channel is about an element."""
    return (
        kind == ChannelKind.ELEMENT_FORCE
        or kind == ChannelKind.ELEMENT_ENERGY
        or kind == ChannelKind.ELEMENT_DEFLECTION
        or kind == ChannelKind.ELEMENT_WRENCH
        or kind == ChannelKind.ELEMENT_VALUE
    )


@inline
def is_acceleration(kind):
    """Return whether a channel is a component or the size of an acceleration."""
    return kind == ChannelKind.ACCELERATION or kind == ChannelKind.TURN_ACCELERATION


@kernel
def channel_value(channel, system, t, y):
    """Return a channel that is not about frames; expects that the derivative was evaluated at this time and state."""
    kind, i = channel.kind, channel.i
    if kind == ChannelKind.JOINT_POSITION or kind == ChannelKind.JOINT_SPEED:
        return y[channel.at]
    if kind == ChannelKind.ELEMENT_FORCE:
        return system.element_data[i].force
    if kind == ChannelKind.ELEMENT_ENERGY:
        return system.element_data[i].energy
    if kind == ChannelKind.ELEMENT_DEFLECTION:
        return system.element_data[i].deflection
    if kind == ChannelKind.CONTACT_FORCE:
        return system.pair_states[i].force
    if kind == ChannelKind.CONTACT_RESULT:
        if channel.component == DEPTH or channel.component == PRESSURE:
            sharpen_pair(system, i)
        return system.pair_states[i].out[channel.component]
    if kind == ChannelKind.INTERFACE_RESULT:
        return system.interface_states[i].result[channel.component]
    if kind == ChannelKind.ELEMENT_VALUE:
        return element_value(system, i, channel.component)
    if kind == ChannelKind.ELEMENT_WRENCH:
        return wrench_entry(
            element_wrench(system.elements[i], system.element_data[i], system.links, system.motions),
            channel.component,
        )
    if kind == ChannelKind.CONTACT_MOMENT:
        out = system.pair_states[i].out
        return math.sqrt(out[TORQUE] ** 2 + out[TORQUE + 1] ** 2 + out[TORQUE + 2] ** 2)
    if kind == ChannelKind.ANY_CONTACT:
        if channel.component == DEPTH or channel.component == PRESSURE:
            for k in range(system.pairs.shape[0]):
                sharpen_pair(system, k)
        return largest_contact(channel.component, system.pair_states, system.interface_states)
    if kind == ChannelKind.CONTROLLER_VALUE:
        return controller_value(system.gnc, channel, t)
    if kind == ChannelKind.SUNLIGHT:
        return system.orbit_motion[0].sunlight
    return t if kind == ChannelKind.TIME else math.nan  # not a number: a kind without a case


@inline
def wrench_entry(W, component):
    """Return a component of a wrench (force, torque), or the size of the torque."""
    if component == WRENCH_TORQUE_SIZE:
        return math.sqrt(W[3] * W[3] + W[4] * W[4] + W[5] * W[5])
    if component < 3:
        return W[0] if component == 0 else (W[1] if component == 1 else W[2])
    return W[3] if component == 3 else (W[4] if component == 4 else W[5])


@kernel
def controller_value(gnc, channel, t):
    """Return a value of a controller or of one of its thrusters: of now, or of its last sample."""
    c, state, value = gnc.controllers[channel.i], gnc.controller_states[channel.i], channel.component
    if value == ControllerValue.PROPELLANT:
        return propellant_used(gnc, c, t)
    if value == ControllerValue.PROPELLANT_LEFT:
        return max(c.capacity - propellant_used(gnc, c, t), 0.0)
    if value == ControllerValue.THRUST:
        W = state.wrench
        return math.sqrt(W[3] * W[3] + W[4] * W[4] + W[5] * W[5])
    if value == ControllerValue.MODE:
        return float(state.mode)
    if value == ControllerValue.REFERENCE:
        return state.distance
    if value == ControllerValue.REFERENCE_SPEED:
        return state.closing_speed
    if value == ControllerValue.VIOLATIONS:
        return float(state.violations)
    if value == ControllerValue.CORRIDOR:
        return state.corridor
    if value == ControllerValue.ERROR:
        return state.errors[channel.j]
    if value == ControllerValue.ESTIMATE_ERROR:
        return state.estimate_errors[channel.j]
    if value == ControllerValue.ESTIMATE:
        return state.p[channel.j]
    thruster = c.first_thruster + channel.j
    if value == ControllerValue.ON_TIME:
        return time_on(gnc.thrusters[thruster], gnc.thruster_states[thruster], t)
    if value == ControllerValue.FIRINGS:
        return float(firings_until(gnc.thruster_states[thruster], t))
    return filter_value(gnc.navigation_states[c.navigation], value)


@inline
def filter_value(filters, value):
    """Return a standard deviation by the filters of a controller, or the number of lost measurements."""
    if value == ControllerValue.LOST_MEASUREMENTS:
        return float(filters.lost)
    if value == ControllerValue.POSITION_SIGMA:
        return filters.tip_sigma
    if value == ControllerValue.ANGLE_SIGMA:  # rounding may leave a negative variance
        return math.sqrt(
            max(filters.P_attitude[0, 0] + filters.P_attitude[1, 1] + filters.P_attitude[2, 2], 0.0)
        )
    return math.sqrt(max(filters.P[3, 3] + filters.P[4, 4] + filters.P[5, 5], 0.0))


@kernel
def largest_contact(component, pair_states, interface_states):
    """Return the largest entry of all pairs and interfaces; see `ANY_CONTACT_FORCE` for the force."""
    largest = 0.0
    for i in range(pair_states.shape[0]):
        largest = max(
            largest, pair_states[i].force if component == ANY_CONTACT_FORCE else pair_states[i].out[component]
        )
    for i in range(interface_states.shape[0]):
        largest = max(largest, interface_entry(interface_states[i].result, component))
    return largest


@inline
def interface_entry(result, component):
    """Return the result of an interface for an entry of pairs; 0 for area and pressure, which pins do not have."""
    if component == ANY_CONTACT_FORCE:
        return result[RESULT_FORCE]
    if component == DEPTH:
        return result[RESULT_DEPTH]
    return result[RESULT_ENERGY] if component == ENERGY else 0.0


@kernel
def frame_values(channel, system):
    """Return components 0 to 3 of a channel about frame F on link i, seen from frame G on another link or from N.

    Component 3 is the norm, or the scalar part of a quaternion; a tilt [rad] is component 0.
    """
    kind, i, base = channel.kind, system.motions[channel.i], system.motions[system.links[channel.i].root]
    if kind == ChannelKind.TILT or kind == ChannelKind.ATTITUDE:
        R = link_rotation(i, base, channel.R_iF)
        if channel.in_world == 0:
            R = matrix_product(transpose(observer_rotation(channel, system)), R)
        if kind == ChannelKind.TILT:
            return math.atan2(math.hypot(R[2], R[5]), R[8]), 0.0, 0.0, 0.0
        w, x, y, z = quaternion_from_matrix(R)
        return x, y, z, w
    fx, fy, fz = link_point(i, base, channel.p_iF)
    if kind == ChannelKind.POSITION:
        x, y, z = fx, fy, fz
    elif kind == ChannelKind.VELOCITY:
        x, y, z = point_velocity(i, base, fx, fy, fz)
    else:
        x, y, z = link_angular_velocity(i, base)
    if channel.in_world == 0:
        gx, gy, gz = observer_motion(channel, system, fx, fy, fz)
        x, y, z = rotate_inverse(observer_rotation(channel, system), x - gx, y - gy, z - gz)
    return x, y, z, math.sqrt(x * x + y * y + z * z)


@inline
def observer_rotation(channel, system):
    """Return the rotation R_NG of the frame G that a channel is seen from."""
    base = system.motions[system.links[channel.j].root]
    return link_rotation(system.motions[channel.j], base, channel.R_jG)


@inline
def observer_motion(channel, system, fx, fy, fz):
    """Return position, velocity or angular velocity of frame G in N, to be subtracted from that of F.

    The velocity is that of the point of G at F's origin, (fx, fy, fz) in N [m].
    """
    j, base = system.motions[channel.j], system.motions[system.links[channel.j].root]
    if channel.kind == ChannelKind.POSITION:
        return link_point(j, base, channel.p_jG)
    if channel.kind == ChannelKind.VELOCITY:
        return point_velocity(j, base, fx, fy, fz)
    return link_angular_velocity(j, base)


@inline
def choose_component(component, x, y, z, rest):
    """Return x, y, z or `rest` for component 0, 1, 2 or another one."""
    if component == 0:
        return x
    if component == 1:
        return y
    return z if component == 2 else rest


@kernel
def structure_value(channel, system, y):
    """Return a channel about a flexible structure: its energy, or a deflection of a node or its rate."""
    if channel.kind == ChannelKind.STRUCTURE_ENERGY:
        return system.appendage_motions[channel.i].energy
    rate = 1 if channel.kind == ChannelKind.NODE_RATE else 0
    node = system.nodes[channel.i]
    return node_value(node, system.appendages, system.shapes, y, system.world[0].n_q, channel.component, rate)


@inline
def prepare(kind, system, prepared):
    """Compute accelerations, and wrenches in joints, if channels of a kind need them and they are not known.

    `prepared` and the result are 0 if nothing is known, 1 with accelerations, 2 also with wrenches.
    """
    if prepared == 0 and (is_acceleration(kind) or kind == ChannelKind.REACTION):
        update_accelerations(system)
        prepared = 1
    if kind == ChannelKind.REACTION and prepared == 1:
        balance_links(system)
        prepared = 2
    return prepared


@kernel
def read_channels(channels, count, system, t, y, out):
    """Write the values of the first channels; components of one quantity follow each other and are read together."""
    prepared, i = 0, 0
    while i < count:
        channel = channels[i]
        if is_about_frames(channel.kind):
            x, y_, z, rest = frame_values(channel, system)
            out[i] = choose_component(channel.component, x, y_, z, rest)
            while i + 1 < count and channels[i + 1].shared == 1:
                i += 1
                out[i] = choose_component(channels[i].component, x, y_, z, rest)
        elif is_about_structures(channel.kind):
            out[i] = structure_value(channel, system, y)
        elif channel.kind == ChannelKind.FORMULA:
            out[i] = formula_value(system.formulas, system.formula_values, channel.i, channel.j, out)
            if not math.isfinite(out[i]):
                system.formula_values[channel.j - 1].undefined = 1
        elif channel.kind == ChannelKind.REACTION:
            reaction = system.reaction_wrenches[channel.i]
            if reaction.evaluation != system.counters[0].evaluations:
                prepared = prepare(ChannelKind.REACTION, system, prepared)
                update_reaction(system, channel.i, y)
            out[i] = reaction_value(reaction, channel.component)
            while i + 1 < count and channels[i + 1].shared == 1:
                i += 1
                out[i] = reaction_value(reaction, channels[i].component)
        elif channel.kind == ChannelKind.ZONE:
            out[i] = zone_value(channel, system, channel.shared == 1)
        elif is_acceleration(channel.kind):
            prepared = prepare(channel.kind, system, prepared)
            out[i] = acceleration_value(channel, system)
        else:
            out[i] = channel_value(channel, system, t, y)
        i += 1


@kernel
def read_controller_channels(channels, count, system, t, out):
    """Write the values of those of the first channels that change when a controller acts but no force changes."""
    for i in range(count):
        channel = channels[i]
        if channel.kind == ChannelKind.CONTROLLER_VALUE:
            out[i] = controller_value(system.gnc, channel, t)
        elif channel.kind == ChannelKind.FORMULA:
            out[i] = formula_value(system.formulas, system.formula_values, channel.i, channel.j, out)


@kernel
def read_sampled_channels(channels, count, system, t, y, out):
    """Write the values of those of the first channels that are estimated from samples."""
    prepared = 0
    for i in range(count):
        channel = channels[i]
        if channel.bounded == 0:
            if channel.kind == ChannelKind.VELOCITY or channel.kind == ChannelKind.TURN_RATE:
                x, y_, z, rest = frame_values(channel, system)
                out[i] = choose_component(channel.component, x, y_, z, rest)
            elif is_about_structures(channel.kind):
                out[i] = structure_value(channel, system, y)
            elif channel.kind == ChannelKind.REACTION:
                prepared = prepare(ChannelKind.REACTION, system, prepared)
                update_reaction(system, channel.i, y)
                out[i] = reaction_value(system.reaction_wrenches[channel.i], channel.component)
            elif channel.kind == ChannelKind.ZONE:
                out[i] = zone_value(channel, system, False)
            elif is_acceleration(channel.kind):
                prepared = prepare(channel.kind, system, prepared)
                out[i] = acceleration_value(channel, system)
            else:
                out[i] = channel_value(channel, system, t, y)


@kernel
def zone_value(channel, system, known):
    """Return a channel about a zone.

    `known` tells that the channel before is about the same zone, which is not computed again.
    """
    sums = system.pair_states[channel.i].zone
    if not known:
        add_zone(system, channel, sums)
    if channel.component == ZONE_FORCE_SIZE:
        return math.sqrt(sums[0] ** 2 + sums[1] ** 2 + sums[2] ** 2)
    return sums[channel.component]


@inline
def acceleration_value(channel, system):
    """Return a component or the size of an acceleration of a frame."""
    x, y, z, size = frame_acceleration(channel, system, channel.kind == ChannelKind.TURN_ACCELERATION)
    return choose_component(channel.component, x, y, z, size)
