"""Tethers: tension along the line between two points, and the reel with its slipping clutch.

The free length that the reel has paid out since the start is an own entry in the state of the system.
"""

import math
from enum import IntEnum

import numpy as np

from softdock.elements.kernels.joints import mobility_between
from softdock.elements.kernels.one_sided import one_sided_force, set_resting_limits
from softdock.elements.kernels.tangents import IDENTITY, activate_connection
from softdock.elements.kernels.wrenches import push_bodies, set_total
from softdock.elements.kernels.yielding import RESOLVED, yielding_share
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.poses import link_point, point_velocity


class TetherValue(IntEnum):
    """Observable fields of a tether, beside those of all elements between bodies."""

    SLACK = 0
    LENGTH = 1
    POWER = 2


class TetherBranch(IntEnum):
    """Parts of the law."""

    SLACK = 0
    TAUT = 1
    SLIPPING = 2
    RELEASED = 3
    """Stretched, but contracting faster than its damping lets it pull."""


LAW = np.dtype(
    [
        ("stiffness", np.float64),
        ("damping", np.float64),
        ("length", np.float64),  # free length at the start
        ("speed", np.float64),  # of the reel
        ("response", np.float64),
        ("force_limit", np.float64),
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("target", np.float64),  # free length to which the reel winds
        ("slipped", np.float64),  # length that the clutch let out at once where it was switched on too short
        # Results of an evaluation: free length, slack.
        ("length", np.float64),
        ("slack", np.float64),
    ],
    align=True,
)


@inline
def free_length(element, law, state, y):
    """Return the free length [m]; Eq. (T1)."""
    length = law.length + state.slipped
    return length + y[element.at_state] if element.at_state >= 0 else length


@inline
def winding_speed(law, state, length):
    """Return the rate of the free length that the motor of the reel commands [m/s]; Eq. (T4)."""
    return min(max((state.target - length) / law.response, -law.speed), law.speed)


@inline
def slip_share(law, elastic, rate):
    """Return the part of the rate of stretch that the clutch lets slip, for the tension of the spring; Eqs. (T5), (T6).

    `rate` is that of the distance less the winding speed.
    """
    if rate <= 0.0:
        return 0.0
    share = yielding_share(elastic / law.force_limit)
    if law.damping > 0.0:
        share = max(share, 1.0 - (law.force_limit - elastic) / (law.damping * rate))
    return share


@inline
def line_ends(system, i):
    """Return the points of a tether in N, first that on a."""
    element, links, motions = system.elements[i], system.links, system.motions
    p = link_point(motions[element.a], motions[links[element.a].root], element.p_aF)
    return p, link_point(motions[element.b], motions[links[element.b].root], element.p_bG)


@inline
def distance(p, r):
    """Return the distance of two points [m]."""
    x, y, z = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    return math.sqrt(x * x + y * y + z * z)


@inline
def line_motion(system, i):
    """Return the ends of a tether in N, the unit vector from a to b, their distance and its rate; zero without any."""
    element, links, motions = system.elements[i], system.links, system.motions
    a, b = motions[element.a], motions[element.b]
    p, r = line_ends(system, i)
    line = distance(p, r)
    if line == 0.0:
        return p, r, (0.0, 0.0, 0.0), 0.0, 0.0
    n = ((r[0] - p[0]) / line, (r[1] - p[1]) / line, (r[2] - p[2]) / line)
    avx, avy, avz = point_velocity(a, motions[links[element.a].root], p[0], p[1], p[2])
    bvx, bvy, bvz = point_velocity(b, motions[links[element.b].root], r[0], r[1], r[2])
    return p, r, n, line, n[0] * (bvx - avx) + n[1] * (bvy - avy) + n[2] * (bvz - avz)


@inline
def keeps_state(element, data):
    """Return whether a tether is slack or taut during a whole step; one with a reel slips before it is."""
    return data.keeps_state == 1 and element.at_state < 0


@inline
def pull(element, data, law, stretch, rate):
    """Return the tension of a stretched tether and the share that slips; Eqs. (T2), (T5), (T6).

    `rate` is that of the distance less the winding speed.
    """
    if keeps_state(element, data):
        return (
            one_sided_force(data, law.stiffness, law.damping, stretch, rate) if data.engaged != 0 else 0.0
        ), 0.0
    share = slip_share(law, law.stiffness * stretch, rate) if element.at_state >= 0 else 0.0
    return max(0.0, law.stiffness * stretch + law.damping * (1.0 - share) * rate), share


@kernel
def apply(system, i, t, q, u, dy):
    """Apply the tension of a tether and write the rate of its free length; Eqs. (T1)-(T7).

    Length and slack are known while it is switched off, too; its reel stands still then.
    """
    element, data = system.elements[i], system.element_data[i]
    law, state = system.laws.tether[element.row], system.states.tether[element.row]
    p, _, n, line, rate = line_motion(system, i)
    length, winding = free_length(element, law, state, q), 0.0
    stretch = line - length
    data.deflection, state.length, state.slack = stretch, length, max(0.0, -stretch)
    data.depth, data.depth_rate = stretch, rate
    set_total(data, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if data.active == 0:
        return
    if element.at_state >= 0:
        winding = winding_speed(law, state, length)
        dy[element.at_state] = winding
    is_slack = data.engaged == 0 if keeps_state(element, data) else stretch <= 0.0
    if is_slack or line == 0.0:
        return
    rate -= winding
    tension, share = pull(element, data, law, stretch, rate)
    stretch -= data.engaged_depth
    elastic, slip = law.stiffness * stretch, share * rate
    a, b, (x, y, z) = system.motions[element.a], system.motions[element.b], n
    push_bodies(a, b, data, 0.0, 0.0, 0.0, -x * tension, -y * tension, -z * tension, p[0], p[1], p[2])
    data.force, data.energy = max(tension, 0.0), 0.5 * elastic * stretch
    data.loss, data.power = (tension - elastic) * (rate - slip) + tension * slip, -tension * winding
    if not keeps_state(element, data):
        data.branch = TetherBranch.TAUT.value if tension > 0.0 else TetherBranch.RELEASED.value
    if share > 0.0:
        data.branch = TetherBranch.SLIPPING.value
    if element.at_state >= 0:
        dy[element.at_state] = winding + slip


@inline
def connect(system, i, t, q, u, linear, c):
    """Write stiffness and damping along the line, and the stiffness of the tension across it, in N; Eq. (T8)."""
    element, data = system.elements[i], system.element_data[i]
    law, state = system.laws.tether[element.row], system.states.tether[element.row]
    _, r, n, line, rate = line_motion(system, i)
    length = free_length(element, law, state, q)
    if element.at_state >= 0:
        rate -= winding_speed(law, state, length)
    if line == 0.0 or (line <= length and not keeps_state(element, data)):
        return
    tension, share = pull(element, data, law, line - length, rate)
    if tension == 0.0:
        return
    held = max(0.0, 1.0 - share)
    k, d, across = held * law.stiffness, held * law.damping, tension / line
    K, D = linear.K[c], linear.D[c]
    for row in range(3):
        for column in range(3):
            K[3 + row, 3 + column] = (k - across) * n[row] * n[column]
            D[3 + row, 3 + column] = d * n[row] * n[column]
        K[3 + row, 3 + row] += across
    activate_connection(linear, c, element.a, element.b, IDENTITY, r)


@inline
def one_sided(system, i):
    """Return 1 for a tether without a reel, its stiffness and damping, and 1: its energy counts as stored."""
    element, law = system.elements[i], system.laws.tether[system.elements[i].row]
    acts = system.element_data[i].active == 1 and element.at_state < 0
    return 1 if acts else 0, law.stiffness, law.damping, 1.0


@inline
def depth(system, i, side, t, q, u):
    """Return the stretch of a tether [m], its rate, and 1."""
    element = system.elements[i]
    law, state = system.laws.tether[element.row], system.states.tether[element.row]
    _, _, _, line, rate = line_motion(system, i)
    return line - free_length(element, law, state, q), rate, 1


@kernel
def begin(system, i, tolerance, mobility, speed, length):
    """Set stretch and speed up to which a tether rests between slack and taut, and response times; Eq. (M117)."""
    stiffness = system.laws.tether[system.elements[i].row].stiffness
    data = system.element_data[i]
    set_resting_limits(data, stiffness, mobility_between(data), speed, length)


@kernel
def set_tolerance(system, i, tolerance):
    """Let the free length be as exact as other lengths, and the tension as a part of the force limit."""
    element = system.elements[i]
    law = system.laws.tether[element.row]
    if element.at_state >= 0:
        stretch = RESOLVED * law.force_limit / law.stiffness
        tolerance[element.at_state] = min(tolerance[element.at_state], stretch)


@kernel
def let_slip(system, i, paid_out):
    """Let the clutch of a tether that is too short slip at once until its tension is the limit; Eq. (T9).

    `paid_out` is the length that the reel has paid out since the start [m].
    """
    row = system.elements[i].row
    law, state = system.laws.tether[row], system.states.tether[row]
    p, r = line_ends(system, i)
    least = distance(p, r) - law.force_limit / law.stiffness
    state.slipped += max(0.0, least - (law.length + state.slipped + paid_out))


@kernel
def decide_at_start(system, i):
    """Let a tether that starts too short slip to its limit."""
    if system.elements[i].at_state >= 0 and system.element_data[i].active == 1:
        let_slip(system, i, 0.0)


@kernel
def switch_on(system, i, t, y):
    """Let a tether that is too short slip to its limit."""
    at = system.elements[i].at_state
    if at >= 0:
        let_slip(system, i, y[at])


@kernel
def set_target(system, i, t, y, value):
    """Give the reel a new target."""
    system.states.tether[system.elements[i].row].target = value
    if system.element_data[i].active == 0:
        switch_on(system, i, t, y)


@inline
def value(system, i, component):
    """Return the slack [m], the free length [m], or the power of the motor of the reel [W]."""
    state = system.states.tether[system.elements[i].row]
    if component == TetherValue.SLACK:
        return state.slack
    return state.length if component == TetherValue.LENGTH else system.element_data[i].power
