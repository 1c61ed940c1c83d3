"""A system that falls around the Earth: N is carried by a point on a two-body orbit and does not turn.

Only differences of gravity act in such a frame, and they are formed without cancellation: positions stay as small as
the system is, 7000 km from the Earth's centre.
"""

import math

import numpy as np

from softdock.native.decorators import inline, kernel
from softdock.orbit.kernels import NO_SHADOW, sunlit_fraction
from softdock.spatial.kernels import matrix_product, rotate, rotate_inverse, unpack_matrix
from softdock.tree.kernels.composites import inertia_of
from softdock.tree.kernels.poses import add_wrench, link_angular_velocity, link_point, point_velocity
from softdock.tree.kernels.tree import GROUND, records

ORBIT = np.dtype(
    [
        ("mu", np.float64),  # [m3/s2]
        ("a", np.float64),  # semi-major axis [m]
        ("e", np.float64),  # eccentricity
        ("n", np.float64),  # mean motion [rad/s]
        ("M0", np.float64),  # mean anomaly at time zero
        ("P", np.float64, 3),  # to the perigee, in N
        ("Q", np.float64, 3),  # along the velocity there, in N
        ("pole", np.float64, 3),  # the Earth's axis, in N
        ("oblateness", np.float64),  # 3/2 J2 mu R^2, or zero [m5/s2]
        ("hill", np.int64),  # link that represents the Hill frame
        ("density", np.float64),  # of the air [kg/m3]
        ("rotation", np.float64),  # of the air with the Earth [rad/s]
        ("sun", np.float64, 3),  # unit vector to the Sun, in N
        ("pressure", np.float64),  # of its light on a black surface [Pa]
        ("shadow", np.int64),  # model of the Earth's shadow
        ("earth_radius", np.float64),  # [m]
        ("sun_angle", np.float64),  # apparent radius of the Sun [rad]
    ],
    align=True,
)
"""Constants of the orbit."""

ORBIT_MOTION = np.dtype(
    [
        ("r", np.float64, 3),  # from the Earth's centre, in N [m]
        ("v", np.float64, 3),  # [m/s]
        ("inverse_distance", np.float64),  # 1/r [1/m]
        ("gradient", np.float64),  # mu/r^3 [1/s2]
        ("sunlight", np.float64),  # visible fraction of the Sun's disc there
    ],
    align=True,
)
"""Where the carrying point is at the present time: data that the kernels write."""


def initial_orbit_motion(orbit: np.recarray) -> np.recarray:
    """Return the motion before any time is known; the Sun, if it has pressure, is visible unless a shadow is."""
    motion = records(len(orbit), ORBIT_MOTION)
    motion.view(np.ndarray)["sunlight"] = orbit.view(np.ndarray)["pressure"] > 0.0
    return motion


PLATE = np.dtype(
    [
        ("link", np.int64),
        ("area", np.float64),
        ("normal", np.float64, 3),  # unit vector outwards, link axes
        ("p", np.float64, 3),  # centre of pressure in the link [m]
        ("drag", np.float64),  # coefficient
        ("specular", np.float64),
        ("diffuse", np.float64),
    ],
    align=True,
)
"""Constants of a flat plate with drag and solar pressure."""

KEPLER_STEPS = 30  # Newton's method needs four; the bound only prevents an endless loop


@kernel
def move_orbit(system, t):
    """Bring the carrying point and the Hill frame to a time; Eqs. (O8)-(O11)."""
    for i in range(system.orbit.shape[0]):
        o, at = system.orbit[i], system.orbit_motion[i]
        M = o.M0 + o.n * t
        E = M
        if o.e > 0.0:
            E = eccentric_anomaly(o.e, M)
        root = math.sqrt(1.0 - o.e * o.e)
        c, s = math.cos(E), math.sin(E)
        rate = o.n / (1.0 - o.e * c)
        x, y = o.a * (c - o.e), o.a * root * s  # Eq. (O9)
        vx, vy = -o.a * rate * s, o.a * rate * root * c  # Eq. (O10)
        P, Q, hill = o.P, o.Q, system.motions[o.hill]
        r2 = x * x + y * y
        size = math.sqrt(r2)
        at.inverse_distance, at.gradient = 1.0 / size, o.mu / (r2 * size)
        R, V = hill.R_NB, hill.V
        for k in range(3):
            at.r[k] = P[k] * x + Q[k] * y
            at.v[k] = P[k] * vx + Q[k] * vy
            R[3 * k + 2] = -at.r[k] / size
            R[3 * k] = (-P[k] * y + Q[k] * x) / size  # ahead
        R[1] = -(P[1] * Q[2] - P[2] * Q[1])
        R[4] = -(P[2] * Q[0] - P[0] * Q[2])
        R[7] = -(P[0] * Q[1] - P[1] * Q[0])
        V[1] = -(x * vy - y * vx) / r2  # Eq. (O11)
        if o.shadow != NO_SHADOW:
            at.sunlight = sunlit_fraction(
                o.shadow, at.r[0], at.r[1], at.r[2], o.sun, o.earth_radius, o.sun_angle
            )


@kernel
def eccentric_anomaly(e, M):
    """Return the eccentric anomaly of a mean anomaly M [rad]; Eq. (O8)."""
    E = M + e * math.sin(M)
    for _ in range(KEPLER_STEPS):
        step = (M - E + e * math.sin(E)) / (1.0 - e * math.cos(E))
        E += step
        if abs(step) <= 1e-15 * max(1.0, abs(E)):
            break
    return E


@kernel
def apply_gravity(system):
    """Apply differential gravity to links and their modes; returns its power [W]; Eqs. (O4), (O21)-(O23)."""
    power = 0.0
    for _ in range(system.orbit.shape[0]):
        for i in range(system.links.shape[0]):
            link = system.links[i]
            if link.kind != GROUND and link.own[0] > 0.0:
                power += apply_gravity_to_link(system, i)
    return power


@kernel
def apply_gravity_to_link(system, index):
    """Apply differential gravity to one link and to the modes of its structures; returns its power [W]."""
    link, motion = system.links[index], system.motions[index]
    base, own = system.motions[link.root], inertia_of(link, motion, system.group_motions)
    f, t, a, u, k, R, d = gravity_in_link(system, motion, base, own)
    ax, ay, az = a
    ux, uy, uz = u
    power = 0.0
    for j in range(system.appendages.shape[0]):
        if system.appendages[j].link == index:
            structure = system.appendage_motions[j]
            g, c = structure.pull, structure.moving
            xx, yy, zz = (
                k * (0.5 - 1.5 * ux * ux),
                k * (0.5 - 1.5 * uy * uy),
                k * (0.5 - 1.5 * uz * uz),
            )  # Eq. (O23)
            xy, xz, yz = -3.0 * k * ux * uy, -3.0 * k * ux * uz, -3.0 * k * uy * uz
            g[0], g[1], g[2] = g[0] + ax, g[1] + ay, g[2] + az
            g[3], g[4], g[5] = g[3] + xx, g[4] + yy, g[5] + zz
            g[6], g[7], g[8] = g[6] + xy, g[7] + xz, g[8] + yz
            power += ax * c[6] + ay * c[7] + az * c[8] + xx * c[9] + yy * c[10] + zz * c[11]
            power += xy * c[12] + xz * c[13] + yz * c[14]
    fx, fy, fz = rotate(R, f[0], f[1], f[2])
    tx, ty, tz = rotate(R, t[0], t[1], t[2])
    return power + push_at(motion, base, tx, ty, tz, fx, fy, fz, d[0], d[1], d[2])


@inline
def gravity_in_link(system, motion, base, own):
    """Return force and torque of differential gravity on an inertia of a link, at its origin and in its axes.

    Also differential gravity at the origin, the direction from the Earth, mu/r^3, R_NL and the origin in N.
    """
    o, at = system.orbit[0], system.orbit_motion[0]
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = own
    R = matrix_product(unpack_matrix(base.R_NB), unpack_matrix(motion.R))
    px, py, pz = rotate(base.R_NB, motion.p[0], motion.p[1], motion.p[2])
    dx, dy, dz = px + base.p_NB[0], py + base.p_NB[1], pz + base.p_NB[2]
    root, change = change_with_distance(at, dx, dy, dz)
    ax, ay, az = gravity_difference(at, change, dx, dy, dz)
    sx, sy, sz = at.r[0] + dx, at.r[1] + dy, at.r[2] + dz
    if o.oblateness != 0.0:
        cx, cy, cz = rotate(R, hx / m, hy / m, hz / m)
        bx, by, bz = oblateness_gravity(o, sx + cx, sy + cy, sz + cz)
        ax, ay, az = ax + bx, ay + by, az + bz
    ax, ay, az = rotate_inverse(R, ax, ay, az)  # from here on in link axes
    ux, uy, uz = rotate_inverse(R, sx, sy, sz)
    inverse_distance, k = at.inverse_distance / root, at.gradient * (1.0 + change)
    ux, uy, uz = ux * inverse_distance, uy * inverse_distance, uz * inverse_distance
    Jx, Jy, Jz = xx * ux + xy * uy + xz * uz, xy * ux + yy * uy + yz * uz, xz * ux + yz * uy + zz * uz
    uJu, uh = ux * Jx + uy * Jy + uz * Jz, ux * hx + uy * hy + uz * hz
    along = 1.5 * k * inverse_distance * (5.0 * uJu - xx - yy - zz) + 3.0 * k * uh
    across = -3.0 * k * inverse_distance
    f = (
        m * ax + along * ux + across * Jx - k * hx,  # Eq. (O21)
        m * ay + along * uy + across * Jy - k * hy,
        m * az + along * uz + across * Jz - k * hz,
    )
    t = (
        hy * az - hz * ay + 3.0 * k * (uy * Jz - uz * Jy),  # Eq. (O22)
        hz * ax - hx * az + 3.0 * k * (uz * Jx - ux * Jz),
        hx * ay - hy * ax + 3.0 * k * (ux * Jy - uy * Jx),
    )
    return f, t, (ax, ay, az), (ux, uy, uz), k, R, (dx, dy, dz)


@kernel
def gravity_wrench(system, motion, base, own):
    """Return the wrench of differential gravity on an inertia of a link, in N about N's origin; Eqs. (O21), (O22)."""
    f, t, _, _, _, R, d = gravity_in_link(system, motion, base, own)
    fx, fy, fz = rotate(R, f[0], f[1], f[2])
    tx, ty, tz = rotate(R, t[0], t[1], t[2])
    return tx + d[1] * fz - d[2] * fy, ty + d[2] * fx - d[0] * fz, tz + d[0] * fy - d[1] * fx, fx, fy, fz


@inline
def push_at(motion, base, tx, ty, tz, fx, fy, fz, x, y, z):
    """Apply a torque and a force in N to a link at a point in N; returns their power [W]."""
    vx, vy, vz = point_velocity(motion, base, x, y, z)
    wx, wy, wz = link_angular_velocity(motion, base)
    add_wrench(motion, fx, fy, fz, x, y, z)
    motion.W[0], motion.W[1], motion.W[2] = motion.W[0] + tx, motion.W[1] + ty, motion.W[2] + tz
    return fx * vx + fy * vy + fz * vz + tx * wx + ty * wy + tz * wz


@inline
def differential_gravity(at, dx, dy, dz):
    """Return gravity at an offset [m] from the carrying point minus gravity there [m/s2], in N; Eqs. (O3), (O4)."""
    _, change = change_with_distance(at, dx, dy, dz)
    return gravity_difference(at, change, dx, dy, dz)


@inline
def change_with_distance(at, dx, dy, dz):
    """Return sqrt(1 + q) and (1 + q)^(-3/2) - 1 at an offset from the carrying point; Eq. (O3)."""
    x, y, z = at.r[0], at.r[1], at.r[2]
    q = (
        (dx * (dx + 2.0 * x) + dy * (dy + 2.0 * y) + dz * (dz + 2.0 * z))
        * at.inverse_distance
        * at.inverse_distance
    )
    root = math.sqrt(1.0 + q)
    cube = (1.0 + q) * root
    return root, -q * (3.0 + q * (3.0 + q)) / (cube * (1.0 + cube))


@inline
def gravity_difference(at, change, dx, dy, dz):
    """Return differential gravity [m/s2] at an offset with a known `change_with_distance`; Eq. (O4)."""
    k = -at.gradient
    return (
        k * (dx + change * (at.r[0] + dx)),
        k * (dy + change * (at.r[1] + dy)),
        k * (dz + change * (at.r[2] + dz)),
    )


@inline
def oblateness_gravity(o, x, y, z):
    """Return the acceleration due to the Earth's oblateness (J2) at a position from its centre [m/s2]; Eq. (O2)."""
    p = o.pole
    r2 = x * x + y * y + z * z
    h = p[0] * x + p[1] * y + p[2] * z
    k = -o.oblateness / (r2 * r2 * math.sqrt(r2))
    s = 1.0 - 5.0 * h * h / r2
    return (
        k * (s * x + 2.0 * h * p[0]),
        k * (s * y + 2.0 * h * p[1]),
        k * (s * z + 2.0 * h * p[2]),
    )


@kernel
def apply_plates(system):
    """Apply drag and solar radiation pressure to flat plates; returns their power [W]; Eqs. (O14), (O15)."""
    power = 0.0
    for i in range(system.plates.shape[0]):
        plate = system.plates[i]
        motion, base = system.motions[plate.link], system.motions[system.links[plate.link].root]
        fx, fy, fz, x, y, z = plate_force(system, plate)
        power += push_at(motion, base, 0.0, 0.0, 0.0, fx, fy, fz, x, y, z)
    return power


@inline
def plate_force(system, plate):
    """Return the force of drag and solar radiation pressure on a flat plate [N] and its point of action [m], in N."""
    o, at = system.orbit[0], system.orbit_motion[0]
    motion, base = system.motions[plate.link], system.motions[system.links[plate.link].root]
    x, y, z = link_point(motion, base, plate.p)
    R = matrix_product(unpack_matrix(base.R_NB), unpack_matrix(motion.R))
    vx, vy, vz = point_velocity(motion, base, x, y, z)
    sx, sy, sz, p, w = at.r[0] + x, at.r[1] + y, at.r[2] + z, o.pole, o.rotation
    vx = w * (p[1] * sz - p[2] * sy) - vx - at.v[0]
    vy = w * (p[2] * sx - p[0] * sz) - vy - at.v[1]
    vz = w * (p[0] * sy - p[1] * sx) - vz - at.v[2]
    nx, ny, nz = rotate(R, plate.normal[0], plate.normal[1], plate.normal[2])
    facing = max(-(nx * vx + ny * vy + nz * vz), 0.0)
    k = 0.5 * o.density * plate.drag * plate.area * facing
    lit = max(nx * o.sun[0] + ny * o.sun[1] + nz * o.sun[2], 0.0)
    light = -o.pressure * plate.area * lit * at.sunlight
    toward = light * (1.0 - plate.specular)
    outward = light * 2.0 * (plate.specular * lit + plate.diffuse / 3.0)
    fx = k * vx + toward * o.sun[0] + outward * nx
    fy = k * vy + toward * o.sun[1] + outward * ny
    fz = k * vz + toward * o.sun[2] + outward * nz
    return fx, fy, fz, x, y, z
