"""Quantities that are recorded, watched by events and searched for peaks."""

import math

import numpy as np

from softdock.contact.kernels.layout import DEPTH, ENERGY
from softdock.jit import inlined, kernel
from softdock.multibody.kernels.appendages import node_value
from softdock.multibody.kernels.interfaces import RESULT_DEPTH, RESULT_ENERGY, RESULT_FORCE
from softdock.multibody.kernels.poses import (
    link_point,
    link_rotation,
    link_turn_rate,
    point_velocity,
    quaternion_of_matrix,
    times,
    transposed,
    turn_back,
)

# Kinds of channels.
TIME = 0
JOINT_POSITION = 1
JOINT_SPEED = 2
POSITION = 3  # of frame F on link i, seen from frame G on link j; component 3 is the norm
VELOCITY = 4  # rate of that position, as seen from G
TURN_RATE = 5  # angular velocity of F against G, in G
TILT = 6  # angle between the z axes of F and G
ATTITUDE = 7  # quaternion wxyz of F in G, by component
ELEMENT_FORCE = 8
ELEMENT_ENERGY = 9
ELEMENT_DEFLECTION = 10
CONTACT_FORCE = 11  # size of the force of a pair
CONTACT_RESULT = 12  # one entry of what a pair's evaluation gave, by component
ANY_CONTACT = 13  # the largest such entry of all pairs and interfaces; component -1 is the force
NODE_DEFLECTION = 14  # of a structure's node against its body, by component; 6 is the size of the shift
NODE_RATE = 15  # rate of that
STRUCTURE_ENERGY = 16  # elastic energy of a structure
INTERFACE_RESULT = 17  # one entry of what an interface tells, by component

CHANNEL = np.dtype(
    [
        ("kind", np.int64),
        ("i", np.int64),
        ("j", np.int64),
        ("component", np.int64),
        ("at", np.int64),  # index in the state
        ("shared", np.int64),  # 1: another component of what the channel before is about
        ("R_iF", np.float64, 9),
        ("p_iF", np.float64, 3),
        ("R_jG", np.float64, 9),
        ("p_jG", np.float64, 3),
        # Peaks, where `track` is 1.
        ("track", np.int64),
        ("largest", np.float64),
        ("t_largest", np.float64),
        ("smallest", np.float64),
        ("t_smallest", np.float64),
    ],
    align=True,
)


@kernel
def channel_value(channel, system, t, y):
    """Value of a channel that is not about frames; expects that the derivative was evaluated at this time and state."""
    kind = channel.kind
    elements, pairs, interfaces = system.elements, system.pairs, system.interfaces
    if kind == JOINT_POSITION or kind == JOINT_SPEED:
        return y[channel.at]
    if kind == ELEMENT_FORCE:
        return elements[channel.i].force
    if kind == ELEMENT_ENERGY:
        return elements[channel.i].energy
    if kind == ELEMENT_DEFLECTION:
        return elements[channel.i].deflection
    if kind == CONTACT_FORCE:
        return pairs[channel.i].force
    if kind == CONTACT_RESULT:
        return pairs[channel.i].out[channel.component]
    if kind == INTERFACE_RESULT:
        return interfaces[channel.i].result[channel.component]
    if kind == ANY_CONTACT:
        largest = 0.0
        for i in range(pairs.shape[0]):
            result = pairs[i].force if channel.component < 0 else pairs[i].out[channel.component]
            largest = max(largest, result)
        for i in range(interfaces.shape[0]):
            largest = max(largest, interface_entry(interfaces[i].result, channel.component))
        return largest
    return t


@inlined
def interface_entry(result, component):
    """What an interface has of an entry of pairs; pins have neither area nor pressure."""
    if component < 0:
        return result[RESULT_FORCE]
    if component == DEPTH:
        return result[RESULT_DEPTH]
    return result[RESULT_ENERGY] if component == ENERGY else 0.0


@kernel
def frame_values(channel, i, j, links):
    """Components 0 to 3 of a channel about frame F on link i, seen from frame G on link j."""
    kind = channel.kind
    base_i, base_j = links[i.root], links[j.root]
    R_NG = link_rotation(j, base_j, channel.R_jG)
    if kind == TILT or kind == ATTITUDE:
        R = times(transposed(R_NG), link_rotation(i, base_i, channel.R_iF))
        if kind == TILT:
            return math.atan2(math.hypot(R[2], R[5]), R[8]), 0.0, 0.0, 0.0
        w, x, y, z = quaternion_of_matrix(R)
        return x, y, z, w
    fx, fy, fz = link_point(i, base_i, channel.p_iF)
    if kind == POSITION:
        gx, gy, gz = link_point(j, base_j, channel.p_jG)
        x, y, z = turn_back(R_NG, fx - gx, fy - gy, fz - gz)
        return x, y, z, math.sqrt(x * x + y * y + z * z)
    if kind == VELOCITY:
        ax, ay, az = point_velocity(i, base_i, fx, fy, fz)
        bx, by, bz = point_velocity(j, base_j, fx, fy, fz)
    else:
        ax, ay, az = link_turn_rate(i, base_i)
        bx, by, bz = link_turn_rate(j, base_j)
    x, y, z = turn_back(R_NG, ax - bx, ay - by, az - bz)
    return x, y, z, math.sqrt(x * x + y * y + z * z)


@inlined
def pick(component, x, y, z, rest):
    """Choose a component by number."""
    if component == 0:
        return x
    if component == 1:
        return y
    return z if component == 2 else rest


@kernel
def structure_value(channel, system, y):
    """Value of a channel about a flexible structure."""
    if channel.kind == STRUCTURE_ENERGY:
        return system.appendages[channel.i].energy
    rate = 1 if channel.kind == NODE_RATE else 0
    node = system.nodes[channel.i]
    return node_value(node, system.appendages, system.shapes, y, system.world[0].n_q, channel.component, rate)


@kernel
def read_channels(channels, count, system, t, y, out):
    """Write the values of the first channels."""
    links = system.links
    x, y_, z, rest = 0.0, 0.0, 0.0, 0.0
    for i in range(count):
        channel = channels[i]
        if POSITION <= channel.kind <= ATTITUDE:
            if channel.shared == 0:
                x, y_, z, rest = frame_values(channel, links[channel.i], links[channel.j], links)
            out[i] = pick(channel.component, x, y_, z, rest)
        elif NODE_DEFLECTION <= channel.kind <= STRUCTURE_ENERGY:
            out[i] = structure_value(channel, system, y)
        else:
            out[i] = channel_value(channel, system, t, y)
