"""Wrenches of elements between two bodies: on their links, stored, and in the frame of the element."""

from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import rotate_inverse
from softdock.tree.kernels.poses import add_wrench, link_point, link_rotation


@inline
def push_bodies(a, b, data, tx, ty, tz, fx, fy, fz, x, y, z):
    """Apply a torque and a force in N at the point p_NQ_N = (x, y, z) to link b, their opposite to a; store them."""
    add_wrench(b, fx, fy, fz, x, y, z)
    add_wrench(a, -fx, -fy, -fz, x, y, z)
    b.W[0], b.W[1], b.W[2] = b.W[0] + tx, b.W[1] + ty, b.W[2] + tz
    a.W[0], a.W[1], a.W[2] = a.W[0] - tx, a.W[1] - ty, a.W[2] - tz
    set_total_at(data, tx, ty, tz, fx, fy, fz, x, y, z)


@inline
def set_total(data, tx, ty, tz, fx, fy, fz):
    """Store the torque about N's origin and the force on b, in N."""
    T = data.total
    T[0], T[1], T[2], T[3], T[4], T[5] = tx, ty, tz, fx, fy, fz


@inline
def set_total_at(data, tx, ty, tz, fx, fy, fz, x, y, z):
    """Store the torque and the force on b that act at the point p_NQ_N = (x, y, z)."""
    set_total(data, tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx, fx, fy, fz)


@kernel
def element_wrench(element, data, links, motions):
    """Return force and torque of an element between bodies on b: about the origin of frame F, in its axes.

    Without a frame F they are in N. All are zero while the element is switched off.
    """
    if data.active == 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    T = data.total
    if element.a < 0:
        return T[3], T[4], T[5], T[0], T[1], T[2]
    a, base = motions[element.a], motions[links[element.a].root]
    x, y, z = link_point(a, base, element.p_aF)
    R_NF = link_rotation(a, base, element.R_aF)
    fx, fy, fz = rotate_inverse(R_NF, T[3], T[4], T[5])
    tx, ty, tz = rotate_inverse(
        R_NF, T[0] - (y * T[5] - z * T[4]), T[1] - (z * T[3] - x * T[5]), T[2] - (x * T[4] - y * T[3])
    )
    return fx, fy, fz, tx, ty, tz
