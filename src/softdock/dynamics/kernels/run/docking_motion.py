"""Motion of the tip T of the chaser relative to the port P of the target at the first contact of a run."""

import numpy as np

from softdock.dynamics.kernels.forces.derivative import set_motion
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import matrix_product, rotate_inverse, transpose
from softdock.tree.kernels.poses import link_angular_velocity, link_point, link_rotation, point_velocity

DOCKING_FRAME = np.dtype(
    [
        ("link", np.int64),
        ("R_LF", np.float64, 9),
        ("p_LF", np.float64, 3),
    ],
    align=True,
)
"""Frame on a link: of the tip, or of the port."""
TIP, PORT = 0, 1
# First entries of a relative motion, all in axes of the port: R_PT, p_PT [m], v_PT [m/s], w_PT [rad/s].
ROTATION, POSITION, VELOCITY, RATE = 0, 9, 12, 15
MOTION_SIZE = 18


@kernel
def write_docking_motion(run):
    """Write the relative motion at the state that an event has captured, if there is one; moves the links to it."""
    if run.docking_frames.shape[0] == 0 or run.progress[0].captured_event < 0:
        return
    set_motion(run.system, run.workspace.captured)
    write_relative_motion(run.system, run.docking_frames[TIP], run.docking_frames[PORT], run.docking_motion)


@inline
def write_relative_motion(system, tip, port, out):
    """Write the motion of the tip relative to the port at the present motion of the links; Eqs. (Q5) to (Q8)."""
    links, motions = system.links, system.motions
    own, base = motions[tip.link], motions[links[tip.link].root]
    other, other_base = motions[port.link], motions[links[port.link].root]
    R_NP, R_NT = link_rotation(other, other_base, port.R_LF), link_rotation(own, base, tip.R_LF)
    x, y, z = link_point(own, base, tip.p_LF)
    px, py, pz = link_point(other, other_base, port.p_LF)
    v, u = point_velocity(own, base, x, y, z), point_velocity(other, other_base, x, y, z)
    a, b = link_angular_velocity(own, base), link_angular_velocity(other, other_base)
    p_PT = rotate_inverse(R_NP, x - px, y - py, z - pz)
    v_PT = rotate_inverse(R_NP, v[0] - u[0], v[1] - u[1], v[2] - u[2])
    w_PT = rotate_inverse(R_NP, a[0] - b[0], a[1] - b[1], a[2] - b[2])
    R_PT = matrix_product(transpose(R_NP), R_NT)
    for k in range(9):
        out[ROTATION + k] = R_PT[k]
    for k in range(3):
        out[POSITION + k], out[VELOCITY + k], out[RATE + k] = p_PT[k], v_PT[k], w_PT[k]
