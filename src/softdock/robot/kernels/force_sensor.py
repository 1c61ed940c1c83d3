"""What a force-torque sensor in a fixed mount bears: the load of the bodies beyond it, and that of their inertia."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.forces.reactions import (
    balance_links,
    total_acceleration,
    update_accelerations,
    update_reaction,
)
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import rotate_inverse, unpack_matrix
from softdock.tree.kernels.appendages import motion_in_link
from softdock.tree.kernels.fused_algebra import add_force_cross, read_ten, times_inertia


class SensorPeriods(NamedTuple):
    """What a sensor bears at the end of every torque period, force first; arrays (periods, 6) [N, N m]."""

    reaction: NDArray[np.int64]
    """(1,) reaction of the mount in which the sensor is; -1: there is none."""
    frame: NDArray[np.float64]
    """(12,) rotation and origin of the sensor S in the frame F of the mount [m]."""
    load: NDArray[np.float64]
    """Wrench that the bodies beyond the mount exert on the sensor."""
    inertia: NDArray[np.float64]
    """Share of it that their weight and motion cause."""
    weight: NDArray[np.float64]
    """Share of it that their weight causes."""


@kernel
def read_sensor(system, y, sensor, row):
    """Write what the sensor bears at present; expects that the derivative was evaluated; Eqs. (A34), (A35)."""
    index = sensor.reaction[0]
    if index < 0:
        return
    update_accelerations(system)
    balance_links(system)
    update_reaction(system, index, y)
    W = system.reaction_wrenches[index].wrench
    put_wrench(sensor, sensor.load[row], W[0], W[1], W[2], W[3], W[4], W[5])
    reaction = system.reactions[index]
    motion = system.motions[reaction.link]
    base = system.motions[system.links[reaction.link].root]
    own, V = read_ten(reaction.own), motion.V
    A = total_acceleration(system, reaction.link)
    A = motion_in_link(motion, A[0], A[1], A[2], A[3], A[4], A[5])
    V = motion_in_link(motion, V[0], V[1], V[2], V[3], V[4], V[5])
    f = add_force_cross(times_inertia(own, A), V, times_inertia(own, V))
    put_force(sensor, sensor.inertia[row], reaction, f)
    g = system.world[0].gravity
    gx, gy, gz = rotate_inverse(base.R_NB, g[0], g[1], g[2])
    gx, gy, gz = rotate_inverse(motion.R, gx, gy, gz)
    put_force(sensor, sensor.weight[row], reaction, times_inertia(own, (0.0, 0.0, 0.0, -gx, -gy, -gz)))


@inline
def put_force(sensor, out, reaction, f):
    """Write a spatial force in link axes about the origin of the link as a wrench on the sensor."""
    p = reaction.p_LF
    tx = f[0] - (p[1] * f[5] - p[2] * f[4])
    ty = f[1] - (p[2] * f[3] - p[0] * f[5])
    tz = f[2] - (p[0] * f[4] - p[1] * f[3])
    tx, ty, tz = rotate_inverse(reaction.R_LF, tx, ty, tz)
    fx, fy, fz = rotate_inverse(reaction.R_LF, f[3], f[4], f[5])
    put_wrench(sensor, out, fx, fy, fz, tx, ty, tz)


@inline
def put_wrench(sensor, out, fx, fy, fz, tx, ty, tz):
    """Write the opposite of a wrench on the bodies beyond the mount, at the sensor and in its axes."""
    frame = sensor.frame
    x, y, z = frame[9], frame[10], frame[11]
    R_FS = unpack_matrix(frame)
    ax, ay, az = rotate_inverse(R_FS, tx - (y * fz - z * fy), ty - (z * fx - x * fz), tz - (x * fy - y * fx))
    bx, by, bz = rotate_inverse(R_FS, fx, fy, fz)
    out[0], out[1], out[2] = -bx, -by, -bz
    out[3], out[4], out[5] = -ax, -ay, -az
