"""Frames of a controller: the port relative to the Hill frame, the tip relative to the centre of mass."""

from softdock.native.decorators import inline
from softdock.spatial.kernels import matrix_product, rotate_inverse, transpose, unpack_matrix
from softdock.tree.kernels.poses import link_angular_velocity, link_point, link_rotation
from softdock.tree.kernels.tree import GROUND


@inline
def target_view(system, c):
    """Return R_HP, rates of P in P: against N and against H, and the port from the target's centre of mass in P."""
    motions, root = system.motions, system.links[c.target].root
    target, frame, base = motions[c.target], motions[c.fixed_frame], motions[root]
    R_NP = link_rotation(target, base, c.R_AP)
    R_HP = matrix_product(transpose(unpack_matrix(frame.R_NB)), R_NP)
    wx, wy, wz = link_angular_velocity(target, base)
    wx, wy, wz = rotate_inverse(R_NP, wx, wy, wz)
    hx, hy, hz = rotate_inverse(R_HP, frame.V[0], frame.V[1], frame.V[2])
    ox, oy, oz = link_point(target, base, c.p_AP)
    if system.links[root].kind != GROUND:
        gx, gy, gz = link_point(base, base, base.centre)
        ox, oy, oz = ox - gx, oy - gy, oz - gz
    ox, oy, oz = rotate_inverse(R_NP, ox, oy, oz)
    return R_HP, (wx, wy, wz), (wx - hx, wy - hy, wz - hz), (ox, oy, oz)


@inline
def tip_from_centre(c):
    """Return the tip from the centre of mass that the controller assumes, in T [m]."""
    return rotate_inverse(c.R_LT, c.p_LT[0] - c.centre[0], c.p_LT[1] - c.centre[1], c.p_LT[2] - c.centre[2])
