"""Initial motion of a free chaser whose tip approaches a port."""

import math

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import Assembly, moved_links
from softdock.model.frames import Anchor
from softdock.model.joints import Free
from softdock.spatial.poses import Pose, cross, matrix

Floats = NDArray[np.float64]
Records = NDArray[np.void]


def chaser_start(
    assembly: Assembly,
    *,
    chaser: str,
    tip: Anchor,
    port: Anchor,
    p_PT: Floats,
    turn: Floats,
    roll: float,
    v_PT: Floats,
    w_PT: Floats,
) -> Free:
    """Return the initial motion of a free chaser with which its tip T starts as asked for, relative to the port P.

    `p_PT` position [m], `turn` rotation vector [rad] after a `roll` about the tip's z axis, `v_PT` velocity [m/s]
    and `w_PT` angular velocity [rad/s] of the chaser against the port, all in the port's axes.
    """
    system = assembly.system
    links = moved_links(assembly, assembly.y).view(np.ndarray)
    X_NP, X_NT, X_NC = (_pose(links, assembly, anchor) for anchor in (port, tip, Anchor(body=chaser)))
    turned = matrix(_quaternion(turn)) @ matrix(_quaternion(np.array([0.0, 0.0, roll])))
    X_CT = Pose(R=X_NC.R.T @ X_NT.R, p=X_NC.R.T @ (X_NT.p - X_NC.p))
    wanted = X_NP @ Pose(R=turned, p=p_PT)
    R = wanted.R @ X_CT.R.T
    p = wanted.p - R @ X_CT.p
    turning, sliding = _motion(links, assembly.placed[port.body].link)
    w = turning + X_NP.R @ w_PT
    v_tip = sliding + cross(turning, wanted.p) + X_NP.R @ v_PT
    orbiting = (
        system.orbit.rate() if system.orbit is not None and system.orbit.start == "hill" else np.zeros(3)
    )
    return Free(
        position=tuple(map(float, p)),
        attitude=tuple(map(float, _quaternion_of(R))),
        velocity=tuple(map(float, v_tip + cross(w, p - wanted.p) - cross(orbiting, p))),
        rate=tuple(map(float, R.T @ (w - orbiting))),
    )


def _pose(links: Records, assembly: Assembly, anchor: Anchor) -> Pose:
    placed = assembly.placed[anchor.body]
    link = links[placed.link]
    base = links[link["root"]]
    X_NB = Pose(R=base["R_NB"].reshape(3, 3), p=base["p_NB"])
    X_NL = X_NB @ Pose(R=link["R"].reshape(3, 3), p=link["p"])
    return X_NL @ placed.X_LB @ anchor.pose()


def _motion(links: Records, index: int) -> tuple[Floats, Floats]:
    """Return angular velocity and velocity at the world's origin of a link, in the world."""
    link = links[index]
    base = links[link["root"]]
    R, p, V = base["R_NB"].reshape(3, 3), base["p_NB"], link["V"]
    turning, sliding = R @ V[:3], R @ V[3:]
    return turning, sliding - cross(turning, p)


def _quaternion(vector: Floats) -> Floats:
    angle = math.sqrt(vector.dot(vector))
    axis = vector / angle if angle > 0.0 else vector
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


def _quaternion_of(R: Floats) -> Floats:
    """Return the unit quaternion wxyz of a rotation matrix, from the largest of its components."""
    trace = np.array([R.trace(), R[0, 0], R[1, 1], R[2, 2]])
    k = int(trace.argmax())
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if k == 0:
        q = np.concatenate([[1.0 + trace[0]], skew])
    else:
        i = k - 1
        column = R[:, i] + R[i]
        column[i] = 1.0 + 2.0 * R[i, i] - trace[0]
        q = np.concatenate([[skew[i]], column])
    return np.asarray(q / math.sqrt(q.dot(q)))
