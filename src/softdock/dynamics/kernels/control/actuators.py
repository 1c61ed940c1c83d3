"""Thrusters and reaction wheels: forces on bodies, pulses, allocation of commands."""

import math

from softdock.dynamics.kernels.control.gnc_records import PULSES
from softdock.gnc.kernels.allocation import allocate_on_times
from softdock.gnc.kernels.control import carried_impulse, demand_with_carry, rounded_on_time, wheel_torque
from softdock.gnc.kernels.random_numbers import normal_pair
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import cross, rotate
from softdock.tree.kernels.poses import add_wrench, link_angular_velocity, point_velocity


@kernel
def apply_thrusters(system):
    """Add the forces of thrusters that are on; returns their power [W]."""
    gnc, power = system.gnc, 0.0
    for i in range(gnc.controllers.shape[0]):
        c, state = gnc.controllers[i], gnc.controller_states[i]
        W, base = state.wrench, system.motions[c.link]
        fx, fy, fz = rotate(base.R_NB, W[3], W[4], W[5])
        tx, ty, tz = rotate(base.R_NB, W[0], W[1], W[2])
        x, y, z = base.p_NB[0], base.p_NB[1], base.p_NB[2]
        add_wrench(base, fx, fy, fz, x, y, z)
        base.W[0], base.W[1], base.W[2] = base.W[0] + tx, base.W[1] + ty, base.W[2] + tz
        vx, vy, vz = point_velocity(base, base, x, y, z)
        wx, wy, wz = link_angular_velocity(base, base)
        power += fx * vx + fy * vy + fz * vz + tx * wx + ty * wy + tz * wz
    return power


@kernel
def switch_thrusters(gnc, c, state, t):
    """Write the wrench of the thrusters that are on from time t until the next edge.

    Returns the time of that edge, and whether the wrench changes.
    """
    W, edge = state.wrench, math.inf
    before = (W[0], W[1], W[2], W[3], W[4], W[5])
    for k in range(6):
        W[k] = 0.0
    for i in range(c.first_thruster, c.first_thruster + c.thrusters):
        thruster, pulses = gnc.thrusters[i], gnc.thruster_states[i]
        for k in range(PULSES):
            if pulses.on[k] > t:
                if pulses.off[k] > pulses.on[k]:
                    edge = min(edge, pulses.on[k])
            elif pulses.off[k] > t:
                edge = min(edge, pulses.off[k])
                F, s, p = thruster.force, pulses.scale[k], thruster.p
                fx, fy, fz = s * F[0], s * F[1], s * F[2]
                tx, ty, tz = cross(p[0], p[1], p[2], fx, fy, fz)
                W[0], W[1], W[2] = W[0] + tx, W[1] + ty, W[2] + tz
                W[3], W[4], W[5] = W[3] + fx, W[4] + fy, W[5] + fz
    return edge, before != (W[0], W[1], W[2], W[3], W[4], W[5])


@kernel
def command_thrusters(gnc, index, c, state, t, torque, force):
    """Allocate torque about the centre of mass and force, link axes, to pulses of a sample; Eqs. (K8), (K9), (K36)."""
    demand, effects = gnc.demand, gnc.effects[index]
    for k in range(3):
        demand[k] = torque[k] * c.period / (c.force_scale * c.arm_scale)
        demand[3 + k] = force[k] * c.period / c.force_scale
    for k in range(6):
        demand[k] = demand_with_carry(demand[k], state.carry[k], c.least[k])
    allocate_on_times(
        effects, gnc.costs[index], gnc.longest[index], demand, c.weights, gnc.tableau, gnc.on_times
    )
    if state.fires == 1:
        lengthen_pulses(gnc, c)
    for k in range(6):
        state.produced[k], state.produced_later[k] = state.produced_later[k], 0.0
    for j in range(c.thrusters):
        thruster, pulses = gnc.thrusters[c.first_thruster + j], gnc.thruster_states[c.first_thruster + j]
        on_time = rounded_on_time(gnc.on_times[j], thruster.shortest, c.period)
        on_time = fire(thruster, pulses, c, state, c.first_thruster + j, t, on_time)
        for k in range(6):
            demand[k] -= effects[k, j] * on_time
        start, end = thruster.delay, thruster.delay + on_time
        add_pulse(c, state.produced, effects[:, j], min(start, c.period), min(end, c.period))
        add_pulse(
            c, state.produced_later, effects[:, j], max(start - c.period, 0.0), max(end - c.period, 0.0)
        )
    for k in range(6):
        state.carry[k] = carried_impulse(demand[k], c.least[k])


@inline
def lengthen_pulses(gnc, c):
    """Lengthen the on-times of a sample until at least one thruster reaches its shortest pulse; Eq. (K50)."""
    most = 0.0
    for j in range(c.thrusters):
        shortest = gnc.thrusters[c.first_thruster + j].shortest
        if gnc.on_times[j] > 0.0:
            most = max(most, gnc.on_times[j] / shortest if shortest > 0.0 else 1.0)
    if 0.0 < most < 1.0:
        for j in range(c.thrusters):
            gnc.on_times[j] /= most


@inline
def add_pulse(c, produced, effect, start, end):
    """Add a pulse from `start` to `end` of a period [s] to its impulse and the effect on the position; Eq. (K46)."""
    on_time, time_left = end - start, c.period - 0.5 * (start + end)
    for k in range(3):
        impulse = effect[3 + k] * c.force_scale * on_time
        produced[k] += impulse
        produced[3 + k] += impulse * time_left


@inline
def fire(thruster, pulses, c, state, stream, t, on_time):
    """Command a pulse of a thruster, as long as there is propellant; returns its duration [s]."""
    slot = state.tick % PULSES
    pulses.spent += thruster.flow * (pulses.off[slot] - pulses.on[slot])
    left = max(c.capacity - state.committed, 0.0)
    if thruster.flow * on_time > left:
        on_time = left / thruster.flow
    start = t + thruster.delay
    pulses.on[slot], pulses.off[slot] = start, start + on_time
    if on_time > 0.0:
        state.committed += thruster.flow * on_time
        pulses.firings += 1
        noise = 0.0
        if thruster.noise > 0.0:
            noise, _ = normal_pair(c.seed, 16 + stream, state.tick)  # streams below 16 are those of sensors
        pulses.scale[slot] = max(1.0 + thruster.noise * noise, 0.0)
    return on_time


@kernel
def propellant_used(gnc, c, t):
    """Return the propellant that the thrusters of a controller have used until time t [kg]."""
    used = 0.0
    for i in range(c.first_thruster, c.first_thruster + c.thrusters):
        thruster, pulses = gnc.thrusters[i], gnc.thruster_states[i]
        used += pulses.spent
        for k in range(PULSES):
            used += thruster.flow * max(min(t, pulses.off[k]) - pulses.on[k], 0.0)
    return used


@kernel
def time_on(thruster, pulses, t):
    """Return the time for which a thruster has been on until time t [s]."""
    total = pulses.spent / thruster.flow
    for k in range(PULSES):
        total += max(min(t, pulses.off[k]) - pulses.on[k], 0.0)
    return total


@inline
def firings_until(pulses, t):
    """Return the number of pulses of a thruster that have begun until time t."""
    count = pulses.firings
    for k in range(PULSES):
        if pulses.on[k] > t and pulses.off[k] > pulses.on[k]:
            count -= 1
    return count


@kernel
def command_wheels(gnc, c, axes, u, torque):
    """Let wheels produce a torque on their body, link axes; returns what they cannot produce; Eq. (K10)."""
    x, y, z = torque
    rx, ry, rz = torque
    for i in range(c.first_wheel, c.first_wheel + c.wheels):
        wheel = gnc.wheels[i]
        wanted = -(wheel.share[0] * x + wheel.share[1] * y + wheel.share[2] * z)
        momentum = wheel.inertia * u[wheel.at_u]
        on_wheel = wheel_torque(wanted, momentum, wheel.max_torque, wheel.max_momentum, c.period)
        axes[wheel.at_u].effort = on_wheel
        rx += on_wheel * wheel.axis[0]
        ry += on_wheel * wheel.axis[1]
        rz += on_wheel * wheel.axis[2]
    return rx, ry, rz


@kernel
def wheel_momentum(gnc, c, u):
    """Return the momentum of the wheels of a controller relative to its body, link axes [N m s]."""
    hx, hy, hz = 0.0, 0.0, 0.0
    for i in range(c.first_wheel, c.first_wheel + c.wheels):
        wheel = gnc.wheels[i]
        h = wheel.inertia * u[wheel.at_u]
        hx, hy, hz = hx + h * wheel.axis[0], hy + h * wheel.axis[1], hz + h * wheel.axis[2]
    return hx, hy, hz
