"""Spatial algebra over numbers and SIMD lanes with fused multiply-add, which rounds a product and a sum once.

`softdock.spatial.kernels` has the same operations on numbers with separate rounding.
"""

from softdock.native.decorators import inline
from softdock.native.simd import fma, load, store


@inline
def dot(ax, ay, az, bx, by, bz):
    """Return the scalar product of two 3-vectors."""
    return fma(az, bz, fma(ay, by, ax * bx))


@inline
def add_dot(c, ax, ay, az, bx, by, bz):
    """Return c plus the scalar product of two 3-vectors."""
    return fma(az, bz, fma(ay, by, fma(ax, bx, c)))


@inline
def dot6(a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5):
    """Return the scalar product of a motion and a force; the two halves are independent and run in parallel."""
    return dot(a0, a1, a2, b0, b1, b2) + dot(a3, a4, a5, b3, b4, b5)


@inline
def cross(ax, ay, az, bx, by, bz):
    """Return the vector product of two 3-vectors."""
    return fma(ay, bz, -(az * by)), fma(az, bx, -(ax * bz)), fma(ax, by, -(ay * bx))


@inline
def add_cross(cx, cy, cz, ax, ay, az, bx, by, bz):
    """Return c plus the vector product of a and b."""
    return (
        fma(ay, bz, fma(-az, by, cx)),
        fma(az, bx, fma(-ax, bz, cy)),
        fma(ax, by, fma(-ay, bx, cz)),
    )


@inline
def times_inertia(inertia, V):
    """Return a spatial inertia (mass, mass * centre, inertia xx yy zz xy xz yz) times a motion vector; Eq. (M4)."""
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = inertia
    wx, wy, wz, vx, vy, vz = V
    ax, ay, az = dot(xx, xy, xz, wx, wy, wz), dot(xy, yy, yz, wx, wy, wz), dot(xz, yz, zz, wx, wy, wz)
    ax, ay, az = add_cross(ax, ay, az, hx, hy, hz, vx, vy, vz)
    lx, ly, lz = add_cross(m * vx, m * vy, m * vz, wx, wy, wz, hx, hy, hz)
    return ax, ay, az, lx, ly, lz


@inline
def add_motion_cross(A, V, S):
    """Return A plus the spatial cross product V x S of two motions."""
    a0, a1, a2 = add_cross(A[0], A[1], A[2], V[0], V[1], V[2], S[0], S[1], S[2])
    a3, a4, a5 = add_cross(A[3], A[4], A[5], V[3], V[4], V[5], S[0], S[1], S[2])
    a3, a4, a5 = add_cross(a3, a4, a5, V[0], V[1], V[2], S[3], S[4], S[5])
    return a0, a1, a2, a3, a4, a5


@inline
def motion_cross(V, S):
    """Return the spatial cross product V x S of two motions."""
    a0, a1, a2 = cross(V[0], V[1], V[2], S[0], S[1], S[2])
    a3, a4, a5 = cross(V[3], V[4], V[5], S[0], S[1], S[2])
    a3, a4, a5 = add_cross(a3, a4, a5, V[0], V[1], V[2], S[3], S[4], S[5])
    return a0, a1, a2, a3, a4, a5


@inline
def add_force_cross(f, V, h):
    """Return f plus the spatial cross product V x* h of a motion and a momentum."""
    f0, f1, f2 = add_cross(f[0], f[1], f[2], V[0], V[1], V[2], h[0], h[1], h[2])
    f0, f1, f2 = add_cross(f0, f1, f2, V[3], V[4], V[5], h[3], h[4], h[5])
    f3, f4, f5 = add_cross(f[3], f[4], f[5], V[0], V[1], V[2], h[3], h[4], h[5])
    return f0, f1, f2, f3, f4, f5


@inline
def read_six(a):
    """Return the first six entries of an array."""
    return a[0], a[1], a[2], a[3], a[4], a[5]


@inline
def read_ten(a):
    """Return the first ten entries of an array."""
    return a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]


@inline
def write_six(a, x):
    """Write six entries of an array."""
    a[0], a[1], a[2], a[3], a[4], a[5] = x


@inline
def load3(a, row):
    """Return three rows of an array, from `row` on, as SIMD vectors."""
    return load(a, row, 0), load(a, row + 1, 0), load(a, row + 2, 0)


@inline
def load6(a):
    """Return the first six rows of an array as SIMD vectors."""
    return load(a, 0, 0), load(a, 1, 0), load(a, 2, 0), load(a, 3, 0), load(a, 4, 0), load(a, 5, 0)


@inline
def load10(a):
    """Return the first ten rows of an array as SIMD vectors."""
    x0, x1, x2, x3, x4 = load(a, 0, 0), load(a, 1, 0), load(a, 2, 0), load(a, 3, 0), load(a, 4, 0)
    x5, x6, x7, x8, x9 = load(a, 5, 0), load(a, 6, 0), load(a, 7, 0), load(a, 8, 0), load(a, 9, 0)
    return x0, x1, x2, x3, x4, x5, x6, x7, x8, x9


@inline
def store6(a, x):
    """Write six rows of lanes."""
    store(a, 0, 0, x[0])
    store(a, 1, 0, x[1])
    store(a, 2, 0, x[2])
    store(a, 3, 0, x[3])
    store(a, 4, 0, x[4])
    store(a, 5, 0, x[5])


@inline
def store10(a, x):
    """Write ten rows of lanes."""
    store6(a, (x[0], x[1], x[2], x[3], x[4], x[5]))
    store(a, 6, 0, x[6])
    store(a, 7, 0, x[7])
    store(a, 8, 0, x[8])
    store(a, 9, 0, x[9])


@inline
def sum_along(x, paths, count):
    """Return the sums of six rows over the first `count` lanes, each added where its row of `paths` has ones."""
    m = load(paths, 0, 0)
    v0, v1, v2, v3, v4, v5 = m * x[0, 0], m * x[1, 0], m * x[2, 0], m * x[3, 0], m * x[4, 0], m * x[5, 0]
    for j in range(1, count):
        m = load(paths, j, 0)
        v0, v1, v2 = fma(m, x[0, j], v0), fma(m, x[1, j], v1), fma(m, x[2, j], v2)
        v3, v4, v5 = fma(m, x[3, j], v3), fma(m, x[4, j], v4), fma(m, x[5, j], v5)
    return v0, v1, v2, v3, v4, v5
