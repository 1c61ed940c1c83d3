"""Integrals of channels over time, by Gauss-Kronrod quadrature of the dense output of each step; Eqs. (M86), (M87)."""

import math

import numpy as np

from softdock.dynamics.kernels.channels.channels import INTEGRAL, ChannelKind, is_about_frames
from softdock.dynamics.kernels.channels.formulas import NodeKind
from softdock.dynamics.kernels.recording.evaluation import evaluate_inside
from softdock.dynamics.kernels.search.enclosure import rotation_bound
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.motion_bounds import ANGULAR_VELOCITY

# Nodes and weights on [0, 1] of Kronrod's rule of degree 11 and of the rule of Gauss, degree 5, that it contains:
# R. Piessens et al., QUADPACK, 1983.
_NODES = np.array([0.9604912687080202, 0.7745966692414834, 0.4342437493468026])
_KRONROD = np.array([0.1046562260264673, 0.2684880898683334, 0.4013974147759622])
NODES = 0.5 + 0.5 * np.concatenate([-_NODES, [0.0], _NODES[::-1]])
KRONROD = 0.5 * np.concatenate([_KRONROD, [0.4509165386584741], _KRONROD[::-1]])
GAUSS = 0.5 * np.array([0.0, 5.0 / 9.0, 0.0, 8.0 / 9.0, 0.0, 5.0 / 9.0, 0.0])

TOLERANCE = 1e-7  # difference of both rules, relative to the largest magnitude of the channel times the piece
MAX_HALVINGS = 14
MAX_INTERVALS_OF_PIECE = 100  # in a piece, until which they are halved again
ANGLE_OF_INTERVAL = 1.0  # largest rotation of the links of a channel in an interval [rad]
MAX_PIECES = 4096


@kernel
def integrate_channels(run, h, end):
    """Add the part of a step up to the fraction `end` to the integrals of channels; expects its motion bounds."""
    turn, wanted = largest_rotation(run)
    if not wanted:
        return
    pieces = int(min(1.0 + turn * end / ANGLE_OF_INTERVAL, MAX_PIECES))
    for piece in range(pieces):
        index, level, intervals = 0, 0, 0
        while level > 0 or index == 0:
            width = end / pieces / (1 << level)
            left = end * piece / pieces + index * width
            accurate = apply_rules(run, h, left, width, end / pieces)
            intervals += 1
            if accurate or level == MAX_HALVINGS or intervals >= MAX_INTERVALS_OF_PIECE:
                add_interval(run, h * width)
                index += 1
                while index % 2 == 0 and level > 0:
                    index, level = index // 2, level - 1
            else:
                index, level = 2 * index, level + 1


@inline
def largest_rotation(run):
    """Return the largest rotation of links on which an integrated channel depends [rad]; and whether there is one."""
    channels, system, motion = run.channels, run.system, run.workspace.search.motion
    turn, wanted = 0.0, False
    for i in range(run.settings[0].watched):
        channel = channels[i]
        if run.peaks[i].track & INTEGRAL:
            wanted = True
            if channel.kind == ChannelKind.FORMULA:
                total = 0.0
                for k in range(channel.i, channel.j):
                    if system.formulas[k].kind == NodeKind.CHANNEL_VALUE:
                        total += rotation_of_links(channels[system.formulas[k].a], system, motion)
                turn = max(turn, total)
            else:
                turn = max(turn, rotation_of_links(channel, system, motion))
    return turn, wanted


@inline
def rotation_of_links(channel, system, motion):
    """Return the largest rotation in a step of the links on which a channel depends [rad]."""
    if is_about_frames(channel.kind):
        seen = motion[channel.j, ANGULAR_VELOCITY] if channel.in_world == 0 else 0.0
        return motion[channel.i, ANGULAR_VELOCITY] + seen
    return rotation_bound(channel, system, motion)


@kernel
def apply_rules(run, h, left, width, piece):
    """Write mean values of integrated channels in an interval to `search.means`; returns whether they are accurate."""
    peaks, count, search = run.peaks, run.settings[0].watched, run.workspace.search
    for i in range(count):
        search.means[0, i] = search.means[1, i] = 0.0
    for n in range(NODES.shape[0]):
        evaluate_inside(run, count, h, left + NODES[n] * width)
        values = run.workspace.values
        for i in range(count):
            if peaks[i].track & INTEGRAL:
                search.means[0, i] += KRONROD[n] * values[i]
                search.means[1, i] += GAUSS[n] * values[i]
                if peaks[i].magnitude < abs(values[i]) < math.inf:
                    peaks[i].magnitude = abs(values[i])
    for i in range(count):
        if peaks[i].track & INTEGRAL:
            error = abs(search.means[0, i] - search.means[1, i]) * width
            if error > TOLERANCE * peaks[i].magnitude * piece:
                return False
    return True


@inline
def add_interval(run, duration):
    """Add an interval to the integrals."""
    for i in range(run.settings[0].watched):
        if run.peaks[i].track & INTEGRAL:
            run.peaks[i].integral += run.workspace.search.means[0, i] * duration
